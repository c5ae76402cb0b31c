//! The documents below a hit, in their places: those just before it in its segment that its path leads to,
//! or, where no paths are kept, all up to the parent before. Asked for each hit of a page; the filter is
//! worked out once for all of them.

use std::collections::HashMap;
use std::sync::Arc;

use plan::partial::HitRef;
use plan::{ChildHit, ChildrenPlan, NEST_PATH_FIELD, Result, last_step, path_above};
use tantivy::DocId;

use super::fetch;
use super::mask::{self, PreparedFilter};
use crate::errors::from_tantivy;
use crate::search::context::{SearchContext, SearchSegment};
use crate::segment::bits::Bits;
use crate::segment::columns::AnyColumn;
use crate::segment::nesting::nested_position;

pub(super) struct Descent<'a> {
    context: &'a SearchContext<'a>,
    plan: &'a ChildrenPlan,
    filter: Option<PreparedFilter>,
    parents: Option<PreparedFilter>,
}

impl<'a> Descent<'a> {
    pub(super) fn open(context: &'a SearchContext<'a>, plan: &'a ChildrenPlan) -> Result<Self> {
        let prepare = |query: &Option<plan::Query>| {
            query.as_ref().map(|query| PreparedFilter::of_query(context, query)).transpose()
        };
        Ok(Self { context, plan, filter: prepare(&plan.filter)?, parents: prepare(&plan.parents)? })
    }

    pub(super) fn below(&self, hit: &HitRef) -> Result<Vec<ChildHit>> {
        let Some(segment) = self.context.segments.get(hit.segment_number()) else { return Ok(Vec::new()) };
        let below = match &self.parents {
            Some(parents) => {
                let parents = mask::filter_bits(self.context, segment, parents)?;
                let before = parents.last_before(hit.doc);
                (before.map_or(0, |doc| doc + 1)..hit.doc).map(|doc| (doc, String::new())).collect()
            }
            None => self.on_path(segment, hit.doc)?,
        };
        let wanted = self.filter.as_ref().map(|filter| mask::filter_bits(self.context, segment, filter));
        let wanted = wanted.transpose()?;
        let lives = |doc: &DocId| segment.alive.as_ref().is_none_or(|alive| alive.contains(*doc));
        let mut tree = Tree::default();
        for (doc, path) in below.into_iter().filter(|(doc, _)| lives(doc)) {
            self.take(segment, (doc, path), wanted.as_deref(), &mut tree)?;
        }
        Ok(tree.waiting.into_values().flatten().collect())
    }

    /// The documents that a document's path leads to, ascending, with their paths below it.
    fn on_path(&self, segment: &SearchSegment<'_>, hit: DocId) -> Result<Vec<(DocId, String)>> {
        let layout = self.context.layout.field(NEST_PATH_FIELD);
        let Some(column) = layout.and_then(|layout| layout.column.as_ref()) else { return Ok(Vec::new()) };
        let Some(AnyColumn::Str(column)) = segment.view.column(column)? else {
            return Ok(Vec::new());
        };
        let path_of = |doc: DocId| {
            let mut path = String::new();
            if let Some(ordinal) = column.term_ords(doc).next() {
                column.ord_to_str(ordinal, &mut path).map_err(from_tantivy)?;
            }
            Ok(path)
        };
        let own = path_of(hit)?;
        let mut below = Vec::new();
        for doc in (0..hit).rev() {
            let path = path_of(doc)?;
            match path.strip_prefix(&own).filter(|path| path.starts_with('/')) {
                Some(path) => below.push((doc, path.to_owned())),
                // No path leads to it, and Solr shows it nowhere.
                None if path.is_empty() && self.are_of_one_block(segment, doc, hit)? => {}
                None => break,
            }
        }
        below.reverse();
        Ok(below)
    }

    fn are_of_one_block(&self, segment: &SearchSegment<'_>, one: DocId, other: DocId) -> Result<bool> {
        let root = |doc| Ok(nested_position(&segment.view.source(doc)?, self.context.layout)?.root);
        let root_of_one = root(one)?;
        Ok(root_of_one.is_some() && root_of_one == root(other)?)
    }

    fn take(
        &self,
        segment: &SearchSegment<'_>,
        (doc, path): (DocId, String),
        wanted: Option<&Bits>,
        tree: &mut Tree,
    ) -> Result<()> {
        let children = if path.is_empty() { None } else { tree.waiting.remove(&path) };
        let is_wanted = wanted.is_none_or(|wanted| wanted.contains(doc))
            && self.plan.limit.is_none_or(|most| tree.taken < most);
        // What leads to a document that is shown is shown as well.
        if !is_wanted && children.is_none() {
            return Ok(());
        }
        tree.taken += 1;
        let (_, document) = fetch::read_stored(self.context, segment, doc, &self.plan.fields)?;
        let (name, listed) =
            last_step(&path).map_or((None, true), |(name, listed)| (Some(Arc::from(name)), listed));
        let child = ChildHit { name, listed, document, children: children.unwrap_or_default() };
        tree.waiting.entry(path_above(&path).to_owned()).or_default().push(child);
        Ok(())
    }
}

/// Adds what another descent found: it takes the place of what bears the same names.
pub(super) fn add(children: &mut Vec<ChildHit>, found: Vec<ChildHit>) {
    children.retain(|child| child.name.is_none() || found.iter().all(|other| other.name != child.name));
    children.extend(found);
}

/// Documents that wait for the one above them, by its path.
#[derive(Default)]
struct Tree {
    waiting: HashMap<String, Vec<ChildHit>>,
    taken: usize,
}
