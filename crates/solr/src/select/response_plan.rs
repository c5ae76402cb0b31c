//! What the response needs to know of the request beside the results: which fields under which names, which
//! debug sections. Made by `request.rs`, read by the response writers. Nothing here changes which documents
//! are found or in which order: that is `plan::SearchPlan`'s. What is to be shown of each is the field
//! list's.

use plan::{Query, Result};

use super::fields::FieldList;
use super::grouping::GroupView;
use crate::params::{Params, response};
use crate::response::{Entries, Name, Node};
use crate::update::RawValue;

#[derive(Clone, Debug)]
pub struct ResponsePlan {
    /// The first hit's place among all, for `response.start`.
    pub start: usize,
    /// The mark that the page begins behind, as it was sent.
    pub cursor_mark: Option<String>,
    /// Present when hits are shown in groups.
    pub groups: Option<GroupView>,
    /// Whether members of groups are shown.
    pub expands: bool,
    /// Whether snippets are shown.
    pub highlights: bool,
    pub fields: FieldList,
    pub omit_header: bool,
    /// Whether the header says that no segment ended the search early.
    pub terminates_early: bool,
    pub debug: DebugFlags,
    /// Present when `debug.query` is on.
    pub debug_query: Option<DebugQuery>,
    /// Present when `debug.results` is on and `explainOther` names documents.
    pub explain_other: Option<ExplainOther>,
}

impl ResponsePlan {
    /// What the header begins with, of an answer that is whole.
    pub fn flags(&self) -> Entries {
        let early = (Name::Borrowed("segmentTerminatedEarly"), Node::Bool(false));
        Entries::from_iter(self.terminates_early.then_some(early))
    }
}

/// Documents to explain beside the hits.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainOther {
    pub text: String,
    pub query: Query,
}

impl ExplainOther {
    /// How many documents are explained at most.
    pub const DOCUMENTS_MAX: usize = 10;
}

/// Which debug sections are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DebugFlags {
    pub query: bool,
    pub timing: bool,
    pub results: bool,
    /// Where Solr gathers what shards say; there is nothing to gather.
    pub track: bool,
    /// Explanations as trees.
    pub structured: bool,
}

/// The `query` section of debug output, in the order shown.
#[derive(Clone, Debug, PartialEq)]
pub struct DebugQuery {
    /// The request's JSON, when there is any.
    pub json: Option<RawValue>,
    /// `rawquerystring` and `querystring`.
    pub text: Option<String>,
    /// `parsedquery`.
    pub parsed: String,
    /// `parsedquery_toString`.
    pub parsed_to_string: String,
    /// `QParser`.
    pub parser: &'static str,
    /// What `dismax` and `edismax` say.
    pub notes: Option<DismaxNotes>,
    /// `filter_queries`, when there are any.
    pub filters: Vec<String>,
    /// `parsed_filter_queries`.
    pub parsed_filters: Vec<String>,
}

/// What `dismax` and `edismax` add to debug output.
#[derive(Clone, Debug, PartialEq)]
pub struct DismaxNotes {
    /// `altquerystring`: what `q.alt` became, by Solr's classes, in a list when it is of several clauses.
    pub alternative: Option<Alternative>,
    /// `boost_queries` and `parsed_boost_queries`, where they are shown.
    pub boosts: Option<(Option<Vec<String>>, Vec<String>)>,
    /// `boostfuncs`.
    pub functions: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Alternative {
    One(String),
    Several(Vec<String>),
}

impl DebugFlags {
    /// Reads `debugQuery` and `debug`; unknown sections are none, as in Solr.
    pub(crate) fn parse(params: &Params) -> Result<Self> {
        let all = response::DEBUG_QUERY.read(params)?;
        let mut flags = Self { query: all, timing: all, results: all, ..Self::default() };
        for section in response::DEBUG.sent_all(params) {
            match section {
                "query" => flags.query = true,
                "timing" => flags.timing = true,
                "results" => flags.results = true,
                "track" => flags.track = true,
                "all" | "true" => {
                    // A whole new set: a `track` before it is forgotten.
                    flags = Self { query: true, timing: true, results: true, ..Self::default() }
                }
                _ => {}
            }
        }
        flags.structured = response::EXPLAIN_STRUCTURED.read(params)?;
        Ok(flags)
    }

    /// Whether the response has a debug section at all.
    pub fn any(self) -> bool {
        self.query || self.timing || self.results || self.track
    }
}
