//! The body of an answer as it comes: frames of its connection, unpacked. Holds the connection until the last
//! byte, then gives it back; dropped before, it closes the connection, or on HTTP/2 the stream.
//!
//! In: a leased connection behind the answer's head; out: pieces, in order, or why there is no more. How long
//! to wait for a piece, and how many to take, is the reader's.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use coding::Unpacker;
use http_body_util::BodyExt as _;
use hyper::HeaderMap;
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_ENCODING, HeaderName, HeaderValue};

use crate::balance::UnderWay;
use crate::error::Error;
use crate::metrics::Metrics;
use crate::pool::Lease;

pub(crate) struct AnswerBody {
    incoming: Incoming,
    /// Gone with the last byte.
    lease: Option<Lease>,
    keep_alive: Option<HeaderValue>,
    unpacker: Unpacker,
    /// Of the last frame, what is not unpacked yet.
    packed: Bytes,
    has_more_inside: bool,
    under_way: UnderWay,
    metrics: Arc<Metrics>,
}

impl AnswerBody {
    /// Errors: it is packed in a way that was not asked for.
    pub fn new(
        incoming: Incoming,
        headers: &HeaderMap,
        lease: Lease,
        under_way: UnderWay,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, Error> {
        let coding = text(headers, CONTENT_ENCODING);
        let unknown = || Error::Broken {
            url: under_way.server().endpoint.url.to_string(),
            reason: format!("it is packed as `{coding}`, which was not asked for"),
        };
        Ok(Self {
            unpacker: Unpacker::of(coding).ok_or_else(unknown)?,
            incoming,
            lease: Some(lease),
            keep_alive: headers.get("keep-alive").cloned(),
            packed: Bytes::new(),
            has_more_inside: false,
            metrics: metrics.clone(),
            under_way,
        })
    }

    pub fn under_way(&self) -> &UnderWay {
        &self.under_way
    }

    /// Whether all of it has been given out.
    pub fn is_over(&self) -> bool {
        self.lease.is_none() && self.packed.is_empty() && !self.has_more_inside
    }

    /// The next bytes, at least one; `None` at the end. Errors: the connection broke, or what came is not
    /// packed as it says; nothing follows then.
    pub async fn piece(&mut self) -> Result<Option<Bytes>, Error> {
        loop {
            if let Some(piece) = self.unpacked()? {
                self.metrics.response_bytes.add(piece.len());
                return Ok(Some(piece));
            }
            if self.lease.is_none() {
                return Ok(None);
            }
            self.receive().await?;
        }
    }

    /// Of what has come, the next bytes.
    fn unpacked(&mut self) -> Result<Option<Bytes>, Error> {
        if self.unpacker.is_plain() {
            let piece = std::mem::take(&mut self.packed);
            self.has_more_inside = false;
            return Ok((!piece.is_empty()).then_some(piece));
        }
        let (is_last, mut out) = (self.lease.is_none(), BytesMut::new());
        while self.has_more_inside && out.is_empty() {
            let stepped = self.unpacker.step(&mut self.packed, is_last, &mut out);
            self.has_more_inside = stepped.map_err(|reason| self.broken(reason))?;
        }
        Ok((!out.is_empty()).then(|| out.freeze()))
    }

    /// The next frame, or the end, with which the connection goes back.
    async fn receive(&mut self) -> Result<(), Error> {
        match self.incoming.frame().await {
            Some(Ok(frame)) => {
                self.packed = frame.into_data().unwrap_or_default();
                self.metrics.response_bytes_received.add(self.packed.len());
                self.has_more_inside = true;
                if self.incoming.is_end_stream() {
                    self.end();
                }
                Ok(())
            }
            Some(Err(error)) => {
                self.metrics.connections_broken.increment();
                self.lease = None;
                Err(Error::broken(&self.under_way.server().endpoint.url, &error))
            }
            None => {
                // The unpacker hears of the end, and says whether it is one.
                self.has_more_inside = true;
                self.end();
                Ok(())
            }
        }
    }

    fn end(&mut self) {
        if let Some(lease) = self.lease.take() {
            lease.give_back(self.keep_alive.as_ref());
        }
    }

    fn broken(&self, reason: String) -> Error {
        Error::Broken { url: self.under_way.server().endpoint.url.to_string(), reason }
    }
}

/// A header's text, or none.
pub(super) fn text(headers: &HeaderMap, name: HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
