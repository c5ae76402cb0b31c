//! Which documents of a segment match a node, as bits: combinations run a word at a time over the bits of
//! their parts, and a part is only asked about the documents that the parts before it have left. Where the
//! search's allowance is used up on the way the bits are not all there: [`mask`](super::mask) gives nothing
//! for such a segment.

use std::sync::Arc;

use plan::Result;
use tantivy::Term;

use super::computed_docs::ComputedDocs;
use super::evaluate::Evaluator;
use super::function::each_doc_batch;
use super::node::{BooleanNode, DocSource, Node};
use super::span::{SpanNode, SpanShape};
use super::terms::{Direct, Matching};
use crate::search::context::{SearchContext, SearchSegment};
use crate::segment::bits::Bits;

/// The matches of a segment, of those in `among` where given, dead or alive.
pub(crate) fn matches(
    context: &SearchContext<'_>,
    segment: &SearchSegment<'_>,
    node: &Node,
    among: Option<&Arc<Bits>>,
) -> Result<Arc<Bits>> {
    if segment.allowance.is_used_up() {
        return Ok(Arc::new(Bits::none(segment.max_doc())));
    }
    segment.allowance.take_bytes(segment.max_doc() as usize / 8);
    if let Some(bits) = quickly(context, segment, node, among)? {
        return Ok(bits);
    }
    match node {
        Node::Nothing => Ok(Arc::new(Bits::none(segment.max_doc()))),
        Node::Function(_) => Ok(all(segment, among)),
        Node::Preset(node) => Ok(common(node.preset.bits(segment.reader), among)),
        Node::Boosted(boosted) => matches(context, segment, &boosted.node, among),
        Node::Constant(constant) => match &constant.source {
            DocSource::All => Ok(all(segment, among)),
            DocSource::Node(inner) => matches(context, segment, inner, among),
            DocSource::Term(term) => any_term(segment, std::iter::once(term), among).map(Arc::new),
            DocSource::Computed(computed) => found(computed, segment, among),
            DocSource::FunctionRange(range) => found(range.computed(), segment, among),
        },
        Node::Boolean(boolean) => combined(context, segment, boolean, among),
        Node::DisjunctionMax { nodes, .. } => union(context, segment, nodes, among),
        Node::Synonym(synonym) => {
            any_term(segment, synonym.terms.iter().map(|(term, _)| term), among).map(Arc::new)
        }
        Node::Phrase(phrase) => {
            // Documents with a term for every place, of which the positions decide.
            let mut left = among.cloned();
            for (_, terms) in &phrase.positions {
                left = Some(Arc::new(any_term(segment, terms.iter(), left.as_ref())?));
            }
            one_by_one(context, segment, node, &all(segment, left.as_ref())).map(Arc::new)
        }
        Node::Span(span) => {
            let left = with_terms(segment, span, &span.shape, among)?;
            one_by_one(context, segment, node, &left).map(Arc::new)
        }
        // A term of negative weight, which is not `Direct`.
        Node::Term(term) => any_term(segment, std::iter::once(&term.term), among).map(Arc::new),
    }
}

/// Of nodes that read postings: those that have a way of their own, and any where few documents are left to
/// ask about.
fn quickly(
    context: &SearchContext<'_>,
    segment: &SearchSegment<'_>,
    node: &Node,
    among: Option<&Arc<Bits>>,
) -> Result<Option<Arc<Bits>>> {
    let reads = matches!(
        node,
        Node::Term(_)
            | Node::Synonym(_)
            | Node::Phrase(_)
            | Node::Span(_)
            | Node::Boolean(_)
            | Node::DisjunctionMax { .. }
    );
    if !reads {
        return Ok(None);
    }
    let bits = match (among.filter(|among| is_narrow(among, segment)), Direct::of(node)) {
        (Some(few), _) => one_by_one(context, segment, node, few)?,
        (None, Some(direct)) => direct.bits(segment, among.map(|among| &**among))?,
        (None, None) => return Ok(None),
    };
    Ok(Some(Arc::new(bits)))
}

fn all(segment: &SearchSegment<'_>, among: Option<&Arc<Bits>>) -> Arc<Bits> {
    among.cloned().unwrap_or_else(|| Arc::new(Bits::all(segment.max_doc())))
}

fn found(
    computed: &ComputedDocs,
    segment: &SearchSegment<'_>,
    among: Option<&Arc<Bits>>,
) -> Result<Arc<Bits>> {
    match among {
        Some(among) => computed.bits_among(segment.reader, among),
        None => computed.bits(segment.reader),
    }
}

fn common(mut bits: Arc<Bits>, among: Option<&Arc<Bits>>) -> Arc<Bits> {
    if let Some(among) = among {
        Arc::make_mut(&mut bits).intersect(among);
    }
    bits
}

/// Whether so few documents are left that asking about each beats finding all matches.
fn is_narrow(among: &Bits, segment: &SearchSegment<'_>) -> bool {
    const SHARE: u32 = 256;
    among.count() <= segment.max_doc() / SHARE
}

fn one_by_one(
    context: &SearchContext<'_>,
    segment: &SearchSegment<'_>,
    node: &Node,
    among: &Bits,
) -> Result<Bits> {
    let mut bits = Bits::none(segment.max_doc());
    if !among.is_empty() {
        let mut evaluator = Evaluator::open(context.layout.tantivy(), node, segment.reader)?;
        each_doc_batch(among, &segment.allowance, |docs| {
            let matching = docs.iter().filter(|doc| evaluator.score(**doc).is_some());
            matching.for_each(|doc| bits.insert(*doc));
        });
    }
    Ok(bits)
}

/// All of what is required, `minimum` of what is optional, nothing of what is prohibited.
fn combined(
    context: &SearchContext<'_>,
    segment: &SearchSegment<'_>,
    node: &BooleanNode,
    among: Option<&Arc<Bits>>,
) -> Result<Arc<Bits>> {
    let optional = node.minimum > 0;
    if node.required.is_empty() && node.filters.is_empty() && !optional {
        return Ok(Arc::new(Bits::none(segment.max_doc())));
    }
    let mut left = among.cloned();
    let mut needed: Vec<&Node> = node.required.iter().chain(&node.filters).collect();
    // What reads positions comes last.
    needed.sort_by_key(|part| part.is_costly());
    for part in needed {
        left = Some(matches(context, segment, part, left.as_ref())?);
    }
    let mut left = match optional {
        true => at_least(context, segment, (&node.optional, node.minimum), left.as_ref())?,
        false => all(segment, left.as_ref()),
    };
    for part in &node.prohibited {
        let out = matches(context, segment, part, Some(&left))?;
        Arc::make_mut(&mut left).subtract(&out);
    }
    Ok(left)
}

/// Documents that match `minimum` of the nodes or more.
fn at_least(
    context: &SearchContext<'_>,
    segment: &SearchSegment<'_>,
    (nodes, minimum): (&[Node], usize),
    among: Option<&Arc<Bits>>,
) -> Result<Arc<Bits>> {
    if minimum == 1 {
        return union(context, segment, nodes, among);
    }
    if minimum > nodes.len() {
        return Ok(Arc::new(Bits::none(segment.max_doc())));
    }
    if minimum == nodes.len() {
        let mut left = among.cloned();
        for node in nodes {
            left = Some(matches(context, segment, node, left.as_ref())?);
        }
        return Ok(all(segment, left.as_ref()));
    }
    let sets = nodes.iter().map(|node| matches(context, segment, node, among));
    let sets = sets.collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(Bits::at_least(segment.max_doc(), &sets, minimum)))
}

fn union(
    context: &SearchContext<'_>,
    segment: &SearchSegment<'_>,
    nodes: &[Node],
    among: Option<&Arc<Bits>>,
) -> Result<Arc<Bits>> {
    let terms = nodes.iter().map(|node| match node {
        Node::Term(term) => Some((term.term.field(), term.info_in(segment.number))),
        _ => None,
    });
    if let Some(infos) = terms.collect::<Option<Vec<_>>>() {
        return union_of_terms(segment, infos.into_iter(), among).map(Arc::new);
    }
    let mut bits = Arc::new(Bits::none(segment.max_doc()));
    for node in nodes {
        Arc::make_mut(&mut bits).union(&*matches(context, segment, node, among)?);
    }
    Ok(bits)
}

/// Documents with the terms that a span takes, of which the positions decide.
fn with_terms(
    segment: &SearchSegment<'_>,
    span: &SpanNode,
    shape: &SpanShape,
    among: Option<&Arc<Bits>>,
) -> Result<Arc<Bits>> {
    match shape {
        SpanShape::Word(term) => any_term(segment, span.terms.get(*term).into_iter(), among).map(Arc::new),
        SpanShape::Any(shapes) => {
            let mut any = Bits::none(segment.max_doc());
            for shape in shapes {
                any.union(&*with_terms(segment, span, shape, among)?);
            }
            Ok(Arc::new(any))
        }
        SpanShape::Near { shapes, .. } => {
            let mut left = among.cloned();
            for shape in shapes {
                left = Some(with_terms(segment, span, shape, left.as_ref())?);
            }
            Ok(all(segment, left.as_ref()))
        }
        SpanShape::Without(shapes) => with_terms(segment, span, &shapes[0], among),
    }
}

/// The documents with any of some terms, of those in `among` where given.
pub(super) fn any_term<'t>(
    segment: &SearchSegment<'_>,
    terms: impl Iterator<Item = &'t Term>,
    among: Option<&Arc<Bits>>,
) -> Result<Bits> {
    let info = |term: &Term| Ok((term.field(), segment.view.term_info(term)?));
    let infos = terms.map(info).collect::<Result<Vec<_>>>()?;
    union_of_terms(segment, infos.iter().map(|(field, info)| (*field, info.as_ref())), among)
}

fn union_of_terms<'t>(
    segment: &SearchSegment<'_>,
    terms: impl Iterator<Item = (tantivy::schema::Field, Option<&'t tantivy::postings::TermInfo>)>,
    among: Option<&Arc<Bits>>,
) -> Result<Bits> {
    let mut bits = Bits::none(segment.max_doc());
    if let Some(mut matching) = Matching::of_terms(terms, true, segment, among.map(|among| &**among))? {
        matching.fill(&mut bits);
    }
    Ok(bits)
}
