//! A CSV body of `/update`: one document a row, fields named by the header or by `fieldnames`. The parameters
//! are Solr's; those about values may be meant for one field (`f.name.split`). Behaviour recorded from Solr
//! 9.10.1.

use std::fmt::Write as _;
use std::sync::Arc;

use plan::{Error, Result};

use crate::params::update::{
    COLUMN_SPLIT, ENCAPSULATOR, ESCAPE, FIELD_NAMES, HEADER, KEEP_EMPTY, LITERAL, MAP, ROW_ID, ROW_ID_OFFSET,
    SEPARATOR, SKIP, SKIP_LINES, TRIM,
};
use crate::params::{Params, Preset};
use crate::update::chunk::ContentChunk;
use crate::update::command::{AddCommand, CommitWithin, RawDocument, RawValue, UpdateCommand};
use crate::update::csv_rows::{Dialect, Rows};
use crate::update::options::UpdateOptions;

/// Where a body stands between two of its pieces.
#[derive(Clone, Debug, Default)]
pub struct Resume {
    /// `None` before the header.
    columns: Option<Arc<[Option<Column>]>>,
    /// Lines before the piece.
    line: usize,
}

/// Decodes documents into `commands`, which keeps those read before an error. Gives the bytes that are done
/// with: a row that runs out of the piece is read again with the next.
pub fn decode(
    piece: ContentChunk<'_, str>,
    resume: &mut Resume,
    params: &Params,
    options: &UpdateOptions,
    commands: &mut Vec<UpdateCommand>,
) -> Result<usize> {
    let mut rows = Rows::resumed(piece.content, Dialect::of_body(params)?, resume.line);
    let columns = match &resume.columns {
        Some(columns) => columns.clone(),
        None => {
            let found = head(params, &mut rows);
            // The header may go on in the next piece; nothing is kept of it until its end was seen.
            if !piece.is_last && rows.position().0 >= piece.content.len() {
                return Ok(0);
            }
            found?
        }
    };
    let extras = Extras::parse(params)?;
    loop {
        let (at, line) = rows.position();
        let row = rows.next_row();
        if !piece.is_last && (rows.ran_out() || matches!(row, Ok(None))) {
            *resume = Resume { columns: Some(columns), line };
            return Ok(at);
        }
        let Some((line, cells)) = row? else { return Ok(at) };
        check_width(line, &cells, columns.len())?;
        let mut fields = Vec::with_capacity(columns.len() + 1);
        for (column, cell) in columns.iter().zip(cells) {
            if let Some(column) = column {
                column.read(cell, &mut fields)?;
            }
        }
        extras.add(line, &mut fields);
        commands.push(UpdateCommand::Add(AddCommand {
            document: RawDocument { fields },
            overwrite: !options.no_overwrite,
            commit_within: CommitWithin::default(),
        }));
    }
}

/// What stands before the rows of documents.
fn head(params: &Params, rows: &mut Rows<'_>) -> Result<Arc<[Option<Column>]>> {
    rows.skip_lines(SKIP_LINES.read(params)?);
    columns(params, rows).map(Arc::from)
}

impl Dialect {
    /// With the characters that a request names. Naming an escape character alone switches quotes off.
    pub(crate) fn overridden(self, escape: Option<char>, encapsulator: Option<char>) -> Self {
        // Backslash and quotes are two styles, and Solr takes one for the sign that the other is not meant.
        let quote = if escape.is_some() { None } else { self.encapsulator };
        Self { encapsulator: encapsulator.or(quote), escape: escape.or(self.escape), ..self }
    }

    /// Of the rows.
    fn of_body(params: &Params) -> Result<Self> {
        let escape = ESCAPE.read(params)?;
        let usual = Self { separator: SEPARATOR.read(params)?, encapsulator: Some('"'), escape: None };
        Ok(usual.overridden(escape, ENCAPSULATOR.read(params)?))
    }

    /// Of the values in one column's cells.
    fn of_column(params: &Params, name: &str) -> Result<Self> {
        let escape = ESCAPE.read_own(params, name)?;
        let usual = Self { separator: SEPARATOR.read_own(params, name)?, encapsulator: None, escape: None };
        Ok(usual.overridden(escape, ENCAPSULATOR.read_own(params, name)?))
    }
}

/// Where each cell of a row goes; `None` where it is passed over.
fn columns(params: &Params, rows: &mut Rows<'_>) -> Result<Vec<Option<Column>>> {
    let named: Option<Vec<String>> =
        FIELD_NAMES.sent(params).map(|names| names.split(',').map(|it| it.trim().to_owned()).collect());
    let header = HEADER.read(params)?;
    let names = match (named, header) {
        (None, Some(false)) => {
            return Err(Error::bad_request("CSVLoader: must specify fieldnames=<fields>* or header=true"));
        }
        (None, _) => {
            let missing = || Error::bad_request("Expected fieldnames in CSV input");
            rows.next_row()?.ok_or_else(missing)?.1
        }
        (Some(names), Some(true)) => {
            // A header that is there and not wanted: its line is passed over.
            rows.next_row()?;
            names
        }
        (Some(names), _) => names,
    };
    let skipped: Vec<&str> = SKIP.sent(params).unwrap_or_default().split(',').map(str::trim).collect();
    let column = |name: String| {
        let wanted = !name.is_empty() && !skipped.contains(&name.as_str());
        wanted.then(|| Column::parse(params, &name)).transpose()
    };
    names.into_iter().map(column).collect()
}

/// One field's cells: how they are cut, changed and kept.
#[derive(Debug)]
struct Column {
    name: Arc<str>,
    split: Option<Dialect>,
    trim: bool,
    keep_empty: bool,
    /// (from, to), whole values, applied in order.
    map: Vec<(String, String)>,
}

impl Column {
    fn parse(params: &Params, name: &str) -> Result<Self> {
        let flag = |param: &Preset<bool>| param.parse(param.sent_for(params, name));
        let map = MAP.sent_all_for(params, name).into_iter().map(mapped).collect::<Result<_>>()?;
        let split = flag(&COLUMN_SPLIT)?.then(|| Dialect::of_column(params, name)).transpose()?;
        Ok(Self { name: Arc::from(name), split, trim: flag(&TRIM)?, keep_empty: flag(&KEEP_EMPTY)?, map })
    }

    fn read(&self, cell: String, fields: &mut Vec<(Arc<str>, RawValue)>) -> Result<()> {
        // A cell is cut by rules of its own, under which quotes within it may count again.
        let Some(dialect) = self.split else {
            fields.extend(self.value(cell).map(|value| (self.name.clone(), value)));
            return Ok(());
        };
        let parts = Rows::new(&cell, dialect).next_row()?.map(|(_, parts)| parts).unwrap_or_default();
        let values: Vec<_> = parts.into_iter().filter_map(|part| self.value(part)).collect();
        if !values.is_empty() {
            fields.push((self.name.clone(), RawValue::List(values)));
        }
        Ok(())
    }

    fn value(&self, cell: String) -> Option<RawValue> {
        let mut text = if self.trim { cell.trim().to_owned() } else { cell };
        for (from, to) in &self.map {
            if text == *from {
                text.clone_from(to);
            }
        }
        (self.keep_empty || !text.is_empty()).then_some(RawValue::Str(text))
    }
}

fn mapped(text: &str) -> Result<(String, String)> {
    let pair = text.split_once(':').map(|(from, to)| (from.to_owned(), to.to_owned()));
    pair.ok_or_else(|| Error::bad_request(format!("Map rules must be of the form 'from:to' ,got '{text}'")))
}

/// Fields that no cell holds: `literal.*` and `rowid`.
struct Extras {
    literals: Vec<(Arc<str>, String)>,
    row_id: Option<Arc<str>>,
    row_offset: usize,
}

impl Extras {
    fn parse(params: &Params) -> Result<Self> {
        let mut literals: Vec<(Arc<str>, String)> = Vec::new();
        for (name, value) in LITERAL.sent_all(params) {
            // Of several, the first counts.
            if !literals.iter().any(|(known, _)| **known == *name) {
                literals.push((Arc::from(name), value.to_owned()));
            }
        }
        Ok(Self {
            literals,
            row_id: ROW_ID.sent(params).map(Arc::from),
            row_offset: ROW_ID_OFFSET.read(params)?,
        })
    }

    fn add(&self, line: usize, fields: &mut Vec<(Arc<str>, RawValue)>) {
        if let Some(name) = &self.row_id {
            fields.push((name.clone(), RawValue::Str(line.saturating_add(self.row_offset).to_string())));
        }
        let literals = self.literals.iter();
        fields.extend(literals.map(|(name, value)| (name.clone(), RawValue::Str(value.clone()))));
    }
}

fn check_width(line: usize, cells: &[String], expected: usize) -> Result<()> {
    if cells.len() == expected {
        return Ok(());
    }
    let mut shown = String::new();
    for cell in cells {
        let _ = write!(shown, "'{cell}',");
    }
    let found = cells.len();
    Err(Error::bad_request(format!(
        "CSVLoader: input=null, line={line},expected {expected} values but got {found}\n\tvalues={{{shown}}}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::update::testing::documents;

    /// The documents, or the error; parameters as `name=value` joined by `&`.
    fn show(text: &str, params: &str) -> String {
        let pairs = params.split('&').filter_map(|pair| pair.split_once('='));
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let mut commands = Vec::new();
        let (piece, mut resume, params) = (ContentChunk::whole(text), Resume::default(), Params::new(pairs));
        let result = decode(piece, &mut resume, &params, &UpdateOptions::default(), &mut commands);
        documents(&commands, result.err())
    }

    #[test]
    fn rows_become_documents() {
        let check = |text: &str, params: &str, expected: &str| {
            assert_eq!(show(text, params), expected, "{text} {params}");
        };
        check("id", "", "");
        check("id,a\n1,x\n2,y", "", "{id=1, a=x}; {id=2, a=y}");
        check("id,a\n1,\n2,\"\"\n", "", "{id=1}; {id=2}");
        check("id,a\n1,\n2,\"\"\n", "keepEmpty=true", "{id=1, a=}; {id=2, a=}");
        check("id,a,b\n1,,\"\"\n", "f.a.keepEmpty=true", "{id=1, a=}");
        check("id,a\n1, x \n", "", "{id=1, a= x }");
        check("id,a\n1, x \n", "trim=true", "{id=1, a=x}");
        check("id;a\n1;x\n", "separator=;", "{id=1, a=x}");
        check("id,a\n1,'x,y'\n", "encapsulator='", "{id=1, a=x,y}");
        check("id,a\n1,x\\,y\n", "escape=\\", "{id=1, a=x,y}");
        check("id,a\n1,\"x\\,y\"\n", "", "{id=1, a=x\\,y}");
        check("1,x\n", "fieldnames=id,a", "{id=1, a=x}");
        check("id,a\n1,x\n", "header=true&fieldnames=id,b", "{id=1, b=x}");
        check("junk\nid,a\n1,x\n", "skipLines=1", "{id=1, a=x}");
        check("id\n1\n", "skipLines=18446744073709551615", "!Expected fieldnames in CSV input");
        check("id,a,b\n1,x,y\n", "skip=a", "{id=1, b=y}");
        check("id,a,\n1,x,y\n", "", "{id=1, a=x}");
        check("id,a\n1,x;y\n", "f.a.split=true&f.a.separator=;", "{id=1, a=[x, y]}");
        check("id,a\n1,\"'x,z',y\"\n", "f.a.split=true&f.a.encapsulator='", "{id=1, a=[x,z, y]}");
        check("id,a\n1,\"1,,2\"\n", "f.a.split=true", "{id=1, a=[1, 2]}");
        check("id,a\n1,\"1, 2\"\n", "f.a.split=true", "{id=1, a=[1,  2]}");
        check("id,a\n1,x\n2,y\n", "f.a.map=x:zz&f.a.map=y:", "{id=1, a=zz}; {id=2}");
        check("id,a\n1,x\n", "map=x:q", "{id=1, a=q}");
        check("id,a\n1,x\n", "literal.b=lit", "{id=1, a=x, b=lit}");
        check("a\nx\ny\n", "rowid=id&rowidOffset=10", "{a=x, id=11}; {a=y, id=12}");
        check("id,a\n\n1,x\n\n", "", "{id=1, a=x}");
    }

    #[test]
    fn errors_are_in_solrs_words() {
        let check = |text: &str, params: &str, expected: &str| {
            assert_eq!(show(text, params), expected, "{text} {params}");
        };
        check("", "", "!Expected fieldnames in CSV input");
        check("1,x", "header=false", "!CSVLoader: must specify fieldnames=<fields>* or header=true");
        check(
            "id,a\n1,x\n2\n",
            "",
            "{id=1, a=x}; !CSVLoader: input=null, line=2,expected 2 values but got 1\n\tvalues={'2',}",
        );
        check(
            "id,a\n1,x,z\n",
            "",
            "!CSVLoader: input=null, line=1,expected 2 values but got 3\n\tvalues={'1','x','z',}",
        );
        check("id\n1", "separator=ab", "!Invalid separator:'ab'");
        check("id\n1", "encapsulator=ab", "!Invalid encapsulator:'ab'");
        check("id\n1", "skipLines=x", "!For input string: \"x\"");
        check("id\n1", "header=x", "!invalid boolean value: x");
    }
}
