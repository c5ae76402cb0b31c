//! What each field takes of the segments that searches see: tantivy says it of what it keeps field by field,
//! and of stored documents, which are compressed some at a time, a sample says how fields share them.
//!
//! In: a snapshot; out: figures by Solr's names that merge over shards. Nobody searches by them: it reads
//! heads of files and some documents of each segment, and may take milliseconds.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::Result;
use plan::partial::{FieldBytes, OneFieldBytes};
use tantivy::space_usage::PerFieldSpaceUsage;

use crate::errors::from_tantivy;
use crate::layout::{Layout, VERSION_NAME};
use crate::segment::source_codec;
use crate::snapshot::{SegmentView, Snapshot};

/// Documents of a segment that are read to see how fields share the store: of texts of one kind some dozens
/// come within a few per cent.
const SAMPLE_DOCS: u32 = 64;

type Figures = BTreeMap<Arc<str>, OneFieldBytes>;

/// `times` are microseconds by field, as `field_times` has them.
pub(crate) fn of(snapshot: &Snapshot, times: &BTreeMap<Arc<str>, u64>) -> Result<FieldBytes> {
    let mut figures = Figures::new();
    let names = tantivy_names(snapshot.layout());
    let mut whole = 0;
    for view in snapshot.segments() {
        whole += view.segment.bytes();
        add_index(&mut figures, &names, view)?;
        add_stored(&mut figures, snapshot.layout(), view)?;
    }
    for (name, micros) in times {
        figures.entry(name.clone()).or_default().indexing_us = *micros;
    }
    let fields: Vec<_> =
        figures.into_iter().map(|(name, it)| OneFieldBytes { name: name.to_string(), ..it }).collect();
    let known: u64 = fields.iter().map(OneFieldBytes::total).sum();
    Ok(FieldBytes { fields, shared: whole.saturating_sub(known) })
}

/// Solr's names by those that the fields have in segments.
fn tantivy_names(layout: &Layout) -> BTreeMap<&str, Arc<str>> {
    let mut names = BTreeMap::new();
    for field in layout.fields() {
        let columns = field.column.iter().chain(&field.payloads).map(|column| column.field);
        for tantivy in field.inverted.into_iter().chain(columns) {
            names.insert(layout.tantivy().get_field_name(tantivy), field.name.clone());
        }
    }
    // Every shard has that column, whether or not the schema declares the field.
    names.entry(crate::layout::VERSION_COLUMN).or_insert_with(|| VERSION_NAME.into());
    names
}

fn add_index(figures: &mut Figures, names: &BTreeMap<&str, Arc<str>>, view: &SegmentView) -> Result<()> {
    let usage = view.reader().space_usage().map_err(from_tantivy)?;
    let mut add = |part: &PerFieldSpaceUsage, place: fn(&mut OneFieldBytes) -> &mut u64| {
        for field in part.fields() {
            // A slot that the schema has given up has no name any more: its bytes are nobody's.
            let Some(name) = names.get(field.field_name()) else { continue };
            *place(figures.entry(name.clone()).or_default()) += field.total().get_bytes();
        }
    };
    add(usage.termdict(), |it| &mut it.terms);
    add(usage.postings(), |it| &mut it.postings);
    add(usage.positions(), |it| &mut it.positions);
    add(usage.fieldnorms(), |it| &mut it.norms);
    add(usage.fast_fields(), |it| &mut it.columns);
    Ok(())
}

/// Shares the segment's store out among the fields as some of its documents have them.
fn add_stored(figures: &mut Figures, layout: &Layout, view: &SegmentView) -> Result<()> {
    let docs = view.segment.max_doc;
    let step = docs.div_ceil(SAMPLE_DOCS).max(1) as usize;
    let mut sampled = BTreeMap::<u32, u64>::new();
    for doc in (0..docs).step_by(step) {
        let mut take = |slot: u32, bytes: usize| *sampled.entry(slot).or_default() += bytes as u64;
        source_codec::field_sizes(&view.source(doc)?, &mut take)?;
    }
    let all: u64 = sampled.values().sum();
    let stored = view.source_bytes_mean() * u64::from(docs);
    for (slot, bytes) in sampled {
        let Some(name) = layout.slot_name(slot).filter(|_| all > 0) else { continue };
        let share = u128::from(stored) * u128::from(bytes) / u128::from(all);
        figures.entry(name.clone()).or_default().stored += u64::try_from(share).unwrap_or(u64::MAX);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use plan::Value;

    use super::*;
    use crate::testing::{document, schema, snapshot, text};

    #[test]
    fn each_field_is_charged_with_what_it_has() {
        let docs = (0..40).map(|at| {
            let long = format!("solaris stalker mirror nostalgia {at} ").repeat(20);
            document(&[
                ("id", vec![text(&at.to_string())]),
                ("a_t", vec![text(&long)]),
                ("a_s", vec![text("x")]),
                ("a_i", vec![Value::Int(at)]),
            ])
        });
        let snapshot = snapshot(&Arc::new(schema()), &[docs.collect()]);
        let bytes = of(&snapshot, &BTreeMap::new()).unwrap();
        let field = |name: &str| bytes.fields.iter().find(|it| it.name == name).cloned().unwrap_or_default();
        let (words, number) = (field("a_t"), field("a_i"));
        assert!(
            words.terms > 0 && words.postings > 0 && words.positions > 0 && words.columns == 0,
            "{words:?}"
        );
        assert!(number.columns > 0 && number.terms == 0 && number.positions == 0, "{number:?}");
        assert!(words.stored > 10 * number.stored.max(1), "{words:?} {number:?}");
        assert!(field("id").terms > 0 && field("a_s").stored > 0 && field("a_d").total() == 0);
        let whole: u64 = snapshot.segments().iter().map(|view| view.segment.bytes()).sum();
        let known: u64 = bytes.fields.iter().map(OneFieldBytes::total).sum();
        assert_eq!(known + bytes.shared, whole);
    }
}
