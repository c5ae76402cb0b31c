//! Reads a request's body: all of it, within the bounds of size and patience, and of the room that all bodies share.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use plan::{Error, ErrorKind, Result};
use tokio::time::Instant;

use crate::admission::Room;
use crate::config::ServeConfig;

/// Room made before anything has come: what a client announces costs it nothing.
const ROOM_BYTES_MAX: u64 = 1 << 20;

/// The whole body, which takes up `room`. Errors: `TooLarge`, `Busy`, `Unavailable` for a client that stalls, `BadRequest` for
/// one that breaks off.
pub(crate) async fn read(mut body: Incoming, config: &ServeConfig, room: &mut Room<'_>) -> Result<Bytes> {
    let announced = body.size_hint().lower();
    room.fits(announced)?;
    let started = Instant::now();
    let Some(first) = next(&mut body, config, started, 0).await? else { return Ok(Bytes::new()) };
    room.grow_to(first.len())?;
    if first.len() as u64 == announced && body.is_end_stream() {
        return Ok(first);
    }
    let spare = announced.min(ROOM_BYTES_MAX) as usize;
    let mut whole = BytesMut::with_capacity(spare.max(first.len()));
    let mut part = Some(first);
    while let Some(bytes) = part {
        room.grow_to(whole.len() + bytes.len())?;
        whole.extend_from_slice(&bytes);
        part = next(&mut body, config, started, whole.len()).await?;
    }
    Ok(whole.freeze())
}

/// The next part, of a body that started to be read then and has brought so many bytes.
async fn next(
    body: &mut Incoming,
    config: &ServeConfig,
    started: Instant,
    bytes: usize,
) -> Result<Option<Bytes>> {
    let until = deadline(config, started, Instant::now(), bytes);
    loop {
        let frame = tokio::time::timeout_at(until, body.frame()).await.map_err(|_| {
            Error::new(ErrorKind::Unavailable, "the request's body stopped arriving; send it again")
        })?;
        match frame {
            None => return Ok(None),
            Some(Err(failure)) => {
                return Err(Error::bad_request("the request's body broke off").with_source(failure));
            }
            Some(Ok(frame)) => {
                // Trailers carry nothing for us.
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}

/// When the next part must be there: soon, and soon enough for the whole to keep the least rate.
fn deadline(config: &ServeConfig, started: Instant, now: Instant, bytes: usize) -> Instant {
    let earned = Duration::from_secs(bytes as u64 / config.body_rate_min.max(1));
    let (idle, whole) = (now + config.body_idle_timeout, started + config.body_idle_timeout);
    whole.checked_add(earned).map_or(idle, |whole| idle.min(whole))
}

pub(crate) fn too_large(bytes_max: usize) -> Error {
    let message = format!(
        "the request's body exceeds `{bytes_max}` bytes; send less at a time, or start the server with a higher --body-max, or --query-body-max for parameters and queries"
    );
    Error::new(ErrorKind::TooLarge, message)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

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
