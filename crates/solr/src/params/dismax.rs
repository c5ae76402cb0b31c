//! What `dismax` and `edismax` read, each from the local parameters of the query, else from the request. Their grammars
//! (fields with boosts, `mm`, `uf`) are `query/dismax/`.

use super::spec::{float, integer, switch, text};
use super::{Param, ParamDoc};

macro_rules! param {
    ($constant:ident: $kind:ty, $name:literal, $parse:expr, $default:expr, $about:literal) => {
        pub const $constant: Param<$kind> =
            Param { name: $name, about: $about, default: $default, parse: $parse, per_field: false };
    };
}

param!(QF: String, "qf", text, None, "Fields to search, each perhaps with a factor: `title^2 text`. Else `df`.");
param!(MM: String, "mm", text, None,
    "How many optional clauses must match: `2`, `-1`, `75%`, `-25%`, `2<-1 5<80%`. Else all under `q.op=AND`, or none.");
param!(MM_AUTO_RELAX: bool, "mm.autoRelax", switch, Some("false"),
    "Whether clauses of which some fields leave nothing (stop words) do not count for `mm`.");
param!(TIE: f32, "tie", float, Some("0.0"),
    "How much of the scores of other fields joins that of the best one: 0 to 1.");
param!(PF: String, "pf", text, None, "Fields in which all words near each other score more: `title~2^10`.");
param!(PF2: String, "pf2", text, None, "As `pf`, for each pair of words (`edismax`).");
param!(PF3: String, "pf3", text, None, "As `pf`, for each three words in a row (`edismax`).");
param!(PS: i32, "ps", integer, Some("0"), "How far apart the words of `pf` may stand.");
param!(PS2: i32, "ps2", integer, None, "As `ps`, for `pf2`. Else `ps`.");
param!(PS3: i32, "ps3", integer, None, "As `ps`, for `pf3`. Else `ps`.");
param!(QS: i32, "qs", integer, Some("0"), "How far apart the words of phrases in the query may stand.");
param!(BQ: String, "bq", text, None, "A query whose score is added for documents that match it. May repeat.");
param!(BF: String, "bf", text, None, "Functions, separated by spaces, whose values are added. May repeat.");
param!(BOOST: String, "boost", text, None,
    "A function by whose value scores are multiplied (`edismax`). May repeat.");
param!(UF: String, "uf", text, Some("* -_query_"),
    "Fields that the query may name (`edismax`): names, `*` at an end, `-` to take away; `_query_` for nested queries.");
param!(LOWERCASE_OPERATORS: bool, "lowercaseOperators", switch, Some("false"),
    "Whether `and` and `or` are operators too (`edismax`).");
param!(STOPWORDS: bool, "stopwords", switch, Some("true"),
    "Whether a type's query analyzer takes out stop words that its index has (`edismax`).");
param!(Q_ALT: String, "q.alt", text, None, "What to search, in `lucene` syntax, when `q` is empty.");

pub const DOCS: &[ParamDoc] = &[
    QF.doc(),
    MM.doc(),
    MM_AUTO_RELAX.doc(),
    TIE.doc(),
    PF.doc(),
    PF2.doc(),
    PF3.doc(),
    PS.doc(),
    PS2.doc(),
    PS3.doc(),
    QS.doc(),
    BQ.doc(),
    BF.doc(),
    BOOST.doc(),
    UF.doc(),
    LOWERCASE_OPERATORS.doc(),
    STOPWORDS.doc(),
    Q_ALT.doc(),
];
