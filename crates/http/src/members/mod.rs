//! Requests that another member of the cluster serves. Who serves what is `cluster`'s, when a request is sent
//! on is decided here in `http`; the binary brings what sends it, by the same client that others use.

mod alive;
mod carrier;
mod key;

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use plan::Result;

pub(crate) use alive::{while_alive, while_answering};
pub(crate) use carrier::{CONTENT_TYPE, MemberCarrier, SHARDS_PATH};
pub(crate) use key::MemberKey;

/// Of the member that sent a request on; whoever gets it does not send it further.
pub const FORWARDED_BY: &str = "parhelion-forwarded-by";

/// A request for another member.
#[derive(Clone, Debug)]
pub struct Forwarded {
    /// The member's, without a path.
    pub url: String,
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Those of one connection are not among them.
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Option<Bytes>,
    /// It only reads, so that it may be sent again.
    pub is_safe: bool,
}

#[derive(Clone, Debug, Default)]
pub struct ForwardedAnswer {
    pub status: u16,
    pub content_type: String,
    /// 0 where it does not say.
    pub retry_after_s: u64,
    pub body: Bytes,
}

/// Sends requests to other members.
pub trait Forward: Send + Sync {
    /// An answer of any status. Errors: `Unavailable` where the member cannot be reached, `Unknown` where it
    /// may have done what was asked.
    fn forward(
        &self,
        request: Forwarded,
    ) -> Pin<Box<dyn Future<Output = Result<ForwardedAnswer>> + Send + '_>>;
}
