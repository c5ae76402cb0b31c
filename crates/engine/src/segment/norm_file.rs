//! A change to a segment's field-norm file that tantivy has no interface for: fields of later generations.
//! Tantivy merges only segments whose files know every field, so the missing ones are added with length 0.
//!
//! The file is tantivy's composite (fields back to back, then their index, then its length) and its footer
//! (JSON with version and CRC, its length, a magic number); format of tantivy 0.27. Bytes of another shape
//! are an error.

use std::collections::BTreeMap;
use std::io;

use tantivy::schema::Field;

const FOOTER_MAGIC: u32 = 1337;

/// The file with zero lengths for those of `wanted` that it lacks; `None` when it has them all.
pub(crate) fn pad(file: &[u8], wanted: &[Field], max_doc: u32) -> io::Result<Option<Vec<u8>>> {
    let mut fields = read(file)?;
    let known = fields.len();
    for field in wanted {
        fields.entry(field.field_id()).or_insert_with(|| vec![0; max_doc as usize]);
    }
    Ok((fields.len() > known).then(|| write(&fields)))
}

fn read(file: &[u8]) -> io::Result<BTreeMap<u32, Vec<u8>>> {
    let body = without_footer(file).ok_or_else(|| damaged("no footer"))?;
    parse(body).ok_or_else(|| damaged("no list of fields"))
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("a field-norm file cannot be read: {what}"))
}

fn without_footer(file: &[u8]) -> Option<&[u8]> {
    let (rest, magic) = file.split_last_chunk::<4>()?;
    let (rest, len) = rest.split_last_chunk::<4>()?;
    let len = u32::from_le_bytes(*len) as usize;
    (u32::from_le_bytes(*magic) == FOOTER_MAGIC).then(|| rest.get(..rest.len().checked_sub(len)?))?
}

fn parse(body: &[u8]) -> Option<BTreeMap<u32, Vec<u8>>> {
    let (rest, len) = body.split_last_chunk::<4>()?;
    let end = rest.len().checked_sub(u32::from_le_bytes(*len) as usize)?;
    let (data, mut index) = rest.split_at_checked(end)?;
    let mut starts = Vec::new();
    let mut offset = 0usize;
    for _ in 0..take_number(&mut index)? {
        offset = offset.checked_add(usize::try_from(take_number(&mut index)?).ok()?)?;
        let (field, after) = index.split_first_chunk::<4>()?;
        index = after;
        take_number(&mut index)?;
        starts.push((u32::from_le_bytes(*field), offset));
    }
    let ends = starts.iter().skip(1).map(|(_, start)| *start).chain([end]);
    starts
        .iter()
        .zip(ends)
        .map(|((field, start), end)| Some((*field, data.get(*start..end)?.to_vec())))
        .collect()
}

fn write(fields: &BTreeMap<u32, Vec<u8>>) -> Vec<u8> {
    let mut body = Vec::new();
    let mut index = Vec::new();
    put_number(&mut index, fields.len() as u64);
    let mut before = 0;
    for (field, norms) in fields {
        put_number(&mut index, (body.len() - before) as u64);
        index.extend_from_slice(&field.to_le_bytes());
        put_number(&mut index, 0);
        before = body.len();
        body.extend_from_slice(norms);
    }
    body.extend_from_slice(&index);
    body.extend_from_slice(&u32::try_from(index.len()).unwrap_or(u32::MAX).to_le_bytes());
    with_footer(body)
}

fn with_footer(mut body: Vec<u8>) -> Vec<u8> {
    let version = serde_json::to_value(tantivy::version()).unwrap_or_default();
    let footer = serde_json::json!({ "version": version, "crc": crc32fast::hash(&body) }).to_string();
    body.extend_from_slice(footer.as_bytes());
    body.extend_from_slice(&u32::try_from(footer.len()).unwrap_or(u32::MAX).to_le_bytes());
    body.extend_from_slice(&FOOTER_MAGIC.to_le_bytes());
    body
}

/// Tantivy's variable-length number: seven bits a byte, the last byte marked.
fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8);
        number >>= 7;
    }
    bytes.push(number as u8 | 0x80);
}

fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 != 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        write(&BTreeMap::from([(3, vec![1, 2, 3]), (200, vec![4, 5, 6])]))
    }

    #[test]
    fn missing_fields_are_added() {
        let wanted = [3, 7].map(Field::from_field_id);
        let padded = pad(&sample(), &wanted, 3).unwrap().unwrap();
        assert_eq!(read(&padded).unwrap()[&7], [0, 0, 0]);
        assert!(pad(&padded, &wanted, 3).unwrap().is_none());
    }

    #[test]
    fn damage_is_an_error() {
        let file = sample();
        for end in 0..file.len() {
            assert!(read(&file[..end]).is_err());
        }
        for at in 0..file.len() {
            let mut changed = file.clone();
            changed[at] ^= 0xff;
            let _ = read(&changed);
        }
    }
}
