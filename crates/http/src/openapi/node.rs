//! The paths of the node itself: its administration, figures, configsets, and this description. Rows for
//! `mod.rs`, which a test holds against the routes.
//! What a path does is its handler's; the parameters of each are the definitions in `crates/solr/src/params`,
//! so that the description cannot name one that nobody reads.

use solr::params::admin::{collections, configsets, cores, metrics, node};

use super::operation::{Body, Operation};

const FILE: Body = Body::Types(&["application/octet-stream"]);

pub(super) const OPERATIONS: &[Operation] = &[
    Operation::get("/solr/openapi.json", "This description.").bare(),
    Operation::get("/solr/admin/cores", "Cores: list them, make, rename, swap and unload them.")
        .own(cores::DOCS),
    Operation::get("/solr/admin/collections", "Collections, aliases, backups, and the state of the cluster.")
        .own(collections::DOCS),
    Operation::get("/solr/admin/configs", "Configsets.").own(configsets::DOCS),
    Operation::post("/solr/admin/configs", "Configsets; with an archive or a file to upload.", FILE)
        .own(configsets::DOCS),
    Operation::get("/api/configsets", "Configsets."),
    Operation::put("/api/configsets/{name}", "A configset, as an archive.", FILE)
        .own(&[configsets::OVERWRITE.doc(), configsets::CLEAN_UP.doc()]),
    Operation::delete("/api/configsets/{name}", "Take a configset away."),
    Operation::put("/api/configsets/{name}/{file}", "One file of a configset.", FILE),
    Operation::get("/solr/admin/metrics", "Figures; with `wt=prometheus` for a monitor.").own(metrics::DOCS),
    Operation::get("/solr/admin/info/system", "The program, the machine, how long it has been up."),
    Operation::get("/solr/admin/info/health", "Whether the node is well, and what is stuck in it."),
    Operation::get("/solr/admin/doctor", "What is stuck in the node, and what of its host will hurt next."),
    Operation::get("/solr/admin/info/properties", "What the program is.").own(node::PROPERTIES),
    Operation::get("/solr/admin/info/logging", "What is logged.").own(node::LOGGING),
    Operation::get("/solr/admin/info/threads", "How many threads there are."),
];
