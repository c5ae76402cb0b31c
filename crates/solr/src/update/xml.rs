//! An XML body of `/update`: `add` with its `doc`s, `delete`, `commit`, `optimize`, `rollback`, in an
//! `update` or alone. Elements that Solr passes over are passed over. Solr differs: it passes over a document
//! type, too (`compat/update/xml_csv.yaml`). Messages are Solr's, recorded from 9.10.1.

use plan::{Error, Result};
use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

use crate::params::shards;
use crate::params::update::{COMMIT_WITHIN, VERSION};
use crate::update::chunk::ContentChunk;
use crate::update::command::{AddCommand, CommitWithin, Names, RawDocument, RawValue, UpdateCommand};
use crate::update::nested::{ANONYMOUS, take_out_of_list};
use crate::update::options::{UpdateOptions, own_commit};
use crate::update::xml_source::{Source, Standing, XmlEvent};

/// Where a body stands between two of its pieces: between elements, in none that is a document.
#[derive(Clone, Debug, Default)]
pub struct Resume {
    standing: Standing,
    names: Names,
    add: AddOptions,
}

/// Decodes commands into `commands`, which keeps those read before an error. Gives the bytes that are done
/// with: a command that runs out of the piece is read again with the next.
pub fn decode(
    piece: ContentChunk<'_, str>,
    resume: &mut Resume,
    options: &UpdateOptions,
    commands: &mut Vec<UpdateCommand>,
) -> Result<usize> {
    let Resume { standing, names, add } = std::mem::take(resume);
    let text = piece.content.strip_prefix('\u{feff}').unwrap_or(piece.content);
    let skipped = piece.content.len() - text.len();
    let mut decoder = Decoder { source: Source::resumed(text, standing), options, commands, names, add };
    loop {
        let (mark, count, add) = (decoder.source.mark(), decoder.commands.len(), decoder.add);
        let step = decoder.step();
        if !piece.is_last && decoder.source.ran_out {
            decoder.commands.truncate(count);
            let standing = decoder.source.standing_at(mark);
            *resume = Resume { standing, names: decoder.names, add };
            return Ok(skipped + mark.at);
        }
        if !step? {
            return Ok(piece.content.len());
        }
    }
}

/// The attributes of an `add`.
#[derive(Clone, Copy, Debug, Default)]
struct AddOptions {
    overwrite: Option<bool>,
    commit_within: CommitWithin,
}

struct Decoder<'a, 'b> {
    source: Source<'a>,
    options: &'b UpdateOptions,
    commands: &'b mut Vec<UpdateCommand>,
    names: Names,
    add: AddOptions,
}

type Attributes = Vec<(String, String)>;

impl Decoder<'_, '_> {
    /// One element that is a command, or the next event around such; whether there may be more.
    fn step(&mut self) -> Result<bool> {
        match self.source.next()? {
            XmlEvent::Start(tag) => self.element(&tag)?,
            XmlEvent::End | XmlEvent::Text(_) => {}
            XmlEvent::Done => return Ok(false),
        }
        Ok(true)
    }

    fn element(&mut self, tag: &BytesStart<'_>) -> Result<()> {
        let name = tag.local_name().into_inner().to_owned();
        let in_add = self.source.open.iter().rev().nth(1).is_some_and(|parent| parent == "add");
        match name.as_str() {
            "add" => {
                let attributes = self.attributes(tag)?;
                self.add = AddOptions {
                    overwrite: get(&attributes, "overwrite").map(|it| it.eq_ignore_ascii_case("true")),
                    commit_within: commit_within(&attributes)?,
                };
                Ok(())
            }
            "doc" if in_add => self.add(),
            "delete" => self.delete(tag),
            "commit" | "optimize" => self.commit(tag, name == "optimize"),
            "rollback" => {
                self.commands.push(UpdateCommand::Rollback);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn attributes(&self, tag: &BytesStart<'_>) -> Result<Attributes> {
        let wrong = |error: &dyn std::fmt::Display| self.source.wrong(&error.to_string());
        tag.attributes()
            .map(|attribute| {
                let attribute = attribute.map_err(|error| wrong(&error))?;
                let value =
                    attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| wrong(&error))?;
                Ok((attribute.key.local_name().into_inner().to_owned(), value.into_owned()))
            })
            .collect()
    }

    fn add(&mut self) -> Result<()> {
        let mut document = self.document()?;
        document.fields.iter_mut().for_each(|(_, value)| take_out_of_list(value));
        self.commands.push(UpdateCommand::Add(AddCommand {
            document,
            overwrite: self.add.overwrite.unwrap_or(!self.options.no_overwrite),
            commit_within: self.add.commit_within,
        }));
        Ok(())
    }

    /// The fields of a document and those below it, up to its end. How deep it recurses is bounded as
    /// elements are.
    fn document(&mut self) -> Result<RawDocument> {
        let mut document = RawDocument::default();
        loop {
            match self.source.next()? {
                XmlEvent::Start(tag) => match tag.local_name().into_inner() {
                    "field" => {
                        let attributes = self.attributes(&tag)?;
                        self.field(&attributes, &mut document)?;
                    }
                    "doc" => {
                        let attributes = self.attributes(&tag)?;
                        let label = self.names.intern(get(&attributes, "name").unwrap_or(ANONYMOUS));
                        document.fields.push((label, RawValue::Map(self.document()?.fields)));
                    }
                    other => return Err(misplaced("doc", other)),
                },
                XmlEvent::Text(_) => {}
                XmlEvent::End | XmlEvent::Done => return Ok(document),
            }
        }
    }

    fn field(&mut self, attributes: &Attributes, document: &mut RawDocument) -> Result<()> {
        let content = self.content()?;
        let Some(name) = get(attributes, "name") else {
            // Solr differs: it finds a null pointer and blames itself (`compat/update/xml_csv.yaml`).
            return Err(Error::bad_request("a `field` of the document has no `name`; give it one"));
        };
        let name = self.names.intern(name);
        let is_null = get(attributes, "null").is_some_and(|it| it.eq_ignore_ascii_case("true"));
        let value = if is_null { RawValue::Null } else { content };
        let Some(modifier) = get(attributes, "update") else {
            document.fields.push((name, value));
            return Ok(());
        };
        let modifier = self.names.intern(modifier);
        let present = document.fields.iter_mut().find_map(|(known, value)| match value {
            RawValue::Map(entries) if *known == name => Some(entries),
            _ => None,
        });
        match present {
            Some(entries) => add_to(entries, modifier, value),
            None => document.fields.push((name, RawValue::Map(vec![(modifier, value)]))),
        }
        Ok(())
    }

    /// What is in a field: text, or documents, beside which text does not count.
    fn content(&mut self) -> Result<RawValue> {
        let mut documents = Vec::new();
        let mut all = String::new();
        loop {
            match self.source.next()? {
                XmlEvent::Text(text) if all.is_empty() => all = text,
                XmlEvent::Text(text) => all.push_str(&text),
                XmlEvent::Start(tag) => match tag.local_name().into_inner() {
                    "doc" => documents.push(RawValue::Map(self.document()?.fields)),
                    other => return Err(misplaced("doc", other)),
                },
                XmlEvent::End | XmlEvent::Done => break,
            }
        }
        Ok(if documents.is_empty() { RawValue::Str(all) } else { RawValue::List(documents) })
    }

    /// The text up to the end of the element at hand; `parent` names the element that complains about others
    /// inside.
    fn text(&mut self, parent: &str) -> Result<String> {
        let mut all = String::new();
        loop {
            match self.source.next()? {
                XmlEvent::Text(text) if all.is_empty() => all = text,
                XmlEvent::Text(text) => all.push_str(&text),
                XmlEvent::Start(tag) => return Err(misplaced(parent, tag.local_name().into_inner())),
                XmlEvent::End | XmlEvent::Done => return Ok(all),
            }
        }
    }

    fn delete(&mut self, tag: &BytesStart<'_>) -> Result<()> {
        let attributes = self.attributes(tag)?;
        let commit_within = commit_within(&attributes)?;
        loop {
            match self.source.next()? {
                XmlEvent::Start(tag) => {
                    let attributes = self.attributes(&tag)?;
                    let version = VERSION.parse(get(&attributes, "version"))?;
                    let command = match tag.local_name().into_inner() {
                        "id" => {
                            let route = get(&attributes, shards::ROUTE.name).map(str::to_owned);
                            UpdateCommand::Delete { id: self.text("delete")?, route, version, commit_within }
                        }
                        "query" => {
                            let query = self.text("delete")?;
                            UpdateCommand::DeleteByQuery { query, version, commit_within }
                        }
                        other => return Err(misplaced("delete", other)),
                    };
                    self.commands.push(command);
                }
                XmlEvent::Text(_) => {}
                XmlEvent::End | XmlEvent::Done => return Ok(()),
            }
        }
    }

    fn commit(&mut self, tag: &BytesStart<'_>, optimize: bool) -> Result<()> {
        let attributes = self.attributes(tag)?;
        self.commands.push(UpdateCommand::Commit(own_commit(&attributes, optimize)?));
        Ok(())
    }
}

/// Puts a value beside those that one modifier of one field already has.
fn add_to(
    entries: &mut Vec<(std::sync::Arc<str>, RawValue)>,
    modifier: std::sync::Arc<str>,
    value: RawValue,
) {
    match entries.iter_mut().find(|(known, _)| *known == modifier) {
        Some((_, RawValue::List(values))) => values.push(value),
        Some((_, present)) => {
            let first = std::mem::replace(present, RawValue::Null);
            *present = RawValue::List(vec![first, value]);
        }
        None => entries.push((modifier, value)),
    }
}

fn get<'a>(attributes: &'a Attributes, name: &str) -> Option<&'a str> {
    attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

fn misplaced(parent: &str, child: &str) -> Error {
    Error::bad_request(format!("XML element <{parent}> has invalid XML child element: {child}"))
}

/// The attribute is spelled and read as the parameter is.
fn commit_within(attributes: &Attributes) -> Result<CommitWithin> {
    let ms = COMMIT_WITHIN.parse(get(attributes, COMMIT_WITHIN.name))?;
    Ok(CommitWithin::of_command(ms.flatten()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::update::testing::shown;

    fn show(text: &str) -> String {
        let mut commands = Vec::new();
        let (piece, mut resume) = (ContentChunk::whole(text), Resume::default());
        let failure = decode(piece, &mut resume, &UpdateOptions::default(), &mut commands).err();
        shown(&commands, failure)
    }

    fn doc(fields: &str) -> String {
        format!("<add><doc>{fields}</doc></add>")
    }

    #[test]
    fn every_form_of_command_is_read() {
        let check = |text: &str, expected: &str| assert_eq!(show(text), expected, "{text}");
        check("<add/>", "");
        check("<foo/>", "");
        check("<add>text<foo/><field name='id'>a</field></add>", "");
        check(&doc("<field name='id'>a</field>"), "add {id=a}");
        check(&doc("<field name='id'> a </field>"), "add {id= a }");
        check(&doc("<field name='id'/>"), "add {id=}");
        check(&doc("<field name='id'><![CDATA[<a>]]>b&amp;&#99;<!-- c -->d</field>"), "add {id=<a>b&cd}");
        check(
            "<add overwrite='false' commitWithin='5'><doc boost='2'><field name='id' boost='2'>a</field></doc>\
             <doc><field name='id'>b</field></doc></add>",
            "add {id=a} within 5 keep; add {id=b} within 5 keep",
        );
        check(
            &doc("<field name='n' update='add'>x</field><field name='n' update='add'>y</field>"),
            "add {n={add=[x, y]}}",
        );
        check(
            &doc("<field name='n' update='add'>x</field><field name='n' update='remove'>y</field>"),
            "add {n={add=x, remove=y}}",
        );
        check(&doc("<field name='n' update='set' null='true'/>"), "add {n={set=null}}");
        let child = "<doc><field name='id'>c</field></doc>";
        check(&doc(&format!("{child}{child}")), "add {_childDocuments_={id=c}, _childDocuments_={id=c}}");
        let labelled = "<doc name='a&amp;b'><field name='id'>c</field></doc>";
        check(
            &doc(&format!("{labelled}{child}{labelled}")),
            "add {a&b={id=c}, _childDocuments_={id=c}, a&b={id=c}}",
        );
        check(&format!("<add>{labelled}</add>"), "add {id=c}");
        check(&doc(&format!("<field name='k'>{child}</field>")), "add {k={id=c}}");
        check(&doc(&format!("<field name='k'>{child}{child}</field>")), "add {k=[{id=c}, {id=c}]}");
        check(&doc(&format!("<field name='k' update='add'>{child}</field>")), "add {k={add=[{id=c}]}}");
        check(&doc("<field name='n' null='true'>x</field>"), "add {n=null}");
        check(
            "<delete><id>a</id><query>x:1</query><id version='5'>b</id></delete>",
            "del a; query x:1; del b v5",
        );
        check("<commit softCommit='true'/>", "soft");
        check("<update><commit/><optimize maxSegments='2'/><rollback/></update>", "hard; optimize; rollback");
        check("<add xmlns='urn:x'><doc><field name='id'>a</field></doc></add><!-- end -->", "add {id=a}");
        check("\u{feff}<?xml version='1.0'?><delete><id>a</id></delete>", "del a");
    }

    #[test]
    fn errors_are_in_solrs_words() {
        let check = |text: &str, expected: &str| {
            let shown = show(text);
            assert!(
                shown.trim_start_matches("add {id=a}; ").starts_with(&format!("!{expected}")),
                "{text}: {shown}"
            );
        };
        check("", "Unexpected EOF in prolog\n at [row,col {unknown-source}]: [1,0]");
        check(
            "<add>",
            "Unexpected EOF; was expecting a close tag for element <add>\n at [row,col {unknown-source}]: [1,5]",
        );
        check("<add><doc", "Unexpected EOF; was expecting a close tag for element <add>");
        check("text", "Unexpected character 't' (code 116) in prolog; expected '<'");
        check("<add/> junk", "Unexpected character 'j' (code 106) in epilog; expected '<'");
        check(
            &format!("{}<add/>", doc("<field name='id'>a</field>")),
            "Illegal to have multiple roots (start tag in epilog?).",
        );
        check("<add><doc><field name='id'>a</doc></add>", "Unexpected close tag </doc>; expected </field>.");
        check("</add>", "Unexpected close tag </add>");
        check(&doc("<field name='id'>&foo;</field>"), "Undeclared general entity \"foo\"");
        check("<!DOCTYPE add [<!ENTITY x 'y'>]><add/>", "A DOCTYPE is not allowed");
        check(&doc("<foo/>"), "XML element <doc> has invalid XML child element: foo");
        check(&doc("<field name='a'><b>x</b></field>"), "XML element <doc> has invalid XML child element: b");
        check(&doc("<field>a</field>"), "a `field` of the document has no `name`");
        check("<delete><foo>a</foo></delete>", "XML element <delete> has invalid XML child element: foo");
        check("<delete><id version='x'>a</id></delete>", "For input string: \"x\"");
        check("<commit foo='1'/>", "Unknown commit parameter 'foo'");
        check("<commit waitSearcher='x'/>", "invalid boolean value: x");
        check("<optimize maxSegments='x'/>", "For input string: \"x\"");
        check("<add commitWithin='x'/>", "For input string: \"x\"");
        check(&"<a>".repeat(100_000), "Elements are nested deeper than 64");
    }
}
