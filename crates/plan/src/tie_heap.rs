//! A binary heap that moves its elements just as Java's `PriorityQueue` and Lucene's do. Where elements
//! compare equal, which of them leaves first is decided by those moves, and answers must not differ there. It
//! is for the places where Solr's answer shows that order: listed terms, groups, terms of more-like-this,
//! collations. Elsewhere the standard heap serves.

use std::cmp::Ordering;

/// The least element by `order` leaves first.
pub struct TieHeap<T, F> {
    elements: Vec<T>,
    order: F,
}

impl<T, F: Fn(&T, &T) -> Ordering> TieHeap<T, F> {
    pub fn new(order: F) -> Self {
        Self { elements: Vec::new(), order }
    }

    pub fn len(&self) -> usize {
        self.elements.len()
    }

    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The least element.
    pub fn peek(&self) -> Option<&T> {
        self.elements.first()
    }

    pub fn push(&mut self, element: T) {
        self.elements.push(element);
        let mut at = self.elements.len() - 1;
        while at > 0 && self.is_less(at, (at - 1) / 2) {
            self.elements.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    /// Takes the least element out.
    pub fn pop(&mut self) -> Option<T> {
        if self.elements.is_empty() {
            return None;
        }
        let least = self.elements.swap_remove(0);
        self.sink();
        Some(least)
    }

    /// Puts an element in the place of the least.
    pub fn replace_least(&mut self, element: T) {
        if let Some(least) = self.elements.first_mut() {
            *least = element;
            self.sink();
        }
    }

    /// Moves the root down to where it belongs.
    fn sink(&mut self) {
        let mut at = 0;
        while 2 * at + 1 < self.elements.len() {
            let mut below = 2 * at + 1;
            if below + 1 < self.elements.len() && self.is_less(below + 1, below) {
                below += 1;
            }
            if !self.is_less(below, at) {
                break;
            }
            self.elements.swap(at, below);
            at = below;
        }
    }

    /// All elements, greatest first.
    pub fn into_descending(mut self) -> Vec<T> {
        let mut sorted = Vec::with_capacity(self.elements.len());
        while let Some(least) = self.pop() {
            sorted.push(least);
        }
        sorted.reverse();
        sorted
    }

    fn is_less(&self, one: usize, other: usize) -> bool {
        match (self.elements.get(one), self.elements.get(other)) {
            (Some(one), Some(other)) => (self.order)(one, other).is_lt(),
            _ => false,
        }
    }
}
