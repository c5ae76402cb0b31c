//! What `/admin/collections` reads, whatever the action; of backups and snapshots also what actions of cores
//! and `/replication` do. Definitions only; each action of `http` reads those it has.

use super::values::count;
use crate::params::spec::{is_true, lenient_switch, text};
use crate::params::{Family, NoDefault, Param, ParamDoc, Preset, Support};

const fn plain(name: &'static str, about: &'static str) -> Param<String> {
    Param::new(name, text, NoDefault, about)
}

const fn off(name: &'static str, about: &'static str) -> Preset<bool> {
    Param::new(name, lenient_switch, "false", about)
}

macro_rules! counts {
    ($($constant:ident, $name:literal, $about:literal;)*) => {
        $(pub const $constant: Param<usize> = Param::new($name, |text| count($name, text), NoDefault, $about);)*
    };
}

/// `includeAll` speaks for those that are not sent.
macro_rules! parts {
    ($($constant:ident, $name:literal, $about:literal;)*) => {
        $(pub const $constant: Param<bool> = Param::new($name, is_true, NoDefault, $about);)*
    };
}

pub const ACTION: Param<String> = plain("action", "What to do.");
pub const NAME: Param<String> = plain("name", "The collection, alias, backup or property.");
pub const COLLECTION: Param<String> =
    plain("collection", "The collection, where `name` names something else.");
pub const COLLECTIONS: Param<String> =
    plain("collections", "With `CREATEALIAS`: what it stands for, with commas between.");
pub const CONFIGSET: Preset<String> =
    Param::new("collection.configName", text, "_default", "With `CREATE`: what it is made from.");
pub const ALIAS: Param<String> = plain("alias", "With `CREATE`: an alias for it.");
pub const TARGET: Param<String> = plain("target", "With `RENAME`: the new name.");
pub const FOLLOW_ALIASES: Preset<bool> = off("followAliases", "With `DELETE`: `name` may be an alias.");
pub const SHARD: Param<String> = plain(
    "shard",
    "With `CLUSTERSTATUS`: just these, with commas between; with `CREATESHARD`, `DELETESHARD` and what changes replicas: which one.",
);
pub const SEGMENTS: Preset<bool> = off("segments", "With `COLSTATUS`: with the files of the index.");
/// One where it is not sent.
pub const SHARD_COUNT: Param<usize> = Param::new(
    "numShards",
    |text| count("numShards", text),
    NoDefault,
    "With `CREATE`: so many shards, up to 64, share the hashes of ids; else 1.",
);
pub const ROUTER_NAME: Preset<String> = Param::new(
    "router.name",
    text,
    "compositeId",
    "With `CREATE`: `compositeId`, by which ids say where documents lie, or `implicit`, by which senders do.",
);
pub const ROUTER_FIELD: Param<String> =
    plain("router.field", "With `CREATE`: the field that says where a document lies, instead of its id.");
pub const SHARD_NAMES: Param<String> =
    plain("shards", "With `CREATE` and `router.name=implicit`: the shards' names, with commas between.");
counts! {
    SHARDS_PER_NODE, "maxShardsPerNode", "With `CREATE`: taken and without a meaning, as in Solr 9.";
    REPLICATION_FACTOR, "replicationFactor", "With `CREATE`, `CREATESHARD` and `RESTORE`: how many replicas each shard has, on as many nodes. With `MODIFYCOLLECTION`: 1.";
    NRT_REPLICAS, "nrtReplicas", "The same as `replicationFactor`.";
    TLOG_REPLICAS, "tlogReplicas", "With `CREATE`, `CREATESHARD`, `RESTORE` and `ADDREPLICA`: so many TLOG replicas, which are kept as NRT ones are.";
    PULL_REPLICAS, "pullReplicas", "With `CREATE`, `CREATESHARD`, `RESTORE` and `ADDREPLICA`: so many PULL replicas, which never lead.";
    COUNT, "count", "With `DELETEREPLICA`: so many of `shard`, or of each shard, that do not lead; those first whose nodes do not live.";
    MOVED_AT_ONCE, "maxAtOnce", "With `REBALANCELEADERS`: taken and without a meaning: each takes effect at once.";
    WAIT_SECONDS, "maxWaitSeconds", "With `REBALANCELEADERS`: the same.";
}
pub const NODES: Param<String> = plain(
    "createNodeSet",
    "With `CREATE`, `CREATESHARD` and `RESTORE`: the nodes for its replicas, with commas between; `ALL_LIVE_NODES` where nothing is said.",
);
pub const NODE: Param<String> = plain(
    "node",
    "With `ADDREPLICA`: where; else the node that has the fewest shards, and no replica of this one. With `DELETENODE`: the node.",
);
pub const REPLICA: Param<String> =
    plain("replica", "With `DELETEREPLICA` and `MOVEREPLICA`: which one (`core_node2`).");
pub const TYPE: Param<String> =
    plain("type", "With `ADDREPLICA`: `NRT`, `TLOG` or `PULL`; all are kept alike, and PULL never leads.");
pub const ONLY_IF_DOWN: Preset<bool> =
    off("onlyIfDown", "With `DELETEREPLICA`: refused where the node of one that is to go lives.");
/// Kept in lower case.
pub const PROPERTY_OF_REPLICA: Param<String> = plain(
    "property",
    "With `ADDREPLICAPROP`, `DELETEREPLICAPROP`, `BALANCESHARDUNIQUE`: the property, as `preferredLeader`.",
);
pub const VALUE_OF_PROPERTY: Param<String> = plain("property.value", "With `ADDREPLICAPROP`.");
pub const SHARD_UNIQUE: Param<bool> = Param::new(
    "shardUnique",
    is_true,
    NoDefault,
    "Of properties of replicas: one replica of a shard has it at most, as it is with `preferredLeader`.",
);
pub const ONLY_ACTIVE_NODES: Preset<bool> =
    Param::new("onlyactivenodes", is_true, "true", "With `BALANCESHARDUNIQUE`: replicas of nodes that live.");
pub const SOURCE_NODES: Param<String> =
    plain("sourceNodes", "With `MIGRATE_REPLICAS`: the nodes whose replicas go, with commas between.");
pub const TARGET_NODES: Param<String> =
    plain("targetNodes", "With `MIGRATE_REPLICAS`: where to, with commas between; else all that live.");
pub const BALANCED_NODES: Param<String> =
    plain("nodes", "With `BALANCE_REPLICAS`: among these, with commas between; else all that live.");
pub const SOURCE_NODE: Param<String> = plain(
    "sourceNode",
    "With `MOVEREPLICA`: the node whose replica of `shard` is moved, where `replica` names none. With `REPLACENODE`: the node whose replicas all are moved.",
);
pub const TARGET_NODE: Param<String> = plain(
    "targetNode",
    "With `MOVEREPLICA` and `REPLACENODE`: where to; else whoever lives and has the fewest shards.",
);
pub const READ_ONLY: Param<bool> = Param::new(
    "readOnly",
    is_true,
    NoDefault,
    "With `MODIFYCOLLECTION`: whether updates, commits among them, are refused with 403.",
);
pub const PER_REPLICA_STATE: Param<String> =
    plain("perReplicaState", "With `CREATE` and `MODIFYCOLLECTION`: `false`.");
pub const PROPERTY: Family = Family {
    name: "property.<name>",
    about: "With `MODIFYCOLLECTION` and `ALIASPROP`: this property's value; an empty one takes it away.",
};
pub const ROUTER: Family =
    Family { name: "router.<what>", about: "With `CREATEALIAS`: how routed aliases make collections." };

/// All parts are shown unless some are asked for, or this is `false`.
pub const INCLUDE_ALL: Preset<bool> = Param::new(
    "includeAll",
    is_true,
    "true",
    "With `CLUSTERSTATUS`: all that is not chosen by its own name.",
);
parts! {
    LIVE_NODES, "liveNodes", "With `CLUSTERSTATUS`: the nodes; else as `includeAll` says.";
    CLUSTER_PROPERTIES, "clusterProperties", "With `CLUSTERSTATUS`: properties; else as `includeAll` says.";
    ROLES, "roles", "With `CLUSTERSTATUS`: roles; else as `includeAll` says.";
}

pub const REPOSITORY: Param<String> = plain("repository", "Of backups: a place of another kind.");
/// Else the property of the cluster of this name.
pub const LOCATION: Param<String> = plain("location", "Of backups: a folder below the one for backups.");
counts! {
    BACKUP_ID, "backupId", "Of backups: which one.";
    BACKUPS_MAX, "maxNumBackupPoints", "With `DELETEBACKUP`: how many may stay.";
}
pub const PURGE_UNUSED: Preset<bool> =
    off("purgeUnused", "With `DELETEBACKUP`: files that no backup names go.");
pub const SNAPSHOT: Param<String> = plain("commitName", "Of snapshots and backups: the snapshot.");

pub const VALUE: Param<String> = plain("val", "With `CLUSTERPROP`: the value; without one it is taken away.");
pub const PROPERTY_NAME: Param<String> = plain("propertyName", "With `COLLECTIONPROP`.");
pub const PROPERTY_VALUE: Param<String> =
    plain("propertyValue", "With `COLLECTIONPROP`; without one it is taken away.");
pub const FLUSH: Preset<bool> = off("flush", "With `DELETESTATUS`: all of them.");
pub const ASYNC: Param<String> =
    plain("async", "Answer at once; `REQUESTSTATUS` tells by this name how it went.");
pub const REQUEST: Param<String> = plain("requestid", "With `REQUESTSTATUS` and `DELETESTATUS`: which one.");

/// `name:version`, with bars between. An answer tells of newer versions.
pub const STATE_VERSIONS: Param<String> =
    plain("_stateVer_", "Which state of the collection a client of clusters knows.");

/// Parts of a collection's status that Solr has besides: what fields and segments would take unpacked, by
/// samples of them, and what its index readers say.
pub const MORE_OF_STATUS: [Preset<bool>; 6] = [
    off("coreInfo", "With `COLSTATUS`: with what the leader's index reader says."),
    off("fieldInfo", "With `COLSTATUS`: with a segment's fields."),
    off("sizeInfo", "With `COLSTATUS`: with sizes of what segments hold in memory."),
    off("rawSize", "With `COLSTATUS`: with what fields would take unpacked."),
    off("rawSizeSummary", "With `COLSTATUS`: the same with its most frequent values."),
    off("rawSizeDetails", "With `COLSTATUS`: the same with their distribution."),
];

/// Ours: Solr answers it below `/api/cluster/node-roles` alone.
pub const NODE_ROLES: &str = "NODEROLES";
/// The same of `/api/cluster/node-roles/supported`.
pub const SUPPORTED_ROLES: &str = "SUPPORTEDROLES";
pub const ROLE: Param<String> = plain("role", "With `NODEROLES`: of this role alone.");
pub const ROLE_MODE: Param<String> = plain("mode", "With `NODEROLES` and `role`: in this mode alone.");
pub const ROLES_OF: Param<String> = plain("roleNode", "With `NODEROLES`: of this node alone.");

const fn refused(param: &Preset<bool>) -> ParamDoc {
    ParamDoc { support: Support::No, ..param.doc() }
}

pub const DOCS: &[ParamDoc] = &[
    ACTION.doc().one_of(&[
        "LIST",
        "CREATE",
        "CREATESHARD",
        "DELETE",
        "DELETESHARD",
        "RELOAD",
        "RENAME",
        "COLSTATUS",
        "CLUSTERSTATUS",
        "OVERSEERSTATUS",
        NODE_ROLES,
        SUPPORTED_ROLES,
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
        "ADDREPLICA",
        "DELETEREPLICA",
        "MOVEREPLICA",
        "REPLACENODE",
        "DELETENODE",
        "MIGRATE_REPLICAS",
        "BALANCE_REPLICAS",
        "ADDREPLICAPROP",
        "DELETEREPLICAPROP",
        "BALANCESHARDUNIQUE",
        "REBALANCELEADERS",
        "FORCELEADER",
        "REQUESTSTATUS",
        "DELETESTATUS",
    ]),
    NAME.doc(),
    COLLECTION.doc(),
    COLLECTIONS.doc(),
    CONFIGSET.doc(),
    SHARD_COUNT.doc(),
    ROUTER_NAME.doc().one_of(&["compositeId", "implicit"]),
    ROUTER_FIELD.doc(),
    SHARD_NAMES.doc(),
    ParamDoc { support: Support::Hint, ..SHARDS_PER_NODE.doc() },
    REPLICATION_FACTOR.doc(),
    NRT_REPLICAS.doc(),
    TLOG_REPLICAS.doc(),
    PULL_REPLICAS.doc(),
    NODES.doc(),
    // One node has no order.
    ParamDoc::hint("createNodeSet.shuffle", "With `CREATE`: whether nodes are taken in a random order."),
    ALIAS.doc(),
    TARGET.doc(),
    FOLLOW_ALIASES.doc(),
    INCLUDE_ALL.doc(),
    LIVE_NODES.doc(),
    CLUSTER_PROPERTIES.doc(),
    ROLES.doc(),
    ROLE.doc(),
    ROLE_MODE.doc(),
    ROLES_OF.doc(),
    SHARD.doc(),
    SEGMENTS.doc(),
    refused(&MORE_OF_STATUS[0]),
    refused(&MORE_OF_STATUS[1]),
    refused(&MORE_OF_STATUS[2]),
    refused(&MORE_OF_STATUS[3]),
    refused(&MORE_OF_STATUS[4]),
    refused(&MORE_OF_STATUS[5]),
    REPOSITORY.refused(),
    LOCATION.doc(),
    BACKUP_ID.doc(),
    BACKUPS_MAX.doc(),
    PURGE_UNUSED.doc(),
    SNAPSHOT.doc(),
    VALUE.doc(),
    PROPERTY_NAME.doc(),
    PROPERTY_VALUE.doc(),
    PROPERTY.doc(),
    ParamDoc { support: Support::No, ..ROUTER.doc() },
    READ_ONLY.doc(),
    NODE.doc(),
    REPLICA.doc(),
    TYPE.doc().one_of(&["NRT", "TLOG", "PULL"]),
    COUNT.doc(),
    ONLY_IF_DOWN.doc(),
    SOURCE_NODE.doc(),
    TARGET_NODE.doc(),
    SOURCE_NODES.doc(),
    TARGET_NODES.doc(),
    BALANCED_NODES.doc(),
    // Each replica is moved by one change of who has what.
    ParamDoc::hint("parallel", "With `REPLACENODE`: whether replicas are moved side by side."),
    ParamDoc::hint("waitForFinalState", "Whether to wait for replicas: whoever is named has them."),
    PROPERTY_OF_REPLICA.doc(),
    VALUE_OF_PROPERTY.doc(),
    SHARD_UNIQUE.doc(),
    ONLY_ACTIVE_NODES.doc(),
    ParamDoc { support: Support::Hint, ..MOVED_AT_ONCE.doc() },
    ParamDoc { support: Support::Hint, ..WAIT_SECONDS.doc() },
    PER_REPLICA_STATE.doc(),
    FLUSH.doc(),
    ASYNC.doc(),
    REQUEST.doc(),
];

pub const ANY: &[ParamDoc] = &[STATE_VERSIONS.doc()];
