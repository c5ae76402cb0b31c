//! The clients that applications use, one for each way to know one's servers; all stand on one transport.
//! Each is named after SolrJ's role and promises the same; none has a pool, a retry or a balance of its own.

mod balanced;
mod cloud;
mod single;
mod updates;

pub use balanced::BalancedClient;
pub use cloud::{CloudClient, Target};
pub use single::SolrClient;
pub use updates::{FailedBatch, UpdateOptions, UpdateStream, UpdateTotals};

/// Parameters of a request; names may repeat.
pub type Pairs<'a> = &'a [(&'a str, &'a str)];
