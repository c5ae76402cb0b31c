//! Documents by where they are: the field's places, and where it holds others, its shapes. Finds nothing
//! itself: `search/spatial` covers areas by ranges of a curve; this makes nodes of what it finds
//! (docs/adr/0007-places-and-vectors.md).

use plan::Spatial;

use crate::search::lower::lowering::Lowering;
use crate::search::node::Node;
use crate::search::spatial::SpatialSearch;
use crate::segment::bits::Bits;

impl Lowering<'_> {
    pub(super) fn spatial(&self, query: &Spatial, boost: f32) -> Node {
        let Some(layout) = self.field(&query.field) else { return Node::Nothing };
        let Some(column) = layout.column.clone() else { return Node::Nothing };
        let (search, shapes) = (SpatialSearch::new(query), layout.inverted);
        self.by_postings(boost, query.to_string(), move |view, _| {
            let mut bits = match search.finds_points() {
                true => search.points(view, &column)?,
                false => Bits::none(view.reader().max_doc()),
            };
            if let Some(field) = shapes {
                search.add_shapes(view, field, &mut bits)?;
            }
            Ok(bits)
        })
    }
}
