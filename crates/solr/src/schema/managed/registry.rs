//! Which managed resources there are: those that filters of the schema read, and those that clients made,
//! which the file `_rest_managed.json` lists, as Solr's does. It is worked out of the schema's texts whenever
//! it is asked for, so that it cannot disagree with them. What a list holds is `list.rs`; commands on it are
//! `mod.rs`.

use std::collections::BTreeMap;

use analysis::{ManagedKind, managed_list};
use plan::{Error, Resources, Result, SchemaSource, check_name, format_instant};

use super::json::{parse, to_json};
use super::list;
use crate::response::{Name, Node};
use crate::schema::chains::chains;
use crate::update::RawValue;

/// Lists what clients made.
const MADE: &str = "_rest_managed.json";

/// How many lists clients may make.
const MADE_MAX: usize = 1000;

/// The managed resources by their paths, such as `/schema/analysis/stopwords/english`.
pub(super) struct Registry {
    by_id: BTreeMap<String, Registered>,
}

struct Registered {
    kind: ManagedKind,
    name: String,
    /// How many filters read it.
    observers: usize,
    /// Whether a client made it.
    made: bool,
}

/// A resource that a path names.
pub(super) struct Found<'a> {
    pub id: &'a str,
    pub kind: ManagedKind,
    pub name: &'a str,
    /// The entry that the rest of the path names.
    pub child: Option<&'a str>,
    pub observers: usize,
}

impl Registry {
    pub fn of(source: &SchemaSource) -> Result<Self> {
        let mut by_id = BTreeMap::new();
        for (id, kind, name) in made(&source.resources)? {
            by_id.insert(id, Registered { kind, name, observers: 0, made: true });
        }
        for (kind, name) in lists_read(source) {
            let new = || Registered { kind, name: name.to_owned(), observers: 0, made: false };
            by_id.entry(id_of(kind, name)).or_insert_with(new).observers += 1;
        }
        Ok(Self { by_id })
    }

    /// The resource of a path behind `/schema`, with what the path has behind it.
    pub fn find<'a>(&'a self, path: &'a str) -> Option<Found<'a>> {
        let mut parts = path.strip_prefix("/analysis/")?.splitn(3, '/');
        let (endpoint, name, child) = (parts.next()?, parts.next()?, parts.next());
        let (id, registered) = self.by_id.get_key_value(&format!("/schema/analysis/{endpoint}/{name}"))?;
        let Registered { kind, name, observers, .. } = registered;
        Some(Found { id, kind: *kind, name, child, observers: *observers })
    }

    pub fn require<'a>(&'a self, path: &'a str) -> Result<Found<'a>> {
        self.find(path).ok_or_else(|| {
            Error::bad_request(format!("No REST managed resource registered for path /schema{path}"))
        })
    }

    /// Adds a list of the class that `body` names to the file of those made by clients.
    pub fn create<'a>(
        &self,
        path: &'a str,
        body: &RawValue,
        files: &mut Resources,
        now_ms: i64,
    ) -> Result<(ManagedKind, &'a str)> {
        let RawValue::Map(entries) = body else {
            return Err(Error::bad_request(format!(
                "Expected Map to create a new ManagedResource but received a {}",
                body.java_class()
            )));
        };
        let class = entries.iter().find(|(key, _)| &**key == "class").map(|(_, class)| class.to_text());
        let kind = ManagedKind::ALL.into_iter().find(|kind| Some(class_of(*kind)) == class.as_deref());
        let name = |kind: ManagedKind| {
            path.strip_prefix("/analysis/")?.strip_prefix(kind.endpoint())?.strip_prefix('/')
        };
        let Some((kind, name)) = kind.and_then(|kind| Some((kind, name(kind)?))) else {
            return Err(refused(path));
        };
        check_name("managed resource", name)?;
        if self.by_id.values().filter(|registered| registered.made).count() >= MADE_MAX {
            return Err(Error::bad_request(format!(
                "there are `{MADE_MAX}` lists already; delete one first"
            )));
        }
        let new = (id_of(kind, name), kind);
        files.insert(MADE.to_owned(), encode(self.made().chain([new]), now_ms));
        Ok((kind, name))
    }

    /// Takes a list off the file of those made by clients.
    pub fn without(&self, id: &str, files: &mut Resources, now_ms: i64) {
        files.insert(MADE.to_owned(), encode(self.made().filter(|(made, _)| made != id), now_ms));
    }

    fn made(&self) -> impl Iterator<Item = (String, ManagedKind)> {
        let made = self.by_id.iter().filter(|(_, registered)| registered.made);
        made.map(|(id, registered)| (id.clone(), registered.kind))
    }

    pub fn view(&self) -> Node {
        let row = |(id, registered): (&String, &Registered)| {
            shown(id.clone(), registered.kind, registered.observers)
        };
        Node::Array(self.by_id.iter().map(row).collect())
    }
}

/// Solr differs: lists are made only where filters look for them, with names that may be files'
/// (`compat/schema/managed_errors.yaml`).
fn refused(path: &str) -> Error {
    let classes: Vec<_> = ManagedKind::ALL.map(|kind| format!("`{}`", class_of(kind))).into();
    Error::bad_request(format!(
        "cannot make a managed resource at `/schema{path}`: use `/schema/analysis/stopwords/NAME` or \
         `/schema/analysis/synonyms/NAME` and a `class` that fits, one of {}",
        classes.join(", ")
    ))
}

fn id_of(kind: ManagedKind, name: &str) -> String {
    format!("/schema/analysis/{}/{name}", kind.endpoint())
}

/// Solr's class of the resource.
fn class_of(kind: ManagedKind) -> &'static str {
    match kind {
        ManagedKind::Words => "org.apache.solr.rest.schema.analysis.ManagedWordSetResource",
        ManagedKind::Synonyms => {
            "org.apache.solr.rest.schema.analysis.ManagedSynonymFilterFactory$SynonymManager"
        }
        ManagedKind::SynonymGraph => {
            "org.apache.solr.rest.schema.analysis.ManagedSynonymGraphFilterFactory$SynonymManager"
        }
    }
}

/// The lists that filters of a schema read, once for each filter. A name that no file may bear is that of an
/// empty list.
fn lists_read(source: &SchemaSource) -> impl Iterator<Item = (ManagedKind, &str)> {
    let filters = source.types.iter().flat_map(chains).flat_map(|chain| &chain.filters);
    filters.filter_map(managed_list).filter(|(_, name)| check_name("managed resource", name).is_ok())
}

/// The files of managed resources that a schema has, if they are there: a list without one is empty.
pub(in crate::schema) fn files(
    source: &SchemaSource,
    read_resource: &dyn Fn(&str) -> Option<String>,
) -> Result<Resources> {
    let read = |name: String| read_resource(&name).map(|text| (name, text));
    let mut files: Resources = read(MADE.to_owned()).into_iter().collect();
    let made = made(&files)?.into_iter().map(|(_, kind, name)| kind.file(&name)).collect::<Vec<_>>();
    let used = lists_read(source).map(|(kind, name)| kind.file(name));
    files.extend(made.into_iter().chain(used).filter_map(read));
    Ok(files)
}

/// What clients made: path, kind and name. Others than lists that filters could read are left out.
fn made(files: &Resources) -> Result<Vec<(String, ManagedKind, String)>> {
    let Some(text) = files.get(MADE) else { return Ok(Vec::new()) };
    let stored = parse(text)?;
    let rows = match list::entry(&stored, "managedList") {
        Some(RawValue::List(rows)) => rows.as_slice(),
        _ => &[],
    };
    let row = |row: &RawValue| {
        let id = list::entry(row, "resourceId")?.to_text();
        let class = list::entry(row, "class")?.to_text();
        let kind = ManagedKind::ALL.into_iter().find(|kind| class_of(*kind) == class)?;
        let name = id.strip_prefix(&id_of(kind, ""))?.to_owned();
        check_name("managed resource", &name).is_ok().then_some((id, kind, name))
    };
    Ok(rows.iter().filter_map(row).collect())
}

fn encode(made: impl Iterator<Item = (String, ManagedKind)>, now_ms: i64) -> String {
    let rows = made.map(|(id, kind)| shown(id, kind, 0)).collect();
    to_json(&vec![
        (Name::Borrowed("initArgs"), Node::Map(Vec::new())),
        (Name::Borrowed("updatedSinceInit"), Node::str(format_instant(now_ms))),
        (Name::Borrowed("managedList"), Node::Array(rows)),
    ])
}

fn shown(id: String, kind: ManagedKind, observers: usize) -> Node {
    Node::map([
        ("resourceId", Node::str(id)),
        ("numObservers", Node::str(observers.to_string())),
        ("class", Node::str(class_of(kind))),
    ])
}
