//! `{!min_hash field=… sim=… tp=… sep=…}text`: documents whose sketch has hashes in common with the text's,
//! as the filter `minHash` makes them; hashes may also be sent, between separators. Each hash in common
//! scores 1. In: local parameters and text; out: a query of terms, with a minimum (`sim`) or as bands of
//! terms that must all be there (`tp`), so that few documents are looked at. How likely two sketches share a
//! hash is not known here but for the size of a band. Shapes and messages are Solr's, recorded from 9.10.1.

use analysis::JavaRegex;
use plan::{Clause, Error, FieldClass, Occur, Query, Result, Value};

use super::context::Field;
use super::request::Request;
use crate::params::float_value;

/// The field that is asked where none is named.
const FIELD: &str = "min_hash";

/// Steps back that a separator may take. Solr differs: it has no bound.
const SEPARATOR_STEPS_MAX: usize = 10_000;

pub(super) fn min_hash(request: &Request<'_>) -> Result<Option<Query>> {
    let number = |name: &str| request.local.get(name).map_or(Ok(1.0), float_value);
    let (similarity, found_share) = (number("sim")?, number("tp")?);
    let name = request.local.get("field").unwrap_or(FIELD);
    let hashes = match request.local.get("sep").unwrap_or_default() {
        "" => analysed(request, request.local.get("analyzer_field").unwrap_or(name))?,
        separator => separated(request, separator)?,
    };
    let most = request.context.boolean_clauses_max;
    if hashes.len() > most {
        return Err(Error::bad_request(format!(
            "`{{!min_hash}}` has more than {most} hashes; use fewer buckets or hash functions"
        )));
    }
    let Some(field) = request.context.find(name).filter(has_terms) else { return Ok(Some(Query::Nothing)) };
    if similarity < 0.0 && found_share >= 1.0 {
        // Solr differs: its query refuses the minimum that follows, with an error 500.
        return Err(Error::bad_request(format!("`sim` is {similarity}; give a share between 0 and 1")));
    }
    let band_size = if found_share < 1.0 { band_size(hashes.len(), similarity, found_share) } else { 1 };
    let clauses = bands(&field, &hashes, band_size).map(|query| Clause { occur: Occur::Should, query });
    // In single precision, as in Java: a double would now and then ask for one hash more.
    let minimum = match similarity < 1.0 && found_share >= 1.0 {
        true => (hashes.len() as f32 * similarity).ceil() as usize,
        false => 0,
    };
    Ok(Some(Query::Boolean { clauses: clauses.collect(), minimum_should_match: minimum }))
}

/// Whether a term of the field can be met. Solr asks for terms in any field and finds none in the others.
fn has_terms(field: &Field) -> bool {
    let class = field.spec.class();
    field.spec.properties.indexed && (class.is_text() || matches!(class, FieldClass::Str | FieldClass::Uuid))
}

/// The tokens of the text as the field indexes it: documents were sketched so, whatever queries pass.
fn analysed(request: &Request<'_>, name: &str) -> Result<Vec<String>> {
    let (context, text) = (request.context, request.text);
    let field = context.find(name).ok_or_else(|| {
        let class = "org.apache.solr.search.SyntaxError: org.apache.solr.common.SolrException";
        Error::bad_request(format!("{class}: undefined field {name}"))
    })?;
    let Some(analyzer) = context.analyzers.index(&field.spec.field_type)? else {
        return Ok(vec![text.to_owned()]);
    };
    let (mut stream, mut hashes) = (analyzer.stream(), Vec::new());
    let mut tokens = stream.start(text);
    // One more than may be is enough to refuse: a chain may ask for a million buckets.
    while hashes.len() <= context.boolean_clauses_max && tokens.advance() {
        hashes.push(tokens.token().text.clone());
    }
    Ok(hashes)
}

/// The parts between what the separator matches, as Java's `String.split` gives them: empty ones at the end
/// are left out.
fn separated(request: &Request<'_>, separator: &str) -> Result<Vec<String>> {
    // Solr differs: what is no pattern is an error 500 there (`compat/query/min_hash.yaml`).
    let pattern = JavaRegex::within_steps(separator, SEPARATOR_STEPS_MAX)
        .map_err(|reason| Error::bad_request(format!("cannot use `sep`: `{separator}` {reason}")))?;
    let text = request.text;
    let (mut parts, mut start, mut from) = (Vec::new(), 0, 0);
    while let Some(found) = pattern.find_at(text, from).filter(|_| parts.len() <= text.len()) {
        let step = text.get(found.end..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        from = if found.is_empty() { found.end + step } else { found.end };
        // Nothing at the very beginning parts nothing.
        if found.end > 0 {
            parts.push(text.get(start..found.start).unwrap_or_default().to_owned());
            start = found.end;
        }
    }
    if parts.is_empty() {
        return Ok(vec![text.to_owned()]);
    }
    parts.push(text.get(start..).unwrap_or_default().to_owned());
    let kept = parts.iter().rposition(|part| !part.is_empty()).map_or(0, |last| last + 1);
    parts.truncate(kept);
    Ok(parts)
}

/// Hashes of a band: as many as still find a document of that similarity with more than that probability. Two
/// sketches share a hash as often as the texts are alike, a band when they share all of it, and a document is
/// found by any band.
fn band_size(hashes: usize, similarity: f32, found_share: f32) -> usize {
    let (similarity, found_share) = (f64::from(similarity), f64::from(found_share));
    let size = |bands: usize| hashes / bands;
    let finds = |bands: &usize| {
        let shared = similarity.powi(i32::try_from(size(*bands)).unwrap_or(i32::MAX));
        1.0 - (1.0 - shared).powi(i32::try_from(*bands).unwrap_or(i32::MAX)) > found_share
    };
    (1..=hashes).find(finds).map_or(1, size)
}

fn bands<'a>(field: &'a Field, hashes: &'a [String], size: usize) -> impl Iterator<Item = Query> + 'a {
    hashes.chunks(size).map(move |band| match band {
        [only] if size == 1 => constant(term(field, only.clone())),
        _ => {
            let own = band.iter().map(|hash| term(field, hash.clone()));
            // The last band begins again at the first hash, and Solr shows that one in hexadecimal instead of
            // taking it: no document has such a term. Kept, or scores would differ from Solr's.
            let again = hashes.iter().take(size - band.len()).map(|hash| term(field, hexadecimal(hash)));
            let all = own.chain(again).map(|term| Clause { occur: Occur::Must, query: constant(term) });
            constant(Query::Boolean { clauses: all.collect(), minimum_should_match: 0 })
        }
    })
}

fn term(field: &Field, hash: String) -> Query {
    Query::Term { field: field.name.clone(), value: Value::Str(hash) }
}

fn constant(query: Query) -> Query {
    Query::ConstantScore { query: Box::new(query), score: 1.0 }
}

/// `[61 c3 a9]`.
fn hexadecimal(hash: &str) -> String {
    let bytes: Vec<String> = hash.bytes().map(|byte| format!("{byte:x}")).collect();
    format!("[{}]", bytes.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of the bands that Solr 9.10.1 shows in its debug output.
    #[test]
    fn bands_are_as_large_as_they_may_be() {
        let check = |hashes: usize, similarity: f32, found_share: f32, expected: usize| {
            let size = band_size(hashes, similarity, found_share);
            assert_eq!(size, expected, "{hashes} {similarity} {found_share}");
        };
        check(5, 0.8, 0.5, 2);
        check(5, 0.8, 0.1, 5);
        check(5, 0.5, 0.9, 1);
        check(4, 1.0, 0.5, 4);
        check(7, 0.7, 0.99, 1);
        check(16, 0.6, 0.9, 2);
        check(16, 0.6, 0.5, 3);
        check(0, 0.8, 0.5, 1);
        check(3, f32::NAN, 0.5, 1);
    }

    #[test]
    fn bytes_are_shown_as_lucene_shows_them() {
        assert_eq!(hexadecimal("aé\u{1}"), "[61 c3 a9 1]");
    }
}
