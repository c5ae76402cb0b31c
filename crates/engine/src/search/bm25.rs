//! Lucene's similarities in its own precision, so that scores come out as Solr's, bit by bit where the same
//! operations apply: `BM25Similarity` (no factor k1 + 1 since Lucene 8), `ClassicSimilarity` and
//! `BooleanSimilarity` of 9.12, and what bounds them block by block. Lengths are the 256 values that Lucene's
//! `SmallFloat` and tantivy's field norms share. Which one a field has is `plan::ScoredBy`'s.

use std::sync::{Arc, LazyLock};

use plan::Similarity as Formula;
use tantivy::fieldnorm::FieldNormReader;

use crate::snapshot::field_stats::LengthWorths;

/// The norm id that a field without norms has for every document: length 1.
pub(crate) const NO_NORM: u8 = 1;

/// BM25's: ln(1 + (N - n + 0.5) / (n + 0.5)), in double, then single precision.
pub(crate) fn idf(doc_freq: u64, doc_count: u64) -> f32 {
    let (n, count) = (doc_freq as f64, doc_count.max(doc_freq) as f64);
    (1.0 + (count - n + 0.5) / (n + 0.5)).ln() as f32
}

/// TF-IDF's: ln((N + 1) / (n + 1)) + 1, likewise.
pub(crate) fn classic_idf(doc_freq: u64, doc_count: u64) -> f32 {
    let (n, count) = (doc_freq as f64, doc_count.max(doc_freq) as f64);
    (((count + 1.0) / (n + 1.0)).ln() + 1.0) as f32
}

/// What a frequency and a length are worth in one field.
#[derive(Clone, Debug)]
pub(crate) struct Similarity {
    pub(crate) formula: Formula,
    /// boost · idf; the boost alone where nothing else counts.
    pub(crate) weight: f32,
    pub(crate) average_length: f32,
    worths: LengthWorths,
}

/// Of BM25 with an average of 1: of a field whose lengths do not count.
pub(crate) static WORTHS_OF_ONE: LazyLock<LengthWorths> =
    LazyLock::new(|| length_worths(Formula::DEFAULT, 1.0));

/// What lengths are worth, by norm id: for BM25 1 / (k1 · (1 - b + b · length / average)), for TF-IDF
/// 1 / √length.
pub(crate) fn length_worths(formula: Formula, average_length: f32) -> LengthWorths {
    Arc::new(std::array::from_fn(|id| {
        let length = length_of(id as u8);
        match formula {
            Formula::Bm25 { k1, b } => 1.0 / (k1 * ((1.0 - b) + b * length / average_length)),
            // No document with a word has no length; the bounds rest on nothing being worth more than 1.
            Formula::Classic if id == 0 => 1.0,
            Formula::Classic => (1.0 / f64::from(length).sqrt()) as f32,
            Formula::Boolean => 1.0,
        }
    }))
}

impl Similarity {
    /// `worths` are of the field's average length, which is `average_length`.
    pub(crate) fn new(
        formula: Formula,
        (boost, idf): (f32, f32),
        average_length: f32,
        worths: LengthWorths,
    ) -> Self {
        let weight = if formula == Formula::Boolean { boost } else { boost * idf };
        Self { formula, weight, average_length, worths }
    }

    #[inline]
    pub(crate) fn score(&self, freq: f32, norm: u8) -> f32 {
        match self.formula {
            Formula::Bm25 { .. } => self.weight - self.weight / (1.0 + freq * self.worth(norm)),
            Formula::Classic => root(freq) * self.weight * self.worth(norm),
            Formula::Boolean => self.weight,
        }
    }

    /// For each frequency and norm what [`Similarity::score`] gives, by loops that a compiler lays out in
    /// vectors.
    #[inline]
    pub(crate) fn score_all(&self, freqs: &[u32], norms: impl Iterator<Item = u8>, out: &mut [f32]) {
        let weight = self.weight;
        for (slot, norm) in out.iter_mut().zip(norms) {
            *slot = self.worth(norm);
        }
        let pairs = out.iter_mut().zip(freqs);
        // Chosen once and not for each: a branch within would keep the loop from being laid out so.
        match self.formula {
            Formula::Bm25 { .. } => {
                pairs.for_each(|(slot, freq)| *slot = weight - weight / (1.0 + *freq as f32 * *slot));
            }
            Formula::Classic => pairs.for_each(|(slot, freq)| *slot *= root(*freq as f32) * weight),
            Formula::Boolean => pairs.for_each(|(slot, _)| *slot = weight),
        }
    }

    #[inline]
    fn worth(&self, norm: u8) -> f32 {
        self.worths.get(usize::from(norm)).copied().unwrap_or(1.0)
    }

    /// No document scores more. BM25 comes near its weight as words are repeated; TF-IDF has no such end, but
    /// frequencies have.
    pub(crate) fn most(&self) -> f32 {
        match self.formula {
            Formula::Bm25 { .. } | Formula::Boolean => self.weight,
            Formula::Classic => self.weight * root(u32::MAX as f32),
        }
    }

    /// No document of a block of postings scores more. `best` is its best pair of frequency and norm by
    /// tantivy's BM25 under the segment's average length, `freq_max` no less than its frequencies, and
    /// `slack` that of [`Similarity::slack`].
    pub(crate) fn bound(&self, best: Option<(u32, u8)>, freq_max: u32, slack: f32) -> f32 {
        let Some((freq, norm)) = best else { return self.most() };
        if freq_max == 1 {
            // Equal frequencies: the shortest was the best under any average, and any formula.
            return self.score(1.0, norm);
        }
        let of_shortest = || self.score(freq_max as f32, NO_NORM);
        match self.formula {
            Formula::DEFAULT => self.score(freq as f32, norm) * slack,
            // Other numbers may part far from those that chose the pair: then the shortest document that
            // could be says more.
            Formula::Bm25 { .. } => (self.score(freq as f32, norm) * slack).min(of_shortest()),
            Formula::Classic => of_shortest(),
            Formula::Boolean => self.weight,
        }
    }

    /// How much more than a block's best pair another of its pairs can score, where the pair was chosen by
    /// the default numbers under the average length `local`: with s0 and s1 the two scores, and K the
    /// length's part of each, s1/s0 lies between 1 and K0/K1 for every pair.
    pub(crate) fn slack(&self, local: f32) -> f32 {
        let ratio = match self.formula {
            Formula::DEFAULT => local / self.average_length,
            Formula::Bm25 { .. } => return self.slack_of_worths(&length_worths(Formula::DEFAULT, local)),
            Formula::Classic | Formula::Boolean => 1.0,
        };
        // Where the segment has no lengths to compare, its pairs say nothing of scores: then nothing is
        // bounded.
        if ratio.is_finite() && ratio > 0.0 { ratio.max(1.0 / ratio) } else { f32::INFINITY }
    }

    fn slack_of_worths(&self, chosen_by: &LengthWorths) -> f32 {
        let ratios = self.worths.iter().zip(chosen_by.iter()).map(|(own, other)| own / other);
        let (mut above, mut below) = (1.0f32, 1.0f32);
        for ratio in ratios.skip(usize::from(NO_NORM)) {
            if !(ratio.is_finite() && ratio > 0.0) {
                return f32::INFINITY;
            }
            (above, below) = (above.max(ratio), below.max(1.0 / ratio));
        }
        above * below
    }

    /// The share of the weight that frequency and length give in BM25: 1 - 1 / (1 + freq · worth).
    pub(crate) fn tf(&self, freq: f32, norm: u8) -> f32 {
        1.0 - 1.0 / (1.0 + freq * self.worth(norm))
    }

    /// What TF-IDF makes of a frequency, and of a length.
    pub(crate) fn classic_parts(&self, freq: f32, norm: u8) -> (f32, f32) {
        (root(freq), self.worth(norm))
    }
}

/// In double precision, as Java has it.
#[inline]
fn root(freq: f32) -> f32 {
    f64::from(freq).sqrt() as f32
}

/// The length that a norm id stands for.
pub(crate) fn length_of(norm: u8) -> f32 {
    FieldNormReader::id_to_fieldnorm(norm) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn similarity(idf: f32) -> Similarity {
        let worths = length_worths(Formula::DEFAULT, 1.0);
        Similarity::new(Formula::DEFAULT, (1.0, idf), 1.0, worths)
    }

    #[test]
    fn figures_are_lucenes() {
        // Recorded from Solr 9.10.1: `id:d07` among 60 documents.
        let similarity = similarity(idf(1, 60));
        assert_eq!(similarity.score(1.0, NO_NORM), 1.684_276_6);
    }

    #[test]
    fn more_documents_with_the_term_than_documents_is_no_nan() {
        assert!(idf(5, 3).is_finite());
        assert!(similarity(1.0).score(1.0, NO_NORM).is_finite());
    }

    #[test]
    fn no_pair_of_a_block_scores_above_its_bound() {
        let formulas = [
            Formula::DEFAULT,
            Formula::Bm25 { k1: 2.0, b: 0.0 },
            Formula::Bm25 { k1: 0.3, b: 1.0 },
            Formula::Bm25 { k1: 0.0, b: 0.5 },
            Formula::Classic,
            Formula::Boolean,
        ];
        let pairs: Vec<(u32, u8)> = [1, 2, 3, 7, 16]
            .into_iter()
            .flat_map(|freq| [1, 2, 9, 60, 200].map(|norm| (freq, norm)))
            .collect();
        for (formula, average, local) in
            formulas.into_iter().flat_map(|it| [(it, 9.0, 9.0), (it, 400.0, 2.5), (it, 1.5, 70.0)])
        {
            let similarity = Similarity::new(formula, (2.0, 0.7), average, length_worths(formula, average));
            let chosen =
                Similarity::new(Formula::DEFAULT, (1.0, 1.0), local, length_worths(Formula::DEFAULT, local));
            let slack = similarity.slack(local);
            // Every two of them as a block: its best pair is chosen by tantivy's formula.
            for block in pairs.iter().flat_map(|one| pairs.iter().map(move |other| [*one, *other])) {
                let worth = |pair: &(u32, u8)| chosen.score(pair.0 as f32, pair.1);
                let best = block.iter().max_by(|one, other| worth(one).total_cmp(&worth(other))).unwrap();
                let freq_max = block.iter().map(|(freq, _)| *freq).max().unwrap();
                let bound = similarity.bound(Some(*best), freq_max, slack);
                for (freq, norm) in block {
                    let score = similarity.score(freq as f32, norm);
                    assert!(
                        score <= bound * 1.000_001 && score <= similarity.most(),
                        "{formula:?} {block:?} {score} {bound}"
                    );
                }
            }
        }
    }
}
