//! The words by which documents are like another: those of its stored texts, analysed anew as for the index,
//! or what the index has of it where no text is stored; and how many documents have each. Which of them tell
//! enough is decided where those of all shards are known (`MoreLike::chosen`).

use std::collections::HashMap;
use std::sync::Arc;

use plan::partial::{FieldWords, LikeCounts, LikeFieldCounts, LikeWord, LikeWords};
use plan::{Document, FieldSelection, LikeChoice, LikeSource, LikeTerm, MoreLike, Result, Value};

use super::index_term::term_of;
use super::indexed_words::each_indexed_word;
use super::stats::{doc_freq, term_infos};
use crate::layout::FieldLayout;
use crate::search::context::{SearchContext, SearchSegment};
use crate::snapshot::read_source;

/// Longer values are no word of Solr's.
const WORD_CHARS_MAX: usize = 256;

/// The words to search by where a query asks for likes: chosen by the counts of this shard, as in Solr.
pub(super) fn terms(context: &SearchContext<'_>, like: &MoreLike) -> Result<Vec<LikeTerm>> {
    let words = words(context, like)?;
    let counts = counts(context, like, &words)?;
    like.chosen(words, &counts)
}

/// The words of the plan's fields.
pub(super) fn words(context: &SearchContext<'_>, like: &MoreLike) -> Result<LikeWords> {
    let document = match &like.of {
        LikeSource::Text(_) => None,
        LikeSource::Document(id) => match document(context, id, &like.fields)? {
            None => return Ok(LikeWords(None)),
            found => found,
        },
    };
    let fields = like.fields.iter().map(|(name, _)| {
        let Some(layout) = context.layout.field(name) else { return Ok(FieldWords::new()) };
        match (&like.of, &document) {
            (LikeSource::Text(text), _) => {
                let mut words = Words::new(&like.choice);
                words.add(context, layout, &Value::Str(text.clone()))?;
                Ok(words.counted)
            }
            (LikeSource::Document(_), Some(document)) => {
                words_of_field(context, layout, document, &like.choice)
            }
            (LikeSource::Document(_), None) => Ok(FieldWords::new()),
        }
    });
    Ok(LikeWords(Some(fields.collect::<Result<_>>()?)))
}

/// What a document has in one field, wherever that is kept.
fn words_of_field(
    context: &SearchContext<'_>,
    layout: &FieldLayout,
    document: &LikedDocument<'_>,
    choice: &LikeChoice,
) -> Result<FieldWords> {
    let properties = &layout.spec.properties;
    // Solr reads them from the vector, all of them and in order, whatever is said of how many words to read.
    let by_vector = properties.term_vectors;
    let choice =
        LikeChoice { tokens_max: if by_vector { usize::MAX } else { choice.tokens_max }, ..choice.clone() };
    let mut words = Words::new(&choice);
    if is_kept(layout) {
        for value in document.kept.get(&layout.name).unwrap_or_default() {
            words.add(context, layout, value)?;
        }
    } else {
        // Solr differs: where there is no vector either, it has no words to go by and finds nothing
        // (`compat/component/more_like_index.yaml`). The index has them, in the order of a vector.
        each_indexed_word(layout, document.place, &mut |text, times| {
            words.add_times(&Value::Str(text.to_owned()), text, times);
        })?;
    }
    let mut words = words.counted;
    if by_vector {
        words.sort_by(|left, right| left.text().cmp(right.text()));
    }
    Ok(words)
}

/// How many documents have each of `words`, which may be those of another shard's document.
pub(super) fn counts(context: &SearchContext<'_>, like: &MoreLike, words: &LikeWords) -> Result<LikeCounts> {
    let fields = like.fields.iter().zip(words.0.iter().flatten());
    let fields = fields.map(|((name, _), words)| field_counts(context, name, words, &like.choice));
    Ok(LikeCounts {
        documents: context.segments.iter().map(|segment| u64::from(segment.max_doc())).sum(),
        fields: fields.collect::<Result<_>>()?,
    })
}

fn field_counts(
    context: &SearchContext<'_>,
    name: &str,
    words: &[LikeWord],
    choice: &LikeChoice,
) -> Result<LikeFieldCounts> {
    let none = || LikeFieldCounts { documents: 0, words: vec![0; words.len()] };
    let Some(layout) = context.layout.field(name).filter(|_| !words.is_empty()) else { return Ok(none()) };
    let Some(field) = layout.inverted else { return Ok(none()) };
    let documents = words.iter().map(|word| match term_of(layout, field, &word.value) {
        // Of words that are taken in no case nothing is looked up: most of a document occur in it once.
        Some(term) if word.frequency >= choice.frequency_min => Ok(doc_freq(&term_infos(context, &term)?)),
        _ => Ok(0),
    });
    let words = documents.collect::<Result<_>>()?;
    Ok(LikeFieldCounts { documents: context.field_stats(layout, field)?.0.doc_count, words })
}

/// A document whose likes are wanted.
struct LikedDocument<'a> {
    place: (&'a SearchSegment<'a>, u32),
    /// Those of the wanted fields whose values are kept.
    kept: Document,
}

/// Whether values can be had without the index: a column keeps them as a stored field does.
fn is_kept(layout: &FieldLayout) -> bool {
    layout.spec.properties.stored || layout.spec.properties.doc_values
}

/// `None` where no document has the id.
fn document<'a>(
    context: &'a SearchContext<'a>,
    id: &str,
    fields: &[(Arc<str>, f32)],
) -> Result<Option<LikedDocument<'a>>> {
    let is_kept = |name: &&Arc<str>| context.layout.field(name).is_some_and(|layout| is_kept(layout));
    let names = fields.iter().map(|(name, _)| name).filter(is_kept).cloned().collect();
    let selection = FieldSelection { names, ..FieldSelection::default() };
    let Some((segment, doc)) = context.doc_with_id(id)? else { return Ok(None) };
    let kept = read_source(&segment.view.source(doc)?, context.layout, &selection)?.1;
    Ok(Some(LikedDocument { place: (segment, doc), kept }))
}

/// The words of one field, with how often each occurs, as they came.
struct Words<'a> {
    choice: &'a LikeChoice,
    numbers: HashMap<String, usize>,
    counted: FieldWords,
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
        self.add_times(value, text, 1);
    }

    fn add_times(&mut self, value: &Value, text: &str, times: u32) {
        let length = text.encode_utf16().count();
        let LikeChoice { length_min, length_max, .. } = *self.choice;
        if (length_min > 0 && length < length_min) || (length_max > 0 && length > length_max) {
            return;
        }
        if let Some(known) = self.numbers.get(text).and_then(|at| self.counted.get_mut(*at)) {
            known.frequency += times;
            return;
        }
        self.numbers.insert(text.to_owned(), self.counted.len());
        self.counted.push(LikeWord { value: value.clone(), frequency: times });
    }
}
