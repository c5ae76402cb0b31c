//! `cursorMark`: `*`, or the values of a hit's sort keys in Solr's own notation, base64 of a javabin array, so that marks of
//! either server mean the same to the other. What may be paged through by marks is decided here too.
//! Javabin as of Solr 9.10.1: a version byte, then tagged values; the tags of texts, arrays and small numbers hold their
//! first bits. Messages are Solr's.

use plan::{Cursor, Error, FieldClass, Mark, Result, Schema, SortBy, SortKey, Value};

use crate::update::decode_base64;

/// The mark before all hits.
const START: &str = "*";

const VERSION: u8 = 2;
const NULL: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const DOUBLE: u8 = 5;
const INT: u8 = 6;
const LONG: u8 = 7;
const FLOAT: u8 = 8;
/// Tags whose lower five bits begin a number.
const TEXT: u8 = 1 << 5;
const SMALL_INT: u8 = 2 << 5;
const SMALL_LONG: u8 = 3 << 5;
const ARRAY: u8 = 4 << 5;

/// The cursor that a request asks for.
pub(super) fn parse_cursor(mark: &str, schema: &Schema, sort: &[SortKey], start: usize) -> Result<Cursor> {
    let refused = |message: &str| Err(Error::bad_request(message));
    if start != 0 {
        return refused("Cursor functionality requires start=0");
    }
    let Some(key) = &schema.unique_key else {
        return refused(
            "Cursor functionality is not available unless the IndexSchema defines a uniqueKey field",
        );
    };
    if !sort.iter().any(|one| matches!(&one.by, SortBy::Field(name) if name == key)) {
        return refused("Cursor functionality requires a sort containing a uniqueKey field tie breaker");
    }
    if sort.iter().any(|one| one.by == SortBy::IndexOrder) {
        return refused("Cursor functionality can not be used with internal doc ordering sort: _docid_");
    }
    if mark == START {
        return Ok(Cursor { after: None });
    }
    let values = read_mark(mark)?;
    if values.len() != sort.len() {
        return refused(&format!("cursorMark does not work with current sort (wrong size): {mark}"));
    }
    let keys = sort.iter().zip(values);
    let typed = keys.map(|(key, value)| value.map(|value| typed(mark, schema, key, value)).transpose());
    Ok(Cursor { after: Some(typed.collect::<Result<_>>()?) })
}

/// A value as its key has it. Solr differs: a value of another type is its error 500 (`compat/query/cursor.yaml`).
fn typed(mark: &str, schema: &Schema, key: &SortKey, value: Value) -> Result<Value> {
    let class = match &key.by {
        SortBy::Field(name) => schema.field(name).map(|spec| spec.class()),
        _ => None,
    };
    let number =
        |is: bool| is && matches!(value, Value::Int(_) | Value::Long(_) | Value::Float(_) | Value::Double(_));
    let fits = match class {
        None => number(true),
        Some(class) if class.is_point() => number(true),
        Some(_) => matches!(value, Value::Str(_)),
    };
    match (class, value) {
        (Some(FieldClass::Bool), Value::Str(text)) => Ok(Value::Bool(text == "T")),
        (_, value) if fits => Ok(value),
        _ => Err(Error::bad_request(format!(
            "cursorMark does not work with current sort (a value of another type): {mark}"
        ))),
    }
}

fn read_mark(mark: &str) -> Result<Mark> {
    let read = || match decode_base64(mark).ok()?.split_first()? {
        (&VERSION, rest) => Reader { rest }.array(),
        _ => None,
    };
    read().ok_or_else(|| {
        Error::bad_request(format!(
            "Unable to parse 'cursorMark' after totem: value must either be '*' or the 'nextCursorMark' \
             returned by a previous search: {mark}"
        ))
    })
}

/// Reads javabin; `None` where the bytes end early or hold what no mark has.
struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn array(&mut self) -> Option<Mark> {
        let tag = self.byte()?;
        let len = self.size(tag)?;
        // Every value takes a byte or more.
        if tag & 0xe0 != ARRAY || len > self.rest.len() {
            return None;
        }
        (0..len).map(|_| self.value()).collect()
    }

    fn value(&mut self) -> Option<Option<Value>> {
        let tag = self.byte()?;
        Some(Some(match tag & 0xe0 {
            TEXT => {
                let len = self.size(tag)?;
                Value::Str(String::from_utf8(self.take(len)?.to_vec()).ok()?)
            }
            SMALL_INT => Value::Int(self.small(tag)? as i32),
            SMALL_LONG => Value::Long(self.small(tag)? as i64),
            _ => match tag {
                NULL => return Some(None),
                TRUE => Value::Bool(true),
                FALSE => Value::Bool(false),
                DOUBLE => Value::Double(f64::from_be_bytes(self.fixed()?)),
                INT => Value::Int(i32::from_be_bytes(self.fixed()?)),
                LONG => Value::Long(i64::from_be_bytes(self.fixed()?)),
                FLOAT => Value::Float(f32::from_be_bytes(self.fixed()?)),
                _ => return None,
            },
        }))
    }

    fn byte(&mut self) -> Option<u8> {
        self.fixed::<1>().map(|[byte]| byte)
    }

    fn fixed<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*taken)
    }

    fn take(&mut self, len: usize) -> Option<&[u8]> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }

    /// Of a text or an array: five bits, and what goes beyond in more bytes.
    fn size(&mut self, tag: u8) -> Option<usize> {
        let size = u64::from(tag & 0x1f);
        let size = if size == 0x1f { size.checked_add(self.variable()?)? } else { size };
        usize::try_from(size).ok()
    }

    /// Of a number: four bits, a fifth tells whether there are more.
    fn small(&mut self, tag: u8) -> Option<u64> {
        let low = u64::from(tag & 0x0f);
        Some(if tag & 0x10 == 0 { low } else { self.variable()? << 4 | low })
    }

    /// Seven bits a byte, the lowest first.
    fn variable(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

/// The mark that a request began behind: what the answer gives back when nothing is behind it.
pub(super) fn mark_sent(cursor: &Cursor) -> String {
    cursor.after.as_ref().map_or_else(|| START.to_owned(), write_mark)
}

/// A mark as a client gets it.
pub(crate) fn write_mark(mark: &Mark) -> String {
    let mut out = vec![VERSION];
    write_size(ARRAY, mark.len(), &mut out);
    mark.iter().for_each(|value| write_value(value.as_ref(), &mut out));
    Value::Bytes(out).to_text()
}

fn write_value(value: Option<&Value>, out: &mut Vec<u8>) {
    let tagged = |tag: u8, bytes: &[u8], out: &mut Vec<u8>| {
        out.push(tag);
        out.extend_from_slice(bytes);
    };
    match value {
        None | Some(Value::Bytes(_)) => out.push(NULL),
        Some(Value::Str(text)) => write_text(text, out),
        // Solr sorts them as texts.
        Some(Value::Bool(flag)) => write_text(if *flag { "T" } else { "F" }, out),
        Some(Value::Float(number)) => tagged(FLOAT, &number.to_be_bytes(), out),
        Some(Value::Double(number)) => tagged(DOUBLE, &number.to_be_bytes(), out),
        Some(Value::Int(number)) => match u64::try_from(*number) {
            Ok(small) if small > 0 => write_small(SMALL_INT, small, out),
            _ => tagged(INT, &number.to_be_bytes(), out),
        },
        Some(Value::Long(number) | Value::Date(number)) => match u64::try_from(*number) {
            Ok(small) if small >> 56 == 0 => write_small(SMALL_LONG, small, out),
            _ => tagged(LONG, &number.to_be_bytes(), out),
        },
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    write_size(TEXT, text.len(), out);
    out.extend_from_slice(text.as_bytes());
}

fn write_size(tag: u8, size: usize, out: &mut Vec<u8>) {
    match u8::try_from(size) {
        Ok(small) if small < 0x1f => out.push(tag | small),
        _ => {
            out.push(tag | 0x1f);
            write_variable(size as u64 - 0x1f, out);
        }
    }
}

fn write_small(tag: u8, number: u64, out: &mut Vec<u8>) {
    let low = tag | (number & 0x0f) as u8;
    if number < 0x0f {
        out.push(low);
    } else {
        out.push(low | 0x10);
        write_variable(number >> 4, out);
    }
}

fn write_variable(mut number: u64, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks recorded from Solr 9.10.1.
    #[test]
    fn marks_are_solrs() {
        let check = |mark: Mark, expected: &str| {
            assert_eq!(write_mark(&mark), expected);
            let read: Mark = mark
                .into_iter()
                .map(|value| match value {
                    Some(Value::Bool(flag)) => Some(Value::Str(if flag { "T" } else { "F" }.into())),
                    Some(Value::Date(ms)) => Some(Value::Long(ms)),
                    other => other,
                })
                .collect();
            assert_eq!(read_mark(expected).unwrap(), read, "{expected}");
        };
        let text = |text: &str| Some(Value::Str(text.into()));
        check(vec![text("b12")], "AoEjYjEy");
        check(vec![Some(Value::Int(64)), text("b7")], "AoJQBCJiNw==");
        check(vec![Some(Value::Float(f32::from_bits(0x3f10_428f))), text("b1")], "AoIIPxBCjyJiMQ==");
        check(vec![Some(Value::Date(1_279_137_600_000)), text("b5")], "AoJwoNqi6akCImI1");
        check(vec![Some(Value::Bool(true)), Some(Value::Float(12.0)), text("b4")], "AoMhVAhBQAAAImI0");
        check(vec![None, Some(Value::Float(9.5)), text("b5")], "AoMACEEYAAAiYjU=");
        check(
            vec![Some(Value::Int(-1)), Some(Value::Double(0.5)), Some(Value::Long(-1))],
            "AoMG/////wU/4AAAAAAAAAf//////////w==",
        );
        check(vec![text(&"x".repeat(40))], &write_mark(&vec![text(&"x".repeat(40))]));
    }

    #[test]
    fn what_is_no_mark_is_refused() {
        for mark in [
            "",
            "nonsense",
            "AoE=",
            "AoEF",
            "Ag==",
            "AiNiMTI=",
            "AYEjYjEy",
            "!!!",
            "Ap//////////",
            "Aj/////////////////w==",
        ] {
            assert!(read_mark(mark).is_err(), "{mark}");
        }
    }
}
