//! A TCP proxy that does to a connection what networks do: delay, jitter, loss, narrow bandwidth, one-way
//! cuts; for each direction by itself, by a script or changed while connections are open. For tests and
//! experiments on machines whose kernel has no `netem`.
//!
//! It sits above TCP, so that faults appear as they do to applications: bytes are late or stop, connections
//! are reset. They are never lost from the middle of a stream, swapped, or changed. All randomness follows
//! from a seed; all waiting is by tokio's clock, which tests pause.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use faultproxy::{Direction, FaultProxy};
//!
//! let proxy = FaultProxy::start("127.0.0.1:0".parse().unwrap(), "127.0.0.1:8983", 42).await?;
//! // Connect to `proxy.address()` instead of port 8983. Later, while connections are open:
//! proxy.set(Direction::ToClient, "delay=20ms jitter=5ms rate=12m".parse().unwrap());
//! proxy.set(Direction::ToServer, "cut".parse().unwrap());
//! # Ok::<(), std::io::Error>(()) }).unwrap();
//! ```

mod faults;
mod link;
mod proxy;
mod pump;
mod script;

pub use faults::{Direction, FaultError, Faults};
pub use proxy::{FaultProxy, Traffic};
pub use script::{Command, Script};
