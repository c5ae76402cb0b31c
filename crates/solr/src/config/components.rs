//! What search handlers run: the components that a `solrconfig.xml` declares (`<searchComponent>`), and the
//! list of each handler (`components`, or `first-components` and `last-components` around what Solr runs
//! anyway).

use plan::{Component, Components, Result};

use crate::config::refusal::wrong;
use crate::config::{elevation, highlighting, spelling, suggesters};
use crate::xml_tree::Element;

/// A class of components: its name, and how its declaration becomes a step with settings.
struct Class {
    name: &'static str,
    read: fn(&str, &Element, &mut Components, &mut Vec<String>) -> Result<Component>,
}

/// The classes that are served and have settings.
const CLASSES: &[Class] = &[
    Class { name: "SpellCheckComponent", read: spelling::read },
    Class { name: "SuggestComponent", read: suggesters::read },
    Class { name: "QueryElevationComponent", read: elevation::read },
    Class { name: "HighlightComponent", read: highlighting::read },
    Class { name: "TermVectorComponent", read: term_vectors },
];

/// It has no settings: what is asked of it is in requests.
fn term_vectors(
    name: &str,
    element: &Element,
    _: &mut Components,
    warnings: &mut Vec<String>,
) -> Result<Component> {
    if !element.children.is_empty() {
        warnings.push(format!("searchComponent `{name}`: its settings are not known and have no effect"));
    }
    Ok(Component::TermVectors(name.to_owned()))
}

/// Solr's own components, by class: those that have their name without being declared.
const STANDARD: &[(&str, Component)] = &[
    ("QueryComponent", Component::Query),
    ("FacetComponent", Component::Facet),
    ("FacetModule", Component::FacetModule),
    ("MoreLikeThisComponent", Component::MoreLikeThis),
    ("StatsComponent", Component::Stats),
    ("ExpandComponent", Component::Expand),
    ("TermsComponent", Component::Terms),
    ("DebugComponent", Component::Debug),
];

/// Whether a class, by its short name, is served.
pub(super) fn serves(class: &str) -> bool {
    CLASSES.iter().any(|known| known.name == class) || STANDARD.iter().any(|(known, _)| *known == class)
}

/// What a file declares: each name with the step it stands for, and the settings.
#[derive(Default)]
pub(super) struct Declared {
    steps: Vec<(String, Component)>,
    pub components: Components,
}

/// Reads all declarations. One that cannot be read is a warning and a missing component: the rest of the
/// collection works.
pub(super) fn read(root: &Element, warnings: &mut Vec<String>) -> Result<Declared> {
    let mut declared = Declared::default();
    for element in root.all("searchComponent") {
        let name = element.attribute("name").ok_or_else(|| wrong("a searchComponent has no `name`"))?;
        let class = element.attribute("class").unwrap_or_default();
        let short = class.rsplit('.').next().unwrap_or(class);
        let step = if let Some(class) = CLASSES.iter().find(|known| known.name == short) {
            (class.read)(name, element, &mut declared.components, warnings)
                .map_err(|error| error.context(format!("searchComponent `{name}`: ")))?
        } else if let Some((_, step)) = STANDARD.iter().find(|(known, _)| *known == short) {
            if !element.children.is_empty() {
                warnings.push(format!(
                    "searchComponent `{name}` of class `{class}`: its settings are not supported yet and have no effect"
                ));
            }
            step.clone()
        } else {
            warnings.push(format!(
                "searchComponent `{name}` of class `{class}` is not supported yet and has no effect"
            ));
            Component::Missing(name.to_owned())
        };
        declared.steps.retain(|(known, _)| known != name);
        declared.steps.push((name.to_owned(), step));
    }
    Ok(declared)
}

/// The lists of a handler that name components.
pub(super) const LISTS: &[&str] = &["components", "first-components", "last-components"];

impl Declared {
    /// The steps of a handler; `None` when it names none. Errors: a name that nothing declares.
    pub(super) fn steps_of(&self, handler: &Element) -> Result<Option<Vec<Component>>> {
        let list = |name: &str| {
            let mut lists = handler.all("arr").filter(move |it| it.attribute("name") == Some(name));
            lists.next().map(|list| {
                list.children.iter().map(|it| self.step(it.trimmed())).collect::<Result<Vec<_>>>()
            })
        };
        if let Some(all) = list("components").transpose()? {
            return Ok(Some(all));
        }
        let (first, last) = (list("first-components").transpose()?, list("last-components").transpose()?);
        if first.is_none() && last.is_none() {
            return Ok(None);
        }
        let standard = Component::DEFAULT.into_iter().filter(|step| *step != Component::Debug);
        let steps = first.into_iter().flatten().chain(standard).chain(last.into_iter().flatten());
        Ok(Some(steps.chain([Component::Debug]).collect()))
    }

    fn step(&self, name: &str) -> Result<Component> {
        if let Some((_, step)) = self.steps.iter().find(|(known, _)| known == name) {
            return Ok(step.clone());
        }
        let standard = Component::DEFAULT.into_iter().find(|step| step.name() == name);
        standard.ok_or_else(|| wrong(&format!("Unknown Search Component: {name}")))
    }
}

/// How a component's settings are read: its name, its element, where it goes, and where warnings do.
#[cfg(test)]
type Read = fn(&str, &Element, &mut Components, &mut Vec<String>) -> Result<Component>;

/// What `read` makes of a component that holds this one list.
#[cfg(test)]
pub(super) fn read_one(
    read: Read,
    (list, entries): (&str, &str),
    name: &str,
) -> (Result<Component>, Components, Vec<String>) {
    let xml = format!("<searchComponent><lst name='{list}'>{entries}</lst></searchComponent>");
    let element = crate::xml_tree::parse("test", &xml, &|_| None).unwrap_or_else(|error| panic!("{error}"));
    let (mut components, mut warnings) = (Components::default(), Vec::new());
    let step = read(name, &element, &mut components, &mut warnings);
    (step, components, warnings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml_tree;

    fn steps(handler: &str) -> Result<Option<Vec<String>>> {
        let declared = "<searchComponent name='spell' class='solr.SpellCheckComponent'/>\
            <searchComponent name='odd' class='x.Odd'/><searchComponent name='hl' class='solr.HighlightComponent'/>";
        let xml = format!("<config>{declared}<requestHandler name='/a'>{handler}</requestHandler></config>");
        let root = xml_tree::parse("test", &xml, &|_| None)?;
        let declared = read(&root, &mut Vec::new())?;
        let handler = root.first("requestHandler").unwrap();
        let names = |steps: Vec<Component>| steps.iter().map(|step| format!("{step:?}")).collect();
        Ok(declared.steps_of(handler)?.map(names))
    }

    #[test]
    fn handlers_list_their_components() {
        let check = |handler: &str, expected: Option<&str>| {
            let found = steps(handler).unwrap().map(|steps| steps.join(" "));
            assert_eq!(found.as_deref(), expected, "{handler}");
        };
        check("", None);
        check(
            "<arr name='components'><str>spell</str><str>debug</str><str>query</str></arr>",
            Some("Spell(\"spell\") Debug Query"),
        );
        check(
            "<arr name='first-components'><str>odd</str></arr><arr name='last-components'><str> spell </str></arr>",
            Some(
                "Missing(\"odd\") Query Facet FacetModule MoreLikeThis Highlight Stats Expand Terms Spell(\"spell\") Debug",
            ),
        );
        check("<arr name='components'><str>hl</str></arr>", Some("Highlight"));
        let unknown = steps("<arr name='components'><str>nosuch</str></arr>").unwrap_err().message;
        assert!(unknown.contains("Unknown Search Component: nosuch"), "{unknown}");
    }
}
