//! HTTP/2 by upgrade (`Upgrade: h2c`, RFC 7540 section 3.2), with which the JDK's client greets a server it
//! does not know. The request that asked is answered as stream 1 of the HTTP/2 connection. hyper knows
//! nothing of this, so the stream is shown to it as if the client had opened it: after the client's first
//! frame a frame with the request's head is put in. Its fields are literals that enter no table, so the
//! client's own compression goes on undisturbed. RFC 9113 has withdrawn the upgrade: a request that asks for
//! it with a body, or in an unusual way, is answered in HTTP/1.1.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Body;
use hyper::header::{CONNECTION, HOST, HeaderName, HeaderValue, UPGRADE};
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response, StatusCode};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

const SETTINGS_HEADER: HeaderName = HeaderName::from_static("http2-settings");
/// Fields of a connection, which HTTP/2 does not have, and of a body that is not there.
const LEFT_OUT: [&str; 9] = [
    "connection",
    "content-length",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

const PREFACE_BYTES: usize = 24;
const FRAME_HEAD_BYTES: usize = 9;
/// No frame is longer before the two sides have agreed on more.
const PAYLOAD_BYTES_MAX: usize = 16_384;
const SETTING_BYTES: usize = 6;
const PART_BYTES: usize = 256;
const KIND_HEADERS: u8 = 1;
const KIND_SETTINGS: u8 = 4;
/// Nothing comes after it in its stream, and the head is whole.
const END_STREAM_AND_HEADERS: u8 = 0x1 | 0x4;

/// What HTTP/2 needs to know of a request that asks to go on so. It costs a request that does not ask
/// nothing.
pub(crate) fn asked<B: Body>(request: &Request<B>) -> Option<UpgradeFeed> {
    request.extensions().get::<OnUpgrade>()?;
    let headers = request.headers();
    let asks = headers.get(UPGRADE).is_some_and(|name| name.as_bytes().eq_ignore_ascii_case(b"h2c"));
    // The JDK's client says of no body that it is 0 bytes long.
    let bare = request.body().is_end_stream();
    let plain = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let mut settings = headers.get_all(SETTINGS_HEADER).iter();
    let (Some(only), None) = (settings.next(), settings.next()) else { return None };
    if !asks || !bare || !plain {
        return None;
    }
    let settings = from_base64url(only.as_bytes()).filter(|bytes| bytes.len() % SETTING_BYTES == 0)?;
    let head = head(request);
    if settings.len() + head.len() > PAYLOAD_BYTES_MAX {
        return None;
    }
    let frame = frame(KIND_HEADERS, END_STREAM_AND_HEADERS, 1, &head);
    Some(UpgradeFeed { settings, frame, seen: Vec::new() })
}

/// What tells the client to go on in HTTP/2.
pub(crate) fn switching() -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("h2c"));
    response
}

/// The request's head as HTTP/2 writes it (RFC 7541), nothing shortened.
fn head<B>(request: &Request<B>) -> Vec<u8> {
    let mut head = Vec::with_capacity(512);
    let path = request.uri().path_and_query().map_or("/", |target| target.as_str());
    let authority = request.headers().get(HOST).map_or(&b""[..], |host| host.as_bytes());
    push_field(&mut head, b":method", request.method().as_str().as_bytes());
    push_field(&mut head, b":scheme", b"http");
    push_field(&mut head, b":path", path.as_bytes());
    push_field(&mut head, b":authority", authority);
    for (name, value) in request.headers().iter().filter(|(name, _)| !LEFT_OUT.contains(&name.as_str())) {
        push_field(&mut head, name.as_str().as_bytes(), value.as_bytes());
    }
    head
}

fn push_field(head: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    // A literal without indexing, with a new name.
    head.push(0);
    for text in [name, value] {
        push_length(head, text.len());
        head.extend_from_slice(text);
    }
}

/// An integer with a prefix of seven bits, the first bit unset: the text is not in Huffman's code.
fn push_length(head: &mut Vec<u8>, length: usize) {
    if length < 127 {
        return head.push(length as u8);
    }
    head.push(127);
    let mut rest = length - 127;
    while rest >= 128 {
        head.push((rest % 128) as u8 | 128);
        rest /= 128;
    }
    head.push(rest as u8);
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = (payload.len() as u32).to_be_bytes();
    [&length[..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Without padding, as the header has it; `None` for anything else.
fn from_base64url(text: &[u8]) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(text.len()), 0u32, 0);
    for character in text.trim_ascii_end().iter().filter(|byte| **byte != b'=') {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
        bits &= (1 << count) - 1;
    }
    Some(bytes)
}

/// What is passed to hyper, and what has come of the client's preface and first frame.
pub(crate) struct UpgradeFeed {
    /// What the client's `HTTP2-Settings` say.
    settings: Vec<u8>,
    /// The request's head as a frame that opens stream 1.
    frame: Vec<u8>,
    seen: Vec<u8>,
}

impl UpgradeFeed {
    /// How much more of preface and first frame must come.
    fn missing(&self) -> usize {
        let payload = self.payload_bytes().unwrap_or(0).min(PAYLOAD_BYTES_MAX);
        (PREFACE_BYTES + FRAME_HEAD_BYTES + payload).saturating_sub(self.seen.len())
    }

    fn payload_bytes(&self) -> Option<usize> {
        let length = self.seen.get(PREFACE_BYTES..PREFACE_BYTES + 3)?;
        Some(length.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
    }

    /// Preface, settings, stream 1. What the client says of a setting in its first frame counts more than
    /// what it said when it asked, so it comes behind it in one frame: a frame more would be acknowledged
    /// once too often.
    fn told(self) -> Vec<u8> {
        let (preface, first) = self.seen.split_at(PREFACE_BYTES.min(self.seen.len()));
        let (head, payload) = first.split_at(FRAME_HEAD_BYTES.min(first.len()));
        let is_settings = matches!(head, [_, _, _, KIND_SETTINGS, 0, ..]);
        let bytes = self.settings.len() + payload.len();
        if !is_settings || self.payload_bytes() != Some(payload.len()) || bytes > PAYLOAD_BYTES_MAX {
            // This is no HTTP/2; hyper will say so.
            return self.seen;
        }
        let settings = frame(KIND_SETTINGS, 0, 0, &[self.settings.as_slice(), payload].concat());
        [preface, &settings, &self.frame].concat()
    }
}

/// The upgraded connection as hyper reads it.
pub(crate) struct Continued<S> {
    stream: S,
    /// Until preface and first frame have come.
    told: Option<UpgradeFeed>,
    /// What is read before the stream goes on.
    ready: Vec<u8>,
}

impl<S> Continued<S> {
    pub fn new(stream: S, told: UpgradeFeed) -> Self {
        Self { stream, told: Some(told), ready: Vec::new() }
    }
}

impl<S: AsyncRead + Unpin> Continued<S> {
    /// Waits for preface and first frame, or for the end of what comes.
    fn poll_first(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(told) = &mut self.told {
            let mut bytes = [0; PART_BYTES];
            let missing = told.missing().min(PART_BYTES);
            let mut part = ReadBuf::new(bytes.get_mut(..missing).unwrap_or_default());
            if missing > 0 {
                ready!(Pin::new(&mut self.stream).poll_read(cx, &mut part))?;
                told.seen.extend_from_slice(part.filled());
            }
            if part.filled().is_empty() {
                self.ready = self.told.take().map(UpgradeFeed::told).unwrap_or_default();
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Continued<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_first(cx))?;
        if this.ready.is_empty() {
            return Pin::new(&mut this.stream).poll_read(cx, room);
        }
        let count = room.remaining().min(this.ready.len());
        room.put_slice(this.ready.get(..count).unwrap_or_default());
        this.ready.drain(..count);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Continued<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    fn told() -> UpgradeFeed {
        UpgradeFeed { settings: vec![0, 4, 0, 1, 0, 0], frame: b"(stream 1)".to_vec(), seen: vec![] }
    }

    /// What hyper reads of what the client sends, in parts of that many bytes.
    async fn read(sent: &[u8], part: usize) -> Vec<u8> {
        let (mut client, server) = duplex(part);
        let sent = sent.to_vec();
        let sending = tokio::spawn(async move { client.write_all(&sent).await });
        let mut whole = Vec::new();
        Continued::new(server, told()).read_to_end(&mut whole).await.unwrap();
        sending.await.unwrap().unwrap();
        whole
    }

    #[tokio::test]
    async fn stream_1_comes_after_the_settings() {
        let own = [0, 3, 0, 0, 0, 100];
        let first = [&[0, 0, 6, 4, 0, 0, 0, 0, 0][..], &own].concat();
        let merged = [&[0, 0, 12, 4, 0, 0, 0, 0, 0][..], &[0, 4, 0, 1, 0, 0], &own].concat();
        let expected = [PREFACE, &merged, b"(stream 1)", b"what follows"].concat();
        for part in [1, 7, 1000] {
            assert_eq!(read(&[PREFACE, &first, b"what follows"].concat(), part).await, expected);
        }
    }

    #[tokio::test]
    async fn what_is_no_http2_stays_as_it_is() {
        let ping = [0, 0, 2, 6, 0, 0, 0, 0, 0, 1, 2];
        let acknowledgement = [0, 0, 0, 4, 1, 0, 0, 0, 0];
        let endless = [&[255, 255, 255, 4, 0, 0, 0, 0, 0][..], &[1; 70_000]].concat();
        for first in [&ping[..], &acknowledgement, &endless, b"", b"abc"] {
            let sent = [PREFACE, first].concat();
            assert_eq!(read(&sent, 1000).await, sent);
        }
        assert_eq!(read(b"GET / HTTP/1.1\r\n\r\n", 1000).await, b"GET / HTTP/1.1\r\n\r\n");
    }

    #[test]
    fn settings_are_base64url() {
        let check = |text: &str, expected: Option<&[u8]>| {
            assert_eq!(from_base64url(text.as_bytes()).as_deref(), expected, "{text}");
        };
        check("", Some(b""));
        check("AAMAAABkAAQAAP__", Some(&[0, 3, 0, 0, 0, 100, 0, 4, 0, 0, 255, 255]));
        check("AAQA-w==", Some(&[0, 4, 0, 251]));
        check("A+B/", None);
    }

    #[test]
    fn fields_are_written_out() {
        let mut head = Vec::new();
        push_field(&mut head, b"a", &[b'x'; 127]);
        assert_eq!(head[..5], [0, 1, b'a', 127, 0]);
        head.clear();
        push_field(&mut head, b"a", &[b'x'; 1337 + 127]);
        assert_eq!(head[..6], [0, 1, b'a', 127, 0b1011_1001, 0b1010]);
    }
}
