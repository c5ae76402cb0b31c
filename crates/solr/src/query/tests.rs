//! Queries as Solr 9.10.1 parses them, compared through debug output; texts without end in a property test.

use std::sync::Arc;

use plan::{AnalyzerSpec, ComponentSpec, FieldSource, Query, Schema, SchemaSource, TypeSource};
use proptest::prelude::*;

use super::Budget;
use super::{QueryContext, SchemaAnalyzers, parse_query};
use crate::date_math::DateMath;
use crate::debug::QueryPrinter;
use crate::params::Params;
use crate::select::{HandlerElevation, ResolveContext};

/// 2026-11-21T11:41:29.622Z.
const NOW_MS: i64 = 1_795_261_289_622;

pub(crate) struct Fixture {
    pub schema: Schema,
    pub analyzers: Arc<SchemaAnalyzers>,
    budget: Budget,
}

fn component(name: &str, args: &[(&str, &str)]) -> ComponentSpec {
    let args = args.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    ComponentSpec { name: name.to_owned(), args }
}

fn kind(name: &str, class: &str, attributes: &[(&str, &str)]) -> TypeSource {
    TypeSource {
        name: name.to_owned(),
        class: format!("solr.{class}"),
        attributes: attributes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        ..TypeSource::default()
    }
}

fn text(name: &str, attributes: &[(&str, &str)], filters: &[ComponentSpec]) -> TypeSource {
    let analyzer = AnalyzerSpec {
        tokenizer: component("standard", &[]),
        filters: filters.to_vec(),
        ..AnalyzerSpec::default()
    };
    TypeSource { analyzer: Some(analyzer), ..kind(name, "TextField", attributes) }
}

impl Fixture {
    pub fn new() -> Self {
        let stop = component("stop", &[("words", "stopwords.txt"), ("ignoreCase", "true")]);
        let lower = component("lowercase", &[]);
        let synonyms = component("synonymGraph", &[("synonyms", "synonyms.txt"), ("expand", "true")]);
        let types = vec![
            kind("string", "StrField", &[]),
            kind("pint", "IntPointField", &[]),
            kind("plong", "LongPointField", &[]),
            kind("pfloat", "FloatPointField", &[]),
            kind("pdouble", "DoublePointField", &[]),
            kind("pdate", "DatePointField", &[]),
            kind("boolean", "BoolField", &[]),
            kind("random", "RandomSortField", &[]),
            kind("location", "LatLonPointSpatialField", &[]),
            text("text", &[], std::slice::from_ref(&lower)),
            text("stopped", &[("multiValued", "true")], &[stop, lower.clone()]),
            text("synonyms", &[], &[lower.clone(), synonyms.clone()]),
            text("phrases", &[("autoGeneratePhraseQueries", "true")], &[lower, synonyms]),
        ];
        let patterns = [
            ("*_s", "string"),
            ("*_i", "pint"),
            ("*_l", "plong"),
            ("*_f", "pfloat"),
            ("*_d", "pdouble"),
            ("*_dt", "pdate"),
            ("*_b", "boolean"),
            ("*_t", "text"),
            ("*_stop", "stopped"),
            ("*_syn", "synonyms"),
            ("*_phrase", "phrases"),
            ("*_p", "location"),
            ("random_*", "random"),
        ];
        let dynamic = |(name, kind): (&str, &str)| FieldSource {
            name: name.to_owned(),
            type_name: kind.to_owned(),
            attributes: Vec::new(),
        };
        let mut column = dynamic(("*_str", "string"));
        column.attributes =
            vec![("indexed".to_owned(), "false".to_owned()), ("stored".to_owned(), "false".to_owned())];
        let resources = [
            ("stopwords.txt", "the\nof\n"),
            ("synonyms.txt", "tv,television\nusa,united states,united states of america\n"),
        ];
        let source = SchemaSource {
            version: 1.7,
            unique_key: Some("id".to_owned()),
            types,
            fields: vec![dynamic(("id", "string")), dynamic(("df_t", "text"))],
            dynamic_fields: patterns.into_iter().map(dynamic).chain([column]).collect(),
            resources: resources.map(|(name, text)| (name.to_owned(), text.to_owned())).into(),
            ..SchemaSource::default()
        };
        let schema = Schema::build(source).unwrap();
        let analyzers = SchemaAnalyzers::new(&schema);
        Self { schema, analyzers, budget: Budget::endless() }
    }

    fn params(query: &str, more: &str) -> Params {
        let mut params = crate::params::parse_form(more.as_bytes()).unwrap();
        params.push("q", query);
        params.push("df", "df_t");
        params
    }

    /// What queries are read with.
    pub fn context<'a>(&'a self, params: &'a Params, dates: &'a DateMath) -> QueryContext<'a> {
        QueryContext {
            schema: &self.schema,
            analyzers: &self.analyzers,
            params,
            dates,
            budget: &self.budget,
            boolean_clauses_max: 1024,
            prefixes: crate::query::PrefixLengths::default(),
            others: None,
            names: crate::query::Names::default(),
            parsers: &crate::query::SolrParsers,
            filtering: false,
        }
    }

    /// What whole requests are resolved against.
    pub fn resolve_context(&self) -> ResolveContext<'_> {
        ResolveContext {
            schema: &self.schema,
            analyzers: &self.analyzers,
            now_ms: NOW_MS,
            boolean_clauses_max: 1024,
            prefix_length_min: None,
            others: None,
            core: "core",
            elevation: HandlerElevation::Nowhere,
            components: &plan::Component::DEFAULT,
            names: crate::query::Names::default(),
            highlight: const { &plan::HighlightParts { parts: vec![] } },
        }
    }

    pub fn parse(&self, query: &str, more: &str) -> plan::Result<(String, String)> {
        let params = Self::params(query, more);
        let dates = DateMath::new(NOW_MS);
        let parsed = parse_query(&self.context(&params, &dates), query, "lucene")?;
        let printer = QueryPrinter::new(&self.schema);
        Ok((printer.parsed_to_string(&parsed), printer.parsed(&parsed)))
    }

    /// `parsedquery_toString`, or the error.
    fn shown(&self, query: &str, more: &str) -> String {
        self.parse(query, more).map_or_else(|error| error.message, |(plain, _)| plain)
    }
}

fn check_all(cases: &[(&str, &str)]) {
    let fixture = Fixture::new();
    for (query, expected) in cases {
        let (query, more) = query.split_once(" & ").unwrap_or((query, ""));
        assert_eq!(fixture.shown(query, more), *expected, "{query} & {more}");
    }
}

#[test]
fn operators_decide_what_must_match() {
    check_all(&[
        ("a_s:a AND a_s:b OR a_s:c", "+a_s:a +a_s:b a_s:c"),
        ("a_s:a OR a_s:b AND a_s:c", "a_s:a +a_s:b +a_s:c"),
        ("a_s:a OR a_s:b AND a_s:c & q.op=AND", "a_s:a +a_s:b +a_s:c"),
        ("a_s:a OR a_s:b & q.op=AND", "a_s:a a_s:b"),
        ("a_s:a a_s:b & q.op=and", "+a_s:a +a_s:b"),
        ("a_s:a a_s:b & q.op=XX", "a_s:a a_s:b"),
        ("a_s:a & q.op=AND", "+a_s:a"),
        ("(a_s:a) & q.op=AND", "+(+a_s:a)"),
        ("+a_s:a -a_s:b a_s:c", "+a_s:a -a_s:b a_s:c"),
        ("a_s:a NOT a_s:b !a_s:c", "a_s:a -a_s:b -a_s:c"),
        ("a_s:a OR -a_s:b", "a_s:a -a_s:b"),
        ("a_s:a && a_s:b || a_s:c", "+a_s:a +a_s:b a_s:c"),
        ("-a_s:a", "-a_s:a"),
        ("a_s:x (-a_s:a)", "a_s:x (-a_s:a)"),
        ("((a_s:a))", "a_s:a"),
        ("(+a_s:a)", "+a_s:a"),
        ("((a_s:x a_s:y)) a_s:z", "(a_s:x a_s:y) a_s:z"),
        ("*:* -a_s:x", "*:* -a_s:x"),
        ("*", "*:*"),
        ("a_s:a^2 a_s:b^=3", "(a_s:a)^2.0 (ConstantScore(a_s:b))^3.0"),
        ("(a_s:a a_s:b)^2 a_s:c", "(a_s:a a_s:b)^2.0 a_s:c"),
        ("filter(a_s:x) a_s:y", "filter(a_s:x) a_s:y"),
        ("a_s:x /* note */ a_s:y", "a_s:x a_s:y"),
    ]);
}

#[test]
fn phrases_have_so_many_words() {
    let fixture = Fixture::new();
    let check = |count: usize, expected: bool| {
        let words = vec!["a"; count].join(" ");
        for query in
            [format!("\"{words}\""), format!("a_t:\"{words}\"~2"), format!("{{!field f=a_t}}{words}")]
        {
            assert_eq!(fixture.parse(&query, "").is_ok(), expected, "{count}");
        }
        assert!(fixture.parse("a", &format!("x={words}")).is_ok());
    };
    check(1024, true);
    check(1025, false);
    check(100_000, false);
}

#[test]
fn words_in_a_row_stay_together() {
    check_all(&[
        ("Foo Bar baz", "df_t:foo df_t:bar df_t:baz"),
        ("Foo Bar baz & q.op=AND", "+(+df_t:foo +df_t:bar +df_t:baz)"),
        ("Foo Bar AND baz qux", "df_t:foo +df_t:bar +df_t:baz df_t:qux"),
        ("foo bar baz +q", "(df_t:foo df_t:bar df_t:baz) +df_t:q"),
        ("foo bar^2 baz qux", "df_t:foo (df_t:bar)^2.0 (df_t:baz df_t:qux)"),
        ("foo bar NOT baz qux", "(df_t:foo df_t:bar) -df_t:baz df_t:qux"),
        ("a_t:foo bar baz", "a_t:foo (df_t:bar df_t:baz)"),
        ("a_t:(foo bar) & sow=true&q.op=AND", "+(+a_t:foo +a_t:bar)"),
        ("foo-bar baz & sow=true", "(df_t:foo df_t:bar) df_t:baz"),
        ("a_s:(a b) & q.op=AND", "+(+(a_s:a a_s:b))"),
        ("a_s:(a b) a_s:c", "(a_s:a a_s:b) a_s:c"),
        ("a - b", "df_t:a df_t:b"),
        ("a_s:foo\\ bar", "a_s:foo bar"),
    ]);
}

#[test]
fn stop_words_leave_gaps_or_nothing() {
    check_all(&[
        ("a_stop:the", ""),
        ("a_stop:the AND a_s:x", "+a_s:x"),
        ("+(a_stop:the) +a_s:x", "+a_s:x"),
        ("+_query_:\"a_stop:the\" +a_s:x", "+() +a_s:x"),
        ("a_stop:\"the foo bar\"", "a_stop:\"? foo bar\""),
        ("a_stop:\"foo the bar\"~2", "a_stop:\"foo ? bar\"~2"),
        ("a_stop:(the foo) & q.op=AND", "+(+a_stop:foo)"),
        ("a_t:\"\"", ""),
        ("a_t:\"Foo\"~2", "a_t:foo"),
        ("a_t:\"foo bar\"~0.5", "a_t:\"foo bar\""),
    ]);
}

/// Recorded with the same synonyms in Solr's files.
#[test]
fn synonyms_become_alternatives() {
    check_all(&[
        ("a_syn:tv", "Synonym(a_syn:television a_syn:tv)"),
        ("a_syn:\"my tv set\"", "a_syn:\"my (television tv) set\""),
        (
            "a_syn:(visit usa now)",
            "a_syn:visit ((+a_syn:united +a_syn:states) (+a_syn:united +a_syn:states +a_syn:of +a_syn:america) \
             a_syn:usa) a_syn:now",
        ),
        (
            "a_syn:\"visit usa now\"~2",
            "a_syn:\"visit united states now\" a_syn:\"visit united states of america now\" a_syn:\"visit usa now\"",
        ),
        (
            "a_phrase:usa & sow=true",
            "a_phrase:\"united states\" a_phrase:\"united states of america\" a_phrase:usa",
        ),
    ]);
}

#[test]
fn types_read_values_their_own_way() {
    check_all(&[
        ("a_i:5", "IndexOrDocValuesQuery(indexQuery=a_i:[5 TO 5], dvQuery=a_i:[5 TO 5])"),
        ("a_i:{1 TO 5}", "IndexOrDocValuesQuery(indexQuery=a_i:[2 TO 4], dvQuery=a_i:[2 TO 4])"),
        (
            "a_i:[* TO 5]",
            "IndexOrDocValuesQuery(indexQuery=a_i:[-2147483648 TO 5], dvQuery=a_i:[-9223372036854775808 TO 5])",
        ),
        (
            "a_f:{1 TO 2.5}",
            "IndexOrDocValuesQuery(indexQuery=a_f:[1.0000001 TO 2.4999998], dvQuery=a_f:[1065353217 TO 1075838975])",
        ),
        (
            "a_d:\\-2",
            "IndexOrDocValuesQuery(indexQuery=a_d:[-2.0 TO -2.0], dvQuery=a_d:[-4611686018427387904 TO -4611686018427387904])",
        ),
        (
            "a_dt:\"NOW+1MONTH/MONTH-2DAYS\"",
            "IndexOrDocValuesQuery(indexQuery=a_dt:[1795910400000 TO 1795910400000], dvQuery=a_dt:[1795910400000 TO 1795910400000])",
        ),
        ("a_b:1", "a_b:T"),
        ("a_b:[* TO true]", "a_b:{* TO T]"),
        ("a_s:[a TO \"b c\"}", "a_s:[a TO b c}"),
        ("a_s:[\\* TO c]", "a_s:[\\* TO c]"),
        ("a_t:[Aa TO *]", "a_t:[aa TO *}"),
        ("a_str:foo", "a_str:[[66 6f 6f] TO [66 6f 6f]]"),
        ("a_i:[* TO *]", "FieldExistsQuery [field=a_i]"),
        ("a_t:*", "FieldExistsQuery [field=a_t]"),
        ("a_t:Fo*", "a_t:fo*"),
        ("a_t:F?o*", "a_t:f?o*"),
        ("a_s:a\\*b*", "a_s:a*b*"),
        ("a_t:Foo~", "a_t:foo~2"),
        ("a_t:Foo~0.7", "a_t:foo~0"),
        ("a_t:foobarbaz~0.5", "a_t:foobarbaz~2"),
        ("a_t:/Fo.*/", "a_t:/fo.*/"),
    ]);
}

#[test]
fn parsers_are_chosen_by_name() {
    check_all(&[
        ("{!term f=a_t}Foo bar", "a_t:Foo bar"),
        ("{!terms f=a_s} a , b ,,c", "a_s:(  a   b  c)"),
        ("{!terms f=a_i}1,2", "IndexOrDocValuesQuery(indexQuery=a_i:{1 2}, dvQuery=a_i: [1, 2])"),
        ("{!terms f=a_s}", "MatchNoDocsQuery(\"\")"),
        ("{!field f=a_t}Foo Bar", "a_t:\"foo bar\""),
        ("{!prefix f=a_t}Foo", "a_t:Foo*"),
        ("{!prefix f=a_s}", "FieldExistsQuery [field=a_s]"),
        ("{!raw f=a_t}Foo", "a_t:Foo"),
        ("{!bool must=a_s:x must_not=a_s:y filter=a_s:z}", "+a_s:x -a_s:y #filter(a_s:z)"),
        ("{!bool should=$a should=$b} & a=a_s:1&b=a_s:2", "a_s:1 a_s:2"),
        ("{!v=$qq} & qq=a_s:zz", "a_s:zz"),
        ("{!v=$nope}", "MatchNoDocsQuery(\"\")"),
        ("{!lucene df=a_s v=bar}foo", "a_s:bar"),
        ("{!lucene cost=5 cache=false}a_s:x", "{!cache=false cost=5}a_s:x"),
        ("a_s:x AND {!term f=a_s v='it\\'s'}", "+a_s:x +a_s:it's"),
        ("a_s:x {!term f=a_s}y^2", "a_s:x (a_s:y)^2.0"),
        ("_query_:\"{!term f=a_s}hello there\"", "a_s:hello there"),
        ("{!switch case.x=a_s:1 default=a_s:2 v=$x} & x= x ", "a_s:1"),
        ("{!switch case=a_s:0 default=a_s:2}y", "a_s:2"),
        ("{!switch case=a_s:0}", "a_s:0"),
        ("{!maxscore tie=0.5}a_s:1 a_s:2 +a_s:3", "((a_s:1) | (a_s:2))~0.5 +a_s:3"),
        ("{!maxscore}a_s:1", "a_s:1"),
        ("{!maxscore}+a_s:1 -a_s:2", "+a_s:1 -a_s:2"),
        ("{!bool should=a_s:1 should=a_s:2 mm=2}", "(a_s:1 a_s:2)~2"),
        ("{!boost b=2}a_s:x", "FunctionScoreQuery(a_s:x, scored by boost(const(2)))"),
    ]);
}

#[test]
fn errors_are_solrs() {
    check_all(&[
        ("nosuch:foo", "undefined field nosuch"),
        ("nosuch:[a TO b]", "undefined field: \"nosuch\""),
        ("nosuch:*", "undefined field: \"nosuch\""),
        ("*:foo", "undefined field *"),
        ("a:b:c", "undefined field a"),
        ("a_i:abc", "Invalid Number: abc for field a_i"),
        ("a_i:5*", "Can't run prefix queries on numeric fields"),
        ("a_dt:2020-01-01T00:00:00Z", "Invalid Date String:'2020-01-01T00'"),
        ("a_dt:NOW/FOO", "Invalid Date Math String:'NOW/FOO'"),
        ("a_s:a^-1", "boost must be a positive float, got -1.0"),
        ("a_t:Foo~2.5", "org.apache.solr.search.SyntaxError: Fractional edit distances are not allowed!"),
        ("a_s:foo\\u00", "org.apache.solr.search.SyntaxError: Truncated unicode escape sequence."),
        ("{!nosuch}x", "invalid query parser 'nosuch' for query '{!nosuch}x'"),
        ("{!term}x", "Missing field to query"),
        ("{!field f=nosuch}x", "undefined field: \"nosuch\""),
    ]);
    let fixture = Fixture::new();
    let endless = fixture.shown("{!v=$q}", "q={!v=$q}");
    assert!(endless.contains("Infinite Recursion detected"), "{endless}");
    let refused = fixture.shown("{!graphTerms}x", "");
    assert!(refused.contains("query parser `graphTerms` is not supported yet"), "{refused}");
    let many = (0..1025).map(|at| format!("a_s:{at} ")).collect::<String>();
    assert!(fixture.shown(&many, "").ends_with("too many boolean clauses"));
}

#[test]
fn a_query_that_only_excludes_is_made_positive() {
    let fixture = Fixture::new();
    let params = Params::default();
    let dates = DateMath::new(NOW_MS);
    let context = QueryContext {
        schema: &fixture.schema,
        analyzers: &fixture.analyzers,
        params: &params,
        dates: &dates,
        budget: &Budget::of(&params),
        boolean_clauses_max: 1024,
        prefixes: crate::query::PrefixLengths::default(),
        others: None,
        names: crate::query::Names::default(),
        parsers: &crate::query::SolrParsers,
        filtering: false,
    };
    let clauses = |text: &str| match parse_query(&context, text, "lucene").unwrap().executable() {
        Query::Boolean { clauses, .. } => clauses.len(),
        _ => 0,
    };
    assert_eq!(clauses("-a_s:x"), 2);
    assert_eq!(clauses("-a_s:x -a_s:y"), 3);
    assert_eq!(clauses("+a_s:x -a_s:y"), 2);
    assert_eq!(clauses("a_s:z (-a_s:x)"), 2);
}

/// Pieces that mean something to the parser, so that random texts reach deep.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "a_s:",
        "a_t:",
        "a_i:",
        "a_dt:",
        "a_syn:",
        "*:*",
        "AND ",
        "OR ",
        "NOT ",
        "+",
        "-",
        "!",
        "(",
        ")",
        "\"",
        "[",
        "]",
        "{",
        "}",
        " TO ",
        "*",
        "?",
        "~",
        "^",
        "^=",
        "2",
        "/",
        "\\",
        "{!",
        "{!term f=a_s v=",
        "'",
        "filter(",
        "/*",
        "*/",
        " ",
        "usa",
        "tv",
        "NOW",
        "\u{3000}",
        "é",
        "_query_:",
        "$q",
        "=",
        "\\u00",
    ];
    prop_oneof![
        4 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => ".{0,4}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_query_or_an_error(pieces in proptest::collection::vec(piece(), 0..24)) {
        thread_local!(static FIXTURE: Fixture = Fixture::new());
        let query = pieces.concat();
        FIXTURE.with(|fixture| {
            let _ = fixture.parse(&query, "");
        });
    }
}

#[test]
fn long_lists_in_filters_become_sets() {
    let fixture = Fixture::new();
    let list = |from: usize, to: usize| (from..to).map(|at| format!("{at:02}")).collect::<Vec<_>>().join(" ");
    let (short, long) = (list(0, 16), list(0, 17));
    let check = |query: &str, expected: &str| {
        assert_eq!(fixture.shown(&format!("filter({query})"), ""), format!("filter({expected})"));
    };
    let clauses = |list: &str| list.split(' ').map(|at| format!("a_s:{at}")).collect::<Vec<_>>().join(" ");
    check(&format!("a_s:({short})"), &clauses(&short));
    check(&format!("a_s:({long})"), &format!("a_s:({long})"));
    check(&format!("a_s:({long}) a_s:z"), &format!("a_s:({long}) a_s:z"));
    check(&format!("-a_s:x {} a_t:y", clauses(&long)), &format!("-a_s:x a_t:y a_s:({long})"));
    check(&format!("+a_s:({long})"), &format!("+a_s:({long})"));
    check(&format!("_query_:\"a_s:({long})\""), &format!("a_s:({long})"));
    let many = list(100, 2000);
    check(
        &format!("a_s:({many})"),
        &format!("a_s:({})", {
            let mut sorted: Vec<_> = many.split(' ').collect();
            sorted.sort_unstable();
            sorted.join(" ")
        }),
    );
    assert!(fixture.shown(&format!("a_s:({many})"), "").ends_with("too many boolean clauses"));
}
