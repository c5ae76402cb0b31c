//! What a word costs in the lattice, and between which contexts it stands: those of the dictionary, or of any
//! word of the user's. Apart from the tokenizer because the search and the cutting of compounds
//! (`compound.rs`) must weigh alike, or a compound would be compared with parts of other prices.

use crate::morphology::{USER_WORD_COST, Weight, Word, japanese};

pub(super) fn weigh(word: Word) -> Weight {
    match word {
        Word::Listed(word) => {
            Weight { left: japanese().left(word), right: japanese().right(word), cost: japanese().cost(word) }
        }
        Word::User(_) => {
            let [left, right, ..] = japanese().user_contexts;
            Weight { left, right, cost: USER_WORD_COST }
        }
    }
}
