//! The elements and texts of an XML body, or of one piece of it, checked for form. No document type and no
//! entity but XML's own five. Messages are Solr's (its parser's where that is practical), with the row and
//! column reached.

use plan::{Error, Result, RootCause};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::xml_tree::resolve;

/// Deepest nesting of elements; Solr's own format needs five.
const DEPTH_MAX: usize = 64;

/// Whether XML 1.0 has it (production 2, `Char`).
fn is_character(found: char) -> bool {
    matches!(found, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// What matters of XML's events: text is unescaped, an empty element is a start and an end.
pub enum XmlEvent<'a> {
    Start(BytesStart<'a>),
    End,
    Text(String),
    Done,
}

/// The elements and texts of a body, checked for form.
pub struct Source<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// The names of the elements around, from the root on.
    pub open: Vec<String>,
    /// Whether the element given last was empty, so that its end comes next.
    pending_end: bool,
    /// Whether the root has been seen.
    rooted: bool,
    /// Whether reading failed because the text ended.
    pub ran_out: bool,
    /// Lines before the text, and bytes before it in its first.
    before: (usize, usize),
}

/// Where a source stands between two elements of a text that comes in pieces.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    open: Vec<String>,
    pending_end: bool,
    rooted: bool,
    before: (usize, usize),
}

/// A place between two elements, to which a source can be taken back: none before has closed what was open
/// here.
#[derive(Clone, Copy)]
pub struct Mark {
    /// In bytes.
    pub at: usize,
    depth: usize,
    pending_end: bool,
    rooted: bool,
}

impl<'a> Source<'a> {
    /// Goes on with the piece that follows where another source stood.
    pub fn resumed(text: &'a str, standing: Standing) -> Self {
        let mut reader = Reader::from_str(text);
        // Elements that an earlier piece opened are known only here.
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_unmatched_ends = true;
        let Standing { open, pending_end, rooted, before } = standing;
        Self { text, reader, open, pending_end, rooted, ran_out: false, before }
    }

    /// Where it stood there.
    pub fn standing_at(mut self, mark: Mark) -> Standing {
        let Mark { at, depth, pending_end, rooted } = mark;
        let before = self.row_and_column(at);
        self.open.truncate(depth);
        Standing { open: self.open, pending_end, rooted, before }
    }

    pub fn mark(&self) -> Mark {
        Mark { at: self.at(), depth: self.open.len(), pending_end: self.pending_end, rooted: self.rooted }
    }

    /// Bytes that have been read.
    fn at(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX).min(self.text.len())
    }

    pub fn next(&mut self) -> Result<XmlEvent<'a>> {
        if std::mem::take(&mut self.pending_end) {
            self.open.pop();
            return Ok(XmlEvent::End);
        }
        loop {
            let began = self.at();
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => {
                    self.ran_out =
                        matches!(error, quick_xml::Error::Syntax(_)) || self.at() >= self.text.len();
                    return Err(self.malformed(&error));
                }
            };
            self.check_characters(began)?;
            match event {
                Event::Start(tag) => return self.start(tag),
                Event::Empty(tag) => {
                    self.pending_end = true;
                    return self.start(tag);
                }
                Event::End(tag) => {
                    let found = tag.name().0;
                    return match self.open.pop() {
                        Some(expected) if expected == found => Ok(XmlEvent::End),
                        Some(expected) => {
                            Err(self
                                .wrong(&format!("Unexpected close tag </{found}>; expected </{expected}>.")))
                        }
                        None => {
                            Err(self.wrong(&format!("Unexpected close tag </{found}>; no element is open.")))
                        }
                    };
                }
                Event::Text(text) => {
                    let text = text.xml10_content();
                    if !self.open.is_empty() {
                        return Ok(XmlEvent::Text(text.into_owned()));
                    }
                    self.outside(&text)?;
                }
                Event::CData(text) => return Ok(XmlEvent::Text(text.xml10_content().into_owned())),
                Event::GeneralRef(reference) => {
                    let name = reference.to_string();
                    let character = resolve(&reference);
                    let undeclared = |_| self.wrong(&format!("Undeclared general entity \"{name}\""));
                    let character = character.map_err(undeclared)?;
                    if !is_character(character) {
                        let code = u32::from(character);
                        let message =
                            format!("Illegal character entity: expansion character (code {code:#x})");
                        return Err(self.wrong(&message));
                    }
                    return Ok(XmlEvent::Text(character.to_string()));
                }
                Event::DocType(_) => return Err(self.wrong("A DOCTYPE is not allowed; remove it")),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
                Event::Eof => return self.end_of_text(),
            }
        }
    }

    /// Refuses what XML 1.0 does not count among its characters, wherever it stands in what was just read.
    fn check_characters(&self, began: usize) -> Result<()> {
        let read = self.text.get(began..self.at()).unwrap_or_default();
        // Of all others the first byte alone says that they are characters.
        let suspect = |byte: &u8| (*byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')) || *byte == 0xef;
        let mut from = 0;
        while let Some(found) = read.as_bytes().get(from..).and_then(|rest| rest.iter().position(suspect)) {
            let at = from + found;
            let character = read.get(at..).and_then(|rest| rest.chars().next()).unwrap_or_default();
            if !is_character(character) {
                let code = u32::from(character);
                let kind = if character < ' ' { "CTRL-CHAR, " } else { "" };
                return Err(
                    self.wrong_at(began + at + 1, &format!("Illegal character (({kind}code {code}))"))
                );
            }
            from = at + character.len_utf8();
        }
        Ok(())
    }

    fn start(&mut self, tag: BytesStart<'a>) -> Result<XmlEvent<'a>> {
        if self.open.is_empty() && std::mem::replace(&mut self.rooted, true) {
            return Err(self.wrong("Illegal to have multiple roots (start tag in epilog?)."));
        }
        if self.open.len() >= DEPTH_MAX {
            return Err(self.wrong(&format!("Elements are nested deeper than {DEPTH_MAX}")));
        }
        self.open.push(tag.name().0.to_owned());
        Ok(XmlEvent::Start(tag))
    }

    /// Text outside of the root: only white space may be there.
    fn outside(&self, text: &str) -> Result<()> {
        let Some(found) = text.chars().find(|it| !it.is_whitespace()) else { return Ok(()) };
        let place = if self.rooted { "epilog" } else { "prolog" };
        let code = u32::from(found);
        Err(self.wrong(&format!("Unexpected character '{found}' (code {code}) in {place}; expected '<'")))
    }

    fn end_of_text(&mut self) -> Result<XmlEvent<'a>> {
        self.ran_out = true;
        match self.open.last() {
            Some(name) => {
                Err(self.wrong(&format!("Unexpected EOF; was expecting a close tag for element <{name}>")))
            }
            None if !self.rooted => Err(self.wrong("Unexpected EOF in prolog")),
            None => Ok(XmlEvent::Done),
        }
    }

    fn malformed(&self, error: &quick_xml::Error) -> Error {
        match (error, self.open.last()) {
            (quick_xml::Error::Syntax(_), Some(name)) => {
                self.wrong(&format!("Unexpected EOF; was expecting a close tag for element <{name}>"))
            }
            (other, _) => self.wrong(&other.to_string()),
        }
    }

    /// With the row and column reached, both from 1.
    pub fn wrong(&self, message: &str) -> Error {
        self.wrong_at(self.at(), message)
    }

    fn wrong_at(&self, at: usize, message: &str) -> Error {
        let (lines, column) = self.row_and_column(at);
        let row = lines + 1;
        Error::bad_request(format!("{message}\n at [row,col {{unknown-source}}]: [{row},{column}]"))
            .with_root(RootCause::Xml)
    }

    /// Lines before a place, and bytes before it in its own.
    fn row_and_column(&self, at: usize) -> (usize, usize) {
        let read = self.text.as_bytes().get(..at).unwrap_or_default();
        let (lines, columns) = self.before;
        match read.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => (lines + read.iter().filter(|byte| **byte == b'\n').count(), read.len() - end - 1),
            None => (lines, columns + read.len()),
        }
    }
}
