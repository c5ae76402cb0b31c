//! Terms of the index as they are shown: bounds on counts, order and cut are judged once those of all shards
//! are added up.
//!
//! In: terms in their order with the documents of all shards; out: what the terms component lists, and what
//! Luke tells of a field: its most frequent terms and a histogram of how frequent all are.

use std::cmp::Reverse;

use plan::partial::{ByValue, TermCounts};
use plan::{TermCount, TermsPlan, TieHeap, TopTerms, Value};

/// The terms that `plan` lists.
pub fn finish_terms(plan: &TermsPlan, merged: TermCounts) -> Vec<TermCount> {
    let mut listed = merged.0;
    listed.retain(|count| plan.lists(count.documents));
    if plan.by_count {
        // They come in their order, which stays between equal counts.
        listed.sort_by_key(|count| Reverse(count.documents));
    }
    listed.truncate(plan.limit.unwrap_or(usize::MAX));
    listed
}

/// The `limit` most frequent terms of a field, and how frequent all are.
pub fn finish_top_terms(limit: usize, merged: ByValue<u64>) -> TopTerms {
    let counted = merged.list;
    let mut histogram = Vec::new();
    for (_, count) in &counted {
        let bucket = count.saturating_sub(1).checked_ilog2().map_or(0, |log| log as usize + 1);
        histogram.resize(histogram.len().max(bucket + 1), 0);
        if let Some(terms) = histogram.get_mut(bucket) {
            *terms += 1;
        }
    }
    let top = most_frequent(&counted, limit).into_iter().map(|(term, count)| (term.clone(), count)).collect();
    TopTerms { top, distinct: counted.len() as u64, histogram }
}

/// Luke's queue of the most frequent terms. Which of several terms with the same count it shows, and in which
/// order, is decided by how its heap moves them.
fn most_frequent(counted: &[(Value, u64)], limit: usize) -> Vec<(&Value, u64)> {
    let mut queue = TieHeap::new(|one: &(&Value, u64), other: &(&Value, u64)| one.1.cmp(&other.1));
    // Rarer terms do not come in once the queue is full.
    let mut count_min = 0;
    for (term, count) in counted {
        if *count <= count_min {
            continue;
        }
        queue.push((term, *count));
        if queue.len() > limit {
            queue.pop();
            count_min = queue.peek().map_or(u64::MAX, |(_, count)| *count);
        }
    }
    queue.into_descending()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Orders recorded from Solr 9.10.1.
    #[test]
    fn ties_are_luke_s() {
        let check = |terms: &[(&str, u64)], limit: usize, expected: &[&str]| {
            let counted =
                terms.iter().map(|(term, count)| (Value::Str((*term).to_owned()), *count)).collect();
            let found = finish_top_terms(limit, ByValue::all(counted)).top;
            let found: Vec<_> = found.iter().filter_map(|(term, _)| term.as_str()).collect();
            assert_eq!(found, expected, "{limit}");
        };
        let authors = [
            ("Ash", 2),
            ("Ash Tree", 1),
            ("Birch", 2),
            ("Cedar", 1),
            ("Dogwood", 1),
            ("Elm", 1),
            ("O'Neil", 1),
            ("ash", 1),
            ("Élan", 1),
            ("Ölmann", 1),
            ("山田", 1),
        ];
        check(&authors, 5, &["Birch", "Ash", "Elm", "Dogwood", "Cedar"]);
        check(&authors, 0, &[]);
        let ids = ["b 13/x", "b1", "b10", "b11", "b12", "b14", "b2", "b3"].map(|id| (id, 1));
        check(&ids, 5, &["b1", "b10", "b11", "b12", "b14"]);
    }

    #[test]
    fn the_histogram_counts_terms_by_powers_of_two() {
        let counted = [1, 2, 3, 4, 5, 9].map(|count| (Value::Long(count), count as u64)).to_vec();
        assert_eq!(finish_top_terms(0, ByValue::all(counted)).histogram, [1, 1, 2, 1, 1]);
    }
}
