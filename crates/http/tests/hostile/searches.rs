//! Requests by URL: the paths that read, with parameters that `solr` knows and values that make no sense for
//! them.

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::random::Random;
use crate::{extremes, values};

const PATHS: [&str; 20] = [
    "/solr/films/select",
    "/solr/films/select",
    "/solr/films/select",
    "/solr/films/query",
    "/solr/films/get",
    "/solr/films/terms",
    "/solr/films/spell",
    "/solr/films/whynot",
    "/solr/films/analysis/field",
    "/solr/films/analysis/document",
    "/solr/films/admin/luke",
    "/solr/films/admin/ping",
    "/solr/films/admin/file",
    "/solr/films/schema/fields",
    "/solr/films/config",
    "/solr/films/config/params",
    "/solr/films/debug/dump",
    "/solr/admin/metrics",
    "/solr/admin/collections",
    "/solr/admin/cores",
];

/// What a query string that is written as such leaves to be escaped.
const IN_QUERY: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'{').add(b'}').add(b'^').add(b'\'');

/// Names that are no definitions of `solr`, or not of one name.
const NAMES: [&str; 24] = [
    "id",
    "ids",
    "getVersions",
    "show",
    "numTerms",
    "docId",
    "file",
    "regex",
    "key",
    "prefix",
    "qq",
    "a",
    "b",
    "f.n_i.facet.limit",
    "f.title_t.hl.fragsize",
    "json.limit",
    "json.query",
    "json.filter",
    "spellcheck.q",
    "stats.facet",
    "sub.q",
    "sub.rows",
    "fq",
    "collection",
];

/// A path with up to seven parameters, encoded.
pub fn target(random: &mut Random) -> String {
    let path = random.of(&PATHS);
    if random.once_in(8) {
        let query = utf8_percent_encode(&extremes::query(random), IN_QUERY).to_string();
        return format!("{path}?{query}");
    }
    let known: Vec<&str> = solr::params::reference().map(|doc| doc.name).collect();
    let mut pairs: Vec<(String, String)> = vec![];
    if random.below(3) > 0 {
        pairs.push(("q".into(), values::query(random)));
    }
    for _ in 0..random.below(7) {
        let name = if random.once_in(5) { *random.of(&NAMES) } else { *random.of(&known) };
        pairs.push((name.to_owned(), values::any(name, random)));
    }
    // Most features need to be switched on.
    for name in ["facet", "hl", "group", "stats", "mlt", "spellcheck", "terms", "tv", "debugQuery"] {
        if random.once_in(6) {
            pairs.push((name.to_owned(), "true".to_owned()));
        }
    }
    let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let pairs = pairs.iter().map(|(name, value)| format!("{name}={}", encode(value)));
    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
}
