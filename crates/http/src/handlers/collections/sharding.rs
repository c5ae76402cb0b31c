//! Which shards a collection is made with, by Solr's parameters and in its words, and how it is told that
//! they were made. Placing the shards and making them is the node's (`cluster`); the parameters themselves
//! are defined in `crates/solr/src/params/admin`. What Solr takes and has no meaning on one node is still
//! checked, so that a slip is told.

use cluster::{ShardDocument, Sharding};
use plan::{Error, Result};
use solr::params::admin::collections as params;
use solr::response::{Entries, Name, Node};

use crate::request::call::Call;

/// What `CREATE` asks for. Errors: `BadRequest` for what its router does not have.
pub(super) fn asked(call: &Call<'_>) -> Result<Sharding> {
    let field = call.text(&params::ROUTER_FIELD).map(str::to_owned);
    // Read though it has no meaning: what is no number is told.
    call.value(&params::SHARDS_PER_NODE)?;
    let (count, names) = (call.value(&params::SHARD_COUNT)?, call.text(&params::SHARD_NAMES));
    match (call.text(&params::ROUTER_NAME), names) {
        ("compositeId", None) => Ok(Sharding::Hashed { count: count.unwrap_or(1), field }),
        // Solr differs: it makes shards of other names and says nothing.
        ("compositeId", Some(names)) => Err(Error::bad_request(format!(
            "`shards` is `{names}`, but shards that share the hashes of ids have names of their own; leave it \
             out, or use `router.name=implicit`"
        ))),
        ("implicit", Some(names)) => {
            let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
            Ok(Sharding::Named { names: names.map(str::to_owned).collect(), field })
        }
        ("implicit", None) => Err(Error::bad_request("shards is a required param")),
        (other, _) => Err(Error::bad_request(format!(
            "`router.name` is `{other}`, which is not supported; use `compositeId` or `implicit`"
        ))),
    }
}

/// What a node did, with the core that it made.
pub(super) fn done_by(node: &str, core: Option<&str>) -> (Name, Node) {
    let header = Node::map([("status", Node::Int(0)), ("QTime", Node::Int(0))]);
    let mut entries: Entries = vec![("responseHeader".into(), header)];
    entries.extend(core.map(|core| ("core".into(), Node::from(core.to_owned()))));
    (Name::Owned(node.to_owned()), Node::Map(entries))
}

/// What the node did, as a cloud's overseer would list it: an entry for each shard that was made, all under
/// the node's name, or one where none was.
pub(super) fn done(call: &Call<'_>, made: &[ShardDocument]) -> Entries {
    let entry = |core: Option<&str>| done_by(call.server.node.name(), core);
    let shown = match made {
        [] => vec![entry(None)],
        made => made.iter().map(|shard| entry(Some(&shard.core))).collect(),
    };
    vec![("success".into(), Node::Map(shown))]
}
