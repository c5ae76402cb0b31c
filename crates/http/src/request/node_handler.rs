//! What serves the node's own paths, by name. What each does is in `handlers`. Known once the path is routed
//! and before anything is read: who may ask is decided by it (`crates/http/src/security/needs.rs`). In: a
//! path below the web context; out: a name for whoever serves it, with Solr's class where a client may read
//! of one.

use solr::security::Section;

/// What serves a path of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeHandler {
    Root,
    Cores,
    Collections,
    System,
    Health,
    Info(Info),
    Metrics,
    Slow,
    Doctor,
    Configsets,
    Security(Section),
}

impl NodeHandler {
    /// Solr's class, which `echoHandler` shows.
    pub fn class(self) -> &'static str {
        match self {
            NodeHandler::Root | NodeHandler::Slow | NodeHandler::Doctor => "",
            NodeHandler::Cores => "org.apache.solr.handler.admin.CoreAdminHandler",
            NodeHandler::Collections => "org.apache.solr.handler.admin.CollectionsHandler",
            NodeHandler::System => "org.apache.solr.handler.admin.SystemInfoHandler",
            NodeHandler::Health => "org.apache.solr.handler.admin.HealthCheckHandler",
            NodeHandler::Configsets => "org.apache.solr.handler.admin.ConfigSetsHandler",
            NodeHandler::Security(_) => "org.apache.solr.handler.admin.SecurityConfHandlerLocal",
            NodeHandler::Info(info) => info.class(),
            NodeHandler::Metrics => "org.apache.solr.handler.admin.MetricsHandler",
        }
    }
}

/// What is below `/admin/info` besides system and health.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Info {
    Properties,
    Logging,
    /// Those of the v2 API, each with a path of its own.
    LogLevels,
    LogMessages,
    Threads,
    Unknown,
}

impl Info {
    pub fn find(name: &str) -> Self {
        match name {
            "properties" => Self::Properties,
            "logging" => Self::Logging,
            "threads" => Self::Threads,
            _ => Self::Unknown,
        }
    }

    /// Solr's class, which `echoHandler` shows.
    pub fn class(self) -> &'static str {
        match self {
            Self::Properties => "org.apache.solr.handler.admin.PropertiesRequestHandler",
            Self::Logging | Self::LogLevels | Self::LogMessages => {
                "org.apache.solr.handler.admin.LoggingHandler"
            }
            Self::Threads => "org.apache.solr.handler.admin.ThreadDumpHandler",
            Self::Unknown => "org.apache.solr.handler.admin.InfoHandler",
        }
    }
}
