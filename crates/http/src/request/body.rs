//! A request's body as it arrives: within the bounds of size and patience, and of the room that all bodies
//! share. Who needs all of it waits for its end; an update takes it piece by piece (`handlers/update.rs`).
//!
//! In: hyper's body and how it is packed, or a file of a multipart body, and its encoding; out: unpacked
//! bytes of UTF-8, one buffer where the body came as one. What is held counts against `admission`'s room
//! until it is taken or the call ends. What the bytes mean is not looked at.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf as _, Bytes, BytesMut};
use coding::Unpacker;
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use hyper::{HeaderMap, Request};
use plan::{Error, ErrorKind, Result};
use solr::update::BodyEncoding;
use tokio::time::Instant;

use crate::admission::Room;
use crate::config::ServeConfig;
use crate::request::unpack::{malformed, unpacker};
use crate::server::Server;

/// Room made before anything has come: what a client announces costs it nothing.
const ROOM_BYTES_MAX: u64 = 1 << 20;

/// A client that sends nothing for this long is taken to make a pause: what has come is not kept waiting.
const PAUSE: Duration = Duration::from_millis(10);

pub(crate) struct Upload {
    server: Arc<Server>,
    body: Source,
    unpacker: Unpacker,
    /// How text becomes UTF-8, where it is not.
    encoding: Option<BodyEncoding>,
    room: Room,
    /// Arrived, and not unpacked.
    packed: Bytes,
    /// Unpacked, and not taken.
    held: Held,
    /// When what is held began to arrive, and the bytes that have since.
    since: (Instant, usize),
    has_ended: bool,
}

/// Where the bytes of a body come from.
enum Source {
    Wire(Incoming),
    /// A file that arrived with others, in the parts that it came in.
    Kept(VecDeque<Bytes>),
}

/// Most bodies arrive as a whole, which need not be copied.
enum Held {
    One(Bytes),
    Several(BytesMut),
}

/// How far a body has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filled {
    /// To its end.
    All,
    /// As far as was asked for, or until the client paused.
    Part,
}

impl Upload {
    /// The headers say how it is packed; `bytes_max` bounds it, or what is held of it. Errors:
    /// `UnsupportedMedia`.
    pub fn new(server: &Arc<Server>, request: Request<Incoming>, bytes_max: usize) -> Result<Self> {
        let unpacker = unpacker(request.headers())?;
        Ok(Self::of(server, Source::Wire(request.into_body()), unpacker, bytes_max))
    }

    /// A file of a multipart body, which is at hand and within its bounds. What is held of it at a time
    /// counts once more: the parts it came in are let go one by one.
    pub fn of_file(server: &Arc<Server>, parts: VecDeque<Bytes>) -> Result<Self> {
        let unpacker = unpacker(&HeaderMap::new())?;
        Ok(Self::of(server, Source::Kept(parts), unpacker, server.config.body_bytes_max))
    }

    fn of(server: &Arc<Server>, body: Source, unpacker: Unpacker, bytes_max: usize) -> Self {
        Self {
            server: server.clone(),
            body,
            unpacker,
            encoding: None,
            room: server.admission.room(bytes_max),
            packed: Bytes::new(),
            held: Held::One(Bytes::new()),
            since: (Instant::now(), 0),
            has_ended: false,
        }
    }

    /// Makes UTF-8 of what arrives from now on. Before the first byte, or a character may be cut in two.
    pub fn read_as(&mut self, encoding: BodyEncoding) {
        self.encoding = Some(encoding).filter(|encoding| !encoding.is_plain(&[], false));
    }

    /// Takes off all that has come, without a copy where it came as one part.
    pub fn take_all(&mut self) -> Bytes {
        let bytes = match &mut self.held {
            Held::One(bytes) => std::mem::take(bytes),
            Held::Several(bytes) => std::mem::take(bytes).freeze(),
        };
        self.held = Held::One(Bytes::new());
        // To give back cannot fail.
        let _ = self.room.resize(0);
        self.since = (Instant::now(), 0);
        bytes
    }

    /// What has come and was not taken.
    pub fn bytes(&self) -> &[u8] {
        match &self.held {
            Held::One(bytes) => bytes,
            Held::Several(bytes) => bytes,
        }
    }

    /// Takes off the first bytes: something came of them, so that the client has its time anew for what
    /// follows.
    pub fn take(&mut self, count: usize) {
        let count = count.min(self.bytes().len());
        if count == 0 {
            return;
        }
        match &mut self.held {
            Held::One(bytes) => bytes.advance(count),
            // What is left is a part of a command: it need not keep room for all that was.
            Held::Several(bytes) => *bytes = BytesMut::from(bytes.get(count..).unwrap_or_default()),
        }
        if self.bytes().is_empty() {
            self.held = Held::One(Bytes::new());
        }
        // To give back cannot fail.
        let _ = self.room.resize(self.bytes().len());
        self.since = (Instant::now(), 0);
    }

    /// Waits for the whole body, which takes up the room. Errors: as [`Upload::fill`].
    pub async fn whole(mut self) -> Result<(Bytes, Room)> {
        self.room.fits(self.body.bytes_announced())?;
        while self.fill(usize::MAX, false).await? == Filled::Part {}
        let bytes = match self.held {
            Held::One(bytes) => bytes,
            Held::Several(bytes) => bytes.freeze(),
        };
        Ok((bytes, self.room))
    }

    /// Waits until this many bytes are held, the body ends or, with `until_pause`, more has come and the
    /// client pauses. Errors: `TooLarge`, `Busy`, `Unavailable` for a client that stalls, `BadRequest` for
    /// one that breaks off or packs wrongly.
    pub async fn fill(&mut self, bytes: usize, until_pause: bool) -> Result<Filled> {
        let before = self.bytes().len();
        loop {
            let all = self.unpack(bytes)?;
            if all && self.has_ended {
                return Ok(Filled::All);
            }
            if self.bytes().len() >= bytes {
                return Ok(Filled::Part);
            }
            let has_more = self.bytes().len() > before;
            match self.arrive(until_pause && has_more).await? {
                Some(arrived) => self.packed = arrived,
                None if self.has_ended => {}
                None => return Ok(Filled::Part),
            }
        }
    }

    /// Unpacks what has arrived until this many bytes are held; whether all is.
    fn unpack(&mut self, bytes: usize) -> Result<bool> {
        if self.unpacker.is_plain() && !self.packed.is_empty() {
            // Decided by the first bytes: nearly all bodies turn out to be UTF-8, and are not copied then.
            self.encoding.take_if(|encoding| encoding.is_plain(&self.packed, self.has_ended));
        }
        if self.unpacker.is_plain() && self.bytes().is_empty() && self.encoding.is_none() {
            self.held = Held::One(std::mem::take(&mut self.packed));
            self.room.resize(self.bytes().len())?;
            return Ok(true);
        }
        if self.unpacker.is_plain() {
            return self.unpack_parts(bytes);
        }
        cluster::compute(|| self.unpack_parts(bytes))
    }

    fn unpack_parts(&mut self, bytes: usize) -> Result<bool> {
        if self.packed.is_empty() && !self.has_ended {
            return Ok(true);
        }
        let spare = self.body.bytes_announced().min(ROOM_BYTES_MAX) as usize;
        let mut held = match std::mem::replace(&mut self.held, Held::One(Bytes::new())) {
            Held::Several(held) => held,
            Held::One(one) => {
                let mut held = BytesMut::with_capacity(one.len() + self.packed.len() + spare);
                held.extend_from_slice(&one);
                held
            }
        };
        let mut more = true;
        while more && held.len() < bytes {
            more = self.step(&mut held)?;
            self.room.resize(held.len())?;
        }
        self.held = Held::Several(held);
        Ok(!more)
    }

    /// Unpacks a first part of what has arrived, and makes UTF-8 of it; whether there may be more.
    fn step(&mut self, held: &mut BytesMut) -> Result<bool> {
        let Some(encoding) = &mut self.encoding else {
            let stepped = self.unpacker.step(&mut self.packed, self.has_ended, held);
            return stepped.map_err(|reason| malformed(&reason));
        };
        let (mut unpacked, mut text) = (BytesMut::new(), Vec::new());
        let stepped = self.unpacker.step(&mut self.packed, self.has_ended, &mut unpacked);
        let more = stepped.map_err(|reason| malformed(&reason))?;
        encoding.step(&unpacked, self.has_ended && !more, &mut text)?;
        held.extend_from_slice(&text);
        Ok(more)
    }

    /// The next part of the body; `None` at its end, and, with `may_pause`, when the client pauses.
    async fn arrive(&mut self, may_pause: bool) -> Result<Option<Bytes>> {
        let body = match &mut self.body {
            Source::Wire(body) => body,
            Source::Kept(parts) => {
                let part = parts.pop_front();
                self.has_ended = parts.is_empty();
                return Ok(part);
            }
        };
        let (started, bytes) = self.since;
        let late = deadline(&self.server.config, started, Instant::now(), bytes);
        loop {
            let pause = Instant::now() + PAUSE;
            let until = if may_pause { late.min(pause) } else { late };
            let Ok(frame) = tokio::time::timeout_at(until, body.frame()).await else {
                if until < late {
                    return Ok(None);
                }
                let message = "the request's body stopped arriving; send it again";
                return Err(Error::new(ErrorKind::Unavailable, message));
            };
            match frame {
                None => self.has_ended = true,
                Some(Err(failure)) => {
                    return Err(Error::bad_request("the request's body broke off").with_source(failure));
                }
                Some(Ok(frame)) => {
                    self.has_ended = body.is_end_stream();
                    // Trailers carry nothing for us.
                    if let Ok(data) = frame.into_data() {
                        self.since.1 += data.len();
                        return Ok(Some(data));
                    }
                }
            }
            if self.has_ended {
                return Ok(None);
            }
        }
    }

    /// Reads on after an answer that did not need all of the body, within the bounds of any body: a client
    /// reads its answer once it has sent its request.
    pub async fn drain(mut self) {
        let mut bytes = self.bytes().len();
        while !self.has_ended && bytes <= self.server.config.body_bytes_max {
            match self.arrive(false).await {
                Ok(arrived) => bytes += arrived.map_or(0, |arrived| arrived.len()),
                Err(_) => return,
            }
        }
    }
}

impl Source {
    /// How many bytes are sure to come.
    fn bytes_announced(&self) -> u64 {
        match self {
            Source::Wire(body) => body.size_hint().lower(),
            Source::Kept(parts) => parts.iter().map(|part| part.len() as u64).sum(),
        }
    }
}

/// When the next part must be there: soon, and soon enough for the whole to keep the least rate.
fn deadline(config: &ServeConfig, started: Instant, now: Instant, bytes: usize) -> Instant {
    let earned = Duration::from_secs(bytes as u64 / config.body_rate_min.max(1));
    let (idle, whole) = (now + config.body_idle_timeout, started + config.body_idle_timeout);
    whole.checked_add(earned).map_or(idle, |whole| idle.min(whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configsets::Configsets;

    #[test]
    fn a_body_must_keep_its_rate() {
        let config = ServeConfig {
            body_idle_timeout: Duration::from_secs(60),
            body_rate_min: 1000,
            ..ServeConfig::new(Configsets::default(), Arc::new(String::new))
        };
        let started = Instant::now();
        let check = |elapsed_s: u64, bytes: usize, expected_s: u64| {
            let found = deadline(&config, started, started + Duration::from_secs(elapsed_s), bytes);
            assert_eq!((found - started).as_secs(), expected_s, "{elapsed_s} {bytes}");
        };
        check(0, 0, 60);
        // A drip is over when the first minute is.
        check(50, 10, 60);
        // What came fast earns time, and each part must come soon all the same.
        check(10, 20_000, 70);
        check(50, 100_000, 110);
        check(50, 20_000, 80);
    }
}
