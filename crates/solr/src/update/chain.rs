//! From commands to a typed batch: ids found, versions expected, fields guessed, values typed, queries
//! parsed. Works through a request in order and stops at the first command that fails; what came before it
//! stays, as in Solr. Applies nothing: the batch goes to `cluster`, a grown schema to whoever keeps schemas.

use std::sync::Arc;

use plan::{
    Add, Conditions, Error, Expect, FieldSpec, Modify, Operation, Query, ROOT_FIELD, Refusal, RefusalKind,
    Result, Schema, SchemaSource, UpdateBatch,
};

use crate::date_math::DateMath;
use crate::params::{Params, not_a_number, shards, trimmed_long};
use crate::update::atomic::{self, Edits, Shape};
use crate::update::chain_choice::Route;
use crate::update::command::{AddCommand, CommitWithin, RawValue, UpdateCommand};
use crate::update::convert::{Conversion, NewUuid};
use crate::update::document::{Field, Grouped, Targets, Typing, group};
use crate::update::edit_steps::EditSteps;
use crate::update::in_place;
use crate::update::nested::{self, Nesting};
use crate::update::options::UpdateOptions;
use crate::update::processors::{Draft, ProcessorContext, Renamed};

const VERSION: &str = "_version_";

/// What updates pass before they are applied.
#[derive(Clone)]
pub struct Chain<'a> {
    pub schema: Arc<Schema>,
    /// The steps that the configuration and the request choose.
    pub route: &'a Arc<Route>,
    pub params: &'a Params,
    pub dates: DateMath,
    /// Parses the text of a query.
    pub parse_query: &'a dyn Fn(&str) -> Result<Query>,
    pub new_uuid: &'a NewUuid,
    /// How many fields the index has.
    pub count_fields: &'a dyn Fn() -> u64,
}

/// What came out.
#[derive(Debug, Default)]
pub struct Processed {
    pub batch: UpdateBatch,
    /// What documents pass that the batch's edits make.
    pub edit_steps: Option<EditSteps>,
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
        let targets = Targets::new(self.schema.clone());
        let mut run = Run { chain: self, options, targets, grown: false, renamed: Renamed::new() };
        let mut processed = Processed::default();
        processed.batch.conflicts_skip = options.conflicts_skip;
        processed.batch.errors_max = self.route.errors_max;
        processed.batch.route = shards::ROUTE.sent(self.params).map(str::to_owned);
        processed.batch.operations.reserve(commands.len());
        for command in commands {
            match run.operation(command) {
                Ok(operation) => processed.batch.operations.extend(operation),
                Err(error) => {
                    processed.failure = Some(error);
                    break;
                }
            }
        }
        // What decoding failed with comes last: the commands before that place are carried out first, and one
        // may fail.
        processed.failure = processed.failure.or(failure);
        // A commit that the request asks for is not made when the request has failed, as in Solr.
        if processed.failure.is_none() {
            let finish = options.finish.clone().map(|command| run.operation(command)).transpose();
            match finish {
                Ok(operation) => processed.batch.operations.extend(operation.flatten()),
                Err(error) => processed.failure = Some(error),
            }
        }
        if !self.route.after.is_empty() {
            processed.edit_steps = Some(self.edit_steps(run.targets.schema().clone()));
        }
        processed.schema_additions = run.grown.then(|| run.targets.schema().source.clone());
        processed
    }

    /// The steps of edited documents, for which the request is over by then: they hold what they need of it.
    fn edit_steps(&self, schema: Arc<Schema>) -> EditSteps {
        EditSteps {
            route: self.route.clone(),
            schema,
            params: self.params.clone(),
            dates: self.dates.clone(),
            new_uuid: self.new_uuid.clone(),
        }
    }

    pub(super) fn conversion(&self) -> Conversion<'_> {
        Conversion { dates: &self.dates, new_uuid: self.new_uuid }
    }
}

/// One request on its way.
struct Run<'a, 'b> {
    chain: &'a Chain<'b>,
    options: &'a UpdateOptions,
    targets: Targets,
    grown: bool,
    renamed: Renamed,
}

impl<'a> Run<'a, '_> {
    /// What a command becomes; `None` when a step keeps it from the shard. What fails where errors are
    /// tolerated is passed on as a refusal, so that it is counted in its order.
    fn operation(&mut self, command: UpdateCommand) -> Result<Option<Operation>> {
        if self.chain.route.errors_max.is_none() {
            return self.plain_operation(command);
        }
        let named = match &command {
            UpdateCommand::Add(add) => Some((RefusalKind::Add, self.shown_id(add))),
            UpdateCommand::Delete { id, .. } => Some((RefusalKind::Delete, id.clone())),
            UpdateCommand::DeleteByQuery { query, .. } => Some((RefusalKind::DeleteByQuery, query.clone())),
            UpdateCommand::Commit(_) | UpdateCommand::Rollback => None,
        };
        match (self.plain_operation(command), named) {
            (Err(error), Some((kind, of))) => Ok(Some(Operation::Refused(Refusal { kind, of, error }))),
            (result, _) => result,
        }
    }

    fn plain_operation(&mut self, command: UpdateCommand) -> Result<Option<Operation>> {
        Ok(Some(match command {
            UpdateCommand::Add(add) => self.add(add)?,
            UpdateCommand::Delete { id, route, version, commit_within } => {
                self.delete((id, route), version, self.commit_within_ms(commit_within))?
            }
            UpdateCommand::DeleteByQuery { query, commit_within, .. } => Operation::DeleteByQuery {
                query: (self.chain.parse_query)(&query)?,
                text: query,
                commit_within_ms: self.commit_within_ms(commit_within),
            },
            UpdateCommand::Commit(commit) => {
                return Ok(self.chain.route.passes(&commit)?.then_some(Operation::Commit(commit)));
            }
            // Solr differs: it drops what was not committed; here that is durable, and the engine refuses
            // (`compat/update/json.yaml`, `compat/update/xml_csv.yaml`).
            UpdateCommand::Rollback => Operation::Rollback,
        }))
    }

    /// The id that a list of errors shows.
    fn shown_id(&self, add: &AddCommand) -> String {
        let key = self.targets.schema().unique_key.as_deref().unwrap_or_default();
        let id = add.document.fields.iter().find(|(name, _)| **name == *key);
        id.map_or_else(|| "(unknown)".to_owned(), |(_, value)| value.to_text())
    }

    fn commit_within_ms(&self, said: CommitWithin) -> Option<u64> {
        said.merged_ms(self.options.commit_within_ms)
    }

    fn expect(&self, version: Option<i64>) -> Expect {
        version.or(self.options.version).map_or(Expect::Anything, Expect::from_version)
    }

    fn delete(
        &mut self,
        (id, route): (String, Option<String>),
        version: Option<i64>,
        commit_within_ms: Option<u64>,
    ) -> Result<Operation> {
        for (at, step) in self.chain.route.before.iter().enumerate() {
            if let Some(mut mark) = step.delete(&id, &mut self.passing())? {
                self.take_steps(&mut mark, at + 1)?;
                return self.drafted(mark, (None, Vec::new()), (version, commit_within_ms));
            }
        }
        let (id, expect) = (self.deleted_id(id)?, self.expect(version));
        Ok(Operation::Delete { id, route, expect, commit_within_ms })
    }

    fn add(&mut self, add: AddCommand) -> Result<Operation> {
        let AddCommand { document, overwrite, commit_within } = add;
        let commit_within_ms = self.commit_within_ms(commit_within);
        let mut draft = Draft { fields: group(document), overwrite, conditions: Conditions::default() };
        // Before any step: a schema without a key is refused in its own words, not in those of a step that
        // looks for an id.
        self.key()?;
        // Out of the steps' sight: `_root_` says where the document lies, and no step may guess a field from
        // it.
        let root = take(&mut draft.fields, ROOT_FIELD);
        let below = nested::taken(&mut draft.fields, self.targets.schema());
        self.take_steps(&mut draft, 0)?;
        self.drafted(draft, (root, below), (None, commit_within_ms))
    }

    /// The steps from one on; those behind the shard as well, but for edits: these are merged first.
    /// Solr differs: it also declares a field for each name under which documents stand below another, in
    /// which nothing ever is (`compat/update/blocks.yaml`).
    fn take_steps(&mut self, draft: &mut Draft, first: usize) -> Result<()> {
        let route = self.chain.route;
        for step in route.before.iter().skip(first) {
            step.add(draft, &mut self.passing())?;
        }
        let is_whole =
            |draft: &Draft, run: &Self| atomic::shape_of(&draft.fields, run.targets.schema()) == Shape::Whole;
        if !route.after.is_empty() && is_whole(draft, self) {
            for step in &route.after {
                step.add(draft, &mut self.passing())?;
            }
        }
        Ok(())
    }

    fn passing(&mut self) -> ProcessorContext<'_> {
        ProcessorContext {
            targets: &mut self.targets,
            conversion: self.chain.conversion(),
            params: self.chain.params,
            count_fields: self.chain.count_fields,
            grown: &mut self.grown,
            renamed: &mut self.renamed,
            parse_query: self.chain.parse_query,
        }
    }

    /// The operation that a document is when it has passed all steps.
    fn drafted(
        &mut self,
        draft: Draft,
        (root, below): (Option<Vec<RawValue>>, Vec<Field>),
        (version, commit_within_ms): (Option<i64>, Option<u64>),
    ) -> Result<Operation> {
        let Draft { fields: mut grouped, overwrite, mut conditions } = draft;
        let key = self.key()?;
        // `_version_` is what the sender expects and never a value to store: the shard gives that.
        let own = take(&mut grouped, VERSION).map(|values| version_of(&values)).transpose()?.flatten();
        let id = self.id(&key, &grouped)?;
        let expect = self.expect(version.or(own));
        let shape = atomic::shape_of(&grouped, self.targets.schema());
        if shape == Shape::Atomic && self.options.in_place_only {
            in_place::check(&id, (&key.name, &grouped), &mut self.targets)?;
            conditions.in_place = true;
        }
        let mut typing = Typing { conversion: self.chain.conversion(), targets: &mut self.targets };
        let mut nesting = Nesting::new(&mut typing, &key);
        let children = nesting.fields(&id, below)?;
        let conditions = conditions.boxed();
        match shape {
            Shape::Whole => {
                let document = typing.document(&id, grouped)?;
                Ok(Operation::Add(Add {
                    id,
                    document,
                    children,
                    expect,
                    overwrite,
                    conditions,
                    commit_within_ms,
                }))
            }
            Shape::Atomic => {
                let is_key = |name: &str| name == &*key.name;
                let Edits { fields: edits, mut nested } = atomic::edits(&mut nesting, &id, grouped, &is_key)?;
                nested.extend(children.into_iter().filter_map(nested::replacement));
                let root = root.and_then(|values| values.first().map(RawValue::to_text));
                Ok(Operation::Modify(Modify {
                    id,
                    root,
                    edits,
                    nested,
                    expect,
                    conditions,
                    commit_within_ms,
                }))
            }
        }
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
        // Any text is an id then; other types have one form for many spellings (`007` is 7).
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

/// Solr differs: text that is no number is an error 500 there; here it is the client's
/// (`compat/update/versions.yaml`).
fn version_of(values: &[RawValue]) -> Result<Option<i64>> {
    match values {
        [] | [RawValue::Null] => Ok(None),
        [RawValue::Long(number)] => Ok(Some(*number)),
        [RawValue::Double(number)] => Ok(Some(*number as i64)),
        [RawValue::Float(number)] => Ok(Some(*number as i64)),
        [RawValue::Str(text)] => trimmed_long(text).map(Some),
        [map @ RawValue::Map(_)] => {
            atomic::check_key(VERSION, std::slice::from_ref(map))?;
            Ok(None)
        }
        several => {
            let shown = RawValue::List(several.to_vec()).to_text();
            Err(not_a_number(&shown))
        }
    }
}

#[cfg(test)]
#[path = "chain_tests.rs"]
mod tests;
