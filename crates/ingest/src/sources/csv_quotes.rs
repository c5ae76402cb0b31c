//! Quotes of a CSV file, watched as its bytes pass by: one that is never closed makes one field of all that
//! follows, which would fill the memory, and in the last column of a row would pass for a value.
//!
//! In: the bytes of a file, from the beginning of a record; out: the same, or an error that names the line
//! where the quote was opened, at the end of the file or once the field is longer than a record may be. What
//! a quote means is as the `csv` crate reads it: at the start of a field it opens, two in it are one.

use std::io::{self, Read, Seek, SeekFrom};

use super::files::RECORD_BYTES_MAX;

pub(super) struct QuoteWatch<R> {
    inner: R,
    separator: u8,
    at: At,
    /// Of the byte that comes next.
    line: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    FieldStart,
    Plain,
    /// In a quoted field.
    Quoted {
        opened: u64,
        bytes: usize,
    },
    /// Behind a quote in such a field: another one is a quote in the text, anything else ends it.
    Closing {
        opened: u64,
        bytes: usize,
    },
}

impl<R> QuoteWatch<R> {
    pub(super) fn new(inner: R, separator: u8) -> Self {
        Self { inner, separator, at: At::FieldStart, line: 1 }
    }

    /// To be called after a seek to where a record begins.
    pub(super) fn begins_at_line(&mut self, line: u64) {
        self.line = line;
    }

    fn pass(&mut self, byte: u8) -> io::Result<()> {
        let ends_field = byte == self.separator || byte == b'\n' || byte == b'\r';
        self.at = match self.at {
            At::FieldStart if byte == b'"' => At::Quoted { opened: self.line, bytes: 0 },
            At::Quoted { opened, bytes } if byte == b'"' => At::Closing { opened, bytes },
            At::Closing { opened, bytes } if byte == b'"' => At::Quoted { opened, bytes: bytes + 1 },
            At::Quoted { opened, bytes } if bytes < RECORD_BYTES_MAX => {
                At::Quoted { opened, bytes: bytes + 1 }
            }
            At::Quoted { opened, .. } => {
                return Err(unclosed(opened, &format!("not closed within {RECORD_BYTES_MAX} bytes")));
            }
            At::FieldStart | At::Plain | At::Closing { .. } if ends_field => At::FieldStart,
            At::FieldStart | At::Plain | At::Closing { .. } => At::Plain,
        };
        self.line += u64::from(byte == b'\n');
        Ok(())
    }
}

fn unclosed(line: u64, how: &str) -> io::Error {
    let message =
        format!("the quote that line {line} opens is {how}; close it, or write it twice where it is text");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

impl<R: Read> Read for QuoteWatch<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        match (count, self.at) {
            (0, At::Quoted { opened, .. }) if !buffer.is_empty() => {
                return Err(unclosed(opened, "never closed"));
            }
            _ => buffer[..count].iter().try_for_each(|byte| self.pass(*byte))?,
        }
        Ok(count)
    }
}

impl<R: Seek> Seek for QuoteWatch<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = At::FieldStart;
        self.inner.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Read some bytes at a time: where a buffer ends makes no difference.
    fn read(text: &str) -> Result<usize, String> {
        let mut watch = QuoteWatch::new(text.as_bytes(), b',');
        let (mut buffer, mut all) = ([0; 3], 0);
        loop {
            match watch.read(&mut buffer).map_err(|error| error.to_string())? {
                0 => return Ok(all),
                count => all += count,
            }
        }
    }

    #[test]
    fn quotes_that_are_closed_pass() {
        for text in
            ["", "a,b\n1,2\n", "\"a\nb\",c\n", "\"say \"\"x\"\"\",2", "5\" tape,x\n", "\"\",\"\"", "\"a\"b,c"]
        {
            assert_eq!(read(text), Ok(text.len()), "{text}");
        }
    }

    #[test]
    fn one_that_is_not_is_named_by_its_line() {
        for (text, line) in [("a,b\n1,\"x\n2,y\n", 2), ("\"\"\"", 1), ("a\n\"b\nc\"\n\"d", 4)] {
            let error = read(text).unwrap_err();
            assert!(error.contains(&format!("the quote that line {line} opens is never closed")), "{error}");
        }
        let long = format!("\"{}\"", "x".repeat(RECORD_BYTES_MAX + 1));
        assert!(read(&long).unwrap_err().contains("not closed within"));
    }
}
