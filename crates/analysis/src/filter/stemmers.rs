//! Light stemmers: the filters that take endings (and for Arabic prefixes) off words by short rules. Each
//! language is one function on the letters of a word, in `stem_*.rs`; this file names them. Marked keywords
//! are left alone.

use crate::definition::FilterDefinition;
use crate::filter::letters::Letters;
use crate::filter::shape::{Rewrite, Rewriting};
use crate::filter::{
    rslp, stem_brazilian, stem_german, stem_germanic as germanic, stem_greek, stem_indic as indic,
    stem_indonesian, stem_romance as romance, stem_scandinavian as scandinavian, stem_semitic as semitic,
    stem_slavic as slavic, stem_spanish as spanish,
};
use crate::stage::Filter;
use crate::token::Token;

#[derive(Clone)]
struct LightStemmer {
    stem: fn(&mut Letters),
    letters: Letters,
}

impl Rewrite for LightStemmer {
    fn rewrite(&mut self, token: &mut Token) {
        if token.keyword {
            return;
        }
        self.letters.clear();
        self.letters.extend(token.text.chars());
        (self.stem)(&mut self.letters);
        token.text.clear();
        token.text.extend(self.letters.iter());
    }
}

fn light(stem: fn(&mut Letters)) -> Box<dyn Filter> {
    Box::new(Rewriting(LightStemmer { stem, letters: Letters::new() }))
}

static INDONESIAN: FilterDefinition = FilterDefinition::new(
    "indonesianStem",
    "id.IndonesianStemFilterFactory",
    &["stemDerivational"],
    "Stemmer for Indonesian (Tala); derivational affixes go unless `stemDerivational` is false.",
    |args| Ok(light(stem_indonesian::of(args))),
);

static NORWEGIAN_LIGHT: FilterDefinition = FilterDefinition::new(
    "norwegianLightStem",
    "no.NorwegianLightStemFilterFactory",
    &["variant"],
    "Light stemmer for Norwegian: Bokmål (`nb`), Nynorsk (`nn`) or both (`no`).",
    |args| Ok(light(scandinavian::norwegian_light(args)?)),
);

static NORWEGIAN_MINIMAL: FilterDefinition = FilterDefinition::new(
    "norwegianMinimalStem",
    "no.NorwegianMinimalStemFilterFactory",
    &["variant"],
    "Minimal stemmer for Norwegian: Bokmål (`nb`), Nynorsk (`nn`) or both (`no`).",
    |args| Ok(light(scandinavian::norwegian_minimal(args)?)),
);

macro_rules! stemmers {
    ($($constant:ident, $name:literal, $class:literal, $summary:literal, $stem:path;)*) => {
        pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&INDONESIAN, &NORWEGIAN_LIGHT, &NORWEGIAN_MINIMAL, $(&$constant),*];
        $(static $constant: FilterDefinition =
            FilterDefinition::new($name, $class, &[], $summary, |_| Ok(light($stem)));)*
    };
}

stemmers! {
    ARABIC, "arabicStem", "ar.ArabicStemFilterFactory", "Light10 stemmer for Arabic (Larkey).", semitic::arabic;
    BENGALI, "bengaliStem", "bn.BengaliStemFilterFactory", "Light stemmer for Bengali.", indic::bengali;
    BRAZILIAN, "brazilianStem", "br.BrazilianStemFilterFactory", "Stemmer for Brazilian Portuguese.", stem_brazilian::brazilian;
    BULGARIAN, "bulgarianStem", "bg.BulgarianStemFilterFactory", "Light stemmer for Bulgarian (Savoy).", slavic::bulgarian;
    CZECH, "czechStem", "cz.CzechStemFilterFactory", "Light stemmer for Czech (Dolamic and Savoy).", slavic::czech;
    FRENCH_LIGHT, "frenchLightStem", "fr.FrenchLightStemFilterFactory", "Light stemmer for French (Savoy).", romance::french_light;
    FRENCH_MINIMAL, "frenchMinimalStem", "fr.FrenchMinimalStemFilterFactory", "Minimal stemmer for French (Savoy).", romance::french_minimal;
    GALICIAN_MINIMAL, "galicianMinimalStem", "gl.GalicianMinimalStemFilterFactory", "Plurals of Galician (RSLP).", rslp::galician_minimal;
    GALICIAN, "galicianStem", "gl.GalicianStemFilterFactory", "Stemmer for Galician (RSLP).", rslp::galician;
    GERMAN, "germanStem", "de.GermanStemFilterFactory", "Stemmer for German (Caumanns).", stem_german::german;
    GERMAN_LIGHT, "germanLightStem", "de.GermanLightStemFilterFactory", "Light stemmer for German (Savoy).", germanic::german_light;
    GERMAN_MINIMAL, "germanMinimalStem", "de.GermanMinimalStemFilterFactory", "Minimal stemmer for German (Savoy).", germanic::german_minimal;
    GREEK, "greekStem", "el.GreekStemFilterFactory", "Stemmer for Greek (Ntais), after `greekLowercase`.", stem_greek::greek;
    HINDI, "hindiStem", "hi.HindiStemFilterFactory", "Light stemmer for Hindi (Ramanathan and Rao).", indic::hindi;
    HUNGARIAN_LIGHT, "hungarianLightStem", "hu.HungarianLightStemFilterFactory", "Light stemmer for Hungarian (Savoy).", germanic::hungarian_light;
    FINNISH_LIGHT, "finnishLightStem", "fi.FinnishLightStemFilterFactory", "Light stemmer for Finnish (Savoy).", germanic::finnish_light;
    ITALIAN_LIGHT, "italianLightStem", "it.ItalianLightStemFilterFactory", "Light stemmer for Italian (Savoy).", romance::italian_light;
    LATVIAN, "latvianStem", "lv.LatvianStemFilterFactory", "Light stemmer for Latvian (Kreslins).", slavic::latvian;
    PERSIAN, "persianStem", "fa.PersianStemFilterFactory", "Light stemmer for Persian.", semitic::persian;
    PORTUGUESE, "portugueseStem", "pt.PortugueseStemFilterFactory", "Stemmer for Portuguese (RSLP).", rslp::portuguese;
    PORTUGUESE_LIGHT, "portugueseLightStem", "pt.PortugueseLightStemFilterFactory", "Light stemmer for Portuguese (Savoy).", romance::portuguese_light;
    PORTUGUESE_MINIMAL, "portugueseMinimalStem", "pt.PortugueseMinimalStemFilterFactory", "Plurals of Portuguese (RSLP).", rslp::portuguese_minimal;
    RUSSIAN_LIGHT, "russianLightStem", "ru.RussianLightStemFilterFactory", "Light stemmer for Russian (Savoy).", slavic::russian_light;
    SORANI, "soraniStem", "ckb.SoraniStemFilterFactory", "Light stemmer for Sorani Kurdish.", semitic::sorani;
    SPANISH_LIGHT, "spanishLightStem", "es.SpanishLightStemFilterFactory", "Light stemmer for Spanish (Savoy).", spanish::light;
    SPANISH_MINIMAL, "spanishMinimalStem", "es.SpanishMinimalStemFilterFactory", "Plurals of Spanish, the older way.", spanish::minimal;
    SPANISH_PLURAL, "spanishPluralStem", "es.SpanishPluralStemFilterFactory", "Plurals of Spanish; knows words without singular.", spanish::plural;
    SWEDISH_LIGHT, "swedishLightStem", "sv.SwedishLightStemFilterFactory", "Light stemmer for Swedish (Savoy).", scandinavian::swedish_light;
    SWEDISH_MINIMAL, "swedishMinimalStem", "sv.SwedishMinimalStemFilterFactory", "Minimal stemmer for Swedish.", scandinavian::swedish_minimal;
    TELUGU, "teluguStem", "te.TeluguStemFilterFactory", "Light stemmer for Telugu.", indic::telugu;
}
