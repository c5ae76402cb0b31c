//! `cursorMark`: `*`, or the values of a hit's sort keys in Solr's own notation, base64 of a javabin array,
//! so that marks of either server mean the same to the other. What may be paged through by marks is decided
//! here too. Messages are Solr's.

use plan::{Cursor, CursorMark, Error, FieldClass, Result, Schema, SortBy, SortKey, Value};

use crate::javabin::{Encoder, JavabinReader, JavabinToken};
use crate::update::decode_base64;

/// The mark before all hits.
const START: &str = "*";

/// The cursor that a request asks for.
pub(super) fn parse_cursor(mark: &str, schema: &Schema, sort: &[SortKey], start: usize) -> Result<Cursor> {
    let refused = |message: &str| Err(Error::bad_request(message));
    // A mark is the place to go on at; an offset from it would skip hits that no page ever shows.
    if start != 0 {
        return refused("Cursor functionality requires start=0");
    }
    let Some(key) = &schema.unique_key else {
        return refused(
            "Cursor functionality is not available unless the IndexSchema defines a uniqueKey field",
        );
    };
    // Without a key that no two documents share, hits that tie at the edge of a page would be lost or shown
    // twice.
    if !sort.iter().any(|one| matches!(&one.by, SortBy::Field(name) if name == key)) {
        return refused("Cursor functionality requires a sort containing a uniqueKey field tie breaker");
    }
    // Numbers of documents change with every merge, and a mark outlives many.
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

/// A value as its key has it. Solr differs: a value of another type is its error 500
/// (`compat/query/cursor.yaml`).
fn typed(mark: &str, schema: &Schema, key: &SortKey, value: Value) -> Result<Value> {
    let class = match &key.by {
        SortBy::Field(name) | SortBy::Picked { field: name, .. } => {
            schema.field(name).map(|spec| spec.class())
        }
        _ => None,
    };
    let number =
        |is: bool| is && matches!(value, Value::Int(_) | Value::Long(_) | Value::Float(_) | Value::Double(_));
    let fits = match class {
        None => number(true),
        Some(class) if class.has_number_column() => number(true),
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

fn read_mark(mark: &str) -> Result<CursorMark> {
    let values = decode_base64(mark).and_then(|bytes| values(&bytes));
    values.map_err(|_| {
        Error::bad_request(format!(
            "Unable to parse 'cursorMark' after totem: value must either be '*' or the 'nextCursorMark' \
             returned by a previous search: {mark}"
        ))
    })
}

fn values(bytes: &[u8]) -> Result<CursorMark> {
    let mut reader = JavabinReader::new(bytes);
    reader.start()?;
    let JavabinToken::List(Some(len)) = reader.next()? else { return Err(reader.wrong("a mark is a list")) };
    (0..len).map(|_| value(&mut reader)).collect()
}

fn value(reader: &mut JavabinReader<'_>) -> Result<Option<Value>> {
    Ok(Some(match reader.next()? {
        JavabinToken::Null => return Ok(None),
        JavabinToken::Text(text) => Value::Str(text.into_owned()),
        JavabinToken::Bool(flag) => Value::Bool(flag),
        JavabinToken::Int(number) => Value::Int(number),
        JavabinToken::Long(number) => Value::Long(number),
        JavabinToken::Float(number) => Value::Float(number),
        JavabinToken::Double(number) => Value::Double(number),
        other => return Err(reader.wrong(&format!("no mark holds {other:?}"))),
    }))
}

/// The mark that a request began behind: what the answer gives back when nothing is behind it.
pub(super) fn mark_sent(cursor: &Cursor) -> String {
    cursor.after.as_ref().map_or_else(|| START.to_owned(), write_mark)
}

/// A mark as a client gets it.
pub(crate) fn write_mark(mark: &CursorMark) -> String {
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out);
    encoder.array(mark.len());
    mark.iter().for_each(|value| write_value(value.as_ref(), &mut encoder));
    Value::Bytes(out).to_text()
}

fn write_value(value: Option<&Value>, encoder: &mut Encoder<'_>) {
    match value {
        // A missing value is a place in the order too: marks can stand among documents without one.
        None | Some(Value::Bytes(_)) => encoder.null(),
        Some(Value::Str(text)) => encoder.text(text),
        // Solr sorts them as texts.
        Some(Value::Bool(flag)) => encoder.text(if *flag { "T" } else { "F" }),
        Some(Value::Float(number)) => encoder.float(*number),
        Some(Value::Double(number)) => encoder.double(*number),
        Some(Value::Int(number)) => encoder.int(*number),
        Some(Value::Enum(value)) => encoder.int(value.ordinal),
        Some(Value::Long(number) | Value::Date(number)) => encoder.long(*number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks recorded from Solr 9.10.1.
    #[test]
    fn marks_are_solrs() {
        let check = |mark: CursorMark, expected: &str| {
            assert_eq!(write_mark(&mark), expected);
            let read: CursorMark = mark
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
