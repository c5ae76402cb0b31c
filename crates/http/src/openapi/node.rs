//! The paths of the node itself: its administration, figures, configsets, and this description.

use solr::params::{Kind, ParamDoc};

use super::operation::{Body, Operation};

const fn text(name: &'static str, about: &'static str) -> ParamDoc {
    ParamDoc::plain(name, Kind::Text, None, about)
}

const fn switch(name: &'static str, about: &'static str) -> ParamDoc {
    ParamDoc::plain(name, Kind::Switch, None, about)
}

const fn whole(name: &'static str, about: &'static str) -> ParamDoc {
    ParamDoc::plain(name, Kind::Whole { min: Some(0), long: false }, None, about)
}

const ASYNC: ParamDoc = text("async", "Answer at once; `REQUESTSTATUS` tells by this name how it went.");
const REQUEST: ParamDoc = text("requestid", "With `REQUESTSTATUS` and `DELETESTATUS`: which one.");

const CORES: &[ParamDoc] = &[
    text("action", "What to do.").one_of(&[
        "STATUS",
        "CREATE",
        "RELOAD",
        "RENAME",
        "SWAP",
        "UNLOAD",
        "REQUESTSTATUS",
    ]),
    text("core", "The core that it is done to."),
    text("name", "With `CREATE`: the name of the new core."),
    text("configSet", "With `CREATE`: what it is made from."),
    text("other", "With `RENAME` the new name, with `SWAP` the other core."),
    switch("indexInfo", "With `STATUS`: with figures of the index."),
    switch("deleteIndex", "With `UNLOAD`: the documents go too."),
    switch("deleteDataDir", "With `UNLOAD`: the documents go too."),
    switch("deleteInstanceDir", "With `UNLOAD`: all goes."),
    ASYNC,
    REQUEST,
];

const COLLECTIONS: &[ParamDoc] = &[
    text("action", "What to do.").one_of(&[
        "LIST",
        "CREATE",
        "DELETE",
        "RELOAD",
        "RENAME",
        "COLSTATUS",
        "CLUSTERSTATUS",
        "OVERSEERSTATUS",
        "BACKUP",
        "LISTBACKUP",
        "VERIFYBACKUP",
        "DELETEBACKUP",
        "RESTORE",
        "CREATEALIAS",
        "DELETEALIAS",
        "LISTALIASES",
        "ALIASPROP",
        "CLUSTERPROP",
        "COLLECTIONPROP",
        "MODIFYCOLLECTION",
        "REQUESTSTATUS",
        "DELETESTATUS",
    ]),
    text("name", "The collection, alias, backup or property."),
    text("collection", "The collection, where `name` names something else."),
    text("collections", "With `CREATEALIAS`: what it stands for, with commas between."),
    text("collection.configName", "With `CREATE`: what it is made from."),
    whole("numShards", "With `CREATE`: 1."),
    text("alias", "With `CREATE`: an alias for it."),
    text("target", "With `RENAME`: the new name."),
    switch("followAliases", "With `DELETE`: `name` may be an alias."),
    text("shard", "With `CLUSTERSTATUS`: just this one."),
    switch("segments", "With `COLSTATUS`: with the files of the index."),
    text("location", "Of backups: a folder below the one for backups."),
    whole("backupId", "Of backups: which one."),
    whole("maxNumBackupPoints", "With `DELETEBACKUP`: how many may stay."),
    switch("purgeUnused", "With `DELETEBACKUP`: files that no backup names go."),
    text("val", "With `CLUSTERPROP`: the value; without one it is taken away."),
    text("propertyName", "With `COLLECTIONPROP`."),
    text("propertyValue", "With `COLLECTIONPROP`; without one it is taken away."),
    switch("flush", "With `DELETESTATUS`: all of them."),
    ASYNC,
    REQUEST,
];

const CONFIGSETS: &[ParamDoc] = &[
    text("action", "What to do.").one_of(&["LIST", "CREATE", "UPLOAD", "DELETE"]),
    text("name", "Which one."),
    text("baseConfigSet", "With `CREATE`: what it is a copy of."),
    text("filePath", "With `UPLOAD`: the one file that the body is, not an archive."),
    switch("overwrite", "With `UPLOAD`: whether it may be there."),
    switch("cleanup", "With `UPLOAD`: files that the archive lacks go."),
];

const METRICS: &[ParamDoc] = &[
    text("group", "Only these, with commas between: `core`, `node`. May repeat."),
    text("registry", "Only these, with commas between. May repeat."),
    text("prefix", "Only figures whose names begin so. May repeat."),
    text("regex", "Only figures whose names match. May repeat."),
    text("property", "Only these values of each. May repeat."),
    text("type", "Only figures of this type.").one_of(&[
        "all",
        "gauge",
        "counter",
        "timer",
        "meter",
        "histogram",
    ]),
    text("key", "Just these: `registry:name`, `registry:name:property`. May repeat."),
    switch("compact", "Values alone, where there is one."),
];

const FILE: Body = Body::Types(&["application/octet-stream"]);

pub(super) const OPERATIONS: &[Operation] = &[
    Operation::get("/solr/openapi.json", "This description.").bare(),
    Operation::get("/solr/admin/cores", "Cores: list them, make, rename, swap and unload them.").own(CORES),
    Operation::get("/solr/admin/collections", "Collections, aliases, backups, and the state of the cluster.")
        .own(COLLECTIONS),
    Operation::get("/solr/admin/configs", "Configsets.").own(CONFIGSETS),
    Operation::post("/solr/admin/configs", "Configsets; with an archive or a file to upload.", FILE)
        .own(CONFIGSETS),
    Operation::get("/api/configsets", "Configsets."),
    Operation::put("/api/configsets/{name}", "A configset, as an archive.", FILE)
        .own(&[switch("overwrite", "Whether it may be there."), switch("cleanup", "Other files go.")]),
    Operation::delete("/api/configsets/{name}", "Take a configset away."),
    Operation::put("/api/configsets/{name}/{file}", "One file of a configset.", FILE),
    Operation::get("/solr/admin/metrics", "Figures; with `wt=prometheus` for a monitor.").own(METRICS),
    Operation::get("/solr/admin/info/system", "The program, the machine, how long it has been up."),
    Operation::get("/solr/admin/info/health", "Whether the node is well."),
    Operation::get("/solr/admin/info/properties", "What the program is.")
        .own(&[text("name", "Just this one.")]),
    Operation::get("/solr/admin/info/logging", "What is logged."),
    Operation::get("/solr/admin/info/threads", "How many threads there are."),
];
