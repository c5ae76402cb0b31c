//! JSON as a stream of events, as lenient as Solr's own reader: comments, single quotes, bare words, stray
//! commas, several values one after the other. Keys keep their order and may repeat; integers, reals and what
//! fits neither stay apart. Never recurses; nesting is bounded. Messages and positions (UTF-16 units) were
//! recorded from Solr 9.10.1.

use std::borrow::Cow;

use memchr::{memchr2, memchr2_iter};
use plan::{Error, Result, RootCause};

/// Deepest nesting of arrays and objects.
const DEPTH_MAX: usize = 512;

/// Longest number that is read as a double; a longer one keeps its text.
const REAL_LENGTH_MAX: usize = 24;

#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    ObjectStart,
    ObjectEnd,
    ArrayStart,
    ArrayEnd,
    Key(Cow<'a, str>),
    Str(Cow<'a, str>),
    Long(i64),
    Real(f64),
    /// A number that no `i64` holds, or a real too long for a double, as written.
    Big(&'a str),
    Bool(bool),
    Null,
    /// The end of the text; given again if asked again.
    End,
}

impl Event<'_> {
    /// Solr's name for it, in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Event::ObjectStart => "OBJECT_START",
            Event::ObjectEnd => "OBJECT_END",
            Event::ArrayStart => "ARRAY_START",
            Event::ArrayEnd => "ARRAY_END",
            Event::Key(_) | Event::Str(_) => "STRING",
            Event::Long(_) => "LONG",
            Event::Real(_) => "NUMBER",
            Event::Big(_) => "BIGNUMBER",
            Event::Bool(_) => "BOOLEAN",
            Event::Null => "NULL",
            Event::End => "EOF",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Container {
    Object,
    Array,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Expect {
    /// A value, or the closer of an array that may be empty.
    #[default]
    Value,
    /// A key or the closer of an object.
    Key,
    /// A comma or a closer.
    Separator,
}

/// How Solr words what is wrong, by where the text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// The body of an update, read as it arrives: at its end Solr has forgotten what came before.
    Stream,
    /// A text of which all is at hand: a request in JSON.
    Text,
}

/// Where a reader stands between two events of a text that comes in pieces: all that the reader of the next
/// piece must know.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    open: Vec<Container>,
    expect: Expect,
    /// UTF-16 units of the pieces before.
    units: usize,
}

/// A place between two events of one piece, to which its reader can be taken back.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// In bytes.
    pub at: usize,
    /// No event before has closed what was open here.
    depth: usize,
    expect: Expect,
}

/// Reads one text, or one piece of it, from start to end.
pub struct JsonReader<'a> {
    text: &'a str,
    at: usize,
    /// Where the last event began; a string's begins at its quote.
    event_start: usize,
    /// Where the last key ended, before its colon; for other events it is `at`.
    key_end: Option<usize>,
    open: Vec<Container>,
    expect: Expect,
    complaint: Complaint,
    /// UTF-16 units before the text.
    units: usize,
    /// Whether an event was read up to the very end of the text, which may be within it.
    ran_out: bool,
}

impl<'a> JsonReader<'a> {
    pub fn new(text: &'a str) -> Self {
        Self::complaining(text, Complaint::Stream)
    }

    /// As [`JsonReader::new`], with messages worded so.
    pub fn complaining(text: &'a str, complaint: Complaint) -> Self {
        Self { complaint, ..Self::resumed(text, Standing::default()) }
    }

    /// As [`JsonReader::new`], for the piece that follows where another reader stood.
    pub fn resumed(text: &'a str, standing: Standing) -> Self {
        let (Standing { open, expect, units }, complaint) = (standing, Complaint::Stream);
        Self { text, at: 0, event_start: 0, key_end: None, open, expect, complaint, units, ran_out: false }
    }

    /// Whether what was read since the last [`JsonReader::mark`] may read otherwise if the text goes on;
    /// `failed` says that it ended in an error.
    pub fn ran_out(&self, failed: bool) -> bool {
        self.ran_out || failed && self.at >= self.text.len()
    }

    /// The place between the event before and the one that comes next.
    pub fn mark(&mut self) -> Mark {
        self.ran_out = false;
        Mark { at: self.at, depth: self.open.len(), expect: self.expect }
    }

    /// Where it stood there.
    pub fn standing_at(mut self, mark: Mark) -> Standing {
        let units = self.units_to(mark.at);
        self.open.truncate(mark.depth);
        Standing { open: self.open, expect: mark.expect, units }
    }

    /// The next event. After an error the reader must not be asked again.
    pub fn next_event(&mut self) -> Result<Event<'a>> {
        self.key_end = None;
        loop {
            let Some(byte) = self.skip_blank()? else { return self.end_of_text() };
            self.event_start = self.at;
            match (self.expect, byte) {
                (_, b',') if !self.open.is_empty() => {
                    self.at += 1;
                    self.expect = self.after_comma();
                }
                (_, b'}') => return self.close(Container::Object),
                (_, b']') => return self.close(Container::Array),
                (Expect::Separator, _) if !self.comma_may_lack(byte) => return Err(self.no_separator()),
                (Expect::Separator | Expect::Key, _) if self.in_object() => return self.key(byte),
                _ => return self.value(byte),
            }
        }
    }

    /// UTF-16 units up to the end of the last event, where Solr says "at \[n\]"; a key ends before its colon.
    pub fn position(&self) -> usize {
        self.units_to(self.key_end.unwrap_or(self.at))
    }

    /// As [`JsonReader::position`] for a complaint about the event itself: of a string, just its quote has
    /// been read.
    pub fn position_of(&self, event: &Event<'_>) -> usize {
        match event {
            Event::Str(_) | Event::Key(_) => self.units_to(self.event_start + 1),
            _ => self.position(),
        }
    }

    fn units_to(&self, end: usize) -> usize {
        self.units + utf16_length(self.text.get(..end).unwrap_or(self.text))
    }

    /// Solr's error for a value of a type that does not fit, at the last event.
    pub fn type_mismatch(&self) -> Error {
        self.error_at("type mismatch", self.event_start)
    }

    /// Solr's error where the text goes on, with the last event, behind the one value it should hold.
    pub fn not_single(&self) -> Error {
        self.error_at("Expecting single object only.", self.event_start)
    }

    fn in_object(&self) -> bool {
        self.open.last() == Some(&Container::Object)
    }

    fn after_comma(&self) -> Expect {
        if self.in_object() { Expect::Key } else { Expect::Value }
    }

    fn after_value(&self) -> Expect {
        if self.open.is_empty() { Expect::Value } else { Expect::Separator }
    }

    /// In an object, a key may follow a value without a comma.
    fn comma_may_lack(&self, byte: u8) -> bool {
        self.in_object() && (matches!(byte, b'"' | b'\'') || self.at_word())
    }

    fn end_of_text(&mut self) -> Result<Event<'a>> {
        self.event_start = self.at;
        match (self.open.last(), self.expect) {
            (None, _) => Ok(Event::End),
            (Some(Container::Object), Expect::Key) => Err(self.error("Expected quoted string")),
            (Some(_), Expect::Separator) => Err(self.no_separator()),
            _ => Err(self.error("Premature EOF")),
        }
    }

    fn no_separator(&self) -> Error {
        self.error(if self.in_object() { "Expected ',' or '}'" } else { "Expected ',' or ']'" })
    }

    fn open(&mut self, container: Container) -> Result<Event<'a>> {
        if self.open.len() >= DEPTH_MAX {
            return Err(self.error(&format!("Nested deeper than {DEPTH_MAX}")));
        }
        self.at += 1;
        self.open.push(container);
        let object = container == Container::Object;
        self.expect = if object { Expect::Key } else { Expect::Value };
        Ok(if object { Event::ObjectStart } else { Event::ArrayStart })
    }

    fn close(&mut self, container: Container) -> Result<Event<'a>> {
        let object = container == Container::Object;
        if self.open.last() != Some(&container) {
            return Err(match self.open.is_empty() {
                true if object => self.error("Unexpected object closer }"),
                true => self.error("Unexpected array closer ]"),
                false if self.expect == Expect::Separator => self.no_separator(),
                false => self.error("JSON Parse Error"),
            });
        }
        if self.in_object() && self.expect == Expect::Value {
            return Err(self.error("JSON Parse Error"));
        }
        self.at += 1;
        self.open.pop();
        self.expect = self.after_value();
        Ok(if object { Event::ObjectEnd } else { Event::ArrayEnd })
    }

    fn key(&mut self, byte: u8) -> Result<Event<'a>> {
        let key = match byte {
            b'"' | b'\'' => self.quoted(byte)?,
            _ if self.at_word() => self.word()?,
            _ => return Err(self.error("JSON Parse Error")),
        };
        self.key_end = Some(self.at);
        match self.skip_blank()? {
            Some(b':') => self.at += 1,
            _ => return Err(self.error_here("Expected key,value separator ':'")),
        }
        self.expect = Expect::Value;
        Ok(Event::Key(key))
    }

    fn value(&mut self, byte: u8) -> Result<Event<'a>> {
        let event = match byte {
            b'{' => return self.open(Container::Object),
            b'[' => return self.open(Container::Array),
            b'"' | b'\'' => Event::Str(self.quoted(byte)?),
            b'-' | b'0'..=b'9' => self.number()?,
            b',' => return Err(self.error("Unexpected comma")),
            _ if self.at_word() => match self.word()? {
                Cow::Borrowed("true") => Event::Bool(true),
                Cow::Borrowed("false") => Event::Bool(false),
                Cow::Borrowed("null") => Event::Null,
                word => Event::Str(word),
            },
            _ => return Err(self.error("JSON Parse Error")),
        };
        self.expect = self.after_value();
        Ok(event)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Skips white space and comments; gives the byte that follows.
    fn skip_blank(&mut self) -> Result<Option<u8>> {
        loop {
            match self.byte(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'#') => self.skip_line(),
                Some(b'/') => match self.byte(self.at + 1) {
                    Some(b'/') => self.skip_line(),
                    Some(b'*') => self.skip_block(),
                    _ => {
                        self.at += 1;
                        return Err(self.error_here("Invalid comment: expected //, /*, or #"));
                    }
                },
                Some(other) => return Ok(Some(other)),
                None => {
                    self.ran_out = true;
                    return Ok(None);
                }
            }
        }
    }

    fn skip_line(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at += memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    }

    fn skip_block(&mut self) {
        let rest = self.text.get(self.at + 2..).unwrap_or_default();
        self.at = rest.find("*/").map_or(self.text.len(), |end| self.at + 2 + end + 2);
    }

    /// A string in the quotes given; `at` is on the first quote.
    fn quoted(&mut self, quote: u8) -> Result<Cow<'a, str>> {
        let text = self.text;
        let start = self.at + 1;
        let rest = text.get(start..).unwrap_or_default();
        match memchr2(quote, b'\\', rest.as_bytes()) {
            Some(end) if self.byte(start + end) == Some(quote) => {
                self.at = start + end + 1;
                Ok(Cow::Borrowed(rest.get(..end).unwrap_or_default()))
            }
            Some(_) => self.escaped(quote, start).map(Cow::Owned),
            None => Err(self.unexpected_end()),
        }
    }

    /// A string with at least one backslash; `start` is behind the quote.
    fn escaped(&mut self, quote: u8, start: usize) -> Result<String> {
        let text = self.text;
        let rest = text.get(start..).unwrap_or_default();
        let mut value = String::with_capacity(rest.len().min(256));
        let mut done = 0;
        for found in memchr2_iter(quote, b'\\', rest.as_bytes()) {
            if found < done {
                continue;
            }
            value.push_str(rest.get(done..found).unwrap_or_default());
            self.at = start + found + 1;
            if self.byte(start + found) == Some(quote) {
                return Ok(value);
            }
            let character = self.escape()?;
            value.push(character);
            done = self.at - start;
        }
        Err(self.unexpected_end())
    }

    /// What follows a backslash: a letter's control character, four hex digits, or any character for itself.
    fn escape(&mut self) -> Result<char> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(character) = rest.chars().next() else { return Err(self.unexpected_end()) };
        self.at += character.len_utf8();
        Ok(match character {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => return self.unicode(),
            other => other,
        })
    }

    /// Half a surrogate pair becomes the replacement character: a Rust string holds none.
    fn unicode(&mut self) -> Result<char> {
        let first = self.hex()?;
        if (0xD800..0xDC00).contains(&first)
            && self.text.get(self.at..).is_some_and(|it| it.starts_with("\\u"))
        {
            let before = self.at;
            self.at += 2;
            let second = self.hex()?;
            if (0xDC00..0xE000).contains(&second) {
                let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex(&mut self) -> Result<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.byte(self.at).map(char::from).and_then(|it| it.to_digit(16));
            let Some(digit) = digit else { return Err(self.error_here("invalid hex digit")) };
            code = code << 4 | digit;
            self.at += 1;
        }
        Ok(code)
    }

    /// Whether a bare word starts here.
    fn at_word(&self) -> bool {
        match self.byte(self.at) {
            Some(byte) if byte.is_ascii() => byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$'),
            Some(_) => {
                self.text.get(self.at..).and_then(|it| it.chars().next()).is_some_and(char::is_alphabetic)
            }
            None => false,
        }
    }

    fn word(&mut self) -> Result<Cow<'a, str>> {
        let text = self.text;
        let rest = text.get(self.at..).unwrap_or_default();
        let in_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '$' | '-' | '.' | '/');
        let end = rest.find(|it| !in_word(it)).unwrap_or(rest.len());
        let mut word = Cow::Borrowed(rest.get(..end).unwrap_or_default());
        self.at += end;
        while let Some(next) = self.text.get(self.at..).and_then(|it| it.chars().next()) {
            let owned = match next {
                '\\' => {
                    self.at += 1;
                    self.escape()?
                }
                _ if in_word(next) => {
                    self.at += next.len_utf8();
                    next
                }
                _ => break,
            };
            word.to_mut().push(owned);
        }
        Ok(word)
    }

    fn number(&mut self) -> Result<Event<'a>> {
        let text = self.text;
        let start = self.at;
        if self.byte(self.at) == Some(b'-') {
            self.at += 1;
        }
        let first = self.byte(self.at);
        if self.digits() == 0 {
            return Err(self.error_here("expected digit after '-'"));
        }
        let zero = if text.as_bytes().get(start) == Some(&b'-') { start + 1 } else { start };
        if first == Some(b'0') && self.at > zero + 1 {
            return Err(self.error_at("Leading zeros not allowed", zero + 1));
        }
        let real = self.fraction()?;
        self.ran_out |= self.at >= text.len();
        let written = text.get(start..self.at).unwrap_or_default();
        Ok(match (real, written.parse(), written.parse()) {
            (false, Ok(number), _) => Event::Long(number),
            (true, _, Ok(number)) if written.len() <= REAL_LENGTH_MAX => Event::Real(number),
            _ => Event::Big(written),
        })
    }

    /// The part from the point on; whether there is one.
    fn fraction(&mut self) -> Result<bool> {
        let before = self.at;
        if self.byte(self.at) == Some(b'.') {
            self.at += 1;
            self.digits();
        }
        if matches!(self.byte(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.byte(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.error_here("missing exponent number"));
            }
        }
        Ok(self.at > before)
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.byte(self.at).is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn unexpected_end(&mut self) -> Error {
        self.at = self.text.len();
        self.error_here("Unexpected EOF")
    }

    fn error(&self, message: &str) -> Error {
        self.error_at(message, self.event_start)
    }

    fn error_here(&self, message: &str) -> Error {
        self.error_at(message, self.at)
    }

    /// Solr's message: what is wrong, the character there, its position, and the text on both sides.
    fn error_at(&self, message: &str, at: usize) -> Error {
        let before = self.text.get(..at).unwrap_or(self.text);
        let after = self.text.get(at..).unwrap_or_default();
        let position = self.units + utf16_length(before);
        let mut rest = after.chars();
        let found = match (rest.next(), self.complaint) {
            (Some(character), _) => {
                let context: String = tail(before, 59).chain([character]).collect();
                let following: String = rest.take(40).collect();
                format!("char={character},position={position} AFTER='{context}' BEFORE='{following}'")
            }
            (None, Complaint::Stream) => format!("char=(EOF),position={position} AFTER=''"),
            (None, Complaint::Text) => {
                let context: String = tail(before, 60).collect();
                format!("char=(EOF),position={position} AFTER='{context}'")
            }
        };
        let complaint = match self.complaint {
            Complaint::Stream => "Cannot parse provided JSON",
            Complaint::Text => "org.noggit.JSONParser$ParseException",
        };
        Error::bad_request(format!("{complaint}: {message}: {found}")).with_root(RootCause::Json)
    }
}

/// The last `count` characters, in order.
fn tail(text: &str, count: usize) -> impl Iterator<Item = char> {
    let start = text.char_indices().rev().take(count).last().map_or(text.len(), |(at, _)| at);
    text.get(start..).unwrap_or_default().chars()
}

fn utf16_length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

#[cfg(test)]
#[path = "json_reader_tests.rs"]
mod tests;
