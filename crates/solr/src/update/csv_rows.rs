//! The rows of a CSV text: cells between separators, some in quotes, some with escapes. Quirks are those of
//! the reader Solr has: a quote counts only at the start of a cell, blanks may follow the closing one, empty
//! lines are passed over.

use plan::{Error, Result};

/// Which characters mean what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    pub separator: char,
    pub encapsulator: Option<char>,
    pub escape: Option<char>,
}

/// Reads one text, or one piece of it, from start to end.
pub struct Rows<'a> {
    text: &'a str,
    at: usize,
    /// Lines before the one that comes next.
    line: usize,
    dialect: Dialect,
    /// Whether the end of a row was seen.
    ended: bool,
}

/// A row and the number of its first line, from 0.
pub type Row = (usize, Vec<String>);

impl<'a> Rows<'a> {
    pub fn new(text: &'a str, dialect: Dialect) -> Self {
        Self::resumed(text, dialect, 0)
    }

    /// As [`Rows::new`], behind this many lines.
    pub fn resumed(text: &'a str, dialect: Dialect, line: usize) -> Self {
        Self { text, at: 0, line, dialect, ended: true }
    }

    /// Bytes and lines that have been read.
    pub fn position(&self) -> (usize, usize) {
        (self.at, self.line)
    }

    /// Whether what was read last may read otherwise if the text goes on.
    pub fn ran_out(&self) -> bool {
        // The second half of a line's end may follow.
        self.rest().is_empty() && !(self.ended && self.text.ends_with('\n'))
    }

    /// Passes over whole lines, whatever is in them.
    pub fn skip_lines(&mut self, count: usize) {
        for _ in 0..count {
            let rest = self.rest();
            if rest.is_empty() {
                return;
            }
            self.at += rest.find('\n').map_or(rest.len(), |end| end + 1);
            self.line += 1;
        }
    }

    /// The next row that is not empty.
    pub fn next_row(&mut self) -> Result<Option<Row>> {
        loop {
            if self.rest().is_empty() {
                return Ok(None);
            }
            let line = self.line;
            if !self.end_of_line() {
                return self.cells(line).map(|cells| Some((line, cells)));
            }
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, expected: Option<char>) -> bool {
        match (self.peek(), expected) {
            (Some(found), Some(expected)) if found == expected => {
                self.at += found.len_utf8();
                true
            }
            _ => false,
        }
    }

    /// Passes over one line's end, if it is here.
    fn end_of_line(&mut self) -> bool {
        let length = match self.rest().as_bytes() {
            [b'\r', b'\n', ..] => 2,
            [b'\n' | b'\r', ..] => 1,
            _ => return false,
        };
        self.at += length;
        self.line += 1;
        true
    }

    fn cells(&mut self, line: usize) -> Result<Vec<String>> {
        let mut cells = Vec::new();
        self.ended = false;
        loop {
            let cell = if self.take(self.dialect.encapsulator) { self.quoted(line)? } else { self.plain() };
            cells.push(cell);
            if !self.take(Some(self.dialect.separator)) {
                self.ended = self.end_of_line();
                return Ok(cells);
            }
        }
    }

    fn plain(&mut self) -> String {
        let mut cell = String::new();
        while let Some(found) = self.peek() {
            if found == self.dialect.separator || matches!(found, '\n' | '\r') {
                break;
            }
            self.at += found.len_utf8();
            cell.push(if Some(found) == self.dialect.escape { self.escaped() } else { found });
        }
        cell
    }

    /// A cell whose opening quote has been read.
    fn quoted(&mut self, line: usize) -> Result<String> {
        let mut cell = String::new();
        loop {
            let Some(found) = self.peek() else { return Err(unreadable(line)) };
            self.at += found.len_utf8();
            if Some(found) == self.dialect.encapsulator {
                if !self.take(self.dialect.encapsulator) {
                    self.after_quote(line)?;
                    return Ok(cell);
                }
                cell.push(found);
            } else if Some(found) == self.dialect.escape {
                cell.push(self.escaped());
            } else {
                // A quoted cell may hold line ends, and messages count lines of the file.
                self.line += usize::from(found == '\n');
                cell.push(found);
            }
        }
    }

    /// Blanks may stand between the closing quote and what ends the cell.
    fn after_quote(&mut self, line: usize) -> Result<()> {
        while self.peek().is_some_and(|it| matches!(it, ' ' | '\t') && it != self.dialect.separator) {
            self.at += 1;
        }
        match self.peek() {
            None | Some('\n' | '\r') => Ok(()),
            Some(found) if found == self.dialect.separator => Ok(()),
            Some(_) => Err(unreadable(line)),
        }
    }

    /// What follows an escape character.
    fn escaped(&mut self) -> char {
        let Some(found) = self.peek() else { return self.dialect.escape.unwrap_or_default() };
        self.at += found.len_utf8();
        match found {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\u{8}',
            'f' => '\u{c}',
            other => other,
        }
    }
}

fn unreadable(line: usize) -> Error {
    Error::bad_request(format!(
        "CSVLoader: input=null, line={line},can't read line: {line}\n\tvalues={{NO LINES AVAILABLE}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_cut_into_cells() {
        let dialect = Dialect { separator: ',', encapsulator: Some('"'), escape: None };
        let check = |text: &str, escape: Option<char>, expected: &[&[&str]]| {
            let mut rows = Rows::new(text, Dialect { escape, ..dialect });
            let mut found = Vec::new();
            while let Some((_, cells)) = rows.next_row().unwrap() {
                found.push(cells);
            }
            assert_eq!(found, expected, "{text}");
        };
        check("", None, &[]);
        check("a,b\nc", None, &[&["a", "b"], &["c"]]);
        check("a,\r\n\r\n,b\r\n", None, &[&["a", ""], &["", "b"]]);
        check("\"x, \"\"y\"\"\nz\",b", None, &[&["x, \"y\"\nz", "b"]]);
        check("\"x\" ,b", None, &[&["x", "b"]]);
        check("x\"y\",b", None, &[&["x\"y\"", "b"]]);
        check("a\\,b,c", None, &[&["a\\", "b", "c"]]);
        check("a\\,b,c\\\\\\nd\\u0041", Some('\\'), &[&["a,b", "c\\\ndu0041"]]);
        check("é,ü", None, &[&["é", "ü"]]);
    }

    #[test]
    fn open_quotes_are_errors_with_their_line() {
        let dialect = Dialect { separator: ',', encapsulator: Some('"'), escape: None };
        for text in ["id\n1,\"x\n", "id\n1,\"x\"y\n"] {
            let mut rows = Rows::new(text, dialect);
            rows.next_row().unwrap();
            let message = rows.next_row().unwrap_err().message;
            let expected = "CSVLoader: input=null, line=1,can't read line: 1\n\tvalues={NO LINES AVAILABLE}";
            assert_eq!(message, expected);
        }
    }
}
