//! The typed, immutable data that every layer reads: schema, search plan, update batch, results, error kinds.
//! No IO, no async, no clock. Text becomes these types in `solr`; `engine` lowers them; nothing changes them
//! on the way.

mod backup;
mod cache;
mod config;
mod error;
mod facet;
mod fingerprint;
mod function;
mod geo;
mod java_map;
mod name;
pub mod partial;
mod query;
mod schema;
mod search;
mod tie_heap;
mod update;
mod value;

pub use backup::BackupFacts;
pub use cache::CacheStats;
pub use config::component::{Component, Components};
pub use config::elevation::{ElevationComponent, ElevationRule};
pub use config::highlight_parts::{HighlightPart, HighlightParts, PartKind, PartWork};
pub use config::named_part::{NamedPart, NamedParts};
pub use config::processor::{
    AddFields, Change, CloneDest, DefaultValue, Expiry, FieldChoice, FieldConditions, FieldDefault,
    NumberStyle, Parsing, Processor, Revising, SignatureKind, Signing, TypeMapping, UpdateChain,
    UpdateProcessing, UpdateProcessor, ValueClass,
};
pub use config::score_statistics::ScoreStatistics;
pub use config::{CollectionConfig, ConfigSource, HandlerConfig, ParamSet, VersionedText};
pub use error::{Error, ErrorKind, Result, RootCause};
pub use facet::bucket::{
    BucketPlan, BucketResult, Buckets, DomainChange, NamedStat, Prelim, RangesFacet, Stat, StatFunction,
    StatSource, StatValue, SubFacet, SubFacetKind, SubFacetResult, TermsFacet, TermsSort,
};
pub use facet::heatmap::{HeatGrid, HeatmapFacet, HeatmapForm, HeatmapResult};
pub use facet::listing::{ShardListing, ShownValues};
pub use facet::range::{OtherRange, RangeBucket};
pub use facet::{FacetPlan, FacetSort, FieldFacet, IntervalFacet, PivotFacet, QueryFacet, RangeFacet};
pub use fingerprint::Fingerprint;
pub use function::expression::{Arithmetic, Expression};
pub use function::kind::Kind;
pub use function::operand::{CurrencyOf, IndexTerm, Pick, PointDistance, Statistic};
pub use function::operator::{Comparison, Operator, StringMeasure};
pub use geo::area::{Area, Circle, Line, Rect};
pub use geo::box_score::BoxScore;
pub use geo::edge::Edge;
pub use geo::point::{DEGREES_PER_KM, EARTH_RADIUS_KM, GeoPoint, central_angle};
pub use geo::spatial::{Grid, Relation, Spatial};
pub use geo::wkt::rect;
pub use java_map::java_bucket;
pub use name::check_name;
pub use partial::CutDepth;
pub use query::date_range::DateRangeQuery;
pub use query::dense_vector::{
    GraphShape, VectorEncoding, VectorMeasure, VectorSide, VectorSimilarity, VectorType,
};
pub use query::match_scope::MatchScope;
pub use query::more_like::{LikeChoice, LikeSource, LikeTerm, MoreLike};
pub use query::payload::{PayloadDecoder, PayloadFunction, PayloadKind, PayloadOperation, PayloadUse};
pub use query::rank::{RankCurve, RankQuery, rank_code, rank_kept, rank_of_code};
pub use query::relation::Move;
pub use query::shape::{Fuzzy, Occur, Phrase, PhrasePosition, Range, RelatedScore};
pub use query::tree::{
    Clause, Function, FunctionRange, Graph, Join, Nearest, PayloadOf, Query, Related, Span, SpanQuery,
};
pub use schema::analyzer::{AnalyzerSpec, ComponentSpec, Resources};
pub use schema::class::FieldClass;
pub use schema::coerce::coerce;
pub use schema::field::{FieldSource, FieldSpec, FieldType, TypeSource};
pub use schema::properties::{Properties, SortMissing};
pub use schema::similarity::{DeclaredSimilarities, ScoredBy, Similarity};
pub use schema::{Copied, CopiedPart, CopyField, Schema, SchemaLineage, SchemaSource};
pub use search::field_selection::{FieldSelection, glob_matches};
pub use search::filter::{Filter, share_tag};
pub use search::highlight::{
    Alternate, Boundaries, Breaks, FastVectorOptions, FragmentList, Fragmenter, GlobbedOptions,
    HighlightField, HighlightMethod, HighlightOptions, HighlightPlan, Highlights, OriginalOptions,
    PassageScoring, QueryFields, RegexFragmenter, Tags, UnifiedOptions,
};
pub use search::hit::{ChildHit, Explanation, Hit, HitAddress};
pub use search::page::Page;
pub use search::replica_choice::{EqualReplicas, ReplicaChoice, ReplicaRule};
pub use search::rerank::{Rerank, ScoreJoin};
pub use search::result::{
    FacetCounts, FacetResult, FieldFacetResult, IntervalFacetResult, PivotCount, PivotFacetResult,
    RangeFacetResult, SearchResult, ShardFound, UpdateOutcome, Version,
};
pub use search::shape::{
    Collapse, Cursor, CursorMark, ExpandPlan, GroupBy, GroupListing, GroupPlan, Grouping, NullPolicy, Shape,
};
pub use search::shape_result::{Group, GroupedResult, ShapeResult};
pub use search::shard_choice::ShardChoice;
pub use search::sort::{BelowKey, SortBy, SortKey};
pub use search::spell::{
    BrokenWords, Checker, NearWords, SpellComponent, SpellDictionary, SpellFinding, SpellMode, SpellPlan,
    SpellWord, WordRole, WordsPlan,
};
pub use search::suggest::{
    Blend, BuildOn, Contexts, Fall, FuzzyPrefix, InfixLookup, ListedEntry, Lookup, NextWordLookup,
    PrefixLookup, SortedLookup, SuggestAsk, SuggestComponent, SuggestPlan, SuggestSource, SuggestWeight,
    Suggester, Suggestion,
};
pub use search::terms::{TermCount, TermsPlan, TopTerms};
pub use search::vectors::{DocumentVectors, FieldVector, VectorTerm, VectorsPlan};
pub use search::why_not::{Absent, Miss, MissKind, WhyNot};
pub use search::{ChildrenPlan, SearchPlan};
pub use tie_heap::TieHeap;
pub use update::atomic_op::AtomicOp;
pub use update::commit::{AutoCommit, Commit};
pub use update::nested::{
    NEST_PARENT_FIELD, NEST_PATH_FIELD, Nested, NestedEdit, NestedField, ROOT_FIELD, last_step, path_above,
    path_without_places,
};
pub use update::{
    Add, BatchId, Conditions, Durable, Expect, FieldEdit, LogPosition, Modify, Operation, Presence, Refusal,
    RefusalKind, Revision, UpdateBatch,
};
pub use value::Value;
pub use value::currency::{
    CurrencyRates, Money, check_currency_code, exchanged, fraction_digits, is_currency_code,
};
pub use value::date_span::{DateSpan, span_bounds};
pub use value::document::Document;
pub use value::enumeration::{EnumValue, Enumeration};
pub use value::instant::{format_instant, parse_instant};
pub use value::java_real::JavaReal;
