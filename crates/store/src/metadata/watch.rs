//! Who wants to hear of changes, for homes whose changes all pass through this process. A hint says that
//! something below a folder may have changed, not what: whoever is told reads again, so that a hint too many
//! does no harm.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What is called when something may have changed.
pub type Hint = Arc<dyn Fn() + Send + Sync>;

/// Hints come until it is dropped.
pub struct Watch {
    _end: Box<dyn Send + Sync>,
}

impl Watch {
    /// `end` is dropped with the watch and ends it.
    pub fn new(end: impl Send + Sync + 'static) -> Self {
        Self { _end: Box::new(end) }
    }
}

/// The watches of one home.
#[derive(Default)]
pub(crate) struct Watchers {
    inner: Arc<Mutex<Registered>>,
}

#[derive(Default)]
struct Registered {
    next: u64,
    hints: BTreeMap<u64, (String, Hint)>,
}

/// Ends its watch when it is dropped.
struct Registration {
    inner: Arc<Mutex<Registered>>,
    number: u64,
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).hints.remove(&self.number);
    }
}

impl Watchers {
    pub fn add(&self, folder: &str, hint: Hint) -> Watch {
        let mut registered = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let number = registered.next;
        registered.next += 1;
        registered.hints.insert(number, (folder.to_owned(), hint));
        Watch::new(Registration { inner: self.inner.clone(), number })
    }

    /// After a document changed. Hints are called without the lock: one may drop its own watch, or begin
    /// another.
    pub fn tell(&self, name: &str) {
        let registered = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let concerned = registered.hints.values().filter(|(folder, _)| is_below(name, folder));
        let hints: Vec<Hint> = concerned.map(|(_, hint)| hint.clone()).collect();
        drop(registered);
        hints.iter().for_each(|hint| hint());
    }
}

fn is_below(name: &str, folder: &str) -> bool {
    folder.is_empty() || name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
