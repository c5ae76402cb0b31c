//! Snippets with what was found marked in them: which fields, by which method, cut and marked how. Nearly all of them may be
//! given for one field as `f.<field>.<name>`.

use super::spec::{float, integer, switch, text};
use super::{Param, ParamDoc};

macro_rules! of_fields {
    ($($constant:ident: $type:ty = $parse:ident, $name:literal, $default:expr, $about:literal;)*) => {
        $(pub const $constant: Param<$type> = Param::per_field($name, $parse, $default, $about);)*

        /// Those that may be given for one field.
        pub const FIELD_DOCS: &[ParamDoc] = &[$($constant.doc(),)*];
    };
}

pub const HL: Param<bool> =
    Param::new("hl", switch, Some("false"), "Whether to show snippets with matches marked.");
pub const FIELDS: Param<String> = Param::new(
    "hl.fl",
    text,
    None,
    "The fields to take them from, between commas or spaces; `*` stands for any run. Else those that were searched by default.",
);
pub const QUERY: Param<String> = Param::new("hl.q", text, None, "The query to mark; else `q`.");
pub const QUERY_PARSER: Param<String> =
    Param::new("hl.qparser", text, None, "The parser of `hl.q`; else `defType`.");

of_fields! {
    METHOD: String = text, "hl.method", Some("unified"), "`unified`, `original` or `fastVector`; the last for fields with term vectors, others fall back to `original`.";
    SNIPPETS: i32 = integer, "hl.snippets", Some("1"), "Most snippets of a field.";
    FRAGMENT_SIZE: i32 = integer, "hl.fragsize", None, "How long a snippet should be, in characters: 70 by the unified method, 100 by others. 0 shows all.";
    CHARS_MAX: i32 = integer, "hl.maxAnalyzedChars", Some("51200"), "How much of a field's text is read.";
    PHRASES: bool = switch, "hl.usePhraseHighlighter", Some("true"), "Mark the words of a phrase only where the phrase stands.";
    MULTI_TERM: bool = switch, "hl.highlightMultiTerm", Some("true"), "Mark also what prefixes, wildcards, fuzzy words and ranges mean.";
    FIELD_MATCH: bool = switch, "hl.requireFieldMatch", Some("false"), "Mark in a field only what the query looks for in that field.";
    QUERY_FIELDS: String = text, "hl.queryFieldPattern", None, "Mark only what the query looks for in these fields. Unified.";
    TAG_BEFORE: String = text, "hl.tag.pre", None, "Stands before a match; by the `fastVector` method a list between commas.";
    TAG_AFTER: String = text, "hl.tag.post", None, "Stands behind a match.";
    SIMPLE_BEFORE: String = text, "hl.simple.pre", Some("<em>"), "Stands before a match; the unified method prefers `hl.tag.pre`.";
    SIMPLE_AFTER: String = text, "hl.simple.post", Some("</em>"), "Stands behind a match.";
    ENCODER: String = text, "hl.encoder", None, "By the name that the configuration gives it: `html` escapes what HTML would read as its own.";
    WEIGHT_MATCHES: bool = switch, "hl.weightMatches", Some("true"), "Mark what the query as a whole matches, phrases in one piece. Unified.";
    DEFAULT_SUMMARY: bool = switch, "hl.defaultSummary", Some("false"), "Show the beginning of texts without matches. Unified.";
    ELLIPSIS: String = text, "hl.tag.ellipsis", None, "Joins the snippets of a field into one. Unified.";
    SCORE_K1: f32 = float, "hl.score.k1", Some("1.2"), "How much repeated words add to a passage's score. Unified.";
    SCORE_B: f32 = float, "hl.score.b", Some("0.75"), "How much a passage's length takes from its score. Unified.";
    SCORE_PIVOT: f32 = float, "hl.score.pivot", Some("87"), "The mean length of passages. Unified.";
    OFFSET_SOURCE: String = text, "hl.offsetSource", None, "`ANALYSIS`: texts are always analysed again. Solr's other sources need an index with offsets.";
    ALIGN: f32 = float, "hl.fragAlignRatio", Some("0.33"), "The part of a passage that stands before its match. Unified.";
    AT_LEAST: bool = switch, "hl.fragsizeIsMinimum", Some("true"), "Whether `hl.fragsize` is the least rather than the best length. Unified.";
    BREAK_TYPE: String = text, "hl.bs.type", None, "Where to cut: `SENTENCE`, `WORD`, `LINE`, `CHARACTER`, `SEPARATOR`, `WHOLE`; `WORD` for boundary scanners, else `SENTENCE`.";
    BREAK_SEPARATOR: String = text, "hl.bs.separator", None, "The character to cut behind. Unified.";
    BREAK_LANGUAGE: String = text, "hl.bs.language", None, "The language of the text to cut; Java's rules are the same for all.";
    BREAK_COUNTRY: String = text, "hl.bs.country", None, "The country of that language.";
    BREAK_VARIANT: String = text, "hl.bs.variant", None, "The variant of that language.";
    MERGE: bool = switch, "hl.mergeContiguous", Some("false"), "Join snippets that touch. Original.";
    VALUES_EXAMINED_MAX: i32 = integer, "hl.maxMultiValuedToExamine", None, "How many values are looked at. Original.";
    VALUES_MATCHED_MAX: i32 = integer, "hl.maxMultiValuedToMatch", None, "After how many matched snippets to stop. Original.";
    KEEP_VALUES: bool = switch, "hl.preserveMulti", Some("false"), "Show all values in their order, matched or not. Original.";
    ALTERNATE: String = text, "hl.alternateField", None, "What to show where nothing matched. Original and `fastVector`.";
    ALTERNATE_LENGTH: i32 = integer, "hl.maxAlternateFieldLength", Some("0"), "How much of it; 0 shows all.";
    ALTERNATE_MARKED: bool = switch, "hl.highlightAlternate", Some("true"), "Whether to mark matches in it.";
    FORMATTER: String = text, "hl.formatter", None, "How to mark, by the name that `<highlighting>` of the configuration gives it, such as `html`. Original.";
    FRAGMENTER: String = text, "hl.fragmenter", None, "How to cut, by the name that the configuration gives it: `gap` by length, `regex` by a pattern. Original.";
    REGEX_PATTERN: String = text, "hl.regex.pattern", Some("[-\\w ,\\n\"']{20,200}"), "What a snippet should look like.";
    REGEX_SLOP: f32 = float, "hl.regex.slop", Some("0.6"), "How far its length may be off, as a part of it.";
    REGEX_INCREMENT: i32 = integer, "hl.increment", Some("50"), "Which gap of positions begins a snippet.";
    REGEX_CHARS_MAX: i32 = integer, "hl.regex.maxAnalyzedChars", Some("10000"), "Up to where the pattern is tried.";
    FRAGMENT_LIST: String = text, "hl.fragListBuilder", None, "`simple`, `weighted` by the rarity of words, `single` for the whole text, by the names that the configuration gives them. `fastVector`.";
    FRAGMENTS: String = text, "hl.fragmentsBuilder", None, "How fragments become snippets, by the name that the configuration gives it; it may bring `hl.tag.pre` and `hl.tag.post`. `fastVector`.";
    BOUNDARY_SCANNER: String = text, "hl.boundaryScanner", None, "By the name that the configuration gives it: `default` looks for characters, `breakIterator` for words or sentences. `fastVector`.";
    BOUNDARY_SCAN_MAX: i32 = integer, "hl.bs.maxScan", Some("10"), "How far to look.";
    BOUNDARY_CHARS: String = text, "hl.bs.chars", None, "Which characters to look for; else `.`, `,`, `!`, `?`, blanks and ends of lines.";
    VALUE_SEPARATOR: String = text, "hl.multiValuedSeparatorChar", Some(" "), "What stands between values. `fastVector`.";
}

pub const PHRASE_LIMIT: Param<i32> =
    Param::new("hl.phraseLimit", integer, Some("5000"), "Most phrases looked at in a text. `fastVector`.");

pub const DOCS: &[ParamDoc] = &[
    HL.doc(),
    FIELDS.doc(),
    QUERY.doc(),
    QUERY_PARSER.doc(),
    PHRASE_LIMIT.doc(),
    ParamDoc::hint("hl.payloads", "Whether Solr reads payloads; it marks the same."),
    ParamDoc::hint("hl.cacheFieldValCharsThreshold", "How much text Solr keeps at a time."),
];
