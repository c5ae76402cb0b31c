//! JSON of any shape as documents (`/update/json/docs`, `json.command=false`): `split` says which objects are
//! documents, `f` which paths become which fields. Without either, each object at the top is one, its nested
//! names joined by dots. Arrays are transparent. A document within another is a document below it. Behaviour
//! recorded from Solr 9.10.1.

use std::sync::Arc;

use plan::{Error, ErrorKind, Result};

use crate::update::chunk::ContentChunk;
use crate::update::command::{AddCommand, CommitWithin, Names, RawDocument, RawValue, UpdateCommand};
use crate::update::json_mapping::{Mapping, Target};
use crate::update::json_reader::{Event, JsonReader, Standing};
use crate::update::options::UpdateOptions;

/// Bytes of values that documents may take over from the objects around them, in one request.
const INHERITED_BYTES_MAX: usize = 256 << 20;

/// Where a body stands between two of its pieces: among what holds documents, never within one.
#[derive(Clone, Debug, Default)]
pub struct Resume {
    standing: Standing,
    names: Names,
    around: Around,
}

/// Decodes documents into `commands`, which keeps those read before an error. Gives the bytes that are done
/// with: a document that runs out of the piece is read again with the next.
pub fn decode(
    piece: ContentChunk<'_, str>,
    resume: &mut Resume,
    mapping: &Mapping,
    options: &UpdateOptions,
    commands: &mut Vec<UpdateCommand>,
) -> Result<usize> {
    let Resume { standing, names, around } = std::mem::take(resume);
    let reader = JsonReader::resumed(piece.content, standing);
    let mut walk = Walk { reader, mapping, options, commands, names, around, base: 0, listed: false };
    loop {
        let before = (walk.reader.mark(), walk.commands.len(), walk.around.sizes());
        let step = walk.step();
        if !piece.is_last && walk.reader.ran_out(step.is_err()) {
            let (mark, count, sizes) = before;
            walk.commands.truncate(count);
            walk.around.truncate(sizes);
            let standing = walk.reader.standing_at(mark);
            *resume = Resume { standing, names: walk.names, around: walk.around };
            return Ok(mark.at);
        }
        if !step? {
            return Ok(piece.content.len());
        }
    }
}

/// What is open around documents.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Open {
    Array,
    /// This many values there were before it.
    Object(usize),
}

/// What stands around the document that comes next.
#[derive(Clone, Debug, Default)]
struct Around {
    open: Vec<Open>,
    /// The keys on the way to here.
    path: Vec<Arc<str>>,
    /// Values of the document at hand, behind those of the objects around it.
    fields: Vec<(Arc<str>, RawValue)>,
    /// Bytes that documents have taken over.
    inherited: usize,
}

impl Around {
    fn sizes(&self) -> [usize; 4] {
        [self.open.len(), self.path.len(), self.fields.len(), self.inherited]
    }

    /// Back to what it was: what a step adds stands behind, and a step that closes anything reads nothing
    /// more.
    fn truncate(&mut self, [open, path, fields, inherited]: [usize; 4]) {
        self.open.truncate(open);
        self.path.truncate(path);
        self.fields.truncate(fields);
        self.inherited = inherited;
    }
}

struct Walk<'a, 'b> {
    reader: JsonReader<'a>,
    mapping: &'b Mapping,
    options: &'b UpdateOptions,
    commands: &'b mut Vec<UpdateCommand>,
    names: Names,
    around: Around,
    /// How many of the keys lead to the document below another that is at hand: its names begin behind them.
    base: usize,
    /// Whether the value at hand stands in an array.
    listed: bool,
}

impl<'a> Walk<'a, '_> {
    /// The next value around documents, or a whole document; whether there may be more.
    fn step(&mut self) -> Result<bool> {
        let event = self.reader.next_event()?;
        match (self.around.open.last(), event) {
            (None, Event::End) => return Ok(false),
            (Some(Open::Object(_)), Event::Key(key)) => {
                let name = self.names.intern(&key);
                self.around.path.push(name);
                let event = self.reader.next_event()?;
                self.begin(event)?;
            }
            (Some(Open::Object(before)), _) => {
                self.around.fields.truncate(*before);
                self.close();
            }
            (Some(Open::Array), Event::ArrayEnd) => self.close(),
            (_, event) => self.begin(event)?,
        }
        Ok(true)
    }

    /// Takes the value, outside of documents, that starts with the event given: a document is read to its
    /// end, what holds others is entered.
    fn begin(&mut self, event: Event<'a>) -> Result<()> {
        match event {
            Event::ArrayStart => self.around.open.push(Open::Array),
            Event::ObjectStart if self.mapping.is_document(&self.around.path) => {
                self.document()?;
                self.leave();
            }
            Event::ObjectStart => self.around.open.push(Open::Object(self.around.fields.len())),
            event => {
                self.value(event)?;
                self.leave();
            }
        }
        Ok(())
    }

    fn close(&mut self) {
        self.around.open.pop();
        self.leave();
    }

    /// A value is over: if it stood under a key, so is that.
    fn leave(&mut self) {
        if let Some(Open::Object(_)) = self.around.open.last() {
            self.around.path.pop();
        }
    }

    /// Takes the value that starts with the event given. Recurses in documents; the reader bounds how deep.
    fn value(&mut self, event: Event<'a>) -> Result<()> {
        let value = match event {
            Event::ObjectStart => return self.object(),
            Event::ArrayStart => return self.array(),
            Event::Str(text) => RawValue::Str(text.into_owned()),
            Event::Long(number) => RawValue::Long(number),
            Event::Real(number) => RawValue::Double(number),
            Event::Big(text) => RawValue::Str(text.to_owned()),
            Event::Bool(flag) => RawValue::Bool(flag),
            _ => return Ok(()),
        };
        self.keep(value);
        Ok(())
    }

    fn array(&mut self) -> Result<()> {
        loop {
            match self.reader.next_event()? {
                Event::ArrayEnd => return Ok(()),
                event => {
                    self.listed = true;
                    self.value(event)?;
                }
            }
        }
    }

    fn object(&mut self) -> Result<()> {
        let listed = std::mem::take(&mut self.listed);
        if self.mapping.is_document(&self.around.path) { self.below(listed) } else { self.entries() }
    }

    fn entries(&mut self) -> Result<()> {
        while let Event::Key(key) = self.reader.next_event()? {
            let name = self.names.intern(&key);
            self.around.path.push(name);
            self.listed = false;
            let event = self.reader.next_event()?;
            self.value(event)?;
            self.around.path.pop();
        }
        Ok(())
    }

    /// A document of its own, with what the objects around it have said so far.
    fn document(&mut self) -> Result<()> {
        let before = self.around.fields.len();
        self.check_inherited()?;
        self.entries()?;
        self.emit();
        // A name that the document has given a value is taken from those around it too, as Solr does.
        let own = self.around.fields.split_off(before);
        self.around.fields.retain(|(name, _)| !own.iter().any(|(known, _)| known == name));
        Ok(())
    }

    /// A document below the one at hand, under the last name on the way to it; in a list where it stands in
    /// one.
    fn below(&mut self, listed: bool) -> Result<()> {
        let outer = std::mem::take(&mut self.around.fields);
        let base = std::mem::replace(&mut self.base, self.around.path.len());
        let read = self.entries();
        let own = std::mem::replace(&mut self.around.fields, outer);
        self.base = base;
        read?;
        let (Some(name), document) = (self.around.path.last(), RawValue::Map(own)) else { return Ok(()) };
        match self.around.fields.last_mut() {
            Some((known, RawValue::List(documents))) if listed && known == name => documents.push(document),
            _ if listed => self.around.fields.push((name.clone(), RawValue::List(vec![document]))),
            _ => self.around.fields.push((name.clone(), document)),
        }
        Ok(())
    }

    fn check_inherited(&mut self) -> Result<()> {
        for (_, value) in &self.around.fields {
            self.around.inherited += if let RawValue::Str(text) = value { text.len() + 32 } else { 32 };
        }
        if self.around.inherited <= INHERITED_BYTES_MAX {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::TooLarge,
            "documents take over too much from the objects around them; send them in smaller requests",
        ))
    }

    fn emit(&mut self) {
        self.commands.push(UpdateCommand::Add(AddCommand {
            document: RawDocument { fields: self.around.fields.clone() },
            overwrite: !self.options.no_overwrite,
            commit_within: CommitWithin::default(),
        }));
    }

    /// Where documents are said to stand values are none.
    fn keep(&mut self, value: RawValue) {
        if self.mapping.is_document(&self.around.path) {
            return;
        }
        let Some(rule) = self.mapping.rule(&self.around.path) else { return };
        let name = match (&rule.target, self.around.path.last()) {
            (Target::Field(name), _) => name.clone(),
            (Target::Leaf, Some(name)) => name.clone(),
            (Target::Qualified, Some(name)) if self.around.path.len() == self.base + 1 => name.clone(),
            (Target::Qualified, Some(_)) => {
                self.names.intern(&self.around.path.get(self.base..).unwrap_or_default().join("."))
            }
            (_, None) => return,
        };
        self.around.fields.push((name, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::update::testing::documents;

    fn show(text: &str, params: &[(&str, &str)]) -> String {
        let pairs = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut commands = Vec::new();
        let result = Mapping::parse(&Params::new(pairs.collect())).and_then(|mapping| {
            let (piece, mut resume) = (ContentChunk::whole(text), Resume::default());
            decode(piece, &mut resume, &mapping, &UpdateOptions::default(), &mut commands)
        });
        documents(&commands, result.err())
    }

    #[test]
    fn objects_become_documents() {
        let check = |text: &str, expected: &str| assert_eq!(show(text, &[]), expected, "{text}");
        check("", "");
        check("5 \"x\" [1]", "");
        check("{}", "{}");
        check(r#"[{"id":"a"},{"id":"b"}]"#, "{id=a}; {id=b}");
        check("{\"id\":\"a\"}{\"id\":\"b\"}\n{\"id\":\"c\"}", "{id=a}; {id=b}; {id=c}");
        check(r#"{"id":"a","o":{"x":1,"p":{"y":2}}}"#, "{id=a, o.x=1, o.p.y=2}");
        check(r#"{"l":[1,"b",null,[2]]}"#, "{l=1, l=b, l=2}");
        check(r#"{"l":[{"x":1},{"x":2}]}"#, "{l.x=1, l.x=2}");
        check(r#"{"x":{"set":5},"delete":"a"}"#, "{x.set=5, delete=a}");
        check(
            "{\"id\":\"a\"",
            "!Cannot parse provided JSON: Expected ',' or '}': char=(EOF),position=9 AFTER=''",
        );
    }

    #[test]
    fn paths_choose_documents_and_fields() {
        let text = r#"{"first":"J","exams":[{"s":"m","t":1},{"s":"b","t":2}]}"#;
        let check =
            |params: &[(&str, &str)], expected: &str| assert_eq!(show(text, params), expected, "{params:?}");
        check(
            &[("split", "/exams"), ("f", "n:/first"), ("f", "id:/exams/s"), ("f", "/exams/t")],
            "{n=J, id=m, t=1}; {n=J, id=b, t=2}",
        );
        check(&[("split", "/exams"), ("f", "/**")], "{first=J, s=m, t=1}; {first=J, s=b, t=2}");
        check(&[("split", "/exams"), ("f", "/exams/*")], "{s=m, t=1}; {s=b, t=2}");
        check(&[("f", "/**")], "{first=J, s=m, t=1, s=b, t=2}");
        check(&[("f", "txt:/**")], "{txt=J, txt=m, txt=1, txt=b, txt=2}");
        check(
            &[("split", "/exams"), ("f", "$FQN:/exams/*"), ("f", "id:/exams/t")],
            "{exams.s=m, id=1}; {exams.s=b, id=2}",
        );
        check(&[("f", "a:/first"), ("f", "b:/first")], "{b=J}");
        check(&[("split", "/nope"), ("f", "/**")], "");
        check(&[("split", "exams")], "!All paths must start with '/' exams");
        check(&[("f", "x")], "!All paths must start with '/' x");
        check(&[("split", "/exams|/")], "!/ has a parent node at my level or lower");
        check(&[("split", "/|/exams|/exams")], "!exams has a parent node at my level or lower");
        check(&[("srcField", "x")], "!`srcField` is not supported yet; leave it out");
    }

    /// Recorded from Solr 9.10.1 with `echo=true`.
    #[test]
    fn documents_stand_below_others() {
        let text = r#"{"id":"s1","a":{"x":"1","exams":[{"id":"e1","q":[{"id":"q1","v":"v"}]},{"id":"e2"}]},"tail":"t"}"#;
        let check =
            |split: &str, expected: &str| assert_eq!(show(text, &[("split", split)]), expected, "{split}");
        check("/|/a/exams", "{id=s1, a.x=1, exams=[{id=e1, q.id=q1, q.v=v}, {id=e2}], tail=t}");
        check("/|/a/exams|/a/exams/q", "{id=s1, a.x=1, exams=[{id=e1, q=[{id=q1, v=v}]}, {id=e2}], tail=t}");
        check("/a|/a/exams", "{id=s1, a.x=1, exams=[{id=e1, q.id=q1, q.v=v}, {id=e2}]}");
        check(
            "/|/nope",
            "{id=s1, a.x=1, a.exams.id=e1, a.exams.q.id=q1, a.exams.q.v=v, a.exams.id=e2, tail=t}",
        );
        let show_all = |split: &str| show(text, &[("split", split), ("f", "/**")]);
        assert_eq!(show_all("/a/exams"), "{id=s1, x=1, id=e1, id=q1, v=v}; {x=1, id=e2}");
    }
}
