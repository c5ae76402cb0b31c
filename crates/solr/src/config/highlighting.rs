//! The `<highlighting>` of a declared `HighlightComponent`: Solr's classes of fragmenters, formatters,
//! encoders and what the `fastVector` method is put together of. Out: parts by name (`plan::HighlightParts`),
//! which a request picks by `hl.fragmenter` and its like. Classes that are not served are left out with a
//! warning.

use plan::{Component, Components, HighlightPart, HighlightParts, PartWork, Result};

use crate::config::refusal::wrong;
use crate::xml_tree::Element;

/// (element, class, what it does).
const CLASSES: &[(&str, &str, PartWork)] = &[
    ("fragmenter", "GapFragmenter", PartWork::CutByLength),
    ("fragmenter", "RegexFragmenter", PartWork::CutByPattern),
    ("formatter", "HtmlFormatter", PartWork::Tag),
    ("encoder", "DefaultEncoder", PartWork::WriteAsIs),
    ("encoder", "HtmlEncoder", PartWork::WriteHtml),
    ("fragListBuilder", "SimpleFragListBuilder", PartWork::ListSimple),
    ("fragListBuilder", "SingleFragListBuilder", PartWork::ListSingle),
    ("fragListBuilder", "WeightedFragListBuilder", PartWork::ListWeighted),
    ("fragmentsBuilder", "ScoreOrderFragmentsBuilder", PartWork::BestFirst),
    ("boundaryScanner", "SimpleBoundaryScanner", PartWork::ScanCharacters),
    ("boundaryScanner", "BreakIteratorBoundaryScanner", PartWork::ScanBreaks),
];

/// A component without `<highlighting>` declares nothing. Solr differs: a second component has parts of its
/// own there; here the last one's hold for all.
pub(super) fn read(
    name: &str,
    element: &Element,
    components: &mut Components,
    warnings: &mut Vec<String>,
) -> Result<Component> {
    let mut parts = Vec::new();
    for other in element.children.iter().filter(|it| it.name != "highlighting") {
        let other = other.attribute("name").unwrap_or(&other.name);
        warnings.push(format!("searchComponent `{name}`: `{other}` is not known and has no effect"));
    }
    if let Some(highlighting) = element.first("highlighting") {
        if let Some(class) = highlighting.attribute("class") {
            warnings.push(format!(
                "searchComponent `{name}`: highlighting of class `{class}` is not supported and has no effect"
            ));
        }
        for child in &highlighting.children {
            parts.extend(part(name, child, warnings)?);
        }
    }
    components.highlight = HighlightParts { parts };
    Ok(Component::Highlight)
}

fn part(component: &str, element: &Element, warnings: &mut Vec<String>) -> Result<Option<HighlightPart>> {
    let class = element.attribute("class").unwrap_or_default();
    let short = class.rsplit('.').next().unwrap_or(class);
    let found = CLASSES.iter().find(|(kind, class, _)| *kind == element.name && *class == short);
    let Some((.., work)) = found else {
        warnings.push(format!(
            "searchComponent `{component}`: {} of class `{class}` is not supported and has no effect",
            element.name
        ));
        return Ok(None);
    };
    for other in element.children.iter().filter(|it| it.attribute("name") != Some("defaults")) {
        let other = other.attribute("name").unwrap_or(&other.name);
        warnings.push(format!(
            "searchComponent `{component}`: `{other}` of a {} is not known and has no effect",
            element.name
        ));
    }
    let name = element.attribute("name");
    let name = name.ok_or_else(|| wrong(&format!("a {} has no `name`", element.name)))?;
    let presets = element.all("lst").filter(|list| list.attribute("name") == Some("defaults"));
    let presets = presets
        .flat_map(|list| &list.children)
        .filter_map(|value| Some((value.attribute("name")?.to_owned(), value.text.clone())));
    Ok(Some(HighlightPart {
        name: name.to_owned(),
        usual: element.attribute("default") == Some("true"),
        work: *work,
        presets: presets.collect(),
    }))
}

#[cfg(test)]
mod tests {
    use plan::PartKind;

    use super::*;
    use crate::xml_tree;

    #[test]
    fn parts_are_known_by_their_names() {
        let xml = "<searchComponent><highlighting>\
            <fragmenter name='short' default='true' class='solr.highlight.GapFragmenter'>\
            <lst name='defaults'><int name='hl.fragsize'>20</int></lst></fragmenter>\
            <fragmenter name='regex' class='org.apache.solr.highlight.RegexFragmenter'/>\
            <encoder name='html' class='solr.highlight.HtmlEncoder'/>\
            <fragmenter name='odd' class='x.Odd'/></highlighting></searchComponent>";
        let element = xml_tree::parse("test", xml, &|_| None).unwrap();
        let (mut components, mut warnings) = (Components::default(), Vec::new());
        read("highlight", &element, &mut components, &mut warnings).unwrap();
        let check = |kind: PartKind, name: &str, expected: Option<(PartWork, usize)>| {
            let found = components.highlight.find(kind, name).map(|(work, presets)| (work, presets.len()));
            assert_eq!(found, expected, "{kind:?} {name}");
        };
        check(PartKind::Fragmenter, "", Some((PartWork::CutByLength, 1)));
        check(PartKind::Fragmenter, "regex", Some((PartWork::CutByPattern, 0)));
        check(PartKind::Fragmenter, "odd", None);
        check(PartKind::Encoder, "", Some((PartWork::WriteAsIs, 0)));
        check(PartKind::Encoder, "html", Some((PartWork::WriteHtml, 0)));
        check(PartKind::FragmentList, "", Some((PartWork::ListSimple, 0)));
        assert!(warnings[0].contains("fragmenter of class `x.Odd`"), "{warnings:?}");
    }
}
