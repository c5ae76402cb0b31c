//! A CBOR body of `/update` (RFC 8949): a document, or a list of them, or several of either. A document is a
//! map; maps in it are documents below it, or modifiers. Tags say nothing here, but for texts that are sent
//! once (the extension of string references). Solr differs: it takes modifiers for documents
//! (`compat/update/cbor.yaml`).

use std::sync::Arc;

use minicbor::data::Type;
use minicbor::decode::{Decoder, Error as CborError};
use plan::{Error, Result};

use crate::response::numbered_bytes_min;
use crate::update::binary_bounds::Bounds;
use crate::update::chunk::ContentChunk;
use crate::update::command::{AddCommand, CommitWithin, Names, RawDocument, RawValue, UpdateCommand};
use crate::update::options::UpdateOptions;

/// Begins what has a numbering of texts of its own.
const NAMESPACE: u64 = 256;
/// Before the number of a text.
const REFERENCE: u64 = 25;

/// Where a body stands between two of its pieces: between documents.
#[derive(Clone, Debug, Default)]
pub struct Resume {
    names: Names,
    /// The texts that have numbers, where texts have.
    told: Option<Vec<Arc<str>>>,
    /// Of a list of documents, how many follow: `Some(None)` where a break ends it.
    list: Option<Option<u64>>,
}

/// Decodes documents into `commands`, which keeps those read before an error. Gives the bytes that are done
/// with: a document that runs out of the piece is read again with the next.
pub fn decode(
    piece: ContentChunk<'_, [u8]>,
    resume: &mut Resume,
    options: &UpdateOptions,
    commands: &mut Vec<UpdateCommand>,
) -> Result<usize> {
    let body = piece.content;
    let from = Decoder::new(body);
    let bounds = Bounds::of(body);
    let Resume { names, told, list } = std::mem::take(resume);
    let mut reader = CborReader { from, bounds, names, told, outer: None, list, ran_out: false };
    loop {
        reader.outer = None;
        // All that a document may change before it runs out of the piece: it is put back so, and read again
        // whole.
        let before = (reader.from.position(), reader.told.as_ref().map(Vec::len), reader.list);
        if before.0 >= body.len() && (before.2.is_none() || !piece.is_last) {
            *resume = Resume { names: reader.names, told: reader.told, list: reader.list };
            return Ok(before.0);
        }
        match reader.step() {
            Ok(None) => {}
            Ok(Some(document)) => commands.push(UpdateCommand::Add(AddCommand {
                document,
                overwrite: !options.no_overwrite,
                commit_within: CommitWithin::default(),
            })),
            // Only for want of bytes: what is malformed stays so, however much follows.
            Err(_) if !piece.is_last && reader.ran_out => {
                let (at, count, list) = before;
                let told = as_before(reader.outer.unwrap_or(reader.told), count);
                *resume = Resume { names: reader.names, told, list };
                return Ok(at);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Without the texts that were kept because there were so many others.
fn as_before(told: Option<Vec<Arc<str>>>, count: Option<usize>) -> Option<Vec<Arc<str>>> {
    let (mut told, count) = (told?, count?);
    told.truncate(count);
    Some(told)
}

struct CborReader<'a> {
    from: Decoder<'a>,
    bounds: Bounds,
    names: Names,
    told: Option<Vec<Arc<str>>>,
    /// What had been kept before the document at hand began to number anew.
    outer: Option<Option<Vec<Arc<str>>>>,
    list: Option<Option<u64>>,
    /// Whether reading failed because the bytes ended.
    ran_out: bool,
}

impl<'a> CborReader<'a> {
    /// A document, or the beginning or the end of a list of them. What is neither says nothing, as in Solr.
    fn step(&mut self) -> Result<Option<RawDocument>> {
        let list = self.list;
        match list {
            None => self.top(),
            Some(Some(0)) => {
                self.list = None;
                Ok(None)
            }
            Some(None) if self.kind()? == Type::Break => {
                self.pass_break();
                self.list = None;
                Ok(None)
            }
            Some(left) => {
                self.list = Some(left.map(|left| left - 1));
                self.document()
            }
        }
    }

    fn top(&mut self) -> Result<Option<RawDocument>> {
        // A numbering ends with the item that its tag stands before.
        self.told = None;
        self.pass_tags()?;
        match self.kind()? {
            Type::Array | Type::ArrayIndef => {
                self.list = Some(self.read(Decoder::array)?);
                Ok(None)
            }
            _ => self.document(),
        }
    }

    fn document(&mut self) -> Result<Option<RawDocument>> {
        Ok(match self.value(0)? {
            RawValue::Map(fields) => Some(RawDocument { fields }),
            _ => None,
        })
    }

    fn pass_break(&mut self) {
        let past = self.from.position() + 1;
        self.from.set_position(past);
    }

    fn kind(&mut self) -> Result<Type> {
        self.from.datatype().map_err(|error| self.unreadable(&error))
    }

    fn read<T>(&mut self, read: impl FnOnce(&mut Decoder<'a>) -> Result<T, CborError>) -> Result<T> {
        read(&mut self.from).map_err(|error| self.unreadable(&error))
    }

    /// Solr differs: it blames itself, with an error 500 (`compat/update/cbor.yaml`).
    fn unreadable(&mut self, error: &CborError) -> Error {
        self.ran_out = error.is_end_of_input();
        Error::bad_request(format!("cannot read CBOR: {error}"))
    }

    /// Up to the end of what holds this many, or to a break.
    fn each(&mut self, mut left: Option<u64>, mut take: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        while left != Some(0) {
            if left.is_none() && self.kind()? == Type::Break {
                self.pass_break();
                return Ok(());
            }
            left = left.map(|left| left - 1);
            take(self)?;
        }
        Ok(())
    }

    /// Whether what follows is the number of a text.
    fn pass_tags(&mut self) -> Result<bool> {
        while self.kind()? == Type::Tag {
            match self.read(Decoder::tag)?.as_u64() {
                NAMESPACE => {
                    let outer = self.told.replace(Vec::new());
                    // The first only: a document that is taken back must find the numbering that held before
                    // it.
                    self.outer.get_or_insert(outer);
                }
                REFERENCE => return Ok(true),
                _ => {}
            }
        }
        Ok(false)
    }

    /// Recurses, within bounds.
    fn value(&mut self, depth: usize) -> Result<RawValue> {
        self.bounds.value(depth)?;
        if self.pass_tags()? {
            let text = self.referred()?;
            return Ok(RawValue::Str(self.bounds.repeated(&text)?));
        }
        Ok(match self.kind()? {
            Type::Bool => RawValue::Bool(self.read(Decoder::bool)?),
            Type::Null => self.read(Decoder::null).map(|()| RawValue::Null)?,
            Type::Undefined => self.read(Decoder::undefined).map(|()| RawValue::Null)?,
            Type::F16 => RawValue::Float(self.read(Decoder::f16)?),
            Type::F32 => RawValue::Float(self.read(Decoder::f32)?),
            Type::F64 => RawValue::Double(self.read(Decoder::f64)?),
            Type::Bytes | Type::BytesIndef => RawValue::Bytes(self.bytes()?),
            Type::String | Type::StringIndef => RawValue::Str(self.text()?),
            Type::Array | Type::ArrayIndef => {
                let (len, mut values) = (self.read(Decoder::array)?, Vec::new());
                self.each(len, |reader| {
                    values.push(reader.value(depth + 1)?);
                    Ok(())
                })?;
                RawValue::List(values)
            }
            Type::Map | Type::MapIndef => {
                let (len, mut fields) = (self.read(Decoder::map)?, Vec::new());
                self.each(len, |reader| {
                    let name = reader.name(depth + 1)?;
                    fields.push((name, reader.value(depth + 1)?));
                    Ok(())
                })?;
                RawValue::Map(fields)
            }
            Type::Simple => RawValue::Long(i64::from(self.read(Decoder::simple)?)),
            Type::Break | Type::Tag | Type::Unknown(_) => {
                return Err(Error::bad_request(format!(
                    "cannot read CBOR: no value begins at byte {}",
                    self.from.position()
                )));
            }
            _ => self.whole()?,
        })
    }

    /// What no long holds is a text, which fields refuse in their own words.
    fn whole(&mut self) -> Result<RawValue> {
        let number = i128::from(self.read(Decoder::int)?);
        Ok(i64::try_from(number).map_or_else(|_| RawValue::Str(number.to_string()), RawValue::Long))
    }

    /// A key; a number stands for its digits.
    fn name(&mut self, depth: usize) -> Result<Arc<str>> {
        if self.pass_tags()? {
            return self.referred();
        }
        match self.kind()? {
            Type::String | Type::StringIndef => {
                let text = self.text()?;
                Ok(self.names.intern(&text))
            }
            _ => Ok(Arc::from(self.value(depth)?.to_text())),
        }
    }

    fn referred(&mut self) -> Result<Arc<str>> {
        let number = self.read(Decoder::u32)?;
        let told = self.told.as_ref().and_then(|told| told.get(number as usize)).cloned();
        told.ok_or_else(|| Error::bad_request(format!("cannot read CBOR: text `{number}` has not been told")))
    }

    /// In one part, where it may get a number, or in several.
    fn text(&mut self) -> Result<String> {
        if self.kind()? == Type::StringIndef {
            return self.read(|from| from.str_iter()?.collect::<Result<String, _>>());
        }
        let text = self.read(Decoder::str)?;
        self.tell(text.len(), || Arc::from(text));
        Ok(text.to_owned())
    }

    fn bytes(&mut self) -> Result<Vec<u8>> {
        if self.kind()? == Type::BytesIndef {
            let parts = self.read(|from| from.bytes_iter()?.collect::<Result<Vec<_>, _>>())?;
            return Ok(parts.concat());
        }
        let bytes = self.read(Decoder::bytes)?;
        self.tell(bytes.len(), || Arc::from(RawValue::Bytes(bytes.to_vec()).to_text()));
        Ok(bytes.to_vec())
    }

    fn tell(&mut self, len: usize, text: impl FnOnce() -> Arc<str>) {
        if let Some(told) = &mut self.told
            && len >= numbered_bytes_min(told.len())
        {
            told.push(text());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::update::testing::documents;

    fn show(body: &[u8]) -> String {
        let mut commands = Vec::new();
        let (piece, mut resume) = (ContentChunk::whole(body), Resume::default());
        let failure = decode(piece, &mut resume, &UpdateOptions::default(), &mut commands).err();
        documents(&commands, failure)
    }

    #[test]
    fn maps_become_documents() {
        let check = |body: &[u8], expected: &str| assert_eq!(show(body), expected, "{body:02x?}");
        check(b"", "");
        check(b"\xa1\x62id\x61a", "{id=a}");
        check(b"\x82\xa1\x62id\x61a\xa1\x62id\x05", "{id=a}; {id=5}");
        check(b"\xa1\x62id\x61a\x81\xa1\x62id\x61b", "{id=a}; {id=b}");
        check(b"\x05\x81\x05\xf6", "");
        check(b"\x9f\xbf\x62id\x7f\x61a\x61b\xff\xff\xff", "{id=ab}");
        check(
            b"\xa1\x61n\x86\xf9\x3e\x00\xfa\x3d\xcc\xcc\xcd\xfb\x3f\xf8\0\0\0\0\0\0\xf5\xf6\x20",
            "{n=[1.5, 0.1, 1.5, true, null, -1]}",
        );
        check(b"\xa1\x61n\x1b\xff\xff\xff\xff\xff\xff\xff\xff", "{n=18446744073709551615}");
        check(b"\xa1\x61n\xa1\x63inc\x02", "{n={inc=2}}");
        check(b"\xa2\x05\x06\x61b\x43\x01\x02\x03", "{5=6, b=AQID}");
        check(b"\xd9\x01\x00\x82\xa1\x64name\x63abc\xa1\xd8\x19\x00\xd8\x19\x01", "{name=abc}; {name=abc}");
    }

    #[test]
    fn what_a_body_claims_costs_nothing() {
        let check = |body: &[u8], expected: &str| {
            let found = show(body);
            assert!(found.starts_with("!") && found.contains(expected), "{body:02x?}: {found}");
        };
        check(b"\xff\xff", "no value begins at byte 0");
        check(b"\xa1\x62id", "cannot read CBOR: end of input");
        check(b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff", "end of input");
        check(b"\xbb\x7f\xff\xff\xff\xff\xff\xff\xff", "end of input");
        check(b"\x7b\x7f\xff\xff\xff\xff\xff\xff\xff", "end of input");
        check(b"\xa1\x61n\x5b\x7f\xff\xff\xff\xff\xff\xff\xff", "end of input");
        check(b"\xa1\xd8\x19\x07\x05", "text `7` has not been told");
        check(&[0x81; 10_000], "nest deeper");
        check(&[0xd8; 10_001], "cannot read CBOR");
        let keys = [&[0xa1; 10_000][..], &[0x05; 10_000][..]].concat();
        check(&keys, "nest deeper");
    }
}
