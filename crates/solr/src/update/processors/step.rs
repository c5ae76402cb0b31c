//! One step of a chain: a processor's settings, compiled, and the table of what each does to documents,
//! deletes and commits.

use analysis::{JavaRegex, Replacement};
use plan::{CloneDest, Commit, DefaultValue, Error, ErrorKind, Expiry, Processor, Result, Revising, Signing};

use super::change::Changer;
use super::choice::Choice;
use super::draft::{Draft, ProcessorContext};
use super::grow::Grower;
use super::pattern::{compile_pattern, compile_replacement};
use super::whole::Dest;
use super::{revise, sign, whole};
use crate::update::document::Grouped;

pub enum Step {
    Distribute,
    Run,
    Nothing,
    Change { choice: Choice, changer: Changer },
    Default { field: Option<String>, value: DefaultValue },
    Clone { choice: Choice, dest: Dest },
    Rename { choice: Choice, pattern: JavaRegex, replacement: Replacement },
    AddFields(Grower),
    LimitFields { fields_max: u64, warn_only: bool },
    Sign(Signing),
    Tolerate { errors_max: Option<u64> },
    Expire(Expiry),
    Revise(Revising),
    SkipExisting { inserts: bool, updates: bool },
    EditByParameters,
    Templates,
    IgnoreCommits { status: u16, message: Option<String>, optimize_only: bool },
}

impl Step {
    pub fn new(processor: &Processor) -> Result<Self> {
        let renaming = |pattern: &str, replacement: &str| {
            Ok::<_, Error>((compile_pattern(pattern)?, compile_replacement(pattern, replacement, false)?))
        };
        Ok(match processor {
            Processor::Distribute => Step::Distribute,
            Processor::Run => Step::Run,
            Processor::Nothing => Step::Nothing,
            Processor::Change { fields, change } => {
                Step::Change { choice: Choice::new(fields)?, changer: Changer::new(change)? }
            }
            Processor::Default { field, value } => {
                Step::Default { field: field.clone(), value: value.clone() }
            }
            Processor::Clone { fields, dest } => {
                let dest = match dest {
                    CloneDest::Field(name) => Dest::Field(name.clone()),
                    CloneDest::Renamed { pattern, replacement } => {
                        let (pattern, replacement) = renaming(pattern, replacement)?;
                        Dest::Renamed { pattern, replacement }
                    }
                };
                Step::Clone { choice: Choice::new(fields)?, dest }
            }
            Processor::Rename { fields, pattern, replacement } => {
                let (pattern, replacement) = renaming(pattern, replacement)?;
                Step::Rename { choice: Choice::new(fields)?, pattern, replacement }
            }
            Processor::AddFields(settings) => Step::AddFields(Grower::new(settings)?),
            Processor::LimitFields { fields_max, warn_only } => {
                Step::LimitFields { fields_max: *fields_max, warn_only: *warn_only }
            }
            Processor::Sign(settings) => Step::Sign(settings.clone()),
            Processor::Tolerate { errors_max } => Step::Tolerate { errors_max: *errors_max },
            Processor::Expire(settings) => Step::Expire(settings.clone()),
            Processor::Revise(settings) => Step::Revise(settings.clone()),
            Processor::SkipExisting { inserts, updates } => {
                Step::SkipExisting { inserts: *inserts, updates: *updates }
            }
            Processor::EditByParameters => Step::EditByParameters,
            Processor::Templates => Step::Templates,
            Processor::IgnoreCommits { status, message, optimize_only } => Step::IgnoreCommits {
                status: *status,
                message: message.clone(),
                optimize_only: *optimize_only,
            },
        })
    }

    /// What the step does to a document that is added or edited.
    pub fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()> {
        match self {
            Step::Distribute
            | Step::Run
            | Step::Nothing
            | Step::Tolerate { .. }
            | Step::IgnoreCommits { .. } => Ok(()),
            Step::Change { choice, changer } => change(choice, changer, &mut draft.fields, passing),
            Step::Default { field, value } => whole::default(field.as_deref(), value, draft, passing),
            Step::Clone { choice, dest } => whole::clone(choice, dest, draft, passing),
            Step::Rename { choice, pattern, replacement } => {
                whole::rename(choice, (pattern, replacement), draft, passing);
                Ok(())
            }
            Step::AddFields(grower) => grower.apply(&draft.fields, passing),
            Step::LimitFields { fields_max, warn_only } => {
                whole::limit(*fields_max, *warn_only, draft, passing)
            }
            Step::Sign(settings) => sign::apply(settings, draft, passing),
            Step::Expire(settings) => whole::expire(settings, draft, passing),
            Step::Revise(settings) => revise::add(settings, draft, passing),
            Step::SkipExisting { inserts, updates } => {
                draft.conditions.presence = whole::presence((*inserts, *updates), passing.params)?;
                Ok(())
            }
            Step::EditByParameters => whole::edit_by_parameters(draft, passing.params),
            Step::Templates => whole::templates(draft, passing.params),
        }
    }

    /// What a delete by id becomes: the mark that it leaves, or itself.
    pub fn delete(&self, id: &str, passing: &mut ProcessorContext<'_>) -> Result<Option<Draft>> {
        match self {
            Step::Revise(settings) => revise::delete(settings, id, passing),
            _ => Ok(None),
        }
    }

    /// Whether a commit passes. Errors: it is refused, in the words and with the status of the configuration.
    pub fn commit(&self, commit: &Commit) -> Result<bool> {
        let Step::IgnoreCommits { status, message, optimize_only } = self else { return Ok(true) };
        let is_optimize = commit.max_segments.is_some();
        if *optimize_only && !is_optimize {
            return Ok(true);
        }
        if *status == 200 {
            return Ok(false);
        }
        let standard = "Explicit commit/optimize requests are forbidden!";
        let message = message.as_deref().unwrap_or(standard);
        Err(Error::new(kind_of(*status), message))
    }

    pub fn is_mutator(&self) -> bool {
        !matches!(
            self,
            Step::Distribute | Step::Run | Step::Nothing | Step::Tolerate { .. } | Step::IgnoreCommits { .. }
        )
    }
}

fn kind_of(status: u16) -> ErrorKind {
    match status {
        403 => ErrorKind::InUse,
        404 => ErrorKind::NotFound,
        405 => ErrorKind::MethodNotAllowed,
        409 => ErrorKind::Conflict,
        429 => ErrorKind::Busy,
        503 => ErrorKind::Unavailable,
        500.. => ErrorKind::Internal,
        _ => ErrorKind::BadRequest,
    }
}

fn change(
    choice: &Choice,
    changer: &Changer,
    fields: &mut Grouped,
    passing: &mut ProcessorContext<'_>,
) -> Result<()> {
    let own = changer.own_class();
    let mut emptied = false;
    for field in fields.iter_mut() {
        let target = passing.targets.get(&field.name);
        if choice.takes(&field.name, target.spec.as_deref(), own) {
            changer.apply(field)?;
            emptied |= field.values.is_empty();
        }
    }
    if emptied {
        fields.retain(|field| !field.values.is_empty());
    }
    Ok(())
}
