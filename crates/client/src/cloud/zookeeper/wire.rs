//! ZooKeeper's wire format, as far as reading needs it: frames of a length and big-endian fields (its
//! `zookeeper.jute`, facts of version 3.4 and later). In: what is asked, and the bytes of frames; out: bytes
//! to send, and answers. Frames are untrusted: what is short, long or of another kind is an error.

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use serde_json::{Value, json};

use super::failure::ZooKeeperError;

/// ZooKeeper's own limit is 1 MB unless `jute.maxbuffer` raises it, which large clusters do.
pub(super) const FRAME_BYTES_MAX: usize = 64 << 20;

const GET_DATA: i32 = 4;
const GET_CHILDREN: i32 = 8;
const CLOSE: i32 = -11;
/// The number of an event's frame, of which none is asked for.
const EVENT: i32 = -1;
const NO_NODE: i32 = -101;
const NO_AUTH: i32 = -102;

/// What is asked of one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    Data(String),
    Children(String),
}

/// The answer to one; of a path that is not there, nothing.
pub(super) struct Answered<'a> {
    ask: &'a Ask,
    body: Option<Bytes>,
}

/// The first frame of a connection: a new session. `timeout_ms` may be changed by the server.
pub(super) fn connect(timeout_ms: i32) -> BytesMut {
    frame(|out| {
        out.put_i32(0); // version
        out.put_i64(0); // the last change that was seen
        out.put_i32(timeout_ms);
        out.put_i64(0); // no session yet
        out.put_i32(16);
        out.put_bytes(0, 16);
        // A server that is cut off from its quorum may answer too: an old state is better than none.
        out.put_u8(1);
    })
}

/// Errors: no session was given.
pub(super) fn read_connected(mut body: Bytes) -> Result<(), ZooKeeperError> {
    let (_version, timeout_ms) = (int(&mut body)?, int(&mut body)?);
    if timeout_ms <= 0 {
        return Err(ZooKeeperError::Malformed("it gives no session".to_owned()));
    }
    Ok(())
}

pub(super) fn close(number: i32) -> BytesMut {
    frame(|out| {
        out.put_i32(number);
        out.put_i32(CLOSE);
    })
}

impl Ask {
    fn path(&self) -> &str {
        match self {
            Ask::Data(path) | Ask::Children(path) => path,
        }
    }

    pub fn frame(&self, number: i32) -> BytesMut {
        frame(|out| {
            out.put_i32(number);
            out.put_i32(if matches!(self, Ask::Data(_)) { GET_DATA } else { GET_CHILDREN });
            // Paths are short: they are made of names that were read from frames.
            out.put_i32(i32::try_from(self.path().len()).unwrap_or(i32::MAX));
            out.put_slice(self.path().as_bytes());
            out.put_u8(0); // no watch
        })
    }

    /// The answer in `body`, which is that to `number`. `None` for an event.
    pub fn answer(&self, number: i32, mut body: Bytes) -> Result<Option<Answered<'_>>, ZooKeeperError> {
        let found = int(&mut body)?;
        if found == EVENT {
            return Ok(None);
        }
        if found != number {
            return Err(ZooKeeperError::Malformed(format!("it answers {found} where {number} was asked")));
        }
        let (_zxid, error) = (body.try_get_i64().map_err(|_| short())?, int(&mut body)?);
        match error {
            0 => Ok(Some(Answered { ask: self, body: Some(body) })),
            NO_NODE => Ok(Some(Answered { ask: self, body: None })),
            NO_AUTH => Err(ZooKeeperError::Forbidden(self.path().to_owned())),
            other => Err(ZooKeeperError::Failed(other)),
        }
    }
}

impl Answered<'_> {
    pub fn children(self) -> Result<Option<Vec<String>>, ZooKeeperError> {
        let Some(mut body) = self.body.clone() else { return Ok(None) };
        let count = int(&mut body)?;
        (0..count)
            .map(|_| {
                let name = buffer(&mut body)?;
                String::from_utf8(name.into()).map_err(|_| self.malformed("a name is no text"))
            })
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// `{}` for what is not there or empty.
    pub fn json(self) -> Result<Value, ZooKeeperError> {
        let Some(mut body) = self.body.clone() else { return Ok(json!({})) };
        let data = buffer(&mut body)?;
        if data.is_empty() {
            return Ok(json!({}));
        }
        serde_json::from_slice(&data).map_err(|error| self.malformed(&error.to_string()))
    }

    fn malformed(&self, reason: &str) -> ZooKeeperError {
        ZooKeeperError::Malformed(format!("`{}`: {reason}", self.ask.path()))
    }
}

fn frame(write: impl FnOnce(&mut BytesMut)) -> BytesMut {
    let mut out = BytesMut::from(&[0; 4][..]);
    write(&mut out);
    let length = u32::try_from(out.len() - 4).unwrap_or(u32::MAX);
    out[..4].copy_from_slice(&length.to_be_bytes());
    out
}

fn int(body: &mut Bytes) -> Result<i32, ZooKeeperError> {
    body.try_get_i32().map_err(|_| short())
}

/// Behind its length; -1 stands for none.
fn buffer(body: &mut Bytes) -> Result<Bytes, ZooKeeperError> {
    let length = usize::try_from(int(body)?).unwrap_or(0);
    if length > body.len() {
        return Err(short());
    }
    Ok(body.split_to(length))
}

fn short() -> ZooKeeperError {
    ZooKeeperError::Malformed("an answer ends early".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames as they stand in ZooKeeper's own description of its records.
    #[test]
    fn frames_are_as_zookeeper_has_them() {
        assert_eq!(&connect(40_000)[..], b"\0\0\0\x2d\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x9c\x40\0\0\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01");
        assert_eq!(&Ask::Data("/a".into()).frame(7)[..], b"\0\0\0\x0f\0\0\0\x07\0\0\0\x04\0\0\0\x02/a\0");
        assert_eq!(&close(8)[..], b"\0\0\0\x08\0\0\0\x08\xff\xff\xff\xf5");
    }

    #[test]
    fn answers_are_untrusted() {
        let ask = Ask::Children("/c".to_owned());
        let check = |body: &'static [u8], part: &str| {
            let found = ask.answer(1, Bytes::from_static(body)).and_then(|found| found.unwrap().children());
            let error = found.unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        check(b"", "ends early");
        check(b"\0\0\0\x02", "answers 2 where 1 was asked");
        check(b"\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0", "ends early");
        check(b"\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\x7f\xff\xff\xff\0\0\0\x01", "ends early");
        check(b"\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x01\xff", "`/c`: a name is no text");
        check(b"\0\0\0\x01\0\0\0\0\0\0\0\0\xff\xff\xff\x9a", "may not be read");
        check(b"\0\0\0\x01\0\0\0\0\0\0\0\0\xff\xff\xff\xfc", "-4");
        let none = ask.answer(1, Bytes::from_static(b"\0\0\0\x01\0\0\0\0\0\0\0\0\xff\xff\xff\x9b"));
        assert_eq!(none.unwrap().unwrap().children().unwrap(), None);
        assert!(read_connected(Bytes::from_static(&[0; 8])).is_err());
    }
}
