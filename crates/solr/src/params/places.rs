//! Where each name stands among many parameters, so that ten thousand of them are not looked through for each
//! of the names of parameters that a query's parts may have of their own. Kept by `pairs.rs` only above some
//! tens of parameters: for the usual dozen, looking through them is as quick as hashing their names.

use std::collections::HashMap;

/// Fewer are looked through as quickly.
const MANY: usize = 64;

/// Kept from this many pairs on; empty before.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Places(HashMap<String, Vec<usize>>);

impl Places {
    pub fn of(pairs: &[(String, String)]) -> Self {
        let mut places = Self::default();
        if pairs.len() >= MANY {
            pairs.iter().enumerate().for_each(|(at, (name, _))| places.put(name, at));
        }
        places
    }

    /// After the last of `pairs` came to the others.
    pub fn grow(&mut self, pairs: &[(String, String)]) {
        match (self.are_kept(), pairs.len().checked_sub(1)) {
            (true, Some(at)) => pairs.iter().skip(at).for_each(|(name, _)| self.put(name, at)),
            _ => *self = Self::of(pairs),
        }
    }

    pub fn are_kept(&self) -> bool {
        !self.0.is_empty()
    }

    pub fn find(&self, name: &str) -> &[usize] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    fn put(&mut self, name: &str, at: usize) {
        match self.0.get_mut(name) {
            Some(found) => found.push(at),
            None => drop(self.0.insert(name.to_owned(), vec![at])),
        }
    }
}
