//! From commands to a typed batch: ids found, versions expected, fields guessed, values typed, queries parsed. Works
//! through a request in order and stops at the first command that fails; what came before it stays, as in Solr.
//! Applies nothing: the batch goes to `cluster`, a grown schema to whoever keeps schemas.

use std::sync::Arc;

use plan::{
    Add, Error, Expect, FieldSpec, Modify, Operation, Query, ROOT_FIELD, Result, RootCause, Schema,
    SchemaSource, UpdateBatch,
};

use crate::date_math::DateMath;
use crate::update::atomic::{self, Edits, Shape};
use crate::update::command::{AddCommand, RawValue, UpdateCommand};
use crate::update::convert::Conversion;
use crate::update::document::{Grouped, Targets, Typing, group};
use crate::update::guess;
use crate::update::nested::{self, Nesting};
use crate::update::options::{self, UpdateOptions};

const VERSION: &str = "_version_";

/// What updates pass before they are applied.
#[derive(Clone)]
pub struct Chain<'a> {
    pub schema: Arc<Schema>,
    /// Whether a field that the schema does not know gets a type by its values (Solr's schemaless mode).
    pub guess: bool,
    pub dates: DateMath,
    /// Parses the text of a delete by query.
    pub parse_query: &'a dyn Fn(&str) -> Result<Query>,
    /// Makes a random UUID, in lower case.
    pub new_uuid: &'a dyn Fn() -> String,
}

/// What came out.
#[derive(Debug, Default)]
pub struct Processed {
    pub batch: UpdateBatch,
    /// The schema grown by guessed fields: to be published before the batch is applied.
    pub schema_additions: Option<SchemaSource>,
    /// Why the rest of the request was not processed.
    pub failure: Option<Error>,
}

impl Chain<'_> {
    /// Works through a request; `failure` is what decoding ended with, and comes after all commands.
    pub fn process(
        &self,
        commands: Vec<UpdateCommand>,
        failure: Option<Error>,
        options: &UpdateOptions,
    ) -> Processed {
        let mut run = Run { chain: self, options, targets: Targets::new(self.schema.clone()), grown: false };
        let mut processed = Processed::default();
        processed.batch.conflicts_skip = options.conflicts_skip;
        processed.batch.operations.reserve(commands.len());
        for command in commands {
            match run.operation(command) {
                Ok(operation) => processed.batch.operations.push(operation),
                Err(error) => {
                    processed.failure = Some(error);
                    break;
                }
            }
        }
        processed.failure = processed.failure.or(failure);
        if processed.failure.is_none() {
            let finish = options.finish.clone().map(|command| run.operation(command));
            processed.batch.operations.extend(finish.and_then(Result::ok));
        }
        processed.schema_additions = run.grown.then(|| run.targets.schema().source.clone());
        processed
    }

    fn conversion(&self) -> Conversion<'_> {
        Conversion { dates: &self.dates, new_uuid: self.new_uuid }
    }
}

/// One request on its way.
struct Run<'a, 'b> {
    chain: &'a Chain<'b>,
    options: &'a UpdateOptions,
    targets: Targets,
    grown: bool,
}

impl Run<'_, '_> {
    fn operation(&mut self, command: UpdateCommand) -> Result<Operation> {
        Ok(match command {
            UpdateCommand::Add(add) => self.add(add)?,
            UpdateCommand::Delete { id, version, commit_within_ms } => {
                Operation::Delete { id: self.deleted_id(id)?, expect: self.expect(version), commit_within_ms }
            }
            UpdateCommand::DeleteByQuery { query, commit_within_ms, .. } => Operation::DeleteByQuery {
                query: (self.chain.parse_query)(&query)?,
                text: query,
                commit_within_ms,
            },
            UpdateCommand::Commit(commit) => Operation::Commit(commit),
            // Solr differs: it drops what was not committed; here that is durable, and the engine refuses
            // (`compat/update/json.yaml`, `compat/update/xml_csv.yaml`).
            UpdateCommand::Rollback => Operation::Rollback,
        })
    }

    fn expect(&self, version: Option<i64>) -> Expect {
        version.or(self.options.version).map_or(Expect::Anything, Expect::from_version)
    }

    fn add(&mut self, add: AddCommand) -> Result<Operation> {
        let AddCommand { document, overwrite, commit_within_ms } = add;
        let mut grouped = group(document);
        let key = self.key()?;
        let root = take(&mut grouped, ROOT_FIELD);
        let below = nested::taken(&mut grouped, self.targets.schema());
        self.prepare(&mut grouped)?;
        let version = take(&mut grouped, VERSION).map(|values| version_of(&values)).transpose()?.flatten();
        let id = self.id(&key, &grouped)?;
        let expect = self.expect(version);
        let shape = atomic::shape_of(&grouped, self.targets.schema());
        let mut typing = Typing { conversion: self.chain.conversion(), targets: &mut self.targets };
        let mut nesting = Nesting::new(&mut typing, &key);
        let children = nesting.fields(&id, below)?;
        match shape {
            Shape::Whole => {
                let document = typing.document(&id, grouped)?;
                Ok(Operation::Add(Add { id, document, children, expect, overwrite, commit_within_ms }))
            }
            Shape::Atomic => {
                let is_key = |name: &str| name == &*key.name;
                let Edits { fields, mut nested } = atomic::edits(&mut nesting, &id, grouped, &is_key)?;
                nested.extend(children.into_iter().filter_map(nested::replacement));
                let root = root.and_then(|values| values.first().map(RawValue::to_text));
                Ok(Operation::Modify(Modify { id, root, edits: fields, nested, expect, commit_within_ms }))
            }
        }
    }

    /// Guesses unknown fields and grows the schema by them, if that is wanted. Solr differs: it also declares a field for
    /// each name under which documents stand below another, in which nothing ever is (`compat/update/blocks.yaml`).
    fn prepare(&mut self, grouped: &mut Grouped) -> Result<()> {
        if !self.chain.guess {
            return Ok(());
        }
        guess::prepare(grouped, &mut self.targets, self.chain.new_uuid);
        if let Some(source) = guess::grow(grouped, &mut self.targets) {
            self.targets = Targets::new(Arc::new(Schema::build(source)?));
            self.grown = true;
        }
        Ok(())
    }

    fn key(&self) -> Result<Arc<FieldSpec>> {
        let missing = || Error::bad_request("this schema has no uniqueKey, which updates need; declare one");
        let schema = self.targets.schema();
        schema.require(schema.unique_key.as_deref().ok_or_else(missing)?).cloned()
    }

    fn id(&self, key: &FieldSpec, document: &Grouped) -> Result<String> {
        let name = &key.name;
        let field = document.iter().find(|field| field.name == *name);
        let values = field.map(|field| field.values.as_slice()).unwrap_or_default();
        atomic::check_key(name, values)?;
        match values {
            [] | [RawValue::Null] => {
                Err(Error::bad_request(format!("Document is missing mandatory uniqueKey field: {name}")))
            }
            [value] => self.key_text(key, value),
            several => {
                let shown = RawValue::List(several.to_vec()).to_text();
                Err(Error::bad_request(format!(
                    "Document contains multiple values for uniqueKey field: {name}={shown}"
                )))
            }
        }
    }

    /// The key's value in the text form that the field's type gives it.
    fn key_text(&self, key: &FieldSpec, value: &RawValue) -> Result<String> {
        let text = value.to_text();
        let typed = self.chain.conversion().convert(value, key);
        Ok(typed.map_err(|error| atomic::bad_key(&key.name, &text, error))?.to_text())
    }

    fn deleted_id(&self, id: String) -> Result<String> {
        let key = self.key()?;
        if key.class() == plan::FieldClass::Str {
            return Ok(id);
        }
        let invalid = |_| Error::bad_request(format!("Invalid value: {id} for field {}", key.name));
        Ok(self.chain.conversion().convert(&RawValue::Str(id.clone()), &key).map_err(invalid)?.to_text())
    }
}

/// Takes a field out of the document.
fn take(document: &mut Grouped, name: &str) -> Option<Vec<RawValue>> {
    let at = document.iter().position(|field| &*field.name == name)?;
    Some(document.remove(at).values)
}

/// Solr differs: text that is no number is an error 500 there; here it is the client's (`compat/update/versions.yaml`).
fn version_of(values: &[RawValue]) -> Result<Option<i64>> {
    match values {
        [] | [RawValue::Null] => Ok(None),
        [RawValue::Long(number)] => Ok(Some(*number)),
        [RawValue::Double(number)] => Ok(Some(*number as i64)),
        [RawValue::Float(number)] => Ok(Some(*number as i64)),
        [RawValue::Str(text)] => options::version(text).map(Some),
        [map @ RawValue::Map(_)] => {
            atomic::check_key(VERSION, std::slice::from_ref(map))?;
            Ok(None)
        }
        several => {
            let shown = RawValue::List(several.to_vec()).to_text();
            Err(options::not_a_number(&shown).with_root(RootCause::NumberFormat))
        }
    }
}

#[cfg(test)]
#[path = "chain_tests.rs"]
mod tests;
