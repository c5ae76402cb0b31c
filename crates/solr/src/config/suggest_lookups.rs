//! The lookups of a suggester: Solr's classes with their settings. One table of the classes that are served;
//! `suggesters.rs` reads the rest of a suggester. What a lookup finds is the engine's. In: settings as texts;
//! out: a lookup of the plan. A setting that the class does not have is refused by name.

use plan::{
    Blend, Fall, FuzzyPrefix, InfixLookup, Lookup, NextWordLookup, PrefixLookup, Result, SortedLookup,
};

use super::settings::refuse;
use crate::config::settings::Settings;

/// A class that is served.
pub(super) struct LookupClass {
    name: &'static str,
    pub(super) read: fn(&Settings<'_>) -> Result<Lookup>,
    /// Its own settings, beside those that all have.
    pub(super) settings: &'static [&'static str],
    /// The setting that names the field type by which it reads.
    pub(super) field_type: Option<&'static str>,
}

pub(super) const FIELD_TYPE: &str = "suggestAnalyzerFieldType";

const CLASSES: &[LookupClass] = &[
    LookupClass {
        name: "AnalyzingInfixLookupFactory",
        read: |settings| Ok(infix(settings, None)),
        settings: INFIX,
        field_type: Some(FIELD_TYPE),
    },
    LookupClass {
        name: "BlendedInfixLookupFactory",
        read: |settings| Ok(infix(settings, Some(blend(settings)?))),
        settings: BLENDED,
        field_type: Some(FIELD_TYPE),
    },
    LookupClass {
        name: "AnalyzingLookupFactory",
        read: |settings| prefix(settings, None),
        settings: PREFIX,
        field_type: Some(FIELD_TYPE),
    },
    LookupClass {
        name: "FuzzyLookupFactory",
        read: |settings| prefix(settings, Some(fuzzy(settings)?)),
        settings: FUZZY,
        field_type: Some(FIELD_TYPE),
    },
    LookupClass {
        name: "FreeTextLookupFactory",
        read: next_word,
        settings: &["ngrams", "separator"],
        field_type: Some("suggestFreeTextAnalyzerFieldType"),
    },
    LookupClass {
        name: "WFSTLookupFactory",
        read: |settings| prefix(settings, None),
        settings: &["exactMatchFirst"],
        field_type: None,
    },
    LookupClass {
        name: "FSTLookupFactory",
        read: |settings| Ok(sorted(Some(parts(settings)?), false)),
        settings: &["exactMatchFirst", "weightBuckets"],
        field_type: None,
    },
    LookupClass {
        name: "JaspellLookupFactory",
        read: |_| Ok(sorted(None, true)),
        settings: &[],
        field_type: None,
    },
    // Solr differs: it shows entries in the order of its tree, which depends on all of them
    // (`component/dictionaries`).
    LookupClass {
        name: "TSTLookupFactory",
        read: |_| Ok(sorted(None, false)),
        settings: &[],
        field_type: None,
    },
];

impl LookupClass {
    pub(super) fn find(class: &str) -> Option<&'static Self> {
        let short = class.rsplit('.').next();
        CLASSES.iter().find(|known| Some(known.name) == short)
    }
}

/// How short a beginning is looked up makes no difference here.
const INFIX: &[&str] = &["allTermsRequired", "highlight", "minPrefixChars"];
const BLENDED: &[&str] =
    &["allTermsRequired", "highlight", "minPrefixChars", "blenderType", "numFactor", "exponent"];

fn infix(settings: &Settings<'_>, blend: Option<Blend>) -> Lookup {
    Lookup::Infix(InfixLookup {
        all_required: settings.switch("allTermsRequired", true),
        highlight: settings.switch("highlight", true),
        blend,
    })
}

fn blend(settings: &Settings<'_>) -> Result<Blend> {
    let by = match settings.get("blenderType").map(str::to_ascii_lowercase).as_deref() {
        None | Some("position_linear") => Fall::Linear,
        Some("position_reciprocal") => Fall::Reciprocal,
        Some("position_exponential_reciprocal") => {
            Fall::Exponential { exponent: settings.number("exponent")?.unwrap_or(2.0) }
        }
        Some("custom") => Fall::None,
        Some(_) => {
            let allowed = "position_linear, position_reciprocal or position_exponential_reciprocal";
            return Err(refuse(settings, "blenderType", allowed));
        }
    };
    Ok(Blend { by, factor: settings.number("numFactor")?.unwrap_or(10).max(1) })
}

const PREFIX: &[&str] = &[
    "exactMatchFirst",
    "preserveSep",
    "preservePositionIncrements",
    "maxSurfaceFormsPerAnalyzedForm",
    "maxGraphExpansions",
];

fn prefix(settings: &Settings<'_>, fuzzy: Option<FuzzyPrefix>) -> Result<Lookup> {
    let forms_max = settings.number("maxSurfaceFormsPerAnalyzedForm")?.unwrap_or(256);
    if !(1..=256).contains(&forms_max) {
        return Err(refuse(settings, "maxSurfaceFormsPerAnalyzedForm", "1 to 256"));
    }
    let paths_max: i64 = settings.number("maxGraphExpansions")?.unwrap_or(-1);
    Ok(Lookup::Prefix(PrefixLookup {
        exact_first: settings.switch("exactMatchFirst", true),
        separated: settings.switch("preserveSep", true),
        holes: settings.switch("preservePositionIncrements", false),
        forms_max,
        paths_max: usize::try_from(paths_max).ok(),
        fuzzy,
    }))
}

const FUZZY: &[&str] = &[
    "exactMatchFirst",
    "preserveSep",
    "preservePositionIncrements",
    "maxSurfaceFormsPerAnalyzedForm",
    "maxGraphExpansions",
    "maxEdits",
    "transpositions",
    "nonFuzzyPrefix",
    "minFuzzyLength",
    "unicodeAware",
];

fn fuzzy(settings: &Settings<'_>) -> Result<FuzzyPrefix> {
    let edits_max = settings.number("maxEdits")?.unwrap_or(1);
    if edits_max > 2 {
        return Err(refuse(settings, "maxEdits", "0, 1 or 2"));
    }
    Ok(FuzzyPrefix {
        edits_max,
        transpositions: settings.switch("transpositions", true),
        prefix: settings.number("nonFuzzyPrefix")?.unwrap_or(1),
        length_min: settings.number("minFuzzyLength")?.unwrap_or(3),
        characters: settings.switch("unicodeAware", false),
    })
}

fn next_word(settings: &Settings<'_>) -> Result<Lookup> {
    let grams = settings.number("ngrams")?.unwrap_or(2);
    if !(1..=8).contains(&grams) {
        return Err(refuse(settings, "ngrams", "1 to 8"));
    }
    let separator = match settings.raw("separator").map(str::as_bytes) {
        None => 0x1e,
        Some([byte]) if byte.is_ascii() => *byte,
        Some(_) => return Err(refuse(settings, "separator", "one ASCII character")),
    };
    Ok(Lookup::NextWord(NextWordLookup { grams, separator }))
}

fn sorted(parts: Option<u32>, lowercase: bool) -> Lookup {
    Lookup::Sorted(SortedLookup { parts, lowercase })
}

fn parts(settings: &Settings<'_>) -> Result<u32> {
    let parts = settings.number("weightBuckets")?.unwrap_or(10);
    if !(1..=255).contains(&parts) {
        return Err(refuse(settings, "weightBuckets", "1 to 255"));
    }
    Ok(parts)
}
