//! Which of the configuration's update chains a request takes: `update.chain` names one, `processor` and `post-processor`
//! add processors to it. All chains do what `_default`'s does; they differ in whether they guess unknown fields.

use plan::{CollectionConfig, Error, Result};

use crate::params::Params;

/// Whether the chain guesses. `params` are the request's with what the handler presets, `sent` its own: what the
/// configuration itself asks for in vain was said when it was loaded, what a request asks for in vain is refused.
pub fn guesses(params: &Params, sent: &Params, config: &CollectionConfig) -> Result<bool> {
    let mut guesses = config.guess_unknown_fields;
    if let Some(name) = params.get("update.chain").filter(|name| !name.is_empty()) {
        let chain = config
            .update_chains
            .iter()
            .find(|chain| chain.name == name)
            .ok_or_else(|| Error::bad_request(format!("unknown UpdateRequestProcessorChain: {name}")))?;
        if let Some(class) = chain.missing.first().filter(|_| sent.get("update.chain").is_some()) {
            return Err(not_served(class));
        }
        guesses = chain.guesses;
    }
    for name in ["processor", "post-processor"].into_iter().flat_map(|kind| params.all(kind)) {
        for name in name.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let found = config.update_processors.iter().find(|processor| processor.name == name);
            let found = found.ok_or_else(|| Error::bad_request(format!("No such processor {name}")))?;
            if !found.served {
                return Err(not_served(&found.class));
            }
            guesses |= found.guesses;
        }
    }
    Ok(guesses)
}

fn not_served(class: &str) -> Error {
    Error::bad_request(format!("update processor `{class}` is not supported yet; choose a chain without it"))
}

#[cfg(test)]
mod tests {
    use plan::{UpdateChain, UpdateProcessor};

    use super::*;

    #[test]
    fn requests_choose_what_there_is() {
        let chain = |name: &str, guesses, missing: &[&str]| UpdateChain {
            name: name.into(),
            guesses,
            missing: missing.iter().map(|class| (*class).to_owned()).collect(),
        };
        let processor = |name: &str, guesses, served| UpdateProcessor {
            name: name.into(),
            class: "solr.X".into(),
            guesses,
            served,
        };
        let config = CollectionConfig {
            update_chains: vec![chain("add", true, &[]), chain("odd", false, &["solr.Odd"])],
            update_processors: vec![
                processor("uuid", false, true),
                processor("guess", true, true),
                processor("x", false, false),
            ],
            ..crate::config::fallback()
        };
        let check = |pairs: &[(&str, &str)], expected: Result<bool, &str>| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let params = Params::new(pairs.collect());
            let found = guesses(&params, &params, &config).map_err(|error| error.message);
            assert_eq!(
                found.as_ref().map_err(String::as_str),
                expected.as_ref().map_err(|text| *text),
                "{params:?}"
            );
        };
        check(&[], Ok(false));
        check(&[("update.chain", "")], Ok(false));
        check(&[("update.chain", "add")], Ok(true));
        check(&[("update.chain", "no")], Err("unknown UpdateRequestProcessorChain: no"));
        check(&[("processor", "uuid")], Ok(false));
        check(&[("processor", "uuid, guess")], Ok(true));
        check(&[("post-processor", "no")], Err("No such processor no"));
        let odd = |class: &str| {
            format!("update processor `{class}` is not supported yet; choose a chain without it")
        };
        check(&[("update.chain", "odd")], Err(&odd("solr.Odd")));
        check(&[("processor", "x")], Err(&odd("solr.X")));
        let preset = Params::new(vec![("update.chain".into(), "odd".into())]);
        assert!(!guesses(&preset, &Params::default(), &config).unwrap());
    }
}
