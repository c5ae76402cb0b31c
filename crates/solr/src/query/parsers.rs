//! The query parsers by their Solr names: the table of all, and those that are a short function from local
//! parameters to a query, `{!term f=…}` and its kin. It lies above every other file of `query`; what parsers
//! need of each other goes through `context.rs`.

use plan::{Clause, Error, FieldClass, Occur, Query, Result};

use super::choices::{max_score, switch};
use super::complex_phrase;
use super::context::{Parsers, QueryContext, known_name};
use super::date_range;
use super::dismax::{NotedQuery, dismax, edismax};
use super::field::TextStyle;
use super::local_params::{LocalParams, split_local_params};
use super::lucene::ANALYSED_CLAUSES_MAX;
use super::lucene::{filtered, lucene};
use super::min_hash::min_hash;
use super::more_like;
use super::negation::positive;
use super::parsed::ParsedQuery;
use super::patterns::{fuzzy, prefix};
use super::payloads::{payload_check, payload_score};
use super::rank::rank;
use super::relations::{child, graph, join, parent};
use super::request::Request;
use super::simple;
use super::spatial::{bbox, geofilt, scored_text};
use super::surround::surround;
use super::term_sets::{check_method, term_set};
use super::value::parse_value;
use super::vector::{knn, vector_similarity};
use crate::function::{check_number, function_range, parse_function, whole_function};

/// A parser: its name in a request, the plugin that a `solrconfig.xml` may give another name, the name of its
/// class in debug output (Solr's has none for those it writes in line), and what it does.
struct Parser {
    name: &'static str,
    plugin: &'static str,
    class: &'static str,
    parse: Parse,
}

type ParseQuery = fn(&Request<'_>) -> Result<Option<Query>>;

enum Parse {
    Query(ParseQuery),
    /// With what debug output says beside it.
    Noted(fn(&Request<'_>) -> Result<NotedQuery>),
}

const fn parser(name: &'static str, plugin: &'static str, class: &'static str, parse: ParseQuery) -> Parser {
    Parser { name, plugin, class, parse: Parse::Query(parse) }
}

const fn noted_parser(
    name: &'static str,
    plugin: &'static str,
    class: &'static str,
    parse: fn(&Request<'_>) -> Result<NotedQuery>,
) -> Parser {
    Parser { name, plugin, class, parse: Parse::Noted(parse) }
}

const PARSERS: &[Parser] = &[
    parser("lucene", "LuceneQParserPlugin", "LuceneQParser", lucene),
    noted_parser("dismax", "DisMaxQParserPlugin", "DisMaxQParser", dismax),
    noted_parser("edismax", "ExtendedDismaxQParserPlugin", "ExtendedDismaxQParser", edismax),
    parser("term", "TermQParserPlugin", "", term),
    parser("terms", "TermsQParserPlugin", "", terms),
    parser("field", "FieldQParserPlugin", "", field),
    parser("prefix", "PrefixQParserPlugin", "", prefix),
    parser("raw", "RawQParserPlugin", "", raw),
    parser("query", "NestedQParserPlugin", "LuceneQParser", query),
    parser("bool", "BoolQParserPlugin", "", boolean),
    parser("boost", "BoostQParserPlugin", "LuceneQParser", boost),
    parser("filters", "FiltersQParserPlugin", "FiltersQParser", filters),
    parser("switch", "SwitchQParserPlugin", "LuceneQParser", switch),
    parser("maxscore", "MaxScoreQParserPlugin", "MaxScoreQParser", max_score),
    parser("func", "FunctionQParserPlugin", "FunctionQParser", function),
    parser(
        "complexphrase",
        "ComplexPhraseQParserPlugin",
        "ComplexPhraseQParser",
        complex_phrase::complex_phrase,
    ),
    parser("simple", "SimpleQParserPlugin", "SimpleQParser", simple::simple),
    parser("surround", "SurroundQParserPlugin", "SurroundQParser", surround),
    parser("fuzzy", "FuzzyQParserPlugin", "FuzzyQParser", fuzzy),
    parser("payload_score", "PayloadScoreQParserPlugin", "", payload_score),
    parser("payload_check", "PayloadCheckQParserPlugin", "", payload_check),
    parser("rank", "RankQParserPlugin", "RankQParser", rank),
    parser("mlt", "MLTQParserPlugin", "SimpleMLTQParser", more_like::of_document),
    parser("mlt_content", "MLTContentQParserPlugin", "", more_like::of_text),
    parser("min_hash", "MinHashQParserPlugin", "MinHashQParser", min_hash),
    parser("frange", "FunctionRangeQParserPlugin", "", frange),
    parser("parent", "BlockJoinParentQParserPlugin", "BlockJoinParentQParser", parent),
    parser("child", "BlockJoinChildQParserPlugin", "BlockJoinChildQParser", child),
    parser("join", "JoinQParserPlugin", "", join),
    parser("graph", "GraphQParserPlugin", "GraphQueryParser", graph),
    parser("knn", "KnnQParserPlugin", "KnnQParser", knn),
    parser("vectorSimilarity", "VectorSimilarityQParserPlugin", "VectorSimilarityQParser", vector_similarity),
    parser("geofilt", "SpatialFilterQParserPlugin", "SpatialFilterQParser", geofilt),
    parser("bbox", "SpatialBoxQParserPlugin", "SpatialFilterQParser", bbox),
];

/// Each parser's plugin with its name, for configurations.
pub(crate) const PARSER_PLUGINS: &[(&str, &str)] = &{
    let mut plugins = [("", ""); PARSERS.len()];
    let mut at = 0;
    // No iterators in constants; `while` is what is left.
    while at < plugins.len() {
        plugins[at] = (PARSERS[at].plugin, PARSERS[at].name);
        at += 1;
    }
    plugins
};

/// Solr's other parsers, which are refused by name.
const UNSUPPORTED: &[&str] = &[
    "graphTerms",
    "hash",
    "hash_range",
    "igain",
    "ltr",
    "rerank",
    "significantTerms",
    "tlogit",
    "xmlparser",
    "xport",
];

/// Parses `text`, with local parameters or without, by `default_parser` unless they name another.
pub fn parse_query(context: &QueryContext<'_>, text: &str, default_parser: &str) -> Result<ParsedQuery> {
    context.parse(text, default_parser, 0)
}

/// All parsers, by Solr's names.
#[derive(Debug)]
pub struct SolrParsers;

impl Parsers for SolrParsers {
    fn parse(
        &self,
        context: &QueryContext<'_>,
        text: &str,
        default_parser: &str,
        depth: usize,
    ) -> Result<ParsedQuery> {
        let own = &context.names.own.parsers;
        let (local, rest) = match reads_local_params(known_name(own, default_parser)) {
            true => split_local_params(text, context.params)?,
            false => (LocalParams::default(), text),
        };
        let name = local.get("type").unwrap_or(default_parser);
        context.check_parser(name)?;
        let known = known_name(own, name);
        let Some(parser) = PARSERS.iter().find(|parser| parser.name == known) else {
            return Err(unknown_parser(name, text));
        };
        let value = match local.get("v") {
            Some(value) => value.to_owned(),
            // `{!v=$q}` without `q`: the parameter is missing, and what stands behind the brace was never
            // meant as text.
            None if text.starts_with("{!v=$") && rest.is_empty() => String::new(),
            None => rest.to_owned(),
        };
        // Before the parser runs: what it costs is the text that it is given, whoever wrote that.
        context.budget.take(&value, depth)?;
        let context = QueryContext { prefixes: context.prefixes.inside(&local)?, ..*context };
        let request = Request { context: &context, name, local: &local, text: &value, depth };
        let (query, notes) = match parser.parse {
            Parse::Query(parse) => (parse(&request)?, None),
            Parse::Noted(parse) => parse(&request).map(|(query, notes)| (query, Some(notes)))?,
        };
        Ok(ParsedQuery { query, parser: parser.class, local, notes })
    }
}

/// Whether text for this parser may name another one. To `dismax` and the like braces are text, since people
/// type it.
fn reads_local_params(parser: &str) -> bool {
    matches!(parser, "lucene" | "func")
}

fn unknown_parser(name: &str, text: &str) -> Error {
    if UNSUPPORTED.contains(&name) {
        let known: Vec<_> = PARSERS.iter().map(|parser| parser.name).collect();
        let known = known.join(", ");
        return Error::bad_request(format!("query parser `{name}` is not supported yet; use one of {known}"));
    }
    Error::bad_request(format!("invalid query parser '{name}' for query '{text}'"))
}

/// `{!term f=…}`: the value itself, without analysis. An unknown field matches nothing, as in Solr.
fn term(request: &Request<'_>) -> Result<Option<Query>> {
    match request.context.find(request.field_name()?) {
        Some(field) => request.context.value_query(&field, request.text).map(Some),
        None => Ok(Some(Query::Nothing)),
    }
}

/// `{!terms f=… separator=…}`: any of the values.
fn terms(request: &Request<'_>) -> Result<Option<Query>> {
    let field = request.context.field(request.field_name()?)?;
    check_method(request.local.get("method"))?;
    if request.text.is_empty() {
        return Ok(Some(Query::Nothing));
    }
    let separator = request.local.get("separator").unwrap_or(",");
    let texts: Vec<&str> = match separator.trim() {
        // A blank as separator means any run of blanks, as in Solr; other separators cut exactly.
        "" => request.text.split_whitespace().collect(),
        _ => request.text.split(separator).collect(),
    };
    let parse = |text: &str| parse_value(&field.spec, &field.name, text, request.context.dates);
    let values = texts.into_iter().map(parse).collect::<Result<Vec<_>>>()?;
    Ok(Some(term_set(field.name, values)))
}

/// `{!field f=…}`: the text as the field's analyzer reads it, as a phrase.
fn field(request: &Request<'_>) -> Result<Option<Query>> {
    let field = request.context.field_quoted(request.field_name()?)?;
    if field.spec.class().is_place() || field.spec.class() == FieldClass::BBox {
        return scored_text(request, &field).map(Some);
    }
    if field.spec.class() == FieldClass::DateRange {
        return date_range::related(request, &field).map(Some);
    }
    let style = TextStyle { quoted: true, auto_phrase: true, ..TextStyle::default() };
    request.context.text_query(&field, request.text, style)
}

/// `{!raw f=…}`: the indexed term as it stands, which on numbers is none.
fn raw(request: &Request<'_>) -> Result<Option<Query>> {
    let field = request.context.find(request.field_name()?);
    Ok(Some(match field {
        // Numbers and ranges of dates have no terms as text in Solr's index, so a raw one can be met by none.
        Some(field) if !field.spec.class().is_point() && field.spec.class() != FieldClass::DateRange => {
            request.context.value_query(&field, request.text)?
        }
        _ => Query::Nothing,
    }))
}

/// `{!query defType=…}`: whatever the value's own parser makes of it.
fn query(request: &Request<'_>) -> Result<Option<Query>> {
    request.nested(request.text, request.local.get("defType"))
}

/// `{!bool must=… must_not=… filter=… should=… mm=…}`.
fn boolean(request: &Request<'_>) -> Result<Option<Query>> {
    let minimum = request.local.get("mm").map(crate::params::integer).transpose()?.unwrap_or(0);
    let kinds = [
        ("must", Occur::Must),
        ("must_not", Occur::MustNot),
        ("filter", Occur::Filter),
        ("should", Occur::Should),
    ];
    // Lucene's bound, not the collection's, which counts what a text holds, as in Solr.
    let most = request.context.boolean_clauses_max.max(ANALYSED_CLAUSES_MAX);
    if kinds.iter().map(|(name, _)| request.local.all(name).count()).sum::<usize>() > most {
        return Err(Error::bad_request(format!(
            "`{{!bool}}` has more than {most} clauses; use `{{!terms}}` for lists"
        )));
    }
    let mut clauses = Vec::new();
    for (name, occur) in kinds {
        for text in request.local.all(name) {
            let Some(query) = request.untagged(text)? else { continue };
            let query = query.unwrap_or(Query::Nothing);
            // Only a filter is helped to what it excludes; `must=-a` matches nothing, as in Solr.
            let query = if occur == Occur::Filter { filtered(positive(query)) } else { query };
            clauses.push(Clause { occur, query });
        }
    }
    Ok(Some(Query::Boolean { clauses, minimum_should_match: usize::try_from(minimum).unwrap_or(0) }))
}

/// `{!func}`: every document, scored by a function.
fn function(request: &Request<'_>) -> Result<Option<Query>> {
    let function = whole_function(request.context, request.local, request.text, request.depth)?;
    Ok(Some(Query::Function(Box::new(function))))
}

/// `{!frange l=… u=…}`: documents for which a function lies between.
fn frange(request: &Request<'_>) -> Result<Option<Query>> {
    let range = function_range(request.context, request.local, request.text, request.depth)?;
    Ok(Some(Query::FunctionRange(Box::new(range))))
}

/// `{!boost b=…}`: scores multiplied by a function. Solr differs: its debug output tells the function and the
/// name of its class apart from the query (`compat/query/function_queries.yaml`).
fn boost(request: &Request<'_>) -> Result<Option<Query>> {
    let inner = request.nested(request.text, request.local.get("defType"))?;
    let Some(text) = request.local.get("b") else { return Ok(inner) };
    let function = parse_function(request.context, text, request.depth + 1)?;
    if let Some(function) = &function {
        check_number(function)?;
    }
    Ok(inner.zip(function).map(|(query, function)| Query::FunctionBoost {
        query: Box::new(query),
        function: Box::new(function),
    }))
}

/// `{!filters param=$fqs}main`: the main query, restricted.
fn filters(request: &Request<'_>) -> Result<Option<Query>> {
    let main = if request.text.is_empty() { Some(Query::All) } else { request.nested(request.text, None)? };
    let Some(main) = main else { return Ok(None) };
    let mut clauses = vec![Clause { occur: Occur::Must, query: positive(main) }];
    for text in request.local.all("param") {
        let Some(query) = request.untagged(text)? else { continue };
        clauses.push(Clause { occur: Occur::Filter, query: query.map_or(Query::Nothing, positive) });
    }
    Ok(Some(Query::Boolean { clauses, minimum_should_match: 0 }))
}
