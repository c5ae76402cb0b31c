//! Documents like others, as responses show them: beside the hits of a search, and as an answer of their own.
//! In: documents and the terms they were found by; which terms are taken is decided in `plan`. Two forms of
//! the same: a section beside hits, and the body of `/mlt`. Terms are shown only where they are asked for.

use plan::{LikeTerm, Query, Schema, SearchResult, Value};

use super::documents::doc_list;
use super::explain::text;
use super::facets::facet_counts;
use super::node::{Entries, Name, Node};
use crate::debug::QueryPrinter;
use crate::select::{FieldList, TermsShown};

/// What is like one hit.
#[derive(Debug)]
pub struct LikesOf {
    pub id: String,
    pub terms: Vec<LikeTerm>,
    /// By which the others were found.
    pub query: Query,
    pub result: SearchResult,
}

/// Of a handler of its own: what it found.
#[derive(Debug, Default)]
pub struct FoundAlike {
    /// The document whose likes are searched, with how many the query found, where it is to be shown.
    pub matched: Option<SearchResult>,
    /// Which of the query's hits it is.
    pub offset: usize,
    /// `None` when there is no such document.
    pub found: Option<(Vec<LikeTerm>, SearchResult)>,
    pub facets: bool,
}

/// The section of a search's answer.
pub fn likes(likes: Vec<LikesOf>, shown: Option<TermsShown>, fields: &FieldList, schema: &Schema) -> Entries {
    let mut entries = Entries::new();
    if let Some(shown) = shown {
        let terms = likes.iter().map(|like| (Name::Owned(like.id.clone()), terms_of(&like.terms, shown)));
        entries.push(("interestingTerms".into(), Node::Map(terms.collect())));
    }
    let lists = likes
        .into_iter()
        .map(|mut like| (Name::Owned(like.id), Node::DocList(doc_list(&mut like.result, 0, fields, schema))));
    entries.push(("moreLikeThis".into(), Node::Map(lists.collect())));
    entries
}

/// What debug output says of them. Explanations are written as Java names an object.
pub fn likes_explained(likes: &[LikesOf], schema: &Schema) -> Node {
    let printer = QueryPrinter::new(schema);
    let one = |like: &LikesOf| {
        let words = |weighted: bool| {
            let of = |term: &LikeTerm| {
                printer.text(
                    &LikeTerm { boost: if weighted { term.boost } else { 1.0 }, ..term.clone() }.query(),
                )
            };
            Node::from(like.terms.iter().map(of).collect::<Vec<_>>().join(" "))
        };
        let explained = like.result.hits.iter().filter_map(|hit| {
            let text = text(hit.explanation.as_ref()?);
            let text = format!("org.apache.lucene.search.Explanation:{text}");
            Some((Name::Owned(hit.id.clone()), Node::from(text)))
        });
        let explained = Node::Map(explained.collect());
        let node = Node::map([
            ("rawMLTQuery", words(false)),
            ("boostedMLTQuery", words(true)),
            ("realMLTQuery", Node::from(printer.text(&like.query))),
            ("explain", explained),
        ]);
        (Name::Owned(like.id.clone()), node)
    };
    Node::Map(likes.iter().map(one).collect())
}

/// The body of an answer of its own; `start` is the first document's place.
pub fn more_like(
    found: FoundAlike,
    shown: Option<TermsShown>,
    (start, fields): (usize, &FieldList),
    schema: &Schema,
) -> Entries {
    let mut entries = Entries::new();
    if let Some(mut matched) = found.matched {
        let list = doc_list(&mut matched, found.offset, fields, schema);
        entries.push(("match".into(), Node::DocList(list)));
    }
    let Some((terms, mut result)) = found.found else {
        entries.push(("response".into(), Node::Null));
        return entries;
    };
    entries.push(("response".into(), Node::DocList(doc_list(&mut result, start, fields, schema))));
    match shown {
        Some(TermsShown::List) => {
            let words = terms.iter().map(|term| Node::from(word(&term.value))).collect();
            entries.push(("interestingTerms".into(), Node::Array(words)));
        }
        Some(TermsShown::Details) => {
            let words = terms.iter().map(|term| (Some(label(term).into()), Node::Float(term.boost)));
            entries.push(("interestingTerms".into(), Node::NamedList(words.collect())));
        }
        None => {}
    }
    if found.facets {
        entries.push(("facet_counts".into(), facet_counts(result.facets)));
    }
    entries
}

fn terms_of(terms: &[LikeTerm], shown: TermsShown) -> Node {
    match shown {
        TermsShown::List => Node::Array(terms.iter().map(|term| Node::from(label(term))).collect()),
        TermsShown::Details => {
            Node::Map(terms.iter().map(|term| (Name::Owned(label(term)), Node::Float(term.boost))).collect())
        }
    }
}

fn label(term: &LikeTerm) -> String {
    format!("{}:{}", term.field, word(&term.value))
}

/// As it is indexed.
fn word(value: &Value) -> String {
    match value {
        Value::Bool(flag) => if *flag { "T" } else { "F" }.to_owned(),
        other => other.to_text(),
    }
}
