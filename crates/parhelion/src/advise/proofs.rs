//! Which searches prove what: pairs of a logged search and the same as advised, for `replay` to ask. In: the
//! searches of a log; out: a proof for each kind of advice that some search is of.

use serde::Serialize;

use client::SolrClient;

use super::arguments::{AdviseArgs, CollectionUrl};
use super::asked::{AskedSearch, LoggedParams};
use super::clauses::filters_in_q;
use super::habits::QUERY_PARAMS;
use super::range_text::with_now_rounded;
use super::replay::{ReplayKind, ReplayPair, ReplayProof, ReplaySides};
use super::server_facts::ServerFacts;

/// A kind of advice and its proof.
#[derive(Debug, Serialize)]
pub struct NamedProof {
    pub kind: ReplayKind,
    #[serde(flatten)]
    pub proof: ReplayProof,
}

/// Asks again what can be asked again.
pub async fn prove(
    args: &AdviseArgs,
    (own, collection): (&SolrClient, &str),
    to: &CollectionUrl,
    searches: &[&AskedSearch],
    facts: &ServerFacts,
) -> anyhow::Result<Vec<NamedProof>> {
    let other = args.client(to)?;
    let there = (&other, to.collection.as_str());
    let mut pairs: Vec<ReplayPair> = Vec::new();
    for search in searches.iter().filter(|search| is_replayable(search)) {
        pairs.extend(pairs_of(search, &|name| facts.is_exact(name)));
        // In one and the same collection it would measure noise.
        if *to != args.target {
            let params = search.params.clone();
            pairs.push(pair(ReplayKind::OtherCollection, search, params.clone(), params));
        }
    }
    let mut proofs = Vec::new();
    // Kind by kind, so that what one leaves in caches is old by the time of the next.
    for kind in [
        ReplayKind::OtherCollection,
        ReplayKind::NowRounded,
        ReplayKind::ClauseAsFilter,
        ReplayKind::FilterKept,
    ] {
        let chosen: Vec<&ReplayPair> =
            pairs.iter().filter(|pair| pair.kind == kind).take(args.replay_searches).collect();
        if chosen.is_empty() {
            continue;
        }
        let before = if kind == ReplayKind::OtherCollection { (own, collection) } else { there };
        let proof =
            ReplayProof::of(&ReplaySides { before, after: there }, &chosen, args.replay_rounds).await?;
        proofs.push(NamedProof { kind, proof });
    }
    Ok(proofs)
}

/// Of what the log has whole, and that says how much it found.
fn is_replayable(search: &AskedSearch) -> bool {
    !search.is_cut() && search.params.contains_key("q")
}

/// The search as it was, and with each kind of advice that it is of.
fn pairs_of(search: &AskedSearch, is_exact: &dyn Fn(&str) -> bool) -> Vec<ReplayPair> {
    // What JSON asked for stands beside it as parameters. Facets do not, and both ways do without them:
    // sent along, it would bring back what was edited.
    let mut before = search.params.clone();
    before.retain(|name, _| name != "json" && !name.starts_with("json."));
    let mut pairs = Vec::new();
    let mut push = |kind, after: LoggedParams| {
        if after != before {
            pairs.push(pair(kind, search, before.clone(), after));
        }
    };
    push(ReplayKind::NowRounded, edited(&before, &QUERY_PARAMS, &with_now_rounded));
    push(ReplayKind::FilterKept, edited(&before, &["fq"], &without_cache_false));
    // One clause is enough to show it, and two edits at once would show neither.
    if let Some(found) = filters_in_q(search, is_exact).into_iter().next() {
        let mut after = before.clone();
        after.insert("q".to_owned(), vec![found.rest]);
        after.entry("fq".to_owned()).or_default().push(found.clause);
        push(ReplayKind::ClauseAsFilter, after);
    }
    pairs
}

fn pair(kind: ReplayKind, search: &AskedSearch, before: LoggedParams, after: LoggedParams) -> ReplayPair {
    ReplayPair { kind, handler: search.handler.clone(), before, after }
}

fn edited(params: &LoggedParams, names: &[&str], edit: &dyn Fn(&str) -> Option<String>) -> LoggedParams {
    let mut edited = params.clone();
    for value in names.iter().filter_map(|name| edited.remove_entry(*name)).collect::<Vec<_>>() {
        let (name, values) = value;
        let values = values.into_iter().map(|value| edit(&value).unwrap_or(value)).collect();
        edited.insert(name, values);
    }
    edited
}

fn without_cache_false(filter: &str) -> Option<String> {
    let (local, rest) = filter.strip_prefix("{!")?.split_once('}')?;
    let kept: Vec<&str> =
        local.split_whitespace().filter(|it| *it != "cache=false" && !it.starts_with("cost=")).collect();
    let is_edited = kept.len() != local.split_whitespace().count() && local.contains("cache=false");
    let text = if kept.is_empty() { rest.to_owned() } else { format!("{{!{}}}{rest}", kept.join(" ")) };
    is_edited.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::asked::testing::asked;
    use super::*;

    #[test]
    fn each_advice_is_one_edit() {
        let check = |params: &[(&str, &str)], expected: &[(ReplayKind, &str, &str)]| {
            let pairs = pairs_of(&asked(params), &|name| name == "cat");
            let joined = |pair: &ReplayPair, name: &str| {
                pair.after.get(name).map(|it| it.join("|")).unwrap_or_default()
            };
            let found: Vec<_> = pairs.iter().map(|it| (it.kind, joined(it, "q"), joined(it, "fq"))).collect();
            let expected: Vec<_> =
                expected.iter().map(|(kind, q, fq)| (*kind, (*q).to_owned(), (*fq).to_owned())).collect();
            assert_eq!(found, expected, "{params:?}");
        };
        check(&[("q", "x"), ("fq", "cat:y")], &[]);
        check(&[("q", "x"), ("fq", "d:[NOW TO *]")], &[(ReplayKind::NowRounded, "x", "d:[NOW/MINUTE TO *]")]);
        check(&[("q", "x AND cat:y"), ("fq", "a:1")], &[(ReplayKind::ClauseAsFilter, "x", "a:1|cat:y")]);
        check(&[("q", "x"), ("fq", "{!cache=false cost=9}cat:y")], &[(ReplayKind::FilterKept, "x", "cat:y")]);
        check(
            &[("q", "x"), ("fq", "{!term f=cat cache=false}y")],
            &[(ReplayKind::FilterKept, "x", "{!term f=cat}y")],
        );
    }
}
