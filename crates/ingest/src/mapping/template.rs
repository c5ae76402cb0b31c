//! Text with columns in it: `{first} {last}`; `{{` and `}}` are braces.
//!
//! In: a text of the file, read once, then rows; out: the text with the columns' values, nothing where one of
//! them has none. Knows no types: what a value looks like as text is `record`'s.

use super::column::unknown_column;
use crate::record::Row;

#[derive(Debug)]
pub struct Template(Vec<Part>);

#[derive(Debug, PartialEq)]
enum Part {
    Text(String),
    Column(String),
}

impl Template {
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut chars = text.chars().peekable();
        while let Some(char) = chars.next() {
            match char {
                '{' | '}' if chars.peek() == Some(&char) => {
                    chars.next();
                    plain.push(char);
                }
                '{' => {
                    let mut column = String::new();
                    loop {
                        match chars.next() {
                            Some('}') => break,
                            Some('{') | None => return Err(format!("`{text}` has a `{{` without its `}}`")),
                            Some(char) => column.push(char),
                        }
                    }
                    if !plain.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut plain)));
                    }
                    parts.push(Part::Column(column.trim().to_owned()));
                }
                '}' => {
                    return Err(format!("`{text}` has a `}}` without its `{{`; double it to mean a brace"));
                }
                char => plain.push(char),
            }
        }
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(Self(parts))
    }

    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Column(column) => Some(column.as_str()),
            Part::Text(_) => None,
        })
    }

    /// `None` when one of its columns has no value.
    pub fn fill(&self, row: &Row) -> Result<Option<String>, String> {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Column(column) => {
                    let value = row.get(column).ok_or_else(|| unknown_column(column, &row.columns))?;
                    if value.is_null() {
                        return Ok(None);
                    }
                    text.push_str(&value.to_string());
                }
            }
        }
        Ok(Some(text))
    }
}
