//! `hl.*` for one field: how its text is searched, cut and marked. By which parts of the collection's
//! configuration is `highlight_parts.rs`. Messages are Solr's, recorded from 9.10.1. In: the request's
//! parameters for that field, `f.NAME.hl.…` before `hl.…`; out: `plan::HighlightOptions`, with which the
//! engine cuts and marks. Which fields are marked, and by which query, is `highlight.rs`.

use std::sync::Arc;

use plan::{
    Alternate, Breaks, Error, FastVectorOptions, FieldSelection, FragmentList, Fragmenter, HighlightMethod,
    HighlightOptions, HighlightParts, OriginalOptions, PartKind, PartWork, PassageScoring, QueryFields,
    RegexFragmenter, Result, Tags, UnifiedOptions,
};

use crate::params::{Fallback, Param, Preset, highlight as param};
use crate::query::QueryContext;

/// How long passages of the unified method and of the pattern are.
const PASSAGE_UNITS: i32 = 70;
const FRAGMENT_UNITS: i32 = 100;

/// The shortest fragment of the `fastVector` method.
const FAST_VECTOR_UNITS_MIN: i32 = 18;

/// Where options are read from.
#[derive(Clone, Copy)]
pub(super) struct Options<'a> {
    pub(super) context: &'a QueryContext<'a>,
    pub(super) parts: &'a HighlightParts,
}

impl Options<'_> {
    /// Those of a field.
    pub(super) fn of(&self, field: &str) -> Result<HighlightOptions> {
        HighlightReader::of(*self, field).options()
    }

    /// Those of fields that only a glob names, with term vectors or without.
    pub(super) fn of_globbed(&self, vectors: bool) -> Result<HighlightOptions> {
        HighlightReader { context: self.context, parts: self.parts, field: "", vectors }.options()
    }
}

#[derive(Clone, Copy)]
pub(super) struct HighlightReader<'a> {
    pub(super) context: &'a QueryContext<'a>,
    pub(super) parts: &'a HighlightParts,
    pub(super) field: &'a str,
    /// Whether the field has term vectors with offsets.
    pub(super) vectors: bool,
}

impl<'a> HighlightReader<'a> {
    fn of(Options { context, parts }: Options<'a>, field: &'a str) -> Self {
        let vectors = context.find(field).is_some_and(|field| field.spec.properties.has_offset_vectors());
        Self { context, parts, field, vectors }
    }

    pub(super) fn sent<T, D: Fallback>(&self, param: &Param<T, D>) -> Result<D::Read<T>> {
        param.parse(param.sent_for(self.context.params, self.field))
    }

    fn options(&self) -> Result<HighlightOptions> {
        let params = self.context.params;
        let method = match param::METHOD.text(params) {
            "unified" => HighlightMethod::Unified(self.unified()?),
            "original" | "fastVector" => self.older()?,
            other => return Err(unknown_method(other)),
        };
        let unified = matches!(method, HighlightMethod::Unified(_));
        Ok(HighlightOptions {
            query_fields: self.query_fields(unified)?,
            phrases: self.sent(&param::PHRASES)?,
            multi_term: self.multi_term(&method)?,
            snippets: self.snippets(unified)?,
            fragment_units: self.fragment_units(&method)?,
            text_units_max: self.text_units_max(unified)?,
            tags: self.tags(unified)?,
            html: self.html(unified)?,
            method,
        })
    }

    fn query_fields(&self, unified: bool) -> Result<QueryFields> {
        if self.sent(&param::FIELD_MATCH)? {
            return Ok(QueryFields::Same);
        }
        let patterns = param::QUERY_FIELDS.sent_all_for(self.context.params, self.field);
        if !unified || patterns.is_empty() {
            return Ok(QueryFields::Any);
        }
        let (mut names, mut globs) = (Vec::new(), Vec::new());
        for pattern in patterns.iter().flat_map(|list| list.split([',', ' '])).filter(|name| !name.is_empty())
        {
            match pattern.contains('*') {
                true => globs.push(pattern.to_owned()),
                false => names.push(Arc::from(pattern)),
            }
        }
        Ok(QueryFields::Named(FieldSelection { all: false, names, globs }))
    }

    /// The older methods read patterns only together with phrases.
    fn multi_term(&self, method: &HighlightMethod) -> Result<bool> {
        let with_phrases = matches!(method, HighlightMethod::Unified(_)) || self.sent(&param::PHRASES)?;
        Ok(self.sent(&param::MULTI_TERM)? && with_phrases)
    }

    /// Solr differs: no snippets at all are its error 500, where they are less than none or by the unified
    /// method (`compat/highlight/errors.yaml`).
    fn snippets(&self, unified: bool) -> Result<usize> {
        let snippets = self.sent(&param::SNIPPETS)?;
        match usize::try_from(snippets) {
            Ok(snippets) if snippets > 0 || !unified => Ok(snippets),
            _ => Err(Error::bad_request(format!(
                "`hl.snippets` is {snippets}, which shows nothing; use 1 or more, or leave out the field"
            ))),
        }
    }

    fn fragment_units(&self, method: &HighlightMethod) -> Result<usize> {
        let sent = self.sent(&param::FRAGMENT_SIZE)?;
        let units = match method {
            HighlightMethod::Unified(_) => sent.unwrap_or(PASSAGE_UNITS).max(1 - i32::from(sent == Some(0))),
            HighlightMethod::Original(original) => {
                let cutter = self.part(PartKind::Fragmenter, &param::FRAGMENTER)?;
                let by_pattern = matches!(original.fragmenter, Fragmenter::Regex(_));
                let usual = if by_pattern { PASSAGE_UNITS } else { FRAGMENT_UNITS };
                self.told(&cutter, &param::FRAGMENT_SIZE)?.unwrap_or(usual)
            }
            HighlightMethod::FastVector(fast) => {
                let units = sent.unwrap_or(FRAGMENT_UNITS);
                if fast.fragments != FragmentList::Single && units < FAST_VECTOR_UNITS_MIN {
                    return Err(Error::bad_request(format!(
                        "fragCharSize({units}) is too small. It must be {FAST_VECTOR_UNITS_MIN} or higher."
                    )));
                }
                units
            }
        };
        Ok(usize::try_from(units).unwrap_or(0))
    }

    fn text_units_max(&self, unified: bool) -> Result<usize> {
        let sent = match unified {
            // The unified method has one bound for all fields, whatever is sent for one of them, as in Solr.
            true => param::CHARS_MAX.read(self.context.params)?,
            false => self.sent(&param::CHARS_MAX)?,
        };
        match usize::try_from(sent) {
            Ok(units) => Ok(units),
            // Below zero the older methods read everything.
            Err(_) if !unified => Ok(usize::MAX),
            Err(_) => Err(Error::bad_request("maxLength must be < Integer.MAX_VALUE")),
        }
    }

    fn tags(&self, unified: bool) -> Result<Tags> {
        // The `fastVector` method asks no formatter, so that it may name one that there is not.
        let formatter = self.part(PartKind::Formatter, &param::FORMATTER).unwrap_or_default();
        let tag = |tag: &Param<String>, simple: &Preset<String>| match unified {
            true => self.sent(tag)?.map_or_else(|| self.sent(simple), Ok),
            false => self.told(&formatter, simple),
        };
        Ok(Tags {
            before: tag(&param::TAG_BEFORE, &param::SIMPLE_BEFORE)?,
            after: tag(&param::TAG_AFTER, &param::SIMPLE_AFTER)?,
        })
    }

    fn html(&self, unified: bool) -> Result<bool> {
        match unified {
            true => Ok(self.sent(&param::ENCODER)?.as_deref() == Some("html")),
            false => Ok(self.part(PartKind::Encoder, &param::ENCODER)?.work == Some(PartWork::WriteHtml)),
        }
    }

    fn unified(&self) -> Result<UnifiedOptions> {
        let by_vectors = self.by_vectors()?;
        let phrases = self.sent(&param::PHRASES)? && self.sent(&param::MULTI_TERM)?;
        let align = self.sent(&param::ALIGN)?;
        if !(0.0..=1.0).contains(&align) {
            return Err(Error::bad_request("fragmentAlignment must be >= zero and <= one"));
        }
        Ok(UnifiedOptions {
            by_vectors,
            whole_matches: phrases && self.sent(&param::WEIGHT_MATCHES)?,
            default_summary: self.sent(&param::DEFAULT_SUMMARY)?,
            ellipsis: self.sent(&param::ELLIPSIS)?,
            scoring: PassageScoring {
                k1: self.sent(&param::SCORE_K1)?,
                b: self.sent(&param::SCORE_B)?,
                pivot: self.sent(&param::SCORE_PIVOT)?,
            },
            breaks: self.breaks("SENTENCE")?,
            align,
            at_least: self.sent(&param::AT_LEAST)?,
        })
    }

    /// Texts are analysed again whatever is asked, but to Solr term vectors are a text of their own.
    fn by_vectors(&self) -> Result<bool> {
        let Some(source) = self.sent(&param::OFFSET_SOURCE)? else { return Ok(self.vectors) };
        match source.to_uppercase().as_str() {
            "ANALYSIS" => Ok(false),
            "TERM_VECTORS" => Ok(true),
            "POSTINGS" | "POSTINGS_WITH_TERM_VECTORS" => {
                let field = if self.field.is_empty() { "*" } else { self.field };
                let message = format!("field '{field}' was indexed without offsets, cannot highlight");
                Err(Error::bad_request(message))
            }
            other => Err(Error::bad_request(format!(
                "No enum constant org.apache.lucene.search.uhighlight.UnifiedHighlighter.OffsetSource.{other}"
            ))),
        }
    }

    fn breaks(&self, default: &str) -> Result<Breaks> {
        let kind = self.sent(&param::BREAK_TYPE)?;
        let kind = kind.as_deref().unwrap_or(default);
        if kind == "WHOLE" {
            return Ok(Breaks::Nowhere);
        }
        if kind == "SEPARATOR" {
            return self.separator().map(Breaks::Separator);
        }
        self.check_locale()?;
        match kind {
            "SENTENCE" => Ok(Breaks::Sentence),
            "WORD" => Ok(Breaks::Word),
            "LINE" => Ok(Breaks::Line),
            "CHARACTER" => Ok(Breaks::Character),
            other => Err(Error::bad_request(format!("Unknown hl.bs.type: {other}"))),
        }
    }

    fn separator(&self) -> Result<char> {
        let name = param::BREAK_SEPARATOR.name;
        let text = self.sent(&param::BREAK_SEPARATOR)?;
        let text = text.ok_or_else(|| Error::bad_request(format!("{name} not passed")))?;
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(Error::bad_request(format!("{name} must be a single char but got: '{text}'"))),
        }
    }

    fn check_locale(&self) -> Result<()> {
        let language = self.sent(&param::BREAK_LANGUAGE)?;
        let country = self.sent(&param::BREAK_COUNTRY)?;
        let variant = self.sent(&param::BREAK_VARIANT)?;
        if language.is_none() && (country.is_some() || variant.is_some()) {
            return Err(Error::bad_request("language is required if country or variant is specified"));
        }
        if country.is_none() && variant.is_some() {
            return Err(Error::bad_request("To specify variant, country is required"));
        }
        Ok(())
    }

    /// `original`, or `fastVector` for a field that has vectors with offsets.
    fn older(&self) -> Result<HighlightMethod> {
        let fast = self.sent(&param::METHOD)? == "fastVector";
        if fast && self.vectors {
            return self.fast_vector().map(HighlightMethod::FastVector);
        }
        self.original().map(HighlightMethod::Original)
    }

    fn original(&self) -> Result<OriginalOptions> {
        self.part(PartKind::Formatter, &param::FORMATTER)?;
        let count = |sent: i32| usize::try_from(sent).unwrap_or(0);
        Ok(OriginalOptions {
            fragmenter: self.fragmenter()?,
            merge_contiguous: self.sent(&param::MERGE)?,
            keep_values: self.sent(&param::KEEP_VALUES)?,
            values_examined_max: self.sent(&param::VALUES_EXAMINED_MAX)?.map(count),
            fragments_matched_max: self.sent(&param::VALUES_MATCHED_MAX)?.map_or(usize::MAX, count),
            alternate: self.alternate()?,
        })
    }

    fn fragmenter(&self) -> Result<Fragmenter> {
        let part = self.part(PartKind::Fragmenter, &param::FRAGMENTER)?;
        if part.work != Some(PartWork::CutByPattern) {
            return Ok(Fragmenter::Gap);
        }
        let units_max = self.told(&part, &param::REGEX_CHARS_MAX)?;
        let gap = self.told(&part, &param::REGEX_INCREMENT)?;
        Ok(Fragmenter::Regex(RegexFragmenter {
            pattern: self.told(&part, &param::REGEX_PATTERN)?,
            slop: self.told(&part, &param::REGEX_SLOP)?,
            text_units_max: usize::try_from(units_max).unwrap_or(0),
            gap: u32::try_from(gap).unwrap_or(0),
        }))
    }

    pub(super) fn alternate(&self) -> Result<Option<Alternate>> {
        let Some(name) = self.sent(&param::ALTERNATE)?.filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        let units = self.sent(&param::ALTERNATE_LENGTH)?;
        // A field that stands in for itself has just been found to hold nothing to mark.
        let marks = self.sent(&param::ALTERNATE_MARKED)? && name != self.field;
        let marked = match self.context.find(&name).filter(|_| marks) {
            Some(_) => Some(Box::new(self.marked_alternate(&name, units)?)),
            None => None,
        };
        let units_max = usize::try_from(units).unwrap_or(0);
        Ok(Some(Alternate { field: Arc::from(name), units_max, marked }))
    }

    /// The other field's options: one snippet, as long as what would be shown of it.
    fn marked_alternate(&self, name: &str, units: i32) -> Result<HighlightOptions> {
        let reader = HighlightReader::of(Options { context: self.context, parts: self.parts }, name);
        let method = match reader.older()? {
            HighlightMethod::Original(original) => {
                HighlightMethod::Original(OriginalOptions { alternate: None, ..original })
            }
            HighlightMethod::FastVector(fast) => {
                HighlightMethod::FastVector(FastVectorOptions { alternate: None, ..fast })
            }
            other => other,
        };
        let fragment = if units > 0 { units.max(FAST_VECTOR_UNITS_MIN) } else { i32::MAX };
        Ok(HighlightOptions {
            query_fields: reader.query_fields(false)?,
            phrases: reader.sent(&param::PHRASES)?,
            multi_term: reader.multi_term(&method)?,
            snippets: 1,
            fragment_units: usize::try_from(fragment).unwrap_or(usize::MAX),
            text_units_max: reader.text_units_max(false)?,
            tags: reader.tags(false)?,
            html: reader.html(false)?,
            method,
        })
    }
}

/// Solr differs: its error is a 500 that tells of a null (`compat/highlight/errors.yaml`).
fn unknown_method(name: &str) -> Error {
    Error::bad_request(format!("unknown highlighting method `{name}`; use unified, original or fastVector"))
}
