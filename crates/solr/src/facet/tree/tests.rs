//! Trees from JSON to a plan, against the schema of the query tests. Messages were recorded from Solr 9.10.1.

use proptest::prelude::*;

use plan::{BucketPlan, Result, StatFunction, SubFacetKind, TermsSort};

use crate::json_request;
use crate::params::Params;
use crate::query::tests::Fixture;
use crate::select::{HandlerElevation, ResolveContext, Resolved, SelectRequest};

fn resolve(tree: &str) -> Result<Resolved> {
    let fixture = Fixture::new();
    let pairs = [("q", "*:*"), ("json.facet", tree)];
    let pairs = pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let params = json_request::expand(Params::new(pairs))?;
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
        names: crate::query::Names::default(),
        highlight: &plan::HighlightParts::default(),
    })
}

fn plan(tree: &str) -> BucketPlan {
    let resolved = resolve(tree).unwrap();
    assert!(resolved.late_failure.is_none(), "{tree}: {:?}", resolved.late_failure);
    resolved.plan.facets.tree.clone().unwrap()
}

#[test]
fn both_spellings_of_a_facet_are_one() {
    let check = |tree: &str, limit: Option<usize>, sort: TermsSort, descending: bool| {
        let plan = plan(tree);
        let [facet] = plan.facets.as_slice() else { panic!("{tree}") };
        let SubFacetKind::Terms(terms) = &facet.kind else { panic!("{tree}") };
        assert_eq!((terms.limit, terms.sort, terms.descending), (limit, sort, descending), "{tree}");
    };
    check("{x:{terms:a_s}}", Some(10), TermsSort::Count, true);
    check("{x:{terms:{field:a_s,limit:3,sort:index}}}", Some(3), TermsSort::Index, false);
    check("{x:{type:field,f:a_s,limit:-1,sort:'count asc'}}", None, TermsSort::Count, false);
    check(
        "{x:{type:terms,field:a_s,sort:{s:desc},facet:{s:'sum(a_i)'}}}",
        Some(10),
        TermsSort::Stat(0),
        true,
    );
}

#[test]
fn statistics_are_read_from_text() {
    let check = |text: &str, expected: StatFunction| {
        let plan = plan(&format!("{{x:'{text}'}}"));
        assert_eq!(plan.stats[0].stat.function, expected, "{text}");
    };
    check("avg(a_i)", StatFunction::Average);
    check(" agg(max( a_i ))", StatFunction::Max);
    check("hll(a_s)", StatFunction::Distinct);
    check("percentile(a_i, 50,99.9)", StatFunction::Percentiles(vec![50.0, 99.9]));
    assert_eq!(plan("{x:{func:'sum(a_i)'},y:{type:func,func:'min($f)',f:a_s}}").stats.len(), 2);
}

#[test]
fn mistakes_of_form_come_before_the_search() {
    let check = |tree: &str, expected: &str| {
        assert_eq!(resolve(tree).unwrap_err().message, expected, "{tree}");
    };
    check("5", "Expected Map for 'facet', received Long=5");
    check("{t:5}", "expected Map but got 5 , path=/facet");
    check("{t:{bogus:{field:x}}}", "Unknown facet or stat. key=t type=bogus args={field=x} , path=/facet");
    check("{t:{type:terms,limit:3}}", "Missing 'field' , path=facet/t");
    check(
        "{t:{type:terms,field:a_s,limit:'3'}}",
        "Expected integer type for param 'limit' but got String = 3 , path=facet/t",
    );
    check("{t:{type:terms,field:a_s,sort:nosuch}}", "Invalid sort option 'nosuch' for field 'a_s'");
    check("{t:{type:range,field:a_i}}", "Missing required parameter: 'start' , path=facet/t");
    check(
        "{t:'nosuch(a_i)'}",
        "org.apache.solr.search.SyntaxError: Unknown aggregation 'nosuch' in input ('nosuch(a_i)', pos=7)",
    );
    check("{t:'avg(a_i'}", "org.apache.solr.search.SyntaxError: Expected ')' at position 7 in 'avg(a_i'");
    let deep = format!("{}t:'count()'{}", "{x:{query:{q:'*:*',facet:".repeat(40), "}}".repeat(40));
    assert!(resolve(&format!("{{{deep}}}")).is_err());
}

#[test]
fn misfits_with_the_schema_come_after_it() {
    let check = |tree: &str, expected: &str| {
        assert_eq!(resolve(tree).unwrap().late_failure.unwrap().1.message, expected, "{tree}");
    };
    check("{t:{terms:nosuch}}", "undefined field: \"nosuch\"");
    check("{t:'sum(nosuch)'}", "undefined field: \"nosuch\"");
    check(
        "{t:{type:terms,field:a_i,mincount:0}}",
        "Numeric fields do not support facet mincount=0; try indexing as terms",
    );
    check("{t:{type:range,field:a_s,start:0,end:1,gap:1}}", "Unable to range facet on field:a_s");
}

/// JSON of the shape of a tree, its parts taken at random.
fn json() -> impl Strategy<Value = String> {
    const KEYS: [&str; 26] = [
        "type",
        "field",
        "facet",
        "terms",
        "query",
        "range",
        "func",
        "q",
        "limit",
        "offset",
        "mincount",
        "sort",
        "prefix",
        "missing",
        "start",
        "end",
        "gap",
        "ranges",
        "from",
        "to",
        "include",
        "other",
        "domain",
        "filter",
        "excludeTags",
        "a",
    ];
    const LEAVES: [&str; 22] = [
        "terms",
        "range",
        "query",
        "func",
        "a_s",
        "a_i",
        "a_dt",
        "nosuch",
        "'avg(a_i)'",
        "'percentile(a_i,1,99)'",
        "'min('",
        "'[0,5)'",
        "'*'",
        "'a desc'",
        "index",
        "0",
        "-1",
        "5",
        "1.5",
        "true",
        "null",
        "'+1DAY'",
    ];
    let leaf = proptest::sample::select(LEAVES.to_vec()).prop_map(str::to_owned);
    leaf.prop_recursive(5, 40, 5, |inner| {
        let pair = (proptest::sample::select(KEYS.to_vec()), inner.clone());
        let pair = pair.prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            4 => proptest::collection::vec(pair, 0..6).prop_map(|pairs| format!("{{{}}}", pairs.join(","))),
            1 => proptest::collection::vec(inner, 0..3).prop_map(|values| format!("[{}]", values.join(","))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_is_a_tree_or_an_error(tree in json()) {
        let _ = resolve(&tree);
    }
}
