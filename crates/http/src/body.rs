//! Reads a request's body: all of it, within the bounds of size and patience.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use plan::{Error, ErrorKind, Result};

use crate::config::ServeConfig;

/// The whole body. Errors: `TooLarge`, `Unavailable` for a client that stalls, `BadRequest` for one that breaks off.
pub(crate) async fn read(mut body: Incoming, config: &ServeConfig) -> Result<Bytes> {
    let announced = body.size_hint().lower();
    if announced > config.body_bytes_max as u64 {
        return Err(too_large(config.body_bytes_max));
    }
    let Some(first) = next(&mut body, config).await? else { return Ok(Bytes::new()) };
    if first.len() as u64 == announced && body.is_end_stream() {
        return Ok(first);
    }
    let mut whole = BytesMut::with_capacity((announced as usize).max(first.len()));
    let mut part = Some(first);
    while let Some(bytes) = part {
        if whole.len() + bytes.len() > config.body_bytes_max {
            return Err(too_large(config.body_bytes_max));
        }
        whole.extend_from_slice(&bytes);
        part = next(&mut body, config).await?;
    }
    Ok(whole.freeze())
}

async fn next(body: &mut Incoming, config: &ServeConfig) -> Result<Option<Bytes>> {
    loop {
        let frame = tokio::time::timeout(config.body_idle_timeout, body.frame()).await.map_err(|_| {
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

fn too_large(bytes_max: usize) -> Error {
    let message = format!("the request's body exceeds `{bytes_max}` bytes; send smaller batches");
    Error::new(ErrorKind::TooLarge, message)
}
