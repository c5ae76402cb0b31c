//! The words by which documents are like another: those of its stored texts that are frequent in it and rare elsewhere, as
//! Lucene's `MoreLikeThis` chooses and weighs them. Texts are analysed anew, as for the index.

use std::collections::HashMap;
use std::sync::Arc;

use plan::{
    Document, Error, FieldSelection, LikeChoice, LikeSource, LikeTerm, MoreLike, Result, TieHeap, Value,
    java_bucket,
};

use super::SearchContext;
use super::find::place_of;
use super::lower::term_of;
use super::stats::{doc_freq, term_infos};
use crate::layout::FieldLayout;
use crate::snapshot::read_source;

/// Longer values are no word of Solr's.
const WORD_CHARS_MAX: usize = 256;

/// The words, the least telling first, as Lucene lists them. A document that does not exist is a bad request.
pub(super) fn terms(context: &SearchContext<'_>, like: &MoreLike) -> Result<Vec<LikeTerm>> {
    let document = match &like.of {
        LikeSource::Document(id) => Some(document(context, id, &like.fields)?),
        LikeSource::Text(_) => None,
    };
    let mut fields = Vec::new();
    for (name, boost) in &like.fields {
        let Some(layout) = context.layout.field(name) else { continue };
        let mut words = Words::new(&like.choice);
        match (&like.of, &document) {
            (LikeSource::Text(text), _) => words.add(context, layout, &Value::Str(text.clone()))?,
            (LikeSource::Document(_), Some(document)) => {
                for value in document.get(name).unwrap_or_default() {
                    words.add(context, layout, value)?;
                }
            }
            (LikeSource::Document(_), None) => {}
        }
        fields.push((layout, *boost, words));
    }
    choose(context, like, fields)
}

/// The stored fields among those wanted.
fn document(context: &SearchContext<'_>, id: &str, fields: &[(Arc<str>, f32)]) -> Result<Document> {
    let stored =
        |name: &&Arc<str>| context.layout.field(name).is_some_and(|layout| layout.spec.properties.stored);
    let names = fields.iter().map(|(name, _)| name).filter(stored).cloned().collect();
    let selection = FieldSelection { names, ..FieldSelection::default() };
    let (segment, doc) = place_of(context, id)?.ok_or_else(|| {
        let message = "Error completing MLT request. Could not fetch document with id";
        Error::bad_request(format!("{message} [{id}]"))
    })?;
    Ok(read_source(&segment.view.source(doc)?, context.layout, &selection)?.1)
}

/// The words of one field, with how often each occurs, as they came.
struct Words<'a> {
    choice: &'a LikeChoice,
    numbers: HashMap<String, usize>,
    counted: Vec<(Value, String, u32)>,
}

impl<'a> Words<'a> {
    fn new(choice: &'a LikeChoice) -> Self {
        Self { choice, numbers: HashMap::new(), counted: Vec::new() }
    }

    fn add(&mut self, context: &SearchContext<'_>, layout: &FieldLayout, value: &Value) -> Result<()> {
        let class = layout.class();
        match value {
            _ if class.is_point() => {}
            Value::Bool(flag) => self.word(value, if *flag { "T" } else { "F" }),
            Value::Str(text) if class.is_text() => {
                let Some(analyzer) = context.layout.analyzers().index(&layout.spec.field_type)? else {
                    return Ok(());
                };
                let mut stream = analyzer.stream();
                let mut tokens = stream.start(text);
                let mut left = self.choice.tokens_max;
                while left > 0 && tokens.advance() {
                    left -= 1;
                    let text = &tokens.token().text;
                    self.word(&Value::Str(text.clone()), text);
                }
            }
            other => {
                let text = other.to_text();
                if text.len() <= WORD_CHARS_MAX {
                    self.word(&Value::Str(text.clone()), &text);
                }
            }
        }
        Ok(())
    }

    fn word(&mut self, value: &Value, text: &str) {
        let length = text.encode_utf16().count();
        let LikeChoice { length_min, length_max, .. } = *self.choice;
        if (length_min > 0 && length < length_min) || (length_max > 0 && length > length_max) {
            return;
        }
        if let Some((_, _, count)) = self.numbers.get(text).and_then(|at| self.counted.get_mut(*at)) {
            *count += 1;
            return;
        }
        self.numbers.insert(text.to_owned(), self.counted.len());
        self.counted.push((value.clone(), text.to_owned(), 1));
    }
}

type FieldWords<'a> = (&'a Arc<FieldLayout>, f32, Words<'a>);

/// Solr goes through fields and words in the order of its hash maps, which decides between words that tell as much.
fn choose(
    context: &SearchContext<'_>,
    like: &MoreLike,
    mut fields: Vec<FieldWords<'_>>,
) -> Result<Vec<LikeTerm>> {
    let (choice, from_vectors) = (&like.choice, matches!(like.of, LikeSource::Document(_)));
    fields.retain(|(_, _, words)| !words.counted.is_empty());
    let (names, all) = (fields.len(), fields.iter().map(|(_, _, words)| words.counted.len()).sum());
    fields.sort_by_key(|(layout, _, _)| java_bucket(&layout.name, names));
    let limit = choice.terms_max.min(all);
    let mut best = TieHeap::new(|(one, _): &(f32, LikeTerm), (other, _)| one.total_cmp(other));
    for (layout, boost, mut words) in fields {
        let count = words.counted.len();
        if from_vectors && layout.spec.properties.term_vectors {
            // Solr reads them from the vector, which has them in order.
            words.counted.sort_by(|(_, left, _), (_, right, _)| left.cmp(right));
        }
        words.counted.sort_by_key(|(_, text, _)| java_bucket(text, count));
        for (value, _, frequency) in words.counted {
            let Some(score) = score(context, choice, layout, &value, frequency)? else { continue };
            let term = LikeTerm { field: layout.name.clone(), value, boost };
            if best.len() < limit {
                best.push((score, term));
            } else if best.peek().is_some_and(|(least, _)| *least < score) {
                best.replace_least((score, term));
            }
        }
    }
    let first = best.peek().map_or(1.0, |(score, _)| *score);
    let weigh = |(score, term): (f32, LikeTerm)| {
        let own = if choice.weighted { score / first } else { 1.0 };
        LikeTerm { boost: term.boost * own, ..term }
    };
    Ok(std::iter::from_fn(|| best.pop()).map(weigh).collect())
}

/// How telling a word is: by Lucene's classic measure, whatever the index scores by. `None` when it is not wanted.
fn score(
    context: &SearchContext<'_>,
    choice: &LikeChoice,
    layout: &FieldLayout,
    value: &Value,
    frequency: u32,
) -> Result<Option<f32>> {
    if frequency < choice.frequency_min {
        return Ok(None);
    }
    let term = layout.inverted.and_then(|field| term_of(layout, field, value));
    let Some(term) = term else { return Ok(None) };
    let documents = doc_freq(&term_infos(context, &term)?);
    let all: u64 = context.segments.iter().map(|segment| u64::from(segment.max_doc())).sum();
    let most = choice.percent_max.map_or(choice.documents_max, |percent| percent.saturating_mul(all) / 100);
    if documents < choice.documents_min.max(1) || documents > most {
        return Ok(None);
    }
    let with_field = context.field_stats(layout, term.field())?.0.doc_count;
    let idf = (((with_field + 1) as f64 / (documents + 1) as f64).ln() + 1.0) as f32;
    Ok(Some(frequency as f32 * idf))
}
