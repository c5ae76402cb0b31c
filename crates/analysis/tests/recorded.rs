//! Chains against Solr: each row is a chain, a text, and the tokens that Solr 9.10.1 (Lucene 9.12.3) made of
//! it, as recorded; offsets were converted from UTF-16 units to bytes. A chain is written `cf:charFilter >
//! tokenizer > filter argument=value`, `~` standing for a blank in a value. A token is `text[start-end …]`,
//! with its position increment (`+0`), position length (`len2`), type, keyword mark and payload where they
//! are not the usual ones.

use analysis::{Analyzer, Token};
use plan::{AnalyzerSpec, ComponentSpec, Resources};

const FILES: &[(&str, &str)] = &[
    ("stop.txt", "# comment\nthe\nof\n"),
    ("synonyms.txt", "wi fi, wifi, wireless network\nusa => united states, us\ntv, television\n"),
    ("protected.txt", "running\n"),
    ("map.txt", "\"ß\" => \"ss\"\n\"é\" => \"e\"\n\"ph\" => \"f\"\n"),
    ("stems.txt", "mice\tmouse\n"),
    ("types.txt", "- => ALPHA\n"),
    ("dict.txt", "donau\ndampf\nschiff\n"),
    ("articles.txt", "l\nd\n"),
];

fn component(source: &str) -> ComponentSpec {
    let mut words = source.split(' ');
    let name = words.next().unwrap_or_default().to_owned();
    let args = words.filter_map(|word| word.split_once('='));
    ComponentSpec { name, args: args.map(|(key, value)| (key.to_owned(), value.replace('~', " "))).collect() }
}

fn build(chain: &str) -> Analyzer {
    let mut spec = AnalyzerSpec::default();
    for part in chain.split(" > ") {
        match part.strip_prefix("cf:") {
            Some(char_filter) => spec.char_filters.push(component(char_filter)),
            None if spec.tokenizer.name.is_empty() => spec.tokenizer = component(part),
            None => spec.filters.push(component(part)),
        }
    }
    let files: Resources =
        FILES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    Analyzer::build(&spec, &files).unwrap_or_else(|error| panic!("{chain}: {error}"))
}

fn show(token: &Token) -> String {
    let mut parts = vec![format!("{}-{}", token.start, token.end)];
    if token.position_increment != 1 {
        parts.push(format!("+{}", token.position_increment));
    }
    if token.position_length != 1 {
        parts.push(format!("len{}", token.position_length));
    }
    if !matches!(&*token.kind, "word" | "<ALPHANUM>") {
        parts.push(token.kind.to_string());
    }
    if token.keyword {
        parts.push("keyword".to_owned());
    }
    if let Some(payload) = &token.payload {
        let hex: String = payload.iter().map(|byte| format!("{byte:02x}")).collect();
        parts.push(format!("payload={hex}"));
    }
    format!("{}[{}]", token.text, parts.join(" "))
}

fn check(rows: &[(&str, &str, &str)]) {
    for (chain, text, expected) in rows {
        let tokens: Vec<String> = build(chain).analyze(text).iter().map(show).collect();
        assert_eq!(tokens.join(" "), *expected, "{chain} of {text:?}");
    }
}

#[test]
fn tokenizers() {
    check(&[
        (
            "standard",
            "The quick-brown fox's can't 3.14 1,000 a_b foo:bar e.g. x@y.com",
            "The[0-3] quick[4-9] brown[10-15] fox's[16-21] can't[22-27] 3.14[28-32 <NUM>] 1,000[33-38 <NUM>] a_b[39-42] foo:bar[43-50] e.g[51-54] x[56-57] y.com[58-63]",
        ),
        (
            "standard",
            "漢字 ひら カタカナ 한국어 ภาษาไทย",
            "漢[0-3 <IDEOGRAPHIC>] 字[3-6 <IDEOGRAPHIC>] ひ[7-10 <HIRAGANA>] ら[10-13 <HIRAGANA>] カタカナ[14-26 <KATAKANA>] 한국어[27-36 <HANGUL>] ภาษาไทย[37-58 <SOUTHEAST_ASIAN>]",
        ),
        (
            "standard",
            "👍🏽 👨\u{200d}👩\u{200d}👧 🇩🇪 1\u{fe0f}⃣ ©",
            "👍🏽[0-8 <EMOJI>] 👨\u{200d}👩\u{200d}👧[9-27 <EMOJI>] 🇩🇪[28-36 <EMOJI>] 1\u{fe0f}⃣[37-44 <EMOJI>] ©[45-47 <EMOJI>]",
        ),
        ("standard", r#"עברית צה"ל ג'ירפה"#, r#"עברית[0-10] צה"ל[11-18] ג'ירפה[19-30]"#),
        ("standard", "", ""),
        ("standard", "___ __a__ .", "__a__[4-9]"),
        ("standard", "naïve café É𝒳", "naïve[0-6] café[7-12] É𝒳[13-19]"),
        ("standard maxTokenLength=3", "abcdefgh a.bcd", "abc[0-3] def[3-6] gh[6-8] a.b[9-12] cd[12-14]"),
        ("whitespace", "a  b\u{a0}c\u{9}d\u{3000}e", "a[0-1] b\u{a0}c[3-7] d[8-9] e[12-13]"),
        ("whitespace rule=unicode", "a b\u{a0}c", "a[0-1] b[2-3] c[5-6]"),
        ("keyword", "a b c", "a b c[0-5]"),
        ("keyword", "", "[0-0]"),
        ("letter", "it's 3 o'clock, é", "it[0-2] s[3-4] o[7-8] clock[9-14] é[16-18]"),
        ("nGram", "abé", "a[0-1] ab[0-2] b[1-2] bé[1-4] é[2-4]"),
        ("edgeNGram minGramSize=2 maxGramSize=3", "abcd", "ab[0-2] abc[0-3]"),
        (r#"pattern pattern=\s*,\s*"#, "a , b,c,,d", "a[0-1] b[4-5] c[6-7] d[9-10]"),
        ("pattern pattern='([^']+)' group=1", "x 'aa' y 'bb'", "aa[3-5] bb[10-12]"),
        ("simplePattern pattern=[0-9]{2}", "1234 5 67", "12[0-2] 34[2-4] 67[7-9]"),
        ("simplePatternSplit pattern=[~;]+", "a; b;c", "a[0-1] b[3-4] c[5-6]"),
        ("pathHierarchy", "/a/b/c", "/a[0-2] /a/b[0-4 +0] /a/b/c[0-6 +0]"),
        ("pathHierarchy", "a/b/", "a[0-1] a/b[0-3 +0] a/b/[0-4 +0]"),
        ("pathHierarchy delimiter=/ replace=| skip=1", "/a/b/c", "|b[2-4] |b|c[2-6 +0]"),
        (
            "pathHierarchy reverse=true delimiter=.",
            "www.site.co.uk",
            "www.site.co.uk[0-14] site.co.uk[4-14 +0] co.uk[9-14 +0] uk[12-14 +0]",
        ),
        (
            "pathHierarchy reverse=true skip=1 delimiter=.",
            "www.site.co.uk",
            "www.site.co.[0-12] site.co.[4-12 +0] co.[9-12 +0]",
        ),
    ]);
}

#[test]
fn char_filters() {
    check(&[
        (
            "cf:htmlStrip > standard",
            "<p>Hello <b>wo</b>rld</p>&amp; &eacute;t&#233; <script>x<y</script>end<!-- c -->.",
            "Hello[3-8] world[12-21] été[31-46] end[67-80]",
        ),
        ("cf:htmlStrip > standard", "a < b & c <x", "a[0-1] b[4-5] c[8-9]"),
        ("cf:htmlStrip > standard", r#"<a href="x>y">link</a>&nbsp;b"#, "link[14-22] b[28-29]"),
        ("cf:htmlStrip escapedTags=b > whitespace", "x <b>y</b> <i>z</i>", "x[0-1] <b>y</b>[2-10] z[14-19]"),
        ("cf:mapping mapping=map.txt > whitespace", "Straße phé", "Strasse[0-7] fe[8-12]"),
        (
            r#"cf:patternReplace pattern=(\d+)-(\d+) replacement=$2$1 > whitespace"#,
            "x 12-345 y",
            "x[0-1] 34512[2-8] y[9-10]",
        ),
        ("cf:persian > whitespace", "می\u{200c}خواهم", "می[0-4] خواهم[7-17]"),
        ("cf:cjkWidth > whitespace", "ｶﾞ Ａ１", "ガ[0-6] A1[7-13]"),
    ]);
}

#[test]
fn stop_and_case() {
    check(&[
        (
            "standard > lowercase",
            "HELLO Wörld İstanbul ΣΑΣ",
            "hello[0-5] wörld[6-12] istanbul[13-22] σασ[23-29]",
        ),
        ("standard > uppercase", "straße ﬁn", "STRAßE[0-7] ﬁN[8-12]"),
        ("standard > stop", "the fox and The hound", "fox[4-7 +2] The[12-15 +2] hound[16-21]"),
        ("standard > stop ignoreCase=true", "The fox AND the hound of", "fox[4-7 +2] hound[16-21 +3]"),
        ("standard > stop words=stop.txt", "the end of time", "end[4-7 +2] time[11-15 +2]"),
        ("standard > keepWord words=stop.txt", "the end of time", "the[0-3] of[8-10 +2]"),
        ("standard > length min=2 max=4", "a bb cccc ddddd", "bb[2-4 +2] cccc[5-9]"),
        ("standard > limitTokenCount maxTokenCount=2", "a b c", "a[0-1] b[2-3]"),
        ("standard > truncate prefixLength=3", "abcdef ab", "abc[0-6] ab[7-9]"),
        ("standard > turkishLowercase", "IĞDIR İzmir", "ığdır[0-6] izmir[7-13]"),
        ("standard > irishLowercase", "nAthair tUisce Nathair", "n-athair[0-7] t-uisce[8-14] nathair[15-22]"),
        ("standard > greekLowercase", "ΆΝΘΡΩΠΟΣ", "ανθρωποσ[0-16]"),
    ]);
}

#[test]
fn synonyms() {
    check(&[
        (
            "standard > synonymGraph synonyms=synonyms.txt ignoreCase=true",
            "my wi fi tv",
            "my[0-2] wifi[3-8 len3 SYNONYM] wireless[3-8 +0 SYNONYM] wi[3-5 +0 len2] network[3-8 len2 SYNONYM] fi[6-8] television[9-11 SYNONYM] tv[9-11 +0]",
        ),
        (
            "standard > synonymGraph synonyms=synonyms.txt ignoreCase=true",
            "WiFi now",
            "wi[0-4 SYNONYM] wireless[0-4 +0 len2 SYNONYM] WiFi[0-4 +0 len3] fi[0-4 len2 SYNONYM] network[0-4 SYNONYM] now[5-8]",
        ),
        (
            "standard > synonymGraph synonyms=synonyms.txt ignoreCase=true",
            "in usa today",
            "in[0-2] united[3-6 SYNONYM] us[3-6 +0 len2 SYNONYM] states[3-6 SYNONYM] today[7-12]",
        ),
        ("standard > synonymGraph synonyms=synonyms.txt ignoreCase=true", "wi max", "wi[0-2] max[3-6]"),
        (
            "standard > synonym synonyms=synonyms.txt ignoreCase=true",
            "my wi fi tv",
            "my[0-2] wi[3-5] wifi[3-8 +0 len2 SYNONYM] wireless[3-5 +0 SYNONYM] fi[6-8] network[6-8 +0 SYNONYM] tv[9-11] television[9-11 +0 SYNONYM]",
        ),
        (
            "standard > synonym synonyms=synonyms.txt ignoreCase=true",
            "WiFi now",
            "WiFi[0-4] wi[0-4 +0 SYNONYM] wireless[0-4 +0 SYNONYM] now[5-8] fi[5-8 +0 SYNONYM] network[5-8 +0 SYNONYM]",
        ),
        (
            "standard > synonym synonyms=synonyms.txt ignoreCase=true",
            "in usa today",
            "in[0-2] united[3-6 SYNONYM] us[3-6 +0 SYNONYM] today[7-12] states[7-12 +0 SYNONYM]",
        ),
        ("standard > synonym synonyms=synonyms.txt ignoreCase=true", "wi max", "wi[0-2] max[3-6]"),
        (
            "standard > synonymGraph synonyms=synonyms.txt expand=false",
            "my wifi television",
            "my[0-2] wi[3-7 SYNONYM] fi[3-7 SYNONYM] tv[8-18 SYNONYM]",
        ),
        (
            "standard > synonymGraph synonyms=synonyms.txt > flattenGraph",
            "my wifi is on",
            "my[0-2] wi[3-7 SYNONYM] wireless[3-7 +0 SYNONYM] wifi[3-7 +0 len2] fi[3-7 SYNONYM] network[3-7 +0 SYNONYM] is[8-10] on[11-13]",
        ),
        (
            "standard > stop > synonymGraph synonyms=synonyms.txt",
            "the tv on the tv",
            "television[4-6 SYNONYM] tv[4-6 +0] television[14-16 SYNONYM] tv[14-16 +0]",
        ),
    ]);
}

#[test]
fn word_delimiter() {
    check(&[
        (
            "whitespace > wordDelimiterGraph",
            "Wi-Fi PowerShot500 John's -- x",
            "Wi[0-2] Fi[3-5] Power[6-11] Shot[11-15] 500[15-18] John[19-23] x[29-30 +2]",
        ),
        (
            "whitespace > wordDelimiterGraph catenateWords=1 catenateNumbers=1",
            "Wi-Fi 500-42",
            "WiFi[0-5 len2] Wi[0-2 +0] Fi[3-5] 50042[6-12 len2] 500[6-9 +0] 42[10-12]",
        ),
        (
            "whitespace > wordDelimiterGraph catenateAll=1 preserveOriginal=1",
            "Wi-Fi-4",
            "Wi-Fi-4[0-7 len3] WiFi4[0-7 +0 len3] Wi[0-2 +0] Fi[3-5] 4[6-7]",
        ),
        (
            "whitespace > wordDelimiterGraph generateWordParts=0 generateNumberParts=0 catenateWords=1 catenateNumbers=1",
            "foo-bar XL-500",
            "foobar[0-7] XL[8-10] 500[11-14]",
        ),
        (
            "whitespace > wordDelimiterGraph splitOnCaseChange=0 splitOnNumerics=0 stemEnglishPossessive=0",
            "PowerShot500 O'Neil's",
            "PowerShot500[0-12] O[13-14] Neil[15-19] s[20-21]",
        ),
        (
            "whitespace > wordDelimiterGraph types=types.txt protected=protected.txt",
            "wi-fi running foo_bar",
            "wi-fi[0-5] running[6-13] foo[14-17] bar[18-21]",
        ),
        (
            "whitespace > wordDelimiterGraph catenateWords=1 > flattenGraph",
            "super-Duper x",
            "superDuper[0-11 len2] super[0-5 +0] Duper[6-11] x[12-13]",
        ),
        (
            "whitespace > wordDelimiter catenateWords=1 preserveOriginal=1",
            "Wi-Fi John's",
            "Wi-Fi[0-5] Wi[0-2 +0] WiFi[0-5 +0] Fi[3-5] John's[6-12] John[6-10 +0]",
        ),
    ]);
}

#[test]
fn stemming() {
    check(&[
        (
            "standard > porterStem",
            "running flies relational conditional ponies caresses hopping controlling generalization",
            "run[0-7] fli[8-13] relat[14-24] condit[25-36] poni[37-43] caress[44-52] hop[53-60] control[61-72] gener[73-87]",
        ),
        (
            "standard > keywordMarker protected=protected.txt > porterStem",
            "running jumping",
            "running[0-7 keyword] jump[8-15]",
        ),
        (
            "standard > keywordRepeat > porterStem > removeDuplicates",
            "running fox",
            "running[0-7 keyword] run[0-7 +0] fox[8-11 keyword]",
        ),
        (
            "standard > stemmerOverride dictionary=stems.txt > porterStem",
            "mice running",
            "mouse[0-4 keyword] run[5-12]",
        ),
        (
            "standard > englishPossessive > englishMinimalStem",
            "John’s boxes ponies bus glass",
            "John[0-8] boxe[9-14] pony[15-21] bus[22-25] glass[26-31]",
        ),
        ("standard > snowballPorter language=English", "running generously", "run[0-7] generous[8-18]"),
        (
            "standard > snowballPorter language=French",
            "continuellement chevaux",
            "continuel[0-15] cheval[16-23]",
        ),
        ("standard > snowballPorter language=German", "häuser aufeinander", "haus[0-7] aufeinand[8-19]"),
        ("standard > snowballPorter language=Spanish", "corriendo canciones", "corr[0-9] cancion[10-19]"),
        ("standard > snowballPorter language=Russian", "бегающий книгами", "бега[0-16] книг[17-31]"),
        ("standard > snowballPorter language=Finnish", "taloissa", "talo[0-8]"),
        ("standard > snowballPorter language=Turkish", "kitaplar", "kitap[0-8]"),
        ("standard > snowballPorter language=Dutch", "lichamelijk huizen", "licham[0-11] huiz[12-18]"),
        ("standard > snowballPorter language=Danish", "undersøgelse", "undersøg[0-13]"),
        ("standard > snowballPorter language=Swedish", "klokheten", "klok[0-9]"),
        ("standard > snowballPorter language=Norwegian", "havnedistriktene", "havnedistrikt[0-16]"),
        ("standard > snowballPorter language=Portuguese", "quilométricas", "quilométr[0-14]"),
        ("standard > snowballPorter language=Italian", "abbandonata", "abbandon[0-11]"),
        ("standard > snowballPorter language=Romanian", "abrupta", "abrupt[0-7]"),
        ("standard > snowballPorter language=Hungarian", "ablakból", "abl[0-9]"),
        ("standard > snowballPorter language=Catalan", "abandonar", "abandon[0-9]"),
        ("standard > snowballPorter language=Basque", "etxeak", "etxe[0-6]"),
        ("standard > snowballPorter language=Irish", "fhataigh", "fataigh[0-8]"),
        ("standard > snowballPorter language=Armenian", "գրքերից", "գրքերից[0-14]"),
        (
            "standard > frenchLightStem",
            "chevaux nationale rapidement",
            "cheval[0-7] national[8-17] rapid[18-28]",
        ),
        ("standard > frenchMinimalStem", "chevaux baronnes", "cheval[0-7] baron[8-16]"),
        ("standard > germanLightStem", "häusern schönste", "haus[0-8] schon[9-18]"),
        ("standard > germanMinimalStem", "häuser frauen", "haus[0-7] frau[8-14]"),
        ("standard > spanishLightStem", "canciones niñas", "cancion[0-9] niñ[10-16]"),
        ("standard > italianLightStem", "ragazze amichi", "ragazz[0-7] amic[8-14]"),
        (
            "standard > portugueseLightStem",
            "canções rapidamente meninas",
            "canca[0-9] rapid[10-21] menin[22-29]",
        ),
        ("standard > portugueseMinimalStem", "canções hotéis", "canção[0-9] hotel[10-17]"),
        ("standard > galicianMinimalStem", "cancións hoteis", "canción[0-9] hotel[10-16]"),
        ("standard > russianLightStem", "книгами новый", "книг[0-14] нов[15-25]"),
        ("standard > swedishLightStem", "husarna", "husarn[0-7]"),
        ("standard > finnishLightStem", "taloissa kirjojen", "talo[0-8] kirjo[9-17]"),
        ("standard > hungarianLightStem", "házakban ablakok", "haz[0-9] ablak[10-17]"),
        ("standard > bulgarianStem", "градовете книгата", "град[0-18] книг[19-33]"),
        ("standard > czechStem", "ženách předseda", "žn[0-8] předsd[9-18]"),
        ("standard > latvianStem", "tirgiem pilsētas", "tirg[0-7] pilsēt[8-17]"),
        ("standard > arabicStem", "والكتاب معلمون", "كتاب[0-14] معلم[15-27]"),
        ("standard > persianStem", "كتابها بزرگتر", "كتاب[0-12] بزرگ[13-25]"),
        ("standard > hindiStem", "लड़कियों किताबें", "लड़क[0-24] किताब[25-46]"),
        ("standard > indonesianStem", "membangunkannya pendiriannya", "bangun[0-15] diri[16-28]"),
        ("standard > bengaliStem", "করেছিলাম", "কর[0-24]"),
    ]);
}

#[test]
fn normalizing() {
    check(&[
        ("standard > arabicNormalization", "آدم مدرسة مُدَرِّس", "ادم[0-6] مدرسه[7-17] مدرس[18-34]"),
        ("standard > persianNormalization", "کتابی", "كتابي[0-10]"),
        (
            "standard > germanNormalization",
            "weißbier Haus quelle Häuser Haeuser",
            "weissbier[0-9] Haus[10-14] quelle[15-21] Hauser[22-29] Hauser[30-37]",
        ),
        (
            "standard > scandinavianNormalization",
            "blåbærsyltetøj blaabaersyltetoej räksmörgås",
            "blåbærsyltetøj[0-17] blåbærsyltetøj[18-35] ræksmørgås[36-49]",
        ),
        (
            "standard > scandinavianFolding",
            "blåbærsyltetøj raaksmoergaas",
            "blabarsyltetoj[0-17] raksmorgas[18-31]",
        ),
        ("standard > norwegianNormalization", "blaabaer aoe", "blåbær[0-8] aø[9-12]"),
        ("standard > serbianNormalization", "Београд ђак џеп", "Бeograd[0-14] djak[15-21] dzep[22-28]"),
        ("standard > soraniNormalization", "كوردي", "کوردی[0-10]"),
        ("standard > decimalDigit", "١٢٣ ४५", "123[0-6 <NUM>] 45[7-13 <NUM>]"),
        (
            "standard > asciiFolding",
            "Ænima œuvre ﬁn ①② Ñandú",
            "AEnima[0-6] oeuvre[7-13] fin[14-18] Nandu[26-33]",
        ),
        ("standard > asciiFolding preserveOriginal=true", "café bar", "cafe[0-5] café[0-5 +0] bar[6-9]"),
        ("standard > elision", "l'avion d’accord aujourd'hui", "avion[0-7] accord[8-18] aujourd'hui[19-30]"),
        ("standard > elision articles=articles.txt", "l'avion qu'il", "avion[0-7] qu'il[8-13]"),
        ("standard > apostrophe", "Ankara'da", "Ankara[0-9]"),
        ("standard > cjkWidth", "ｶﾞｷﾞ Ａ１", "ガギ[0-12 <KATAKANA>] A1[13-19]"),
        ("standard > trim", "x", "x[0-1]"),
        ("keyword > trim", "  a b ", "a b[0-6]"),
    ]);
}

#[test]
fn more() {
    check(&[
        (
            "standard > shingle",
            "please divide this",
            "please[0-6] please divide[0-13 +0 len2 shingle] divide[7-13] divide this[7-18 +0 len2 shingle] this[14-18]",
        ),
        (
            "standard > stop > shingle maxShingleSize=3",
            "walk in the park",
            "walk[0-4] walk _[0-12 +0 len2 shingle] walk _ _[0-12 +0 len3 shingle] _ _ park[12-16 len3 shingle] _ park[12-16 len2 shingle] park[12-16]",
        ),
        (
            "standard > shingle outputUnigrams=false tokenSeparator=_",
            "a b c",
            "a_b[0-3 shingle] b_c[2-5 shingle]",
        ),
        ("standard > fixedShingle shingleSize=2", "a b c", "a b[0-3 shingle] b c[2-5 shingle]"),
        (
            "standard > commonGrams",
            "the quick fox",
            "the[0-3] the_quick[0-9 +0 len2 gram] quick[4-9] fox[10-13]",
        ),
        (
            "standard > commonGramsQuery",
            "the quick fox jumps",
            "the_quick[0-9 gram] quick[4-9] fox[10-13] jumps[14-19]",
        ),
        ("standard > nGram minGramSize=2 maxGramSize=3", "fox", "fo[0-3] fox[0-3 +0] ox[0-3 +0]"),
        (
            "standard > edgeNGram minGramSize=2 maxGramSize=3 preserveOriginal=true",
            "f foxes",
            "f[0-1] fo[2-7] fox[2-7 +0] foxes[2-7 +0]",
        ),
        (
            "standard > cjkBigram",
            "漢字仮名 abc 한국",
            "漢字[0-6 <DOUBLE>] 字仮[3-9 <DOUBLE>] 仮名[6-12 <DOUBLE>] abc[13-16] 한국[17-23 <DOUBLE>]",
        ),
        (
            "standard > cjkBigram outputUnigrams=true hiragana=false",
            "漢字かな名",
            "漢[0-3 <SINGLE>] 漢字[0-6 +0 len2 <DOUBLE>] 字[3-6 <SINGLE>] か[6-9 <HIRAGANA>] な[9-12 <HIRAGANA>] 名[12-15 <SINGLE>]",
        ),
        ("standard > reversedWildcard", "foo", "\u{1}oof[0-3] foo[0-3 +0]"),
        ("whitespace > hyphenatedWords", "eco- logical x", "ecological[0-12] x[13-14]"),
        ("whitespace > patternReplace pattern=[aeiou] replacement=_", "education", "_d_c_t__n[0-9]"),
        (
            r#"whitespace > patternCaptureGroup pattern=(\w+)@(\w+)"#,
            "joe@site",
            "joe@site[0-8] joe[0-8 +0] site[0-8 +0]",
        ),
        ("whitespace > delimitedPayload encoder=float", "a|1.5 b", "a[0-5 payload=3fc00000] b[6-7]"),
        ("whitespace > delimitedPayload encoder=integer delimiter=#", "a#7", "a[0-3 payload=00000007]"),
        ("whitespace > delimitedPayload encoder=identity", "a|x", "a[0-3 payload=78]"),
        (
            "standard > typeAsSynonym prefix=t_",
            "a 1",
            "a[0-1] t_<ALPHANUM>[0-1 +0] 1[2-3 <NUM>] t_<NUM>[2-3 +0 <NUM>]",
        ),
        ("standard > doubleMetaphone inject=false", "Thompson international", "TMPS[0-8] ANTR[9-22]"),
        ("standard > phonetic encoder=RefinedSoundex", "testing", "T6036084[0-7] testing[0-7 +0]"),
        ("standard > capitalization", "hello world", "Hello[0-5] World[6-11]"),
        (
            "standard > dictionaryCompoundWord dictionary=dict.txt",
            "donaudampfschiff",
            "donaudampfschiff[0-16] donau[0-16 +0] dampf[0-16 +0] schiff[0-16 +0]",
        ),
        (
            "standard > dictionaryCompoundWord dictionary=dict.txt",
            "Donaudampfschiff donauDampfSchiff",
            "Donaudampfschiff[0-16] dampf[0-16 +0] schiff[0-16 +0] donauDampfSchiff[17-33] donau[17-33 +0]",
        ),
        ("standard > fingerprint", "b a b c", "a b c[0-7 fingerprint]"),
        ("standard > reverseString", "abc", "cba[0-3]"),
        (
            "standard > protectedTerm protected=protected.txt wrappedFilters=uppercase",
            "running fox",
            "running[0-7] FOX[8-11]",
        ),
    ]);
}

#[test]
fn classic_words_and_addresses() {
    check(&[
        (
            "classic",
            "O'Reilly's U.S.A. a.b. AT&T joe.x@foo.com www.foo.com 10-20/3,5 漢字 한국 x²",
            "O'Reilly's[0-10 <APOSTROPHE>] U.S.A.[11-17 <ACRONYM>] a.b.[18-22 <ACRONYM>] AT&T[23-27 <COMPANY>] joe.x@foo.com[28-41 <EMAIL>] www.foo.com[42-53 <HOST>] 10-20/3,5[54-63 <NUM>] 漢[64-67 <CJ>] 字[67-70 <CJ>] 한국[71-77] x[78-79]",
        ),
        ("classic maxTokenLength=4", "ab abcdef cd", "ab[0-2] cd[10-12 +2]"),
        ("classic > classic", "Dogs' dog's I.B.M.", "Dogs[0-4] dog[6-11 <APOSTROPHE>] IBM[12-18 <ACRONYM>]"),
        (
            "uax29UrlEmail",
            "see foo.com. Or joe@foo.co.uk, http://a:b@x/p?q=1#f ftp://x/y 192.168.0.1 3.14",
            "see[0-3] foo.com.[4-12 <URL>] Or[13-15] joe@foo.co.uk[16-29 <EMAIL>] http://a:b@x/p?q=1#f[31-51 <URL>] ftp://x/y[52-61 <URL>] 192.168.0.1[62-73 <URL>] 3.14[74-78 <NUM>]",
        ),
        (
            "uax29UrlEmail",
            "foo.com-bar foo.comb foo.com漢 mailto:joe@foo.com [::1]/x",
            "foo.com[0-7] bar[8-11] foo.comb[12-20] foo.com[21-28] 漢[28-31 <IDEOGRAPHIC>] mailto[32-38] joe@foo.com[39-50 <EMAIL>] [::1]/x[51-58 <URL>]",
        ),
        (
            "uax29UrlEmail",
            r#""joe x"@foo.com a@[1.2.3.4] foo.com:80/x"#,
            r#""joe x"@foo.com[0-15 <EMAIL>] a@[1.2.3.4][16-27 <EMAIL>] foo.com:80/x[28-40 <URL>]"#,
        ),
        ("whitespace > suggestStop", "the fox the", "fox[4-7 +2] the[8-11 keyword]"),
        ("whitespace > suggestStop", "the fox the ", "fox[4-7 +2]"),
        (
            "whitespace > icuTransform id=Traditional-Simplified",
            "漢語 龍 简体 abc",
            "汉语[0-6] 龙[7-10] 简体[11-17] abc[18-21]",
        ),
        ("whitespace > icuTransform id=Fullwidth-Halfwidth", "ＡＢ１ ガ", "AB1[0-9] ｶﾞ[10-13]"),
        (
            "cf:icuNormalizer2 > whitespace",
            "ﬁne Ａ１ ét ½ ｶﾞ",
            "fine[0-5] a1[6-12] ét[13-17] 1⁄2[18-20] ガ[21-27]",
        ),
    ]);
}

#[test]
fn icu_words() {
    check(&[
        (
            "icu",
            "我是中国人。今日は カタカナ abc１２ 12",
            "我是[0-6 <IDEOGRAPHIC>] 中国人[6-15 <IDEOGRAPHIC>] 今日[18-24 <IDEOGRAPHIC>] は[24-27 <IDEOGRAPHIC>] カタカナ[28-40 <IDEOGRAPHIC>] abc１２[41-50 <NUM>] 12[51-53 <NUM>]",
        ),
        (
            "icu cjkAsWords=false",
            "漢字カナひら",
            "漢[0-3 <IDEOGRAPHIC>] 字[3-6 <IDEOGRAPHIC>] カナ[6-12 <KATAKANA>] ひ[12-15 <HIRAGANA>] ら[15-18 <HIRAGANA>]",
        ),
        (
            "icu",
            "ภาษาไทย 한국어 abcтест don't x:y foo_bar _ ___",
            "ภาษา[0-12] ไทย[12-21] 한국어[22-31 <HANGUL>] abc[32-35] тест[35-43] don't[44-49] x[50-51] y[52-53] foo_bar[54-61] ___[64-67]",
        ),
        (
            "icu",
            "👍🏽 🇩🇪 1\u{fe0f}⃣ © ★ ♪",
            "👍🏽[0-8 <EMOJI>] 🇩🇪[9-17 <EMOJI>] 1\u{fe0f}⃣[18-25 <EMOJI>] ★[29-32 <EMOJI>] ♪[33-36 <EMOJI>]",
        ),
        ("standard", "★ ♪ ☆ ♬", "★[0-3 <EMOJI>] ♪[4-7 <EMOJI>] ♬[12-15 <EMOJI>]"),
    ]);
}

/// The words alone, for filters that change nothing else.
fn check_terms(rows: &[(&str, &str, &str)]) {
    for (chain, text, expected) in rows {
        let terms: Vec<String> = build(chain).analyze(text).into_iter().map(|token| token.text).collect();
        assert_eq!(terms.join(" "), *expected, "{chain}");
    }
}

#[test]
fn stems_of_languages() {
    check_terms(&[
        (
            "whitespace > portugueseStem",
            "êxito peito avaliação impossível legais objetivo emissora falamos exclusiva entendem merda mérito felizmente professoras vilãs",
            "exit peit avali impossivel legal obje emis fal exclus entend merd merit feliz profes vil",
        ),
        (
            "whitespace > portugueseMinimalStem",
            "discos importantes principais preparados dirigentes mapas chinês participantes superiores histórias informações deputados",
            "disco importante principal preparado dirigente mapa chinê participante superior história informação deputado",
        ),
        (
            "whitespace > galicianStem",
            "arrecenderan ameedes zarapicara acróbata embarreiran domaba acangalláramos acañardes distorsionastes catraiarias afoparian encadernación cansadísimos luns mulleraza",
            "arrecender ame zarapic acrobat embarreir dom acangall acañ distorsion catra afopar encadern cans lun mull",
        ),
        (
            "whitespace > galicianMinimalStem",
            "reinscrebérades levábades tambulladas oligofrénicas imutarias porexaríades comiserastes encanteiras ofertades xouleáredes moeses encravellaras",
            "reinscrebérade levábade tambullada oligofrénica imutaria porexaríade comiseraste encanteira ofertade xouleárede moes encravellara",
        ),
        (
            "whitespace > greekLowercase > greekStem",
            "συγκεκριμένη συγγραφείσ μοναξιά νοσοκομείου τάξησ χαμόγελο κατασκευέσ άδεια πράξεισ παναγιώτη αποκλειστικά παράνομο τέρατα αγαμε ουντανε φωτός κρεασ",
            "συγκεκριμεν συγγραφ μοναξ νοσοκομει ταξ χαμογελ κατασκευ αδει πραξ παναγιωτ αποκλειστ παρανομ τερ αγαμ  φω κρε",
        ),
        (
            "whitespace > norwegianLightStem",
            "etablere munnen delta samtlige gardermoen slaget flyttes samtaler jordan polen stoppe medisin",
            "etabl munn delt samtlig gardermo slag flyt samtal jorda pol stopp medisi",
        ),
        (
            "whitespace > norwegianLightStem variant=nn",
            "ytringsfrihet fordelen uttalelse håndtere anbefalinger huden motsatte rapportere pasienten kontrollen bussen tilhenger heiter kjærleikar husane",
            "ytringsfrih fordel uttal håndter anbefaling hud motsat rapporter pasient kontroll buss tilheng heit kjær hus",
        ),
        (
            "whitespace > norwegianMinimalStem variant=no",
            "eiere enklere episoden skylden skiller aksjonen venstresiden tilhører magiske helter karakterer psykiske",
            "eier enkler episod skyld skill aksjon venstresid tilhør magisk helt karakter psykisk",
        ),
        (
            "whitespace > swedishMinimalStem",
            "ukraina citat smakar annans vänster soppa konservativa gynnar trupper vilja detsamma kursen",
            "ukrain cit smak anna vänst sopp konservativ gynn trupp vilj detsamm kurs",
        ),
        (
            "whitespace > spanishMinimalStem",
            "factores éxitos logros mejores aguas reservas habíamos ensayos numerosos estructuras privados áreas",
            "factor exito logro mejor agua reserva habiamo ensayo numeroso estructura privado area",
        ),
        (
            "whitespace > spanishPluralStem",
            "falsos negros críticos sabías además oficinas celulares japonés pensé unidas empezamos tradicionales cumpleaños relojes luces jerséis quesos crisis",
            "falso negro critico sabia adema oficina celular japon pense unida empezamo tradicional cumpleaños reloj luz jersey queso crisis",
        ),
        (
            "whitespace > germanStem",
            "äusserst neuem klingen gefährlich investieren bezahlt ersten zahlreichen weisen fieber angeles irgendein Lehrerinnen gegessen Straße x1",
            "ausserst neu kling gefahrlich investier bezahl erst zahlreich weis fieb angel irgendei lehreri gess strass x1",
        ),
        (
            "whitespace > brazilianStem",
            "árvores clube palácio tiago quase tradução marcelo vitórias criminoso dedicado infraestrutura ameaça bons queira biologias -casa- uciones",
            "arvor club palaci tiag quas traduca marcel vitor crimin dedic infraestrutur ameac bons queir biolog cas ucion",
        ),
        (
            "whitespace > bengaliNormalization",
            "গ্রীষ্মের সঙ্গীত ব্যবস্থাপনা পরিমাণ দশমিক ব্যবহার স্প্যানিশ সূত্রপাত ক্ষেত্র উদ্বেগ পরমাণু নিয়ন্ত্রণের ক্যা স্বর বিশ্ব দুঃখ",
            "গ্রিস্মের সং্গিত বেবস্থাপনা পরিমান দসমিক বেবহার স্পানিস সুত্রপাত ক্সেত্র উদদেগ পরমানু নিয়ন্ত্রনের কে সর বিসস দুখখ",
        ),
        (
            "whitespace > teluguNormalization",
            "మ్లేచ్ఛముఖం చేయించుకోనలవియైనది ఛేదించి వుప్పునీళ్లు చచ్చేంత భోగభాగ్యం ఆఖ్యను గడగడవణీకించుట గ్రావెలురోడ్డు కోతిమామిడి పోతివి ఆసారం ఔను ఆమె",
            "మ్లెచ్ఛముఖం చెయించుకొనలవియైనది ఛెదించి వుప్పునిళ్లు చచ్చెంత భొగభాగ్యం అఖ్యను గడగడవణికించుట గ్రావెలురొడ్డు కొతిమామిడి పొతివి అసారం ఓను అమె",
        ),
        (
            "whitespace > teluguStem",
            "శాసకుడు యెక్కడనైనా భానుమూర్తి నిడువుమూతి బయలుకు బలవంతుడు ఘాతుకజంతువు అచ్ఛాదనము పంచలోహము ఖిన్నుడుగా సన్ననూలు సమోసా",
            "శాసకు యెక్కడనైన భానుమూర్త నిడువుమూత బయలుక బలవంతు ఘాతుకజంతు అచ్ఛాదన పంచలోహ ఖిన్నుడుగ సన్ననూ సమోస",
        ),
        (
            "whitespace > indonesianStem",
            "bersama diperkenalkan pengakuan melepaskan penulis penanganan memegang namanya keturunan asuhan diskusi kebersamaan",
            "sama kenal aku lepas tulis tangan egang nama turun asuh skusi sama",
        ),
        (
            "whitespace > indonesianStem stemDerivational=false",
            "sebabnya karenanya jadilah apapun waktumu selamanya hatiku sendirinya jadinya apakah hanyalah sedikitpun",
            "sebab karena jadi apa waktu selama hati sendiri jadi apa hanya sedikit",
        ),
        (
            "whitespace > kStem",
            "pilots relationships beats investments introduced birds questions springs immigration deals kills stayed agencies hopping american casted nationally ible operators",
            "pilot relationship beat investment introduce bird question spring immigrate deal kill stay agency hop america cast national ate operator",
        ),
        ("whitespace > soraniStem", "پیاوەکان کتێبەکەمان شارانە دەستی پیاوێکی", "پیاو کتێب شاران دەست پیاو"),
    ]);
}
