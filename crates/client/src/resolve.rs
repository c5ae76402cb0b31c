//! How names become addresses: by the system, or as whoever makes a client says. Asked for every new
//! connection; nothing is remembered here.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;

/// How names become addresses; tests and unusual networks bring their own.
pub trait Resolve: std::fmt::Debug + Send + Sync {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolving<'a>;
}

/// Addresses in the order in which they are to be tried.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'a>>;

/// The system's.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolving<'a> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}
