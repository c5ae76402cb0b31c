//! The properties that Solr's Config API lets be set: their paths, types, and where in a `solrconfig.xml`
//! each stands. The list is that of Solr 9.10.1, found by asking one. Which have an effect here is listed in
//! `docs/configuration.md`.

use crate::commands::Complaint;
use crate::update::RawValue;
use crate::xml_tree::Element;

/// Where a property stands below the element that the rest of its path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PropertyLevel {
    Child,
    Attribute,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Whole,
    Switch,
    Text,
}

/// A property that may be set.
#[derive(Debug)]
pub(crate) struct Property {
    path: &'static str,
    kind: Kind,
    place: PropertyLevel,
}

const fn child(path: &'static str, kind: Kind) -> Property {
    Property { path, kind, place: PropertyLevel::Child }
}

const fn attribute(path: &'static str, kind: Kind) -> Property {
    Property { path, kind, place: PropertyLevel::Attribute }
}

const EDITABLE: &[Property] = &[
    child("updateHandler.autoCommit.maxDocs", Kind::Whole),
    child("updateHandler.autoCommit.maxTime", Kind::Whole),
    child("updateHandler.autoCommit.openSearcher", Kind::Switch),
    child("updateHandler.autoSoftCommit.maxDocs", Kind::Whole),
    child("updateHandler.autoSoftCommit.maxTime", Kind::Whole),
    child("updateHandler.commitWithin.softCommit", Kind::Switch),
    child("query.boolTofilterOptimizer", Kind::Text),
    child("query.enableLazyFieldLoading", Kind::Switch),
    child("query.maxBooleanClauses", Kind::Whole),
    child("query.queryResultMaxDocsCached", Kind::Whole),
    child("query.queryResultWindowSize", Kind::Whole),
    child("query.useFilterForSortedQuery", Kind::Switch),
    attribute("query.filterCache.class", Kind::Text),
    attribute("query.filterCache.size", Kind::Text),
    attribute("query.filterCache.initialSize", Kind::Whole),
    attribute("query.filterCache.autowarmCount", Kind::Whole),
    attribute("query.filterCache.maxRamMB", Kind::Whole),
    attribute("query.filterCache.enabled", Kind::Text),
    attribute("query.filterCache.regenerator", Kind::Text),
    attribute("query.queryResultCache.class", Kind::Text),
    attribute("query.queryResultCache.size", Kind::Whole),
    attribute("query.queryResultCache.initialSize", Kind::Whole),
    attribute("query.queryResultCache.autowarmCount", Kind::Whole),
    attribute("query.queryResultCache.maxRamMB", Kind::Whole),
    attribute("query.queryResultCache.regenerator", Kind::Text),
    attribute("query.documentCache.class", Kind::Text),
    attribute("query.documentCache.size", Kind::Whole),
    attribute("query.documentCache.initialSize", Kind::Whole),
    attribute("query.documentCache.autowarmCount", Kind::Whole),
    attribute("query.documentCache.regenerator", Kind::Text),
    attribute("query.fieldValueCache.class", Kind::Text),
    attribute("query.fieldValueCache.size", Kind::Whole),
    attribute("query.fieldValueCache.initialSize", Kind::Whole),
    attribute("query.fieldValueCache.autowarmCount", Kind::Whole),
    attribute("query.fieldValueCache.regenerator", Kind::Text),
    attribute("requestDispatcher.handleSelect", Kind::Switch),
    attribute("requestDispatcher.requestParsers.multipartUploadLimitInKB", Kind::Whole),
    attribute("requestDispatcher.requestParsers.formdataUploadLimitInKB", Kind::Whole),
    attribute("requestDispatcher.requestParsers.enableRemoteStreaming", Kind::Switch),
    attribute("requestDispatcher.requestParsers.enableStreamBody", Kind::Switch),
    attribute("requestDispatcher.requestParsers.addHttpRequestToContext", Kind::Switch),
];

/// Errors: there is none of this path, in Solr's words.
pub(super) fn find(path: &str) -> Result<&'static Property, Complaint> {
    let found = EDITABLE.iter().find(|property| property.path == path);
    found.ok_or_else(|| format!("'{path}' is not an editable property"))
}

impl Property {
    pub fn parts(&self) -> std::str::Split<'static, char> {
        self.path.split('.')
    }

    /// A value as the property keeps it.
    pub fn value(&self, value: &RawValue) -> Result<RawValue, Complaint> {
        let text = value.to_text();
        match self.kind {
            Kind::Whole => text
                .parse::<i32>()
                .map(|number| RawValue::Long(number.into()))
                .map_err(|_| format!("Property {} must be of Integer type ", self.path)),
            Kind::Switch => Ok(RawValue::Bool(text.eq_ignore_ascii_case("true"))),
            Kind::Text => Ok(RawValue::Str(text)),
        }
    }

    /// Writes a value to where it stands in a `solrconfig.xml`.
    pub fn write(&self, root: &mut Element, value: &RawValue) {
        let (mut element, text) = (root, value.to_text());
        let mut parts = self.parts().peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() && self.place == PropertyLevel::Attribute {
                return element.set_attribute(part, text);
            }
            element = element.child_mut(part);
        }
        element.text = text;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml_tree;

    #[test]
    fn values_have_their_types_and_places() {
        let check = |path: &str, value: &str, expected: &str| {
            let found = find(path).and_then(|property| {
                let value = property.value(&RawValue::Str(value.to_owned()))?;
                let mut root = xml_tree::parse("t", "<config><query a='1'/></config>", &|_| None).unwrap();
                property.write(&mut root, &value);
                Ok(format!("{:?}", root.children.last().unwrap()))
            });
            let shown = found.unwrap_or_else(|complaint| complaint);
            assert!(shown.contains(expected), "{path}: {shown}");
        };
        check(
            "updateHandler.autoCommit.maxDocs",
            "7",
            "\"maxDocs\", attributes: [], children: [], text: \"7\"",
        );
        check("updateHandler.autoCommit.maxDocs", "ten", "must be of Integer type ");
        check("updateHandler.autoCommit.openSearcher", "TRUE", "text: \"true\"");
        check("query.filterCache.size", "8", "attributes: [(\"size\", \"8\")]");
        check("updateHandler.autoCommit", "1", "'updateHandler.autoCommit' is not an editable property");
    }

    #[test]
    fn the_documentation_names_each() {
        let documented = include_str!("../../../../docs/configuration.md");
        for property in EDITABLE {
            assert!(documented.contains(property.path), "docs/configuration.md lacks `{}`", property.path);
        }
    }
}
