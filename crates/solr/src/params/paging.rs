//! The page of hits: `start` and `rows`, or `cursorMark` and `rows`. Definitions only, each with its
//! spelling, sentence, default and parser (`spec.rs`); here they become a `plan::Page` too: where hits are in
//! groups, fewer rows than none are all.

use plan::{Error, Page, Result};

use super::grouping::GROUP;
use super::spec::{integer, text};
use super::{NoDefault, Param, ParamDoc, Params, Preset};

pub const START: Preset<usize> =
    Param::new("start", |text| not_negative("start", text), "0", "How many hits to skip.");

pub const ROWS: Preset<usize> =
    Param::new("rows", |text| not_negative("rows", text), "10", "How many hits to return.");

pub const CURSOR_MARK: Param<String> = Param::new(
    "cursorMark",
    text,
    NoDefault,
    "`*`, then the `nextCursorMark` of the answer before: pages of all hits, each as cheap as the first. The sort must have the unique key in it.",
);

pub const DOCS: &[ParamDoc] = &[START.doc(), ROWS.doc(), CURSOR_MARK.doc()];

/// The window that a request asks for. Of groups, fewer than none are all.
pub fn page(params: &Params) -> Result<Page> {
    let groups_all = || ROWS.sent(params).is_some_and(|rows| integer(rows).is_ok_and(|rows| rows < 0));
    if GROUP.read(params)? && groups_all() {
        return Ok(Page { start: START.read(params)?, rows: usize::MAX });
    }
    Ok(Page { start: START.read(params)?, rows: ROWS.read(params)? })
}

fn not_negative(name: &str, text: &str) -> Result<usize> {
    usize::try_from(integer(text)?)
        .map_err(|_| Error::bad_request(format!("'{name}' parameter cannot be negative")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages recorded from Solr 9.10.1.
    #[test]
    fn pages_are_read_or_refused() {
        let check = |name: &str, value: &str, expected: Result<Page, &str>| {
            let params = Params::new(vec![(name.into(), value.into())]);
            let found = page(&params).map_err(|error| error.message);
            assert_eq!(found, expected.map_err(str::to_owned), "{name}={value}");
        };
        check("rows", "5", Ok(Page { start: 0, rows: 5 }));
        check("start", "2147483647", Ok(Page { start: 2_147_483_647, rows: 10 }));
        check("rows", "-1", Err("'rows' parameter cannot be negative"));
        check("start", "-1", Err("'start' parameter cannot be negative"));
        check("rows", "abc", Err("For input string: \"abc\""));
        check("rows", "", Err("For input string: \"\""));
        check("rows", "1.5", Err("For input string: \"1.5\""));
        check("rows", "99999999999", Err("For input string: \"99999999999\""));
    }
}
