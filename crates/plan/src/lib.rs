//! The typed, immutable data that every layer reads: schema, search plan, update batch, results, error kinds.
//! No IO, no async, no clock. Text becomes these types in `solr`; `engine` lowers them; nothing changes them on the way.

mod analyzer;
mod area;
mod backup;
mod box_score;
mod bucket;
mod cache;
mod coerce;
mod commit;
mod component;
mod config;
mod currency;
mod dense_vector;
mod document;
mod edge;
mod elevation;
mod error;
mod expression;
mod facet;
mod field;
mod fingerprint;
mod function;
mod heatmap;
mod highlight;
mod highlight_parts;
mod instant;
mod java_map;
mod more_like;
mod name;
mod named_part;
mod nested;
mod page;
pub mod partial;
mod payload;
mod place;
mod processor;
mod properties;
mod query;
mod rank;
mod relation;
mod rerank;
mod result;
mod schema;
mod search;
mod shape;
mod span;
mod spatial;
mod spell;
mod suggest;
mod terms;
mod tie_heap;
mod update;
mod value;
mod vectors;
mod why_not;
mod wkt;

pub use analyzer::{AnalyzerSpec, ComponentSpec, Resources};
pub use area::{Area, Circle, Line, Rect};
pub use backup::BackupFacts;
pub use box_score::BoxScore;
pub use bucket::{
    BucketPlan, BucketResult, Buckets, DomainChange, NamedStat, Prelim, RangesFacet, Stat, StatFunction,
    StatSource, StatValue, SubFacet, SubFacetKind, SubFacetResult, TermsFacet, TermsSort,
};
pub use cache::CacheStats;
pub use coerce::coerce;
pub use commit::{AutoCommit, Commit};
pub use component::{Component, Components};
pub use config::{CollectionConfig, ConfigSource, HandlerConfig, ParamSet, VersionedText};
pub use currency::{CurrencyRates, Money, exchanged, fraction_digits};
pub use dense_vector::{
    GraphShape, Nearest, VectorEncoding, VectorMeasure, VectorSide, VectorSimilarity, VectorType,
};
pub use document::Document;
pub use edge::Edge;
pub use elevation::{ElevationComponent, ElevationRule};
pub use error::{Error, ErrorKind, Result, RootCause};
pub use expression::{Arithmetic, Expression};
pub use facet::{
    CutDepth, FacetPlan, FacetSort, FieldFacet, IntervalFacet, OtherRange, PivotFacet, QueryFacet,
    RangeBucket, RangeFacet,
};
pub use field::{FieldClass, FieldSource, FieldSpec, FieldType, TypeSource};
pub use fingerprint::Fingerprint;
pub use function::{
    Comparison, CurrencyOf, Function, IndexTerm, Kind, Operator, PayloadOf, Pick, PlaceDistance, Statistic,
    StringMeasure,
};
pub use heatmap::{HeatGrid, HeatmapFacet, HeatmapForm, HeatmapResult};
pub use highlight::{
    Alternate, Boundaries, Breaks, FastVectorOptions, FragmentList, Fragmenter, GlobbedOptions,
    HighlightField, HighlightMethod, HighlightOptions, HighlightPlan, Highlights, OriginalOptions,
    PassageScoring, QueryFields, RegexFragmenter, Tags, UnifiedOptions,
};
pub use highlight_parts::{HighlightPart, HighlightParts, PartKind, PartWork};
pub use instant::{format_instant, parse_instant};
pub use java_map::java_bucket;
pub use more_like::{LikeChoice, LikeSource, LikeTerm, MoreLike};
pub use name::check_name;
pub use named_part::{NamedPart, NamedParts};
pub use nested::{
    NEST_PARENT_FIELD, NEST_PATH_FIELD, Nested, NestedEdit, NestedField, ROOT_FIELD, last_step, path_above,
    path_without_places,
};
pub use page::Page;
pub use payload::{PayloadDecoder, PayloadFunction, PayloadKind, PayloadOperation};
pub use place::{DEGREES_PER_KM, EARTH_RADIUS_KM, Place, central_angle};
pub use processor::{
    AddFields, Change, CloneDest, DefaultValue, Expiry, FieldChoice, FieldConditions, FieldDefault,
    NumberStyle, Parsing, Processor, Revising, SignatureKind, Signing, TypeMapping, UpdateChain,
    UpdateProcessing, UpdateProcessor, ValueClass,
};
pub use properties::{Properties, SortMissing};
pub use query::{Clause, FunctionRange, Fuzzy, Occur, Phrase, PhrasePosition, Query, Range};
pub use rank::{RankCurve, RankQuery, rank_code, rank_kept, rank_of_code};
pub use relation::{Graph, Join, Move, Related, RelatedScore};
pub use rerank::{Rerank, ScoreJoin};
pub use result::{
    ChildHit, Explanation, FacetCounts, FacetResult, FieldFacetResult, Hit, IntervalFacetResult, PivotCount,
    PivotFacetResult, RangeFacetResult, SearchResult, UpdateOutcome, Version,
};
pub use schema::{Copied, CopyField, Schema, SchemaLineage, SchemaSource};
pub use search::{BelowKey, ChildrenPlan, FieldSelection, Filter, SearchPlan, SortBy, SortKey, glob_matches};
pub use shape::{
    Collapse, Cursor, ExpandPlan, Group, GroupBy, GroupPlan, GroupedResult, Grouping, Mark, NullPolicy,
    Shape, ShapeResult,
};
pub use span::{PayloadUse, Span, SpanQuery};
pub use spatial::{Grid, Relation, Spatial};
pub use spell::{
    BrokenWords, Checker, NearWords, SpellComponent, SpellDictionary, SpellFinding, SpellMode, SpellPlan,
    SpellWord, WordRole, WordsPlan,
};
pub use suggest::{
    Blend, BuildOn, Contexts, Fall, FuzzyPrefix, InfixLookup, ListedEntry, Lookup, NextWordLookup,
    PrefixLookup, SortedLookup, SuggestAsk, SuggestComponent, SuggestPlan, SuggestSource, SuggestWeight,
    Suggester, Suggestion,
};
pub use terms::{TermCount, TermsPlan, TopTerms};
pub use tie_heap::TieHeap;
pub use update::{
    Add, AtomicOp, BatchId, Conditions, Durable, Expect, FieldEdit, LogPosition, Modify, Operation, Presence,
    Refusal, RefusalKind, Revision, UpdateBatch,
};
pub use value::Value;
pub use vectors::{DocumentVectors, FieldVector, VectorTerm, VectorsPlan};
pub use why_not::{Absent, Miss, MissKind, WhyNot};
pub use wkt::rect;
