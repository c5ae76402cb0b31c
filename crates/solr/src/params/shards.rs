//! Which shards of a collection a request means, what is shown of them, and where updates lie. Names of
//! shards only: an address that a request brings is never called. Out: a choice that `cluster` matches with
//! the collection's shards; whether a name exists is known only there.

use plan::{Error, Result, ShardChoice};

use super::spec::{switch, text};
use super::{NoDefault, Param, ParamDoc, Params, Preset};

pub const SHARDS: Param<String> =
    Param::new("shards", text, NoDefault, "Names of the shards to search, separated by commas.");
pub const COLLECTIONS: Param<String> = Param::new(
    "collection",
    text,
    NoDefault,
    "Names of collections and aliases to search together, separated by commas, instead of that of the path.",
);
pub const ROUTE: Param<String> = Param::new(
    "_route_",
    text,
    NoDefault,
    "Where documents lie: a key such as `tenant!`, an id, or the name of a shard; of searches several, separated by commas.",
);
pub const DISTRIBUTED: Preset<bool> = Param::new(
    "distrib",
    switch,
    "true",
    "Whether all shards are searched; else the one whose core is addressed, or the first.",
);
/// Also a header of the same name, which `http` hands in. Which replica answers is not chosen by it yet: a
/// node asks its own, or else the leader. What is no preference is refused all the same.
pub const PREFER_REPLICA: Param<String> = Param::new(
    "prefer-replica",
    preferences,
    NoDefault,
    "Which replicas to ask first, also as a header: `zone:NAME`, `tag:NAME=VALUE`, `location:PREFIX`, `type:PULL`, `leader:true`, the most important first. A node asks its own replica of a shard or else its leader, whatever is preferred; `parhelion relay` chooses among servers by it.",
);
pub const SHARDS_INFO: Preset<bool> = Param::new(
    "shards.info",
    switch,
    "false",
    "Whether the answer tells what each shard found; of a collection of one shard it tells nothing.",
);

pub const DOCS: &[ParamDoc] = &[
    COLLECTIONS.doc(),
    SHARDS.doc(),
    ROUTE.doc(),
    DISTRIBUTED.doc(),
    SHARDS_INFO.doc(),
    PREFER_REPLICA.doc(),
    ParamDoc::hint("shards.tolerant", "Whether shards may be missing; all of them are here."),
    ParamDoc::hint("shards.preference", "Which replicas to ask; a node asks its own, or else the leader."),
    ParamDoc::hint(
        "distrib.singlePass",
        "Whether hits are fetched with the first step; answers are the same.",
    ),
];

/// Errors: `BadRequest` for addresses.
pub fn choice(params: &Params) -> Result<ShardChoice> {
    let named = SHARDS.sent(params).filter(|shards| !shards.trim().is_empty());
    if let Some(address) = named.filter(|shards| shards.contains(['/', ':', '|'])) {
        return Err(Error::bad_request(format!(
            "parameter `shards` names the address `{address}`, which is not supported; give names of shards"
        )));
    }
    if !DISTRIBUTED.read(params)? {
        return Ok(ShardChoice::Addressed);
    }
    Ok(match (named, ROUTE.sent(params)) {
        (Some(names), _) => {
            let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
            ShardChoice::Named(names.map(str::to_owned).collect())
        }
        (None, Some(routes)) => ShardChoice::Routed(routes.to_owned()),
        (None, None) => ShardChoice::All,
    })
}

/// A list of preferences, as it is; the words are those of the client and the relay. Errors: `BadRequest` for
/// a rule that is none.
fn preferences(list: &str) -> Result<String> {
    match list.split(',').find(|rule| !is_preference(rule.trim())) {
        None => Ok(list.to_owned()),
        Some(wrong) => Err(Error::bad_request(format!(
            "cannot parse `prefer-replica`: `{}` is no preference; write it as `zone:WEST`, `tag:NAME=VALUE`, `location:PREFIX`, `type:PULL` or `leader:true`",
            wrong.trim()
        ))),
    }
}

fn is_preference(rule: &str) -> bool {
    let Some((kind, value)) = rule.split_once(':').filter(|(_, value)| !value.is_empty()) else {
        return false;
    };
    match kind.strip_prefix("replica.").unwrap_or(kind) {
        "location" | "type" => true,
        "leader" => matches!(value, "true" | "false"),
        "zone" => kind == "zone",
        "tag" => kind == "tag" && value.split_once('=').is_some_and(|(name, _)| !name.is_empty()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_shards_or_routes_or_none() {
        let check = |pairs: &[(&str, &str)], expected: Option<ShardChoice>| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            assert_eq!(choice(&Params::new(pairs.collect())).ok(), expected);
        };
        let named =
            |names: &[&str]| Some(ShardChoice::Named(names.iter().map(|it| (*it).to_owned()).collect()));
        check(&[], Some(ShardChoice::All));
        check(&[("shards", "")], Some(ShardChoice::All));
        check(&[("shards", "shard1, b")], named(&["shard1", "b"]));
        check(&[("shards", "a"), ("_route_", "b!")], named(&["a"]));
        check(&[("_route_", "b!,c")], Some(ShardChoice::Routed("b!,c".into())));
        check(&[("distrib", "false"), ("shards", "a")], Some(ShardChoice::Addressed));
        check(&[("shards", "127.0.0.1:8983/solr/films")], None);
        check(&[("distrib", "false"), ("shards", "http://elsewhere/solr")], None);
        check(&[("distrib", "maybe")], None);
    }

    #[test]
    fn what_is_no_preference_is_refused() {
        let check = |list: &str, expected: bool| {
            assert_eq!(PREFER_REPLICA.parse(Some(list)).is_ok(), expected, "{list}");
        };
        check("zone:west, type:PULL,leader:false", true);
        check("replica.location:http://h:1/solr,replica.type:TLOG,replica.leader:true", true);
        check("tag:disk=ssd", true);
        check("tag:=ssd", false);
        check("replica.zone:west", false);
        check("leader:maybe", false);
        check("zone:", false);
        check("zone:west,", false);
        check("moon", false);
        check("", false);
    }
}
