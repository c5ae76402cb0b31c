//! Parameters as they travel: in a URL, in a form body, and segment by segment in a path. `solr` decodes the
//! first two. A body of parameters is read as a whole and bounded before (`request/body.rs`); here it is only
//! taken apart.

use percent_encoding::percent_decode;
use plan::{Error, Result};
use solr::Params;
use solr::charset::of_content_type;
use solr::params::{PARAMS_MAX, parse_posted_form};

/// Appends the parameters of a query string, in order. Errors: a broken escape, bytes that stand for nothing
/// in its encoding, too many.
pub(crate) fn decode_into(params: &mut Params, encoded: &[u8]) -> Result<()> {
    check_count(params, encoded)?;
    append(params, &solr::parse_form(encoded)?)
}

/// As [`decode_into`], of a form with this Content-Type.
pub(crate) fn decode_form_into(
    params: &mut Params,
    encoded: &[u8],
    content_type: Option<&str>,
) -> Result<()> {
    check_count(params, encoded)?;
    append(params, &parse_posted_form(encoded, of_content_type(content_type))?)
}

/// Appends those of another part of the request, which are counted where they are read. Errors: too many in
/// all.
pub(crate) fn append(params: &mut Params, more: &Params) -> Result<()> {
    more.pairs().iter().for_each(|(name, value)| params.push(name.clone(), value.clone()));
    params.check_count().map_err(|_| too_many())
}

fn too_many() -> Error {
    Error::bad_request(format!(
        "a request of more than `{PARAMS_MAX}` parameters; put many values into one, as {{!terms}} takes them"
    ))
}

/// Before they are decoded: that takes more room than they do.
fn check_count(params: &Params, encoded: &[u8]) -> Result<()> {
    let count = params.pairs().len() + encoded.iter().filter(|byte| **byte == b'&').count();
    if count >= PARAMS_MAX { Err(too_many()) } else { Ok(()) }
}

/// One segment of a path, where a `+` is itself. A broken escape stands for itself too: it names nothing.
pub(crate) fn decode_segment(encoded: &str) -> Result<String> {
    String::from_utf8(percent_decode(encoded.as_bytes()).collect())
        .map_err(|_| Error::bad_request(format!("path segment `{encoded}` is not UTF-8; encode it as UTF-8")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plus_in_a_path_stays() {
        assert_eq!(decode_segment("a+b%20c").unwrap(), "a+b c");
        assert_eq!(decode_segment("%zz").unwrap(), "%zz");
        assert!(decode_segment("%ff").is_err());
    }

    #[test]
    fn a_form_adds_to_the_url() {
        let mut params = Params::default();
        decode_into(&mut params, b"fq=a").unwrap();
        decode_into(&mut params, b"fq=b+c").unwrap();
        assert_eq!(params.all_by_name("fq").collect::<Vec<_>>(), ["a", "b c"]);
        assert!(decode_into(&mut params, b"q=%zz").is_err());
        let most = "a=b&".repeat(PARAMS_MAX - 3) + "a=b";
        decode_into(&mut params.clone(), most.as_bytes()).unwrap();
        assert!(decode_into(&mut params, (most + "&a=b").as_bytes()).is_err());
    }
}
