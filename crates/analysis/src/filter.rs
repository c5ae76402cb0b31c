//! Token filters: tokens to tokens. One file each, or one for a family; each file holds its definitions. The two
//! commonest shapes, filters that change each token and filters that drop some, are in `shape.rs`.

mod ascii_folding;
mod cjk;
mod compound;
mod english;
mod flatten_graph;
mod grams;
mod icu;
mod indic;
mod keyword;
mod length;
mod lowercase;
mod normalize;
mod pattern;
mod payload;
mod phonetic;
mod porter;
mod reversed_wildcard;
mod rewrites;
mod shape;
mod shingle;
mod snowball;
mod snowball_named;
mod stem_germanic;
mod stem_indic;
mod stem_romance;
mod stem_semitic;
mod stem_slavic;
mod stemmers;
mod stop;
mod synonym;
mod synonym_graph;
mod word_delimiter;
mod word_delimiter_flat;
mod word_parts;

pub(crate) use cjk::normal_width;
pub(crate) use word_parts::unescape;

use crate::registry::Definition;
use crate::stage::Filter;

pub(crate) type FilterDefinition = Definition<dyn Filter>;

/// All of them.
pub(crate) fn definitions() -> impl Iterator<Item = &'static FilterDefinition> {
    let families: &[&[&FilterDefinition]] = &[
        ascii_folding::DEFINITIONS,
        english::DEFINITIONS,
        keyword::DEFINITIONS,
        length::DEFINITIONS,
        lowercase::DEFINITIONS,
        pattern::DEFINITIONS,
        payload::DEFINITIONS,
        phonetic::DEFINITIONS,
        reversed_wildcard::DEFINITIONS,
        rewrites::DEFINITIONS,
        snowball::DEFINITIONS,
        snowball_named::DEFINITIONS,
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
        icu::DEFINITIONS,
        indic::DEFINITIONS,
    ];
    families.iter().copied().flatten().copied()
}
