//! Sort specifications: `price asc, sum(a,b) desc`. A key is a field by its name, or a function in its own
//! syntax; the schema says whether it can be sorted on. Messages are Solr's, recorded from 9.10.1. Out: keys
//! of the plan (`plan::SortKey`), by which shards sort and `cluster` merges.

use std::sync::Arc;

use plan::{
    BelowKey, Error, FieldClass, FieldSpec, Function, Query, Related, Result, RootCause, SortBy, SortKey,
};

use crate::function::{Failure, check_number, leading_function};
use crate::params::query::Q;
use crate::query::{QueryContext, parse_query};

/// Cuts a specification into keys; an empty one has none.
pub(crate) fn parse_sort(context: &QueryContext<'_>, text: &str) -> Result<Vec<SortKey>> {
    let mut keys = Vec::new();
    let mut at = skip(text, 0);
    while at < text.len() {
        let (key, end) = key(context, text, at)?;
        keys.push(key);
        at = skip(text, end);
    }
    Ok(keys)
}

/// The key that starts at `at`, and where what follows it begins.
fn key(context: &QueryContext<'_>, text: &str, at: usize) -> Result<(SortKey, usize)> {
    let rest = text.get(at..).unwrap_or_default();
    if let Some((by, end)) = below(context, rest)?
        && let Some((descending, end)) = direction(text, at + end)
    {
        return Ok((SortKey { by, descending }, end));
    }
    let mut failure = None;
    // A plain name is tried as a field at once: most sorts are, and a function's parser would take the name
    // for one of its own.
    if !is_plain(rest) {
        match leading_function(context, rest) {
            Ok(found) => {
                if let Some((descending, end)) = direction(text, at + found.end) {
                    let by = match found.function {
                        Function::Field { field, class: FieldClass::Str, pick: Some(pick) } => {
                            SortBy::Picked { field, pick }
                        }
                        function => {
                            check_number(&function)?;
                            SortBy::Function(function)
                        }
                    };
                    return Ok((SortKey { by, descending }, end));
                }
            }
            Err(error) => failure = Some(error),
        }
    }
    let end = at + rest.find(char::is_whitespace).unwrap_or(rest.len());
    let name = text.get(at..end).unwrap_or_default();
    let (descending, behind) = direction(text, end).ok_or_else(|| no_direction(text, end.max(at + 1)))?;
    // Two attempts failed; the function's error is reported only where there is no such field, as in Solr.
    let by = sort_by(name, context).map_err(|error| match failure.take() {
        Some(failure) if context.find(name).is_none() => neither(name, failure),
        _ => error,
    })?;
    Ok((SortKey { by, descending }, behind))
}

/// `childfield(field,$query)`, and where what follows it begins. Without a query it is the request's own,
/// which must lead from the documents of blocks to their parents.
fn below(context: &QueryContext<'_>, text: &str) -> Result<Option<(SortBy, usize)>> {
    const NAME: &str = "childfield(";
    let Some(inside) = text.strip_prefix(NAME) else { return Ok(None) };
    let Some(length) = inside.find(')') else { return Ok(None) };
    let whole = text.get(..NAME.len() + length + 1).unwrap_or(text);
    let refused = || {
        let refused = Error::bad_request(format!(
            "sort param could not be parsed as a query, and is not a field that exists in the index: {whole}"
        ));
        refused.with_root(RootCause::QuerySyntax)
    };
    let inside = inside.get(..length).unwrap_or_default();
    let (field, query) = inside.split_once(',').map_or((inside, None), |(field, query)| (field, Some(query)));
    let SortBy::Field(field) = sort_by(field.trim(), context).map_err(|_| refused())? else {
        return Err(refused());
    };
    let query = match query.map(str::trim) {
        Some(reference) => reference.strip_prefix('$').and_then(|name| context.params.by_name(name)),
        None => Q.sent(context.params),
    };
    let parsed = parse_query(context, query.ok_or_else(refused)?, "lucene").map_err(|_| refused())?;
    match parsed.query {
        Some(Query::Related(relation)) => match *relation {
            Related::ToParent { parents, children, .. } => {
                Ok(Some((SortBy::Below(Box::new(BelowKey { field, parents, children })), whole.len())))
            }
            _ => Err(refused()),
        },
        _ => Err(refused()),
    }
}

/// Whether a name stands here, and a space behind it: what is no function for sure.
fn is_plain(rest: &str) -> bool {
    let starts = |c: char| c.is_alphabetic() || c == '_';
    let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
    rest.starts_with(starts)
        && rest.find(ends).is_some_and(|end| rest[end..].starts_with(char::is_whitespace))
}

fn neither(name: &str, failure: Failure) -> Error {
    let error = Error::bad_request(format!(
        "sort param could not be parsed as a query, and is not a field that exists in the index: {name}"
    ));
    match Error::from(failure).root {
        Some(root) => error.with_root(root),
        None => error,
    }
}

fn no_direction(text: &str, at: usize) -> Error {
    let at = text.get(..at).unwrap_or(text).encode_utf16().count();
    Error::bad_request(format!("Can't determine a Sort Order (asc or desc) in sort spec '{text}', pos={at}"))
}

/// Past spaces and commas.
fn skip(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let trimmed = if at == 0 {
        // A comma stands behind a key, never before the first.
        rest.trim_start()
    } else {
        rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace())
    };
    at + rest.len() - trimmed.len()
}

/// `asc` or `desc` behind a key, and where what follows it begins; a comma or the end must follow.
fn direction(text: &str, at: usize) -> Option<(bool, usize)> {
    let rest = text.get(at..)?;
    let word = rest.trim_start();
    let start = at + rest.len() - word.len();
    let end = start + word.find(|c: char| c == ',' || c.is_whitespace()).unwrap_or(word.len());
    let behind = text.get(end..)?.trim_start();
    if !behind.is_empty() && !behind.starts_with(',') {
        return None;
    }
    match text.get(start..end)?.to_ascii_lowercase().as_str() {
        "asc" | "bottom" => Some((false, end)),
        "desc" | "top" => Some((true, end)),
        _ => None,
    }
}

fn sort_by(name: &str, context: &QueryContext<'_>) -> Result<SortBy> {
    match name {
        "score" => return Ok(SortBy::Score),
        "_docid_" => return Ok(SortBy::IndexOrder),
        _ => {}
    }
    let field = context
        .find(name)
        .ok_or_else(|| Error::bad_request(format!("sort param field can't be found: {name}")))?;
    match field.spec.class() {
        // The whole name is the seed: `random_1` and `random_2` are two shuffles of one dynamic field.
        FieldClass::RandomSort => return Ok(SortBy::Random { seed: seed(name) }),
        FieldClass::Currency => return context.currency_raw(&field).map(SortBy::Function),
        _ => check_sortable(name, &field.spec)?,
    }
    Ok(SortBy::Field(Arc::from(name)))
}

fn check_sortable(name: &str, spec: &FieldSpec) -> Result<()> {
    let kind = &spec.field_type.name;
    let message = match spec.class() {
        FieldClass::LatLon | FieldClass::SpatialPrefixTree | FieldClass::BBox | FieldClass::DateRange => {
            format!("Sorting not supported on SpatialField: {name}, instead try sorting by query.")
        }
        FieldClass::Point => format!("Sorting not supported on PointType {name}"),
        FieldClass::Rank => format!("can not sort on a rank field: {name}"),
        FieldClass::DenseVector => "Cannot sort on a Dense Vector field".to_owned(),
        FieldClass::Text if spec.properties.multi_valued => {
            format!("can not sort on multivalued field: {name} of type: {kind}")
        }
        _ if !spec.properties.doc_values && !uninverts(spec) => format!(
            "can not sort on a field w/o docValues unless it is indexed=true uninvertible=true and the type supports Uninversion: {name}"
        ),
        _ => return Ok(()),
    };
    Err(Error::bad_request(message))
}

/// Whether Solr would build the column it sorts by from the terms. Here it is written with them, but for
/// text.
fn uninverts(spec: &FieldSpec) -> bool {
    let properties = &spec.properties;
    let one = properties.indexed && properties.uninvertible && !properties.multi_valued;
    one && spec.class() != FieldClass::SortableText
}

/// FNV-1a of the name: the same shuffle for the same name.
fn seed(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date_math::DateMath;
    use crate::params::Params;
    use crate::query::tests::Fixture;

    fn parse(text: &str) -> Result<Vec<SortKey>> {
        let (fixture, params, dates) = (Fixture::new(), Params::default(), DateMath::new(0));
        parse_sort(&fixture.context(&params, &dates), text)
    }

    #[test]
    fn specifications_are_cut_into_keys() {
        let check = |text: &str, expected: &[(&str, bool)]| {
            let keys = parse(text).unwrap();
            let shown = |key: &SortKey| match &key.by {
                SortBy::Score => "score".to_owned(),
                SortBy::Field(name) => name.to_string(),
                SortBy::Function(function) => function.to_string(),
                other => format!("{other:?}"),
            };
            let found: Vec<_> = keys.iter().map(|key| (shown(key), key.descending)).collect();
            let expected: Vec<_> = expected.iter().map(|(name, down)| ((*name).to_owned(), *down)).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("", &[]);
        check("score desc", &[("score", true)]);
        check("a_s asc,b_i DESC", &[("a_s", false), ("b_i", true)]);
        check("  a_s  asc  ,  b_i   desc ", &[("a_s", false), ("b_i", true)]);
        check("id asc,,a_i asc,", &[("id", false), ("a_i", false)]);
        check("sum(a_i,1)desc, id top", &[("sum(int(a_i),const(1))", true), ("id", true)]);
        check("{!func v=a_i} asc,{!func}abs(a_i) bottom", &[("int(a_i)", false), ("abs(int(a_i))", false)]);
        check("{!term f=a_s v=x} desc", &[("query(a_s:x,def=0.0)", true)]);
        check("-1 asc", &[("const(-1)", false)]);
    }

    /// Messages recorded from Solr 9.10.1.
    #[test]
    fn a_direction_is_needed() {
        let check = |text: &str, at: usize| {
            let expected =
                format!("Can't determine a Sort Order (asc or desc) in sort spec '{text}', pos={at}");
            assert_eq!(parse(text).unwrap_err().message, expected);
        };
        check("score", 5);
        check("a_s asc,a_i", 11);
        check("a_s up", 3);
        check("score asc desc", 5);
        check("a_s asc;a_i desc", 3);
        check(",", 1);
    }

    /// Messages recorded from Solr 9.10.1.
    #[test]
    fn what_is_neither_field_nor_function_is_refused() {
        let neither = |name: &str| {
            format!(
                "sort param could not be parsed as a query, and is not a field that exists in the index: {name}"
            )
        };
        let check =
            |text: &str, expected: &str| assert_eq!(parse(text).unwrap_err().message, expected, "{text}");
        check("nosuch(1) asc", &neither("nosuch(1)"));
        check("sum( asc", &neither("sum("));
        check("$x asc", &neither("$x"));
        check("a_s,sum(a_i,1) desc", "sort param field can't be found: a_s,sum(a_i,1)");
        check("nope desc", "sort param field can't be found: nope");
        assert!(parse("concat(a_s,'x') asc").unwrap_err().message.contains("is no number"));
    }
}
