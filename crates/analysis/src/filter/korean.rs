//! Filters behind the `korean` tokenizer: parts of speech and readings. They need the tokens' words of the
//! dictionary and leave other tokens alone. Solr 9.10's Lucene puts all endings under one tag, `E`, and all
//! particles under `J`; a schema may name them so or by the tags of the dictionary.

use std::sync::Arc;

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::filter::numerals::KOREAN_NUMBER;
use crate::filter::shape::{Keep, Keeping, Plain, Rewriting};
use crate::stage::Filter;
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&KOREAN_NUMBER, &PART_OF_SPEECH_STOP, &READING_FORM];

static PART_OF_SPEECH_STOP: FilterDefinition = FilterDefinition::new(
    "koreanPartOfSpeechStop",
    "ko.KoreanPartOfSpeechStopFilterFactory",
    &["tags"],
    "Drops the words of the parts of speech in a list; without `tags` endings, particles, adverbs and the like.",
    build_stop,
);

static READING_FORM: FilterDefinition = FilterDefinition::new(
    "koreanReadingForm",
    "ko.KoreanReadingFormFilterFactory",
    &[],
    "Korean words that are written in Chinese characters in Hangul.",
    |_| Ok(Box::new(Rewriting(Plain(read)))),
);

/// The parts of speech that are dropped if a schema names none.
const STOP_TAGS: &[&str] = &[
    "E", "IC", "J", "MAG", "MAJ", "MM", "SP", "SSC", "SSO", "SC", "SE", "XPN", "XSA", "XSN", "XSV", "UNA",
    "NA", "VSV",
];

/// The other parts of speech.
const OTHER_TAGS: &[&str] = &[
    "NNG", "NNP", "NNB", "NNBC", "NP", "NR", "SF", "SH", "SL", "SN", "SY", "VA", "VCN", "VCP", "VV", "VX",
    "XR", "UNKNOWN",
];

fn build_stop(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let listed = args.list("tags");
    let known = |tag: &str| STOP_TAGS.contains(&tag) || OTHER_TAGS.contains(&tag);
    let mut dropped = Vec::new();
    for name in &listed {
        let tag = name.to_ascii_uppercase();
        if !known(group(&tag)) {
            return Err(args.bad(
                "tags",
                name,
                "is no part of speech; use those of mecab-ko-dic such as NNG",
            ));
        }
        dropped.push(group(&tag).to_owned());
    }
    if args.get("tags").is_none() {
        dropped = STOP_TAGS.iter().map(|tag| (*tag).to_owned()).collect();
    }
    Ok(Keeping::boxed(OtherTags { dropped: dropped.into() }))
}

/// The tag under which Lucene keeps a tag of the dictionary.
fn group(tag: &str) -> &str {
    match tag.chars().next() {
        // The dictionary tells endings apart by role (`EC`, `EF`, `EP` …); the Lucene of Solr 9.10 has one
        // tag for all.
        Some('E') => "E",
        Some('J') => "J",
        _ => tag,
    }
}

#[derive(Clone)]
struct OtherTags {
    dropped: Arc<[String]>,
}

impl Keep for OtherTags {
    fn keeps(&mut self, token: &Token) -> bool {
        let tag = token.morpheme.part_of_speech().map(group);
        tag.is_none_or(|tag| !self.dropped.iter().any(|dropped| dropped == tag))
    }
}

fn read(token: &mut Token) {
    if let Some(reading) = token.morpheme.reading(&token.text) {
        token.text = reading.into_owned();
    }
}
