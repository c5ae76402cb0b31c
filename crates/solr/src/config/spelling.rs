//! A declared `SpellCheckComponent`: its dictionaries with Solr's settings, of the classes
//! `DirectSolrSpellChecker`, `WordBreakSolrSpellChecker` and `IndexBasedSpellChecker`; one of another class
//! is a warning.
//!
//! Solr differs: the last keeps an index of its own, which is built, and of words that share runs of letters;
//! here the words are those of the index as it is, within two edits (`component/index_spelling`).

use plan::{
    BrokenWords, Checker, Component, Components, NearWords, Result, SpellComponent, SpellDictionary,
    StringMeasure,
};

use super::settings::refuse;
use crate::config::refusal::wrong;
use crate::config::settings::Settings;
use crate::xml_tree::Element;

/// Settings of dictionaries that change nothing here: nothing is built.
const HINTS: &[&str] = &[
    "name",
    "field",
    "fieldType",
    "classname",
    "class",
    "buildOnCommit",
    "buildOnOptimize",
    "spellcheckIndexDir",
];

pub(super) fn read(
    name: &str,
    element: &Element,
    components: &mut Components,
    warnings: &mut Vec<String>,
) -> Result<Component> {
    let (mut dictionaries, mut unserved) = (Vec::new(), Vec::new());
    for list in element.all("lst").filter(|it| it.attribute("name") == Some("spellchecker")) {
        match dictionary(name, &Settings::of(list), warnings)? {
            Ok(dictionary) => dictionaries.push(dictionary),
            Err(other) => unserved.push(other),
        }
    }
    for other in Settings::of(element).others(&["spellchecker", "queryAnalyzerFieldType"]) {
        warnings.push(format!("searchComponent `{name}`: `{other}` is not known and has no effect"));
    }
    let query_type = Settings::of(element).text("queryAnalyzerFieldType");
    components.spell.retain(|known| known.name != name);
    components.spell.push(SpellComponent { name: name.to_owned(), query_type, dictionaries, unserved });
    Ok(Component::Spell(name.to_owned()))
}

/// A dictionary, or the name and class of one that is not served, with a warning.
fn dictionary(
    component: &str,
    settings: &Settings<'_>,
    warnings: &mut Vec<String>,
) -> Result<Result<SpellDictionary, (String, String)>> {
    let name = settings.get("name").unwrap_or("default");
    let class = settings.get("classname").or_else(|| settings.get("class"));
    let class = class.unwrap_or("solr.IndexBasedSpellChecker");
    let (checker, known) = match class.rsplit('.').next() {
        Some("DirectSolrSpellChecker") => (Checker::Near(near(settings)?), NEAR),
        Some("IndexBasedSpellChecker") => (Checker::Near(indexed(settings)?), INDEXED),
        Some("WordBreakSolrSpellChecker") => (Checker::Broken(broken(settings)?), BROKEN),
        _ => {
            warnings.push(format!(
                "searchComponent `{component}`: dictionary `{name}` of class `{class}` is not supported; use \
                 solr.DirectSolrSpellChecker, which needs no index of its own"
            ));
            return Ok(Err((name.to_owned(), class.to_owned())));
        }
    };
    for other in settings.others(&[HINTS, known].concat()) {
        warnings.push(format!(
            "searchComponent `{component}`, dictionary `{name}`: `{other}` is not known and has no effect"
        ));
    }
    let field = settings.get("field").ok_or_else(|| wrong(&format!("dictionary `{name}` has no `field`")))?;
    Ok(Ok(SpellDictionary {
        name: name.to_owned(),
        field: field.into(),
        field_type: settings.text("fieldType"),
        checker,
    }))
}

const NEAR: &[&str] = &[
    "distanceMeasure",
    "accuracy",
    "maxEdits",
    "minPrefix",
    "maxInspections",
    "comparatorClass",
    "thresholdTokenFrequency",
    "minQueryLength",
    "maxQueryLength",
    "maxQueryFrequency",
];

fn near(settings: &Settings<'_>) -> Result<NearWords> {
    let usual = NearWords::default();
    let near = NearWords {
        measure: measure(settings)?,
        accuracy: settings.number("accuracy")?.unwrap_or(usual.accuracy),
        edits_max: settings.number("maxEdits")?.unwrap_or(usual.edits_max),
        prefix_min: settings.number("minPrefix")?.unwrap_or(usual.prefix_min),
        inspections_max: settings.number("maxInspections")?.unwrap_or(usual.inspections_max),
        length_min: settings.number("minQueryLength")?.unwrap_or(usual.length_min),
        length_max: settings.number("maxQueryLength")?.unwrap_or(usual.length_max),
        query_frequency_max: frequency(settings, "maxQueryFrequency", usual.query_frequency_max)?,
        frequency_min: frequency(settings, "thresholdTokenFrequency", usual.frequency_min)?,
        by_frequency: match settings.get("comparatorClass").map(str::to_ascii_lowercase).as_deref() {
            Some("freq") => true,
            Some("score") | None => false,
            Some(_) => return Err(refuse(settings, "comparatorClass", "score or freq")),
        },
    };
    if !(1..=2).contains(&near.edits_max) {
        return Err(refuse(settings, "maxEdits", "1 or 2"));
    }
    if near.length_min > near.length_max {
        return Err(refuse(settings, "minQueryLength", "no more than maxQueryLength"));
    }
    Ok(near)
}

const INDEXED: &[&str] = &["distanceMeasure", "accuracy", "comparatorClass", "thresholdTokenFrequency"];

/// Whatever its length and however frequent it is, a word is corrected.
fn indexed(settings: &Settings<'_>) -> Result<NearWords> {
    let measure = measure(settings)?.unwrap_or(StringMeasure::Levenshtein);
    Ok(NearWords {
        measure: Some(measure),
        prefix_min: 0,
        inspections_max: 10,
        length_min: 0,
        query_frequency_max: f32::MAX,
        ..near(settings)?
    })
}

/// A share below 1, or a whole number of documents.
fn frequency(settings: &Settings<'_>, name: &str, usual: f32) -> Result<f32> {
    let frequency: f32 = settings.number(name)?.unwrap_or(usual);
    if frequency >= 1.0 && frequency.fract() != 0.0 {
        return Err(refuse(settings, name, "a share below 1 or a whole number"));
    }
    Ok(frequency)
}

fn measure(settings: &Settings<'_>) -> Result<Option<StringMeasure>> {
    let Some(class) = settings.get("distanceMeasure") else { return Ok(None) };
    Ok(match class.rsplit('.').next().unwrap_or(class) {
        "internal" | "LuceneLevenshteinDistance" => None,
        "LevenshteinDistance" => Some(StringMeasure::Levenshtein),
        "JaroWinklerDistance" => Some(StringMeasure::JaroWinkler),
        "NGramDistance" => Some(StringMeasure::NGram(2)),
        _ => {
            let allowed = "internal, or LevenshteinDistance, JaroWinklerDistance or NGramDistance of Lucene's spell package";
            return Err(refuse(settings, "distanceMeasure", allowed));
        }
    })
}

const BROKEN: &[&str] = &[
    "combineWords",
    "breakWords",
    "maxChanges",
    "maxCombinedLength",
    "minBreakLength",
    "maxEvaluations",
    "minSuggestionFreq",
    "breakSuggestionTieBreaker",
];

/// Numbers that are not above 0 leave the usual ones.
fn broken(settings: &Settings<'_>) -> Result<BrokenWords> {
    let usual = BrokenWords::default();
    let number = |name: &str, usual: usize| -> Result<usize> {
        let number: Option<i32> = settings.number(name)?;
        Ok(number.and_then(|number| usize::try_from(number).ok()).filter(|it| *it > 0).unwrap_or(usual))
    };
    Ok(BrokenWords {
        combine: settings.switch("combineWords", false),
        tear: settings.switch("breakWords", false),
        changes_max: number("maxChanges", usual.changes_max)?,
        piece_min: number("minBreakLength", usual.piece_min)?,
        combined_max: number("maxCombinedLength", usual.combined_max)?,
        evaluations_max: number("maxEvaluations", usual.evaluations_max)?,
        frequency_min: number("minSuggestionFreq", 1)? as u64,
        by_sum: match settings.get("breakSuggestionTieBreaker").map(str::to_ascii_uppercase).as_deref() {
            Some("SUM_FREQ") => true,
            Some("MAX_FREQ") | None => false,
            Some(_) => return Err(refuse(settings, "breakSuggestionTieBreaker", "MAX_FREQ or SUM_FREQ")),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::components;

    fn read_list(list: &str) -> (Result<Component>, Components, Vec<String>) {
        components::read_one(read, ("spellchecker", list), "spell")
    }

    const DIRECT: &str = "<str name='field'>f</str><str name='classname'>solr.DirectSolrSpellChecker</str>";

    #[test]
    fn dictionaries_have_their_settings() {
        let check = |more: &str, expected: NearWords| {
            let (_, components, warnings) = read_list(&format!("{DIRECT}{more}"));
            let dictionary = &components.spell("spell").unwrap().dictionaries[0];
            assert_eq!((dictionary.name.as_str(), &*dictionary.field), ("default", "f"));
            assert_eq!(dictionary.checker, Checker::Near(expected), "{more}");
            assert!(warnings.is_empty(), "{warnings:?}");
        };
        check("", NearWords::default());
        check(
            "<float name='accuracy'>0.7</float><int name='maxEdits'>1</int><str name='distanceMeasure'>internal</str>",
            NearWords { accuracy: 0.7, edits_max: 1, ..NearWords::default() },
        );
        check(
            "<str name='distanceMeasure'>org.apache.lucene.search.spell.JaroWinklerDistance</str>\
             <str name='comparatorClass'>freq</str>",
            NearWords {
                measure: Some(StringMeasure::JaroWinkler),
                by_frequency: true,
                ..NearWords::default()
            },
        );
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let check = |list: &str, expected: &str| {
            let message = read_list(list).0.unwrap_err().message;
            assert!(message.contains(expected), "{message}");
        };
        check(&format!("{DIRECT}<int name='maxEdits'>3</int>"), "`maxEdits` is `3`; use 1 or 2");
        check(&format!("{DIRECT}<int name='minPrefix'>x</int>"), "`minPrefix` is `x`");
        check(&format!("{DIRECT}<float name='maxQueryFrequency'>1.5</float>"), "a whole number");
        check("<str name='class'>solr.DirectSolrSpellChecker</str>", "`default` has no `field`");
        let (step, components, warnings) =
            read_list("<str name='classname'>solr.FileBasedSpellChecker</str>");
        assert!(step.is_ok() && components.spell("spell").unwrap().dictionaries.is_empty());
        assert!(warnings[0].contains("FileBasedSpellChecker"), "{warnings:?}");
    }
}
