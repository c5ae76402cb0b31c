//! Who is next among updates that wait, so that each collection has its share of what is let in (self-clocked
//! fair queueing: Golestani 1994). A collection that sends much waits behind itself, and one that sends
//! little hardly waits; what one leaves, the others have.
//!
//! In: arrivals with their bytes; out: an order. When who is first may go is the bucket's affair (`mod.rs`).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use tokio::sync::Notify;

use crate::admission::objective::UpdateShare;

/// An update's place: when its collection would be served up to it, in a time that counts bytes for their
/// weight; then the order of arrival.
pub(super) type QueuePlace = (Tag, u64);

/// Never negative, so that its bits are in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tag(u64);

impl Tag {
    fn of(value: f64) -> Self {
        Self(value.max(0.0).to_bits())
    }

    fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

pub(super) struct FairQueue {
    weights: HashMap<String, f64>,
    /// Up to where it was served.
    served: f64,
    /// Where the last update of each collection ends.
    ends: HashMap<String, f64>,
    arrivals: u64,
    waiting: BTreeMap<QueuePlace, Waiter>,
}

struct Waiter {
    bytes: f64,
    wake: Arc<Notify>,
}

impl FairQueue {
    pub fn new(shares: &[UpdateShare]) -> Self {
        let weights = shares.iter().map(|share| (share.collection.clone(), share.weight)).collect();
        Self { weights, served: 0.0, ends: HashMap::new(), arrivals: 0, waiting: BTreeMap::new() }
    }

    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Bytes that would go before an update of the collection that came now.
    pub fn bytes_before(&self, collection: &str, bytes: f64) -> f64 {
        let place = (Tag::of(self.end(collection, bytes)), u64::MAX);
        self.waiting.range(..place).map(|(_, waiter)| waiter.bytes).sum()
    }

    /// Its place, and what wakes it when it is first.
    pub fn join(&mut self, collection: &str, bytes: f64) -> (QueuePlace, Arc<Notify>) {
        let end = self.end(collection, bytes);
        self.ends.insert(collection.to_owned(), end);
        self.arrivals += 1;
        let (place, wake) = ((Tag::of(end), self.arrivals), Arc::new(Notify::new()));
        self.waiting.insert(place, Waiter { bytes, wake: wake.clone() });
        (place, wake)
    }

    pub fn is_first(&self, place: QueuePlace) -> bool {
        self.waiting.first_key_value().is_some_and(|(first, _)| *first == place)
    }

    /// Takes it out, served or not, and wakes who is first then. Its bytes, where it was there.
    pub fn leave(&mut self, place: QueuePlace, is_served: bool) -> Option<f64> {
        let was_first = self.is_first(place);
        let waiter = self.waiting.remove(&place)?;
        if is_served {
            self.served = self.served.max(place.0.value());
        }
        if was_first && let Some((_, first)) = self.waiting.first_key_value() {
            first.wake.notify_one();
        }
        if self.waiting.is_empty() {
            // Nobody is owed anything.
            self.served = 0.0;
            self.ends.clear();
        }
        Some(waiter.bytes)
    }

    fn end(&self, collection: &str, bytes: f64) -> f64 {
        let weight = self.weights.get(collection).copied().unwrap_or(1.0);
        let begins = self.ends.get(collection).copied().unwrap_or(0.0).max(self.served);
        begins + bytes / weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In which order updates are served that all wait.
    fn served(shares: &[&str], arrivals: &[(&'static str, f64)]) -> String {
        let shares: Vec<UpdateShare> = shares.iter().map(|share| share.parse().unwrap()).collect();
        let mut queue = FairQueue::new(&shares);
        let mut names = BTreeMap::new();
        for (name, bytes) in arrivals {
            names.insert(queue.join(name, *bytes).0, *name);
        }
        let mut order = String::new();
        while let Some(place) = queue.waiting.first_key_value().map(|(place, _)| *place) {
            order += names[&place];
            assert!(queue.leave(place, true).is_some());
        }
        order
    }

    #[test]
    fn each_collection_has_its_share() {
        let many = [("a", 10.0), ("a", 10.0), ("a", 10.0), ("a", 10.0), ("b", 10.0), ("b", 10.0)];
        assert_eq!(served(&[], &many), "abab".to_owned() + "aa");
        assert_eq!(served(&["a=3"], &many), "aaabab");
        assert_eq!(served(&["a=0.1"], &many), "bbaaaa");
        // By bytes, not by updates.
        assert_eq!(served(&[], &[("a", 100.0), ("b", 30.0), ("b", 30.0), ("b", 30.0)]), "bbba");
    }

    #[test]
    fn who_waited_is_not_owed_what_was_before() {
        let mut queue = FairQueue::new(&[]);
        let first: Vec<QueuePlace> = (0..5).map(|_| queue.join("a", 10.0).0).collect();
        assert!(queue.leave(first[0], true).is_some() && queue.leave(first[1], true).is_some());
        // It begins where the others are, not at nothing.
        let (late, _) = queue.join("b", 15.0);
        assert_eq!(queue.bytes_before("b", 15.0), 45.0);
        assert!(queue.is_first(first[2]) && first[3] > late && first[2] < late);
        assert_eq!(queue.leave(first[2], false), Some(10.0));
        assert_eq!(queue.leave(first[2], false), None);
    }

    #[tokio::test]
    async fn who_comes_first_is_woken() {
        let mut queue = FairQueue::new(&[]);
        let (first, _) = queue.join("a", 10.0);
        let (second, wake) = queue.join("a", 10.0);
        queue.leave(first, false);
        wake.notified().await;
        assert!(queue.is_first(second) && queue.len() == 1);
    }
}
