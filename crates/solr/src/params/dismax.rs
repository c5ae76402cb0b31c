//! What `dismax` and `edismax` read, each from the local parameters of the query, else from the request.
//! Their grammars (fields with boosts, `mm`, `uf`) are `query/dismax/`. Definitions only, each with its
//! spelling, sentence, default and parser (`spec.rs`). One macro makes them, so that each can be read from
//! both places alike.

use super::spec::{float, integer, switch, text};
use super::{NoDefault, Param, ParamDoc, Preset};

macro_rules! param {
    ($constant:ident: $kind:ty, $name:literal, $parse:expr, $default:expr, $about:literal) => {
        pub const $constant: $kind = Param::new($name, $parse, $default, $about);
    };
}

param!(QF: Param<String>, "qf", text, NoDefault, "Fields to search, each perhaps with a factor: `title^2 text`. Else `df`.");
param!(MM: Param<String>, "mm", text, NoDefault,
    "How many optional clauses must match: `2`, `-1`, `75%`, `-25%`, `2<-1 5<80%`. Else all under `q.op=AND`, or none.");
param!(MM_AUTO_RELAX: Preset<bool>, "mm.autoRelax", switch, "false",
    "Whether clauses of which some fields leave nothing (stop words) do not count for `mm`.");
param!(TIE: Preset<f32>, "tie", float, "0.0",
    "How much of the scores of other fields joins that of the best one: 0 to 1.");
param!(PF: Param<String>, "pf", text, NoDefault, "Fields in which all words near each other score more: `title~2^10`.");
param!(PF2: Param<String>, "pf2", text, NoDefault, "As `pf`, for each pair of words (`edismax`).");
param!(PF3: Param<String>, "pf3", text, NoDefault, "As `pf`, for each three words in a row (`edismax`).");
param!(PS: Preset<i32>, "ps", integer, "0", "How far apart the words of `pf` may stand.");
param!(PS2: Param<i32>, "ps2", integer, NoDefault, "As `ps`, for `pf2`. Else `ps`.");
param!(PS3: Param<i32>, "ps3", integer, NoDefault, "As `ps`, for `pf3`. Else `ps`.");
param!(QS: Preset<i32>, "qs", integer, "0", "How far apart the words of phrases in the query may stand.");
param!(BQ: Param<String>, "bq", text, NoDefault, "A query whose score is added for documents that match it. May repeat.");
param!(BF: Param<String>, "bf", text, NoDefault, "Functions, separated by spaces, whose values are added. May repeat.");
param!(BOOST: Param<String>, "boost", text, NoDefault,
    "A function by whose value scores are multiplied (`edismax`). May repeat.");
param!(UF: Preset<String>, "uf", text, "* -_query_",
    "Fields that the query may name (`edismax`): names, `*` at an end, `-` to take away; `_query_` for nested queries.");
param!(LOWERCASE_OPERATORS: Preset<bool>, "lowercaseOperators", switch, "false",
    "Whether `and` and `or` are operators too (`edismax`).");
param!(STOPWORDS: Preset<bool>, "stopwords", switch, "true",
    "Whether a type's query analyzer takes out stop words that its index has (`edismax`).");
param!(Q_ALT: Param<String>, "q.alt", text, NoDefault, "What to search, in `lucene` syntax, when `q` is empty.");

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
