//! What follows for each field from what was asked and what is known of it. A field is called unused only if
//! nothing speaks for it: uses that could not be read, the configuration, copies, and names that the server
//! itself needs all keep it. In: uses and facts; out: a verdict for each field, with what may go.

use std::collections::{BTreeMap, BTreeSet};

use plan::glob_matches;
use serde::Serialize;

use super::roles::UseRole;
use super::server_facts::{BytesOfField, ServerFacts};
use super::uses::{FieldUses, LoggedUses};

/// How a field stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// No search asked for it by name.
    Unused,
    /// Searches show it and do nothing else with it.
    OnlyShown,
    /// No search asked for it, and something else may need it.
    Kept,
    /// Searches that could not be read may use it.
    MaybeUsed,
    Used,
}

#[derive(Clone, Debug, Serialize)]
pub struct FieldVerdict {
    pub field: String,
    pub standing: Standing,
    /// Searches by what they use it for.
    pub uses: BTreeMap<UseRole, u64>,
    #[serde(skip_serializing_if = "is_zero")]
    pub maybe: u64,
    /// Why it is kept, or why uses are uncertain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<BytesOfField>,
    /// What of it may go, as the schema calls it; `field` is the whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub may_go: Vec<&'static str>,
    /// Bytes of that.
    pub saves: u64,
    /// Of the time that preparing all fields takes while documents are indexed, per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexing_percent: Option<f64>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The server's own, that no search need name.
const OWN: [&str; 4] = ["_version_", "_root_", "_nest_path_", "_nest_parent_"];

/// Of all fields, those first whose parts that may go take most.
pub fn verdicts(facts: &ServerFacts, logged: &LoggedUses, keep: &[String]) -> Vec<FieldVerdict> {
    let inherited = of_parts(facts, logged);
    let mut verdicts: Vec<FieldVerdict> = facts
        .names
        .iter()
        .map(|name| {
            let uses = inherited.get(name).or_else(|| logged.fields.get(name)).cloned().unwrap_or_default();
            verdict(facts, logged, (name, uses), keep)
        })
        .collect();
    verdicts.sort_by(|one, other| {
        let rank = |it: &FieldVerdict| (it.standing, std::cmp::Reverse(it.saves), it.field.clone());
        rank(one).cmp(&rank(other))
    });
    verdicts
}

/// Fields in which others lie are used where those are.
fn of_parts(facts: &ServerFacts, logged: &LoggedUses) -> BTreeMap<String, FieldUses> {
    let parts = |(name, uses): (&String, &FieldUses)| {
        facts.parts(name).into_iter().map(|part| (part, uses.clone())).collect::<Vec<_>>()
    };
    logged.fields.iter().flat_map(parts).collect()
}

fn verdict(
    facts: &ServerFacts,
    logged: &LoggedUses,
    (name, uses): (&String, FieldUses),
    keep: &[String],
) -> FieldVerdict {
    // Without any use too: all of none.
    let only_shown = uses.certain.keys().all(|role| *role == UseRole::Show);
    let kept = reasons_to_keep(facts, name, keep);
    let (standing, why) = if !only_shown {
        (Standing::Used, Vec::new())
    // Before what keeps it: a doubt about a use says more than that nobody may touch it.
    } else if uses.maybe > 0 {
        (Standing::MaybeUsed, uses.maybe_why.iter().cloned().collect())
    } else if !kept.is_empty() {
        (Standing::Kept, kept)
    } else if uses.certain.is_empty() {
        (Standing::Unused, Vec::new())
    } else {
        (Standing::OnlyShown, Vec::new())
    };
    let bytes = facts.bytes.as_ref().map(|bytes| bytes.fields.get(name).copied().unwrap_or_default());
    let may_go = match standing {
        // What shows documents whole may be all that the field is there for.
        Standing::Unused if logged.shows_all == 0 && facts.gets == Some(0) => vec!["field"],
        Standing::Unused | Standing::OnlyShown => parts_not_shown(facts, name),
        _ => Vec::new(),
    };
    let saves = |bytes: BytesOfField| {
        let of_part = |part: &&'static str| match *part {
            "field" => bytes.total(),
            "indexed" => bytes.index(),
            _ => bytes.doc_values,
        };
        may_go.iter().map(of_part).sum()
    };
    FieldVerdict {
        field: name.clone(),
        standing,
        uses: uses.certain,
        maybe: uses.maybe,
        why,
        saves: bytes.map_or(0, saves),
        bytes,
        may_go,
        indexing_percent: bytes.and_then(|bytes| percent_of_indexing(facts, bytes)),
    }
}

/// To one place. `None` where the server tells no times.
fn percent_of_indexing(facts: &ServerFacts, bytes: BytesOfField) -> Option<f64> {
    let all = facts.bytes.as_ref()?.indexing_us();
    (all > 0).then(|| (bytes.indexing_us as f64 * 1000.0 / all as f64).round() / 10.0)
}

fn reasons_to_keep(facts: &ServerFacts, name: &str, keep: &[String]) -> Vec<String> {
    let mut reasons = Vec::new();
    if facts.schema.unique_key.as_deref() == Some(name) {
        reasons.push("the unique key".to_owned());
    }
    if OWN.contains(&name) {
        reasons.push("the server's own".to_owned());
    }
    let copies = facts.copies(name);
    if !copies.is_empty() {
        reasons.push(format!("copied to {}", copies.join(", ")));
    }
    let holders: BTreeSet<&String> =
        facts.names.iter().filter(|other| facts.parts(other).iter().any(|part| part == name)).collect();
    reasons.extend(holders.first().map(|holder| format!("part of {holder}")));
    reasons.extend(facts.configured.get(name).map(|at| format!("named in the configuration at {at}")));
    if keep.iter().any(|glob| glob_matches(glob, name)) {
        reasons.push("--keep".to_owned());
    }
    reasons
}

/// What a document can do without that is only shown: what it is shown from stays, be it stored or a column.
fn parts_not_shown(facts: &ServerFacts, name: &str) -> Vec<&'static str> {
    let Some(spec) = facts.schema.field(name) else { return Vec::new() };
    let properties = &spec.properties;
    let mut parts = Vec::new();
    // A column is shown where nothing is stored (`useDocValuesAsStored`), and atomic updates read it.
    parts.extend(properties.indexed.then_some("indexed"));
    parts.extend((properties.doc_values && properties.stored).then_some("docValues"));
    parts
}

#[cfg(test)]
mod tests {
    use plan::Schema;

    use super::*;

    const SCHEMA: &str = r#"<schema name="t" version="1.7"><uniqueKey>id</uniqueKey>
        <fieldType name="string" class="solr.StrField"/><fieldType name="int" class="solr.IntPointField"/>
        <fieldType name="place" class="solr.LatLonPointSpatialField"/>
        <fieldType name="point" class="solr.PointType" dimension="2" subFieldSuffix="_i"/>
        <field name="id" type="string"/><field name="a" type="string"/><field name="column" type="int" stored="false"/>
        <field name="source" type="string"/><field name="dest" type="string" stored="false" docValues="false"/>
        <field name="spot" type="point"/><dynamicField name="*_i" type="int"/>
        <copyField source="source" dest="dest"/></schema>"#;

    fn facts(gets: Option<u64>) -> ServerFacts {
        let schema = Schema::build(solr::schema::parse(SCHEMA, &|_| None).unwrap()).unwrap();
        let mut names: BTreeSet<String> = schema.fields().map(|it| it.name.to_string()).collect();
        names.extend(["_version_", "b_i"].map(str::to_owned));
        let mut facts = ServerFacts { schema, names, bytes: None, configured: BTreeMap::new(), gets };
        facts.names.extend(facts.parts("spot"));
        facts.configured.insert("b_i".to_owned(), "/x".to_owned());
        let bytes = BytesOfField {
            terms: 1,
            postings: 2,
            positions: 4,
            norms: 8,
            doc_values: 16,
            stored: 32,
            indexing_us: 5,
        };
        let fields = facts.names.iter().map(|name| (name.clone(), bytes)).collect();
        ServerFacts { bytes: Some(super::super::server_facts::BytesByField { fields, shared: 0 }), ..facts }
    }

    fn used(uses: &[(&str, UseRole)]) -> LoggedUses {
        let mut logged = LoggedUses::default();
        for (name, role) in uses {
            logged.fields.entry((*name).to_owned()).or_default().certain.insert(*role, 1);
        }
        logged
    }

    #[track_caller]
    fn check(facts: &ServerFacts, logged: &LoggedUses, name: &str, expected: (Standing, &[&str], u64)) {
        let all = verdicts(facts, logged, &["kept*".to_owned()]);
        let found = all.iter().find(|it| it.field == name).unwrap();
        assert_eq!((found.standing, &found.may_go[..], found.saves), expected, "{name}: {found:?}");
    }

    #[test]
    fn only_what_nothing_speaks_for_is_unused() {
        let (facts, logged) = (facts(Some(0)), used(&[("dest", UseRole::Query)]));
        check(&facts, &logged, "a", (Standing::Unused, &["field"], 63));
        check(&facts, &logged, "dest", (Standing::Used, &[], 0));
        for name in ["id", "_version_", "source", "b_i"] {
            check(&facts, &logged, name, (Standing::Kept, &[], 0));
        }
        let kept = verdicts(&facts, &logged, &["a*".to_owned()]);
        assert_eq!(kept.iter().find(|it| it.field == "a").unwrap().standing, Standing::Kept);
    }

    #[test]
    fn a_field_that_may_be_shown_keeps_what_it_is_shown_from() {
        let mut logged = used(&[("a", UseRole::Show)]);
        check(&facts(Some(0)), &logged, "a", (Standing::OnlyShown, &["indexed", "docValues"], 31));
        logged = LoggedUses { shows_all: 1, ..used(&[]) };
        check(&facts(Some(0)), &logged, "a", (Standing::Unused, &["indexed", "docValues"], 31));
        check(&facts(Some(0)), &logged, "column", (Standing::Unused, &["indexed"], 15));
        for gets in [None, Some(3)] {
            check(&facts(gets), &used(&[]), "a", (Standing::Unused, &["indexed", "docValues"], 31));
        }
    }

    #[test]
    fn uncertain_uses_keep_a_field() {
        let mut logged = used(&[("a", UseRole::Show)]);
        let search = super::super::asked::testing::asked(&[]);
        logged.add_guessed(&search, ["a".to_owned()].into(), "because");
        check(&facts(Some(0)), &logged, "a", (Standing::MaybeUsed, &[], 0));
    }

    #[test]
    fn the_parts_of_a_field_are_used_with_it() {
        let facts = facts(Some(0));
        let [part, ..] = &facts.parts("spot")[..] else { panic!("it has parts") };
        check(&facts, &used(&[("spot", UseRole::Filter)]), part, (Standing::Used, &[], 0));
        check(&facts, &used(&[]), part, (Standing::Kept, &[], 0));
    }
}
