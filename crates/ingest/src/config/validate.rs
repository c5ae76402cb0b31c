//! What a file says that its shape allows and that makes no sense all the same: one line each, all at once,
//! so that a file is mended in one go.
//!
//! In: a configuration as it was read; out: findings, none of which needs a source, a target or a clock. What
//! a mapping or a rule means is tried where it is compiled (`mapping`, `publish`).

use std::collections::HashSet;

use super::{FieldConfig, FollowKind, IngestConfig, PostgresConfig, SourceConfig};
use crate::mapping::Mapping;
use crate::publish::Rules;

pub fn validate(config: &IngestConfig) -> Vec<String> {
    let mut findings = Vec::new();
    check_name(&config.name, &mut findings);
    check_target(config, &mut findings);
    if config.sources.is_empty() {
        findings.push("name at least one `[[source]]`".to_owned());
    }
    let mut names = HashSet::new();
    for source in &config.sources {
        if !names.insert(&source.name) {
            findings.push(format!("two sources are named `{}`; give each a name of its own", source.name));
        }
        check_source(source, &mut findings);
        check_fields(source, &mut findings);
        findings.extend(Mapping::compile(source, &config.target).err().unwrap_or_default());
    }
    findings.extend(Rules::compile(&config.publish).err().unwrap_or_default());
    for rule in &config.publish.rules {
        let unknown = rule.sources.iter().filter(|name| !names.contains(name));
        findings.extend(
            unknown.map(|name| format!("`publish.rule` `{}`: there is no source `{name}`", rule.name)),
        );
    }
    if config.lease.seconds == 0 {
        findings.push("`lease.seconds` is at least 1".to_owned());
    }
    findings
}

fn check_name(name: &str, findings: &mut Vec<String>) {
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    let rest = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if !first || !rest || name.len() > 40 {
        findings.push(format!(
            "`name`: `{name}` names tables and slots: write lower-case letters, digits and `_`, a letter first, \
             at most 40"
        ));
    }
}

fn check_target(config: &IngestConfig, findings: &mut Vec<String>) {
    let target = &config.target;
    if let Err(error) = target.url.parse::<client::SolrUrl>() {
        findings.push(format!("`target.url`: {error}"));
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    if target.collection.is_empty() || !target.collection.bytes().all(plain) {
        findings.push(format!("`target.collection`: `{}` is not a collection's name", target.collection));
    }
    for (key, value) in [
        ("connections", target.connections),
        ("batch_docs", target.batch_docs),
        ("batch_bytes", target.batch_bytes),
    ] {
        if value == 0 {
            findings.push(format!("`target.{key}` is at least 1"));
        }
    }
}

fn check_source(source: &SourceConfig, findings: &mut Vec<String>) {
    let place = format!("`source.{}`", source.name);
    let kinds = [
        source.postgres.is_some(),
        source.csv.is_some(),
        source.jsonl.is_some(),
        source.folder.is_some(),
        source.solr.is_some(),
    ];
    if kinds.iter().filter(|kind| **kind).count() != 1 {
        findings.push(format!(
            "{place}: name one of `[source.postgres]`, `[source.csv]`, `[source.jsonl]`, `[source.folder]`, \
             `[source.solr]`"
        ));
    }
    let keyed = source.postgres.is_some() || source.csv.is_some() || source.jsonl.is_some();
    if keyed && source.key.is_none() {
        findings.push(format!("{place}: name its `key`, the column whose values tell its rows apart"));
    }
    if source.postgres.is_none() && !source.children.is_empty() {
        findings.push(format!("{place}: only a database has `child` queries"));
    }
    if let Some(postgres) = &source.postgres {
        check_postgres(&place, postgres, findings);
    }
    if let Some(solr) = &source.solr
        && let Err(error) = solr.url.parse::<client::SolrUrl>()
    {
        findings.push(format!("{place}: `url`: {error}"));
    }
}

/// Each name once: of two, a document would have both, and a server keeps either or takes them for a list.
fn check_fields(source: &SourceConfig, findings: &mut Vec<String>) {
    let mut check = |place: String, fields: &[FieldConfig]| {
        let mut names = HashSet::new();
        for field in fields {
            if field.name.is_empty() {
                findings.push(format!("{place}: a field has no `name`"));
            } else if !names.insert(&field.name) {
                findings.push(format!(
                    "{place}: two fields are named `{}`; give each a name of its own, or make one of a `template`",
                    field.name
                ));
            }
        }
    };
    check(format!("`source.{}`", source.name), &source.fields);
    for child in &source.children {
        check(format!("`source.{}.{}`", source.name, child.name), &child.fields);
    }
}

/// The word of a query that cuts its rows off, where there is one outside of parentheses and texts: each page
/// would be cut out of other rows.
fn cutting_word(query: &str) -> Option<&str> {
    let (mut depth, mut quote) = (0_usize, None);
    let mut start = 0;
    for (at, char) in query.char_indices().chain([(query.len(), ' ')]) {
        if quote.is_none() && depth == 0 && !(char.is_alphanumeric() || char == '_') {
            let word = &query[start..at];
            if ["limit", "offset", "fetch"].iter().any(|cuts| word.eq_ignore_ascii_case(cuts)) {
                return Some(word);
            }
        }
        match (quote, char) {
            (Some(open), char) if open == char => quote = None,
            (None, '\'' | '"') => quote = Some(char),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !(char.is_alphanumeric() || char == '_') {
            start = at + char.len_utf8();
        }
    }
    None
}

fn check_postgres(place: &str, postgres: &PostgresConfig, findings: &mut Vec<String>) {
    if postgres.url.is_some() == postgres.url_env.is_some() {
        findings.push(format!("{place}: name one of `url` and `url_env`"));
    }
    if let Some(word) = cutting_word(&postgres.query) {
        findings.push(format!(
            "{place}: `query` has `{word}`, and is read page by page: leave it out, or put it into a subquery with an \
             order, `SELECT * FROM (SELECT … ORDER BY … LIMIT 10) AS first`"
        ));
    }
    if postgres.page_rows == 0 {
        findings.push(format!("{place}: `page_rows` is at least 1"));
    }
    let watched = !postgres.watch.is_empty();
    match postgres.follow {
        FollowKind::Trigger | FollowKind::Replication if !watched => findings.push(format!(
            "{place}: to follow changes, name the tables: `watch = [{{ table = \"…\", key = \"…\" }}]`"
        )),
        FollowKind::Polling if postgres.updated_column.is_none() => {
            findings.push(format!("{place}: to follow by polling, name the `updated_column`"));
        }
        _ => {}
    }
    for watch in &postgres.watch {
        let unbound = watch.parents.as_ref().is_some_and(|query| !query.contains("$keys"));
        if unbound {
            findings.push(format!("{place}: `parents` of `{}` has no `$keys` in it", watch.table));
        }
    }
}
