//! JSON of any shape as documents (`/update/json/docs`, `json.command=false`): `split` says which objects are documents,
//! `f` which paths become which fields. Without either, each object at the top is one, its nested names joined by dots.
//! Arrays are transparent. Behaviour recorded from Solr 9.10.1; `echo`, `srcField`, `mapUniqueKeyOnly` and several splits
//! are refused for now.

use std::sync::Arc;

use plan::{Error, ErrorKind, Result};

use crate::params::Params;
use crate::update::command::{AddCommand, Names, RawDocument, RawValue, UpdateCommand};
use crate::update::json_reader::{Event, JsonReader};
use crate::update::options::{self, UpdateOptions};

/// Bytes of values that documents may take over from the objects around them, in one request.
const INHERITED_BYTES_MAX: usize = 256 << 20;

/// Which objects are documents and what goes into them.
pub struct Mapping {
    split: Vec<String>,
    rules: Vec<Rule>,
}

struct Rule {
    path: Vec<String>,
    reach: Reach,
    target: Target,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The path itself.
    Exact,
    /// `/*`: what is directly below.
    Children,
    /// `/**`: all that is below.
    All,
}

enum Target {
    Field(Arc<str>),
    /// The last name of the path.
    Leaf,
    /// All names of the path, joined by dots (`$FQN`).
    Qualified,
}

impl Mapping {
    /// Reads `split` and `f`.
    pub fn parse(params: &Params) -> Result<Self> {
        for name in ["echo", "srcField", "mapUniqueKeyOnly"] {
            let off = |value| matches!(options::parse_bool(value), Ok(false));
            if params.get(name).is_some_and(|value| !off(value)) {
                return Err(Error::bad_request(format!("`{name}` is not supported yet; leave it out")));
            }
        }
        let split = params.get("split").unwrap_or("/");
        if split.contains('|') {
            return Err(Error::bad_request(format!(
                "`split` is `{split}`: nested documents are not supported yet; name one path"
            )));
        }
        let mut rules = params.all("f").map(Rule::parse).collect::<Result<Vec<_>>>()?;
        if rules.is_empty() {
            rules.push(Rule { path: Vec::new(), reach: Reach::All, target: Target::Qualified });
        }
        Ok(Self { split: segments(split)?, rules })
    }

    /// The rule for a value at `path`: of several, an exact one, and of those the last.
    fn rule(&self, path: &[Arc<str>]) -> Option<&Rule> {
        let exact = self.rules.iter().rev().find(|rule| rule.reach == Reach::Exact && rule.covers(path));
        exact.or_else(|| self.rules.iter().find(|rule| rule.covers(path)))
    }

    fn is_document(&self, path: &[Arc<str>]) -> bool {
        same(&self.split, path)
    }
}

impl Rule {
    fn parse(text: &str) -> Result<Self> {
        let (target, path) = match text.split_once(':') {
            Some((target, path)) => (Some(target), path),
            None => (None, text),
        };
        let mut path = segments(path)?;
        let reach = match path.last().map(String::as_str) {
            Some("**") => Reach::All,
            Some("*") => Reach::Children,
            _ => Reach::Exact,
        };
        if reach != Reach::Exact {
            path.pop();
        }
        let target = match target {
            None => Target::Leaf,
            Some("$FQN") => Target::Qualified,
            Some(field) => Target::Field(Arc::from(field)),
        };
        Ok(Self { path, reach, target })
    }

    fn covers(&self, path: &[Arc<str>]) -> bool {
        match self.reach {
            Reach::Exact => same(&self.path, path),
            Reach::Children => path.split_last().is_some_and(|(_, above)| same(&self.path, above)),
            Reach::All => path.get(..self.path.len()).is_some_and(|above| same(&self.path, above)),
        }
    }
}

fn same(wanted: &[String], path: &[Arc<str>]) -> bool {
    wanted.len() == path.len() && wanted.iter().zip(path).all(|(one, other)| one.as_str() == &**other)
}

fn segments(path: &str) -> Result<Vec<String>> {
    let below = path
        .strip_prefix('/')
        .ok_or_else(|| Error::bad_request(format!("All paths must start with '/' {path}")))?;
    Ok(below.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

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
                event => self.value(event, in_document)?,
            }
        }
    }

    fn object(&mut self, in_document: bool) -> Result<()> {
        let starts = !in_document && self.mapping.is_document(&self.path);
        let before = self.fields.len();
        if starts {
            self.check_inherited()?;
        }
        while let Event::Key(key) = self.reader.next_event()? {
            let name = self.names.intern(&key);
            self.path.push(name);
            let event = self.reader.next_event()?;
            self.value(event, in_document || starts)?;
            self.path.pop();
        }
        if starts {
            self.emit();
        }
        if !in_document {
            self.fields.truncate(before);
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

    fn keep(&mut self, value: RawValue) {
        let Some(rule) = self.mapping.rule(&self.path) else { return };
        let name = match (&rule.target, self.path.last()) {
            (Target::Field(name), _) => name.clone(),
            (Target::Leaf, Some(name)) => name.clone(),
            (Target::Qualified, Some(name)) if self.path.len() == 1 => name.clone(),
            (Target::Qualified, Some(_)) => self.names.intern(&self.path.join(".")),
            (_, None) => return,
        };
        self.fields.push((name, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        check(
            &[("split", "/|/exams")],
            "!`split` is `/|/exams`: nested documents are not supported yet; name one path",
        );
        check(&[("srcField", "x")], "!`srcField` is not supported yet; leave it out");
    }
}
