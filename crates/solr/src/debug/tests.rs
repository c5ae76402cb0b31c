//! What debug output shows where its two forms differ, recorded from Solr 9.10.1.

use crate::query::tests::Fixture;

#[test]
fn classes_are_named_where_solr_names_them() {
    let fixture = Fixture::new();
    let check = |query: &str, plain: &str, classes: &str| {
        let found = fixture.parse(query, "").unwrap();
        assert_eq!((found.0.as_str(), found.1.as_str()), (plain, classes), "{query}");
    };
    check("*:*", "*:*", "MatchAllDocsQuery(*:*)");
    check("a_b:1", "a_b:T", "a_b:true");
    check("a_s:a^2", "(a_s:a)^2.0", "a_s:a^2.0");
    check("(a_s:a a_s:b)^2", "(a_s:a a_s:b)^2.0", "(a_s:a a_s:b)^2.0");
    check("a_b:1^=3", "(ConstantScore(a_b:T))^3.0", "ConstantScore(a_b:T)^3.0");
    check("a_s:[a TO b]", "a_s:[a TO b]", "SolrRangeQuery(a_s:[a TO b])");
    check("a_t:/b/", "a_t:/b/", "RegexpQuery(a_t:/b/)");
    check("a_t:\"a b\"~2", "a_t:\"a b\"~2", "PhraseQuery(a_t:\"a b\"~2)");
    check("a_syn:\"a tv\"", "a_syn:\"a (television tv)\"", "MultiPhraseQuery(a_syn:\"a (television tv)\")");
    check(
        "a_syn:tv",
        "Synonym(a_syn:television a_syn:tv)",
        "SynonymQuery(Synonym(a_syn:television a_syn:tv))",
    );
    check("a_t:*", "FieldExistsQuery [field=a_t]", "NormsFieldExistsQuery(FieldExistsQuery [field=a_t])");
    check("a_s:*", "FieldExistsQuery [field=a_s]", "DocValuesFieldExistsQuery(FieldExistsQuery [field=a_s])");
    check("a_str:b", "a_str:[[62] TO [62]]", "SortedSetDocValuesRangeQuery(a_str:[[62] TO [62]])");
    check("{!terms f=a_s}b,a", "a_s:(a b)", "TermInSetQuery(a_s:(a b))");
    check("filter(a_s:x)", "filter(a_s:x)", "FilterQuery(filter(a_s:x))");
    check("{!bool filter=a_s:w}", "#filter(a_s:w)", "+FilterQuery(filter(a_s:w))");
    let bands = "ConstantScore(+ConstantScore(a_s:x) +ConstantScore(a_s:y))";
    check("{!min_hash field=a_s sep=',' tp=0}x,y", bands, bands);
    check("{!term f=a_s cache=false}x", "{!cache=false}a_s:x", "{!cache=false}a_s:x");
    check("", "MatchNoDocsQuery(\"\")", "MatchNoDocsQuery(MatchNoDocsQuery(\"\"))");
}
