//! Which shards of a collection a request means, what is shown of them, and where updates lie. Names of
//! shards only: an address that a request brings is never called. Out: a choice that `cluster` matches with
//! the collection's shards; whether a name exists is known only there.

use plan::{EqualReplicas, Error, ReplicaChoice, ReplicaRule, Result, ShardChoice};

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
/// Also a header of the same name, which `http` hands in.
pub const PREFER_REPLICA: Param<String> = Param::new(
    "prefer-replica",
    preferences,
    NoDefault,
    "Which replicas to ask first, also as a header: `zone:NAME`, `tag:NAME=VALUE`, `location:PREFIX`, `type:PULL`, `leader:true`, the most important first. A node says its zone by `serve --zone`; it has no tags, by which `parhelion relay` chooses among servers.",
);
/// Rules of another form are refused where it is read ([`replica_choice`]).
pub const PREFERENCE: Param<String> = Param::new(
    "shards.preference",
    text,
    NoDefault,
    "Which replicas searches ask first: `replica.type:PULL`, `replica.location:local` or an address's beginning, `replica.leader:true`, the most important first, separated by commas; else the node asks its own, or the leader. `replica.base:random` or `replica.base:stable` orders those that are equal.",
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
    PREFERENCE.doc(),
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

/// The property of the cluster that is `shards.preference` of requests that bring none.
pub const DEFAULT_PREFERENCES: &str = "defaultShardPreferences";

/// What a node of Solr calls its zone (`-Davailability_zone`), as rules name it.
const ZONE_PROPERTY: &str = "sysprop.availability_zone";

/// Which replicas a request would rather be answered by: what it says itself, else `default`, then what its
/// header `prefer-replica` says. `random` is another text each time. Errors: `BadRequest` for a rule that is
/// none.
pub fn replica_choice(
    params: &Params,
    (header, default): (Option<&str>, Option<&str>),
    random: impl FnOnce() -> String,
) -> Result<ReplicaChoice> {
    let lists = [PREFERENCE.sent(params).or(default), PREFER_REPLICA.sent(params), header];
    let mut choice = ReplicaChoice::default();
    let mut random = Some(random);
    for rule in lists.into_iter().flatten().flat_map(|list| list.split(',')).map(str::trim) {
        if rule.is_empty() {
            continue;
        }
        let wrong = || {
            Error::bad_request(format!(
                "cannot parse `shards.preference`: `{rule}` is no preference; write it as `replica.type:PULL`, \
                 `replica.location:local`, `replica.leader:true` or `replica.base:random`"
            ))
        };
        let (kind, value) = rule.split_once(':').ok_or_else(wrong)?;
        match (kind.strip_prefix("replica.").unwrap_or(kind), value) {
            ("location", "local") => choice.rules.push(ReplicaRule::Here),
            ("location", prefix) => choice.rules.push(ReplicaRule::Location(prefix.to_owned())),
            ("type", kind) => choice.rules.push(ReplicaRule::Kind(kind.to_ascii_uppercase())),
            ("leader", value @ ("true" | "false")) => choice.rules.push(ReplicaRule::Leads(value == "true")),
            ("base", "random") => {
                choice.equals = EqualReplicas::Turned(random.take().map_or(0, |random| hash(&random())));
            }
            ("base", stable) => {
                let stable = stable.strip_prefix("stable").ok_or_else(wrong)?;
                choice.equals = EqualReplicas::Turned(stable_number(stable, params).ok_or_else(wrong)?);
            }
            ("zone", zone) => choice.rules.push(ReplicaRule::Zone(zone.to_owned())),
            ("node.sysprop", ZONE_PROPERTY) => choice.rules.push(ReplicaRule::SameZone),
            // Of these no node has any, so that all are equal by them.
            ("node.sysprop" | "tag", _) => {}
            _ => return Err(wrong()),
        }
    }
    Ok(choice)
}

/// The number by which `replica.base:stable` turns: that of a parameter, or of a parameter's text. `None` for
/// a rule that is none.
fn stable_number(rule: &str, params: &Params) -> Option<u64> {
    let (kind, name) = match rule.strip_prefix(':') {
        None if rule.is_empty() => ("hash", "q"),
        None => return None,
        Some("hash") => ("hash", "q"),
        Some(rule) => rule.split_once(':')?,
    };
    let value = params.by_name(name).unwrap_or_default();
    match kind {
        "dividend" => Some(value.trim().parse().unwrap_or_default()),
        "hash" => Some(hash(value)),
        _ => None,
    }
}

/// FNV-1a: any hash that stays the same between releases.
fn hash(text: &str) -> u64 {
    let next = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, next)
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
    fn preferences_are_rules_in_their_order() {
        let read = |list: &str, header: Option<&str>| {
            let pairs = [("shards.preference", list), ("q", "cats"), ("user", "7")];
            let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
            replica_choice(&Params::new(pairs.to_vec()), (header, Some("replica.leader:true")), || {
                "5".to_owned()
            })
        };
        let rules = |list: &str| read(list, None).unwrap().rules;
        assert!(read("", None).unwrap().is_free());
        assert!(read("node.sysprop:sysprop.rack", Some("tag:disk=fast")).unwrap().is_free());
        let zones = read("node.sysprop:sysprop.availability_zone", Some("zone:west")).unwrap();
        assert_eq!(zones.rules, [ReplicaRule::SameZone, ReplicaRule::Zone("west".into())]);
        assert_eq!(
            rules("replica.type:pull, replica.location:local,replica.leader:false"),
            [ReplicaRule::Kind("PULL".into()), ReplicaRule::Here, ReplicaRule::Leads(false)]
        );
        assert_eq!(rules("replica.location:http://h:1"), [ReplicaRule::Location("http://h:1".into())]);
        let unsaid =
            replica_choice(&Params::default(), (None, Some("replica.leader:true")), String::new).unwrap();
        assert_eq!(unsaid.rules, [ReplicaRule::Leads(true)]);
        let both = read("replica.leader:true", Some("type:TLOG")).unwrap();
        assert_eq!(both.rules, [ReplicaRule::Leads(true), ReplicaRule::Kind("TLOG".into())]);
        let equals = |list: &str| read(list, None).unwrap().equals;
        assert_eq!(equals("replica.base:random"), EqualReplicas::Turned(hash("5")));
        assert_eq!(equals("replica.base:stable"), equals("replica.base:stable:hash:q"));
        assert_eq!(equals("replica.base:stable:dividend:user"), EqualReplicas::Turned(7));
        for wrong in ["moon", "replica.leader:maybe", "replica.base:moon", "replica.base:stable:moon:q"] {
            assert!(read(wrong, None).is_err(), "{wrong}");
        }
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
