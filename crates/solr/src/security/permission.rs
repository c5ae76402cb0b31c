//! One permission: what it is about, and which roles have it. Solr's predefined ones are about what a handler
//! does, custom ones about a path, method and parameters (`PermissionNameProvider` and `Permission` of Solr
//! 9.10).

use analysis::JavaRegex;
use plan::Result;

use super::refusal::wrong;
use crate::commands::{Fields, Object};
use crate::params::Params;
use crate::update::{RawValue, compile_pattern};

/// What a handler does, by the names that Solr gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predefined {
    SecurityEdit,
    SecurityRead,
    SchemaEdit,
    SchemaRead,
    ConfigEdit,
    ConfigRead,
    CoreAdminEdit,
    CoreAdminRead,
    CollectionAdminEdit,
    CollectionAdminRead,
    Update,
    Read,
    Health,
    MetricsRead,
    ZkRead,
    FilestoreRead,
    FilestoreWrite,
    PackageEdit,
    PackageRead,
    All,
}

impl Predefined {
    /// Whether what asks for it changes something of collections or of the node.
    pub fn edits(self) -> bool {
        match self {
            Predefined::SecurityEdit
            | Predefined::SchemaEdit
            | Predefined::ConfigEdit
            | Predefined::CoreAdminEdit
            | Predefined::CollectionAdminEdit
            | Predefined::Update
            | Predefined::FilestoreWrite
            | Predefined::PackageEdit
            | Predefined::All => true,
            Predefined::SecurityRead
            | Predefined::SchemaRead
            | Predefined::ConfigRead
            | Predefined::CoreAdminRead
            | Predefined::CollectionAdminRead
            | Predefined::Read
            | Predefined::Health
            | Predefined::MetricsRead
            | Predefined::ZkRead
            | Predefined::FilestoreRead
            | Predefined::PackageRead => false,
        }
    }
}

/// A request, as far as rules look at it: by the handler that serves it, never by the text of its path.
#[derive(Debug)]
pub struct AccessRequest<'a> {
    /// What the handler does.
    pub permission: Predefined,
    /// The handler's own path, below the collection or below `/solr`.
    pub path: &'a str,
    pub method: &'a str,
    pub params: &'a Params,
    pub scope: Scope,
}

/// What a request touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The node, and the collections that its parameters name; each with all its names.
    Node(Vec<Vec<String>>),
    /// Collections, each with all its names.
    Collections(Vec<Vec<String>>),
}

/// Which requests a permission is about: of the node, of any collection, or of both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Node,
    Collections,
    Both,
}

const TABLE: [(&str, Predefined, Reach); 20] = [
    ("security-edit", Predefined::SecurityEdit, Reach::Node),
    ("security-read", Predefined::SecurityRead, Reach::Node),
    ("schema-edit", Predefined::SchemaEdit, Reach::Collections),
    ("schema-read", Predefined::SchemaRead, Reach::Collections),
    ("config-edit", Predefined::ConfigEdit, Reach::Both),
    ("config-read", Predefined::ConfigRead, Reach::Both),
    ("core-admin-edit", Predefined::CoreAdminEdit, Reach::Node),
    ("core-admin-read", Predefined::CoreAdminRead, Reach::Node),
    ("collection-admin-edit", Predefined::CollectionAdminEdit, Reach::Node),
    ("collection-admin-read", Predefined::CollectionAdminRead, Reach::Node),
    ("update", Predefined::Update, Reach::Collections),
    ("read", Predefined::Read, Reach::Collections),
    ("health", Predefined::Health, Reach::Both),
    ("metrics-read", Predefined::MetricsRead, Reach::Both),
    ("zk-read", Predefined::ZkRead, Reach::Node),
    ("filestore-read", Predefined::FilestoreRead, Reach::Node),
    ("filestore-write", Predefined::FilestoreWrite, Reach::Node),
    ("package-edit", Predefined::PackageEdit, Reach::Node),
    ("package-read", Predefined::PackageRead, Reach::Node),
    ("all", Predefined::All, Reach::Both),
];

const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"];
/// Keys of a permission; predefined ones have only the first four.
const KEYS: [&str; 7] = ["name", "role", "collection", "index", "path", "method", "params"];
const KEYS_PREDEFINED: usize = 4;

#[derive(Debug)]
pub(super) struct Permission {
    predefined: Option<Predefined>,
    /// Whether requests of the node are meant.
    node: bool,
    collections: Names,
    /// Empty is any.
    pub paths: Vec<String>,
    methods: Vec<String>,
    params: Vec<(String, ParamRule)>,
    pub roles: Roles,
}

/// Names of collections.
#[derive(Debug, PartialEq, Eq)]
enum Names {
    All,
    These(Vec<String>),
}

#[derive(Debug)]
pub(super) enum Roles {
    /// `null`: nobody needs to log in.
    Nobody,
    /// `*`: whoever has logged in.
    Anybody,
    These(Vec<String>),
}

/// What a parameter must be for a permission to apply.
#[derive(Debug)]
enum ParamRule {
    Absent,
    AnyOf(Vec<Wanted>),
}

#[derive(Debug)]
enum Wanted {
    Text(String),
    Pattern(JavaRegex),
}

impl Permission {
    /// The error says what is wrong with it, in Solr's words where it has some.
    pub fn read(object: &Object<'_>) -> Result<Self, String> {
        let role = object.get("role").ok_or("role not specified")?;
        let name = object.text("name");
        let known = TABLE.iter().find(|(known, ..)| *known == name);
        let keys = if known.is_some() { &KEYS[..KEYS_PREDEFINED] } else { &KEYS[..] };
        if let Some((key, _)) = object.entries.iter().find(|(key, _)| !keys.contains(&&**key)) {
            return Err(match known {
                Some(_) if KEYS.contains(&&**key) => {
                    format!("{key} is not a valid key for the permission : {name}")
                }
                _ => format!("Unknown key, {key}"),
            });
        }
        let paths = texts(object.get("path"));
        if known.is_none() && paths.is_empty() {
            return Err(format!(
                "Permission with name {name} is neither a pre-defined permission nor qualifies as a custom permission"
            ));
        }
        let (node, collections) = scope(object, known.map(|(_, _, reach)| *reach));
        let roles = match role {
            RawValue::Null => Roles::Nobody,
            role => roles(texts(Some(role))),
        };
        let (methods, params) = (methods(object)?, params(object)?);
        let predefined = known.map(|(_, predefined, _)| *predefined);
        Ok(Self { predefined, node, collections, paths, methods, params, roles })
    }

    pub fn is_of_node(&self) -> bool {
        self.node
    }

    pub fn is_of_all(&self) -> bool {
        self.collections == Names::All
    }

    /// Whether it names one of these, which are names of one collection.
    pub fn names(&self, names: &[String]) -> bool {
        matches!(&self.collections, Names::These(these) if these.iter().any(|name| names.contains(name)))
    }

    /// Whether it is about such a request, whatever the path. A pattern that takes too long counts as one
    /// that matches: the request is then judged by this permission and no later one.
    pub fn governs(&self, asked: &AccessRequest<'_>) -> bool {
        match self.predefined {
            Some(Predefined::All) => true,
            Some(predefined) => asked.permission == predefined,
            None => {
                let method = self.methods.is_empty() || self.methods.iter().any(|it| it == asked.method);
                method && self.params.iter().all(|(name, rule)| rule.holds(name, asked))
            }
        }
    }
}

impl ParamRule {
    fn holds(&self, name: &str, asked: &AccessRequest<'_>) -> bool {
        match self {
            ParamRule::Absent => asked.params.by_name(name).is_none(),
            ParamRule::AnyOf(wanted) => {
                asked.params.all_by_name(name).any(|value| wanted.iter().any(|wanted| wanted.is(value)))
            }
        }
    }
}

impl Wanted {
    fn parse(text: &str) -> Result<Self> {
        match text.strip_prefix("REGEX:") {
            Some(pattern) => compile_pattern(pattern).map(Self::Pattern),
            None => Ok(Self::Text(text.to_owned())),
        }
    }

    fn is(&self, value: &str) -> bool {
        match self {
            Self::Text(text) => text == value,
            Self::Pattern(pattern) => pattern.is_found(value).unwrap_or(true),
        }
    }
}

/// Whether it is about requests of the node, and about which collections.
fn scope(object: &Object<'_>, reach: Option<Reach>) -> (bool, Names) {
    match (object.get("collection"), reach) {
        (Some(RawValue::Null), _) | (None, Some(Reach::Node)) => (true, Names::These(vec![])),
        (None, Some(Reach::Both)) => (true, Names::All),
        (None, _) => (false, Names::All),
        (Some(value), _) => {
            let names = texts(Some(value));
            (false, if names.iter().any(|name| name == "*") { Names::All } else { Names::These(names) })
        }
    }
}

fn roles(names: Vec<String>) -> Roles {
    if names.iter().any(|name| name == "*") { Roles::Anybody } else { Roles::These(names) }
}

/// Solr differs: it passes over a method that it does not know, and the permission is then about all
/// (`compat/security/rules.yaml`).
fn methods(object: &Object<'_>) -> Result<Vec<String>, String> {
    let methods = texts(object.get("method"));
    match methods.iter().find(|method| !METHODS.contains(&method.as_str())) {
        None => Ok(methods),
        Some(unknown) => Err(format!("Unknown method, {unknown}; use one of {}", METHODS.join(", "))),
    }
}

fn params(object: &Object<'_>) -> Result<Vec<(String, ParamRule)>, String> {
    let Some(value) = object.get("params").filter(|value| **value != RawValue::Null) else {
        return Ok(vec![]);
    };
    let object = Object::of(value).ok_or("params must be an object of names and values")?;
    let rule = |value: &RawValue| match value {
        RawValue::Null => Ok(ParamRule::Absent),
        value => texts(Some(value))
            .iter()
            .map(|text| Wanted::parse(text))
            .collect::<Result<_>>()
            .map(ParamRule::AnyOf),
    };
    let named = object.entries.iter().map(|(name, value)| Ok((name.to_string(), rule(value)?)));
    named.collect::<Result<_>>().map_err(|error| error.message)
}

/// One text, or a list of them; nothing for `null`.
pub(super) fn texts(value: Option<&RawValue>) -> Vec<String> {
    match value {
        None | Some(RawValue::Null) => vec![],
        Some(RawValue::List(values)) => values.iter().map(RawValue::to_text).collect(),
        Some(value) => vec![value.to_text()],
    }
}

/// All of a file, in order. Solr passes over one that it does not understand; here the file is refused.
pub(super) fn read_all(value: Option<&RawValue>) -> Result<Vec<Permission>> {
    listed(value)
        .iter()
        .enumerate()
        .map(|(at, entries)| {
            Permission::read(&Object { entries })
                .map_err(|what| wrong(format!("has a permission, number {}, that is wrong: {what}", at + 1)))
        })
        .collect()
}

/// The objects of a list.
pub(super) fn listed(value: Option<&RawValue>) -> Vec<Fields> {
    let values = match value {
        Some(RawValue::List(values)) => values.as_slice(),
        _ => &[],
    };
    let object = |value: &RawValue| match value {
        RawValue::Map(entries) => entries.clone(),
        // Without a role, which is what its error will say.
        _ => Fields::new(),
    };
    values.iter().map(object).collect()
}
