//! One step of a chain, made of a processor's settings: the one place where a processor becomes what it does.
//! Those that do something to documents are [`DocumentStep`]s in files beside; the others are places in a
//! chain, or concern the request as a whole, and are here.

use plan::{Commit, Error, ErrorKind, Processor, Result};

use super::change::ChangeFields;
use super::draft::{DocumentStep, Draft, ProcessorContext};
use super::grow::Grower;
use super::whole::{
    AddByTemplates, CloneFields, DefaultField, EditByParameters, LimitFields, RenameFields, SkipExisting,
};

pub enum Step {
    /// Where the shard takes over.
    Distribute,
    /// Where documents are indexed.
    Run,
    Nothing,
    Tolerate {
        errors_max: Option<u64>,
    },
    IgnoreCommits {
        status: u16,
        message: Option<String>,
        optimize_only: bool,
    },
    Document(Box<dyn DocumentStep>),
}

fn document(step: impl DocumentStep + 'static) -> Step {
    Step::Document(Box::new(step))
}

impl Step {
    /// Errors: a pattern that does not compile.
    pub fn new(processor: &Processor) -> Result<Self> {
        Ok(match processor {
            Processor::Distribute => Step::Distribute,
            Processor::Run => Step::Run,
            Processor::Nothing => Step::Nothing,
            Processor::Tolerate { errors_max } => Step::Tolerate { errors_max: *errors_max },
            Processor::IgnoreCommits { status, message, optimize_only } => Step::IgnoreCommits {
                status: *status,
                message: message.clone(),
                optimize_only: *optimize_only,
            },
            Processor::Change { fields, change } => document(ChangeFields::new(fields, change)?),
            Processor::Default { field, value } => {
                document(DefaultField { field: field.clone(), value: value.clone() })
            }
            Processor::Clone { fields, dest } => document(CloneFields::new(fields, dest)?),
            Processor::Rename { fields, pattern, replacement } => {
                document(RenameFields::new(fields, pattern, replacement)?)
            }
            Processor::AddFields(settings) => document(Grower::new(settings)?),
            Processor::LimitFields { fields_max, warn_only } => {
                document(LimitFields { fields_max: *fields_max, warn_only: *warn_only })
            }
            Processor::Sign(settings) => document(settings.clone()),
            Processor::Expire(settings) => document(settings.clone()),
            Processor::Revise(settings) => document(settings.clone()),
            Processor::SkipExisting { inserts, updates } => {
                document(SkipExisting { inserts: *inserts, updates: *updates })
            }
            Processor::EditByParameters => document(EditByParameters),
            Processor::Templates => document(AddByTemplates),
        })
    }

    /// What the step does to a document that is added or edited.
    pub fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()> {
        match self {
            Step::Document(step) => step.add(draft, passing),
            _ => Ok(()),
        }
    }

    /// What a delete by id becomes: the mark that it leaves, or itself.
    pub fn delete(&self, id: &str, passing: &mut ProcessorContext<'_>) -> Result<Option<Draft>> {
        match self {
            Step::Document(step) => step.delete(id, passing),
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
        matches!(self, Step::Document(_))
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
