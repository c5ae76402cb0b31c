//! The sub-fields of a field of boxes (Solr's `BBoxField`): a number for each edge, and whether the box
//! crosses the date line. In: types as declared; out: dynamic fields that the schema has without being told,
//! and an edge's number of a box. Which fields a query asks is `crates/solr/src/query/spatial/boxes.rs`.

use crate::error::{Error, Result};
use crate::geo::area::Rect;
use crate::schema::field::{FieldSource, TypeSource};

/// What a sub-field of a field of the class `BBox` says of the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    West,
    East,
    South,
    North,
    /// 1 where it crosses the date line, else 0.
    Crosses,
}

impl Edge {
    /// In the order of `Rect::edges`.
    pub const ALL: [Edge; 4] = [Edge::West, Edge::East, Edge::South, Edge::North];

    /// What the sub-field's name ends with, as in Solr.
    pub fn suffix(self) -> &'static str {
        match self {
            Edge::West => "__minX",
            Edge::East => "__maxX",
            Edge::South => "__minY",
            Edge::North => "__maxY",
            Edge::Crosses => "__xdl",
        }
    }

    pub fn sub_field(self, name: &str) -> String {
        format!("{name}{}", self.suffix())
    }

    pub fn of(self, rect: Rect) -> f64 {
        let [west, east, south, north] = rect.edges();
        match self {
            Edge::West => west,
            Edge::East => east,
            Edge::South => south,
            Edge::North => north,
            Edge::Crosses => f64::from(u8::from(rect.crosses())),
        }
    }
}

/// The patterns that sub-fields fall under, which Solr's types of boxes declare by themselves. Errors: a type
/// that does not say of which type its numbers are.
pub(crate) fn edge_fields<'a>(boxes: impl Iterator<Item = &'a TypeSource>) -> Result<Vec<FieldSource>> {
    let mut declared: Vec<FieldSource> = Vec::new();
    for kind in boxes {
        let attribute =
            |name: &str| kind.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        let type_name = attribute("numberType").ok_or_else(|| {
            Error::bad_request(format!(
                "Plugin init failure for [schema.xml] fieldType\nThe field type: {} must specify the numberType attribute.",
                kind.name
            ))
        })?;
        let stored = attribute("storeSubFields").is_some_and(|flag| flag == "true");
        for edge in Edge::ALL.into_iter().chain([Edge::Crosses]) {
            let (name, shown) = (edge.sub_field("*"), edge != Edge::Crosses);
            let flags = [
                ("indexed", true),
                ("stored", stored && shown),
                ("docValues", shown),
                ("multiValued", false),
            ];
            let attributes = flags.map(|(key, flag)| (key.to_owned(), flag.to_string())).to_vec();
            if declared.iter().all(|known| known.name != name) {
                declared.push(FieldSource { name, type_name: type_name.clone(), attributes });
            }
        }
    }
    Ok(declared)
}
