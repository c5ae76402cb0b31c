//! The components that a handler runs beside its search, in the handler's order: what each does before the
//! search, what it adds to the response, and what becomes of a failure on the way.
//!
//! In: the components of the path and the parameters; out: sections of the response, in order. What a failed
//! component said before it failed is shown, those after it are not run. Spelling and suggesting themselves
//! are in `spelling` and `suggesting`.

use std::sync::Arc;

use cluster::Collection;
use meter::Meters;
use plan::{CollectionConfig, Component, Error, Result};
use solr::Params;
use solr::response::{Entries, Name, Node};
use solr::select::ResolveContext;

use super::spelling::{Searched, SpellStep};
use super::suggesting::SuggestStep;
use crate::request::call::Failure;

/// The steps that a request asks for.
pub(super) struct SideComponents<'a> {
    steps: Vec<(usize, &'a str, Step<'a>)>,
    /// What was done before the search.
    pub commands: Entries,
}

enum Step<'a> {
    Spell(SpellStep<'a>),
    Suggest(SuggestStep<'a>),
}

/// What the steps had to say.
#[derive(Default)]
pub(super) struct SideResults {
    /// By component.
    pub sections: Vec<(String, Entries)>,
    /// Which of the handler's components failed, and why: what it said before that is shown, those after it
    /// say nothing.
    pub failure: Option<(usize, Error)>,
    /// The first of the handler's components that was not run because the request's allowance is used up.
    pub cut: Option<usize>,
}

impl<'a> SideComponents<'a> {
    /// Does what comes before the search.
    pub async fn prepare(
        collection: &'a Arc<Collection>,
        config: &'a CollectionConfig,
        context: &'a ResolveContext<'a>,
        components: &'a [Component],
        params: &'a Params,
    ) -> Result<Self, Failure> {
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
                Component::Suggest(name) => {
                    let Some(settings) = config.components.suggest(name) else { continue };
                    let step = SuggestStep::prepare(collection, context, params, settings)?;
                    if let Some(step) = &step
                        && let Some((command, suggesters)) = step.command()?
                    {
                        beside.command(Some(command));
                        step.build(&suggesters)
                            .await
                            .map_err(|error| Failure { before: beside.commands.clone(), ..error.into() })?;
                    }
                    step.map(Step::Suggest)
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

    /// Whether the request did more than ask: then its answer is not to be kept.
    pub fn is_command(&self) -> bool {
        !self.commands.is_empty()
    }

    /// `cut` is what was not run already.
    pub async fn run(&self, searched: Searched<'_>, (cut, meters): (Option<usize>, &Meters)) -> SideResults {
        let mut said = SideResults { cut, ..SideResults::default() };
        for (at, name, step) in &self.steps {
            if said.cut.is_none() && meters.allowance.is_used_up() {
                said.cut = Some(*at);
            }
            if said.cut.is_some_and(|cut| cut <= *at) {
                return said;
            }
            let (entries, failure) = match step {
                Step::Spell(step) => match step.run(&searched, meters).await {
                    Ok(entries) => (entries, None),
                    Err(error) => (vec![], Some(error)),
                },
                Step::Suggest(step) => step.run(meters).await,
            };
            said.sections.push(((*name).to_owned(), entries));
            if let Some(error) = failure {
                said.failure = Some((*at, error));
                return said;
            }
        }
        said
    }
}
