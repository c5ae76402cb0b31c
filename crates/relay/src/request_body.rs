//! The body of a request: read as a whole, within bounds of its own and of all together.
//!
//! In: frames as the application sends them; out: their bytes with the room that these take, or a refusal
//! before anything went anywhere. What the bytes mean is looked at elsewhere.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::body::{Body as _, Frame, Incoming};
use tokio::time::timeout;

use crate::refusal::Refusal;
use crate::room::{Room, Taken};

/// Bounds of a request's body.
pub(crate) struct BodyBounds<'a> {
    pub bytes_max: usize,
    pub room: &'a Room,
    pub stall_max: Duration,
}

impl BodyBounds<'_> {
    /// All of it, and the room that it takes. Errors: a body that is too long, for which there is no room, or
    /// that does not come; nothing of it went anywhere.
    pub async fn read(&self, mut body: Incoming) -> Result<(Bytes, Taken), Refusal> {
        let mut taken = Taken::default();
        let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        self.grow(&mut taken, announced)?;
        let mut whole: Option<BytesMut> = None;
        let mut first = Bytes::new();
        while let Some(frame) = self.next_frame(&mut body).await? {
            let Ok(data) = frame.into_data() else { continue };
            let length = first.len() + whole.as_ref().map_or(0, BytesMut::len) + data.len();
            self.grow(&mut taken, length)?;
            if first.is_empty() && whole.is_none() {
                // Most come in one part, which then need not be copied.
                first = data;
                continue;
            }
            let room = announced.max(length);
            let whole = whole.get_or_insert_with(|| BytesMut::with_capacity(room));
            whole.extend_from_slice(&std::mem::take(&mut first));
            whole.extend_from_slice(&data);
        }
        Ok((whole.map_or(first, BytesMut::freeze), taken))
    }

    fn grow(&self, taken: &mut Taken, bytes: usize) -> Result<(), Refusal> {
        if bytes > self.bytes_max {
            let message = format!(
                "the body is longer than the {} bytes that this relay takes; send it in parts, or raise --body-max",
                self.bytes_max
            );
            return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message));
        }
        if !self.room.grow(taken, bytes) {
            let message = "the bodies of other requests take all the room that this relay has; come again";
            return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, message));
        }
        Ok(())
    }

    async fn next_frame(&self, body: &mut Incoming) -> Result<Option<Frame<Bytes>>, Refusal> {
        let late = |_| {
            Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body does not come; nothing of it was sent on")
        };
        let frame = timeout(self.stall_max, body.frame()).await.map_err(late)?;
        frame.transpose().map_err(|error| {
            Refusal::new(StatusCode::BAD_REQUEST, format!("the body cannot be read: {error}"))
        })
    }
}
