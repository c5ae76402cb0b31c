//! Managed resources: the lists of stop words and of synonyms that clients read and change below
//! `/schema/analysis`, and their index at `/schema/managed`. A list exists because a filter of the schema
//! reads it, or because a client made it; it lies as a file among the schema's resources, in Solr's own form.
//! What is made here is new files; whoever keeps the schema saves them, and analysis reads them after a
//! reload. Recorded from Solr 9.10.1.

mod json;
mod list;
mod registry;

use analysis::{Analyzer, ManagedKind};
use plan::{AnalyzerSpec, ComponentSpec, Error, ErrorKind, Resources, Result, SchemaSource};

use self::json::parse;
use self::list::List;
use self::registry::{Found, Registry};
use crate::response::Entries;

pub(super) use self::registry::files;

const INDEX: &str = "/managed";

/// Answers one read. `path` is the part behind `/schema`, `saved` the schema with its newest files, `in_use`
/// the one that analysis reads; `opened_ms` is since when a list that was never changed has been.
pub fn view(saved: &SchemaSource, in_use: &SchemaSource, path: &str, opened_ms: i64) -> Result<Entries> {
    let registry = Registry::of(saved)?;
    if path == INDEX {
        return Ok(vec![("managedResources".into(), registry.view())]);
    }
    if path.starts_with(INDEX) {
        return Err(Error::bad_request("/rest/managed does not support child resources!"));
    }
    let Found { id, kind, name, child, .. } = registry.require(path)?;
    let mut list = List::read(saved, kind, name, opened_ms)?;
    let file = kind.file(name);
    if saved.resources.get(&file) == in_use.resources.get(&file) {
        list.forget_update();
    }
    match child {
        None => Ok(vec![list.entry()]),
        Some(child) => {
            let node = list.child(child).ok_or_else(|| no_child(child, id))?;
            Ok(vec![(child.to_owned().into(), node)])
        }
    }
}

/// When a change happens, and since when the schema is in use: milliseconds since the epoch.
#[derive(Clone, Copy, Debug)]
pub struct When {
    pub now_ms: i64,
    pub opened_ms: i64,
}

/// The schema's files after a PUT or POST of `body`: to a list its entries and settings, elsewhere a new
/// list. `None` where nothing changes.
///
/// Solr differs: a body that it meets with an internal error (500) is the client's mistake here
/// (`compat/schema/managed_errors.yaml`).
pub fn put(source: &SchemaSource, path: &str, body: &str, when: When) -> Result<Option<Resources>> {
    let registry = Registry::of(source)?;
    let body = parse(body)?;
    let mut files = source.resources.clone();
    let Some(Found { kind, name, .. }) = registry.find(path) else {
        let (kind, name) = registry.create(path, &body, &mut files, when.now_ms)?;
        // What an unregistered list of this name held before is taken up again.
        files.entry(kind.file(name)).or_insert_with(|| List::new(kind, when.now_ms).to_json());
        return Ok(Some(files));
    };
    let mut list = List::read(source, kind, name, when.opened_ms)?;
    if !list.apply(body)? {
        return Ok(None);
    }
    list.touch(when.now_ms);
    files.insert(kind.file(name), list.to_json());
    check_builds(kind, name, &files)?;
    Ok(Some(files))
}

/// The schema's files after a DELETE of an entry, or of a list that no filter reads.
pub fn delete(source: &SchemaSource, path: &str, when: When) -> Result<Option<Resources>> {
    let registry = Registry::of(source)?;
    let Found { id, kind, name, child, observers } = registry.require(path)?;
    let mut files = source.resources.clone();
    match child {
        Some(child) => {
            let mut list = List::read(source, kind, name, when.opened_ms)?;
            if !list.remove(child) {
                return Err(no_child(child, id));
            }
            list.touch(when.now_ms);
            files.insert(kind.file(name), list.to_json());
        }
        None if observers > 0 => {
            let message = format!(
                "Cannot delete managed resource {id} as it is being used by {observers} Solr components"
            );
            return Err(Error::new(ErrorKind::InUse, message));
        }
        None => {
            files.remove(&kind.file(name));
            registry.without(id, &mut files, when.now_ms);
        }
    }
    Ok(Some(files))
}

fn no_child(child: &str, id: &str) -> Error {
    Error::not_found(format!("{child} not found in {id}"))
}

/// Whether the filter that would read the list can.
///
/// Solr differs: it takes any list, and fails at the next reload (`compat/schema/managed_errors.yaml`).
fn check_builds(kind: ManagedKind, name: &str, files: &Resources) -> Result<()> {
    let component = |class: &str| ComponentSpec { name: class.to_owned(), ..ComponentSpec::default() };
    let mut filter = component(kind.filter_name());
    filter.args.insert("managed".to_owned(), name.to_owned());
    let chain =
        AnalyzerSpec { tokenizer: component("whitespace"), filters: vec![filter], ..AnalyzerSpec::default() };
    match Analyzer::build(&chain, files) {
        Ok(_) => Ok(()),
        Err(fault) => Err(Error::bad_request(fault.message)),
    }
}

#[cfg(test)]
mod tests;
