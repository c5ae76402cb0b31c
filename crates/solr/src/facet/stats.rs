//! Statistics of fields (Solr's stats component): each field becomes a sub-facet of all hits, with the
//! statistics that are asked for. What they are called in the answer, and how they look there, is
//! `response/stats.rs`'s.

use std::sync::Arc;

use plan::{
    BucketPlan, DomainChange, Error, FieldClass, Function, NamedStat, Result, ShardListing, Stat,
    StatFunction, StatSource, SubFacet, SubFacetKind, TermsFacet, TermsSort,
};

use super::target::{Target, lacks_column};
use super::trouble::Trouble;
use crate::function::{check_column, parse_function};
use crate::params::stats as params;
use crate::params::switch_value;
use crate::query::{Field, LocalParams, QueryContext, split_local_params};

/// By name: those that any field has, those of numbers and dates, those that are only there when asked for.
const OF_ALL: [&str; 4] = ["min", "max", "count", "missing"];
const OF_NUMBERS: [&str; 4] = ["sum", "sumOfSquares", "mean", "stddev"];
const BY_WISH: [&str; 4] = ["distinctValues", "countDistinct", "cardinality", "percentiles"];

/// `None` unless `stats` is on.
pub(super) fn resolve(context: &QueryContext<'_>) -> Result<Option<BucketPlan>, Trouble> {
    if !params::STATS.read(context.params)? {
        return Ok(None);
    }
    let fields = params::FIELD.sent_all(context.params).map(|text| field(context, text));
    let facets = fields.collect::<Result<_, Trouble>>()?;
    Ok(Some(BucketPlan { facets, process_empty: true, ..BucketPlan::default() }))
}

/// The statistics whose fields bear this tag, for the buckets of pivots.
pub(super) fn tagged(context: &QueryContext<'_>, tag: Option<&str>) -> Result<Option<BucketPlan>> {
    let mut plan = BucketPlan { process_empty: true, ..BucketPlan::default() };
    let Some(tag) = tag.filter(|tag| !tag.is_empty()) else { return Ok(None) };
    if !params::STATS.read(context.params)? {
        return Ok(None);
    }
    for text in params::FIELD.sent_all(context.params) {
        let (local, _) = split_local_params(text, context.params)?;
        if local.list("tag").iter().any(|own| own == tag) {
            plan.facets.push(field(context, text).map_err(Trouble::into_error)?);
        }
    }
    Ok(Some(plan).filter(|plan| !plan.facets.is_empty()))
}

fn field(context: &QueryContext<'_>, text: &str) -> Result<SubFacet, Trouble> {
    let target = Target::parse(context, text)?;
    let of = match target.local.get("type") {
        None => {
            let field = context.field_quoted(&target.field)?;
            check(&field)?;
            let numeric = field.spec.class().is_point();
            Subject { source: StatSource::Field(field.name.clone()), name: field.name, numeric }
        }
        Some(_) => {
            let function = parse_function(context, text, 0)?;
            let function = function.filter(Function::is_number).ok_or_else(|| {
                Error::bad_request(format!("`{text}` in `stats.field` is no number; use a function that is"))
            })?;
            let source = StatSource::Function { function, present_only: true };
            Subject { source, name: target.field.as_str().into(), numeric: true }
        }
    };
    let stats = wanted(context, &target.local, &of)?;
    let mut below = BucketPlan { stats, process_empty: true, ..BucketPlan::default() };
    for name in params::FACET.sent_all_for(context.params, &target.field) {
        let facet = by_value(context, name, &below).map_err(Trouble::Schema)?;
        below.facets.push(facet);
    }
    let domain = DomainChange { exclude_tags: target.local.list("ex"), ..DomainChange::default() };
    Ok(SubFacet { key: target.key, domain, kind: SubFacetKind::Query(None), below })
}

/// What statistics are taken of.
struct Subject {
    source: StatSource,
    /// As the request names it.
    name: Arc<str>,
    numeric: bool,
}

fn check(field: &Field) -> Result<()> {
    let class = field.spec.class();
    if lacks_column(field) {
        return Err(Error::bad_request("Can't calculate stats on a PointField without docValues"));
    }
    let has_statistics = class.has_number_column() || matches!(class, FieldClass::Str | FieldClass::Uuid);
    if has_statistics || class == FieldClass::SortableText {
        return Ok(());
    }
    let (kind, name) = (&field.spec.field_type.name, &field.name);
    Err(Error::bad_request(format!(
        "Field type {kind} is not currently supported: `{name}` has no statistics"
    )))
}

/// The statistics that the local parameters name; without any those that the type has by default.
fn wanted(context: &QueryContext<'_>, local: &LocalParams, of: &Subject) -> Result<Vec<NamedStat>> {
    let numeric = of.numeric;
    let mut names = Vec::new();
    let all = OF_ALL.iter().chain(&OF_NUMBERS).chain(&BY_WISH);
    let mut chosen = false;
    for name in all {
        let Some(value) = local.get(name) else { continue };
        let on = match *name {
            "percentiles" => !value.is_empty(),
            // Solr also takes a number here, the precision of its estimate.
            "cardinality" => !matches!(value, "false"),
            _ => switch_value(value)?,
        };
        chosen = true;
        if on {
            names.push(*name);
        }
    }
    // `{!calcdistinct=true}` alone adds to the default statistics rather than replacing them.
    if !chosen || names.is_empty() && local.get("calcdistinct").is_some() {
        names.extend(OF_ALL);
        names.extend(OF_NUMBERS);
    }
    let distinct = match local.get("calcdistinct").map(switch_value).transpose()? {
        None => params::DISTINCT.read_for(context.params, local, &of.name)?,
        Some(distinct) => distinct,
    };
    if distinct {
        names.extend(["distinctValues", "countDistinct"]);
    }
    names.retain(|name| numeric || !(OF_NUMBERS.contains(name) || *name == "percentiles"));
    names.into_iter().map(|name| named(name, local, of)).collect()
}

fn named(name: &str, local: &LocalParams, of: &Subject) -> Result<NamedStat> {
    let function = match name {
        "min" => StatFunction::Min,
        "max" => StatFunction::Max,
        "count" => StatFunction::CountValues,
        "missing" => StatFunction::Missing,
        "sum" => StatFunction::Sum,
        "sumOfSquares" => StatFunction::SumOfSquares,
        "mean" => StatFunction::Mean,
        "stddev" => StatFunction::StdDev,
        "percentiles" => StatFunction::Percentiles(shares(local, of)?),
        "distinctValues" => StatFunction::DistinctValues,
        // Solr differs: `cardinality` is an estimate there, near the exact number
        // (`compat/component/stats.yaml`).
        _ => StatFunction::Distinct,
    };
    let stat = Stat { function, source: of.source.clone() };
    Ok(NamedStat { key: name.to_owned(), stat })
}

fn shares(local: &LocalParams, of: &Subject) -> Result<Vec<f64>> {
    let wrong = |reason: String| {
        let shown = format!("{}&v={}", local.shown(), of.name);
        Error::bad_request(format!("Unable to parse stats.field local params: {shown} due to: {reason}"))
    };
    let share = |text: &str| match text.trim().parse::<f64>() {
        Ok(share) if (0.0..=100.0).contains(&share) => Ok(share),
        Ok(_) => Err(wrong(format!("`{text}` is no number from 0 to 100"))),
        Err(_) => Err(wrong(format!("For input string: \"{text}\""))),
    };
    local.get("percentiles").unwrap_or_default().split(',').map(share).collect()
}

/// The same statistics for the hits of each value of another field, and for those without one.
fn by_value(context: &QueryContext<'_>, name: &str, statistics: &BucketPlan) -> Result<SubFacet> {
    let field = context.field_quoted(name)?;
    if field.spec.properties.multi_valued {
        let message = format!("Stats can only facet on single-valued fields, not: {name}");
        return Err(Error::bad_request(message));
    }
    if lacks_column(&field) {
        check_column(&field)?;
    }
    let terms = TermsFacet {
        field: field.name,
        sort: TermsSort::Index,
        descending: false,
        prelim: None,
        limit: None,
        offset: 0,
        count_min: 1,
        prefix: None,
        // Hits without a value of that field are shown under null, as Solr does.
        missing: true,
        num_buckets: false,
        all_buckets: false,
        listing: ShardListing::All,
    };
    let below = BucketPlan { stats: statistics.stats.clone(), ..BucketPlan::default() };
    let kind = SubFacetKind::Terms(terms);
    Ok(SubFacet { key: name.to_owned(), domain: DomainChange::default(), kind, below })
}
