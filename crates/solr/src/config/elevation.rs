//! A declared `QueryElevationComponent`, and the file of its rules. In: the element and, once all is known,
//! the file's text; out: a `plan::ElevationComponent`. What the rules do to a search is
//! `crates/solr/src/select/elevation.rs`.

use plan::{Component, Components, ElevationComponent, ElevationRule, Result};

use crate::config::loaded::LoadedConfig;
use crate::config::refusal::wrong;
use crate::config::settings::Settings;
use crate::xml_tree::{self, Element};

pub(super) fn read(
    name: &str,
    element: &Element,
    components: &mut Components,
    warnings: &mut Vec<String>,
) -> Result<Component> {
    let settings = Settings::of(element);
    let known = ["queryFieldType", "config-file", "forceElevation"];
    for other in settings.others(&known) {
        warnings.push(format!("searchComponent `{name}`: `{other}` is not supported yet and has no effect"));
    }
    components.elevation.retain(|known| known.name != name);
    components.elevation.push(ElevationComponent {
        name: name.to_owned(),
        query_type: settings.text("queryFieldType"),
        file: settings.text("config-file"),
        rules: Vec::new(),
        force: settings.switch("forceElevation", false),
    });
    Ok(Component::Elevation(name.to_owned()))
}

impl LoadedConfig {
    /// Fills in the rules of elevation components. Without their file there are none, and a warning.
    pub(super) fn with_elevation_rules(&mut self, read: &dyn Fn(&str) -> Option<String>) -> Result<()> {
        for component in &mut self.config.components.elevation {
            let Some(file) = &component.file else { continue };
            match read(file) {
                Some(xml) => component.rules = rules(file, &xml)?,
                None => self.warnings.push(format!(
                    "searchComponent `{}`: there is no `{file}`; nothing is elevated",
                    component.name
                )),
            }
        }
        Ok(())
    }
}

fn rules(file: &str, xml: &str) -> Result<Vec<ElevationRule>> {
    let root = xml_tree::parse(file, xml, &|_| None)?;
    let rule = |element: &Element| {
        let text = element.attribute("text").ok_or_else(|| wrong("a `query` to elevate has no `text`"))?;
        let subset = match element.attribute("match") {
            None => false,
            Some(way) if way.eq_ignore_ascii_case("exact") => false,
            Some(way) if way.eq_ignore_ascii_case("subset") => true,
            Some(way) => {
                return Err(wrong(&format!(
                    "`match` of a `query` to elevate is `{way}`; use exact or subset"
                )));
            }
        };
        let mut rule = ElevationRule { text: text.to_owned(), subset, ..ElevationRule::default() };
        for document in element.all("doc") {
            let id = document.attribute("id").ok_or_else(|| wrong("a `doc` to elevate has no `id`"))?;
            let hides = document.attribute("exclude").is_some_and(|it| it.eq_ignore_ascii_case("true"));
            let list = if hides { &mut rule.excluded } else { &mut rule.elevated };
            list.push(id.to_owned());
        }
        Ok(rule)
    };
    root.all("query").map(rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_come_from_their_file() {
        let xml = "<elevate><query text='usb'><doc id='a'/><doc id='b' exclude='true'/></query>\
            <query text='cable' match='subset'><doc id='c'/></query></elevate>";
        let shown: Vec<_> = rules("elevate.xml", xml)
            .unwrap()
            .into_iter()
            .map(|it| format!("{} {} {:?} {:?}", it.text, it.subset, it.elevated, it.excluded))
            .collect();
        assert_eq!(shown, [r#"usb false ["a"] ["b"]"#, r#"cable true ["c"] []"#]);
        assert!(rules("elevate.xml", "<elevate><query/></elevate>").is_err());
    }
}
