//! `hl.*` that only the `fastVector` method reads. Messages are Solr's, recorded from 9.10.1.

use plan::{Boundaries, Breaks, Error, FastVectorOptions, FragmentList, Result, Tags};

use super::highlight::unknown;
use super::highlight_options::Reader;
use crate::params::{Param, highlight as param};

/// What `colored` marks with, as in Solr's example configuration.
const COLORS: [&str; 10] = [
    "yellow",
    "lawgreen",
    "aquamarine",
    "magenta",
    "palegreen",
    "coral",
    "wheat",
    "khaki",
    "lime",
    "deepskyblue",
];

const BOUNDARY_CHARS: &str = ".,!? \t\n\r";

impl Reader<'_> {
    pub(super) fn fast_vector(&self) -> Result<FastVectorOptions> {
        Ok(FastVectorOptions {
            fragments: self.fragment_list()?,
            boundaries: self.boundaries()?,
            tags: self.all_tags()?,
            phrases_max: param::PHRASE_LIMIT
                .read(self.context.params)?
                .and_then(|limit| usize::try_from(limit).ok())
                .unwrap_or(0),
            separator: self.value_separator()?,
            alternate: self.alternate()?,
        })
    }

    fn fragment_list(&self) -> Result<FragmentList> {
        match self.sent(&param::FRAGMENT_LIST)?.as_deref() {
            None | Some("" | "weighted") => Ok(FragmentList::Weighted),
            Some("simple") => Ok(FragmentList::Simple),
            Some("single") => Ok(FragmentList::Single),
            Some(other) => Err(unknown("fragListBuilder", other)),
        }
    }

    /// A list of tags before, and one behind; the shorter one starts again.
    fn all_tags(&self) -> Result<Vec<Tags>> {
        let colored = match self.sent(&param::FRAGMENTS)?.as_deref() {
            None | Some("" | "default") => false,
            Some("colored") => true,
            Some(other) => return Err(unknown("fragmentsBuilder", other)),
        };
        let list = |param: &Param<String>| {
            let sent = self.sent(param)?;
            Ok::<_, Error>(
                sent.map(|list| list.split(',').map(|tag| tag.trim().to_owned()).collect::<Vec<_>>()),
            )
        };
        let colors = || COLORS.map(|color| format!("<b style=\"background:{color}\">")).to_vec();
        let before = list(&param::TAG_BEFORE)?;
        let before = before.unwrap_or_else(|| if colored { colors() } else { vec!["<em>".to_owned()] });
        let after = list(&param::TAG_AFTER)?;
        let after = after.unwrap_or_else(|| vec![if colored { "</b>" } else { "</em>" }.to_owned()]);
        let count = before.len().max(after.len());
        let pairs = before.iter().cycle().zip(after.iter().cycle()).take(count);
        Ok(pairs.map(|(before, after)| Tags { before: before.clone(), after: after.clone() }).collect())
    }

    fn boundaries(&self) -> Result<Boundaries> {
        match self.sent(&param::BOUNDARY_SCANNER)?.as_deref() {
            None | Some("" | "default") => Ok(Boundaries::Near {
                characters: self.sent(&param::BOUNDARY_CHARS)?.unwrap_or_else(|| BOUNDARY_CHARS.to_owned()),
                units_max: self
                    .sent(&param::BOUNDARY_SCAN_MAX)?
                    .and_then(|units| usize::try_from(units).ok())
                    .unwrap_or(0),
            }),
            Some("breakIterator") => self.scanned_breaks().map(Boundaries::Breaks),
            Some(other) => Err(unknown("boundaryScanner", other)),
        }
    }

    fn scanned_breaks(&self) -> Result<Breaks> {
        let kind =
            self.sent(&param::BREAK_TYPE)?.map_or_else(|| "word".to_owned(), |kind| kind.to_lowercase());
        match kind.as_str() {
            "character" => Ok(Breaks::Character),
            "word" => Ok(Breaks::Word),
            "line" => Ok(Breaks::Line),
            "sentence" => Ok(Breaks::Sentence),
            other => Err(Error::bad_request(format!("{other} is invalid for parameter hl.bs.type"))),
        }
    }

    fn value_separator(&self) -> Result<char> {
        let text = param::VALUE_SEPARATOR.read(self.context.params)?.unwrap_or_default();
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(only), None) if only.len_utf16() == 1 => Ok(only),
            _ => Err(Error::bad_request(format!(
                "{} parameter must be a char, but is \"{text}\"",
                param::VALUE_SEPARATOR.name
            ))),
        }
    }
}
