//! What goes from step to step: the document as far as it has come, and what steps know besides it: time,
//! parameters, the schema with what is proposed for it, and the fields of the index. And what a step is that
//! does something to documents, of which each has a file or a part of one beside.

use std::collections::HashMap;
use std::sync::Arc;

use plan::{Conditions, Query, Result, Schema, SchemaSource};

use crate::date_math::DateMath;
use crate::params::Params;
use crate::update::convert::Conversion;
use crate::update::document::{Grouped, Targets};

/// A document on its way through the steps.
pub struct Draft {
    pub fields: Grouped,
    /// Whether it replaces one of its id.
    pub overwrite: bool,
    pub conditions: Conditions,
}

impl Draft {
    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| &*field.name == name)
    }
}

/// A step that does something to documents.
pub trait DocumentStep: Send + Sync {
    /// To one that is added or edited.
    fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()>;

    /// What a delete by id becomes: the mark that it leaves, or itself.
    fn delete(&self, _id: &str, _passing: &mut ProcessorContext<'_>) -> Result<Option<Draft>> {
        Ok(None)
    }
}

/// The new name of a field, by step and old name; `None` where it keeps its own.
pub type Renamed = HashMap<(usize, Arc<str>), Option<Arc<str>>>;

/// What steps know besides the document.
pub struct ProcessorContext<'a> {
    pub targets: &'a mut Targets,
    pub conversion: Conversion<'a>,
    pub params: &'a Params,
    /// How many fields the index has.
    pub count_fields: &'a dyn Fn() -> u64,
    /// Set when a step has grown the schema.
    pub grown: &'a mut bool,
    /// Names that steps have given to fields, by the step.
    pub renamed: &'a mut Renamed,
    /// Parses the text of a query.
    pub parse_query: &'a dyn Fn(&str) -> Result<Query>,
}

impl ProcessorContext<'_> {
    pub fn dates(&self) -> &DateMath {
        self.conversion.dates
    }

    /// Goes on with another schema.
    pub fn grow(&mut self, source: SchemaSource) -> Result<()> {
        *self.targets = Targets::new(Arc::new(Schema::build(source)?));
        *self.grown = true;
        Ok(())
    }
}
