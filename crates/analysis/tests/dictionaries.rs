//! Japanese and Korean chains against Solr: each row is a chain, a text, and the tokens that Solr 9.10.1
//! (Lucene 9.12.3) made of it, as recorded, with offsets in bytes; the form is that of `recorded.rs`. Lucene
//! ships an older release of the Korean dictionary: the Korean rows are texts on which the releases agree.

use analysis::{Analyzer, ErrorKind, Token};
use plan::{AnalyzerSpec, ComponentSpec, Resources};

/// A chain, a text and its tokens.
type Row = (&'static str, &'static str, &'static str);

const FILES: &[(&str, &str)] = &[
    (
        "ja.csv",
        "# surface,segments,readings,tag\n関西国際空港,関西 国際 空港,カンサイ コクサイ クウコウ,地名\n",
    ),
    ("ko.txt", "# words\n세종시 세종 시\nc++\n"),
    ("short.csv", "東京,東 京,トウキョウ,地名\n"),
    ("twice.csv", "東京,東京,トウキョウ,地名\n東京,東京,トウキョウ,地名\n"),
    ("columns.csv", "東京,東京\n"),
    ("long.txt", "세종 세종시\n"),
];

const JAPANESE: &[Row] = &[
    (
        "japanese",
        "吾輩は猫である。名前はまだ無い。",
        "吾輩[0-6] は[6-9] 猫[9-12] で[12-15] ある[15-21] 名前[24-30] は[30-33] まだ[33-39] 無い[39-45]",
    ),
    ("japanese", "関西国際空港に行った", "関西[0-6] 国際[6-12] 空港[12-18] に[18-21] 行っ[21-27] た[27-30]"),
    ("japanese mode=normal", "関西国際空港に行った", "関西国際空港[0-18] に[18-21] 行っ[21-27] た[27-30]"),
    (
        "japanese discardCompoundToken=false",
        "シニアソフトウェアエンジニアと関西国際空港",
        "シニア[0-9] シニアソフトウェアエンジニア[0-42 +0 len3] ソフトウェア[9-27] エンジニア[27-42] と[42-45] 関西[45-51] 関西国際空港[45-63 +0 len3] 国際[51-57] 空港[57-63]",
    ),
    (
        "japanese mode=extended",
        "モバゲーでﾊﾝｶｸ😀𠮷野",
        "モ[0-3] バ[3-6] ゲ[6-9] ー[9-12] で[12-15] ﾊ[15-18] ﾝ[18-21] ｶ[21-24] ｸ[24-27] 😀[27-31] 𠮷[31-35] 野[35-38]",
    ),
    (
        "japanese mode=normal",
        "すもももももももものうち",
        "すもも[0-9] も[9-12] もも[12-18] も[18-21] もも[21-27] の[27-30] うち[30-36]",
    ),
    (
        "japanese discardPunctuation=false",
        "え？ 「１，２３４円」…。",
        "え[0-3] ？[3-6]  [6-7] 「[7-10] １[10-13] ，[13-16] ２[16-19] ３[19-22] ４[22-25] 円[25-28] 」[28-31] …[31-34] 。[34-37]",
    ),
    (
        "japanese",
        "https://例.jp/ とABC株式会社 Ωμ Привет",
        "https[0-5] 例[8-11] jp[12-14] と[16-19] ABC[19-22] 株式[22-28] 会社[28-34] Ω[35-37] μ[37-39] Привет[40-52]",
    ),
    ("japanese", " \u{3000}。、", ""),
    ("japanese", "", ""),
    (
        "japanese",
        "ロサンゼルスオリンピックスタジアムーーー",
        "ロサンゼルス[0-18] オリンピック[18-36] スタジアムーーー[36-60]",
    ),
    (
        "japanese",
        "行きたくなかった人々が食べられる",
        "行き[0-6] たく[6-12] なかっ[12-21] た[21-24] 人々[24-30] が[30-33] 食べ[33-39] られる[39-48]",
    ),
    (
        "japanese userDictionary=ja.csv",
        "関西国際空港と羽田",
        "関西[0-6] 国際[6-12] 空港[12-18] と[18-21] 羽田[21-27]",
    ),
    (
        "japanese userDictionary=ja.csv > japaneseReadingForm",
        "関西国際空港と羽田",
        "カンサイ[0-6] コクサイ[6-12] クウコウ[12-18] ト[18-21] ハタ[21-27]",
    ),
    (
        "japanese > japaneseBaseForm",
        "走らせて美しく書かれなかった",
        "走る[0-6] せる[6-9] て[9-12] 美しい[12-21] 書く[21-27] れる[27-30] ない[30-39] た[39-42]",
    ),
    (
        "japanese > japanesePartOfSpeechStop",
        "私は、昨日東京へ行きましたか。",
        "私[0-3] 昨日[9-15 +2] 東京[15-21] 行き[24-30 +2]",
    ),
    (
        "japanese > japaneseKatakanaStem",
        "コピー コーヒー サーバー タクシー",
        "コピー[0-9] コーヒ[10-22] サーバ[23-35] タクシ[36-48]",
    ),
    (
        "japanese > japaneseReadingForm",
        "今夜はぽげぽげ寿司詰めABC",
        "コンヤ[0-6] ハ[6-9] ポ[9-12] ゲ[12-15] ポ[15-18] ゲ[18-21] スシ[21-27] ヅメ[27-33] ABC[33-36]",
    ),
    (
        "japanese > japaneseReadingForm useRomaji=true",
        "東京で珈琲とジャッキーチェンを聞いたんや",
        "tōkyō[0-6] de[6-9] kohi[9-15] to[15-18] jakkichen[18-42] o[42-45] kii[45-51] ta[51-54] n[54-57] ya[57-60]",
    ),
    (
        "japanese discardPunctuation=false > japaneseNumber",
        "〇〇七は三千2百２十三、１．２万３４５．６７円と兆六百万五千一",
        "7[0-9] は[9-12] 3223[12-31] 、[31-34] 12345.67[34-64] 円[64-67] と[67-70] 1000006005001[70-91]",
    ),
    (
        "japanese > japaneseHiraganaUppercase > japaneseKatakanaUppercase",
        "ちょっとストップウォッチㇷ゚",
        "ちよつと[0-12] ストツプ[12-24] ウオツチフ[24-39] ゚[39-42]",
    ),
    (
        "cf:japaneseIterationMark > japanese",
        "時々馬鹿々々しいところゞゝゝみすゞ",
        "時時[0-6] 馬鹿馬鹿しい[6-24] ところどころ[24-42] みすず[42-51]",
    ),
    (
        "japanese mode=search > japaneseBaseForm > japanesePartOfSpeechStop > cjkWidth > japaneseKatakanaStem minimumLength=4 > lowercase",
        "ＡＢＣ商事のサーバーは停止していました。",
        "abc[0-9] 商事[9-15] サーバ[18-30 +2] 停止[33-39 +2] する[39-42] いる[45-48 +2]",
    ),
];

const KOREAN: &[Row] = &[
    (
        "korean",
        "한국은 대단한 나라입니다.",
        "한국[0-6] 은[6-9] 대단[10-16] 하[16-19] ᆫ[16-19] 나라[20-26] 이[26-35] ᄇ니다[26-35]",
    ),
    ("korean", "뿌리가 깊은 나무는", "뿌리[0-6] 가[6-9] 깊[10-13] 은[13-16] 나무[17-23] 는[23-26]"),
    (
        "korean decompoundMode=none",
        "가락지나물은 한국, 중국, 일본에 분포한다.",
        "가락지나물[0-15] 은[15-18] 한국[19-25] 중국[27-33] 일본[35-41] 에[41-44] 분포[45-51] 한다[51-57]",
    ),
    (
        "korean decompoundMode=mixed",
        "가락지나물은 한국, 중국, 일본에 분포한다.",
        "가락지나물[0-15 len2] 가락지[0-9 +0] 나물[9-15] 은[15-18] 한국[19-25] 중국[27-33] 일본[35-41] 에[41-44] 분포[45-51] 한다[51-57 len2] 하[51-57 +0] ᆫ다[51-57]",
    ),
    (
        "korean decompoundMode=discard",
        "가락지나물은 한국, 중국, 일본에 분포한다.",
        "가락지[0-9] 나물[9-15] 은[15-18] 한국[19-25] 중국[27-33] 일본[35-41] 에[41-44] 분포[45-51] 하[51-57] ᆫ다[51-57]",
    ),
    (
        "korean",
        "아버지가 방에 들어가신다",
        "아버지[0-9] 가[9-12] 방[13-16] 에[16-19] 들어가[20-29] 시[29-35] ㄴ다[29-35]",
    ),
    (
        "korean decompoundMode=mixed",
        "아버지가 방에 들어가신다",
        "아버지[0-9] 가[9-12] 방[13-16] 에[16-19] 들어가[20-29] 신다[29-35 len2] 시[29-35 +0] ㄴ다[29-35]",
    ),
    (
        "korean discardPunctuation=false",
        "10.1 인치  모니터!",
        "10[0-2] .[2-3] 1[3-4]  [4-5] 인치[5-11]  [11-12]  [12-13] 모니터[13-22] ![22-23]",
    ),
    ("korean outputUnknownUnigrams=true", "뷁뛣 랿쉟", "뷁[0-3] 뛣[3-6] 랿[7-10] 쉟[10-13]"),
    (
        "korean",
        "ABC초콜릿을 10,000원에 😀샀다",
        "ABC[0-3] 초콜릿[3-12] 을[12-15] 10[16-18] 000[19-22] 원[22-25] 에[25-28] 😀[29-33] 사[33-36] ㅏㅆ[33-36] 다[36-39]",
    ),
    ("korean", "", ""),
    ("korean", " \t\n。…", ""),
    (
        "korean",
        "검색엔진의성능을향상시키기위한연구",
        "검색[0-6] 엔진[6-12] 의[12-15] 성능[15-21] 을[21-24] 향상[24-30] 시키[30-36] 기[36-39] 위하[39-45] ᆫ[39-45] 연구[45-51]",
    ),
    ("korean", "こんにちは мир ㆍ漢字ㆍé\u{301}", "こんにちは[0-15] мир[16-22] 漢字[26-32] é\u{301}[35-39]"),
    ("korean", "감사합니다ㅋㅋㅋ ㅠㅠ", "감사[0-6] 하[6-15] ᄇ니다[6-15] ㅋㅋㅋ[15-24] ㅠㅠ[25-31]"),
    (
        "korean > koreanPartOfSpeechStop",
        "여름이 아름다운 나라에 빨리 왔다",
        "여름[0-6] 아름답[10-22 +2] 나라[23-29 +2] 오[40-43 +3]",
    ),
    (
        "korean > koreanPartOfSpeechStop tags=JKS,ec,NNG",
        "여름이 아름다운 나라에 빨리 왔다",
        "아름답[10-22 +3] 빨리[33-39 +4] 오[40-43]",
    ),
    (
        "korean > koreanReadingForm",
        "車丞相과 大韓民國 漢字",
        "차[0-3] 승상[3-9] 과[9-12] 대한[13-19] 민국[19-25] 한자[26-32]",
    ),
    (
        "korean discardPunctuation=false > koreanNumber",
        "영영칠 삼천2백2십삼 ３．２천 조육백만오천일 4,647.100",
        "7[0-9]  [9-10] 3223[10-27]  [27-28] 3200[28-40]  [40-41] 1000006005001[41-62]  [62-63] 4647.1[63-72]",
    ),
    (
        "korean userDictionary=ko.txt decompoundMode=mixed",
        "세종시에 c++ C++",
        "세종시[0-9 len2] 세종[0-6 +0] 시[6-9] 에[9-12] c++[13-16] C[17-18]",
    ),
    (
        "korean decompoundMode=discard > koreanPartOfSpeechStop > koreanReadingForm > lowercase",
        "Lucene으로 大學 검색을 했다",
        "lucene[0-6] 대학[13-19 +2] 검색[20-26] 하[30-33 +2]",
    ),
];

fn component(source: &str) -> ComponentSpec {
    let mut words = source.split(' ');
    let name = words.next().unwrap_or_default().to_owned();
    let args = words.filter_map(|word| word.split_once('='));
    ComponentSpec { name, args: args.map(|(key, value)| (key.to_owned(), value.to_owned())).collect() }
}

fn build(chain: &str) -> Result<Analyzer, analysis::Error> {
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
    Analyzer::build(&spec, &files)
}

fn show(token: &Token) -> String {
    let mut parts = vec![format!("{}-{}", token.start, token.end)];
    if token.position_increment != 1 {
        parts.push(format!("+{}", token.position_increment));
    }
    if token.position_length != 1 {
        parts.push(format!("len{}", token.position_length));
    }
    format!("{}[{}]", token.text, parts.join(" "))
}

fn check(rows: &[Row]) {
    for (chain, text, expected) in rows {
        let analyzer = build(chain).expect(chain);
        let tokens: Vec<String> = analyzer.analyze(text).iter().map(show).collect();
        assert_eq!(tokens.join(" "), *expected, "{chain}: {text}");
    }
}

#[test]
fn japanese_is_cut_like_solr() {
    check(JAPANESE);
}

#[test]
fn korean_is_cut_like_solr() {
    check(KOREAN);
}

#[test]
fn arguments_and_files_are_checked() {
    let rows = [
        ("japanese mode=fast", ErrorKind::BadArgument, "`fast`"),
        ("japanese nBestCost=2000", ErrorKind::Unsupported, "`nBestCost`"),
        ("japanese userDictionary=no.csv", ErrorKind::MissingResource, "`no.csv`"),
        ("japanese userDictionary=short.csv", ErrorKind::BadResource, "readings"),
        ("japanese userDictionary=twice.csv", ErrorKind::BadResource, "two entries"),
        ("japanese userDictionary=columns.csv", ErrorKind::BadResource, "`東京,東京`"),
        ("japanese > japaneseKatakanaStem minimumLength=0", ErrorKind::BadArgument, "`minimumLength`"),
        ("korean decompoundMode=all", ErrorKind::BadArgument, "`all`"),
        ("korean userDictionary=long.txt", ErrorKind::BadResource, "longer"),
        ("korean > koreanPartOfSpeechStop tags=XYZ", ErrorKind::BadArgument, "`XYZ`"),
        ("standard > japaneseCompletion", ErrorKind::Unsupported, "`japaneseCompletion`"),
    ];
    for (chain, kind, part) in rows {
        let error = build(chain).expect_err(chain);
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.message.contains(part), "{error} has no {part}");
    }
}

/// Texts without a place at which the search could decide, and characters of all kinds side by side.
#[test]
fn any_text_is_cut_into_pieces_of_itself() {
    let mixed = "漢字かなカナﾊﾝ한국어ab１2。😀𠮷\u{301}\u{0}　々ー「㍻½ㆍéЯ";
    let shuffled: String = (0..2000).filter_map(|at| mixed.chars().nth(at * at % 37)).collect();
    let texts = [shuffled, "ア".repeat(3000), "すもも".repeat(900), "가".repeat(2500), " ".repeat(1500)];
    let chains =
        ["japanese", "japanese mode=extended discardCompoundToken=false", "korean decompoundMode=mixed"];
    for chain in chains {
        let analyzer = build(chain).expect(chain);
        for text in &texts {
            let mut last = 0;
            for token in analyzer.analyze(text) {
                assert!(text.get(token.start as usize..token.end as usize).is_some(), "{token:?}");
                assert!(token.start >= last || token.position_increment == 0, "{token:?}");
                last = token.start;
            }
        }
    }
}

#[test]
fn tokens_of_other_tokenizers_pass_the_filters_unchanged() {
    let chains = [
        "whitespace > japaneseBaseForm > japanesePartOfSpeechStop > japaneseReadingForm",
        "whitespace > koreanPartOfSpeechStop > koreanReadingForm",
    ];
    for chain in chains {
        let tokens = build(chain).expect(chain).analyze("走った は 漢字");
        let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
        let expected = if chain.contains("japanese") {
            ["走ッタ", "ハ", "漢字"]
        } else {
            ["走った", "は", "漢字"]
        };
        assert_eq!(texts, expected);
    }
}
