//! Where clients read what there is without asking a node. What they are to read is
//! `handlers/collections/view`'s, who waits for it `handlers/shown`'s; the binary brings who writes it.

use std::future::Future;
use std::pin::Pin;

use plan::Result;

/// Where clients that ask no node read which collections there are, as in SolrCloud's ZooKeeper.
pub trait PublicView: Send + Sync {
    /// Errors: `Unavailable` where a change would not be shown at present, as far as is known.
    fn check(&self) -> Result<()>;

    /// Waits until what there is now is shown, for a bounded time. Errors: `Unavailable` with the reason why
    /// it is not.
    fn published(&self) -> Pin<Box<dyn Future<Output = Result<()>> + Send + '_>>;
}
