//! Lucene's BM25 in its own precision, so that scores come out as Solr's, bit by bit where the same
//! operations apply. k1 = 1.2 and b = 0.75 as `BM25Similarity` has them by default; there is no factor k1 + 1
//! since Lucene 8. Lengths are the 256 values that Lucene's `SmallFloat` and tantivy's field norms share.

use std::sync::{Arc, LazyLock};

use tantivy::fieldnorm::FieldNormReader;

use crate::snapshot::field_stats::Inverse;

pub(crate) const K1: f32 = 1.2;
pub(crate) const B: f32 = 0.75;

/// The norm id that a field without norms has for every document: length 1.
pub(crate) const NO_NORM: u8 = 1;

/// ln(1 + (N - n + 0.5) / (n + 0.5)), in double, then single precision.
pub(crate) fn idf(doc_freq: u64, doc_count: u64) -> f32 {
    let (n, count) = (doc_freq as f64, doc_count.max(doc_freq) as f64);
    (1.0 + (count - n + 0.5) / (n + 0.5)).ln() as f32
}

/// What a frequency and a length are worth in one field.
#[derive(Clone, Debug)]
pub(crate) struct Similarity {
    /// boost · idf.
    pub(crate) weight: f32,
    pub(crate) average_length: f32,
    inverse: Inverse,
}

/// Of an average of 1: of a field whose lengths do not count.
pub(crate) static INVERSE_OF_ONE: LazyLock<Inverse> = LazyLock::new(|| inverse_lengths(1.0));

pub(crate) fn inverse_lengths(average_length: f32) -> Inverse {
    Arc::new(std::array::from_fn(|id| {
        let length = length_of(id as u8);
        1.0 / (K1 * ((1.0 - B) + B * length / average_length))
    }))
}

impl Similarity {
    /// `inverse` is of the field's average length, which is `average_length`.
    pub(crate) fn new(boost: f32, idf: f32, average_length: f32, inverse: Inverse) -> Self {
        Self { weight: boost * idf, average_length, inverse }
    }

    #[inline]
    pub(crate) fn score(&self, freq: f32, norm: u8) -> f32 {
        let inverse = self.inverse.get(usize::from(norm)).copied().unwrap_or(1.0);
        self.weight - self.weight / (1.0 + freq * inverse)
    }

    /// For each frequency and norm what [`Similarity::score`] gives, by loops that a compiler lays out in
    /// vectors.
    #[inline]
    pub(crate) fn score_all(&self, freqs: &[u32], norms: impl Iterator<Item = u8>, out: &mut [f32]) {
        let weight = self.weight;
        for (slot, norm) in out.iter_mut().zip(norms) {
            *slot = self.inverse.get(usize::from(norm)).copied().unwrap_or(1.0);
        }
        for (slot, freq) in out.iter_mut().zip(freqs) {
            *slot = weight - weight / (1.0 + *freq as f32 * *slot);
        }
    }

    /// The share of the weight: 1 - 1 / (1 + freq · inverse).
    pub(crate) fn tf(&self, freq: f32, norm: u8) -> f32 {
        let inverse = self.inverse.get(usize::from(norm)).copied().unwrap_or(1.0);
        1.0 - 1.0 / (1.0 + freq * inverse)
    }
}

/// The length that a norm id stands for.
pub(crate) fn length_of(norm: u8) -> f32 {
    FieldNormReader::id_to_fieldnorm(norm) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_lucenes() {
        // Recorded from Solr 9.10.1: `id:d07` among 60 documents.
        let similarity = Similarity::new(1.0, idf(1, 60), 1.0, inverse_lengths(1.0));
        assert_eq!(similarity.score(1.0, NO_NORM), 1.684_276_6);
    }

    #[test]
    fn more_documents_with_the_term_than_documents_is_no_nan() {
        assert!(idf(5, 3).is_finite());
        assert!(Similarity::new(1.0, 1.0, 1.0, inverse_lengths(1.0)).score(1.0, NO_NORM).is_finite());
    }
}
