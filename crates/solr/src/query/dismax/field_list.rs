//! Lists of fields with what they weigh, `title^2 text~1^0.5`, as `qf`, `pf` and `uf` hold them, and `bf` its
//! functions. Only the form is read here: whether there is such a field, and what a missing factor means, is
//! each reader's own.

use plan::{Result, RootCause};

use crate::query::java_float;
use crate::query::lucene::boost_factor;

/// A field, or a function, and the factor written behind it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weighted {
    pub name: String,
    pub boost: Option<f32>,
}

/// A field of phrases: the number of words in a phrase, 0 for all, and how far apart they may stand.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PhraseField {
    pub field: Weighted,
    pub words: usize,
    pub slop: u32,
}

/// In order of first mention; of a name that repeats the last factor counts.
pub(super) fn weighted<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Vec<Weighted>> {
    let mut list = Vec::new();
    for word in texts.into_iter().flat_map(str::split_whitespace) {
        put(&mut list, read(word)?);
    }
    Ok(list)
}

/// The same as names with factors, 1 where none is written.
pub(crate) fn weighted_fields<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Vec<(String, f32)>> {
    let list = weighted(texts)?.into_iter();
    Ok(list.map(|field| (field.name, field.boost.unwrap_or(1.0))).collect())
}

/// Puts a field at the end of a list, or in the place that its name has.
pub(super) fn put(list: &mut Vec<Weighted>, field: Weighted) {
    match list.iter_mut().find(|known| known.name == field.name) {
        // Solr keeps the list in an ordered map: a repeated name keeps its first place and takes its last
        // factor.
        Some(known) => known.boost = field.boost,
        None => list.push(field),
    }
}

/// Fields `name~slop^boost`; `slop` is that of fields without their own.
pub(super) fn phrase_fields<'a>(
    texts: impl IntoIterator<Item = &'a str>,
    words: usize,
    slop: i32,
) -> Result<Vec<PhraseField>> {
    let each = texts.into_iter().flat_map(str::split_whitespace).map(|word| {
        let field = read(word)?;
        let (name, own) = match field.name.split('~').collect::<Vec<_>>().as_slice() {
            [name, own] if !own.is_empty() => ((*name).to_owned(), crate::params::integer(own)?),
            parts => (parts.first().copied().unwrap_or_default().to_owned(), slop),
        };
        let slop = u32::try_from(own).unwrap_or(0);
        Ok(PhraseField { field: Weighted { name, ..field }, words, slop })
    });
    each.collect()
}

/// Solr differs: what is no number, or none that may be a factor, is an error 500 there; here it is the
/// client's (`compat/query/edismax_params.yaml`).
fn read(word: &str) -> Result<Weighted> {
    let mut parts = word.split('^');
    let name = parts.next().unwrap_or_default().to_owned();
    let boost = parts.next().filter(|boost| !boost.is_empty());
    let boost = boost.map(|boost| {
        let factor = java_float(boost).ok_or_else(|| {
            plan::Error::bad_request(format!("For input string: \"{boost}\""))
                .with_root(RootCause::NumberFormat)
        })?;
        boost_factor(factor)
    });
    Ok(Weighted { name, boost: boost.transpose()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_fields() {
        let check = |text: &str, expected: &[(&str, Option<f32>)]| {
            let found = weighted([text]).unwrap();
            let found: Vec<_> = found.iter().map(|field| (field.name.as_str(), field.boost)).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("", &[]);
        check(" a  b^2\n", &[("a", None), ("b", Some(2.0))]);
        check("a a^2 b", &[("a", Some(2.0)), ("b", None)]);
        check("a^2^3 b^", &[("a", Some(2.0)), ("b", None)]);
        check("^2", &[("", Some(2.0))]);
        assert_eq!(weighted(["a^x"]).unwrap_err().message, "For input string: \"x\"");
        assert_eq!(weighted(["a^-1"]).unwrap_err().message, "boost must be a positive float, got -1.0");
    }

    #[test]
    fn lists_of_phrase_fields() {
        let check = |text: &str, name: &str, boost: Option<f32>, slop: u32| {
            let field = Weighted { name: name.to_owned(), boost };
            assert_eq!(
                phrase_fields([text], 2, 7).unwrap(),
                [PhraseField { field, words: 2, slop }],
                "{text}"
            );
        };
        check("a", "a", None, 7);
        check("a~2^3", "a", Some(3.0), 2);
        check("a~2~3^2", "a", Some(2.0), 7);
        check("a~-1", "a", None, 0);
        assert_eq!(phrase_fields(["a~x"], 0, 0).unwrap_err().message, "For input string: \"x\"");
        assert_eq!(phrase_fields(["a^2~3"], 0, 0).unwrap_err().message, "For input string: \"2~3\"");
    }
}
