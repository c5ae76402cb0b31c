//! The typed, immutable data that every layer reads: schema, search plan, update batch, results, error kinds.
//! No IO, no async, no clock. Text becomes these types in `solr`; `engine` lowers them; nothing changes them on the way.

mod analyzer;
mod bucket;
mod cache;
mod clock;
mod coerce;
mod commit;
mod config;
mod document;
mod error;
mod facet;
mod field;
mod function;
mod instant;
mod name;
mod nested;
mod page;
mod properties;
mod query;
mod relation;
mod result;
mod schema;
mod search;
mod shape;
mod terms;
mod update;
mod value;

pub use analyzer::{AnalyzerSpec, ComponentSpec, Resources};
pub use bucket::{
    BucketPlan, BucketResult, Buckets, DomainChange, NamedStat, RangesFacet, Stat, StatFunction, StatSource,
    StatValue, SubFacet, SubFacetKind, SubFacetResult, TermsFacet, TermsSort,
};
pub use cache::CacheStats;
pub use clock::Clock;
pub use coerce::coerce;
pub use commit::{AutoCommit, Commit};
pub use config::{CollectionConfig, HandlerConfig, UpdateChain, UpdateProcessor};
pub use document::Document;
pub use error::{Error, ErrorKind, Result, RootCause};
pub use facet::{
    FacetPlan, FacetSort, FieldFacet, IntervalFacet, OtherRange, PivotFacet, QueryFacet, RangeBucket,
    RangeFacet,
};
pub use field::{FieldClass, FieldSource, FieldSpec, FieldType, TypeSource};
pub use function::{Comparison, Function, IndexTerm, Kind, Operator, Pick, Statistic, StringMeasure};
pub use instant::{format_instant, parse_instant};
pub use name::check_name;
pub use nested::{
    NEST_PARENT_FIELD, NEST_PATH_FIELD, Nested, NestedEdit, NestedField, ROOT_FIELD, last_step, path_above,
    path_without_places,
};
pub use page::Page;
pub use properties::{Properties, SortMissing};
pub use query::{Clause, FunctionRange, Fuzzy, Occur, Phrase, PhrasePosition, Query, Range};
pub use relation::{Graph, Join, Move, RelatedScore, Relation};
pub use result::{
    ChildHit, Explanation, FacetCounts, FacetResult, FieldFacetResult, Hit, IntervalFacetResult, PivotCount,
    PivotFacetResult, RangeFacetResult, SearchResult, UpdateOutcome, Version,
};
pub use schema::{CopyField, Schema, SchemaSource};
pub use search::{BelowKey, ChildrenPlan, FieldSelection, Filter, SearchPlan, SortBy, SortKey};
pub use shape::{
    Collapse, Cursor, ExpandPlan, Group, GroupBy, GroupPlan, GroupedResult, Grouping, Mark, NullPolicy,
    Shape, ShapeResult,
};
pub use terms::{TermCount, TermsPlan};
pub use update::{Add, AtomicOp, Expect, FieldEdit, Modify, Operation, UpdateBatch};
pub use value::Value;
