//! Suggestions beside a search, or without one: suggesters are built where the request says so, and asked one
//! by one.
//!
//! In: a request that `solr` has read and the component's suggesters; out: the section of the response, as
//! far as it came. Building and looking up are the shard's; the cut is `cluster`'s
//! (`crates/cluster/src/finish/suggest.rs`).

use meter::Meters;
use plan::{Result, SuggestComponent, Suggester};
use solr::response::{Entries, Name, Node};
use solr::suggest::SuggestRequest;

use super::asked_collections::AskedCollections;
use super::step::{Preparation, StepOutput};

/// A request's suggestions, from its commands to its section of the response.
pub(super) struct SuggestStep<'a> {
    asked: &'a AskedCollections<'a>,
    component: &'a SuggestComponent,
    request: SuggestRequest<'a>,
}

impl<'a> SuggestStep<'a> {
    /// `None` when the request asks for none.
    pub fn prepare(
        Preparation { asked, params, .. }: Preparation<'a>,
        component: &'a SuggestComponent,
    ) -> Result<Option<Self>> {
        let request = SuggestRequest::prepare(params, component)?;
        Ok(request.map(|request| Self { asked, component, request }))
    }

    /// The command's name for the response, and what is to be built for it.
    pub fn command(&self) -> Result<Option<(&'static str, Vec<&'a Suggester>)>> {
        self.request.command()
    }

    pub async fn build(&self, suggesters: &[&Suggester]) -> Result<()> {
        for suggester in suggesters {
            self.asked.together.build_suggester(&self.component.name, &suggester.name).await?;
        }
        Ok(())
    }

    /// The section, as far as it came, and why it came no farther.
    pub async fn run(&self, meters: &Meters) -> StepOutput {
        let Some(text) = self.request.text() else { return StepOutput::default() };
        let count = match self.request.count() {
            Ok(count) => count,
            Err(error) => return Err(error).into(),
        };
        let mut answered = Entries::new();
        let mut failure = None;
        for suggester in self.request.suggesters() {
            match self.ask(suggester, (text, count), meters).await {
                Ok(answer) => answered.push(answer),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        let entries = vec![("suggest".into(), Node::Map(answered))];
        StepOutput { entries, failure, ..StepOutput::default() }
    }

    async fn ask(
        &self,
        suggester: &'a Suggester,
        (text, count): (&str, i32),
        meters: &Meters,
    ) -> Result<(Name, Node)> {
        let asked = self.request.ask(&self.asked.context, suggester, text, count)?;
        let found = self.asked.together.suggest(asked.plan.clone(), &meters.trace).await?;
        asked.respond(&self.asked.context, text, found)
    }
}
