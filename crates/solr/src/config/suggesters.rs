//! A declared `SuggestComponent`: its suggesters with Solr's settings. What a suggester keeps on disk in Solr
//! (`indexPath`, `storeDir`) is in memory here. In: the component's XML; out: suggesters of the plan, their
//! two parts read by `suggest_lookups.rs` and `suggest_sources.rs`. Building them is the engine's.

use plan::{BuildOn, Component, Components, Result, SuggestComponent, Suggester};

use super::suggest_lookups::{FIELD_TYPE, LookupClass};
use super::suggest_sources::{self, SourceClass};
use crate::config::refusal::wrong;
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
    FIELD_TYPE,
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
    for other in Settings::of(element).others(&["suggester"]) {
        warnings.push(format!("searchComponent `{name}`: `{other}` is not known and has no effect"));
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
    let mut missing = |setting: &str, class: &str| {
        warnings.push(format!(
            "searchComponent `{component}`: suggester `{name}` with the {setting} `{class}` is not supported yet and has no effect"
        ));
    };
    let class = settings.get("lookupImpl").unwrap_or("JaspellLookupFactory");
    let Some(lookup) = LookupClass::find(class) else {
        missing("lookupImpl", class);
        return Ok(None);
    };
    let class = suggest_sources::class_name(settings);
    let Some(source) = SourceClass::find(class) else {
        missing("dictionaryImpl", class);
        return Ok(None);
    };
    for other in settings.others(&[COMMON, lookup.settings, source.settings].concat()) {
        warnings.push(format!(
            "searchComponent `{component}`, suggester `{name}`: `{other}` is not known and has no effect"
        ));
    }
    let field_type = lookup.field_type.and_then(|setting| settings.text(setting));
    if let (Some(setting), None) = (lookup.field_type, &field_type) {
        return Err(wrong(&format!("suggester `{name}` has no `{setting}`")));
    }
    let build_on = BuildOn {
        commit: settings.switch("buildOnCommit", false),
        optimize: settings.switch("buildOnOptimize", false),
        startup: settings.switch("buildOnStartup", true),
    };
    let (source, lookup) = ((source.read)(name, settings)?, (lookup.read)(settings)?);
    Ok(Some(Suggester { name: name.to_owned(), source, lookup, field_type, build_on }))
}

#[cfg(test)]
mod tests {
    use plan::{FuzzyPrefix, InfixLookup, Lookup, PrefixLookup, SortedLookup};

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
            let analysed = !matches!(expected, Lookup::Sorted(_));
            assert_eq!((suggester.name.as_str(), suggester.field_type.is_some()), ("default", analysed));
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
        check("", Lookup::Sorted(SortedLookup { parts: None, lowercase: true }));
        check(
            "<str name='lookupImpl'>FSTLookupFactory</str><int name='weightBuckets'>4</int>",
            Lookup::Sorted(SortedLookup { parts: Some(4), lowercase: false }),
        );
    }

    #[test]
    fn what_cannot_be_is_told() {
        let (step, ..) = read_list(&format!(
            "{SOURCE}<str name='lookupImpl'>BlendedInfixLookupFactory</str><str name='blenderType'>odd</str>"
        ));
        assert!(step.unwrap_err().message.contains("`blenderType` is `odd`"));
        let (step, components, warnings) =
            read_list(&format!("{SOURCE}<str name='lookupImpl'>OddLookupFactory</str>"));
        assert!(step.is_ok() && components.suggest("suggest").unwrap().suggesters.is_empty());
        assert!(warnings[0].contains("`OddLookupFactory` is not supported"), "{warnings:?}");
    }
}
