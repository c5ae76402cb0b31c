//! A javabin body of `/update`, as SolrJ sends by default: requests one behind another, each a named list of
//! parameters, deletes and documents. Documents are taken one by one as they come; deletes follow them, as in
//! Solr. Layout as of Solr 9.10.1 (`JavaBinUpdateRequestCodec`). Solr differs: it takes a body that ends
//! early for one that ends (`compat/update/javabin.yaml`).

use std::sync::Arc;

use plan::Result;

use crate::javabin::{JavabinReader, JavabinToken};
use crate::params::shards;
use crate::params::update::{COMMIT_WITHIN, OVERWRITE};
use crate::update::binary_bounds::Bounds;
use crate::update::chunk::ContentChunk;
use crate::update::command::{AddCommand, CommitWithin, RawDocument, RawValue, UpdateCommand};
use crate::update::nested::ANONYMOUS;
use crate::update::options::UpdateOptions;

type Fields = Vec<(Arc<str>, RawValue)>;

/// Where a body stands between two of its pieces.
#[derive(Clone, Debug, Default)]
pub struct Resume {
    names: Vec<Arc<str>>,
    place: NextToken,
    own: Own,
}

/// What comes next. Counts say how many follow, where that is sent.
#[derive(Clone, Copy, Debug, Default)]
enum NextToken {
    #[default]
    Request,
    Sections(Option<usize>),
    Documents {
        left: Option<usize>,
        sections: Option<usize>,
    },
}

/// Decodes commands into `commands`, which keeps those read before an error. Gives the bytes that are done
/// with: a document that runs out of the piece is read again with the next.
pub fn decode(
    piece: ContentChunk<'_, [u8]>,
    resume: &mut Resume,
    options: &UpdateOptions,
    commands: &mut Vec<UpdateCommand>,
) -> Result<usize> {
    let body = piece.content;
    let Resume { names, place, own } = std::mem::take(resume);
    let (reader, bounds) = (JavabinReader::resumed(body, names), Bounds::of(body));
    let mut decoder = Decoder { reader, options, commands, place, own, bounds };
    loop {
        let before = (decoder.reader.mark(), decoder.place, decoder.own.deletes.len());
        match decoder.step() {
            Ok(true) => {}
            Err(error) if piece.is_last || !decoder.reader.ran_out() => {
                decoder.commands.append(&mut decoder.own.deletes);
                return Err(error);
            }
            _ => {
                let (mark, place, deletes) = before;
                decoder.own.deletes.truncate(deletes);
                *resume = Resume { names: decoder.reader.names_at(mark), place, own: decoder.own };
                return Ok(body.len() - mark.left);
            }
        }
    }
}

/// What one request of the body says about its own documents.
#[derive(Clone, Debug, Default)]
struct Own {
    overwrite: Option<bool>,
    commit_within: CommitWithin,
    /// Carried out when all documents have been read.
    deletes: Vec<UpdateCommand>,
}

struct Decoder<'a, 'b> {
    reader: JavabinReader<'a>,
    options: &'b UpdateOptions,
    commands: &'b mut Vec<UpdateCommand>,
    place: NextToken,
    own: Own,
    bounds: Bounds,
}

impl<'a> Decoder<'a, '_> {
    /// A document, a section of a request that holds none, or what stands before or behind these; whether
    /// there may be more.
    fn step(&mut self) -> Result<bool> {
        match self.place {
            NextToken::Request if self.reader.is_at_end() => return Ok(false),
            NextToken::Request => self.request()?,
            NextToken::Sections(left) => match self.item(left)? {
                Some(key) => {
                    self.place = NextToken::Sections(less(left));
                    self.section(key)?;
                }
                None => {
                    self.commands.append(&mut self.own.deletes);
                    self.place = NextToken::Request;
                }
            },
            NextToken::Documents { left, sections } => match self.item(left)? {
                Some(item) => {
                    self.place = NextToken::Documents { left: less(left), sections };
                    self.document(item)?;
                }
                None => self.place = NextToken::Sections(sections),
            },
        }
        Ok(true)
    }

    fn request(&mut self) -> Result<()> {
        self.own = Own::default();
        self.reader.start()?;
        let JavabinToken::Map(len) = self.reader.next()? else {
            return Err(self.reader.wrong("an update is a named list"));
        };
        self.place = NextToken::Sections(len);
        Ok(())
    }

    /// The next of this many items, or of those up to an end.
    fn item(&mut self, left: Option<usize>) -> Result<Option<JavabinToken<'a>>> {
        if left == Some(0) {
            return Ok(None);
        }
        let item = self.reader.next()?;
        Ok((left.is_some() || item != JavabinToken::End).then_some(item))
    }

    fn section(&mut self, key: JavabinToken<'a>) -> Result<()> {
        let key = self.reader.as_name(key)?;
        let item = self.reader.next()?;
        match (&*key, item) {
            (_, JavabinToken::Null) => Ok(()),
            ("docs" | "docsMap", JavabinToken::List(left)) => {
                if let NextToken::Sections(sections) = self.place {
                    self.place = NextToken::Documents { left, sections };
                }
                Ok(())
            }
            ("params", item) => {
                let params = self.value(item, 0)?;
                self.params(params)
            }
            ("delById", JavabinToken::List(len)) => self.each(len, |this, id| {
                let id = this.value(id, 0)?.to_text();
                this.delete(id, (None, None));
                Ok(())
            }),
            ("delByIdMap", JavabinToken::Map(len)) => self.each(len, Self::delete_with_options),
            ("delByQ", JavabinToken::List(len)) => self.each(len, Self::delete_by_query),
            (_, item) => self.value(item, 0).map(drop),
        }
    }

    /// The items up to the end of what holds them; of a map, its keys.
    fn each(
        &mut self,
        mut left: Option<usize>,
        mut take: impl FnMut(&mut Self, JavabinToken<'a>) -> Result<()>,
    ) -> Result<()> {
        while let Some(item) = self.item(left)? {
            left = less(left);
            take(self, item)?;
        }
        Ok(())
    }

    /// A document, one with options of its own, or parameters of their own between documents.
    fn document(&mut self, item: JavabinToken<'a>) -> Result<()> {
        let (item, with_options) = match item {
            JavabinToken::Entry => (self.reader.next()?, true),
            item => (item, false),
        };
        let fields = match self.value(item, 0)? {
            RawValue::Map(fields) => fields,
            other => {
                let shown = other.to_text();
                return Err(self.reader.wrong(&format!("`{shown}` is no document")));
            }
        };
        let mut own = AddCommand {
            document: RawDocument { fields },
            overwrite: self.own.overwrite.unwrap_or(!self.options.no_overwrite),
            commit_within: self.own.commit_within,
        };
        if with_options {
            let item = self.reader.next()?;
            let options = self.value(item, 0)?;
            for (name, value) in entries(options) {
                match (&*name, value) {
                    ("cw", RawValue::Long(ms)) => own.commit_within = own.commit_within.beside_document(ms),
                    ("ow", RawValue::Bool(flag)) => own.overwrite = flag,
                    _ => {}
                }
            }
        }
        self.commands.push(UpdateCommand::Add(own));
        Ok(())
    }

    /// A parameter's value is a text, or a list of them.
    fn params(&mut self, params: RawValue) -> Result<()> {
        for (name, value) in entries(params) {
            let value = match value {
                RawValue::List(values) => values.into_iter().next().unwrap_or(RawValue::Null),
                value => value,
            };
            match &*name {
                "overwrite" => self.own.overwrite = Some(OVERWRITE.parse(Some(&value.to_text()))?),
                "commitWithin" => {
                    let ms = COMMIT_WITHIN.parse(Some(&value.to_text()))?;
                    self.own.commit_within = CommitWithin::of_command(ms.flatten());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn delete(&mut self, id: String, (version, route): (Option<i64>, Option<String>)) {
        let commit_within = self.own.commit_within;
        self.own.deletes.push(UpdateCommand::Delete { id, route, version, commit_within });
    }

    fn delete_with_options(&mut self, id: JavabinToken<'a>) -> Result<()> {
        let id = self.reader.as_name(id)?.to_string();
        let item = self.reader.next()?;
        let options = entries(self.value(item, 0)?);
        let (mut version, mut route) = (None, None);
        for (name, value) in options {
            match (&*name, value) {
                ("ver", RawValue::Long(sent)) => version = Some(sent),
                (_, RawValue::Null) => {}
                (name, value) if name == shards::ROUTE.name => route = Some(value.to_text()),
                _ => {}
            }
        }
        self.delete(id, (version, route));
        Ok(())
    }

    fn delete_by_query(&mut self, query: JavabinToken<'a>) -> Result<()> {
        let query = self.value(query, 0)?.to_text();
        let commit_within = self.own.commit_within;
        self.own.deletes.push(UpdateCommand::DeleteByQuery { query, version: None, commit_within });
        Ok(())
    }

    /// The value that begins with the item given. Recurses, within bounds.
    fn value(&mut self, item: JavabinToken<'a>, depth: usize) -> Result<RawValue> {
        self.bounds.value(depth)?;
        Ok(match item {
            JavabinToken::Null => RawValue::Null,
            JavabinToken::Bool(flag) => RawValue::Bool(flag),
            JavabinToken::Int(number) => RawValue::Long(i64::from(number)),
            JavabinToken::Long(number) => RawValue::Long(number),
            JavabinToken::Float(number) => RawValue::Float(number),
            JavabinToken::Double(number) => RawValue::Double(number),
            JavabinToken::Date(ms) => RawValue::Date(ms),
            JavabinToken::Bytes(bytes) => RawValue::Bytes(bytes.to_vec()),
            JavabinToken::Text(text) => RawValue::Str(text.into_owned()),
            JavabinToken::Name(name) => RawValue::Str(self.bounds.repeated(&name)?),
            JavabinToken::List(len) => {
                let mut values = Vec::new();
                self.each(len, |this, item| {
                    values.push(this.value(item, depth + 1)?);
                    Ok(())
                })?;
                RawValue::List(values)
            }
            JavabinToken::Map(len) => {
                let mut fields = Vec::new();
                self.each(len, |this, key| this.entry(key, depth + 1, &mut fields))?;
                RawValue::Map(fields)
            }
            JavabinToken::InputDocument(len) => {
                let mut fields = Vec::with_capacity(len.min(64));
                self.each(Some(len), |this, item| this.field(item, depth + 1, &mut fields))?;
                RawValue::Map(fields)
            }
            JavabinToken::Entry => {
                let (key, mut fields) = (self.reader.next()?, Vec::with_capacity(1));
                self.entry(key, depth + 1, &mut fields)?;
                RawValue::Map(fields)
            }
            JavabinToken::End => return Err(self.reader.wrong("an end is out of place")),
        })
    }

    fn entry(&mut self, key: JavabinToken<'a>, depth: usize, fields: &mut Fields) -> Result<()> {
        let name = self.reader.as_name(key)?;
        let item = self.reader.next()?;
        fields.push((name, self.value(item, depth)?));
        Ok(())
    }

    /// A field, or a document below the one at hand. A boost before the name means nothing.
    fn field(&mut self, item: JavabinToken<'a>, depth: usize, fields: &mut Fields) -> Result<()> {
        match item {
            JavabinToken::InputDocument(_) => {
                let child = self.value(item, depth)?;
                fields.push((Arc::from(ANONYMOUS), child));
                Ok(())
            }
            JavabinToken::Float(_) => {
                let key = self.reader.next()?;
                self.entry(key, depth, fields)
            }
            key => self.entry(key, depth, fields),
        }
    }
}

fn less(left: Option<usize>) -> Option<usize> {
    left.map(|left| left.saturating_sub(1))
}

fn entries(value: RawValue) -> Fields {
    match value {
        RawValue::Map(fields) => fields,
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
