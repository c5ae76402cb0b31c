//! Sort specifications: `price asc, score desc`. The text becomes keys, the schema says whether they can be sorted on.
//! Messages are Solr's, recorded from 9.10.1. Sorting by functions is refused until there are functions.

use std::sync::Arc;

use plan::{Error, FieldClass, FieldSpec, Result, Schema, SortBy, SortKey};

/// One key as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SortText {
    pub name: String,
    pub descending: bool,
}

/// Cuts a specification into keys; an empty one has none.
pub(crate) fn parse_sort(text: &str) -> Result<Vec<SortText>> {
    let mut keys = Vec::new();
    let mut at = skip(text, 0);
    while at < text.len() {
        let end = name_end(text, at);
        let name = text.get(at..end).unwrap_or_default();
        if is_function(name, text.get(end..).unwrap_or_default()) {
            return Err(Error::bad_request(format!(
                "sorting by a function (`{text}`) is not supported yet; sort by fields, `score` or `_docid_`"
            )));
        }
        let (descending, behind) = direction(text, end).ok_or_else(|| no_direction(text, end.max(at + 1)))?;
        keys.push(SortText { name: name.to_owned(), descending });
        at = skip(text, behind);
    }
    Ok(keys)
}

fn no_direction(text: &str, at: usize) -> Error {
    let at = text.get(..at).unwrap_or(text).encode_utf16().count();
    Error::bad_request(format!("Can't determine a Sort Order (asc or desc) in sort spec '{text}', pos={at}"))
}

/// Past spaces and commas.
fn skip(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let trimmed = if at == 0 {
        rest.trim_start()
    } else {
        rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace())
    };
    at + rest.len() - trimmed.len()
}

fn name_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.find(|c: char| c.is_whitespace() || ",()".contains(c)).unwrap_or(rest.len())
}

fn is_function(name: &str, rest: &str) -> bool {
    rest.starts_with('(') || name.starts_with(['"', '\'', '$', '{'])
}

/// `asc` or `desc` behind a name, and where what follows it begins; a comma or the end must follow.
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
        "asc" => Some((false, end)),
        "desc" => Some((true, end)),
        _ => None,
    }
}

/// What to sort by.
pub(crate) fn resolve_sort(keys: &[SortText], schema: &Schema) -> Result<Vec<SortKey>> {
    keys.iter()
        .map(|key| Ok(SortKey { by: sort_by(&key.name, schema)?, descending: key.descending }))
        .collect()
}

fn sort_by(name: &str, schema: &Schema) -> Result<SortBy> {
    match name {
        "score" => return Ok(SortBy::Score),
        "_docid_" => return Ok(SortBy::IndexOrder),
        _ => {}
    }
    let spec = schema
        .field(name)
        .ok_or_else(|| Error::bad_request(format!("sort param field can't be found: {name}")))?;
    if spec.class() == FieldClass::RandomSort {
        return Ok(SortBy::Random { seed: seed(name) });
    }
    check_sortable(name, spec)?;
    Ok(SortBy::Field(Arc::from(name)))
}

fn check_sortable(name: &str, spec: &FieldSpec) -> Result<()> {
    let kind = &spec.field_type.name;
    let message = match spec.class() {
        FieldClass::LatLon | FieldClass::SpatialPrefixTree => {
            format!("Sorting not supported on SpatialField: {name}, instead try sorting by query.")
        }
        FieldClass::Point => format!("Sorting not supported on PointType {name}"),
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

/// Whether Solr would build the column it sorts by from the terms: here it is written with them.
fn uninverts(spec: &FieldSpec) -> bool {
    let properties = &spec.properties;
    properties.indexed && properties.uninvertible && !properties.multi_valued && !spec.class().is_text()
}

/// FNV-1a of the name: the same shuffle for the same name.
fn seed(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_are_cut_into_keys() {
        let check = |text: &str, expected: &[(&str, bool)]| {
            let keys = parse_sort(text).unwrap();
            let found: Vec<_> = keys.iter().map(|key| (key.name.as_str(), key.descending)).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("", &[]);
        check("score desc", &[("score", true)]);
        check("a asc,b DESC", &[("a", false), ("b", true)]);
        check("  a  asc  ,  b   desc ", &[("a", false), ("b", true)]);
        check("id asc,,a asc,", &[("id", false), ("a", false)]);
    }

    /// Messages recorded from Solr 9.10.1.
    #[test]
    fn a_direction_is_needed() {
        let check = |text: &str, at: usize| {
            let expected =
                format!("Can't determine a Sort Order (asc or desc) in sort spec '{text}', pos={at}");
            assert_eq!(parse_sort(text).unwrap_err().message, expected);
        };
        check("score", 5);
        check("a_s asc,a_i", 11);
        check("a_s up", 3);
        check("score asc desc", 5);
        check("a_s asc;a_i desc", 3);
        check(",", 1);
    }

    #[test]
    fn functions_are_refused() {
        for text in ["sum(a,1) asc", "\"a\" asc", "{!func}a asc", "$s asc"] {
            assert!(parse_sort(text).unwrap_err().message.contains("not supported yet"), "{text}");
        }
    }
}
