//! Documents by a number that ranks them: scored from its column, whose average stands in for a pivot that is
//! not given. In: the query and the columns of all segments; out: documents with scores, worked out before
//! the search, since the average is of them all.

use std::collections::HashMap;

use plan::{RankCurve, RankQuery, Result, rank_code, rank_of_code};
use tantivy::DocId;

use crate::search::lower::lowering::Lowering;
use crate::search::node::Node;
use crate::search::preset::PresetDocs;
use crate::segment::columns::AnyColumn;

impl Lowering<'_> {
    /// Solr differs: its explanations tell the parts of the curve, here they tell the query
    /// (`compat/query/rank.yaml`).
    pub(super) fn rank(&self, query: &RankQuery, boost: f32) -> Result<Node> {
        let column = self.field(&query.field).and_then(|layout| layout.column.as_ref());
        let Some(column) = column else { return Ok(Node::Nothing) };
        let mut numbers: Vec<Vec<(DocId, f32)>> = Vec::with_capacity(self.context.segments.len());
        for segment in &self.context.segments {
            let found = match segment.view.column(column)? {
                Some(AnyColumn::F64(values)) => {
                    let of = |doc| values.first(doc).map(|number| (doc, number as f32));
                    (0..segment.max_doc()).filter_map(of).collect()
                }
                _ => Vec::new(),
            };
            numbers.push(found);
        }
        let average = match query.curve {
            RankCurve::Saturation { pivot: None } => average(numbers.iter().flatten()),
            _ => 1.0,
        };
        let query = RankQuery { weight: query.weight * boost, ..query.clone() };
        let scored = self.context.segments.iter().zip(numbers).map(|(segment, numbers)| {
            let scores = numbers.into_iter().map(|(doc, number)| (doc, query.score(number, average)));
            (segment.view.id(), PresetDocs::new(segment.max_doc(), scores.collect()))
        });
        let segments: HashMap<_, _> = scored.collect();
        Ok(Node::preset(query.describe(), None, segments))
    }
}

/// As Lucene has it: of the codes, deleted documents included.
fn average<'n>(numbers: impl Iterator<Item = &'n (DocId, f32)>) -> f32 {
    let (sum, count) = numbers
        .fold((0u64, 0u64), |(sum, count), (_, number)| (sum + u64::from(rank_code(*number)), count + 1));
    if count == 0 { 1.0 } else { rank_of_code((sum as f64 / count as f64) as f32 as u32) }
}
