//! The handlers that every collection has without declaring them: path, Solr's class, and the set of
//! parameters that each takes up if there is one (facts of Solr 9.10.1, shown by its `/config`). A configset
//! that declares one of these paths replaces it (`handlers.rs`); paths that are not served here stand in the
//! list all the same, so that they are refused by name rather than as unknown.

use plan::HandlerConfig;

pub(crate) struct Implicit {
    pub path: &'static str,
    pub class: &'static str,
    pub use_params: &'static str,
}

const fn implicit(path: &'static str, class: &'static str, use_params: &'static str) -> Implicit {
    Implicit { path, class, use_params }
}

pub(crate) const IMPLICIT: &[Implicit] = &[
    implicit("/update", "solr.UpdateRequestHandler", "_UPDATE"),
    implicit("/update/json", "solr.UpdateRequestHandler", "_UPDATE_JSON"),
    implicit("/update/cbor", "solr.UpdateRequestHandler", "_UPDATE_CBOR"),
    implicit("/update/csv", "solr.UpdateRequestHandler", "_UPDATE_CSV"),
    implicit("/update/json/docs", "solr.UpdateRequestHandler", "_UPDATE_JSON_DOCS"),
    implicit("/config", "solr.SolrConfigHandler", "_CONFIG"),
    implicit("/schema", "solr.SchemaHandler", "_SCHEMA"),
    implicit("/get", "solr.RealTimeGetHandler", "_GET"),
    implicit("/admin/ping", "solr.PingRequestHandler", "_ADMIN_PING"),
    implicit("/admin/segments", "solr.SegmentsInfoRequestHandler", "_ADMIN_SEGMENTS"),
    implicit("/admin/luke", "solr.LukeRequestHandler", "_ADMIN_LUKE"),
    implicit("/admin/system", "solr.SystemInfoHandler", "_ADMIN_SYSTEM"),
    implicit("/terms", "solr.SearchHandler", "_TERMS"),
    implicit("/analysis/field", "solr.FieldAnalysisRequestHandler", "_ANALYSIS_FIELD"),
    implicit("/analysis/document", "solr.DocumentAnalysisRequestHandler", "_ANALYSIS_DOCUMENT"),
    // Not Solr's: it has this one by declaration only.
    implicit("/select", "solr.SearchHandler", ""),
];

/// Whether it is one that no configuration declared: Solr presets some parameters for those alone.
pub fn is_implicit(handler: &HandlerConfig) -> bool {
    let same = |it: &Implicit| {
        (it.path, it.class) == (handler.path.as_str(), handler.class.as_str())
            && handler.use_params.iter().eq([it.use_params].iter().filter(|sets| !sets.is_empty()))
    };
    IMPLICIT.iter().any(same)
}

impl Implicit {
    pub fn handler(&self) -> HandlerConfig {
        HandlerConfig {
            path: self.path.to_owned(),
            class: self.class.to_owned(),
            use_params: super::param_sets::set_names(self.use_params),
            ..HandlerConfig::default()
        }
    }
}
