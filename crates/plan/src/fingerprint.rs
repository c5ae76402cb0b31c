//! A number for any part of a plan, by which it can be kept and found. Plans hold floating-point numbers,
//! which the standard `Hash` refuses, so the fingerprint is taken of the debug form: it names every field,
//! and tells floats exactly. Two parts of one fingerprint are mostly equal and not surely: who finds by it
//! compares with `==` as well. It holds within one build of the server, so it is neither stored nor sent.

use std::fmt::{self, Debug, Write};
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::{FixedState, FoldHasher};

use crate::value::Value;

/// See the file's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint {
    pub hash: u64,
    /// About what the part takes in memory: its texts and numbers, and a [`Value`] for each variant or struct
    /// that holds any.
    pub bytes: usize,
}

impl Fingerprint {
    /// The text is hashed as it comes and never held: the result cache's key was that text once, written and
    /// kept for every search.
    pub fn of(part: &impl Debug) -> Self {
        let mut text = HashedText { hasher: FixedState::default().build_hasher(), bytes: 0 };
        // Invariant: hashing does not fail, and neither do derived debug forms.
        let _always_ok = write!(text, "{part:?}");
        Self { hash: text.hasher.finish(), bytes: text.bytes }
    }
}

/// A debug form comes in many short pieces, for which the standard hasher takes some forty instructions each.
struct HashedText {
    hasher: FoldHasher<'static>,
    bytes: usize,
}

impl Write for HashedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.hasher.write(text.as_bytes());
        // A short value shows as less than it takes: `Str("a")` is 8 letters. What it is in opens with one of
        // these.
        let opened = text.bytes().filter(|byte| matches!(byte, b'(' | b'{')).count();
        self.bytes += text.len() + opened * size_of::<Value>();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::tree::Query;
    use crate::search::SearchPlan;

    #[test]
    fn many_short_values_take_what_they_are_in() {
        let values: Vec<Value> = (0..1000).map(|at| Value::Str(at.to_string())).collect();
        let held: usize = values.iter().map(|value| size_of_val(value) + value.to_text().len()).sum();
        let query = Query::TermSet { field: "f".into(), values };
        let bytes = Fingerprint::of(&query).bytes;
        assert!((held..held * 2).contains(&bytes), "{bytes} of {held}");
    }

    #[test]
    fn equal_parts_have_equal_fingerprints_and_others_differ() {
        let boosted = |boost| Query::Boost { query: Box::new(Query::All), boost };
        let of = |query| Fingerprint::of(&SearchPlan::count(query));
        assert_eq!(of(boosted(0.1 + 0.2)), of(boosted(0.1 + 0.2)));
        let others = [boosted(0.3), boosted(0.0), boosted(-0.0), Query::All, Query::Nothing].map(of);
        for (at, one) in others.iter().enumerate() {
            assert!(others.iter().skip(at + 1).all(|other| other.hash != one.hash), "{at}");
        }
        assert_eq!(SearchPlan::count(Query::All), SearchPlan::count(Query::All));
    }

    /// Whatever is asked of a shard can be compared, fingerprinted, copied and handed to another thread; so
    /// can what it is asked under. What stands below a plan is bound to it by its derives.
    #[test]
    fn plans_are_data() {
        fn check<T: Clone + Debug + PartialEq + Send + Sync + 'static>() {}
        check::<SearchPlan>();
        check::<crate::UpdateBatch>();
        check::<crate::UpdateOutcome>();
        check::<crate::Commit>();
        check::<crate::Join>();
        check::<crate::MoreLike>();
        check::<crate::SpellPlan>();
        check::<crate::SuggestPlan>();
        check::<crate::TermsPlan>();
        check::<crate::VectorsPlan>();
        check::<crate::FieldSelection>();
        check::<crate::CollectionConfig>();
        check::<crate::SchemaSource>();
        check::<crate::SchemaLineage>();
        check::<crate::Error>();
    }
}
