//! The description of this API in OpenAPI 3.1, for those who make clients, read it as a page, or test against
//! it. Paths are tables beside this file (`collection.rs`, `node.rs`), parameters are the definitions that
//! `solr` reads requests by; here both become one document, written as any answer is. Served at
//! `/solr/openapi.json`, and kept as `docs/openapi.json`.

mod collection;
mod node;
mod operation;

use std::sync::LazyLock;

use bytes::Bytes;
use solr::params::{Kind, ParamDoc, Support, reference};
use solr::response::{Entries, Format, Name, Node};

use self::operation::{Body, Operation};

const ABOUT: &str = "Solr's HTTP API as this server has it. `/solr/{collection}/…` takes the name of a collection, a core or \
    an alias; `/api/collections/{collection}/…` and `/api/cores/{collection}/…` are the same paths. What a configuration \
    declares beside what is listed here has the parameters of `/select`. Parameters of one field are also read as \
    `f.<field>.<name>`; parameters unknown to a handler are passed over, as in Solr, but those of Solr's that would change \
    the answer and are not supported are refused.";

/// Statuses other than 200, and what they mean.
const FAILURES: [(&str, &str); 9] = [
    ("400", "The request is wrong; `error.msg` says how."),
    ("401", "Who asks is to say who that is."),
    ("403", "Who asks may not, or what is to be changed is in use."),
    ("404", "There is no such collection, path or thing."),
    ("409", "A document has another version than the one expected, or a change came in between."),
    ("413", "The body is too large."),
    ("415", "The body's type or packing is not one that is read."),
    ("429", "There is more to do than can be done; `Retry-After` says when to come again."),
    (
        "503",
        "It cannot be done now: the node ends, the disk is full, the store does not answer, another node owns the \
        shard, or a health check is off; `Retry-After` says when to come again. Of an update `error.msg` says where nobody can \
        tell whether it counts.",
    ),
];

/// Types of answers, by `wt` and by what is asked for.
const MEDIA_TYPES: [&str; 8] = [
    "application/xml",
    "application/octet-stream",
    "text/plain",
    "text/html",
    "text/x-php",
    "text/x-php-serialized",
    "text/x-python",
    "text/x-ruby",
];

/// The document as it is served.
pub(crate) fn served() -> Bytes {
    static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| openapi_document().into());
    DOCUMENT.clone()
}

/// The document, as JSON.
pub fn openapi_document() -> String {
    let mut bytes = Vec::new();
    Format::default().write(&document(), &mut bytes);
    bytes.push(b'\n');
    String::from_utf8_lossy(&bytes).into_owned()
}

fn document() -> Entries {
    let info = Node::map([
        ("title", Node::str("Parhelion")),
        ("version", Node::str(env!("CARGO_PKG_VERSION"))),
        ("description", Node::str(ABOUT)),
    ]);
    let components =
        Node::map([("parameters", parameters()), ("responses", responses()), ("schemas", schemas())]);
    vec![
        ("openapi".into(), Node::str("3.1.0")),
        ("info".into(), info),
        ("servers".into(), Node::Array(vec![Node::map([("url", Node::str("/"))])])),
        ("paths".into(), Node::Map(paths())),
        ("components".into(), components),
    ]
}

fn paths() -> Entries {
    let mut paths: Vec<(String, Entries)> = Vec::new();
    for operation in node::OPERATIONS.iter().chain(collection::OPERATIONS) {
        let node = operation.node();
        match paths.iter_mut().find(|(path, _)| path == operation.path) {
            Some((_, methods)) => methods.push((operation.method.into(), node)),
            None => paths.push((operation.path.to_owned(), vec![(operation.method.into(), node)])),
        }
    }
    paths.into_iter().map(|(path, methods)| (path.into(), Node::Map(methods))).collect()
}

/// What the parameter `{collection}` of a path is called among the parts: a search has one of this name too.
const OF_PATH: &str = "path.collection";

/// Those that several paths have, once each.
fn parameters() -> Node {
    let shared = reference().filter(|doc| is_described(doc));
    let mut entries: Entries = shared.map(|doc| (doc.name.into(), parameter(doc, "query"))).collect();
    let collection = ParamDoc::plain("collection", Kind::Text, None, "A collection, a core, or an alias.");
    entries.push((OF_PATH.into(), parameter(&collection, "path")));
    Node::Map(entries)
}

fn is_described(doc: &ParamDoc) -> bool {
    doc.support != Support::No && !doc.is_pattern()
}

/// One parameter; those of the path are required.
fn parameter(doc: &ParamDoc, place: &'static str) -> Node {
    let mut about = doc.about.to_owned();
    if doc.per_field {
        about.push_str(&format!(" For one field: `f.<field>.{}`.", doc.name));
    }
    let schema = if doc.may_repeat() {
        Node::map([("type", Node::str("array")), ("items", Node::Map(schema(doc.kind)))])
    } else {
        let mut schema = schema(doc.kind);
        schema.extend(doc.default.map(|text| (Name::Borrowed("default"), default(doc.kind, text))));
        Node::Map(schema)
    };
    let mut entries: Entries = vec![
        ("name".into(), Node::str(doc.name)),
        ("in".into(), Node::str(place)),
        ("description".into(), Node::from(about)),
        ("schema".into(), schema),
    ];
    if place == "path" {
        entries.push(("required".into(), Node::Bool(true)));
    }
    Node::Map(entries)
}

fn schema(kind: Kind) -> Entries {
    let of = |name: &'static str| vec![(Name::Borrowed("type"), Node::str(name))];
    match kind {
        Kind::Text => of("string"),
        Kind::Switch => of("boolean"),
        Kind::Number => of("number"),
        Kind::Whole { min, long } => {
            let mut schema = of("integer");
            schema.push(("format".into(), Node::str(if long { "int64" } else { "int32" })));
            schema.extend(min.map(|min| (Name::Borrowed("minimum"), Node::Long(min))));
            schema
        }
        Kind::OneOf(choices) => {
            let choices = choices.iter().map(|choice| Node::str(*choice)).collect();
            let mut schema = of("string");
            schema.push(("enum".into(), Node::Array(choices)));
            schema
        }
    }
}

/// A default in the notation of its type.
fn default(kind: Kind, text: &'static str) -> Node {
    match kind {
        Kind::Text | Kind::OneOf(_) => Node::str(text),
        Kind::Switch => Node::Bool(text == "true"),
        Kind::Whole { .. } => text.parse().map_or(Node::str(text), Node::Long),
        Kind::Number => text.parse().map_or(Node::str(text), Node::Double),
    }
}

fn reference_to(group: &str, name: &str) -> Node {
    Node::map([("$ref", Node::from(format!("#/components/{group}/{name}")))])
}

fn content(schema: &str) -> Node {
    let json = ("application/json".into(), Node::map([("schema", reference_to("schemas", schema))]));
    let others = MEDIA_TYPES.iter().map(|name| (Name::Borrowed(*name), Node::Map(vec![])));
    Node::Map(std::iter::once(json).chain(others).collect())
}

fn response(about: &'static str, schema: &str) -> Node {
    Node::map([("description", Node::str(about)), ("content", content(schema))])
}

fn responses() -> Node {
    let answer = ("Answer".into(), response("The answer, in the format that `wt` names.", "Answer"));
    let failures = FAILURES.iter().map(|(status, about)| ((*status).into(), response(about, "Failure")));
    let fault = ("Fault".into(), response("A fault of the server; its log has more.", "Failure"));
    Node::Map(std::iter::once(answer).chain(failures).chain([fault]).collect())
}

fn schemas() -> Node {
    let of = |name: &'static str| Node::map([("type", Node::str(name))]);
    let object = |properties: Node| Node::map([("type", Node::str("object")), ("properties", properties)]);
    let header = object(Node::map([("status", of("integer")), ("QTime", of("integer"))]));
    let error = object(Node::map([("msg", of("string")), ("code", of("integer"))]));
    let answer = object(Node::map([("responseHeader", reference_to("schemas", "Header"))]));
    let failure = object(Node::map([
        ("responseHeader", reference_to("schemas", "Header")),
        ("error", reference_to("schemas", "Error")),
    ]));
    Node::map([("Header", header), ("Error", error), ("Answer", answer), ("Failure", failure)])
}

impl Operation {
    fn node(&self) -> Node {
        let mut entries: Entries = vec![
            ("operationId".into(), Node::from(self.id())),
            ("summary".into(), Node::str(self.about)),
            ("tags".into(), Node::Array(vec![Node::str(self.tag())])),
            ("parameters".into(), Node::Array(self.parameters())),
        ];
        entries.extend(self.body.node().map(|body| (Name::Borrowed("requestBody"), body)));
        let answer = std::iter::once(("200".into(), reference_to("responses", "Answer")));
        let failures =
            FAILURES.iter().map(|(status, _)| ((*status).into(), reference_to("responses", status)));
        let fault = std::iter::once(("500".into(), reference_to("responses", "Fault")));
        entries.push(("responses".into(), Node::Map(answer.chain(failures).chain(fault).collect())));
        Node::Map(entries)
    }

    fn parameters(&self) -> Vec<Node> {
        let in_path = self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let in_path = in_path.map(|name| match name {
            "collection" => reference_to("parameters", OF_PATH),
            _ => Node::map([
                ("name", Node::from(name.to_owned())),
                ("in", Node::str("path")),
                ("required", Node::Bool(true)),
                ("schema", Node::map([("type", Node::str("string"))])),
            ]),
        });
        let shared = self.shared.iter().copied().flatten().filter(|doc| is_described(doc));
        let shared = shared.map(|doc| reference_to("parameters", doc.name));
        let envelope = self.envelope().map(|doc| reference_to("parameters", doc.name));
        let own = self.own.iter().filter(|doc| is_described(doc)).map(|doc| parameter(doc, "query"));
        in_path.chain(shared).chain(own).chain(envelope).collect()
    }
}

impl Body {
    fn node(self) -> Option<Node> {
        let types: &[&str] = match self {
            Body::None => return None,
            Body::Search => &["application/x-www-form-urlencoded", "application/json"],
            Body::Json => &["application/json"],
            Body::Types(types) => types,
        };
        let content = types.iter().map(|name| (Name::Borrowed(*name), body_of(name))).collect();
        Some(Node::map([("content", Node::Map(content))]))
    }
}

/// What a body of this type is, as far as a notation of JSON can say.
fn body_of(media_type: &str) -> Node {
    let text = |format: Option<&'static str>| {
        let mut schema = vec![(Name::Borrowed("type"), Node::str("string"))];
        schema.extend(format.map(|format| (Name::Borrowed("format"), Node::str(format))));
        schema
    };
    let schema = match media_type {
        "application/json" => vec![],
        "application/x-www-form-urlencoded" => vec![("type".into(), Node::str("object"))],
        "application/octet-stream" | "application/javabin" | "application/cbor" => text(Some("binary")),
        _ => text(None),
    };
    Node::map([("schema", Node::Map(schema))])
}

#[cfg(test)]
mod tests;
