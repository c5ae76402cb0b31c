//! Content codings of HTTP (RFC 9110, 8.4): how bodies are packed and unpacked, and how two sides agree on a
//! coding. Shared by the server and the client, which are each other's test.
//!
//! It knows neither requests nor sockets: in are bytes and the texts of headers, out are bytes. Whether
//! packing pays for a peer, and how much of a body may be held, is the caller's.

mod negotiate;
mod pack;
mod unpack;

pub use negotiate::{accepted, first_known, negotiate};
pub use pack::{Effort, pack};
pub use unpack::{Malformed, Unpacker};

/// A way to pack a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coding {
    Gzip,
    Brotli,
    Zstd,
}

impl Coding {
    /// The one that costs least for what it saves first: who says nothing else gets it.
    pub const ALL: [Coding; 3] = [Coding::Zstd, Coding::Brotli, Coding::Gzip];

    /// As headers call it.
    pub const fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Brotli => "br",
            Coding::Zstd => "zstd",
        }
    }

    /// By its name, whatever the case; `x-gzip` is gzip.
    pub fn named(name: &str) -> Option<Self> {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if is("x-gzip") {
            return Some(Coding::Gzip);
        }
        Self::ALL.into_iter().find(|coding| is(coding.name()))
    }
}
