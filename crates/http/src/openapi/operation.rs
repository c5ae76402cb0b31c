//! A row of the tables of paths: method, path, what it is for and what it reads. The description that clients
//! are generated from is made of these and of the definitions of parameters. The tables are beside, one file
//! for the paths of a collection and one for those of a node; the routes themselves are `request/route.rs`,
//! against which a test holds the tables.

use solr::params::{ParamDoc, response};

#[derive(Clone, Copy)]
pub(super) struct Operation {
    /// In lower case.
    pub method: &'static str,
    /// With names in braces for what varies.
    pub path: &'static str,
    pub about: &'static str,
    /// Groups of parameters that other paths have too.
    pub shared: &'static [&'static [ParamDoc]],
    /// Parameters of this path alone.
    pub own: &'static [ParamDoc],
    pub body: Body,
    /// Whether parameters choose how the answer looks.
    pub has_envelope: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Body {
    None,
    /// Parameters as a form, or a request in JSON.
    Search,
    Json,
    Types(&'static [&'static str]),
}

/// How an answer looks, for the paths that do not have the whole group.
const ENVELOPE: [&str; 4] = ["wt", "indent", "json.nl", "omitHeader"];

impl Operation {
    pub const fn get(path: &'static str, about: &'static str) -> Self {
        Self { method: "get", path, about, shared: &[], own: &[], body: Body::None, has_envelope: true }
    }

    pub const fn delete(path: &'static str, about: &'static str) -> Self {
        Self { method: "delete", ..Self::get(path, about) }
    }

    pub const fn put(path: &'static str, about: &'static str, body: Body) -> Self {
        Self { method: "put", body, ..Self::get(path, about) }
    }

    pub const fn post(path: &'static str, about: &'static str, body: Body) -> Self {
        Self { method: "post", body, ..Self::get(path, about) }
    }

    pub const fn shared(self, shared: &'static [&'static [ParamDoc]]) -> Self {
        Self { shared, ..self }
    }

    pub const fn own(self, own: &'static [ParamDoc]) -> Self {
        Self { own, ..self }
    }

    pub const fn bare(self) -> Self {
        Self { has_envelope: false, ..self }
    }

    /// Method and words of the path as one name, such as `postCollectionUpdateJson`.
    pub fn id(&self) -> String {
        let mut id = self.method.to_owned();
        for word in self.path.split(|character: char| !character.is_ascii_alphanumeric()) {
            let mut characters = word.chars();
            id.extend(characters.next().map(|first| first.to_ascii_uppercase()));
            id.push_str(characters.as_str());
        }
        id
    }

    /// The parameters of the envelope, unless `shared` has them already.
    pub fn envelope(&self) -> impl Iterator<Item = &'static ParamDoc> {
        let is_shared = self.shared.iter().copied().flatten().any(|doc| doc.name == "wt");
        let docs = if is_shared || !self.has_envelope { &[] } else { response::DOCS };
        docs.iter().filter(|doc| ENVELOPE.contains(&doc.name))
    }

    /// What the path belongs to.
    pub fn tag(&self) -> &'static str {
        let below = self.path.split("/{collection}/").nth(1).unwrap_or("node");
        below.split('/').next().unwrap_or(below)
    }
}
