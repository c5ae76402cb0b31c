//! What is described is routed, and what is routed is described.

use std::collections::BTreeSet;

use plan::CollectionConfig;

use super::*;
use crate::request::route::{self, Handler, IMPLICIT, Target};

/// Paths that the configuration of a collection declares, or does not.
const DECLARED: [&str; 3] = ["/suggest", "/spell", "/mlt"];

fn all() -> impl Iterator<Item = &'static Operation> {
    node::OPERATIONS.iter().chain(collection::OPERATIONS)
}

#[test]
fn the_document_is_up_to_date() {
    let written = include_str!("../../../../docs/openapi.json");
    assert!(written == openapi_document(), "docs/openapi.json is behind; run `cargo xtask docs`");
}

#[test]
fn what_is_described_is_routed() {
    let config = config();
    for Operation { path, .. } in all() {
        let filled = path.replace(['{', '}'], "");
        match route::target(&hyper::Method::GET, &filled).unwrap() {
            Target::Unknown | Target::Root => panic!("{path} is not routed"),
            Target::Collection(_, below) if DECLARED.contains(&&*below) => {}
            Target::Collection(_, below) => {
                assert!(route::handler(&below, &config).is_some(), "{path} has no handler");
            }
            Target::Description | Target::Node(_) | Target::Configsets(_) | Target::V2(_) => {}
        }
    }
}

#[test]
fn what_every_collection_has_is_described() {
    for (path, handler) in IMPLICIT.iter().filter(|(_, handler)| *handler != Handler::NotServed) {
        let whole = format!("/solr/{{collection}}{path}");
        assert!(all().any(|operation| operation.path == whole), "{path} ({handler:?}) is not described");
    }
}

#[test]
fn every_search_parameter_is_described_somewhere() {
    for doc in reference().filter(|doc| is_described(doc)) {
        let found = all().any(|it| it.shared.iter().copied().flatten().any(|known| known.name == doc.name));
        assert!(found, "no path has `{}`", doc.name);
    }
}

#[test]
fn names_are_unique() {
    let mut ids = BTreeSet::new();
    for operation in all() {
        assert!(ids.insert(operation.id()), "{}", operation.id());
        let mut names = BTreeSet::new();
        for doc in operation.shared.iter().copied().flatten().chain(operation.own) {
            assert!(names.insert(doc.name), "{} {}", operation.path, doc.name);
        }
    }
}

fn config() -> CollectionConfig {
    let files = solr::config::configset::builtin("_default").unwrap();
    solr::config::load(&|name| files.file(name).map(str::to_owned)).unwrap().config
}
