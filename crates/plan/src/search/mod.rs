//! The plan of one search: everything the layers below need, resolved against the schema, in one immutable
//! value.

pub(crate) mod highlight;
pub(crate) mod page;
pub(crate) mod rerank;
pub(crate) mod result;
pub(crate) mod shape;
pub(crate) mod spell;
pub(crate) mod suggest;
pub(crate) mod terms;
pub(crate) mod vectors;
pub(crate) mod why_not;

use std::sync::Arc;

use crate::facet::FacetPlan;
use crate::function::Function;
use crate::query::Query;
use crate::search::highlight::HighlightPlan;
use crate::search::page::Page;
use crate::search::shape::Shape;

#[derive(Clone, Debug, PartialEq)]
pub struct SearchPlan {
    /// Of the schema it was resolved against; `None` where no name of a field was looked up.
    pub schema_version: Option<u64>,
    pub query: Query,
    pub filters: Vec<Filter>,
    /// Never empty; ties end in index order.
    pub sort: Vec<SortKey>,
    pub page: Page,
    /// Which stored fields the hits carry.
    pub fields: FieldSelection,
    /// What to compute for each hit of the page.
    pub functions: Vec<Function>,
    /// Compute scores even where the sort does not need them (`fl=score`).
    pub scores: bool,
    pub facets: FacetPlan,
    /// Explain the score of each hit on the page.
    pub explain: bool,
    /// Whether the result may come from a cache and go into one (`{!cache=false}` in `q` says no).
    pub cache: bool,
    /// Hits may be counted no further than beyond this, where counting costs more than finding the page;
    /// `None` counts all.
    pub count_enough: Option<u64>,
    /// What is shown other than a sorted page.
    pub shape: Shape,
    /// What to mark in the hits that are shown.
    pub highlight: Option<HighlightPlan>,
    /// Which of the documents below each hit are shown with it.
    pub children: Vec<ChildrenPlan>,
}

/// Documents below a hit (Solr's `[child]`).
#[derive(Clone, Debug, PartialEq)]
pub struct ChildrenPlan {
    /// Which documents are parents; `None` where paths tell what is below what.
    pub parents: Option<Query>,
    /// Which are wanted; those that lead to them come too. `None` is all.
    pub filter: Option<Query>,
    pub limit: Option<usize>,
    pub fields: FieldSelection,
}

impl SearchPlan {
    /// Counts the documents that match, answers afresh, and shows none: what a plan made by hand starts from.
    pub fn count(query: Query) -> Self {
        Self {
            schema_version: None,
            query,
            filters: Vec::new(),
            sort: vec![SortKey { by: SortBy::IndexOrder, descending: false }],
            page: Page { start: 0, rows: 0 },
            fields: FieldSelection::default(),
            functions: Vec::new(),
            scores: false,
            facets: FacetPlan::default(),
            explain: false,
            cache: false,
            count_enough: None,
            shape: Shape::default(),
            highlight: None,
            children: Vec::new(),
        }
    }
}

impl SearchPlan {
    /// The best documents of another query, shown as this plan shows its hits.
    pub fn showing(&self, query: Query, page: Page) -> Self {
        Self {
            schema_version: self.schema_version,
            sort: vec![SortKey { by: SortBy::Score, descending: true }],
            page,
            fields: self.fields.clone(),
            functions: self.functions.clone(),
            scores: self.scores,
            ..Self::count(query)
        }
    }
}

/// Hits that are loaded and written in less time than another thread takes to wake.
const PAGE_LIGHT: usize = 100;

impl SearchPlan {
    /// The keys of all orders that hits are put in.
    pub fn orders(&self) -> impl Iterator<Item = &SortKey> {
        let Shape { cursor: _, collapses, groups, expand: _, rerank: _ } = &self.shape;
        let within = groups.iter().flat_map(|groups| &groups.sort);
        self.sort.iter().chain(within).chain(collapses.iter().flat_map(|collapse| &collapse.best))
    }

    /// Whether the search is of a kind that takes microseconds, however large the index: it may then run
    /// where its request arrived, while others had better not keep other requests waiting. A guess, by the
    /// plan alone.
    pub fn is_light(&self) -> bool {
        let by_score = self.sort.iter().all(|key| key.by == SortBy::Score);
        let light = by_score && !self.facets.reads_hits() && !self.explain && self.page.end() <= PAGE_LIGHT;
        light
            && self.shape.is_plain()
            && self.highlight.is_none()
            && self.functions.is_empty()
            && self.children.is_empty()
            && self.query.is_light()
            && self.filters.iter().all(|filter| filter.query.is_light())
    }
}

/// A filter query: restricts, never scores.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    pub query: Query,
    /// Whether its bitset may be kept (`{!cache=false}` says no).
    pub cache: bool,
    /// Uncached filters run in ascending order of cost.
    pub cost: i32,
    /// Names by which facets may exclude it (`{!tag=a,b}`).
    pub tags: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SortKey {
    pub by: SortBy,
    pub descending: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SortBy {
    Score,
    Field(Arc<str>),
    /// Index order (Solr's `_docid_`).
    IndexOrder,
    /// A shuffle by id that stays the same for one seed (Solr's `random_*`).
    Random {
        seed: u64,
    },
    Function(Function),
    /// The least value, or the greatest where they come in descending order, of the documents below in the
    /// block (Solr's `childfield`).
    Below(Box<BelowKey>),
}

/// A field of documents below others.
#[derive(Clone, Debug, PartialEq)]
pub struct BelowKey {
    pub field: Arc<str>,
    /// Which documents are parents.
    pub parents: Query,
    /// Which of those below count.
    pub children: Query,
}

/// Names and globs of the stored fields to load.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct FieldSelection {
    /// `*`: all stored fields, and columns used as stored.
    pub all: bool,
    pub names: Vec<Arc<str>>,
    /// Patterns with one or more `*` or `?`.
    pub globs: Vec<String>,
}

impl FieldSelection {
    pub fn everything() -> Self {
        Self { all: true, ..Self::default() }
    }

    pub fn contains(&self, name: &str) -> bool {
        self.all
            || self.names.iter().any(|wanted| &**wanted == name)
            || self.globs.iter().any(|glob| glob_matches(glob, name))
    }
}

/// Whether `name` matches `glob`, in which `*` is any run and `?` one character.
pub fn glob_matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let (mut at_glob, mut at_name) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while at_name < name.len() {
        match glob.get(at_glob) {
            Some('*') => {
                last_star = Some((at_glob, at_name));
                at_glob += 1;
            }
            Some(wanted) if *wanted == '?' || *wanted == name[at_name] => {
                at_glob += 1;
                at_name += 1;
            }
            _ => {
                let Some((star, taken)) = last_star else { return false };
                last_star = Some((star, taken + 1));
                (at_glob, at_name) = (star + 1, taken + 1);
            }
        }
    }
    glob[at_glob..].iter().all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::glob_matches;

    #[test]
    fn globs_match_whole_names() {
        for (glob, name, expected) in [
            ("*", "", true),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a?c", "abc", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b", "abc", false),
            ("?", "", false),
            ("*_s", "name_s", true),
        ] {
            assert_eq!(glob_matches(glob, name), expected, "{glob} {name}");
        }
    }
}
