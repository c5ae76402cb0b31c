//! Tests of what no single token shows: errors, the multi-term chain, stages, endings, reuse, the list of
//! components.

use plan::{AnalyzerSpec, ComponentSpec, PayloadKind, Resources};

use crate::{
    Analyzer, ComponentKind, ErrorKind, Output, components, file_arguments, payload_kind, reverses_words,
};

fn component(source: &str) -> ComponentSpec {
    let mut words = source.split(' ');
    let name = words.next().unwrap_or_default().to_owned();
    let args = words.filter_map(|word| word.split_once('='));
    ComponentSpec { name, args: args.map(|(key, value)| (key.to_owned(), value.to_owned())).collect() }
}

fn spec(char_filters: &[&str], tokenizer: &str, filters: &[&str]) -> AnalyzerSpec {
    AnalyzerSpec {
        char_filters: char_filters.iter().map(|source| component(source)).collect(),
        tokenizer: component(tokenizer),
        filters: filters.iter().map(|source| component(source)).collect(),
    }
}

fn build(spec: &AnalyzerSpec) -> Analyzer {
    Analyzer::build(spec, &Resources::new()).expect("the chain is right")
}

fn texts(analyzer: &Analyzer, text: &str) -> Vec<String> {
    analyzer.analyze(text).into_iter().map(|token| token.text).collect()
}

#[test]
fn errors_name_the_component() {
    let rows = [
        (spec(&[], "standrd", &[]), ErrorKind::UnknownComponent, "unknown tokenizer `standrd`"),
        (spec(&[], "", &[]), ErrorKind::BadArgument, "a tokenizer without name"),
        (spec(&[], "standard", &["lowercase x=1"]), ErrorKind::BadArgument, "Unknown parameters: `{x=1}`"),
        (spec(&[], "standard", &["stop words=no.txt"]), ErrorKind::MissingResource, "`no.txt`"),
        (
            spec(&[], "standard", &["length min=2"]),
            ErrorKind::BadArgument,
            "`length` needs the argument `max`",
        ),
        (spec(&[], "standard", &["length min=a max=2"]), ErrorKind::BadArgument, "`a` is not a whole number"),
        (spec(&[], "standard", &["patternReplace pattern=("]), ErrorKind::BadArgument, "`pattern`"),
        (spec(&[], "standard", &["snowballPorter language=Elvish"]), ErrorKind::BadArgument, "`Elvish`"),
        (spec(&[], "solr.OpenNLPTokenizerFactory", &[]), ErrorKind::Unsupported, "OpenNLPTokenizerFactory"),
        (
            spec(&["lowercase"], "standard", &[]),
            ErrorKind::UnknownComponent,
            "unknown char filter `lowercase`",
        ),
    ];
    for (spec, kind, part) in rows {
        let error = Analyzer::build(&spec, &Resources::new()).expect_err(part);
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.message.contains(part), "{error} has no {part}");
    }
}

#[test]
fn components_are_found_by_name_and_by_class() {
    for name in ["lowercase", "LOWERCASE", "solr.LowerCaseFilterFactory", "LowerCaseFilterFactory"] {
        assert_eq!(texts(&build(&spec(&[], "standard", &[name])), "A B"), ["a", "b"], "{name}");
    }
    let package = "org.apache.lucene.analysis.core.WhitespaceTokenizerFactory";
    assert_eq!(texts(&build(&spec(&[], package, &[])), "a-b c"), ["a-b", "c"]);
}

#[test]
fn terms_pass_only_what_normalizes() {
    let rows = [
        (
            spec(&[], "standard", &["stop", "lowercase", "porterStem"]),
            "The Running-Foxes",
            "the running-foxes",
        ),
        (spec(&[], "whitespace", &["asciiFolding preserveOriginal=true", "lowercase"]), "Été", "ete"),
        (spec(&[], "standard", &["synonym synonyms=s.txt", "lowercase"]), "WI", "wi"),
        (spec(&["htmlStrip"], "standard", &["lowercase"]), "<B>", "<b>"),
        (spec(&["patternReplace pattern=x replacement=y"], "standard", &[]), "ax b", "ay b"),
        (spec(&[], "standard", &["lowercase"]), "", ""),
    ];
    let files = Resources::from([("s.txt".to_owned(), "wi => fi".to_owned())]);
    for (spec, text, expected) in rows {
        let analyzer = Analyzer::build(&spec, &files).expect("the chain is right");
        assert_eq!(analyzer.normalizer().normalize(text), expected);
    }
}

#[test]
fn removed_tokens_at_the_end_are_counted() {
    let analyzer = build(&spec(&[], "standard", &["stop"]));
    let rows = [("fox of the", 2, 10), ("fox", 0, 3), ("", 0, 0), ("the", 1, 3)];
    for (text, increment, offset) in rows {
        let ending = analyzer.tokens(text, &mut |_| {});
        assert_eq!((ending.position_increment, ending.offset), (increment, offset), "{text}");
    }
}

#[test]
fn a_stream_forgets_the_text_before() {
    let analyzer =
        build(&spec(&[], "standard", &["shingle", "wordDelimiterGraph", "removeDuplicates", "flattenGraph"]));
    let mut stream = analyzer.stream();
    let mut half = stream.start("one two three four");
    assert!(half.advance());
    let mut tokens = stream.start("one two");
    let mut count = 0;
    while tokens.advance() {
        count += 1;
    }
    assert_eq!(count, analyzer.analyze("one two").len());
}

#[test]
fn stages_show_each_step() {
    let analyzer = build(&spec(&["htmlStrip"], "standard", &["lowercase", "stop"]));
    let stages = analyzer.explain_stages("<b>The</b> Fox", 2).unwrap();
    let shown: Vec<String> = stages
        .iter()
        .map(|stage| match &stage.output {
            Output::Text(text) => format!("{}: {text}", stage.stage.name),
            Output::Tokens(tokens) => {
                let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
                format!("{}: {}", stage.stage.name, words.join(" "))
            }
        })
        .collect();
    assert_eq!(shown, ["htmlStrip: The Fox", "standard: The Fox", "lowercase: the fox", "stop: fox"]);
    assert_eq!(stages[2].stage.class, "org.apache.lucene.analysis.core.LowerCaseFilter");
    let Output::Tokens(last) = &stages[3].output else { panic!("{stages:?}") };
    assert_eq!((last[0].start, last[0].position_increment, last[0].origin), (11, 2, 1));
    assert!(analyzer.explain_stages("<b>The</b> Fox", 1).is_none());
}

/// Of Lucene 10, by its description: from there on Solr has it.
#[test]
fn romanian_letters_get_their_comma() {
    let chain = build(&spec(&[], "whitespace", &["romanianNormalization"]));
    assert_eq!(
        texts(&chain, "\u{15e}i \u{15f}coal\u{103} \u{162}ar\u{103} via\u{163}\u{103}"),
        ["\u{218}i", "\u{219}coal\u{103}", "\u{21a}ar\u{103}", "via\u{21b}\u{103}"]
    );
    assert_eq!(texts(&chain, "sat \u{219}i \u{21b}\u{103}ri"), ["sat", "\u{219}i", "\u{21b}\u{103}ri"]);
    assert_eq!(chain.normalizer().normalize("\u{15f}*"), "\u{219}*", "terms with wildcards pass it");
    let by_class = spec(&[], "whitespace", &["solr.RomanianNormalizationFilterFactory"]);
    assert_eq!(texts(&build(&by_class), "\u{163}"), ["\u{21b}"]);
    let with_argument = spec(&[], "whitespace", &["romanianNormalization variant=x"]);
    let error = Analyzer::build(&with_argument, &Resources::new()).expect_err("it takes none");
    assert_eq!(error.kind, ErrorKind::BadArgument);
}

#[test]
fn components_tell_which_arguments_name_files() {
    let check = |name: &str, expected: &[&str]| {
        assert_eq!(file_arguments(name).collect::<Vec<_>>(), expected, "{name}");
    };
    check("stop", &["words"]);
    check("solr.WordDelimiterGraphFilterFactory", &["protected", "types"]);
    check("hyphenationCompoundWord", &["hyphenator", "dictionary"]);
    check("patternTyping", &["patternFile"]);
    check("koreanPartOfSpeechStop", &[]);
    check("hunspellStem", &[]);
    for component in components() {
        for file in file_arguments(component.name) {
            assert!(
                component.arguments.contains(&file),
                "{}: {file} is none of its arguments",
                component.name
            );
        }
    }
}

#[test]
fn chains_tell_what_they_store_and_reverse() {
    let stored = |filters: &[&str]| payload_kind(&spec(&[], "whitespace", filters));
    assert_eq!(stored(&["delimitedPayload encoder=float"]), Some(PayloadKind::Float));
    assert_eq!(stored(&["delimitedPayload encoder=x.IntegerEncoder"]), Some(PayloadKind::Integer));
    assert_eq!(
        stored(&["numericPayload payload=1 typeMatch=word", "typeAsPayload"]),
        Some(PayloadKind::Text)
    );
    assert_eq!(stored(&["lowercase"]), None);
    assert!(reverses_words(&spec(&[], "whitespace", &["solr.ReversedWildcardFilterFactory"])));
    assert!(!reverses_words(&spec(&[], "whitespace", &["reverseString"])));
}

#[test]
fn component_names_are_unique() {
    let mut names: Vec<(ComponentKind, &str)> = components().map(|info| (info.kind, info.name)).collect();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(count > 100, "only {count}");
}

#[test]
fn offsets_lie_on_characters_of_the_text() {
    let chains = [
        spec(&["htmlStrip"], "standard", &["wordDelimiterGraph catenateAll=1", "flattenGraph"]),
        spec(&["cjkWidth"], "standard", &["cjkBigram outputUnigrams=true"]),
        spec(&["patternReplace pattern=é+ replacement=eee"], "nGram", &["lowercase"]),
        spec(&[], "whitespace", &["wordDelimiter preserveOriginal=1", "shingle"]),
    ];
    let text = "<p>É-été's <b>ｶﾞ漢字</b>&eacute;ééWi-Fi4 \u{1f600}</p> 한국어 &#x1f600; ß";
    for spec in chains {
        for token in build(&spec).analyze(text) {
            let range = token.start as usize..token.end as usize;
            assert!(text.get(range).is_some(), "{token:?} of {spec:?}");
        }
    }
}

#[test]
fn long_tokens_are_cut() {
    let analyzer = build(&spec(&[], "standard", &[]));
    let lengths: Vec<usize> =
        analyzer.analyze(&"x".repeat(600)).iter().map(|token| token.text.len()).collect();
    assert_eq!(lengths, [255, 255, 90]);
    assert_eq!(analyzer.analyze(&"_".repeat(100_000)).len(), 0);
}
