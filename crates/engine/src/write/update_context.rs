//! What goes beside a batch of updates and is no data: its trace, and the steps that edited documents pass.
//! The steps are code of the layers above, which know update chains; here is only what the shard asks of
//! them.

use std::sync::Arc;

use meter::Trace;
use plan::{Document, Result};

/// What an update brings along besides its operations; the default is nothing.
#[derive(Clone, Default)]
pub struct UpdateContext {
    /// Who works on the batch tells this where the time goes.
    pub trace: Trace,
    /// What is done to documents that edits have made, before they are indexed.
    pub edit_steps: Option<Arc<dyn EditSteps>>,
}

/// Steps of an update chain that come behind the shard: they see documents whole, once edits have been
/// merged.
pub trait EditSteps: Send + Sync {
    /// The document to index instead. Errors are those of the one operation.
    fn take(&self, id: &str, document: Document) -> Result<Document>;
}
