//! The parameters that a handler goes by: those sent, over what the collection's config and Solr preset for
//! the path, with macros filled in.
//!
//! In: a call's parameters and the config of its collection; out: parameters to echo and parameters in
//! effect. What they mean is read by `solr`; JSON bodies of searches become parameters in
//! `select/json_body.rs`.

use plan::{CollectionConfig, Error, HandlerConfig};
use solr::config::{is_implicit, set_names};
use solr::params::response as response_params;
use solr::params::why_not as why_not_params;
use solr::{Params, json_request};

use super::ping;
use crate::request::route::Handler;

/// The parameters of a request, as sent and as they take effect.
pub(super) struct EffectiveParams {
    /// As echoed, if at all.
    pub(super) sent: Option<Params>,
    /// With the handler's presets.
    pub(super) effective: Params,
    /// Why nothing more can be made of them.
    pub(super) refused: Option<Error>,
}

impl EffectiveParams {
    /// Of JSON only its `params` count, as in Solr for what is no search; `select/json_body.rs` reads the
    /// rest for those that are.
    pub(super) fn plainly(sent: &Params, presets: &HandlerConfig) -> Self {
        let effective = json_request::with_params(sent).with_handler(presets);
        Self { sent: Some(sent.clone()), effective, refused: None }
    }

    /// With `${name}` filled in. Macros that cannot be leave nothing to echo, as in Solr.
    pub(super) fn with_macros(self) -> Self {
        if !json_request::is_asked(&self.effective) {
            return self;
        }
        match json_request::filled(self.effective.clone()) {
            Ok(effective) => Self { effective, ..self },
            Err(error) => Self { sent: None, refused: Some(error), ..self },
        }
    }
}

/// How often a request is resolved: each time but the first another edit of the schema came in between.
pub(super) const RESOLVED_MAX: usize = 10;

/// What the collection's config declares for the path, over what Solr presets where nothing is declared.
pub(super) fn presets(
    handler: Handler,
    path: &str,
    params: &Params,
    config: &CollectionConfig,
) -> HandlerConfig {
    // Why a search does not show a document is asked of the search as it is.
    let path = match handler {
        Handler::WhyNot => why_not_params::HANDLER.text(params),
        _ => path,
    };
    let declared = config.handler(path);
    let is_implicit = declared.is_none_or(is_implicit);
    let mut presets = declared.cloned().unwrap_or_default();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    match handler {
        Handler::Dump => {
            presets.defaults.push(pair("echoParams", "explicit"));
            presets.defaults.push(pair("echoHandler", "true"));
        }
        Handler::Get if is_implicit => presets.defaults.push(pair("omitHeader", "true")),
        Handler::Ping => {
            presets.defaults.push(pair("q", "{!lucene}*:*"));
            if is_implicit {
                presets.invariants.push(pair("echoParams", "all"));
            }
            presets.invariants.push(pair("distrib", "false"));
            // A ping is a search by the handler that searches by default.
            let search =
                config.handlers.iter().find(|declared| declared.path == "/select" && ping::pings(params));
            for (name, value) in search.into_iter().flat_map(|search| &search.defaults) {
                if !presets.defaults.iter().any(|(known, _)| known == name) {
                    presets.defaults.push(pair(name, value));
                }
            }
        }
        _ => {}
    }
    let own = std::mem::take(&mut presets.use_params);
    config.add_param_sets(&mut presets, &own);
    if let Some(asked) = response_params::USE_PARAMS.sent(params) {
        config.add_param_sets(&mut presets, &set_names(asked));
        // They are taken up; nobody below is to do it again.
        presets.invariants.push(pair(response_params::USE_PARAMS.name, ""));
    }
    presets
}
