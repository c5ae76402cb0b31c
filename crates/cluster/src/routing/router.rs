//! Solr's routers. `compositeId` places a document by the hash of its id, of the route that its sender names,
//! or of a field; `implicit` by the name of a shard, which the sender or a field says. Facts of Solr 9.10.1,
//! asked of a SolrCloud of two nodes.
//!
//! Where nothing says on which shard of an implicit collection a document lies, Solr asks the one that
//! happened to be called. Here a look-up and a deletion by id ask all shards, and an edit is refused
//! (ADR 17).

use std::borrow::Cow;

use plan::{AtomicOp, Error, ErrorKind, Operation, Result, Value};
use serde::{Deserialize, Serialize};

use super::hash::{HashRange, hash_of_id};

/// The document's own word for its shard, in collections of named shards.
const ROUTE_FIELD: &str = "_route_";

/// How a collection spreads its documents over its shards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Router {
    #[serde(rename = "name", default)]
    pub kind: RouterKind,
    /// The field by whose value a document is placed, instead of its id (Solr's `router.field`).
    #[serde(default)]
    pub field: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RouterKind {
    #[default]
    #[serde(rename = "compositeId")]
    CompositeId,
    #[serde(rename = "implicit")]
    Implicit,
}

impl RouterKind {
    /// As Solr spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::CompositeId => "compositeId",
            Self::Implicit => "implicit",
        }
    }
}

/// A shard of a collection, as all nodes know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardDocument {
    pub name: String,
    /// How clients address its one replica.
    pub core: String,
    /// N in the replica's other name, `core_nodeN`.
    pub node_number: u32,
    /// The hashes that are its own; `None` where shards are named.
    pub range: Option<HashRange>,
}

/// Which shards an operation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// By its number among the collection's shards.
    One(usize),
    All,
}

impl Router {
    /// Where an operation goes; `route` is what its request says of it. Errors: `BadRequest`.
    pub(super) fn target(
        &self,
        shards: &[ShardDocument],
        operation: &Operation,
        route: Option<&str>,
    ) -> Result<Target> {
        match operation {
            Operation::Add(add) => {
                let field = self.own_field(route).map(|name| (name, add.document.first(name)));
                self.document(shards, (&add.id, route), field)
            }
            Operation::Modify(edit) => {
                let set = |name: &str| {
                    let set = edit.edits.iter().find(|edit| &*edit.field == name && edit.op == AtomicOp::Set);
                    set.and_then(|edit| edit.values.first())
                };
                let field = self.own_field(route).map(|name| (name, set(name)));
                let id = edit.root.as_deref().unwrap_or(&edit.id);
                let is_placed = self.kind == RouterKind::CompositeId
                    || self.field.is_some()
                    || route.is_some()
                    || field.is_some_and(|(_, value)| value.is_some());
                if !is_placed && shards.len() > 1 {
                    return Err(unplaced(&edit.id));
                }
                self.document(shards, (id, route), field)
            }
            Operation::Delete { id, route: own, .. } => self.by_id(shards, id, own.as_deref().or(route)),
            Operation::DeleteByQuery { .. } => match route {
                Some(route) => self.by_route(shards, route).map(Target::One),
                None => Ok(Target::All),
            },
            Operation::Commit(_) => Ok(Target::All),
            // Each of them is answered once.
            Operation::Rollback | Operation::Refused(_) => Ok(Target::One(0)),
        }
    }

    /// Whether an id alone says which shard has its document.
    pub(crate) fn places_by_id(&self) -> bool {
        self.kind == RouterKind::CompositeId && self.field.is_none()
    }

    /// The shard that a document from elsewhere comes to, where ids say so; else the first.
    pub(crate) fn takes_in(&self, shards: &[ShardDocument], id: &str) -> usize {
        if self.places_by_id() { self.by_route(shards, id).unwrap_or_default() } else { 0 }
    }

    /// The shards that may have the document of this id, in order. Errors: `BadRequest` for a route that is
    /// none.
    pub(crate) fn of_id(
        &self,
        shards: &[ShardDocument],
        id: &str,
        route: Option<&str>,
    ) -> Result<std::ops::Range<usize>> {
        Ok(match self.by_id(shards, id, route)? {
            Target::One(at) => at..at + 1,
            Target::All => 0..shards.len(),
        })
    }

    /// The shards that a search with these routes means, in order: separated by commas, each a key, an id or
    /// a shard's name. Errors: `BadRequest` for the name of no shard.
    pub(crate) fn of_routes(
        &self,
        shards: &[ShardDocument],
        routes: &str,
        collection: &str,
    ) -> Result<Vec<usize>> {
        let mut meant = vec![false; shards.len()];
        for route in routes.split(',').filter(|route| !route.is_empty()) {
            let range = HashRange::of_route(route);
            let is_meant = |shard: &ShardDocument| match shard.range {
                Some(own) => own.overlaps(range),
                None => shard.name == route,
            };
            let mut found = false;
            for (_, meant) in shards.iter().zip(&mut meant).filter(|(shard, _)| is_meant(shard)) {
                (*meant, found) = (true, true);
            }
            if !found {
                let message = format!("implicit router can't find shard {route} in collection {collection}");
                return Err(Error::bad_request(message));
            }
        }
        Ok(meant.iter().enumerate().filter(|(_, meant)| **meant).map(|(at, _)| at).collect())
    }

    fn own_field(&self, route: Option<&str>) -> Option<&str> {
        match (self.kind, &self.field) {
            // Solr's order: the field is asked whatever the request says.
            (_, Some(field)) => Some(field),
            (RouterKind::Implicit, None) if route.is_none() => Some(ROUTE_FIELD),
            _ => None,
        }
    }

    fn document(
        &self,
        shards: &[ShardDocument],
        (id, route): (&str, Option<&str>),
        field: Option<(&str, Option<&Value>)>,
    ) -> Result<Target> {
        let placed_by: Cow<'_, str> = match (field, route) {
            (Some((_, Some(value))), _) => value.to_text().into(),
            (Some((name, None)), _) if self.field.is_some() => return Err(self.without_field(name, id)),
            (_, Some(route)) => route.into(),
            (_, None) if self.kind == RouterKind::CompositeId => id.into(),
            (_, None) => return Ok(Target::One(0)),
        };
        self.by_route(shards, &placed_by).map(Target::One)
    }

    fn without_field(&self, name: &str, id: &str) -> Error {
        Error::bad_request(match self.kind {
            RouterKind::CompositeId => format!("No value for :{name}. Unable to identify shard"),
            RouterKind::Implicit => format!("No value for field {name} in the document with the id `{id}`"),
        })
    }

    fn by_id(&self, shards: &[ShardDocument], id: &str, route: Option<&str>) -> Result<Target> {
        match (route, self.kind, &self.field) {
            (Some(route), ..) => self.by_route(shards, route).map(Target::One),
            (None, RouterKind::CompositeId, None) => self.by_route(shards, id).map(Target::One),
            _ => Ok(Target::All),
        }
    }

    /// The one shard where a document with this route is put.
    fn by_route(&self, shards: &[ShardDocument], route: &str) -> Result<usize> {
        if let ([_], RouterKind::CompositeId) = (shards, self.kind) {
            return Ok(0);
        }
        let hash = hash_of_id(route);
        let is_here = |shard: &ShardDocument| match shard.range {
            Some(range) => range.contains(hash),
            None => shard.name == route,
        };
        shards.iter().position(is_here).ok_or_else(|| match self.kind {
            RouterKind::Implicit => {
                let names: Vec<&str> = shards.iter().map(|shard| &*shard.name).collect();
                Error::bad_request(format!("No shard called ={route}; there are `{}`", names.join("`, `")))
            }
            RouterKind::CompositeId => {
                Error::new(ErrorKind::Unavailable, format!("no shard has the hash range of `{route}`"))
            }
        })
    }
}

fn unplaced(id: &str) -> Error {
    Error::bad_request(format!("cannot tell which shard has `{id}`; name it with the parameter `_route_`"))
}

#[cfg(test)]
mod tests {
    use plan::{Add, Document, Expect, FieldEdit, Modify};

    use super::*;

    fn shards(kind: RouterKind, names: &[&str]) -> Vec<ShardDocument> {
        let ranges = HashRange::ALL.cut(u32::try_from(names.len()).unwrap());
        let shard = |(name, range): (&&str, HashRange)| ShardDocument {
            name: (*name).to_owned(),
            core: format!("c_{name}"),
            node_number: 0,
            range: (kind == RouterKind::CompositeId).then_some(range),
        };
        names.iter().zip(ranges).map(shard).collect()
    }

    fn add(id: &str, fields: &[(&str, &str)]) -> Operation {
        let fields =
            fields.iter().map(|(name, value)| ((*name).into(), vec![Value::Str((*value).to_owned())]));
        Operation::Add(Add {
            id: id.to_owned(),
            document: Document { fields: fields.collect() },
            children: vec![],
            expect: Expect::Anything,
            overwrite: true,
            conditions: None,
            commit_within_ms: None,
        })
    }

    fn edit(id: &str, root: Option<&str>, set: Option<(&str, &str)>) -> Operation {
        let edits = set.into_iter().map(|(field, value)| FieldEdit {
            field: field.into(),
            op: AtomicOp::Set,
            values: vec![Value::Str(value.to_owned())],
        });
        Operation::Modify(Modify {
            id: id.to_owned(),
            root: root.map(str::to_owned),
            edits: edits.collect(),
            nested: vec![],
            expect: Expect::Anything,
            conditions: None,
            commit_within_ms: None,
        })
    }

    fn delete(id: &str, route: Option<&str>) -> Operation {
        let route = route.map(str::to_owned);
        Operation::Delete { id: id.to_owned(), route, expect: Expect::Anything, commit_within_ms: None }
    }

    fn shown(target: Result<Target>) -> String {
        match target {
            Ok(Target::One(at)) => at.to_string(),
            Ok(Target::All) => "all".to_owned(),
            Err(error) => error.message,
        }
    }

    #[test]
    fn ids_routes_and_fields_decide_by_their_hashes() {
        let shards = shards(RouterKind::CompositeId, &["shard1", "shard2"]);
        let by_id = Router::default();
        let by_field = Router { field: Some("shelf_s".into()), ..Router::default() };
        let check = |router: &Router, operation: &Operation, route: Option<&str>, expected: &str| {
            assert_eq!(shown(router.target(&shards, operation, route)), expected, "{operation:?} {route:?}");
        };
        // As two shards of a real Solr have them.
        for (id, at) in [("a!1", "1"), ("b!1", "0"), ("c!1", "0"), ("d!1", "1")] {
            check(&by_id, &add(id, &[]), None, at);
            check(&by_id, &delete(id, None), None, at);
            check(&by_id, &edit(id, None, None), None, at);
        }
        check(&by_id, &add("r1", &[]), Some("b!"), "0");
        check(&by_id, &delete("r1", Some("b!")), None, "0");
        check(&by_id, &edit("child", Some("a!1"), None), None, "1");
        for (shelf, at) in [("a", "1"), ("b", "0"), ("c", "0"), ("d", "1")] {
            check(&by_field, &add("1", &[("shelf_s", shelf)]), None, at);
            check(&by_field, &edit("1", None, Some(("shelf_s", shelf))), None, at);
        }
        check(&by_field, &add("9", &[]), None, "No value for :shelf_s. Unable to identify shard");
        check(&by_field, &delete("2", None), None, "all");
        check(&by_field, &delete("2", None), Some("b"), "0");
    }

    #[test]
    fn named_shards_are_named() {
        let shards = shards(RouterKind::Implicit, &["a", "b", "c"]);
        let plain = Router { kind: RouterKind::Implicit, field: None };
        let by_field = Router { field: Some("shelf_s".into()), ..plain.clone() };
        let check = |router: &Router, operation: &Operation, route: Option<&str>, expected: &str| {
            assert_eq!(shown(router.target(&shards, operation, route)), expected, "{operation:?} {route:?}");
        };
        check(&plain, &add("1", &[]), None, "0");
        check(&plain, &add("1", &[("_route_", "b")]), None, "1");
        check(&plain, &add("1", &[]), Some("c"), "2");
        check(&plain, &add("1", &[]), Some("zz"), "No shard called =zz; there are `a`, `b`, `c`");
        check(&plain, &delete("1", None), None, "all");
        check(&plain, &delete("1", Some("b")), None, "1");
        check(
            &plain,
            &edit("1", None, None),
            None,
            "cannot tell which shard has `1`; name it with the parameter `_route_`",
        );
        check(&by_field, &add("1", &[("shelf_s", "c")]), Some("a"), "2");
        check(&by_field, &add("4", &[]), None, "No value for field shelf_s in the document with the id `4`");
    }

    #[test]
    fn a_search_means_the_shards_of_its_routes() {
        let check = |kind: RouterKind, names: &[&str], routes: &str, expected: Result<&[usize], &str>| {
            let (router, shards) = (Router { kind, field: None }, shards(kind, names));
            let found = router.of_routes(&shards, routes, "films").map_err(|error| error.message);
            assert_eq!(found.as_deref().map_err(|message| &**message), expected, "{routes}");
        };
        let hashed = ["shard1", "shard2"];
        check(RouterKind::CompositeId, &hashed, "a!", Ok(&[1]));
        check(RouterKind::CompositeId, &hashed, "a!,b!", Ok(&[0, 1]));
        check(RouterKind::CompositeId, &hashed, "a/0!", Ok(&[0, 1]));
        check(RouterKind::CompositeId, &hashed, "", Ok(&[]));
        check(RouterKind::Implicit, &["a", "b", "c"], "c,a", Ok(&[0, 2]));
        let message = "implicit router can't find shard zz in collection films";
        check(RouterKind::Implicit, &["a", "b", "c"], "a,zz", Err(message));
    }
}
