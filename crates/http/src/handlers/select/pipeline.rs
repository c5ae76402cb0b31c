//! The components of a handler that ask something of their own, as one pipeline in the handler's order: each
//! is prepared from the parameters, runs behind the search, and gives its section.
//!
//! In: the components of the path and the parameters; out: sections by component. A component that fails is
//! shown as far as it came, those after it are not run, and neither are those for which the request's
//! allowance does not suffice. A new component is a variant of `Step` with its `prepare` and its `run`; what
//! can be answered by the search itself belongs into the plan instead (`component_search`).

use meter::Meters;
use plan::{Component, Result};
use solr::response::{Entries, Name, Node};
use solr::select::Resolved;

use super::component_search::ComponentSearch;
use super::likes::LikesStep;
use super::listed_terms::TermsStep;
use super::spelling::SpellStep;
use super::step::{Preparation, Sections, StepOutput};
use super::suggesting::SuggestStep;
use super::vectors::VectorsStep;
use crate::request::call::Failure;

/// The steps that a request asks for, each with its component's number in the handler's order.
pub(super) struct Pipeline<'a> {
    components: &'a [Component],
    steps: Vec<(usize, Step<'a>)>,
    /// What was done before the search.
    pub commands: Entries,
}

enum Step<'a> {
    Likes(LikesStep<'a>),
    Spell(SpellStep<'a>),
    Suggest(SuggestStep<'a>),
    Terms(TermsStep<'a>),
    Vectors(VectorsStep),
}

impl<'a> Pipeline<'a> {
    /// Reads what each step asks, and does what comes before the search. `search` is what the search was
    /// resolved into, where the handler has one.
    pub async fn prepare(given: Preparation<'a>, search: Option<&Resolved>) -> Result<Self, Failure> {
        let components = given.asked.context.components;
        let mut pipeline = Self { components, steps: Vec::new(), commands: Entries::new() };
        for (at, component) in components.iter().enumerate() {
            let step = match component {
                Component::Spell(name) => {
                    let Some(settings) = given.config.components.spell(name) else { continue };
                    let step = SpellStep::prepare(given, settings)?;
                    let command = step.as_ref().map(SpellStep::command).transpose()?.flatten();
                    pipeline.note_command(command);
                    step.map(Step::Spell)
                }
                Component::Suggest(name) => {
                    let Some(settings) = given.config.components.suggest(name) else { continue };
                    let step = SuggestStep::prepare(given, settings)?;
                    if let Some(step) = &step {
                        pipeline.build(step).await?;
                    }
                    step.map(Step::Suggest)
                }
                Component::MoreLikeThis => LikesStep::prepare(given, search).map(Step::Likes),
                Component::Terms => TermsStep::prepare(given).map(Step::Terms),
                Component::TermVectors(_) => VectorsStep::prepare(given, search).map(Step::Vectors),
                // Answered by the search itself, or not served.
                Component::Query
                | Component::Facet
                | Component::FacetModule
                | Component::Highlight
                | Component::Stats
                | Component::Expand
                | Component::Debug
                | Component::Elevation(_)
                | Component::Missing(_) => None,
            };
            pipeline.steps.extend(step.map(|step| (at, step)));
        }
        Ok(pipeline)
    }

    async fn build(&mut self, step: &SuggestStep<'a>) -> Result<(), Failure> {
        let Some((command, suggesters)) = step.command()? else { return Ok(()) };
        self.note_command(Some(command));
        let built = step.build(&suggesters).await;
        built.map_err(|error| Failure { before: self.commands.clone(), ..error.into() })
    }

    fn note_command(&mut self, done: Option<&'static str>) {
        self.commands.extend(done.map(|done| (Name::Borrowed("command"), Node::str(done))));
    }

    /// Whether the request did more than ask: then its answer is not to be kept.
    pub fn is_command(&self) -> bool {
        !self.commands.is_empty()
    }

    /// Runs the steps, up to the component that could not be resolved, the one that fails, or the first for
    /// which the allowance does not suffice.
    pub async fn run(&self, search: Option<&ComponentSearch>, meters: &Meters) -> Sections {
        let place = |component: &Component| self.components.iter().position(|it| it == component);
        let cut = search.and_then(|it| it.result.cut_before.as_ref()).and_then(place);
        let late = search.and_then(|it| it.late_failure.clone());
        let mut failed = late.map(|(of, error)| (place(&of).unwrap_or(self.components.len()), error));
        let mut sections = Sections { cut, ..Sections::default() };
        for (at, step) in &self.steps {
            if meters.allowance.is_used_up() {
                sections.cut.get_or_insert(*at);
            }
            let ends = failed.as_ref().map(|(end, _)| *end).into_iter().chain(sections.cut);
            if ends.min().is_some_and(|end| end <= *at) {
                break;
            }
            let output = step.run(search, meters).await;
            sections.entries.push((self.components[*at].name().to_owned(), output.entries));
            sections.likes_explained = sections.likes_explained.or(output.likes_explained);
            if let Some(error) = output.failure {
                failed = Some((*at, error));
                break;
            }
        }
        let count = self.components.len();
        let told = failed.as_ref().map(|(at, _)| at + 1);
        sections.shown = told.or(sections.cut).unwrap_or(count).min(count);
        sections.failure = failed.map(|(_, error)| error);
        sections
    }
}

impl Step<'_> {
    async fn run(&self, search: Option<&ComponentSearch>, meters: &Meters) -> StepOutput {
        match self {
            Self::Likes(step) => step.run(search, meters).await,
            Self::Spell(step) => step.run(search, meters).await.into(),
            Self::Suggest(step) => step.run(meters).await,
            Self::Terms(step) => step.run().await,
            Self::Vectors(step) => step.run(search).await,
        }
    }
}
