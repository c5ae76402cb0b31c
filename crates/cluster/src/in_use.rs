//! A schema or a configuration as it is in use: its number, its value, and beside it what the layer above
//! makes of the value once (query analyzers, compiled patterns). `plan` has the values and no pocket for what
//! follows from them; the collection puts a whole new one in place when the value changes, so what was made
//! of the old value goes with it.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use plan::{CollectionConfig, Schema};

use crate::documents::Versioned;

/// `version` is what a change has to name: the schema's own number, or that of the configuration's document.
pub struct InUse<T> {
    pub version: u64,
    pub value: Arc<T>,
    // `cluster` cannot name the types: they are `solr`'s, which stands beside it.
    derived: OnceLock<Arc<dyn Any + Send + Sync>>,
}

pub type VersionedSchema = InUse<Schema>;
pub type VersionedConfig = InUse<CollectionConfig>;

impl<T> InUse<T> {
    pub(crate) fn new(version: u64, value: Arc<T>) -> Self {
        Self { version, value, derived: OnceLock::new() }
    }

    /// What the layer above makes of the value, made once and kept as long as it. There is one such thing for
    /// each value: a call with another type makes its own anew.
    pub fn derived<D: Any + Send + Sync>(&self, make: impl Fn(&T) -> Arc<D>) -> Arc<D> {
        let kept = self.derived.get_or_init(|| make(&self.value)).clone();
        kept.downcast().unwrap_or_else(|_| make(&self.value))
    }
}

impl<T> From<Versioned<T>> for InUse<T> {
    fn from(saved: Versioned<T>) -> Self {
        let Versioned { version, value } = saved;
        Self::new(version, Arc::new(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn what_is_derived_is_made_once_for_each_value() {
        let made = Cell::new(0);
        let length = |text: &String| {
            made.set(made.get() + 1);
            Arc::new(text.len())
        };
        let present = InUse::new(1, Arc::new("abc".to_owned()));
        assert_eq!((*present.derived(length), *present.derived(length), made.get()), (3, 3, 1));
        let next = InUse::new(2, Arc::new("abcd".to_owned()));
        assert_eq!((*next.derived(length), made.get()), (4, 2));
        // Another type never gets the first one's thing.
        assert_eq!(*present.derived(|text| Arc::new(text.clone())), "abc");
    }
}
