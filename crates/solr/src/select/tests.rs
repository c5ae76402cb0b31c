//! Whole requests: parameters to plan and response plan, against the schema of the query tests.

use plan::{Query, Result, SortBy};
use proptest::prelude::*;

use super::{HandlerElevation, ResolveContext, Resolved, SelectRequest};
use crate::json_request;
use crate::params::{parse_form, reference};
use crate::query::Names;
use crate::query::tests::Fixture;

fn resolve(form: &str) -> Result<Resolved> {
    resolve_with(&Fixture::new(), form)
}

fn resolve_with(fixture: &Fixture, form: &str) -> Result<Resolved> {
    resolve_by(fixture, form, None)
}

fn resolve_by(fixture: &Fixture, form: &str, parsers: Option<&[String]>) -> Result<Resolved> {
    let params = json_request::with_params(&parse_form(form.as_bytes())?);
    let params = json_request::expand(json_request::filled(params)?)?;
    SelectRequest::parse(&params)?.resolve(&ResolveContext {
        schema: &fixture.schema,
        analyzers: &fixture.analyzers,
        now_ms: 0,
        boolean_clauses_max: 1024,
        prefix_length_min: None,
        others: None,
        core: "core",
        elevation: HandlerElevation::Nowhere,
        components: &plan::Component::DEFAULT,
        names: Names { parsers, ..Names::default() },
        highlight: &plan::HighlightParts::default(),
    })
}

#[test]
fn a_bare_request_finds_nothing_by_score() {
    let Resolved { plan, response, .. } = resolve("").unwrap();
    assert_eq!(plan.query, Query::Nothing);
    assert_eq!((plan.page.start, plan.page.rows), (0, 10));
    assert_eq!((&plan.sort[0].by, plan.sort[0].descending), (&SortBy::Score, true));
    assert!(plan.fields.all && !plan.scores && !plan.facets.enabled && !plan.explain);
    assert!(!response.debug.any() && response.debug_query.is_none() && !response.omit_header);
}

#[test]
fn filters_carry_their_options() {
    let plan = resolve("q=*:*&fq=a_s:x&fq=&fq={!tag=a,b cache=false cost=7}-a_s:y").unwrap().plan;
    let [plain, tagged] = plan.filters.as_slice() else { panic!("{:?}", plan.filters) };
    assert!(plain.cache && plain.cost == 0 && plain.tags.is_empty());
    assert!(!tagged.cache && tagged.cost == 7 && tagged.tags == ["a", "b"]);
    assert!(matches!(&tagged.query, Query::Boolean { clauses, .. } if clauses.len() == 2));
}

#[test]
fn sorts_are_checked_against_the_schema() {
    let check = |sort: &str, expected: Result<SortBy, &str>| {
        let found =
            resolve(&format!("q=*:*&sort={sort} asc")).map(|resolved| resolved.plan.sort[0].by.clone());
        assert_eq!(found.map_err(|error| error.message), expected.map_err(str::to_owned), "{sort}");
    };
    check("score", Ok(SortBy::Score));
    check("_docid_", Ok(SortBy::IndexOrder));
    check("a_s", Ok(SortBy::Field("a_s".into())));
    check("nosuch", Err("sort param field can't be found: nosuch"));
    check(
        "a_t",
        Err(
            "can not sort on a field w/o docValues unless it is indexed=true uninvertible=true and the type supports Uninversion: a_t",
        ),
    );
    check("a_stop", Err("can not sort on multivalued field: a_stop of type: stopped"));
    check("a_p", Err("Sorting not supported on SpatialField: a_p, instead try sorting by query."));
    let random = |name: &str| resolve(&format!("q=*:*&sort={name} asc")).unwrap().plan.sort.clone();
    assert_eq!(random("random_1"), random("random_1"));
    assert_ne!(random("random_1"), random("random_2"));
}

#[test]
fn debug_output_is_that_of_solr() {
    let form = "q=foo -bar&df=a_t&fq={!tag=t}a_i:5&fq=&debug=query";
    let debug = resolve(form).unwrap().response.debug_query.unwrap();
    assert_eq!(debug.text.as_deref(), Some("foo -bar"));
    assert_eq!(debug.parsed, "a_t:foo -a_t:bar");
    assert_eq!(debug.parser, "LuceneQParser");
    assert_eq!(debug.filters, ["{!tag=t}a_i:5", ""]);
    assert_eq!(
        debug.parsed_filters,
        ["IndexOrDocValuesQuery(IndexOrDocValuesQuery(indexQuery=a_i:[5 TO 5], dvQuery=a_i:[5 TO 5]))"]
    );
    let flags = resolve("q=a_s:x&debugQuery=true").unwrap();
    assert!(flags.plan.explain && flags.response.debug.timing);
    assert!(resolve("q=a_s:x&debugQuery=maybe").is_err());
}

#[test]
fn now_and_zone_come_from_the_request() {
    let query = |form: &str| match &resolve(form).unwrap().plan.query {
        Query::Term { value, .. } => value.to_text(),
        other => panic!("{other:?}"),
    };
    assert_eq!(query("q=a_dt:NOW"), "1970-01-01T00:00:00Z");
    assert_eq!(query("q=a_dt:NOW&NOW=1000"), "1970-01-01T00:00:01Z");
    assert_eq!(query("q=a_dt:\"NOW/DAY\"&NOW=1000&TZ=America/New_York"), "1969-12-31T05:00:00Z");
    assert_eq!(resolve("q=*:*&TZ=foo/bar").unwrap_err().message, "Solr JVM does not support TZ: foo/bar");
}

/// A few bytes a level, and twice the queries on each.
#[test]
fn queries_that_name_each_other_have_a_budget() {
    let nested = |kind: &str, levels: usize| {
        let level = |at: usize| format!("&p{at}={}", kind.replace('$', &format!("$p{}", at + 1)));
        let between: String = (0..levels).map(level).collect();
        format!("q={{!query v=$p0}}{between}&p{levels}=a_s:x")
    };
    for kind in [
        "{!bool should=$ should=$}",
        "_query_:\"{!v=$}\" _query_:\"{!v=$}\"",
        "{!func}sum(query($),query($))",
    ] {
        let sent = nested(kind, 16);
        let error = resolve(&sent).unwrap_err();
        assert!(error.message.contains("unfold into too much text"), "{kind}: {error}");
        resolve(&nested(kind, 4)).unwrap();
    }
}

#[test]
fn what_is_not_supported_is_refused() {
    for form in ["q=x&clustering=true", "q=x&defType=graphTerms", "q=x&df=a_s&fl=agg(a,b)"] {
        let message = resolve(form).unwrap_err().message;
        assert!(message.contains("not supported yet"), "{form}: {message}");
    }
}

/// A parameter that is known, with a value that may be.
fn pair() -> impl Strategy<Value = String> {
    let names: Vec<_> = reference().map(|doc| doc.name).collect();
    let values = [
        "a_s",
        "a_i",
        "a_dt",
        "a_t",
        "0",
        "10",
        "-1",
        "true",
        "%2B1DAY",
        "NOW/DAY",
        "NOW",
        "{!key=k ex=t}a_s",
        "{!terms=a,b}a_i",
        "a_s:x",
        "a_s asc",
        "score",
        "*",
        "all",
        "x:[value v=1]",
        "[explain]",
        "America/New_York",
        "1e300",
        "9223372036854775807",
        "-9223372036854775808",
        "2026-01-01T00:00:00Z",
        "${facet.field:a_s}",
        "{!percentiles='1,99' key=k tag=t}a_i",
        "{query:{term:{f:a_s,query:x}},filter:[\"{!tag=t}a_i:5\"],params:{rows:5},facet:{a:'avg(a_i)'}}",
        "{a:{type:terms,field:a_s,sort:'s desc',facet:{s:'percentile(a_i,5)'},domain:{excludeTags:t}}}",
        "{a:{type:range,field:a_i,ranges:[{from:0,to:5},{range:'(*,9]'}]}}",
    ];
    let value = prop_oneof![
        3 => proptest::sample::select(values.to_vec()).prop_map(str::to_owned),
        1 => "[ -~é]{0,8}",
    ];
    (proptest::sample::select(names), value).prop_map(|(name, value)| format!("{name}={value}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_parameters_are_a_request_or_an_error(pairs in proptest::collection::vec(pair(), 0..12)) {
        thread_local!(static FIXTURE: Fixture = Fixture::new());
        let form = format!("{}&facet=true&debugQuery=true", pairs.join("&"));
        FIXTURE.with(|fixture| {
            let _ = resolve_with(fixture, &form);
        });
    }
}

/// Every road by which a parser comes into a request.
#[test]
fn a_handler_allows_the_parsers_it_names() {
    let (fixture, allowed) = (Fixture::new(), ["lucene", "edismax", "term"].map(str::to_owned));
    let check = |form: &str, refused: Option<&str>| {
        let found = resolve_by(&fixture, form, Some(&allowed));
        let found = match found {
            Ok(resolved) => resolved.late_failure.map(|(_, error)| error.message),
            Err(error) => Some(error.message),
        };
        let expected = refused.map(|name| {
            format!("query parser `{name}` is not allowed here; use one of lucene, edismax, term")
        });
        assert_eq!(found, expected, "{form}");
    };
    check("q=a_s:x&fq={!term f=a_s}x", None);
    check("q=x&defType=edismax&qf=a_s&bq=a_s:y", None);
    check("q=x&defType=edismax&qf=a_s&bf=n_i", Some("func"));
    check("q=x&defType=edismax&qf=a_s&boost=n_i", Some("func"));
    check("q={!func}n_i", Some("func"));
    check("q={!type=func v=n_i}", Some("func"));
    check("q=n_i&defType=func", Some("func"));
    check("q=*:*&fq={!frange l=1}n_i", Some("frange"));
    check("q=*:*&fq={!collapse field=a_s}", Some("collapse"));
    check("q=*:* {!prefix f=a_s v=x}", Some("prefix"));
    check("q=_query_:\"{!prefix f=a_s}x\"", Some("prefix"));
    check("q={!term f=a_s v=$p}&p={!raw f=a_s}x", None);
    check("q={!query v=$p}&p=a_s:x", Some("query"));
    check("q=x&defType=edismax&qf=a_s&uf=* _query_&bq={!raw f=a_s}x", Some("raw"));
    check("q=x&defType=edismax&qf=a_s&boost={!raw f=a_s}x", Some("raw"));
    check("q=*:*&rq={!rerank reRankQuery=a_s:x}", Some("rerank"));
    check("q=*:*&facet=true&facet.query={!raw f=a_s}x", Some("raw"));
    check("json={query:{prefix:{f:a_s,query:x}}}", Some("prefix"));
    check("json={query:{bool:{must:\"a_s:x\"}}}", Some("bool"));
    check("q=*:*&json.facet={a:{query:\"{!raw f=a_s}x\"}}", Some("raw"));
    check("q=*:*&json.facet={a:{type:terms,field:a_s,domain:{filter:\"{!raw f=a_s}x\"}}}", Some("raw"));
    check("q=*:*&group=true&group.query={!raw f=a_s}x", Some("raw"));
}
