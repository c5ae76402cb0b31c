//! What an edit of a schema means for documents that are there: which of their fields would have to be
//! rebuilt, why, and what a rebuild cannot bring back. Pure comparison of two schemas over the fields that
//! documents have.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plan::{FieldSpec, FieldType, Schema};

use crate::response::{Entries, Node};

/// A field that documents have and that is not what the edited schema says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldImpact {
    pub name: String,
    /// Documents that have it, deleted ones not yet merged away included.
    pub documents: u64,
    /// What changes, in words.
    pub changes: Vec<String>,
    /// What a rebuild cannot bring back, and why.
    pub lost: Option<&'static str>,
}

const DROPPED: &str = "the field is gone: its values are dropped";
const NOT_KEPT: &str =
    "neither stored nor in docValues: there is nothing to rebuild it from; send the documents again";

/// Compares by the fields that documents have, each with how many do.
pub fn impact(before: &Schema, after: &Schema, present: &[(String, u64)]) -> Vec<FieldImpact> {
    let names = present.iter().map(|(name, _)| name.as_str());
    let (old, new) = (copies(before, names.clone()), copies(after, names));
    let mut documents: BTreeMap<&str, u64> =
        present.iter().map(|(name, docs)| (name.as_str(), *docs)).collect();
    let sources = |name: &str| new.get(name).into_iter().flatten();
    let added: Vec<(&str, u64)> = new
        .keys()
        .filter(|dest| !documents.contains_key(dest.as_str()))
        .map(|dest| {
            let docs = sources(dest).filter_map(|source| documents.get(source.as_str())).max();
            (dest.as_str(), docs.copied().unwrap_or_default())
        })
        .collect();
    documents.extend(added);
    let none = BTreeSet::new();
    let of = |(name, documents): (&str, u64)| {
        let (old_sources, new_sources) = (old.get(name).unwrap_or(&none), new.get(name).unwrap_or(&none));
        let (was, is) = (before.field(name), after.field(name));
        let mut changes = match (was, is) {
            (Some(was), Some(is)) => differences(was, is),
            (Some(_), None) => vec!["removed".to_owned()],
            _ => vec![],
        };
        let listed = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
        if old_sources != new_sources {
            changes.push(format!(
                "copies of [{}] become copies of [{}]",
                listed(old_sources),
                listed(new_sources)
            ));
        }
        let lost = loss((was, is), new_sources);
        (!changes.is_empty()).then(|| FieldImpact { name: name.to_owned(), documents, changes, lost })
    };
    documents.into_iter().filter_map(of).collect()
}

/// What a rebuild cannot bring back of a field.
fn loss(
    (was, is): (Option<&Arc<FieldSpec>>, Option<&Arc<FieldSpec>>),
    sources: &BTreeSet<String>,
) -> Option<&'static str> {
    match (was, is) {
        (_, None) => Some(DROPPED),
        (Some(was), Some(_)) if !is_kept(was) && sources.is_empty() => Some(NOT_KEPT),
        _ => None,
    }
}

/// The first field that documents would lose on their way from an index under one schema into one under
/// another, and why. Of a block, the engine knows by itself what is where.
pub fn first_loss<'a>(
    from: &Schema,
    into: &Schema,
    present: &'a [String],
) -> Option<(&'a str, &'static str)> {
    const OF_BLOCKS: [&str; 3] = ["_root_", "_nest_path_", "_nest_parent_"];
    let (copied, none) = (copies(into, present.iter().map(String::as_str)), BTreeSet::new());
    let lost = |name: &'a String| {
        let fields = (from.field(name), into.field(name));
        Some((name.as_str(), loss(fields, copied.get(name).unwrap_or(&none))?))
    };
    present.iter().filter(|name| !OF_BLOCKS.contains(&name.as_str())).find_map(lost)
}

/// Destinations with the fields that are copied there.
fn copies<'a>(schema: &Schema, names: impl Iterator<Item = &'a str>) -> BTreeMap<String, BTreeSet<String>> {
    let mut copies: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for name in names {
        for (dest, _) in schema.copies(name) {
            copies.entry(dest).or_default().insert(name.to_owned());
        }
    }
    copies
}

/// Whether a document gives its values back.
fn is_kept(field: &FieldSpec) -> bool {
    field.properties.stored || field.properties.doc_values
}

/// What of a field an index holds otherwise than the edited schema has it. How queries are analysed does not
/// count.
fn differences(was: &FieldSpec, is: &FieldSpec) -> Vec<String> {
    /// What fields of any type have; the rest follows from the type where that changes.
    const ANY: [&str; 4] = ["indexed", "stored", "docValues", "multiValued"];
    /// What says how fields are used, not what the index holds.
    const USE: [&str; 4] = ["required", "useDocValuesAsStored", "uninvertible", "large"];
    let same_class = was.class() == is.class();
    let mut changes = Vec::new();
    if !same_class {
        changes.push(format!("type `{}` becomes `{}`", was.field_type.name, is.field_type.name));
    } else if texts(was) != texts(is) {
        changes.push(format!("texts of type `{}` are indexed otherwise", is.field_type.name));
    }
    for ((name, was), (_, is)) in was.properties.named().iter().zip(is.properties.named().iter()) {
        let counts = if same_class { !USE.contains(name) } else { ANY.contains(name) };
        if counts && was != is {
            changes.push(format!("`{name}` becomes {is}"));
        }
    }
    changes
}

/// What decides how texts of a field's type are indexed: analyzer and other attributes. Similarities read the
/// same lengths.
fn texts(field: &FieldSpec) -> impl PartialEq + '_ {
    let FieldType { index_analyzer, source, .. } = &*field.field_type;
    (index_analyzer, &source.attributes)
}

/// As part of a response.
pub fn shown(impacts: &[FieldImpact]) -> Node {
    let one = |impact: &FieldImpact| {
        let changes = impact.changes.iter().map(|change| Node::str(change.clone())).collect();
        let mut entries: Entries = vec![
            ("name".into(), Node::str(impact.name.clone())),
            ("documents".into(), Node::long(impact.documents)),
            ("changes".into(), Node::Array(changes)),
        ];
        entries.extend(impact.lost.map(|lost| ("lost".into(), Node::str(lost))));
        Node::Map(entries)
    };
    Node::Array(impacts.iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;

    const SCHEMA: &str = r#"<schema name="s" version="1.7"><uniqueKey>id</uniqueKey>
      <fieldType name="string" class="solr.StrField"/><fieldType name="pint" class="solr.IntPointField"/>
      <fieldType name="text" class="solr.TextField"><analyzer><tokenizer name="standard"/></analyzer></fieldType>
      <fieldType name="low" class="solr.TextField"><analyzer><tokenizer name="standard"/><filter name="lowercase"/></analyzer></fieldType>
      <field name="id" type="string"/><field name="year" type="string"/><field name="body" type="text" stored="false"/>
      <field name="all" type="text" stored="false"/><field name="title" type="text"/></schema>"#;

    #[test]
    fn only_what_documents_have_counts() {
        let check = |commands: &str, expected: &str| {
            let source = schema::load(SCHEMA, &|_| None).unwrap();
            let edited = schema::edit(&source, commands, &|_| None).unwrap();
            let (before, after) = (Schema::build(source).unwrap(), Schema::build(edited).unwrap());
            let present: Vec<_> =
                ["id", "year", "body", "title"].map(|name| (name.to_owned(), 7)).into_iter().collect();
            let shown: Vec<_> = impact(&before, &after, &present)
                .iter()
                .map(|it| format!("{} {} {:?} {}", it.name, it.documents, it.changes, it.lost.unwrap_or("-")))
                .collect();
            assert_eq!(shown.join("; "), expected, "{commands}");
        };
        check(r#"{"add-field":{"name":"new","type":"pint"}}"#, "");
        check(
            r#"{"replace-field":{"name":"year","type":"pint"}}"#,
            r#"year 7 ["type `string` becomes `pint`"] -"#,
        );
        check(
            r#"{"replace-field":{"name":"title","type":"low"}}"#,
            r#"title 7 ["texts of type `low` are indexed otherwise"] -"#,
        );
        check(
            r#"{"replace-field":{"name":"body","type":"low"}}"#,
            &format!(
                r#"body 7 ["texts of type `low` are indexed otherwise", "`stored` becomes true"] {NOT_KEPT}"#
            ),
        );
        check(
            r#"{"add-copy-field":{"source":"title","dest":"all"}}"#,
            r#"all 7 ["copies of [] become copies of [title]"] -"#,
        );
        check(r#"{"delete-field":{"name":"title"}}"#, &format!(r#"title 7 ["removed"] {DROPPED}"#));
        check(
            r#"{"replace-field-type":{"name":"text","class":"solr.TextField","indexAnalyzer":{"tokenizer":{"name":"standard"}},"queryAnalyzer":{"tokenizer":{"name":"whitespace"}}}}"#,
            "",
        );
    }
}
