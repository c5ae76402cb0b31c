//! Update processors at work: the steps of a chain with their patterns compiled, and what each does to a
//! document on its way. Settings are `plan::Processor`'s, read by `config::processors`; which steps a request
//! takes is [`super::chain_choice`]'s. Steps see one document at a time and no index: what needs one becomes
//! a condition that the shard checks.

mod change;
mod choice;
mod digest;
mod grow;
mod parse;
mod revise;
mod sign;
mod step;
mod whole;

use std::collections::HashMap;
use std::sync::Arc;

use analysis::{JavaRegex, Replacement};
use plan::{
    CollectionConfig, Conditions, Error, Processor, Query, Result, Schema, SchemaSource, UpdateProcessing,
};

use crate::date_math::DateMath;
use crate::params::Params;
use crate::update::convert::Conversion;
use crate::update::document::{Grouped, Targets};

pub use step::Step;

/// Steps back that a pattern may take in one text.
const PATTERN_STEPS_MAX: usize = 100_000;

/// A pattern of Java's.
pub fn compile_pattern(source: &str) -> Result<JavaRegex> {
    JavaRegex::within_steps(source, PATTERN_STEPS_MAX)
        .map_err(|reason| Error::bad_request(format!("the pattern `{source}` {reason}")))
}

/// What a pattern's matches are replaced with.
pub fn compile_replacement(pattern: &str, replacement: &str, literal: bool) -> Result<Replacement> {
    if literal {
        return Ok(Replacement::literal(replacement));
    }
    Replacement::parse(replacement, &compile_pattern(pattern)?)
        .map_err(|reason| Error::bad_request(format!("the replacement `{replacement}` {reason}")))
}

/// The steps of all chains of a configuration, with what they are made of once (compiled patterns, say).
#[derive(Default)]
pub struct Chains {
    /// Which of the chains requests take that name none.
    pub default: Option<usize>,
    pub chains: Vec<(String, Vec<Arc<Step>>)>,
    pub named: Vec<(String, Arc<Step>)>,
}

impl Chains {
    /// Errors: a pattern that does not compile, which loading has refused already.
    fn compile(updates: &UpdateProcessing) -> Result<Self> {
        let step = |processor: &Processor| Step::new(processor).map(Arc::new);
        let chains = updates.chains.iter().map(|chain| {
            let steps = chain.processors.iter().map(step).collect::<Result<_>>()?;
            Ok((chain.name.clone(), steps))
        });
        let named = updates.named.iter().map(|it| Ok((it.name.clone(), step(&it.processor)?)));
        Ok(Self {
            default: updates.default_chain,
            chains: chains.collect::<Result<_>>()?,
            named: named.collect::<Result<_>>()?,
        })
    }
}

/// What a configuration's update processing comes to, to be made once for each configuration and kept beside
/// it.
pub struct UpdateChains(Result<Chains>);

impl UpdateChains {
    pub fn new(config: &CollectionConfig) -> Arc<Self> {
        Arc::new(Self(Chains::compile(&config.updates)))
    }

    pub fn chains(&self) -> Result<&Chains> {
        self.0.as_ref().map_err(Clone::clone)
    }
}

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
