//! The messages of PostgreSQL's `pgoutput` plugin, protocol version 1: which rows of which tables a
//! transaction changed. Only the columns of watched keys are kept; documents are made from the rows as they
//! are now, not from the log. Source of the layout: PostgreSQL's manual, "Logical Replication Message
//! Formats".

use std::collections::HashMap;

/// What a message says that matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogMessage {
    /// A row of a table, by the columns that were sent: the new row's, the old row's where it was sent.
    Change { table: String, rows: Vec<Vec<(String, String)>> },
    /// These tables were emptied.
    Truncate { tables: Vec<String> },
    /// The transaction is whole.
    Commit,
    /// Beginnings, types, origins, and tables described.
    Other,
}

/// Tables by the numbers that the log gives them. A description comes before a table's first change in each
/// conversation.
#[derive(Debug, Default)]
pub struct LogDecoder {
    tables: HashMap<u32, Table>,
}

#[derive(Debug)]
struct Table {
    name: String,
    columns: Vec<String>,
}

impl LogDecoder {
    /// Errors: a message that breaks off, or of a table that was not described.
    pub fn decode(&mut self, message: &[u8]) -> Result<LogMessage, String> {
        let mut bytes = Bytes(message);
        match bytes.u8()? {
            b'R' => {
                let (id, table) = read_table(&mut bytes)?;
                self.tables.insert(id, table);
                Ok(LogMessage::Other)
            }
            b'I' | b'U' | b'D' => self.change(&mut bytes),
            b'T' => self.truncate(&mut bytes),
            b'C' => Ok(LogMessage::Commit),
            _ => Ok(LogMessage::Other),
        }
    }

    fn table(&self, id: u32) -> Result<&Table, String> {
        self.tables.get(&id).ok_or_else(|| format!("the log changes table {id}, which it has not described"))
    }

    /// Old and new rows, each behind a letter: `K` key, `O` old, `N` new.
    fn change(&self, bytes: &mut Bytes<'_>) -> Result<LogMessage, String> {
        let table = self.table(bytes.u32()?)?;
        let mut rows = Vec::new();
        while !bytes.0.is_empty() {
            match bytes.u8()? {
                b'K' | b'O' | b'N' => rows.push(read_row(bytes, &table.columns)?),
                other => return Err(format!("a row behind `{}`, which means nothing", char::from(other))),
            }
        }
        Ok(LogMessage::Change { table: table.name.clone(), rows })
    }

    fn truncate(&self, bytes: &mut Bytes<'_>) -> Result<LogMessage, String> {
        let count = bytes.u32()?;
        bytes.u8()?;
        let mut tables = Vec::new();
        for _ in 0..count {
            tables.push(self.table(bytes.u32()?)?.name.clone());
        }
        Ok(LogMessage::Truncate { tables })
    }
}

fn read_table(bytes: &mut Bytes<'_>) -> Result<(u32, Table), String> {
    let id = bytes.u32()?;
    let (schema, name) = (bytes.text()?, bytes.text()?);
    // Which rows the log identifies old rows by.
    bytes.u8()?;
    let count = bytes.u16()?;
    let mut columns = Vec::new();
    for _ in 0..count {
        bytes.u8()?;
        columns.push(bytes.text()?);
        bytes.take(8)?;
    }
    Ok((id, Table { name: format!("{schema}.{name}"), columns }))
}

/// Values that are null, or large and unchanged, are left out.
fn read_row(bytes: &mut Bytes<'_>, columns: &[String]) -> Result<Vec<(String, String)>, String> {
    let count = usize::from(bytes.u16()?);
    let mut row = Vec::new();
    for at in 0..count {
        match bytes.u8()? {
            b't' => {
                let length = usize::try_from(bytes.u32()?).unwrap_or(usize::MAX);
                let text = String::from_utf8_lossy(bytes.take(length)?).into_owned();
                row.extend(columns.get(at).map(|column| (column.clone(), text)));
            }
            b'n' | b'u' => {}
            other => {
                return Err(format!("a value of kind `{}`, which we did not ask for", char::from(other)));
            }
        }
    }
    Ok(row)
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or("a message of the log breaks off")?;
        self.0 = rest;
        Ok(taken)
    }

    fn u8(&mut self) -> Result<u8, String> {
        Ok(self.take(1)?[0])
    }

    fn u16(&mut self) -> Result<u16, String> {
        Ok(self.take(2)?.iter().fold(0, |number, byte| number << 8 | u16::from(*byte)))
    }

    fn u32(&mut self) -> Result<u32, String> {
        Ok(self.take(4)?.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }

    /// Up to a NUL.
    fn text(&mut self) -> Result<String, String> {
        let end = self.0.iter().position(|byte| *byte == 0).ok_or("a message of the log breaks off")?;
        let text = String::from_utf8_lossy(self.take(end)?).into_owned();
        self.take(1)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described() -> Vec<u8> {
        let mut message = b"R\0\0\0\x07public\0cast\0d\0\x02".to_vec();
        for column in ["id", "film_id"] {
            message.push(1);
            message.extend_from_slice(column.as_bytes());
            message.extend_from_slice(&[0; 9]);
        }
        message
    }

    fn row(cells: &[Option<&str>]) -> Vec<u8> {
        let mut bytes = vec![0, u8::try_from(cells.len()).unwrap()];
        for cell in cells {
            match cell {
                None => bytes.push(b'n'),
                Some(text) => {
                    bytes.extend_from_slice(b"t\0\0\0");
                    bytes.push(u8::try_from(text.len()).unwrap());
                    bytes.extend_from_slice(text.as_bytes());
                }
            }
        }
        bytes
    }

    #[test]
    fn changes_are_read_with_old_and_new_rows() {
        let mut decoder = LogDecoder::default();
        let update =
            [b"U\0\0\0\x07O".to_vec(), row(&[Some("1"), Some("5")]), b"N".to_vec(), row(&[Some("1"), None])]
                .concat();
        assert!(decoder.decode(&update).unwrap_err().contains("has not described"));
        assert_eq!(decoder.decode(&described()).unwrap(), LogMessage::Other);
        let cells = |cells: &[(&str, &str)]| {
            cells.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect::<Vec<_>>()
        };
        let rows = vec![cells(&[("id", "1"), ("film_id", "5")]), cells(&[("id", "1")])];
        assert_eq!(
            decoder.decode(&update).unwrap(),
            LogMessage::Change { table: "public.cast".into(), rows }
        );
        let tables = vec!["public.cast".to_owned()];
        assert_eq!(decoder.decode(b"T\0\0\0\x01\0\0\0\0\x07").unwrap(), LogMessage::Truncate { tables });
        assert_eq!(decoder.decode(b"C").unwrap(), LogMessage::Commit);
        for cut in 0..update.len() {
            // Whole rows may be missing at the end, nothing else.
            if let Ok(LogMessage::Change { rows, .. }) = decoder.decode(&update[..cut]) {
                assert!(rows.len() < 2);
            }
        }
        for cut in 1..described().len() {
            assert!(LogDecoder::default().decode(&described()[..cut]).is_err(), "{cut}");
        }
        assert!(decoder.decode(&[]).is_err());
    }
}
