//! The components that a handler runs beside its search, in the handler's order: what each does before the search, what it
//! adds to the response, and what becomes of a failure on the way.

use std::sync::Arc;

use cluster::Collection;
use plan::{CollectionConfig, Component, Error, Result};
use solr::Params;
use solr::response::{Entries, Name, Node};
use solr::select::ResolveContext;

use super::spelling::{Searched, SpellStep};

/// The steps that a request asks for.
pub(super) struct Beside<'a> {
    steps: Vec<(usize, &'a str, Step<'a>)>,
    /// What was done before the search.
    pub commands: Entries,
}

enum Step<'a> {
    Spell(SpellStep<'a>),
}

/// What the steps had to say.
#[derive(Default)]
pub(super) struct Said {
    /// By component.
    pub sections: Vec<(String, Entries)>,
    /// Which of the handler's components failed, and why: those after it say nothing.
    pub failure: Option<(usize, Error)>,
}

impl<'a> Beside<'a> {
    /// Does what comes before the search.
    pub async fn prepare(
        collection: &'a Arc<Collection>,
        config: &'a CollectionConfig,
        context: &'a ResolveContext<'a>,
        components: &'a [Component],
        params: &'a Params,
    ) -> Result<Self> {
        let mut beside = Self { steps: Vec::new(), commands: Entries::new() };
        for (at, component) in components.iter().enumerate() {
            let step = match component {
                Component::Spell(name) => {
                    let Some(settings) = config.components.spell(name) else { continue };
                    let step = SpellStep::prepare(collection, context, params, settings)?;
                    let command = step.as_ref().map(SpellStep::command).transpose()?.flatten();
                    beside.command(command);
                    step.map(Step::Spell)
                }
                _ => None,
            };
            beside.steps.extend(step.map(|step| (at, component.name(), step)));
        }
        Ok(beside)
    }

    fn command(&mut self, done: Option<&'static str>) {
        self.commands.extend(done.map(|done| (Name::Borrowed("command"), Node::str(done))));
    }

    pub async fn run(&self, searched: Searched<'_>) -> Said {
        let mut said = Said::default();
        for (at, name, step) in &self.steps {
            let result = match step {
                Step::Spell(step) => step.run(&searched).await,
            };
            match result {
                Ok(entries) => said.sections.push(((*name).to_owned(), entries)),
                Err(error) => {
                    said.failure = Some((*at, error));
                    return said;
                }
            }
        }
        said
    }
}
