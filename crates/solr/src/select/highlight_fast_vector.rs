//! `hl.*` that only the `fastVector` method reads. Messages are Solr's, recorded from 9.10.1. What all
//! methods read is `highlight_options.rs`; parts by name are `highlight_parts.rs`. In: the same reader as for
//! all methods; out: `plan::FastVectorOptions`. A field without vectors is marked by the original method
//! instead, as in Solr.

use plan::{Boundaries, Breaks, Error, FastVectorOptions, FragmentList, PartKind, PartWork, Result, Tags};

use super::highlight_options::HighlightReader;
use super::highlight_parts::Part;
use crate::params::{Param, highlight as param};

/// What Lucene's scanner looks for where nobody says.
const BOUNDARY_CHARS: &str = ".,!? \t\n";

impl HighlightReader<'_> {
    pub(super) fn fast_vector(&self) -> Result<FastVectorOptions> {
        Ok(FastVectorOptions {
            fragments: self.fragment_list()?,
            boundaries: self.boundaries()?,
            tags: self.all_tags()?,
            phrases_max: usize::try_from(param::PHRASE_LIMIT.read(self.context.params)?).unwrap_or(0),
            separator: self.value_separator()?,
            alternate: self.alternate()?,
        })
    }

    fn fragment_list(&self) -> Result<FragmentList> {
        Ok(match self.part(PartKind::FragmentList, &param::FRAGMENT_LIST)?.work {
            Some(PartWork::ListSingle) => FragmentList::Single,
            Some(PartWork::ListWeighted) => FragmentList::Weighted,
            _ => FragmentList::Simple,
        })
    }

    /// A list of tags before, and one behind; the shorter one starts again.
    fn all_tags(&self) -> Result<Vec<Tags>> {
        let part = self.part(PartKind::Fragments, &param::FRAGMENTS)?;
        let list = |param: &Param<String>, usual: &str| {
            let told = self.told(&part, param)?;
            let list = told.as_deref().unwrap_or(usual).split(',');
            Ok::<_, Error>(list.map(|tag| tag.trim().to_owned()).collect::<Vec<_>>())
        };
        let before = list(&param::TAG_BEFORE, param::SIMPLE_BEFORE.default)?;
        let after = list(&param::TAG_AFTER, param::SIMPLE_AFTER.default)?;
        let count = before.len().max(after.len());
        // Colours: each word of the query takes the next tag, and starts again behind the last.
        let pairs = before.iter().cycle().zip(after.iter().cycle()).take(count);
        Ok(pairs.map(|(before, after)| Tags { before: before.clone(), after: after.clone() }).collect())
    }

    fn boundaries(&self) -> Result<Boundaries> {
        let part = self.part(PartKind::BoundaryScanner, &param::BOUNDARY_SCANNER)?;
        if part.work == Some(PartWork::ScanBreaks) {
            return self.scanned_breaks(&part).map(Boundaries::Breaks);
        }
        let characters = self.told(&part, &param::BOUNDARY_CHARS)?;
        let units_max = self.told(&part, &param::BOUNDARY_SCAN_MAX)?;
        Ok(Boundaries::Near {
            characters: characters.unwrap_or_else(|| BOUNDARY_CHARS.to_owned()),
            units_max: usize::try_from(units_max).unwrap_or(0),
        })
    }

    fn scanned_breaks(&self, part: &Part<'_>) -> Result<Breaks> {
        let kind = self.told(part, &param::BREAK_TYPE)?;
        let kind = kind.map_or_else(|| "word".to_owned(), |kind| kind.to_lowercase());
        match kind.as_str() {
            "character" => Ok(Breaks::Character),
            "word" => Ok(Breaks::Word),
            "line" => Ok(Breaks::Line),
            "sentence" => Ok(Breaks::Sentence),
            other => Err(Error::bad_request(format!("{other} is invalid for parameter hl.bs.type"))),
        }
    }

    fn value_separator(&self) -> Result<char> {
        // What is sent for one field alone is not heard, as in Solr.
        let part = self.part(PartKind::Fragments, &param::FRAGMENTS)?;
        let text = HighlightReader { field: "", ..*self }.told(&part, &param::VALUE_SEPARATOR)?;
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
