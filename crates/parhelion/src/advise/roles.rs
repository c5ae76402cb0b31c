//! What a field is used for, and which parameters name fields in the open, how, and for what. The latter is
//! beside the plan of a search, which has most uses: a parameter that is missing here is read there.

use serde::Serialize;

/// What a field is used for. Those from `Highlight` on are by stored values, and take globs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UseRole {
    Query,
    Filter,
    Sort,
    Facet,
    Group,
    Stats,
    Function,
    Like,
    Terms,
    Highlight,
    Show,
}

impl UseRole {
    pub fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Filter => "filter",
            Self::Sort => "sort",
            Self::Facet => "facet",
            Self::Group => "group",
            Self::Stats => "stats",
            Self::Function => "function",
            Self::Like => "like",
            Self::Terms => "terms",
            Self::Highlight => "highlight",
            Self::Show => "show",
        }
    }
}

/// How a parameter names fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamReading {
    /// Its words are names, numbers, or directions.
    Names,
    /// Names stand before colons.
    Query,
}

/// `None` of a parameter that names no fields, or not in the open.
pub fn reading_of(param: &str) -> Option<(UseRole, ParamReading)> {
    use ParamReading::{Names, Query};
    Some(match param {
        "q" | "q.alt" | "bq" | "rq" | "hl.q" => (UseRole::Query, Query),
        "fq" | "expand.fq" => (UseRole::Filter, Query),
        "facet.query" => (UseRole::Facet, Query),
        "group.query" | "expand.q" => (UseRole::Group, Query),
        // Not `df`: handlers preset it, and it is a use only where a plan has it.
        "qf" | "pf" | "pf2" | "pf3" => (UseRole::Query, Names),
        "sort" | "group.sort" | "expand.sort" => (UseRole::Sort, Names),
        "facet.field" | "facet.range" | "facet.pivot" | "facet.interval" | "facet.heatmap" => {
            (UseRole::Facet, Names)
        }
        "group.field" | "expand.field" => (UseRole::Group, Names),
        "stats.field" => (UseRole::Stats, Names),
        "hl.fl" => (UseRole::Highlight, Names),
        "fl" | "tv.fl" => (UseRole::Show, Names),
        // Components that ask something of their own, beside the plan.
        _ if param.starts_with("mlt.") => (UseRole::Like, Names),
        _ if ["terms.", "spellcheck.", "suggest."].iter().any(|it| param.starts_with(it)) => {
            (UseRole::Terms, Names)
        }
        _ => return None,
    })
}
