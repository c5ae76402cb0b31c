//! JSON of any shape as documents (`/update/json/docs`, `json.command=false`): `split` says which objects are documents,
//! `f` which paths become which fields. Without either, each object at the top is one, its nested names joined by dots.
//! Arrays are transparent. A document within another is a document below it. Behaviour recorded from Solr 9.10.1.

use std::sync::Arc;

use plan::{Error, ErrorKind, Result};

use crate::update::command::{AddCommand, Names, RawDocument, RawValue, UpdateCommand};
use crate::update::json_mapping::{Mapping, Target};
use crate::update::json_reader::{Event, JsonReader};
use crate::update::options::UpdateOptions;

/// Bytes of values that documents may take over from the objects around them, in one request.
const INHERITED_BYTES_MAX: usize = 256 << 20;

/// Decodes documents into `commands`, which keeps those read before an error.
pub fn decode(
    text: &str,
    mapping: &Mapping,
    options: &UpdateOptions,
    commands: &mut Vec<UpdateCommand>,
) -> Result<()> {
    let reader = JsonReader::new(text);
    let mut walk = Walk {
        reader,
        mapping,
        options,
        commands,
        names: Names::default(),
        path: Vec::new(),
        base: 0,
        listed: false,
        fields: Vec::new(),
        inherited: 0,
    };
    loop {
        match walk.reader.next_event()? {
            Event::End => return Ok(()),
            event => walk.value(event, false)?,
        }
    }
}

struct Walk<'a, 'b> {
    reader: JsonReader<'a>,
    mapping: &'b Mapping,
    options: &'b UpdateOptions,
    commands: &'b mut Vec<UpdateCommand>,
    names: Names,
    /// The keys on the way to here.
    path: Vec<Arc<str>>,
    /// How many of them lead to the document below another that is at hand: its names begin behind them.
    base: usize,
    /// Whether the value at hand stands in an array.
    listed: bool,
    /// Values of the document at hand, behind those of the objects around it.
    fields: Vec<(Arc<str>, RawValue)>,
    inherited: usize,
}

impl<'a> Walk<'a, '_> {
    /// Takes the value that starts with the event given. Recurses; the reader bounds how deep.
    fn value(&mut self, event: Event<'a>, in_document: bool) -> Result<()> {
        let value = match event {
            Event::ObjectStart => return self.object(in_document),
            Event::ArrayStart => return self.array(in_document),
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

    fn array(&mut self, in_document: bool) -> Result<()> {
        loop {
            match self.reader.next_event()? {
                Event::ArrayEnd => return Ok(()),
                event => {
                    self.listed = true;
                    self.value(event, in_document)?;
                }
            }
        }
    }

    fn object(&mut self, in_document: bool) -> Result<()> {
        let listed = std::mem::take(&mut self.listed);
        match (self.mapping.is_document(&self.path), in_document) {
            (true, true) => self.below(listed),
            (true, false) => self.document(),
            (false, true) => self.entries(true),
            (false, false) => {
                let before = self.fields.len();
                self.entries(false)?;
                self.fields.truncate(before);
                Ok(())
            }
        }
    }

    fn entries(&mut self, in_document: bool) -> Result<()> {
        while let Event::Key(key) = self.reader.next_event()? {
            let name = self.names.intern(&key);
            self.path.push(name);
            self.listed = false;
            let event = self.reader.next_event()?;
            self.value(event, in_document)?;
            self.path.pop();
        }
        Ok(())
    }

    /// A document of its own, with what the objects around it have said so far.
    fn document(&mut self) -> Result<()> {
        let before = self.fields.len();
        self.check_inherited()?;
        self.entries(true)?;
        self.emit();
        // A name that the document has given a value is taken from those around it too, as Solr does.
        let own = self.fields.split_off(before);
        self.fields.retain(|(name, _)| !own.iter().any(|(known, _)| known == name));
        Ok(())
    }

    /// A document below the one at hand, under the last name on the way to it; in a list where it stands in one.
    fn below(&mut self, listed: bool) -> Result<()> {
        let outer = std::mem::take(&mut self.fields);
        let base = std::mem::replace(&mut self.base, self.path.len());
        let read = self.entries(true);
        let own = std::mem::replace(&mut self.fields, outer);
        self.base = base;
        read?;
        let (Some(name), document) = (self.path.last(), RawValue::Map(own)) else { return Ok(()) };
        match self.fields.last_mut() {
            Some((known, RawValue::List(documents))) if listed && known == name => documents.push(document),
            _ if listed => self.fields.push((name.clone(), RawValue::List(vec![document]))),
            _ => self.fields.push((name.clone(), document)),
        }
        Ok(())
    }

    fn check_inherited(&mut self) -> Result<()> {
        for (_, value) in &self.fields {
            self.inherited += if let RawValue::Str(text) = value { text.len() + 32 } else { 32 };
        }
        if self.inherited <= INHERITED_BYTES_MAX {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::TooLarge,
            "documents take over too much from the objects around them; send them in smaller requests",
        ))
    }

    fn emit(&mut self) {
        self.commands.push(UpdateCommand::Add(AddCommand {
            document: RawDocument { fields: self.fields.clone() },
            overwrite: !self.options.no_overwrite,
            commit_within_ms: self.options.commit_within_ms,
        }));
    }

    /// Where documents are said to stand values are none.
    fn keep(&mut self, value: RawValue) {
        if self.mapping.is_document(&self.path) {
            return;
        }
        let Some(rule) = self.mapping.rule(&self.path) else { return };
        let name = match (&rule.target, self.path.last()) {
            (Target::Field(name), _) => name.clone(),
            (Target::Leaf, Some(name)) => name.clone(),
            (Target::Qualified, Some(name)) if self.path.len() == self.base + 1 => name.clone(),
            (Target::Qualified, Some(_)) => {
                self.names.intern(&self.path.get(self.base..).unwrap_or_default().join("."))
            }
            (_, None) => return,
        };
        self.fields.push((name, value));
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
        let result = Mapping::parse(&Params::new(pairs.collect()))
            .and_then(|mapping| decode(text, &mapping, &UpdateOptions::default(), &mut commands));
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
