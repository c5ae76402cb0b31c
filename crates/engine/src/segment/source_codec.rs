//! The stored form of a document: its version and every field that can be given back, in one compact byte
//! string.
//!
//! Fields go by their number in the layout, which never changes meaning. Written once per document by
//! `prepare`, kept by tantivy's document store, read by hits, real-time get and atomic updates. Reading never
//! panics: bytes that are not a source are an error of kind `DataLoss`.
//!
//! Layout: format byte 1, version as 8 bytes little-endian, then per field: slot, value count, tag of the
//! values' type, the values. Numbers are LEB128, signed ones zigzag; strings and bytes are length-prefixed;
//! reals are 4 or 8 bytes.

use plan::{EnumValue, Error, ErrorKind, Value};

use crate::bytes::{ByteReader, put_signed, put_unsigned};

const FORMAT: u8 = 1;
const VERSION_AT: usize = 1;
const HEADER_BYTES: usize = 9;

/// Begins a source in place of what `bytes` held; [`push_field`] adds to it and [`set_version`] completes it.
pub(crate) fn begin(bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.push(FORMAT);
    bytes.extend_from_slice(&0i64.to_le_bytes());
}

/// Writes the version, which is known only once the update has its place in the log.
pub(crate) fn set_version(bytes: &mut [u8], version: i64) {
    if let Some(place) = bytes.get_mut(VERSION_AT..HEADER_BYTES) {
        place.copy_from_slice(&version.to_le_bytes());
    }
}

/// Adds a field with its values, which are all of one type; others are left out.
pub(crate) fn push_field<'v>(
    bytes: &mut Vec<u8>,
    slot: u32,
    values: impl Iterator<Item = &'v Value> + Clone,
) {
    let Some(first) = values.clone().next() else { return };
    let tag = tag_of(first);
    let values = values.filter(|value| tag_of(value) == tag);
    put_unsigned(bytes, u64::from(slot));
    put_unsigned(bytes, values.clone().count() as u64);
    bytes.push(tag);
    values.for_each(|value| push_value(bytes, value));
}

/// The tag of a value's type, shared with the log's encoding.
pub(crate) fn tag_of(value: &Value) -> u8 {
    match value {
        Value::Str(_) => 0,
        Value::Int(_) => 1,
        Value::Long(_) => 2,
        Value::Float(_) => 3,
        Value::Double(_) => 4,
        Value::Bool(_) => 5,
        Value::Date(_) => 6,
        Value::Bytes(_) => 7,
        Value::Enum(_) => 8,
    }
}

/// A value without its tag.
pub(crate) fn push_value(bytes: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Str(text) => {
            put_unsigned(bytes, text.len() as u64);
            bytes.extend_from_slice(text.as_bytes());
        }
        Value::Enum(value) => {
            put_signed(bytes, i64::from(value.ordinal));
            put_unsigned(bytes, value.name.len() as u64);
            bytes.extend_from_slice(value.name.as_bytes());
        }
        Value::Bytes(content) => {
            put_unsigned(bytes, content.len() as u64);
            bytes.extend_from_slice(content);
        }
        Value::Int(number) => put_signed(bytes, i64::from(*number)),
        Value::Long(number) | Value::Date(number) => put_signed(bytes, *number),
        Value::Float(number) => bytes.extend_from_slice(&number.to_le_bytes()),
        Value::Double(number) => bytes.extend_from_slice(&number.to_le_bytes()),
        Value::Bool(flag) => bytes.push(u8::from(*flag)),
    }
}

/// Reads a value of the type that `tag` names.
pub(crate) fn take_value(reader: &mut ByteReader<'_>, tag: u8) -> Option<Value> {
    Some(match tag {
        0 => Value::Str(reader.text()?.to_owned()),
        1 => Value::Int(i32::try_from(reader.signed()?).ok()?),
        2 => Value::Long(reader.signed()?),
        3 => Value::Float(f32::from_le_bytes(reader.array()?)),
        4 => Value::Double(f64::from_le_bytes(reader.array()?)),
        5 => Value::Bool(reader.byte()? != 0),
        6 => Value::Date(reader.signed()?),
        7 => Value::Bytes(reader.slice()?.to_vec()),
        8 => {
            let ordinal = i32::try_from(reader.signed()?).ok()?;
            Value::Enum(EnumValue { ordinal, name: reader.text()?.into() })
        }
        _ => return None,
    })
}

/// Passes over a value without making it.
fn skip_value(reader: &mut ByteReader<'_>, tag: u8) -> Option<()> {
    match tag {
        0 | 7 => reader.slice().map(drop),
        1 | 2 | 6 => reader.signed().map(drop),
        3 => reader.array::<4>().map(drop),
        4 => reader.array::<8>().map(drop),
        5 => reader.byte().map(drop),
        8 => reader.signed().and_then(|_| reader.slice()).map(drop),
        _ => None,
    }
}

/// The version in a source's head.
pub(crate) fn version(bytes: &[u8]) -> Result<i64, Error> {
    let place = bytes.get(VERSION_AT..HEADER_BYTES).and_then(|place| place.try_into().ok());
    match (bytes.first(), place) {
        (Some(&FORMAT), Some(place)) => Ok(i64::from_le_bytes(place)),
        _ => Err(damaged()),
    }
}

/// Calls `take` with each field that `wanted` accepts, in stored order.
pub(crate) fn fields(
    bytes: &[u8],
    mut wanted: impl FnMut(u32) -> bool,
    mut take: impl FnMut(u32, Vec<Value>),
) -> Result<(), Error> {
    version(bytes)?;
    let mut reader = ByteReader::new(bytes.get(HEADER_BYTES..).unwrap_or_default());
    while !reader.is_empty() {
        let slot = next_field(&mut reader, &mut wanted).ok_or_else(damaged)?;
        if let (slot, Some(values)) = slot {
            take(slot, values);
        }
    }
    Ok(())
}

/// Calls `take` with the bytes that each field takes of a source, its head among them.
pub(crate) fn field_sizes(bytes: &[u8], mut take: impl FnMut(u32, usize)) -> Result<(), Error> {
    version(bytes)?;
    let mut reader = ByteReader::new(bytes.get(HEADER_BYTES..).unwrap_or_default());
    while !reader.is_empty() {
        let before = reader.left();
        let (slot, _) = next_field(&mut reader, &mut |_| false).ok_or_else(damaged)?;
        take(slot, before - reader.left());
    }
    Ok(())
}

fn next_field(
    reader: &mut ByteReader<'_>,
    wanted: &mut impl FnMut(u32) -> bool,
) -> Option<(u32, Option<Vec<Value>>)> {
    let slot = u32::try_from(reader.unsigned()?).ok()?;
    let count = reader.count()?;
    let tag = reader.byte()?;
    if !wanted(slot) {
        for _ in 0..count {
            skip_value(reader, tag)?;
        }
        return Some((slot, None));
    }
    let values = (0..count).map(|_| take_value(reader, tag)).collect::<Option<Vec<_>>>()?;
    Some((slot, Some(values)))
}

fn damaged() -> Error {
    Error::new(ErrorKind::DataLoss, "a stored document cannot be read; restore the shard from a copy")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Result<Vec<(u32, Vec<Value>)>, Error> {
        let mut found = Vec::new();
        fields(bytes, |_| true, |slot, values| found.push((slot, values)))?;
        Ok(found)
    }

    fn sample() -> (Vec<u8>, Vec<(u32, Vec<Value>)>) {
        let content = vec![
            (0, vec![Value::Str("7".into())]),
            (300, vec![Value::Int(-1), Value::Int(i32::MAX)]),
            (2, vec![Value::Long(i64::MIN)]),
            (3, vec![Value::Float(1.5)]),
            (4, vec![Value::Double(-0.0), Value::Double(f64::INFINITY)]),
            (5, vec![Value::Bool(true), Value::Bool(false)]),
            (6, vec![Value::Date(-1)]),
            (7, vec![Value::Bytes(vec![]), Value::Bytes(vec![0, 255])]),
        ];
        let mut bytes = Vec::new();
        begin(&mut bytes);
        content.iter().for_each(|(slot, values)| push_field(&mut bytes, *slot, values.iter()));
        set_version(&mut bytes, 1 << 40);
        (bytes, content)
    }

    #[test]
    fn every_type_comes_back() {
        let (bytes, content) = sample();
        assert_eq!(version(&bytes).unwrap(), 1 << 40);
        assert_eq!(all(&bytes).unwrap(), content);
    }

    #[test]
    fn unwanted_fields_are_passed_over() {
        let (bytes, content) = sample();
        for (wanted, values) in content {
            let mut found = Vec::new();
            fields(&bytes, |slot| slot == wanted, |_, values| found.push(values)).unwrap();
            assert_eq!(found, [values]);
        }
    }

    #[test]
    fn damage_is_an_error() {
        let (bytes, _) = sample();
        assert!(all(&[]).is_err());
        for end in 0..bytes.len() {
            let _ = all(&bytes[..end]);
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0xff;
            let _ = all(&changed);
        }
    }
}
