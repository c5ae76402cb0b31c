//! What functions read of a document or an index: terms, statistics, distances from a point, amounts of
//! money. They hold no function and no query, so that the tree, which holds both, is made of them. Resolved
//! by `solr/function`, looked up once for a snapshot by the engine (`search/lower`).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::geo::point::GeoPoint;
use crate::value::Value;
use crate::value::currency::CurrencyRates;

/// How far the nearest place in a field is from a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointDistance {
    pub field: Arc<str>,
    pub from: GeoPoint,
    /// What the distance counts in, by how many of it make a metre.
    pub per_metre: f64,
    /// Of a field on a grid: as far as the middle of the cell, a geohash of this many characters, and half
    /// around the earth where there is none.
    pub detail: Option<u8>,
}

/// An amount of money in one currency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurrencyOf {
    pub field: Arc<str>,
    /// Where its amount and its currency are.
    pub amount: Arc<str>,
    pub code: Arc<str>,
    pub rates: Arc<CurrencyRates>,
    /// The currency in whose smallest unit all amounts are first.
    pub target: String,
    /// What those are exchanged into after that, and at which rate: amounts in whole units.
    pub shown: Option<(String, f64)>,
}

/// Which of several values counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pick {
    Min,
    Max,
}

/// A term as asked for and as indexed; `None` when nothing can be indexed like it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexTerm {
    pub field: Arc<str>,
    pub text: String,
    pub value: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Statistic {
    /// Documents with the term.
    DocFrequency(IndexTerm),
    /// Occurrences of the term.
    TotalTermFrequency(IndexTerm),
    /// Occurrences of all terms of a field.
    SumTotalTermFrequency { field: Arc<str> },
    /// Documents, the living only.
    Living,
    /// Documents, the dead ones included.
    All,
}
