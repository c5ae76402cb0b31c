//! Documents by where they are: the field's places, and where it holds others, its shapes.

use plan::{Result, Spatial};

use super::Lowering;
use super::range::order_in;
use crate::search::node::Node;
use crate::search::spatial::SpatialSearch;

impl Lowering<'_> {
    pub(super) fn spatial(&self, query: &Spatial, boost: f32) -> Result<Node> {
        let Some(layout) = self.field(&query.field) else { return Ok(Node::Nothing) };
        let Some(column) = layout.column.clone() else { return Ok(Node::Nothing) };
        let (orders, shapes) = (self.value_orders(&column), layout.inverted);
        let (search, label) = (SpatialSearch::new(query), query.to_string());
        Ok(Node::computed(boost, label, move |reader| {
            let mut bits = match search.finds_points() {
                true => search.points(reader, &column, order_in(&orders, reader))?,
                false => crate::search::Bits::none(reader.max_doc()),
            };
            if let Some(field) = shapes {
                search.add_shapes(reader, field, &mut bits)?;
            }
            Ok(bits)
        }))
    }
}
