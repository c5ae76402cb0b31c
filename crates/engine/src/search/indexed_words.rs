//! The words of one document in a field whose text is kept nowhere: read back from the index, term by term,
//! as Luke does it for Lucene. In: a field and the place of a document; out: its terms in their order, with
//! how often it has each. What a stored text tells for less is not asked here.

use plan::{Error, Result};
use tantivy::DocSet as _;
use tantivy::postings::Postings as _;
use tantivy::schema::IndexRecordOption;

use super::near_terms::text_field;
use super::sets::TERMS_A_LOOK;
use crate::errors::from_tantivy;
use crate::layout::FieldLayout;
use crate::search::context::SearchSegment;

/// Terms of a segment that are gone through for one document: each opens its postings, and a search asks for
/// as many documents as it has hits. Beyond, whoever asks is told what to store rather than kept waiting.
const TERMS_MAX: usize = 1 << 20;

/// Calls `take` with each term of the field that the document has, and how often. Ends early once the
/// search's allowance is used up. Errors: `BadRequest` where the segment has too many terms to go through.
///
/// Solr differs: its vectors count words where the index does not, as with `omitTermFreqAndPositions`; here
/// each is there once then (`compat/component/more_like_index.yaml`).
pub(super) fn each_indexed_word(
    layout: &FieldLayout,
    (segment, doc): (&SearchSegment<'_>, u32),
    take: &mut dyn FnMut(&str, u32),
) -> Result<()> {
    // Numbers are no words, as stored ones are none.
    let Some(field) = text_field(layout) else { return Ok(()) };
    let inverted = segment.reader.inverted_index(field).map_err(from_tantivy)?;
    let terms = inverted.terms();
    if terms.num_terms() > TERMS_MAX {
        return Err(Error::bad_request(format!(
            "the words of a document in `{}` would have to be looked for among `{}` terms, since it is not stored; \
             more than `{TERMS_MAX}` are not gone through: store it, or name other fields",
            layout.name,
            terms.num_terms(),
        )));
    }
    let mut stream = terms.stream().map_err(from_tantivy)?;
    let mut read = 0u32;
    while stream.advance() {
        read += 1;
        if read.is_multiple_of(TERMS_A_LOOK) && segment.allowance.is_used_up() {
            break;
        }
        // By what the stream already holds: to look the term up again would double the work.
        let postings = inverted.read_postings_from_terminfo(stream.value(), IndexRecordOption::WithFreqs);
        let mut postings = postings.map_err(from_tantivy)?;
        // A set of documents must not be asked to go back, and begins at its first.
        let at = if postings.doc() < doc { postings.seek(doc) } else { postings.doc() };
        if at == doc {
            take(&String::from_utf8_lossy(stream.key()), postings.term_freq());
        }
    }
    Ok(())
}
