//! Snippets with what was found marked in them: which fields, by which method, cut and marked how. Nearly all
//! of them may be given for one field as `f.<field>.<name>`. Definitions only; `highlight/` reads them, and
//! marking is the engine's.

use super::spec::{float, integer, switch, text};
use super::{NoDefault, Param, ParamDoc, Preset};

macro_rules! of_fields {
    ($($constant:ident: $type:ty = $parse:ident, $name:literal, $default:expr, $about:literal;)*) => {
        $(pub const $constant: $type = Param::per_field($name, $parse, $default, $about);)*

        /// Those that may be given for one field.
        pub const FIELD_DOCS: &[ParamDoc] = &[$($constant.doc(),)*];
    };
}

pub const HL: Preset<bool> =
    Param::new("hl", switch, "false", "Whether to show snippets with matches marked.");
pub const FIELDS: Param<String> = Param::new(
    "hl.fl",
    text,
    NoDefault,
    "The fields to take them from, between commas or spaces; `*` stands for any run. Else those that were searched by default.",
);
pub const QUERY: Param<String> = Param::new("hl.q", text, NoDefault, "The query to mark; else `q`.");
pub const QUERY_PARSER: Param<String> =
    Param::new("hl.qparser", text, NoDefault, "The parser of `hl.q`; else `defType`.");

of_fields! {
    METHOD: Preset<String> = text, "hl.method", "unified", "`unified`, `original` or `fastVector`; the last for fields with term vectors, others fall back to `original`.";
    SNIPPETS: Preset<i32> = integer, "hl.snippets", "1", "Most snippets of a field.";
    FRAGMENT_SIZE: Param<i32> = integer, "hl.fragsize", NoDefault, "How long a snippet should be, in characters: 70 by the unified method, 100 by others. 0 shows all.";
    CHARS_MAX: Preset<i32> = integer, "hl.maxAnalyzedChars", "51200", "How much of a field's text is read.";
    PHRASES: Preset<bool> = switch, "hl.usePhraseHighlighter", "true", "Mark the words of a phrase only where the phrase stands.";
    MULTI_TERM: Preset<bool> = switch, "hl.highlightMultiTerm", "true", "Mark also what prefixes, wildcards, fuzzy words and ranges mean.";
    FIELD_MATCH: Preset<bool> = switch, "hl.requireFieldMatch", "false", "Mark in a field only what the query looks for in that field.";
    QUERY_FIELDS: Param<String> = text, "hl.queryFieldPattern", NoDefault, "Mark only what the query looks for in these fields. Unified.";
    TAG_BEFORE: Param<String> = text, "hl.tag.pre", NoDefault, "Stands before a match; by the `fastVector` method a list between commas.";
    TAG_AFTER: Param<String> = text, "hl.tag.post", NoDefault, "Stands behind a match.";
    SIMPLE_BEFORE: Preset<String> = text, "hl.simple.pre", "<em>", "Stands before a match; the unified method prefers `hl.tag.pre`.";
    SIMPLE_AFTER: Preset<String> = text, "hl.simple.post", "</em>", "Stands behind a match.";
    ENCODER: Param<String> = text, "hl.encoder", NoDefault, "By the name that the configuration gives it: `html` escapes what HTML would read as its own.";
    WEIGHT_MATCHES: Preset<bool> = switch, "hl.weightMatches", "true", "Mark what the query as a whole matches, phrases in one piece. Unified.";
    DEFAULT_SUMMARY: Preset<bool> = switch, "hl.defaultSummary", "false", "Show the beginning of texts without matches. Unified.";
    ELLIPSIS: Param<String> = text, "hl.tag.ellipsis", NoDefault, "Joins the snippets of a field into one. Unified.";
    SCORE_K1: Preset<f32> = float, "hl.score.k1", "1.2", "How much repeated words add to a passage's score. Unified.";
    SCORE_B: Preset<f32> = float, "hl.score.b", "0.75", "How much a passage's length takes from its score. Unified.";
    SCORE_PIVOT: Preset<f32> = float, "hl.score.pivot", "87", "The mean length of passages. Unified.";
    OFFSET_SOURCE: Param<String> = text, "hl.offsetSource", NoDefault, "`ANALYSIS`: texts are always analysed again. Solr's other sources need an index with offsets.";
    ALIGN: Preset<f32> = float, "hl.fragAlignRatio", "0.33", "The part of a passage that stands before its match. Unified.";
    AT_LEAST: Preset<bool> = switch, "hl.fragsizeIsMinimum", "true", "Whether `hl.fragsize` is the least rather than the best length. Unified.";
    BREAK_TYPE: Param<String> = text, "hl.bs.type", NoDefault, "Where to cut: `SENTENCE`, `WORD`, `LINE`, `CHARACTER`, `SEPARATOR`, `WHOLE`; `WORD` for boundary scanners, else `SENTENCE`.";
    BREAK_SEPARATOR: Param<String> = text, "hl.bs.separator", NoDefault, "The character to cut behind. Unified.";
    BREAK_LANGUAGE: Param<String> = text, "hl.bs.language", NoDefault, "The language of the text to cut; Java's rules are the same for all.";
    BREAK_COUNTRY: Param<String> = text, "hl.bs.country", NoDefault, "The country of that language.";
    BREAK_VARIANT: Param<String> = text, "hl.bs.variant", NoDefault, "The variant of that language.";
    MERGE: Preset<bool> = switch, "hl.mergeContiguous", "false", "Join snippets that touch. Original.";
    VALUES_EXAMINED_MAX: Param<i32> = integer, "hl.maxMultiValuedToExamine", NoDefault, "How many values are looked at. Original.";
    VALUES_MATCHED_MAX: Param<i32> = integer, "hl.maxMultiValuedToMatch", NoDefault, "After how many matched snippets to stop. Original.";
    KEEP_VALUES: Preset<bool> = switch, "hl.preserveMulti", "false", "Show all values in their order, matched or not. Original.";
    ALTERNATE: Param<String> = text, "hl.alternateField", NoDefault, "What to show where nothing matched. Original and `fastVector`.";
    ALTERNATE_LENGTH: Preset<i32> = integer, "hl.maxAlternateFieldLength", "0", "How much of it; 0 shows all.";
    ALTERNATE_MARKED: Preset<bool> = switch, "hl.highlightAlternate", "true", "Whether to mark matches in it.";
    FORMATTER: Param<String> = text, "hl.formatter", NoDefault, "How to mark, by the name that `<highlighting>` of the configuration gives it, such as `html`. Original.";
    FRAGMENTER: Param<String> = text, "hl.fragmenter", NoDefault, "How to cut, by the name that the configuration gives it: `gap` by length, `regex` by a pattern. Original.";
    REGEX_PATTERN: Preset<String> = text, "hl.regex.pattern", "[-\\w ,\\n\"']{20,200}", "What a snippet should look like.";
    REGEX_SLOP: Preset<f32> = float, "hl.regex.slop", "0.6", "How far its length may be off, as a part of it.";
    REGEX_INCREMENT: Preset<i32> = integer, "hl.increment", "50", "Which gap of positions begins a snippet.";
    REGEX_CHARS_MAX: Preset<i32> = integer, "hl.regex.maxAnalyzedChars", "10000", "Up to where the pattern is tried.";
    FRAGMENT_LIST: Param<String> = text, "hl.fragListBuilder", NoDefault, "`simple`, `weighted` by the rarity of words, `single` for the whole text, by the names that the configuration gives them. `fastVector`.";
    FRAGMENTS: Param<String> = text, "hl.fragmentsBuilder", NoDefault, "How fragments become snippets, by the name that the configuration gives it; it may bring `hl.tag.pre` and `hl.tag.post`. `fastVector`.";
    BOUNDARY_SCANNER: Param<String> = text, "hl.boundaryScanner", NoDefault, "By the name that the configuration gives it: `default` looks for characters, `breakIterator` for words or sentences. `fastVector`.";
    BOUNDARY_SCAN_MAX: Preset<i32> = integer, "hl.bs.maxScan", "10", "How far to look.";
    BOUNDARY_CHARS: Param<String> = text, "hl.bs.chars", NoDefault, "Which characters to look for; else `.`, `,`, `!`, `?`, blanks and ends of lines.";
    VALUE_SEPARATOR: Preset<String> = text, "hl.multiValuedSeparatorChar", " ", "What stands between values. `fastVector`.";
}

pub const PHRASE_LIMIT: Preset<i32> =
    Param::new("hl.phraseLimit", integer, "5000", "Most phrases looked at in a text. `fastVector`.");

pub const DOCS: &[ParamDoc] = &[
    HL.doc(),
    FIELDS.doc(),
    QUERY.doc(),
    QUERY_PARSER.doc(),
    PHRASE_LIMIT.doc(),
    ParamDoc::hint("hl.payloads", "Whether Solr reads payloads; it marks the same."),
    ParamDoc::hint("hl.cacheFieldValCharsThreshold", "How much text Solr keeps at a time."),
];
