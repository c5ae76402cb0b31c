//! `pathHierarchy`: `/a/b/c` as `/a`, `/a/b`, `/a/b/c`, or from the other end (`reverse`), all at one
//! position. Spans are found at the first call for a text, since those that count from the end need all
//! delimiters, and then given one by one. With the keyword tokenizer at query time this finds all below a
//! path; the other way round, all above it.

use crate::definition::TokenizerDefinition;
use crate::stage::Tokenizer;
use crate::token::{KIND_WORD, Token};

pub(crate) static PATH_HIERARCHY: TokenizerDefinition = TokenizerDefinition::new(
    "pathHierarchy",
    "path.PathHierarchyTokenizerFactory",
    &["delimiter", "replace", "reverse", "skip", "bufferSize"],
    "Gives a path with each of its parents.",
    |args| {
        let delimiter = args.character("delimiter", '/')?;
        Ok(Box::new(Path {
            delimiter,
            replacement: args.character("replace", delimiter)?,
            reverse: args.flag("reverse", false),
            skip: args.count("skip", 0, 0)?,
            spans: None,
        }))
    },
);

#[derive(Clone)]
struct Path {
    delimiter: char,
    replacement: char,
    reverse: bool,
    skip: usize,
    /// The spans still to be given, last one first; none before the text was looked at.
    spans: Option<Spans>,
}

/// Spans share one end; only the other ends are kept.
#[derive(Clone)]
struct Spans {
    fixed: usize,
    ends: Vec<usize>,
    first: bool,
}

impl Path {
    fn spans(&self, text: &str) -> Spans {
        let delimiters: Vec<usize> = text.match_indices(self.delimiter).map(|(at, _)| at).collect();
        let mut spans = if self.reverse {
            self.spans_backward(text, &delimiters)
        } else {
            self.spans_forward(text, &delimiters)
        };
        spans.ends.reverse();
        spans
    }

    /// Ends of the paths that start at the first part not skipped.
    fn spans_forward(&self, text: &str, delimiters: &[usize]) -> Spans {
        // A leading delimiter belongs to the first part: `/a/b` begins with `/a`, not with an empty part.
        let leading = text.starts_with(self.delimiter);
        let later = delimiters.get(usize::from(leading)..).unwrap_or_default();
        let fixed = match self.skip {
            0 => Some(0),
            skip => later.get(skip - 1).copied(),
        };
        let Some(fixed) = fixed else { return Spans { fixed: 0, ends: Vec::new(), first: true } };
        let mut ends: Vec<usize> = later.get(self.skip..).unwrap_or_default().to_vec();
        if text.len() > fixed {
            ends.push(text.len());
        }
        Spans { fixed, ends, first: true }
    }

    /// Starts of the paths that end where the skipped parts begin.
    fn spans_backward(&self, text: &str, delimiters: &[usize]) -> Spans {
        let width = self.delimiter.len_utf8();
        let mut starts: Vec<usize> =
            std::iter::once(0).chain(delimiters.iter().map(|at| at + width)).collect();
        if starts.last() == Some(&text.len()) {
            starts.pop();
        }
        let kept = starts.len().saturating_sub(self.skip);
        let fixed = starts.get(kept).copied().unwrap_or(text.len());
        starts.truncate(kept);
        Spans { fixed, ends: starts, first: true }
    }
}

impl Tokenizer for Path {
    fn reset(&mut self) {
        self.spans = None;
    }

    fn next(&mut self, text: &str, token: &mut Token) -> bool {
        if self.spans.is_none() {
            self.spans = Some(self.spans(text));
        }
        let Some(spans) = &mut self.spans else { return false };
        let Some(end) = spans.ends.pop() else { return false };
        let (start, end) = if self.reverse { (end, spans.fixed) } else { (spans.fixed, end) };
        token.set(text, start, end, KIND_WORD);
        token.position_increment = u32::from(std::mem::take(&mut spans.first));
        if self.replacement != self.delimiter {
            token.text = token.text.replace(self.delimiter, self.replacement.encode_utf8(&mut [0; 4]));
        }
        true
    }

    fn fresh(&self) -> Box<dyn Tokenizer> {
        Box::new(self.clone())
    }
}
