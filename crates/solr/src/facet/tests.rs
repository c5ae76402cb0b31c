//! Facet requests to plans, and the messages of Solr 9.10.1 for what cannot be.

use std::ops::Bound;

use plan::{FacetPlan, FacetSort, OtherRange, RangeBucket, Result, Value};

use super::{Facets, resolve_facets};
use crate::date_math::DateMath;
use crate::params::parse_form;
use crate::query::tests::Fixture;
use crate::query::{Budget, PrefixLengths, QueryContext};

/// 2026-11-21T11:41:29.622Z.
const NOW_MS: i64 = 1_795_261_289_622;

fn resolved(form: &str) -> Result<Facets> {
    let fixture = Fixture::new();
    let params = parse_form(format!("facet=true&{form}").as_bytes())?;
    let dates = DateMath::new(NOW_MS);
    resolve_facets(
        &QueryContext {
            schema: &fixture.schema,
            analyzers: &fixture.analyzers,
            params: &params,
            dates: &dates,
            budget: &Budget::of(&params),
            boolean_clauses_max: 1024,
            prefixes: PrefixLengths::default(),
            others: None,
            names: crate::query::Names::default(),
            parsers: &crate::query::SolrParsers,
            filtering: false,
        },
        &plan::Component::DEFAULT,
    )
}

fn facets(form: &str) -> Result<FacetPlan> {
    let Facets { plan, failure, .. } = resolved(form)?;
    failure.map_or(Ok(plan), Err)
}

/// Recorded from Solr 9.10.1: ranges fail before the search, queries and fields after it; numbers warn of
/// `mincount`.
#[test]
fn some_mistakes_leave_the_hits() {
    let check = |form: &str, early: bool, late: bool, warnings: usize| {
        let resolved = resolved(form);
        assert_eq!(resolved.is_err(), early, "{form}");
        let facets = resolved.unwrap_or_default();
        assert_eq!((facets.failure.is_some(), facets.warnings.len()), (late, warnings), "{form}");
    };
    check("facet.range=a_i", true, false, 0);
    check("facet.field=nosuch", false, true, 0);
    check("facet.query=a_s:[", false, true, 0);
    check("facet.field=a_s", false, false, 0);
    check("facet.field=a_i", false, false, 1);
    check("facet.field=a_i&facet.field=a_s&f.a_i.facet.mincount=1", false, false, 0);
}

#[test]
fn fields_take_their_own_options() {
    let plan = facets(
        "facet.field={!key=k ex=a,b facet.limit=7}x_s&facet.field=y_s&facet.limit=3&f.y_s.facet.limit=-1\
         &facet.missing=on&f.x_s.facet.prefix=p&facet.contains=c&facet.contains.ignoreCase=true&facet.offset=2",
    )
    .unwrap();
    let [x, y] = plan.fields.as_slice() else { panic!("{plan:?}") };
    assert_eq!((x.key.as_str(), x.limit, x.offset, x.sort), ("k", Some(7), 2, FacetSort::Count));
    assert_eq!(
        (x.exclude_tags.as_slice(), x.prefix.as_deref()),
        (["a".into(), "b".into()].as_slice(), Some("p"))
    );
    assert_eq!(x.contains, Some(("c".into(), true)));
    assert!(x.missing && y.missing);
    assert_eq!((y.limit, y.sort, y.count_min, y.prefix.as_deref()), (None, FacetSort::Index, 0, None));
}

#[test]
fn options_have_solrs_defaults() {
    let field = |form: &str| facets(form).unwrap().fields.remove(0);
    assert_eq!(field("facet.field=a_s").limit, Some(100));
    assert_eq!(field("facet.field=a_i").count_min, 1);
    assert_eq!(field("facet.field=a_s&facet.zeros=false").count_min, 1);
    assert_eq!(field("facet.field=a_s&facet.mincount=-1").count_min, 0);
    assert_eq!(field("facet.field=a_s&facet.sort=foo").sort, FacetSort::Index);
    assert_eq!(field("facet.field=a_s&facet.limit=0").sort, FacetSort::Index);
    assert_eq!(field("facet.field=a_s&facet.excludeTerms=x,y\\,z").exclude_terms, ["x", "y,z"]);
    let named = field("facet.field={!terms=a,b}a_s&facet.missing=true");
    let named = (named.terms.unwrap_or_default(), named.missing);
    assert!(matches!(&named, (terms, false) if terms.iter().map(|(text, _)| text).eq(["a", "b"])));
    assert!(!facets("facet=false").unwrap().fields.iter().any(|_| true));
}

#[test]
fn ranges_have_boundaries() {
    let check = |form: &str, labels: &[&str], end: Value| {
        let range = facets(form).unwrap().ranges.remove(0);
        let found: Vec<_> = range.buckets.iter().map(|bucket| bucket.label.as_str()).collect();
        assert_eq!((found.as_slice(), range.end), (labels, end), "{form}");
    };
    let ints = "facet.range=a_i&facet.range.start=0&facet.range.end=10&facet.range.gap=3";
    check(ints, &["0", "3", "6", "9"], Value::Int(12));
    check(&format!("{ints}&facet.range.hardend=true"), &["0", "3", "6", "9"], Value::Int(10));
    check(&format!("{ints}&f.a_i.facet.range.gap=5"), &["0", "5"], Value::Int(10));
    check(&format!("{ints}&facet.range.end=0"), &["0", "3", "6", "9"], Value::Int(12));
    check(
        "facet.range=a_f&facet.range.start=0&facet.range.end=1&facet.range.gap=0.3",
        &["0.0", "0.3", "0.6", "0.90000004"],
        Value::Float(1.2),
    );
    check(
        "facet.range=a_dt&facet.range.start=NOW/YEAR&facet.range.end=NOW/YEAR%2B2MONTHS&facet.range.gap=%2B1MONTH",
        &["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"],
        Value::Date(1_772_323_200_000),
    );
    check(
        "facet.range={!facet.range.start=1 facet.range.end=9 facet.range.gap=4}a_i",
        &["1", "5"],
        Value::Int(9),
    );
}

#[test]
fn bounds_belong_where_include_says() {
    let range = |include: &str| {
        let form = format!(
            "facet.range=a_i&facet.range.start=0&facet.range.end=4&facet.range.gap=2&facet.range.other=all{include}"
        );
        facets(&form).unwrap().ranges.remove(0)
    };
    let shown = |bucket: &RangeBucket| {
        let text = |bound: &Bound<Value>| match bound {
            Bound::Included(value) => format!("={}", value.to_text()),
            Bound::Excluded(value) => value.to_text(),
            Bound::Unbounded => "*".to_owned(),
        };
        format!("{} {}", text(&bucket.lower), text(&bucket.upper))
    };
    let check = |include: &str, expected: [&str; 5]| {
        let range = range(include);
        let others = range.others.iter().map(|(_, bucket)| shown(bucket));
        let all: Vec<_> = range.buckets.iter().map(shown).chain(others).collect();
        assert_eq!(all, expected, "{include}");
    };
    check("", ["=0 2", "=2 4", "* 0", "=4 *", "=0 4"]);
    check("&facet.range.include=upper", ["0 =2", "2 =4", "* =0", "4 *", "0 =4"]);
    check("&facet.range.include=edge", ["=0 2", "2 =4", "* 0", "4 *", "=0 =4"]);
    check("&facet.range.include=all", ["=0 =2", "=2 =4", "* =0", "=4 *", "=0 =4"]);
    let order: Vec<_> = range("").others.into_iter().map(|(other, _)| other).collect();
    assert_eq!(order, [OtherRange::Before, OtherRange::After, OtherRange::Between]);
    assert!(range("&facet.range.other=none").others.is_empty());
}

#[test]
fn queries_are_named_by_their_text() {
    let plan = facets("facet.query=a_s:x&facet.query={!key=zz ex=t}a_s:y").unwrap();
    let keys: Vec<_> = plan.queries.iter().map(|query| query.key.as_str()).collect();
    assert_eq!(keys, ["a_s:x", "zz"]);
    assert_eq!(plan.queries[1].exclude_tags, ["t"]);
}

#[test]
fn errors_are_solrs() {
    let check =
        |form: &str, expected: &str| assert_eq!(facets(form).unwrap_err().message, expected, "{form}");
    let range = "facet.range=a_i&facet.range.start=0&facet.range.end=10&facet.range.gap=";
    let dates = "facet.range=a_dt&facet.range.start=2020-01-01T00:00:00Z&facet.range.end=2020-01-03T00:00:00Z&facet.range.gap=";
    check("facet.field=nosuch", "undefined field: \"nosuch\"");
    check("facet.field=", "undefined field: \"\"");
    check("facet.field=a_s&facet.limit=x", "For input string: \"x\"");
    check("facet.field=a_s&facet.missing=maybe", "invalid boolean value: maybe");
    check("facet.field=a_i&facet.prefix=a", "facet.prefix is not supported on numeric types");
    check("facet.field={!terms=1,x}a_i", "Invalid Number: x for field a_i");
    check(
        "facet.field=a_s&facet.exists=true&facet.mincount=2",
        "facet.mincount=2 exceed 1 that's not supported with facet.exists=true for a_s",
    );
    check("facet.query=nosuch:x", "undefined field nosuch");
    check(
        "facet.range=a_i",
        "Missing required parameter: f.a_i.facet.range.start (or default: facet.range.start)",
    );
    check(&format!("{range}x"), "Can't parse gap x for field: a_i");
    check(
        &format!("{range}0"),
        "range facet infinite loop: gap is either zero, or too small relative start/end and caused underflow: 0 + 0 = 0",
    );
    check(&format!("{range}-1"), "range facet infinite loop (is gap negative? did the math overflow?)");
    check(&format!("{range}1&f.a_i.facet.range.end=-1"), "range facet 'end' comes before 'start': -1 < 0");
    check(&format!("{range}1&f.a_i.facet.range.start=x"), "Can't parse value x for field: a_i");
    check(
        &format!("{range}1&facet.range.other=foo"),
        "foo is not a valid type of 'other' range facet information",
    );
    check(
        &format!("{range}1&facet.range.include=foo"),
        "foo is not a valid type of for range 'include' information",
    );
    check(&format!("{range}1&facet.range.method=foo"), "foo is not a valid method for range faceting");
    check(&format!("{dates}foo"), "Can't add gap foo to value Wed Jan 01 00:00:00 UTC 2020 for field: a_dt");
    assert!(
        facets(&format!("{range}1&f.a_i.facet.range.end=2000000")).unwrap_err().message.contains("more than")
    );
}
