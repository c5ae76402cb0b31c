//! A JSON body of `/update`: an array of documents, or commands in an object (`add`, `delete`, `commit`,
//! `optimize`, `rollback`), any of them repeated. Streams: no tree of the body is built. Messages as recorded
//! from Solr 9.10.1.

use plan::{Error, Result};

use crate::update::chunk::ContentChunk;
use crate::update::command::{AddCommand, CommitWithin, Names, RawDocument, UpdateCommand};
use crate::update::json_reader::{Event, JsonReader, Standing};
use crate::update::json_value;
use crate::update::nested;
use crate::update::options::{self, UpdateOptions};

/// Where a body stands between two of its pieces.
#[derive(Clone, Debug, Default)]
pub struct Resume {
    standing: Standing,
    names: Names,
    /// Whether the documents of an array are being read.
    in_documents: bool,
}

/// Decodes commands into `commands`, which keeps those read before an error. Gives the bytes that are done
/// with: a command that runs out of the piece is read again with the next.
pub fn decode(
    piece: ContentChunk<'_, str>,
    resume: &mut Resume,
    options: &UpdateOptions,
    commands: &mut Vec<UpdateCommand>,
) -> Result<usize> {
    let Resume { standing, names, in_documents } = std::mem::take(resume);
    let reader = JsonReader::resumed(piece.content, standing);
    let mut decoder = Decoder { reader, options, commands, names, in_documents };
    loop {
        let before = (decoder.reader.mark(), decoder.commands.len(), decoder.in_documents);
        let step = decoder.step();
        if !piece.is_last && decoder.reader.ran_out(step.is_err()) {
            let (mark, count, in_documents) = before;
            decoder.commands.truncate(count);
            let standing = decoder.reader.standing_at(mark);
            *resume = Resume { standing, names: decoder.names, in_documents };
            return Ok(mark.at);
        }
        if !step? {
            return Ok(piece.content.len());
        }
    }
}

struct Decoder<'a, 'b> {
    reader: JsonReader<'a>,
    options: &'b UpdateOptions,
    commands: &'b mut Vec<UpdateCommand>,
    names: Names,
    in_documents: bool,
}

/// Where and when a delete applies besides its id or query.
#[derive(Default)]
struct DeleteMap {
    id: Option<String>,
    route: Option<String>,
    query: Option<String>,
    version: Option<i64>,
    commit_within: CommitWithin,
}

impl Decoder<'_, '_> {
    /// One command, or one document of an array; whether there may be more.
    fn step(&mut self) -> Result<bool> {
        if self.in_documents {
            return self.next_document().map(|()| true);
        }
        match self.reader.next_event()? {
            Event::End => return Ok(false),
            Event::ArrayStart => self.in_documents = true,
            Event::Key(command) => self.command(&command)?,
            // A bare value at the top says nothing, and Solr lets it stand.
            _ => {}
        }
        Ok(true)
    }

    fn command(&mut self, name: &str) -> Result<()> {
        let at_name = self.reader.position();
        match name {
            "add" => match self.reader.next_event()? {
                Event::ArrayStart => self.in_documents = true,
                event => self.add(&event)?,
            },
            "delete" => self.delete()?,
            "commit" => self.commit(false)?,
            "optimize" => self.commit(true)?,
            "rollback" => self.rollback()?,
            other => return Err(Error::bad_request(format!("Unknown command '{other}' at [{at_name}]"))),
        }
        Ok(())
    }

    /// The next document of an array, or its end.
    fn next_document(&mut self) -> Result<()> {
        match self.reader.next_event()? {
            Event::ArrayEnd => self.in_documents = false,
            event => {
                self.expect("OBJECT_START", &event)?;
                let document = self.document()?;
                self.push_add(document, None, CommitWithin::default());
            }
        }
        Ok(())
    }

    fn push_add(&mut self, document: RawDocument, overwrite: Option<bool>, commit_within: CommitWithin) {
        self.commands.push(UpdateCommand::Add(AddCommand {
            document,
            overwrite: overwrite.unwrap_or(!self.options.no_overwrite),
            commit_within,
        }));
    }

    /// `{"doc":{…},"overwrite":…,"commitWithin":…}`, whose start is the event given.
    fn add(&mut self, start: &Event<'_>) -> Result<()> {
        self.expect("OBJECT_START", start)?;
        let (mut document, mut overwrite, mut within) = (None, None, CommitWithin::default());
        loop {
            match self.reader.next_event()? {
                Event::Key(key) => match &*key {
                    "doc" if document.is_some() => return Err(self.at("Multiple documents in same <add>")),
                    "doc" => {
                        let start = self.reader.next_event()?;
                        self.expect("OBJECT_START", &start)?;
                        document = Some(self.document()?);
                    }
                    "overwrite" => overwrite = Some(self.boolean()?),
                    "commitWithin" => within = CommitWithin::of_command(Some(self.whole_number()?)),
                    // Boosts at index time went with Solr 7; the key is still read.
                    "boost" => {
                        self.reader.next_event()?;
                    }
                    other => return Err(self.at(&format!("Unknown key '{other}'"))),
                },
                Event::ObjectEnd => break,
                event => return Err(self.unexpected("OBJECT_END", &event)),
            }
        }
        let document = document.ok_or_else(|| self.at("Missing solr document"))?;
        self.push_add(document, overwrite, within);
        Ok(())
    }

    /// The fields of a document, up to its end.
    fn document(&mut self) -> Result<RawDocument> {
        let mut fields = json_value::entries(&mut self.reader, &mut self.names)?;
        fields.iter_mut().for_each(|(_, value)| nested::take_out_of_list(value));
        Ok(RawDocument { fields })
    }

    fn delete(&mut self) -> Result<()> {
        match self.reader.next_event()? {
            Event::ObjectStart => self.delete_map(),
            Event::ArrayStart => loop {
                match self.reader.next_event()? {
                    Event::ArrayEnd => return Ok(()),
                    Event::ObjectStart => self.delete_map()?,
                    event => self.delete_id(&event)?,
                }
            },
            event => self.delete_id(&event),
        }
    }

    fn delete_id(&mut self, event: &Event<'_>) -> Result<()> {
        let id = self.primitive(event)?;
        self.push_delete(DeleteMap { id: Some(id), ..DeleteMap::default() })
    }

    fn delete_map(&mut self) -> Result<()> {
        let mut map = DeleteMap::default();
        loop {
            match self.reader.next_event()? {
                Event::Key(key) => match &*key {
                    "id" => {
                        let event = self.reader.next_event()?;
                        map.id = Some(self.primitive(&event)?);
                    }
                    "query" => match self.reader.next_event()? {
                        Event::Str(query) => map.query = Some(query.into_owned()),
                        _ => return Err(self.reader.type_mismatch()),
                    },
                    "commitWithin" => {
                        map.commit_within = CommitWithin::of_command(Some(self.whole_number()?));
                    }
                    "_version_" => map.version = Some(self.whole_number()?),
                    "_route_" => {
                        let event = self.reader.next_event()?;
                        map.route = Some(self.primitive(&event)?);
                    }
                    other => return Err(self.at(&format!("Unknown key '{other}'"))),
                },
                _ => return self.push_delete(map),
            }
        }
    }

    fn push_delete(&mut self, map: DeleteMap) -> Result<()> {
        let DeleteMap { id, route, query, version, commit_within } = map;
        if id.is_none() && query.is_none() {
            return Err(self.at("Missing id or query for delete"));
        }
        if let Some(id) = id {
            self.commands.push(UpdateCommand::Delete { id, route, version, commit_within });
        }
        if let Some(query) = query {
            self.commands.push(UpdateCommand::DeleteByQuery { query, version, commit_within });
        }
        Ok(())
    }

    fn commit(&mut self, optimize: bool) -> Result<()> {
        let start = self.reader.next_event()?;
        self.expect("OBJECT_START", &start)?;
        let mut pairs: Vec<(String, String)> = Vec::new();
        while let Event::Key(key) = self.reader.next_event()? {
            let event = self.reader.next_event()?;
            pairs.push((key.into_owned(), self.primitive(&event)?));
        }
        self.commands.push(UpdateCommand::Commit(options::own_commit(&pairs, optimize)?));
        Ok(())
    }

    fn rollback(&mut self) -> Result<()> {
        let start = self.reader.next_event()?;
        self.expect("OBJECT_START", &start)?;
        let end = self.reader.next_event()?;
        self.expect("OBJECT_END", &end)?;
        self.commands.push(UpdateCommand::Rollback);
        Ok(())
    }

    fn boolean(&mut self) -> Result<bool> {
        match self.reader.next_event()? {
            Event::Bool(flag) => Ok(flag),
            _ => Err(self.reader.type_mismatch()),
        }
    }

    fn whole_number(&mut self) -> Result<i64> {
        match self.reader.next_event()? {
            Event::Long(number) => Ok(number),
            _ => Err(self.reader.type_mismatch()),
        }
    }

    /// A value that is no list, map or null, as text.
    fn primitive(&self, event: &Event<'_>) -> Result<String> {
        Ok(match event {
            Event::Str(text) => text.clone().into_owned(),
            Event::Long(number) => number.to_string(),
            Event::Real(number) => plan::Value::Double(*number).to_text(),
            Event::Big(text) => (*text).to_owned(),
            Event::Bool(flag) => flag.to_string(),
            other => {
                let name = other.name();
                return Err(self.at(&format!("Expected primitive JSON value but got: {name}")));
            }
        })
    }

    fn expect(&self, wanted: &str, event: &Event<'_>) -> Result<()> {
        if event.name() == wanted { Ok(()) } else { Err(self.unexpected(wanted, event)) }
    }

    fn unexpected(&self, wanted: &str, event: &Event<'_>) -> Error {
        let (name, position) = (event.name(), self.reader.position_of(event));
        Error::bad_request(format!("Expected: {wanted} but got {name} at [{position}]"))
    }

    fn at(&self, message: &str) -> Error {
        Error::bad_request(format!("{message} at [{}]", self.reader.position()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::update::testing::shown;

    /// The commands in short, then the error if there is one.
    fn show(text: &str) -> String {
        let mut commands = Vec::new();
        let (piece, mut resume) = (ContentChunk::whole(text), Resume::default());
        let failure = decode(piece, &mut resume, &UpdateOptions::default(), &mut commands).err();
        shown(&commands, failure)
    }

    #[test]
    fn every_form_of_command_is_read() {
        let check = |text: &str, expected: &str| assert_eq!(show(text), expected, "{text}");
        check("", "");
        check("x 1 null", "");
        check("[]", "");
        check(r#"[{"id":"a","n":1,"n":[2.5,null]}]"#, "add {id=a, n=1, n=[2.5, null]}");
        check(
            r#"{"add":{"doc":{"id":"a"},"commitWithin":7,"overwrite":false,"boost":2}}"#,
            "add {id=a} within 7 keep",
        );
        check(r#"{"add":{"commitWithin":7,"doc":{"id":"a"}}}"#, "add {id=a} within 7");
        check(r#"{"add":[{"id":"a"},{"id":"b"}]}"#, "add {id=a}; add {id=b}");
        check(
            r#"{"add":{"doc":{"id":1}},"add":{"doc":{"id":2}}}{"delete":3}"#,
            "add {id=1}; add {id=2}; del 3",
        );
        check(r#"{"delete":["a",1,{"id":"b","_version_":5,"_route_":"x"}]}"#, "del a; del 1; del b v5 at x");
        check(r#"{"delete":{"query":"x:1"},"commit":{"softCommit":true}}"#, "query x:1; soft");
        check(r#"{"optimize":{"maxSegments":3,"waitSearcher":false},"rollback":{}}"#, "optimize; rollback");
        check(r#"[{"id":"a","x":{"set":[1,2]}}]"#, "add {id=a, x={set=[1, 2]}}");
        check(
            r#"[{"id":"a"},{"id":"b","#,
            "add {id=a}; !Cannot parse provided JSON: Expected quoted string: char=(EOF),position=22 AFTER=''",
        );
    }

    #[test]
    fn errors_are_in_solrs_words() {
        let check = |text: &str, expected: &str| assert_eq!(show(text), format!("!{expected}"), "{text}");
        check(r#"{"add":1}"#, "Expected: OBJECT_START but got LONG at [8]");
        check(r#"{"add":{"doc":1}}"#, "Expected: OBJECT_START but got LONG at [15]");
        check(r#"{"add":{"doc":{"id":"a"}, "foo":1}}"#, "Unknown key 'foo' at [31]");
        check(r#"{"add":{}}"#, "Missing solr document at [9]");
        check(r#"{"foo":1}"#, "Unknown command 'foo' at [6]");
        check(r#"{"id":"a"}"#, "Unknown command 'id' at [5]");
        check(r#"{"delete":{}}"#, "Missing id or query for delete at [12]");
        check(r#"{"delete":{"foo":1}}"#, "Unknown key 'foo' at [16]");
        check(r#"{"delete":{"id":{"a":1}}}"#, "Expected primitive JSON value but got: OBJECT_START at [17]");
        check(r#"{"delete":[["a"]]}"#, "Expected primitive JSON value but got: ARRAY_START at [12]");
        check(r#"{"delete":null}"#, "Expected primitive JSON value but got: NULL at [14]");
        check(r#"{"commit":1}"#, "Expected: OBJECT_START but got LONG at [11]");
        check(r#"{"commit":{"foo":1}}"#, "Unknown commit parameter 'foo'");
        check(r#"{"commit":{"waitSearcher":"x"}}"#, "invalid boolean value: x");
        check(r#"{"optimize":{"maxSegments":"x"}}"#, "For input string: \"x\"");
        check(r#"["a"]"#, "Expected: OBJECT_START but got STRING at [2]");
        check("[null]", "Expected: OBJECT_START but got NULL at [5]");
        check(r#"{"rollback":{"x":1}}"#, "Expected: OBJECT_END but got STRING at [14]");
        check(
            r#"{"add":{"doc":{"id":"a"},"commitWithin":"x"}}"#,
            "Cannot parse provided JSON: type mismatch: char=\",position=40 \
             AFTER='{\"add\":{\"doc\":{\"id\":\"a\"},\"commitWithin\":\"' BEFORE='x\"}}'",
        );
    }
}
