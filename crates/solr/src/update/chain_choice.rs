//! Which steps a request takes: `update.chain` names a chain of the configuration, else it is the default
//! one; `processor` adds steps before the shard, `post-processor` behind it. In: the request's parameters and
//! the configuration's chains; out: a `Route`, whose steps `chain.rs` leads each document through. What a
//! step does is `processors/`.

use std::sync::Arc;

use plan::{Commit, Error, Result};

use crate::params::update::{CHAIN, ERRORS_MAX, POST_PROCESSOR, PROCESSOR};
use crate::params::{Param, Params};
use crate::update::processors::{Chains, Step, UpdateChains};

/// The steps of one request.
#[derive(Clone, Default)]
pub struct Route {
    /// On documents as sent.
    pub before: Vec<Arc<Step>>,
    /// On whole documents, edits merged.
    pub after: Vec<Arc<Step>>,
    /// How many errors the request may have; `None` ends it with the first. `u64::MAX` is any number.
    pub errors_max: Option<u64>,
}

impl Route {
    /// The steps that a request with these parameters takes. Errors: names that the configuration does not
    /// know, a chain that does nothing. Solr differs: there that is a null pointer
    /// (`compat/update/processors.yaml`).
    pub fn of(params: &Params, chains: &UpdateChains) -> Result<Self> {
        let chains = chains.chains()?;
        let none = Vec::new();
        let (name, steps) = match CHAIN.sent(params).filter(|name| !name.is_empty()) {
            Some(name) => {
                let found = chains.chains.iter().find(|(known, _)| known == name);
                let unknown = || Error::bad_request(format!("unknown UpdateRequestProcessorChain: {name}"));
                found.map(|(name, steps)| (name.as_str(), Some(steps))).ok_or_else(unknown)?
            }
            None => {
                let default = chains.default.and_then(|at| chains.chains.get(at));
                default.map_or(("", None), |(name, steps)| (name, Some(steps)))
            }
        };
        if steps.is_some_and(|steps| !steps.iter().any(|step| matches!(**step, Step::Run))) {
            return Err(Error::bad_request(format!(
                "update chain `{name}` ends without RunUpdateProcessorFactory, so it would change nothing; add it to the chain"
            )));
        }
        let steps = steps.unwrap_or(&none);
        // Without that step Solr puts it in right before the last one: all others are on this side of the
        // shard.
        let cut = steps.iter().position(|step| matches!(**step, Step::Distribute)).unwrap_or(steps.len());
        let (before, after) = steps.split_at(cut);
        let end = after.iter().position(|step| matches!(**step, Step::Run)).unwrap_or(after.len());
        let mut route = Self { before: before.to_vec(), after: Vec::new(), errors_max: None };
        route.before.extend(named(params, &PROCESSOR, chains)?);
        route.after.extend(named(params, &POST_PROCESSOR, chains)?);
        route.after.extend(after.iter().take(end).cloned());
        // The others work in `before`; behind the shard only what changes a document has something
        // to do.
        route.after.retain(|step| step.is_mutator());
        route.errors_max = route.tolerance(params)?;
        Ok(route)
    }

    /// Errors that the request may have, by the configuration unless it says so itself.
    fn tolerance(&self, params: &Params) -> Result<Option<u64>> {
        let declared = self.before.iter().find_map(|step| match **step {
            Step::Tolerate { errors_max } => Some(errors_max),
            _ => None,
        });
        let Some(declared) = declared else { return Ok(None) };
        let Some(number) = ERRORS_MAX.read(params)? else { return Ok(Some(declared.unwrap_or(u64::MAX))) };
        match number {
            // Solr's sign for any number.
            -1 => Ok(Some(u64::MAX)),
            0.. => Ok(u64::try_from(number).ok()),
            _ => Err(Error::bad_request(format!(
                "Config option 'maxErrors' must either be non-negative, or -1 to indicate 'unlimited': {number}"
            ))),
        }
    }

    /// Whether a commit passes the steps.
    pub fn passes(&self, commit: &Commit) -> Result<bool> {
        for step in self.before.iter().chain(&self.after) {
            if !step.commit(commit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The steps that a parameter names, in order.
fn named(params: &Params, kind: &Param<String>, chains: &Chains) -> Result<Vec<Arc<Step>>> {
    let names = kind.sent_all(params).flat_map(|list| list.split(',')).map(str::trim);
    let found = names.filter(|name| !name.is_empty()).map(|name| {
        let found = chains.named.iter().find(|(known, _)| known == name);
        let unknown = || Error::bad_request(format!("No such processor {name}"));
        found.map(|(_, step)| step.clone()).ok_or_else(unknown)
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    const CONFIG: &str = "<config>\
        <updateProcessor name='blank' class='solr.RemoveBlankFieldUpdateProcessorFactory'/>\
        <updateProcessor name='ts' class='solr.TemplateUpdateProcessorFactory'/>\
        <updateRequestProcessorChain name='two' processor='blank'>\
          <processor class='solr.UUIDUpdateProcessorFactory'/>\
          <processor class='solr.DistributedUpdateProcessorFactory'/>\
          <processor class='solr.TemplateUpdateProcessorFactory'/>\
          <processor class='solr.RunUpdateProcessorFactory'/>\
        </updateRequestProcessorChain>\
        <updateRequestProcessorChain name='calm'>\
          <processor class='solr.TolerantUpdateProcessorFactory'><int name='maxErrors'>3</int></processor>\
          <processor class='solr.RunUpdateProcessorFactory'/>\
        </updateRequestProcessorChain>\
        <updateRequestProcessorChain name='odd'><processor class='solr.LogUpdateProcessorFactory'/>\
        </updateRequestProcessorChain></config>";

    fn route(pairs: &[(&str, &str)]) -> Result<Route> {
        let config = config::load(&|name| (name == "solrconfig.xml").then(|| CONFIG.to_owned()))?.config;
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Route::of(&Params::new(pairs.collect()), &UpdateChains::new(&config))
    }

    #[test]
    fn requests_choose_their_steps() {
        let check = |pairs: &[(&str, &str)], expected: Result<(usize, usize), &str>| {
            let found = route(pairs).map(|it| (it.before.len(), it.after.len()));
            let found = found.map_err(|error| error.message);
            assert_eq!(
                found.as_ref().map_err(String::as_str),
                expected.as_ref().map_err(|it| *it),
                "{pairs:?}"
            );
        };
        check(&[], Ok((0, 0)));
        check(&[("update.chain", "")], Ok((0, 0)));
        check(&[("update.chain", "two")], Ok((2, 1)));
        check(&[("update.chain", "two"), ("processor", "ts, blank"), ("post-processor", "ts")], Ok((4, 2)));
        check(&[("processor", "atomic")], Ok((1, 0)));
        check(&[("update.chain", "no")], Err("unknown UpdateRequestProcessorChain: no"));
        check(&[("processor", "no")], Err("No such processor no"));
        let odd = "update chain `odd` ends without RunUpdateProcessorFactory, so it would change nothing; add it to the chain";
        check(&[("update.chain", "odd")], Err(odd));
    }

    #[test]
    fn errors_are_tolerated_up_to_a_number() {
        let check = |pairs: &[(&str, &str)], expected: Option<u64>| {
            assert_eq!(route(pairs).unwrap().errors_max, expected, "{pairs:?}");
        };
        check(&[("maxErrors", "5")], None);
        check(&[("update.chain", "calm")], Some(3));
        check(&[("update.chain", "calm"), ("maxErrors", "0")], Some(0));
        check(&[("update.chain", "calm"), ("maxErrors", "-1")], Some(u64::MAX));
        for (text, part) in [("x", "For input string"), ("-2", "non-negative")] {
            let error = route(&[("update.chain", "calm"), ("maxErrors", text)]).err().unwrap();
            assert!(error.message.contains(part), "{}", error.message);
        }
    }
}
