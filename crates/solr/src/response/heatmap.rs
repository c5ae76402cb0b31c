//! Counts over a map: where the map lies, and its cells row by row from the north, or as a picture of them
//! (`picture.rs`). In: a finished heatmap; out: a node, the same for classic facets and those in JSON. Solr
//! leaves out rows without hits as null, which keeps a map of a continent small; so it is here.

use plan::{HeatmapForm, HeatmapResult, Rect};

use super::node::Node;
use super::picture;

/// What stands under a map's name.
pub(super) fn heatmap(found: HeatmapResult) -> Node {
    let HeatmapResult { map, form, counts } = found;
    let Rect { south, north, west, east } = map.bounds();
    let rows = || counts.chunks(map.columns.max(1) as usize).rev();
    let (name, shown) = match form {
        HeatmapForm::Numbers if counts.is_empty() => ("counts_ints2D", Node::Null),
        HeatmapForm::Numbers => ("counts_ints2D", Node::Array(rows().map(row).collect())),
        HeatmapForm::Picture if counts.is_empty() => ("counts_png", Node::Null),
        HeatmapForm::Picture => ("counts_png", Node::Bytes(picture::png(map.columns, rows()))),
    };
    Node::map([
        ("gridLevel", Node::Int(map.level.into())),
        ("columns", Node::count(map.columns.into())),
        ("rows", Node::count(map.rows.into())),
        ("minX", Node::Double(west)),
        ("maxX", Node::Double(east)),
        ("minY", Node::Double(south)),
        ("maxY", Node::Double(north)),
        (name, shown),
    ])
}

/// A row without hits is none.
fn row(counts: &[u32]) -> Node {
    if counts.iter().all(|count| *count == 0) {
        return Node::Null;
    }
    Node::Array(counts.iter().map(|count| Node::count((*count).into())).collect())
}
