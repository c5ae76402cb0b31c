//! Files on a disk become documents in a collection, once: walk, read, describe, batch, send. The command
//! line's `post` and `demo` are thin over this. It knows Solr's update API and nothing of the server's
//! inside.

mod batch;
mod crates;
mod language;
mod payload;
mod sender;
mod source;
mod walk;

pub use batch::{Batch, Batcher};
pub use crates::{CrateInfo, Registry};
pub use language::language_of;
pub use payload::{Format, Payload};
pub use sender::{Progress, Sender, Totals};
pub use source::{SkipReason, SourceFile, read_source};
pub use walk::{Walked, files_below};
