//! A configuration's chains, compiled: made once for each configuration and shared by its requests. A pattern
//! that does not compile was refused when the configuration was loaded. In: the configuration's processors;
//! out: steps, by chain and by name, which `mod.rs` runs for each document. Compiling for each request would
//! cost more than most updates.

use std::sync::Arc;

use plan::{CollectionConfig, Processor, Result, UpdateProcessing};

use super::step::Step;

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
