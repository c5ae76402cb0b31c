//! A small configuration file in XML as a tree, with `${name:default}` filled in. For schemas and
//! solrconfigs, which are a few hundred kilobytes at most; update bodies are streamed instead. No document
//! type, no entity but XML's own five: both are refused, so nothing is fetched or expanded. Depth and size
//! are bounded.

use plan::{Error, Result, RootCause};
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

const DEPTH_MAX: usize = 64;
const BYTES_MAX: usize = 16 << 20;

/// What `${name}` stands for; `None` takes the default written in the file.
pub type Properties<'a> = &'a dyn Fn(&str) -> Option<String>;

/// One element: its attributes in order, the elements in it, and all its own text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
    pub text: String,
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The elements directly inside with this name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The first element directly inside with this name.
    pub fn first(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The first element directly inside with this name, made if there is none.
    pub fn child_mut(&mut self, name: &str) -> &mut Element {
        let at = self.children.iter().position(|child| child.name == name).unwrap_or_else(|| {
            self.children.push(Element { name: name.to_owned(), ..Element::default() });
            self.children.len() - 1
        });
        &mut self.children[at]
    }

    pub fn set_attribute(&mut self, name: &str, value: String) {
        self.attributes.retain(|(key, _)| key != name);
        self.attributes.push((name.to_owned(), value));
    }

    /// The element's text without the white space around it.
    pub fn trimmed(&self) -> &str {
        self.text.trim()
    }
}

/// Reads a whole file; gives its root. `what` names the file in errors.
pub fn parse(what: &str, xml: &str, properties: Properties<'_>) -> Result<Element> {
    read(what, xml, Some(properties))
}

/// As [`parse`], of a text in which `${name}` stands for itself.
pub fn parse_verbatim(what: &str, xml: &str) -> Result<Element> {
    read(what, xml, None)
}

fn read(what: &str, xml: &str, properties: Option<Properties<'_>>) -> Result<Element> {
    if xml.len() > BYTES_MAX {
        return Err(Error::bad_request(format!(
            "`{what}` is larger than {BYTES_MAX} bytes; make it smaller"
        )));
    }
    let mut builder = Builder { what, properties, open: vec![Element::default()] };
    let mut reader = Reader::from_str(xml);
    loop {
        let event = reader.read_event().map_err(|error| builder.malformed(&error))?;
        if !builder.take(event)? {
            return builder.finish();
        }
    }
}

struct Builder<'a> {
    what: &'a str,
    properties: Option<Properties<'a>>,
    /// The elements not yet closed, outermost first; the first holds the root.
    open: Vec<Element>,
}

impl Builder<'_> {
    /// Takes one event; `false` at the end of the file.
    fn take(&mut self, event: Event<'_>) -> Result<bool> {
        match event {
            Event::Start(tag) => self.start(&tag)?,
            Event::Empty(tag) => {
                self.start(&tag)?;
                self.end()?;
            }
            Event::End(_) => self.end()?,
            Event::Text(text) => self.text(&text.xml10_content()),
            Event::CData(text) => self.text(&text.xml10_content()),
            Event::GeneralRef(reference) => {
                let character = resolve(&reference).map_err(|error| self.wrong(error))?;
                self.text(character.encode_utf8(&mut [0; 4]));
            }
            Event::DocType(_) => return Err(self.wrong("a DOCTYPE is not allowed; remove it")),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            Event::Eof => return Ok(false),
        }
        Ok(true)
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Result<()> {
        if self.open.len() > DEPTH_MAX {
            return Err(self.wrong(format!("elements are nested deeper than {DEPTH_MAX}")));
        }
        let mut attributes = Vec::new();
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| self.malformed(&error))?;
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|error| self.malformed(&error))?;
            attributes.push((attribute.key.0.to_owned(), self.fill_in(&value)?));
        }
        self.open.push(Element { name: tag.name().0.to_owned(), attributes, ..Element::default() });
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let Some(mut closed) = self.open.pop() else {
            return Err(self.wrong("an end tag has no start tag"));
        };
        if self.properties.is_some() && closed.text.contains("${") {
            closed.text = self.fill_in(&closed.text)?;
        }
        match self.open.last_mut() {
            Some(parent) => parent.children.push(closed),
            None => return Err(self.wrong("an end tag has no start tag")),
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(element) = self.open.last_mut() {
            element.text.push_str(text);
        }
    }

    fn finish(mut self) -> Result<Element> {
        match (self.open.pop(), self.open.is_empty()) {
            (Some(mut outside), true) if outside.children.len() == 1 && outside.text.trim().is_empty() => {
                Ok(outside.children.swap_remove(0))
            }
            _ => Err(self.wrong("the file is not one whole element")),
        }
    }

    fn fill_in(&self, text: &str) -> Result<String> {
        match self.properties {
            Some(properties) => fill_in(text, properties).map_err(|error| self.wrong(error)),
            None => Ok(text.to_owned()),
        }
    }

    fn malformed(&self, error: &dyn std::fmt::Display) -> Error {
        self.wrong(error)
    }

    fn wrong(&self, reason: impl std::fmt::Display) -> Error {
        Error::bad_request(format!("cannot read `{}`: {reason}", self.what)).with_root(RootCause::Xml)
    }
}

/// A character reference or one of the five entities that need no declaration.
pub fn resolve(reference: &BytesRef<'_>) -> Result<char, String> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Ok(character);
    }
    match &**reference {
        "amp" => Ok('&'),
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        other => Err(format!("the entity `&{other};` is not known; write the character itself")),
    }
}

/// Replaces `${name}` and `${name:default}`; defaults may hold further ones. An unknown name without a
/// default is an error, as in Solr.
fn fill_in(text: &str, properties: Properties<'_>) -> Result<String, String> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let end = closing_brace(after).ok_or_else(|| format!("`${{` is not closed in `{text}`"))?;
        let (name, default) = match after[..end].split_once(':') {
            Some((name, default)) => (name, Some(default)),
            None => (&after[..end], None),
        };
        filled.push_str(before);
        match (properties(name), default) {
            (Some(value), _) => filled.push_str(&value),
            (None, Some(default)) => filled.push_str(&fill_in(default, properties)?),
            (None, None) => {
                return Err(format!("No system property or default value specified for {name} value:{text}"));
            }
        }
        rest = &after[end + 1..];
    }
    filled.push_str(rest);
    Ok(filled)
}

/// Where the brace opened just before `text` closes. Bounded: one inside another at most.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
        if depth > 4 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_known(xml: &str) -> Result<Element> {
        parse("test.xml", xml, &|name| (name == "known").then(|| "value".to_owned()))
    }

    #[test]
    fn a_tree_keeps_attributes_children_and_text() {
        let root = parse_known("<?xml version='1.0'?><!-- c --><a x='1 &amp; 2'>t<b/>&#65;<![CDATA[<]]></a>")
            .unwrap();
        assert_eq!(root.attribute("x"), Some("1 & 2"));
        assert_eq!(root.children.len(), 1);
        assert_eq!(root.text, "tA<");
    }

    #[test]
    fn properties_are_filled_in() {
        let check = |text: &str, expected: &str| {
            let root = parse_known(&format!("<a x='{text}'>{text}</a>")).unwrap();
            assert_eq!((root.attribute("x"), root.trimmed()), (Some(expected), expected));
        };
        check("${known}", "value");
        check("a${known:z}b", "avalueb");
        check("${other:z}", "z");
        check("${other:}", "");
        check("${other:${known}}!", "value!");
        assert!(parse_known("<a>${other}</a>").unwrap_err().message.contains("other"));
        assert!(parse_known("<a>${other</a>").is_err());
    }

    #[test]
    fn properties_may_stand_for_themselves() {
        let root = parse_verbatim("test.xml", "<a x='${known}'>${other</a>").unwrap();
        assert_eq!((root.attribute("x"), root.trimmed()), (Some("${known}"), "${other"));
    }

    #[test]
    fn what_is_not_plain_xml_is_refused() {
        for xml in [
            "",
            "text",
            "<a>",
            "<a></b>",
            "</a>",
            "<a/><b/>",
            "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
            "<a>&x;</a>",
            "<a x='1' x='2'/>",
            "<a x=1/>",
            "<a",
        ] {
            assert!(parse_known(xml).is_err(), "{xml}");
        }
        assert!(parse_known(&format!("{}{}", "<a>".repeat(70), "</a>".repeat(70))).is_err());
    }
}
