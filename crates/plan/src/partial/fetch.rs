//! The second step of a search: what is asked of a shard once the page is known, and what it gives back. Both
//! name hits by the references that the same snapshot gave in the first step. A shard that is asked later
//! than its snapshot lives cannot answer it: the pin of the request keeps that (ADR 15).

use serde::{Deserialize, Serialize};

use super::hits::HitRef;
use crate::search::highlight::Highlights;
use crate::search::hit::Hit;
use crate::value::Value;

/// What is shown of one shard's hits.
#[derive(Clone, Copy, Debug, Default)]
pub struct FetchRequest<'a> {
    /// Of the page and of groups.
    pub hits: &'a [&'a HitRef],
    /// Of expanded groups, which a query of their own may have found.
    pub expanded: &'a [&'a HitRef],
    /// Whether the plan's snippets are still wanted.
    pub highlight: bool,
}

/// The answer to a [`FetchRequest`], each list in the order of the request's.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Fetched {
    pub hits: Vec<Hit>,
    pub expanded: Vec<Hit>,
    /// As `hits`, where they are wanted.
    pub highlights: Vec<Highlights>,
}

/// Which groups to expand ([`crate::ExpandPlan`]).
#[derive(Clone, Copy, Debug)]
pub struct ExpandRequest<'a> {
    /// What the page's hits have in the field of the groups, each value once.
    pub values: &'a [Option<Value>],
    /// The hits of the page that are this shard's: they are no other members.
    pub page: &'a [&'a HitRef],
}
