//! Reads javabin item by item: what holds others is an item that says how many follow, so that nobody has to
//! keep a tree. Nothing is made room for because bytes claim a size: a count above the bytes that are left is
//! an error at once.

use std::borrow::Cow;
use std::sync::Arc;

use plan::{Error, Result};

use super::{VERSION, tag};

/// One value, or the beginning of one that holds others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum JavabinToken<'a> {
    Null,
    Bool(bool),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    /// Milliseconds since the epoch.
    Date(i64),
    Bytes(&'a [u8]),
    Text(Cow<'a, str>),
    /// A text that has been read before, or will be again.
    Name(Arc<str>),
    /// This many values, or values up to [`JavabinToken::End`].
    List(Option<usize>),
    /// This many names with their values, or those up to [`JavabinToken::End`].
    Map(Option<usize>),
    /// This many fields, or documents below it.
    InputDocument(usize),
    /// A key and its value.
    Entry,
    End,
}

/// Reads one body, or one piece of it, from its start to its end.
pub(crate) struct JavabinReader<'a> {
    rest: &'a [u8],
    names: Vec<Arc<str>>,
    /// The tag of numbers that follow without one, and how many.
    untagged: Option<(u8, usize)>,
    /// Whether reading failed because the bytes ended.
    ran_out: bool,
}

/// A place between two values, to which a reader can be taken back.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    /// Bytes that follow.
    pub left: usize,
    names: usize,
}

impl<'a> JavabinReader<'a> {
    pub fn new(body: &'a [u8]) -> Self {
        Self::resumed(body, Vec::new())
    }

    /// As [`JavabinReader::new`], where the bytes before had these names.
    pub fn resumed(body: &'a [u8], names: Vec<Arc<str>>) -> Self {
        Self { rest: body, names, untagged: None, ran_out: false }
    }

    /// Whether reading failed because the bytes ended.
    pub fn ran_out(&self) -> bool {
        self.ran_out
    }

    pub fn mark(&self) -> Mark {
        Mark { left: self.rest.len(), names: self.names.len() }
    }

    /// The names that had been read there.
    pub fn names_at(mut self, mark: Mark) -> Vec<Arc<str>> {
        self.names.truncate(mark.names);
        self.names
    }

    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// The version that begins each message; names begin anew with it. Solr differs: it blames itself for
    /// another, with an error 500 (`compat/update/javabin.yaml`).
    pub fn start(&mut self) -> Result<()> {
        self.names.clear();
        match self.byte()? {
            VERSION => Ok(()),
            other => Err(Error::bad_request(format!(
                "Invalid version (expected {VERSION}, but {other}) or the data in not in 'javabin' format"
            ))),
        }
    }

    pub fn next(&mut self) -> Result<JavabinToken<'a>> {
        match self.untagged.take() {
            Some((tag, left)) if left > 0 => {
                self.untagged = Some((tag, left - 1));
                self.tagged(tag)
            }
            _ => {
                let tag = self.byte()?;
                self.tagged(tag)
            }
        }
    }

    /// The item as a name, which a map's key and a field's name are. A number stands for its digits.
    pub fn as_name(&self, item: JavabinToken<'_>) -> Result<Arc<str>> {
        Ok(match item {
            JavabinToken::Name(name) => name,
            JavabinToken::Text(text) => Arc::from(&*text),
            JavabinToken::Null => Arc::from("null"),
            JavabinToken::Bool(flag) => Arc::from(flag.to_string()),
            JavabinToken::Int(number) => Arc::from(number.to_string()),
            JavabinToken::Long(number) => Arc::from(number.to_string()),
            other => return Err(self.wrong(&format!("a name cannot be {other:?}"))),
        })
    }

    fn tagged(&mut self, tag: u8) -> Result<JavabinToken<'a>> {
        Ok(match tag & tag::KIND {
            tag::TEXT => {
                let len = self.size(tag)?;
                JavabinToken::Text(String::from_utf8_lossy(self.take(len)?))
            }
            // As Java's casts do, bits beyond are dropped.
            tag::SMALL_INT => JavabinToken::Int(self.small(tag)? as i32),
            tag::SMALL_LONG => JavabinToken::Long(self.small(tag)? as i64),
            tag::ARRAY => JavabinToken::List(Some(self.count(tag, 1)?)),
            tag::ORDERED_MAP | tag::NAMED_LIST => JavabinToken::Map(Some(self.count(tag, 2)?)),
            tag::NAME => JavabinToken::Name(self.known_name(tag)?),
            _ => return self.plain(tag),
        })
    }

    fn plain(&mut self, tag: u8) -> Result<JavabinToken<'a>> {
        Ok(match tag {
            tag::NULL => JavabinToken::Null,
            tag::TRUE => JavabinToken::Bool(true),
            tag::FALSE => JavabinToken::Bool(false),
            tag::BYTE => JavabinToken::Int(i32::from(i8::from_be_bytes(self.fixed()?))),
            tag::SHORT => JavabinToken::Int(i32::from(i16::from_be_bytes(self.fixed()?))),
            tag::INT => JavabinToken::Int(i32::from_be_bytes(self.fixed()?)),
            tag::LONG => JavabinToken::Long(i64::from_be_bytes(self.fixed()?)),
            tag::FLOAT => JavabinToken::Float(f32::from_be_bytes(self.fixed()?)),
            tag::DOUBLE => JavabinToken::Double(f64::from_be_bytes(self.fixed()?)),
            tag::DATE => JavabinToken::Date(i64::from_be_bytes(self.fixed()?)),
            tag::BYTES => {
                let len = self.variable_size()?;
                JavabinToken::Bytes(self.take(len)?)
            }
            tag::MAP => {
                let len = self.variable_size()?;
                JavabinToken::Map(Some(self.fits(len, 2)?))
            }
            // A document that was an answer is a map of its fields.
            tag::DOCUMENT => {
                let tag = self.byte()?;
                match tag & tag::KIND {
                    tag::ORDERED_MAP => JavabinToken::Map(Some(self.count(tag, 2)?)),
                    _ => return Err(self.wrong("a document has no fields")),
                }
            }
            // The facts of the query, then the documents.
            tag::DOCUMENT_LIST => JavabinToken::List(Some(2)),
            tag::ITERATOR => JavabinToken::List(None),
            tag::MAP_ENTRIES => JavabinToken::Map(None),
            tag::MAP_ENTRY => JavabinToken::Entry,
            tag::END => JavabinToken::End,
            tag::INPUT_DOCUMENT => self.input_document()?,
            tag::ENUM => self.enumerated()?,
            tag::PRIMITIVES => self.primitives()?,
            other => return Err(self.wrong(&format!("tag `{other}` is unknown"))),
        })
    }

    /// With a boost that no longer means anything.
    fn input_document(&mut self) -> Result<JavabinToken<'a>> {
        let len = self.variable_size()?;
        let len = self.fits(len, 1)?;
        match self.leaf()? {
            JavabinToken::Float(_) => Ok(JavabinToken::InputDocument(len)),
            _ => Err(self.wrong("a document has no boost before its fields")),
        }
    }

    /// The number and the name of a constant: the name is what it shows.
    fn enumerated(&mut self) -> Result<JavabinToken<'a>> {
        match (self.leaf()?, self.leaf()?) {
            (JavabinToken::Int(_), name @ (JavabinToken::Text(_) | JavabinToken::Null)) => Ok(name),
            _ => Err(self.wrong("a constant is a number and a name")),
        }
    }

    fn primitives(&mut self) -> Result<JavabinToken<'a>> {
        let (tag, len) = (self.byte()?, self.variable_size()?);
        if !(tag::BYTE..=tag::FLOAT).contains(&tag) {
            return Err(self.wrong(&format!("there is no list of tag `{tag}`")));
        }
        let len = self.fits(len, 1)?;
        self.untagged = Some((tag, len));
        Ok(JavabinToken::List(Some(len)))
    }

    /// A part of a value, which holds nothing itself: however such parts are strung together, nothing
    /// recurses.
    fn leaf(&mut self) -> Result<JavabinToken<'a>> {
        let tag = self.byte()?;
        match (tag & tag::KIND, tag) {
            (tag::TEXT | tag::SMALL_INT, _) | (_, tag::NULL | tag::INT | tag::FLOAT) => self.tagged(tag),
            _ => Err(self.wrong(&format!("tag `{tag}` is out of place"))),
        }
    }

    fn known_name(&mut self, tag: u8) -> Result<Arc<str>> {
        let number = self.size(tag)?;
        let Some(at) = number.checked_sub(1) else {
            let JavabinToken::Text(text) = self.leaf()? else { return Err(self.wrong("a name is no text")) };
            let name: Arc<str> = Arc::from(&*text);
            self.names.push(name.clone());
            return Ok(name);
        };
        let name = self.names.get(at).cloned();
        name.ok_or_else(|| self.wrong(&format!("name `{number}` has not been told")))
    }

    fn byte(&mut self) -> Result<u8> {
        self.fixed::<1>().map(|[byte]| byte)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some((taken, rest)) = self.rest.split_first_chunk() else { return Err(self.ends_early()) };
        self.rest = rest;
        Ok(*taken)
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let Some((taken, rest)) = self.rest.split_at_checked(len) else { return Err(self.ends_early()) };
        self.rest = rest;
        Ok(taken)
    }

    /// How many values follow, each of this many bytes at least.
    fn count(&mut self, tag: u8, bytes_min: usize) -> Result<usize> {
        let count = self.size(tag)?;
        self.fits(count, bytes_min)
    }

    fn fits(&mut self, count: usize, bytes_min: usize) -> Result<usize> {
        if count > self.rest.len() / bytes_min { Err(self.ends_early()) } else { Ok(count) }
    }

    /// Of a text or a list: five bits, and what goes beyond in more bytes.
    fn size(&mut self, tag: u8) -> Result<usize> {
        match usize::from(tag & 0x1f) {
            0x1f => self.variable_size()?.checked_add(0x1f).ok_or_else(|| self.ends_early()),
            size => Ok(size),
        }
    }

    fn variable_size(&mut self) -> Result<usize> {
        usize::try_from(self.variable()?).map_err(|_| self.ends_early())
    }

    /// Of a number: four bits, a fifth tells whether there are more.
    fn small(&mut self, tag: u8) -> Result<u64> {
        let low = u64::from(tag & 0x0f);
        Ok(if tag & 0x10 == 0 { low } else { self.variable()? << 4 | low })
    }

    /// Seven bits a byte, the lowest first.
    fn variable(&mut self) -> Result<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.wrong("a number has more than ten bytes"))
    }

    pub fn wrong(&self, message: &str) -> Error {
        Error::bad_request(format!(
            "cannot read javabin: {message}, {} bytes before the end",
            self.rest.len()
        ))
    }

    fn ends_early(&mut self) -> Error {
        self.ran_out = true;
        Error::bad_request("cannot read javabin: the body ends before what it announces; send it again")
    }
}
