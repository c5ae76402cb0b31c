//! A declared `SuggestComponent`: its suggesters with Solr's settings. What a suggester keeps on disk in Solr (`indexPath`,
//! `storeDir`) is in memory here.

use plan::{
    Blend, BuildOn, Component, Components, Fall, FuzzyPrefix, InfixLookup, Lookup, NextWordLookup,
    PrefixLookup, Result, SuggestComponent, SuggestSource, Suggester,
};

use super::components::refuse;
use crate::config::load::wrong;
use crate::config::settings::Settings;
use crate::xml_tree::Element;

/// Settings that all lookups have, and those that say where Solr keeps its files.
const COMMON: &[&str] = &[
    "name",
    "lookupImpl",
    "dictionaryImpl",
    "buildOnCommit",
    "buildOnOptimize",
    "buildOnStartup",
    "storeDir",
    "indexPath",
    "field",
    "weightField",
    "payloadField",
    "contextField",
    "threshold",
    "suggestAnalyzerFieldType",
    "suggestFreeTextAnalyzerFieldType",
];

pub(super) fn read(
    name: &str,
    element: &Element,
    components: &mut Components,
    warnings: &mut Vec<String>,
) -> Result<Component> {
    let mut suggesters: Vec<Suggester> = Vec::new();
    for list in element.all("lst").filter(|it| it.attribute("name") == Some("suggester")) {
        let Some(suggester) = suggester(name, &Settings::of(list), warnings)? else { continue };
        suggesters.retain(|known| known.name != suggester.name);
        suggesters.push(suggester);
    }
    components.suggest.retain(|known| known.name != name);
    components.suggest.push(SuggestComponent { name: name.to_owned(), suggesters });
    Ok(Component::Suggest(name.to_owned()))
}

/// `None`, with a warning, when it is of a class that is not served.
fn suggester(
    component: &str,
    settings: &Settings<'_>,
    warnings: &mut Vec<String>,
) -> Result<Option<Suggester>> {
    let name = settings.get("name").unwrap_or("default");
    let class = settings.get("lookupImpl").unwrap_or("JaspellLookupFactory");
    let (lookup, known, type_name): (_, &[&str], _) = match class.rsplit('.').next() {
        Some("AnalyzingInfixLookupFactory") => (infix(settings, None), INFIX, "suggestAnalyzerFieldType"),
        Some("BlendedInfixLookupFactory") => {
            (infix(settings, Some(blend(settings)?)), BLENDED, "suggestAnalyzerFieldType")
        }
        Some("AnalyzingLookupFactory") => (prefix(settings, None)?, PREFIX, "suggestAnalyzerFieldType"),
        Some("FuzzyLookupFactory") => {
            (prefix(settings, Some(fuzzy(settings)?))?, FUZZY, "suggestAnalyzerFieldType")
        }
        Some("FreeTextLookupFactory") => {
            (next_word(settings)?, NEXT_WORD, "suggestFreeTextAnalyzerFieldType")
        }
        Some("WFSTLookupFactory") => (prefix(settings, None)?, &["exactMatchFirst"], ""),
        _ => return Ok(missing(component, name, class, "lookupImpl", warnings)),
    };
    let Some(source) = source(component, name, settings, warnings)? else { return Ok(None) };
    for other in settings.others(&[COMMON, known].concat()) {
        warnings.push(format!(
            "searchComponent `{component}`, suggester `{name}`: `{other}` is not known and has no effect"
        ));
    }
    let field_type = settings.text(type_name);
    if field_type.is_none() && !type_name.is_empty() {
        return Err(wrong(&format!("suggester `{name}` has no `{type_name}`")));
    }
    let build_on = BuildOn {
        commit: settings.switch("buildOnCommit", false),
        optimize: settings.switch("buildOnOptimize", false),
        startup: settings.switch("buildOnStartup", true),
    };
    Ok(Some(Suggester { name: name.to_owned(), source, lookup, field_type, build_on }))
}

fn missing(
    component: &str,
    name: &str,
    class: &str,
    setting: &str,
    warnings: &mut Vec<String>,
) -> Option<Suggester> {
    warnings.push(format!(
        "searchComponent `{component}`: suggester `{name}` with the {setting} `{class}` is not supported yet and has no effect"
    ));
    None
}

fn source(
    component: &str,
    name: &str,
    settings: &Settings<'_>,
    warnings: &mut Vec<String>,
) -> Result<Option<SuggestSource>> {
    let by_file = settings.get("sourceLocation").is_some();
    let usual = if by_file { "FileDictionaryFactory" } else { "HighFrequencyDictionaryFactory" };
    let class = settings.get("dictionaryImpl").unwrap_or(usual);
    let field = || settings.get("field").ok_or_else(|| wrong(&format!("suggester `{name}` has no `field`")));
    let named = |name: &str| settings.get(name).map(Into::into);
    Ok(match class.rsplit('.').next() {
        Some("DocumentDictionaryFactory") => Some(SuggestSource::Documents {
            field: field()?.into(),
            weight: named("weightField"),
            payload: named("payloadField"),
            context: named("contextField"),
        }),
        Some("HighFrequencyDictionaryFactory") => Some(SuggestSource::Terms {
            field: field()?.into(),
            threshold: settings.number("threshold")?.unwrap_or(0.0),
        }),
        _ => {
            missing(component, name, class, "dictionaryImpl", warnings);
            None
        }
    })
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

const NEXT_WORD: &[&str] = &["ngrams", "separator"];

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::components;

    fn read_list(list: &str) -> (Result<Component>, Components, Vec<String>) {
        components::read_one(read, ("suggester", list), "suggest")
    }

    const SOURCE: &str = "<str name='dictionaryImpl'>DocumentDictionaryFactory</str><str name='field'>f</str>\
         <str name='suggestAnalyzerFieldType'>t</str>";

    #[test]
    fn suggesters_have_their_settings() {
        let check = |more: &str, expected: Lookup| {
            let (_, components, warnings) = read_list(&format!("{SOURCE}{more}"));
            let suggester = &components.suggest("suggest").unwrap().suggesters[0];
            assert_eq!(suggester.lookup, expected, "{more}");
            assert_eq!((suggester.name.as_str(), suggester.field_type.as_deref()), ("default", Some("t")));
            assert!(warnings.is_empty(), "{warnings:?}");
        };
        check(
            "<str name='lookupImpl'>AnalyzingInfixLookupFactory</str><str name='highlight'>false</str>",
            Lookup::Infix(InfixLookup { all_required: true, highlight: false, blend: None }),
        );
        check(
            "<str name='lookupImpl'>solr.FuzzyLookupFactory</str><str name='maxEdits'>2</str>",
            Lookup::Prefix(PrefixLookup {
                exact_first: true,
                separated: true,
                holes: false,
                forms_max: 256,
                paths_max: None,
                fuzzy: Some(FuzzyPrefix {
                    edits_max: 2,
                    transpositions: true,
                    prefix: 1,
                    length_min: 3,
                    characters: false,
                }),
            }),
        );
    }

    #[test]
    fn what_cannot_be_is_told() {
        let (step, ..) = read_list(&format!(
            "{SOURCE}<str name='lookupImpl'>BlendedInfixLookupFactory</str><str name='blenderType'>odd</str>"
        ));
        assert!(step.unwrap_err().message.contains("`blenderType` is `odd`"));
        let (step, components, warnings) =
            read_list(&format!("{SOURCE}<str name='lookupImpl'>TSTLookupFactory</str>"));
        assert!(step.is_ok() && components.suggest("suggest").unwrap().suggesters.is_empty());
        assert!(warnings[0].contains("`TSTLookupFactory` is not supported"), "{warnings:?}");
    }
}
