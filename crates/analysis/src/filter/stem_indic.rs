//! Light stemmers of Hindi (Ramanathan and Rao), Bengali and Telugu. Pure functions over the letters of one
//! word, named and wrapped as filters in `stemmers.rs`. Suffixes are tables, longest first, of which a word
//! loses at most one; texts come normalised by `indic.rs` and `indic_spelling.rs`. The tables and lengths are
//! Lucene's: stems of an index and of a query must agree.

use crate::filter::letters::{Letters, drop_first};

/// Suffixes by length, longest first; the word must be longer than the suffix by two letters.
const HINDI: &[&[&str]] = &[
    &["ाएंगी", "ाएंगे", "ाऊंगी", "ाऊंगा", "ाइयाँ", "ाइयों", "ाइयां"],
    &[
        "ाएगी",
        "ाएगा",
        "ाओगी",
        "ाओगे",
        "एंगी",
        "ेंगी",
        "एंगे",
        "ेंगे",
        "ूंगी",
        "ूंगा",
        "ातीं",
        "नाओं",
        "नाएं",
        "ताओं",
        "ताएं",
        "ियाँ",
        "ियों",
        "ियां",
    ],
    &[
        "ाकर",
        "ाइए",
        "ाईं",
        "ाया",
        "ेगी",
        "ेगा",
        "ोगी",
        "ोगे",
        "ाने",
        "ाना",
        "ाते",
        "ाती",
        "ाता",
        "तीं",
        "ाओं",
        "ाएं",
        "ुओं",
        "ुएं",
        "ुआं",
    ],
    &["कर", "ाओ", "िए", "ाई", "ाए", "ने", "नी", "ना", "ते", "ीं", "ती", "ता", "ाँ", "ां", "ों", "ें"],
    &["ो", "े", "ू", "ु", "ी", "ि", "ा"],
];

pub(crate) fn hindi(word: &mut Letters) {
    for suffixes in HINDI {
        if drop_first(word, suffixes, 2) {
            return;
        }
    }
}

const BENGALI: &[(usize, &[&str])] = &[
    (9, &["িয়াছিলাম", "িতেছিলাম", "িতেছিলেন", "ইতেছিলেন", "িয়াছিলেন", "ইয়াছিলেন"]),
    (8, &["িতেছিলি", "িতেছিলে", "িয়াছিলা", "িয়াছিলে", "িতেছিলা", "িয়াছিলি", "য়েদেরকে"]),
    (7, &["িতেছিস", "িতেছেন", "িয়াছিস", "িয়াছেন", "েছিলাম", "েছিলেন", "েদেরকে"]),
    (
        6,
        &[
            "িতেছি",
            "িতেছা",
            "িতেছে",
            "ছিলাম",
            "ছিলেন",
            "িয়াছি",
            "িয়াছা",
            "িয়াছে",
            "েছিলে",
            "েছিলা",
            "য়েদের",
            "দেরকে",
        ],
    ),
    (
        5,
        &[
            "িলাম",
            "িলেন",
            "িতাম",
            "িতেন",
            "িবেন",
            "ছিলি",
            "ছিলে",
            "ছিলা",
            "তেছে",
            "িতেছ",
            "খানা",
            "খানি",
            "গুলো",
            "গুলি",
            "য়েরা",
            "েদের",
        ],
    ),
    (
        4,
        &[
            "লাম",
            "িলি",
            "ইলি",
            "িলে",
            "ইলে",
            "লেন",
            "িলা",
            "ইলা",
            "তাম",
            "িতি",
            "ইতি",
            "িতে",
            "ইতে",
            "তেন",
            "িতা",
            "িবা",
            "ইবা",
            "িবি",
            "ইবি",
            "বেন",
            "িবে",
            "ইবে",
            "ছেন",
            "য়োন",
            "য়ের",
            "েরা",
            "দের",
        ],
    ),
    (
        3,
        &[
            "িস", "েন", "লি", "লে", "লা", "তি", "তে", "তা", "বি", "বে", "বা", "ছি", "ছা", "ছে", "ুন", "ুক", "টা",
            "টি", "নি", "ের", "তে", "রা", "কে",
        ],
    ),
    (2, &["ি", "ী", "া", "ো", "ে", "ব", "ত"]),
];

pub(crate) fn bengali(word: &mut Letters) {
    for (least, suffixes) in BENGALI {
        // The least length counts the suffix in, unlike Hindi's: these tables are by length of word in
        // Lucene.
        if word.len() > *least && drop_first(word, suffixes, 0) {
            return;
        }
    }
}

const TELUGU: &[(usize, &[&str])] = &[
    (5, &["ళ్ళు", "డ్లు"]),
    (3, &["డు", "ము", "వు", "లు", "ని", "ను", "చే", "కై", "లో", "ది", "కి", "సు", "వై", "పై"]),
    (2, &["ి", "ీ", "ు", "ూ", "ె", "ే", "ొ", "ో", "ా"]),
];

pub(crate) fn telugu(word: &mut Letters) {
    TELUGU.iter().find(|(length, suffixes)| word.len() > *length && drop_first(word, suffixes, 0));
}
