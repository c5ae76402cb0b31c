//! What a client must know of a SolrCloud: which nodes live, which replicas a collection has where, which
//! leads; read from the answer of `CLUSTERSTATUS`. What comes over the network is taken with care: what
//! cannot be understood is an error or is left out, never a panic.

use std::collections::BTreeMap;
use std::io::Cursor;

use serde_json::{Map, Value};

use crate::error::Error;
use crate::url::SolrUrl;

/// Collections with their aliases, at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterState {
    pub collections: BTreeMap<String, Vec<Shard>>,
    pub aliases: BTreeMap<String, Vec<String>>,
}

/// Those of a shard's replicas that live on nodes that live and are active.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    pub name: String,
    /// The hashes of its ids, both ends included; `None` where documents are routed by hand.
    pub range: Option<(i32, i32)>,
    pub replicas: Vec<Replica>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Replica {
    pub core: String,
    /// Of its node.
    pub url: SolrUrl,
    pub leads: bool,
    /// `NRT`, `TLOG` or `PULL`.
    pub kind: String,
}

impl ClusterState {
    /// Of an answer of `admin/collections?action=CLUSTERSTATUS`. Errors: [`Error::NotJson`] where it is
    /// something else.
    pub fn parse(answer: &Value) -> Result<Self, Error> {
        let missing =
            |what: &str| Error::NotJson(format!("`{what}` is missing in what CLUSTERSTATUS answered"));
        let cluster = answer.get("cluster").ok_or_else(|| missing("cluster"))?;
        let live: Vec<&str> = strings(cluster.get("live_nodes")).collect();
        let collections =
            cluster.get("collections").and_then(Value::as_object).ok_or_else(|| missing("collections"))?;
        let shards = |collection: &Value| -> Vec<Shard> {
            let shards = members(collection.get("shards"));
            let shards = shards.filter_map(|(name, shard)| parse_shard(name, shard, &live));
            // Where another field than the id says where a document goes, ids say nothing.
            let by_id = collection.pointer("/router/field").is_none_or(Value::is_null);
            shards.map(|shard| Shard { range: shard.range.filter(|_| by_id), ..shard }).collect()
        };
        let aliases = members(cluster.get("aliases")).filter_map(|(name, targets)| {
            Some((
                name.clone(),
                targets.as_str()?.split(',').map(|target| target.trim().to_owned()).collect(),
            ))
        });
        Ok(Self {
            collections: collections.iter().map(|(name, state)| (name.clone(), shards(state))).collect(),
            aliases: aliases.collect(),
        })
    }

    /// The shards behind a collection or an alias of some.
    pub fn shards(&self, name: &str) -> Vec<&Shard> {
        let own = [name.to_owned()];
        let targets = self.aliases.get(name).map_or(&own[..], Vec::as_slice);
        targets.iter().filter_map(|target| self.collections.get(target)).flatten().collect()
    }

    /// Those of all collections.
    pub fn replicas(&self) -> impl Iterator<Item = &Replica> {
        self.collections.values().flatten().flat_map(|shard| &shard.replicas)
    }

    /// The node that leads the shard of a document. `None` where nobody leads it, or ids do not say where a
    /// document goes.
    pub fn leader(&self, collection: &str, id: &str) -> Option<&SolrUrl> {
        let hash = composite_hash(id)?;
        let shards = self.shards(collection);
        let shard = shards
            .iter()
            .find(|shard| shard.range.is_some_and(|(low, high)| (low..=high).contains(&hash)))?;
        shard.replicas.iter().find(|replica| replica.leads).map(|replica| &replica.url)
    }
}

/// `None` for a shard that a split has replaced, or is still building.
fn parse_shard(name: &str, shard: &Value, live: &[&str]) -> Option<Shard> {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    if text(shard, "state").is_some_and(|state| state != "active") {
        return None;
    }
    let replica = |replica: &Value| {
        let is_active =
            text(replica, "state")? == "active" && live.contains(&text(replica, "node_name")?.as_str());
        let leads = text(replica, "leader").as_deref() == Some("true");
        let url = text(replica, "base_url")?.parse().ok()?;
        let kind = text(replica, "type").unwrap_or_else(|| "NRT".to_owned());
        is_active.then_some(Replica { core: text(replica, "core")?, url, leads, kind })
    };
    let replicas = members(shard.get("replicas")).filter_map(|(_, state)| replica(state)).collect();
    Some(Shard {
        name: name.to_owned(),
        range: text(shard, "range").and_then(|range| parse_range(&range)),
        replicas,
    })
}

/// `80000000-ffffffff`: signed numbers, in hexadecimal.
fn parse_range(text: &str) -> Option<(i32, i32)> {
    let (low, high) = text.split_once('-')?;
    let parse = |digits| u32::from_str_radix(digits, 16).ok().map(u32::cast_signed);
    Some((parse(low)?, parse(high)?))
}

/// The hash of an id as Solr's `compositeId` router has it: MurmurHash3 of the id. Of `a!b` the upper half is
/// `a`'s and the lower `b`'s; of `a!b!c` the upper eight bits `a`'s, the next eight `b`'s, the rest `c`'s; a
/// part before the last may say how many of the bits are its own (`a/3!b`). `None` for forms whose meaning
/// is not documented, which any node routes as well.
fn composite_hash(id: &str) -> Option<i32> {
    let hash = |part: &str| murmur3::murmur3_32(&mut Cursor::new(part), 0).ok();
    let parts: Vec<&str> = id.splitn(3, '!').collect();
    let (last, routes) = parts.split_last()?;
    if !routes.is_empty() && parts.iter().any(|part| part.is_empty()) {
        return None;
    }
    let bits_default = if routes.len() == 1 { 16 } else { 8 };
    let (mut value, mut used) = (0, 0);
    for route in routes {
        let (key, bits) = match route.split_once('/') {
            Some((key, bits)) => (key, parse_bits(bits)?),
            None => (*route, bits_default),
        };
        if key.is_empty() || used + bits > 32 {
            return None;
        }
        value |= hash(key)? & bit_mask(used, bits);
        used += bits;
    }
    Some((value | hash(last)? & bit_mask(used, 32 - used)).cast_signed())
}

fn parse_bits(digits: &str) -> Option<u32> {
    let bits = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    (bits <= 32).then_some(bits)
}

/// This many bits, the first of them behind as many as `from`, counted from the most significant.
fn bit_mask(from: u32, count: u32) -> u32 {
    if count == 0 { 0 } else { u32::MAX << (32 - count) >> from }
}

fn members(object: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    object.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

fn strings(array: Option<&Value>) -> impl Iterator<Item = &str> {
    array.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> ClusterState {
        let replica = |node: &str, leads: &str, state: &str| {
            serde_json::json!({
                "core": format!("films_{node}"), "node_name": format!("{node}:8983_solr"), "state": state,
                "base_url": format!("http://{node}:8983/solr"), "leader": leads,
            })
        };
        let answer = serde_json::json!({"cluster": {
            "live_nodes": ["a:8983_solr", "b:8983_solr"],
            "aliases": {"cinema": "films,gone"},
            "collections": {"films": {"shards": {
                "shard1": {"range": "80000000-ffffffff", "state": "active", "replicas": {
                    "n1": replica("a", "true", "active"), "n2": replica("b", "false", "recovering"),
                }},
                "shard2": {"range": "0-7fffffff", "state": "active", "replicas": {
                    "n3": replica("b", "true", "active"), "n4": replica("c", "false", "active"), "n5": 7,
                }},
                "shard0": {"range": "80000000-7fffffff", "state": "inactive", "replicas": {}},
            }}},
        }});
        ClusterState::parse(&answer).unwrap()
    }

    #[test]
    fn live_active_replicas_and_leaders_are_known() {
        let state = state();
        let urls: Vec<_> = state
            .shards("cinema")
            .iter()
            .flat_map(|shard| &shard.replicas)
            .map(|replica| replica.url.authority())
            .collect();
        assert_eq!(urls, ["a:8983", "b:8983"]);
        let check = |id: &str, expected: Option<&str>| {
            assert_eq!(state.leader("films", id).map(SolrUrl::authority), expected, "{id}");
        };
        // MurmurHash3, x86, 32 bits: `hello` is 248bfa47, `test` is ba6bd213 (from its published vectors).
        check("hello", Some("b:8983"));
        check("test", Some("a:8983"));
        check("test!hello", Some("a:8983"));
        check("hello!test", Some("b:8983"));
        check("hello!", None);
        check("hello!!test", None);
        assert_eq!(state.leader("gone", "hello"), None);
    }

    #[test]
    fn ids_of_several_parts_share_the_bits() {
        let check = |id: &str, expected: Option<u32>| {
            assert_eq!(composite_hash(id).map(i32::cast_unsigned), expected, "{id}");
        };
        check("hello", Some(0x248b_fa47));
        check("test!hello", Some(0xba6b_fa47));
        check("test/8!hello", Some(0xba8b_fa47));
        check("test/32!hello", Some(0xba6b_d213));
        check("test/0!hello", Some(0x248b_fa47));
        check("test!hello!test", Some(0xba8b_d213));
        check("test/4!hello/4!test", Some(0xb46b_d213));
        for id in ["test/33!hello", "test/x!hello", "test/+8!hello", "/8!hello", "a!b!", "!a", "a/20!b/20!c"]
        {
            check(id, None);
        }
    }

    #[test]
    fn ids_say_nothing_where_another_field_routes() {
        let leads = serde_json::json!({"core": "c", "node_name": "n", "state": "active", "leader": "true",
            "base_url": "http://n/solr", "type": "TLOG"});
        let films = serde_json::json!({"router": {"name": "compositeId", "field": "owner"},
            "shards": {"shard1": {"range": "80000000-7fffffff", "replicas": {"r": leads}}}});
        let answer = serde_json::json!({"cluster": {"live_nodes": ["n"], "collections": {"films": films}}});
        let state = ClusterState::parse(&answer).unwrap();
        assert_eq!(state.leader("films", "hello"), None);
        assert_eq!(state.shards("films")[0].replicas[0].kind, "TLOG");
    }

    #[test]
    fn ranges_are_of_signed_numbers() {
        let check =
            |text: &str, expected: Option<(i32, i32)>| assert_eq!(parse_range(text), expected, "{text}");
        check("80000000-ffffffff", Some((i32::MIN, -1)));
        check("d5550000-2aa9ffff", Some((-715_849_728, 715_784_191)));
        check("0-100000000", None);
        check("", None);
    }

    #[test]
    fn what_is_no_cluster_state_is_an_error() {
        for answer in ["{}", "[]", r#"{"cluster":{}}"#, r#"{"cluster":{"collections":[]}}"#] {
            let answer = serde_json::from_str(answer).unwrap();
            assert!(matches!(ClusterState::parse(&answer), Err(Error::NotJson(_))), "{answer}");
        }
    }
}
