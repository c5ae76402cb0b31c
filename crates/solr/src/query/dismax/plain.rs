//! `dismax`: words, phrases, `+` and `-`, over many fields; all other syntax is text. In: the text and the
//! settings; out: a query, with its notes. The grammar is that of `lucene`, after what it must not see is
//! escaped; `edismax` is a file of its own.

use plan::{Clause, Occur, Query, Result};

use super::boosts::{alternative, boost_functions, boost_queries, sent_boosts, should};
use super::field_list::{Weighted, weighted};
use super::fields::PlainFields;
use super::flatten::flattened;
use super::minimum::with_minimum;
use super::notes::NotedQuery;
use super::settings::{Settings, slop};
use crate::params::dismax as param;
use crate::query::lucene::Grammar;
use crate::query::request::Request;

/// The query of `{!dismax}`; `None` when nothing is asked for.
pub(crate) fn dismax(request: &Request<'_>) -> Result<NotedQuery> {
    let settings = Settings::read(request)?;
    let mut notes = sent_boosts(request, false);
    notes.fields = settings.fields.iter().map(|field| field.name.clone()).collect();
    let mut clauses = Vec::new();
    if request.text.trim().is_empty() {
        let Some(alternative) = alternative(request, &mut notes)? else { return Ok((None, notes)) };
        clauses.push(alternative);
    } else {
        let text = plain_text(request.text);
        let query = with_fields(request, &settings, &settings.fields, settings.phrase_slop, &text)?;
        let query = with_minimum(flattened(query), settings.minimum(), settings.relax)?;
        clauses.push(Clause { occur: Occur::Must, query });
        // Present even where `pf` is empty and it can match nothing: debug output shows the empty clause.
        clauses.push(should(phrase(request, &settings, &text)?));
    }
    notes.asked = clauses.first().map(|clause| clause.query.clone());
    notes.boosts = boost_queries(request)?;
    clauses.extend(boost_clauses(&notes.boosts));
    clauses.extend(boost_functions(request)?.into_iter().map(should));
    request.context.check_clauses(clauses.len())?;
    Ok((Some(Query::Boolean { clauses, minimum_should_match: 0 }), notes))
}

/// The words of the whole query as one phrase in the fields of `pf`.
fn phrase(request: &Request<'_>, settings: &Settings, text: &str) -> Result<Query> {
    let fields = weighted(request.all(&param::PF))?;
    let text = format!("\"{}\"", text.replace('"', ""));
    with_fields(request, settings, &fields, slop(request.near(&param::PS)?), &text)
}

fn with_fields(
    request: &Request<'_>,
    settings: &Settings,
    fields: &[Weighted],
    slop: u32,
    text: &str,
) -> Result<Query> {
    let leaves = PlainFields { fields, tie: settings.tie, slop };
    let grammar = Grammar { context: request.context, leaves: &leaves, all_required: false, split: true };
    grammar.query(text, request.depth)
}

/// The clauses of the only boost query are taken for the query's own, be they required or not.
fn boost_clauses(boosts: &[Query]) -> Vec<Clause> {
    match boosts {
        [Query::Boolean { clauses, .. }] => clauses.clone(),
        _ => boosts.iter().cloned().map(should).collect(),
    }
}

/// The text with nothing left of its syntax but words, quotes that pair, and signs that stand before
/// something.
fn plain_text(text: &str) -> String {
    // An odd quote closes nothing; all quotes go then, since nobody knows which one is too many.
    let unquoted = text.matches('"').count() % 2 == 1;
    let mut plain = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !(unquoted && *c == '"')) {
        if "\\!():^[]/{}~*?".contains(c) {
            plain.push('\\');
        }
        plain.push(c);
    }
    without_idle_signs(&plain)
}

/// Takes out signs in a row behind a space, and signs at the end of the text.
fn without_idle_signs(text: &str) -> String {
    let is_sign = |c: char| matches!(c, '+' | '-');
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(char::is_whitespace) {
        let (before, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
        kept.push_str(before);
        let run = behind.trim_start();
        let tail = run.trim_start_matches(|c: char| is_sign(c) || c.is_whitespace());
        let signs = run.strip_suffix(tail).unwrap_or_default();
        let last = signs.rfind(is_sign).map_or(0, |last| last + 1);
        match signs.matches(is_sign).count() {
            0 => kept.push(' '),
            _ if tail.is_empty() => return kept,
            1 => kept.extend([" ", signs]),
            _ => kept.extend([" ", signs.get(last..).unwrap_or_default()]),
        }
        rest = tail;
    }
    kept.push_str(rest);
    kept
}
