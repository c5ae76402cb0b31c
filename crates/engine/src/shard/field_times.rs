//! What each field costs while documents are indexed: some documents of each segment are prepared once more,
//! field by field, by the same code and to nowhere, and the clock is read before and after.
//!
//! In: a snapshot; out: microseconds of each field for all documents that searches see, as they merge over
//! shards. It is what differs most between fields (analysis above all), and not all: sealing and merging are
//! work on the bytes that `field_bytes` tells. Fields of which a document has no values are known as far as
//! stored ones are copied to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use meter::Clock;
use plan::{Result, Value};

use crate::indexing::prepare::Preparer;
use crate::layout::analyzers::Analyzers;
use crate::layout::{FieldLayout, Layout, VERSION_NAME};
use crate::segment::source_codec;
use crate::snapshot::{SegmentView, Snapshot};

/// Documents of a segment that are prepared: a field of texts differs from document to document by less than
/// fields do among one another.
const SAMPLE_DOCS: u32 = 64;

/// The quickest of so many counts: anything else that the machine does only ever adds.
const ROUNDS: usize = 3;

/// A field's values in the documents of the sample.
type Sampled = BTreeMap<Arc<str>, (Arc<FieldLayout>, Vec<Vec<Value>>)>;

/// Microseconds by field.
pub(super) fn of(snapshot: &Snapshot, clock: &dyn Clock) -> Result<BTreeMap<Arc<str>, u64>> {
    let layout = snapshot.layout();
    let analyzers = Arc::new(Analyzers::of(layout));
    let mut preparer = Preparer::new(layout.clone(), layout.schema().clone(), analyzers);
    let mut nanos = BTreeMap::<Arc<str>, u128>::new();
    for view in snapshot.segments() {
        let docs = view.segment.max_doc;
        let step = docs.div_ceil(SAMPLE_DOCS).max(1);
        let sampled = sample(view, layout, &mut preparer, step as usize)?;
        for (name, (field, documents)) in sampled {
            let taken = u128::from(quickest(&mut preparer, clock, &field, &documents)?);
            *nanos.entry(name).or_default() += taken * u128::from(docs) / u128::from(docs.div_ceil(step));
        }
    }
    Ok(nanos.into_iter().map(|(name, ns)| (name, u64::try_from(ns / 1000).unwrap_or(u64::MAX))).collect())
}

/// The values that are kept of each `step`th document, and what of them goes to other fields.
fn sample(view: &SegmentView, layout: &Layout, preparer: &mut Preparer, step: usize) -> Result<Sampled> {
    let mut sampled = Sampled::new();
    for doc in (0..view.segment.max_doc).step_by(step) {
        let mut fields: Vec<(Arc<FieldLayout>, Vec<Value>)> = Vec::new();
        let take = |slot: u32, values: Vec<Value>| {
            let named = layout.slot_name(slot).and_then(|name| layout.field(name));
            fields.extend(named.filter(|field| field.slot == slot).map(|field| (field.clone(), values)));
        };
        source_codec::fields(&view.source(doc)?, |_| true, take)?;
        fields.retain(|(field, _)| &*field.name != VERSION_NAME);
        let copied: Vec<_> =
            fields.iter().flat_map(|(field, values)| preparer.copies_of("", &field.name, values)).collect();
        for (field, values) in copied {
            // A destination that is stored was read above, with what was copied.
            if !fields.iter().any(|(known, _)| known.name == field.name) {
                add(&mut sampled, field, values);
            }
        }
        fields.into_iter().for_each(|(field, values)| add(&mut sampled, field, values));
    }
    Ok(sampled)
}

fn add(sampled: &mut Sampled, field: Arc<FieldLayout>, values: Vec<Value>) {
    sampled.entry(field.name.clone()).or_insert_with(|| (field, Vec::new())).1.push(values);
}

/// Nanoseconds for all of them.
fn quickest(
    preparer: &mut Preparer,
    clock: &dyn Clock,
    field: &FieldLayout,
    documents: &[Vec<Value>],
) -> Result<u64> {
    let mut quickest = u64::MAX;
    for _ in 0..ROUNDS {
        preparer.start_group();
        let begun = clock.now_ns();
        for values in documents {
            preparer.index_field("", field, values)?;
        }
        quickest = quickest.min(clock.now_ns().saturating_sub(begun));
    }
    Ok(quickest)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::testing::{document, schema, snapshot, text};

    /// A millisecond later at each look.
    #[derive(Default)]
    struct Looks(AtomicU64);

    impl Clock for Looks {
        fn now_ms(&self) -> i64 {
            i64::try_from(self.0.fetch_add(1, Ordering::Relaxed)).unwrap()
        }
    }

    #[test]
    fn each_field_is_timed_for_as_many_documents_as_there_are() {
        let docs = (0..640).map(|at| {
            let mut fields = vec![("id", vec![text(&at.to_string())]), ("a_t", vec![text("solaris mirror")])];
            fields.extend((at < 320).then(|| ("a_i", vec![Value::Int(at)])));
            document(&fields)
        });
        let snapshot = snapshot(&Arc::new(schema()), &[docs.collect()]);
        let times = of(&snapshot, &Looks::default()).unwrap();
        let time = |name: &str| times.get(name).copied().unwrap_or_default();
        // A sample of one in ten takes one look's millisecond.
        assert_eq!((time("a_t"), time("a_i"), time("id"), time("a_d")), (10_000, 10_000, 10_000, 0));
    }
}
