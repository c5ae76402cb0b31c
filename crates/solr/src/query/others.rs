//! Other collections whose documents a query may ask for (`fromIndex` of `{!join}`): their schemas, by which
//! such a query is parsed, and whether any was asked for, since an answer that reads them cannot be kept for
//! longer than a moment.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use analysis::SchemaAnalyzers;
use plan::{Result, Schema};

/// What a query needs to know of another collection.
pub struct OtherSchema {
    /// The name of the collection itself, whichever it was asked for by.
    pub name: Arc<str>,
    /// Whether it has several shards.
    pub is_sharded: bool,
    pub schema: Arc<Schema>,
    pub analyzers: Arc<SchemaAnalyzers>,
}

type Find<'a> = dyn Fn(&str) -> Result<Option<OtherSchema>> + Send + Sync + 'a;

/// The collections beside the one that is asked, that one among them.
pub struct Others<'a> {
    find: Box<Find<'a>>,
    asked: AtomicBool,
}

impl<'a> Others<'a> {
    pub fn new(find: impl Fn(&str) -> Result<Option<OtherSchema>> + Send + Sync + 'a) -> Self {
        Self { find: Box::new(find), asked: AtomicBool::new(false) }
    }

    /// Errors: it is there, and cannot be asked at the moment.
    pub(crate) fn find(&self, name: &str) -> Result<Option<OtherSchema>> {
        // Relaxed: nothing else is read on the strength of this flag.
        self.asked.store(true, Ordering::Relaxed);
        (self.find)(name)
    }

    /// Whether a query asked for another collection.
    pub(crate) fn were_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Others<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Others").field("asked", &self.asked).finish_non_exhaustive()
    }
}
