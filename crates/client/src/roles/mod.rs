//! The clients that applications use, one for each way to know one's servers; all stand on one transport.

mod balanced;
mod single;

pub use balanced::BalancedClient;
pub use single::SolrClient;

/// Parameters of a request; names may repeat.
pub type Pairs<'a> = &'a [(&'a str, &'a str)];
