//! Token filters: tokens to tokens. One file each, or one for a family; each file holds its definitions. The
//! two commonest shapes, filters that change each token and filters that drop some, are in `shape.rs`. A
//! family is known by its line in `definitions`, through which `registry.rs` finds its filters by name; no
//! other crate names one. Filters know the tokens that come in and their own arguments, never a field, a
//! schema or an index.

mod ascii_folding;
mod cjk;
mod compound;
mod compound_hyphenation;
mod decimal;
mod english;
mod flatten_graph;
mod grams;
mod hyphenation;
mod icu;
mod icu_transform;
mod indic;
mod indic_spelling;
mod japanese;
mod keyword;
mod korean;
mod kstem;
mod length;
mod letters;
mod lowercase;
mod managed;
mod min_hash;
mod normalize;
mod numerals;
mod pattern;
mod payload;
mod phonetic;
mod porter;
mod reversed_wildcard;
mod rewrites;
mod rslp;
mod shape;
mod shingle;
mod snowball;
mod stem_brazilian;
mod stem_german;
mod stem_germanic;
mod stem_greek;
mod stem_indic;
mod stem_indonesian;
mod stem_romance;
mod stem_scandinavian;
mod stem_semitic;
mod stem_slavic;
mod stem_spanish;
mod stemmers;
mod stop;
mod synonym;
mod synonym_graph;
mod word_delimiter;
mod word_delimiter_flat;
mod word_delimiter_rules;
mod word_parts;

pub(crate) use cjk::normal_width;
pub(crate) use icu::form as normal_form;
pub use managed::{ManagedKind, managed_list};
pub(crate) use word_parts::unescape;

use crate::definition::FilterDefinition;

/// All of them.
pub(crate) fn definitions() -> impl Iterator<Item = &'static FilterDefinition> {
    let families: &[&[&FilterDefinition]] = &[
        ascii_folding::DEFINITIONS,
        english::DEFINITIONS,
        keyword::DEFINITIONS,
        kstem::DEFINITIONS,
        length::DEFINITIONS,
        lowercase::DEFINITIONS,
        managed::DEFINITIONS,
        min_hash::DEFINITIONS,
        pattern::DEFINITIONS,
        payload::DEFINITIONS,
        phonetic::DEFINITIONS,
        reversed_wildcard::DEFINITIONS,
        rewrites::DEFINITIONS,
        snowball::DEFINITIONS,
        stop::DEFINITIONS,
        synonym::DEFINITIONS,
        cjk::DEFINITIONS,
        flatten_graph::DEFINITIONS,
        grams::DEFINITIONS,
        shingle::DEFINITIONS,
        word_delimiter::DEFINITIONS,
        normalize::DEFINITIONS,
        stemmers::DEFINITIONS,
        compound::DEFINITIONS,
        compound_hyphenation::DEFINITIONS,
        icu::DEFINITIONS,
        icu_transform::DEFINITIONS,
        indic::DEFINITIONS,
        japanese::DEFINITIONS,
        korean::DEFINITIONS,
        indic_spelling::DEFINITIONS,
    ];
    families.iter().copied().flatten().copied()
}
