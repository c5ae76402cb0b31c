//! How a client behaves; every field has a default that suits most.
//!
//! Given once when a client is made, to all that it is made of; nothing is read from the environment. What
//! concerns a single request (its time, its preferences) is set in the request.

use std::sync::Arc;
use std::time::Duration;

use coding::Coding;

use crate::balance::Preference;
use crate::resolve::{Resolve, SystemResolver};
use crate::tls::Tls;

/// All of it.
///
/// ```
/// use client::{ClientOptions, Protocol};
/// use std::time::Duration;
///
/// let options = ClientOptions {
///     timeout: Duration::from_secs(2),
///     protocol: Protocol::Http2,
///     ..ClientOptions::default()
/// };
/// ```
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Bounds every request, whatever the request says itself.
    pub timeout: Duration,
    pub protocol: Protocol,
    pub tls: Tls,
    /// Names are looked up for every new connection.
    pub resolver: Arc<dyn Resolve>,
    pub pool: PoolOptions,
    pub retry: RetryOptions,
    /// `None`: requests are never hedged.
    pub hedge: Option<Hedge>,
    pub compression: CompressionOptions,
    pub ejection: EjectionOptions,
    /// Which servers come first, the most important rule first. Servers that none matches are used when the
    /// others fail.
    pub preferences: Vec<Preference>,
    /// Longer answers are errors; counted after unpacking.
    pub response_bytes_max: usize,
    /// A header that tells the server how many milliseconds are left, such as `x-deadline-ms`.
    pub deadline_header: Option<&'static str>,
    /// Decides ties and jitter.
    pub seed: u64,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            protocol: Protocol::Auto,
            tls: Tls::default(),
            resolver: Arc::new(SystemResolver),
            pool: PoolOptions::default(),
            retry: RetryOptions::default(),
            hedge: None,
            compression: CompressionOptions::default(),
            ejection: EjectionOptions::default(),
            preferences: Vec::new(),
            response_bytes_max: 1 << 30,
            deadline_header: None,
            seed: 0,
        }
    }
}

/// As good as never; and a point in time that is so far away can still be computed.
const NEVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);

impl ClientOptions {
    /// With `Duration::MAX` and the like as what they mean.
    pub(crate) fn bounded(mut self) -> Self {
        let Self { timeout, pool, retry, ejection, .. } = &mut self;
        let PoolOptions { idle_max, age_max, connect_max, .. } = pool;
        let EjectionOptions { period, period_max, reentry, .. } = ejection;
        let all = [timeout, idle_max, age_max, connect_max, &mut retry.backoff, period, period_max, reentry];
        all.into_iter().for_each(|duration| *duration = (*duration).min(NEVER));
        self
    }
}

/// Which HTTP is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1 at `http://`; at `https://` what the server prefers of HTTP/2 and HTTP/1.1.
    Auto,
    Http1,
    /// At `http://` by prior knowledge.
    Http2,
}

impl Protocol {
    /// What is offered when TLS is agreed on, best first.
    pub(crate) fn alpn_names(self) -> &'static [&'static [u8]] {
        match self {
            Protocol::Auto => &[b"h2", b"http/1.1"],
            Protocol::Http1 => &[b"http/1.1"],
            Protocol::Http2 => &[b"h2"],
        }
    }
}

/// Connections to one server.
#[derive(Clone, Copy, Debug)]
pub struct PoolOptions {
    /// An idle connection is closed after this. Must be below the server's own limit (Solr's Jetty: 50 s or
    /// 120 s by version, this project's server: 120 s), so that a request never meets a server that is just
    /// closing. A limit that the server tells in `Keep-Alive: timeout=` is heeded where it is lower.
    pub idle_max: Duration,
    /// A connection is not used again after this, so that changes of DNS are followed.
    pub age_max: Duration,
    pub connect_max: Duration,
    /// Requests at one server at once; on HTTP/1.1 connections too. More wait.
    pub under_way_max: usize,
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self {
            idle_max: Duration::from_secs(15),
            age_max: Duration::from_secs(300),
            connect_max: Duration::from_secs(5),
            under_way_max: 256,
        }
    }
}

/// When a request is sent again.
#[derive(Clone, Copy, Debug)]
pub struct RetryOptions {
    /// Attempts of one request, the first included.
    pub attempts_max: u32,
    /// Retries and hedges may be this share of requests, so that a server in trouble does not get more of it.
    pub budget_share: f64,
    /// Besides, this many are saved up, for clients that ask seldom.
    pub budget_reserve: u32,
    /// The wait before the same server is asked again; doubled each time, with jitter. Another server is
    /// asked at once.
    pub backoff: Duration,
}

impl Default for RetryOptions {
    fn default() -> Self {
        Self { attempts_max: 3, budget_share: 0.1, budget_reserve: 10, backoff: Duration::from_millis(50) }
    }
}

/// When a second server is asked the same, and the first answer counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hedge {
    After(Duration),
    /// Once the first took longer than this share of recent requests, such as 0.95; at least a millisecond.
    Quantile(f64),
}

/// Packing of bodies.
#[derive(Clone, Copy, Debug)]
pub struct CompressionOptions {
    /// Whether packed answers are asked for (gzip, zstd, brotli).
    pub responses: bool,
    /// How bodies of at least `request_bytes_min` are sent.
    pub requests: RequestCoding,
    pub request_bytes_min: usize,
    /// Whether servers on this machine get and send packed bodies too: there it costs processor time and
    /// saves nothing.
    pub on_loopback: bool,
}

impl Default for CompressionOptions {
    fn default() -> Self {
        let requests = RequestCoding::Negotiated;
        Self { responses: true, requests, request_bytes_min: 1024, on_loopback: false }
    }
}

/// How a request's body is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestCoding {
    Never,
    /// As the server has said in an answer that it may be (`Accept-Encoding`, RFC 7694), as this project's
    /// does; Solr's Jetty does not take packed requests, and says nothing.
    Negotiated,
    /// From the first request on, for servers that are known to take it. One that answers 415 gets it once
    /// more as it is, and no packed ones any more.
    Always(Coding),
}

/// When a server is left out, and how it comes back.
#[derive(Clone, Copy, Debug)]
pub struct EjectionOptions {
    /// This many failures in a row; one is enough where nothing accepts connections.
    pub failures: u32,
    /// For how long at first; doubled each time it fails again, up to `period_max`.
    pub period: Duration,
    pub period_max: Duration,
    /// It then gets a tenth of its share, growing to all of it over this time.
    pub reentry: Duration,
}

impl Default for EjectionOptions {
    fn default() -> Self {
        Self {
            failures: 3,
            period: Duration::from_secs(1),
            period_max: Duration::from_secs(60),
            reentry: Duration::from_secs(10),
        }
    }
}
