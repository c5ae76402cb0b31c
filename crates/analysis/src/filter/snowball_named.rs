//! Stemmers that Lucene has as filters of their own and that are run here by Snowball's algorithm for the language:
//! `greekStem` (both are Ntais' algorithm) and `indonesianStem` (both are Tala's).
//! Solr differs: the two generations of each algorithm disagree on some words, Lucene's own being the older.

use frostem::Algorithm;

use crate::filter::FilterDefinition;
use crate::filter::snowball::stemmer;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&GREEK, &INDONESIAN];

static GREEK: FilterDefinition = FilterDefinition::new(
    "greekStem",
    "el.GreekStemFilterFactory",
    &[],
    "Stemmer for Greek (Ntais), after `greekLowercase`.",
    |_| Ok(stemmer(Algorithm::Greek)),
);

static INDONESIAN: FilterDefinition = FilterDefinition::new(
    "indonesianStem",
    "id.IndonesianStemFilterFactory",
    &["stemDerivational"],
    "Stemmer for Indonesian (Tala), derivational affixes included.",
    |args| match args.flag("stemDerivational", true) {
        true => Ok(stemmer(Algorithm::Indonesian)),
        false => Err(args.bad("stemDerivational", "false", "is not supported; leave it out")),
    },
);
