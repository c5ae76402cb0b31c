//! How a plain named list looks where there are only lists and maps (`json.nl`): a node of those. Javabin and
//! XML have named lists of their own. In: entries as the answer has them; out: what JSON, and the formats
//! that follow it, can write. The default differs by writer (`format.rs`).

use plan::{Error, Result};

use super::node::{Name, Node};

/// What becomes of names that may repeat or be null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NamedListStyle {
    /// `["a",1,"b",2]`
    #[default]
    Flat,
    /// `{"a":1,"b":2}`
    Map,
    /// `[["a",1],["b",2]]`
    ArrayOfArrays,
    /// `[{"a":1},{"b":2}]`
    ArrayOfMaps,
    /// `[{"name":"a","type":"int","value":1}]`
    ArrayOfNameTypeValue,
}

impl NamedListStyle {
    pub fn parse(text: &str) -> Result<Self> {
        Ok(match text {
            "" | "flat" => Self::Flat,
            "map" => Self::Map,
            "arrarr" => Self::ArrayOfArrays,
            "arrmap" => Self::ArrayOfMaps,
            // Solr differs: it breaks off in the middle with an error 500 (`compat/select/writers.yaml`).
            "arrntv" => Self::ArrayOfNameTypeValue,
            other => {
                return Err(Error::bad_request(format!(
                    "cannot read `json.nl`: `{other}` is unknown; use flat, map, arrarr, arrmap or arrntv"
                )));
            }
        })
    }

    /// The list in that form.
    pub fn shaped(self, entries: &[(Option<Name>, Node)]) -> Node {
        match self {
            Self::Flat => Node::Array(
                entries.iter().flat_map(|(name, node)| [text_or_null(name), node.clone()]).collect(),
            ),
            Self::Map => Node::Map(entries.iter().map(named).collect()),
            _ => Node::Array(entries.iter().map(|entry| self.item(entry)).collect()),
        }
    }

    /// One entry, where each is an item.
    fn item(self, entry: &(Option<Name>, Node)) -> Node {
        let (name, node) = entry;
        match (self, name) {
            (Self::ArrayOfMaps, None) => node.clone(),
            (Self::ArrayOfMaps, Some(_)) => Node::Map(vec![named(entry)]),
            (Self::ArrayOfNameTypeValue, _) => Node::map([
                ("name", text_or_null(name)),
                ("type", Node::str(node.type_name())),
                ("value", node.clone()),
            ]),
            _ => Node::Array(vec![text_or_null(name), node.clone()]),
        }
    }
}

fn named((name, node): &(Option<Name>, Node)) -> (Name, Node) {
    (name.clone().unwrap_or_default(), node.clone())
}

fn text_or_null(name: &Option<Name>) -> Node {
    name.clone().map_or(Node::Null, Node::Str)
}
