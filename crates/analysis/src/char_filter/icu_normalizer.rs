//! `icuNormalizer2` before the tokenizer: Unicode normalisation of the text, which may join or part what a
//! tokenizer looks at. The text is normalised from one character that composes with none before it to the
//! next.

use icu_properties::props::{CanonicalCombiningClass, GeneralCategoryGroup};
use icu_properties::{CodePointMapData, CodePointMapDataBorrowed};

use crate::chars::category;
use crate::definition::CharFilterDefinition;
use crate::filter::normal_form;
use crate::offsets::{Filtered, Rewriter};
use crate::stage::CharFilter;

pub(crate) static ICU_NORMALIZER: CharFilterDefinition = CharFilterDefinition::new(
    "icuNormalizer2",
    "icu.ICUNormalizer2CharFilterFactory",
    &["form", "name", "mode"],
    "Unicode normalisation: nfkc_cf (the default), nfc or nfkc, composing or decomposing (`mode`).",
    |args| Ok(Box::new(Normalizer { normalize: normal_form(args)? })),
)
.normalizing();

const COMBINING: CodePointMapDataBorrowed<'static, CanonicalCombiningClass> =
    CodePointMapData::<CanonicalCombiningClass>::new();

struct Normalizer {
    normalize: fn(&str) -> String,
}

impl CharFilter for Normalizer {
    fn filter(&self, text: &str) -> Filtered {
        let mut rewriter = Rewriter::default();
        let mut rest = text;
        while !rest.is_empty() {
            // Piece by piece rather than at once: the normaliser gives no offsets, and within a piece they
            // would be guesses.
            let (piece, after) = rest.split_at(piece_end(rest));
            let normalized = (self.normalize)(piece);
            if normalized == piece {
                rewriter.keep(piece);
            } else {
                rewriter.replace(piece, &normalized);
            }
            rest = after;
        }
        rewriter.finish()
    }
}

/// Where the second character begins that composes with none before it.
fn piece_end(text: &str) -> usize {
    let mut later = text.char_indices().skip(1);
    later.find(|(_, c)| starts_piece(*c)).map_or(text.len(), |(at, _)| at)
}

fn starts_piece(c: char) -> bool {
    // Jamo join the syllable before them although their combining class is zero; so do half-width voicing
    // marks below.
    let hangul_vowel_or_final = ('\u{1160}'..='\u{11ff}').contains(&c);
    // First, because nearly every character is: ASCII composes with nothing before it.
    c.is_ascii()
        || COMBINING.get(c) == CanonicalCombiningClass::NotReordered
            && !hangul_vowel_or_final
            && !GeneralCategoryGroup::Mark.contains(category(c))
            && !matches!(c, '\u{ff9e}' | '\u{ff9f}')
}
