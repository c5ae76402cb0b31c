//! What is put first by hand: rules of a `QueryElevationComponent`, as its file writes them. Read and
//! resolved by `solr`, which makes clauses and sort keys of them: nothing below it knows of elevation. A rule
//! is met by words as the query's field type reads them; a configuration that names no type compares texts as
//! they are.

use serde::{Deserialize, Serialize};

/// One component, by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElevationComponent {
    pub name: String,
    /// The field type whose query analyzer compares queries; without one they are compared as they stand.
    pub query_type: Option<String>,
    /// The file of rules, below the configset.
    pub file: Option<String>,
    pub rules: Vec<ElevationRule>,
    /// Whether elevated documents come first whatever the sort.
    pub force: bool,
}

/// What a query puts first, and what it hides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElevationRule {
    pub text: String,
    /// Whether the query may have other words too.
    pub subset: bool,
    /// Ids, in order.
    pub elevated: Vec<String>,
    pub excluded: Vec<String>,
}
