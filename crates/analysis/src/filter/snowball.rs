//! `snowballPorter`: Snowball's stemmers, run by the crate `frostem`. Languages have Lucene's names. The
//! algorithms are Snowball's present ones; Lucene 9.12 carries an older generation, so single words may stem
//! differently.

use std::borrow::Cow;
use std::sync::Arc;

use frostem::{Algorithm, Stemmer};

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::filter::shape::{Rewrite, Rewriting};
use crate::stage::Filter;
use crate::token::Token;
use crate::word_set::WordSet;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&SNOWBALL];

static SNOWBALL: FilterDefinition = FilterDefinition::new(
    "snowballPorter",
    "snowball.SnowballPorterFilterFactory",
    &["language", "protected"],
    "Snowball's stemmer of a language; words of the list `protected` stay.",
    build,
)
.reading(&["protected"]);

/// Lucene's names and Snowball's algorithms.
const LANGUAGES: &[(&str, Algorithm)] = &[
    ("Arabic", Algorithm::Arabic),
    ("Armenian", Algorithm::Armenian),
    ("Basque", Algorithm::Basque),
    ("Catalan", Algorithm::Catalan),
    ("Danish", Algorithm::Danish),
    // Snowball renamed these two: what Lucene calls `Kp` (Kraaij-Pohlmann) is `dutch` there now.
    ("Dutch", Algorithm::DutchPorter),
    ("English", Algorithm::English),
    ("Estonian", Algorithm::Estonian),
    ("Finnish", Algorithm::Finnish),
    ("French", Algorithm::French),
    ("German", Algorithm::German),
    ("German2", Algorithm::German),
    ("Greek", Algorithm::Greek),
    ("Hindi", Algorithm::Hindi),
    ("Hungarian", Algorithm::Hungarian),
    ("Indonesian", Algorithm::Indonesian),
    ("Irish", Algorithm::Irish),
    ("Italian", Algorithm::Italian),
    ("Kp", Algorithm::Dutch),
    ("Lithuanian", Algorithm::Lithuanian),
    ("Lovins", Algorithm::Lovins),
    ("Nepali", Algorithm::Nepali),
    ("Norwegian", Algorithm::Norwegian),
    ("Porter", Algorithm::Porter),
    ("Portuguese", Algorithm::Portuguese),
    ("Romanian", Algorithm::Romanian),
    ("Russian", Algorithm::Russian),
    ("Serbian", Algorithm::Serbian),
    ("Spanish", Algorithm::Spanish),
    ("Swedish", Algorithm::Swedish),
    ("Tamil", Algorithm::Tamil),
    ("Turkish", Algorithm::Turkish),
    ("Yiddish", Algorithm::Yiddish),
];

fn build(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let language = args.get("language").unwrap_or("English");
    let known = LANGUAGES.iter().find(|(name, _)| *name == language);
    let (_, algorithm) = known.ok_or_else(|| {
        let names: Vec<&str> = LANGUAGES.iter().map(|(name, _)| *name).collect();
        args.bad("language", language, &format!("is unknown; use one of {}", names.join(", ")))
    })?;
    let protected = args.words("protected", false)?.unwrap_or_default();
    Ok(Box::new(Rewriting(Snowball { stemmer: Stemmer::new(*algorithm), protected: Arc::new(protected) })))
}

#[derive(Clone)]
struct Snowball {
    stemmer: Stemmer,
    protected: Arc<WordSet>,
}

impl Rewrite for Snowball {
    fn rewrite(&mut self, token: &mut Token) {
        if token.keyword {
            return;
        }
        if self.protected.contains(&token.text) {
            token.keyword = true;
            return;
        }
        let kept = match self.stemmer.stem(&token.text) {
            Cow::Owned(stem) => Err(stem),
            // Most stems are prefixes of their words: cutting the buffer in place saves a copy for each
            // token.
            Cow::Borrowed(stem) if token.text.starts_with(stem) => Ok(stem.len()),
            Cow::Borrowed(stem) => Err(stem.to_owned()),
        };
        match kept {
            Ok(length) => token.text.truncate(length),
            Err(stem) => token.text = stem,
        }
    }
}
