//! One keep-alive HTTP/1.1 connection, blocking, with as little work a request as possible: the generator
//! shares the machine with the server it measures. Reads bodies by length, in chunks, or to the end of the
//! connection; parses nothing else of an answer.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

/// How long an answer may take before the connection counts as broken.
const ANSWER_MAX: Duration = Duration::from_secs(60);
/// Apache's HTTP client waits this long in its check.
const STALE_CHECK: Duration = Duration::from_millis(1);
/// A head that is longer is no answer.
const HEAD_BYTES_MAX: usize = 64 << 10;

pub struct Connection {
    stream: TcpStream,
    /// What was read and not yet given out is `buffer[start..end]`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    body: Vec<u8>,
    open: bool,
    says_when: bool,
}

/// An answer; its body is as sent, chunks joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<'a> {
    pub status: u16,
    pub body: &'a [u8],
}

struct Head {
    status: u16,
    framing: Framing,
    closes: bool,
    says_when: bool,
}

enum Framing {
    Length(usize),
    Chunks,
    ToTheEnd,
}

impl Connection {
    /// Connects to `host:port`.
    pub fn open(authority: &str) -> io::Result<Self> {
        Self::new(TcpStream::connect(authority)?)
    }

    /// On a connection that is there, and has been answered whatever it asked.
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER_MAX))?;
        Ok(Self {
            stream,
            buffer: vec![0; 32 << 10],
            start: 0,
            end: 0,
            body: Vec::new(),
            open: true,
            says_when: false,
        })
    }

    /// Without its buffer, for which an answer that was read whole has left nothing.
    pub fn into_stream(self) -> TcpStream {
        self.stream
    }

    /// Whether the server means to keep the connection, as its last answer said.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether the last answer had a `Retry-After`.
    pub fn says_when_to_retry(&self) -> bool {
        self.says_when
    }

    /// The check that older HTTP clients make before each request: whether the server has closed, asked by a
    /// read that waits a millisecond for what a live connection never sends.
    pub fn looks_stale(&mut self) -> bool {
        match self.peek() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            seen => return !matches!(seen, Ok(1..)),
        }
        thread::sleep(STALE_CHECK);
        !matches!(self.peek(), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }

    fn peek(&mut self) -> io::Result<usize> {
        self.stream.set_nonblocking(true)?;
        let seen = self.stream.peek(&mut [0]);
        self.stream.set_nonblocking(false)?;
        seen
    }

    /// Sends `request` and reads the answer whole.
    pub fn exchange(&mut self, request: &[u8]) -> io::Result<Answer<'_>> {
        self.stream.write_all(request)?;
        let head = self.read_head()?;
        (self.open, self.says_when) = (!head.closes, head.says_when);
        let range = match head.framing {
            Framing::Length(length) => self.read_length(length)?,
            Framing::Chunks => return self.read_chunks(head.status),
            Framing::ToTheEnd => self.read_to_end()?,
        };
        Ok(Answer { status: head.status, body: &self.buffer[range] })
    }

    fn read_head(&mut self) -> io::Result<Head> {
        let mut searched = self.start;
        loop {
            let unread = &self.buffer[searched..self.end];
            if let Some(at) = unread.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                let head = parse_head(&self.buffer[self.start..searched + at + 2])?;
                self.start = searched + at + 4;
                return Ok(head);
            }
            if self.end - self.start > HEAD_BYTES_MAX {
                return Err(invalid("a head without an end"));
            }
            let before = self.start;
            searched = self.end.saturating_sub(3).max(self.start);
            self.fill(1)?;
            searched -= before - self.start;
        }
    }

    fn read_length(&mut self, length: usize) -> io::Result<std::ops::Range<usize>> {
        self.fill_to(length)?;
        let range = self.start..self.start + length;
        self.start = range.end;
        Ok(range)
    }

    fn read_chunks(&mut self, status: u16) -> io::Result<Answer<'_>> {
        self.body.clear();
        loop {
            let size = self.read_line()?;
            let digits = std::str::from_utf8(&self.buffer[size]).ok().and_then(|line| line.split(';').next());
            let size = digits.and_then(|digits| usize::from_str_radix(digits.trim(), 16).ok());
            let size = size.ok_or_else(|| invalid("a chunk without a size"))?;
            if size == 0 {
                // Trailers, if any, and the empty line that ends the body.
                while !self.read_line()?.is_empty() {}
                return Ok(Answer { status, body: &self.body });
            }
            let range = self.read_length(size)?;
            self.body.extend_from_slice(&self.buffer[range]);
            self.read_line()?;
        }
    }

    fn read_to_end(&mut self) -> io::Result<std::ops::Range<usize>> {
        self.open = false;
        loop {
            match self.fill(1) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(error) => return Err(error),
            }
        }
        let range = self.start..self.end;
        self.start = self.end;
        Ok(range)
    }

    /// One line, without its end.
    fn read_line(&mut self) -> io::Result<std::ops::Range<usize>> {
        loop {
            if let Some(at) = self.buffer[self.start..self.end].iter().position(|byte| *byte == b'\n') {
                let line = self.start..self.start + at;
                self.start += at + 1;
                let bare = self.buffer[line.clone()]
                    .strip_suffix(b"\r")
                    .map_or(line.end, |bare| line.start + bare.len());
                return Ok(line.start..bare);
            }
            self.fill(1)?;
        }
    }

    fn fill_to(&mut self, length: usize) -> io::Result<()> {
        while self.end - self.start < length {
            self.fill(length - (self.end - self.start))?;
        }
        Ok(())
    }

    /// Reads what there is, at least a byte, with room for `wanted` more; moves what is unread to the front
    /// first.
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.start > 0 && self.buffer.len() - self.end < wanted {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.buffer.len() - self.end < wanted {
            self.buffer.resize((self.end + wanted).next_power_of_two(), 0);
        }
        match self.stream.read(&mut self.buffer[self.end..])? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                self.end += read;
                Ok(())
            }
        }
    }
}

fn parse_head(head: &[u8]) -> io::Result<Head> {
    let status = head.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    let status = status.ok_or_else(|| invalid("no status line"))?;
    let mut parsed = Head { status, framing: Framing::ToTheEnd, closes: false, says_when: false };
    for line in head.split(|byte| *byte == b'\n').skip(1) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"content-length") {
            let length = std::str::from_utf8(value).ok().and_then(|digits| digits.parse().ok());
            parsed.framing = Framing::Length(length.ok_or_else(|| invalid("a length that is no number"))?);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") && value.eq_ignore_ascii_case(b"chunked") {
            parsed.framing = Framing::Chunks;
        } else if name.eq_ignore_ascii_case(b"connection") {
            parsed.closes = value.eq_ignore_ascii_case(b"close");
        } else if name.eq_ignore_ascii_case(b"retry-after") {
            parsed.says_when = true;
        }
    }
    Ok(parsed)
}

/// Whether a connection was closed or reset under a request.
pub fn is_reset(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// Serves the parts of each answer in writes of their own, then closes.
    fn served(answers: &'static [&'static [&'static str]]) -> (Connection, thread::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        let server = thread::spawn(move || {
            let (mut peer, _) = listener.accept().unwrap();
            peer.set_nodelay(true).unwrap();
            for answer in answers {
                peer.read_exact(&mut [0]).unwrap();
                answer.iter().for_each(|part| peer.write_all(part.as_bytes()).unwrap());
            }
        });
        (Connection::open(&authority).unwrap(), server)
    }

    #[test]
    fn bodies_come_by_length_in_chunks_and_to_the_end() {
        let (mut connection, server) = served(&[
            &["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"],
            &[
                "HTTP/1.1 400 Bad\r\nTransfer-Enc",
                "oding: chunked\r\n",
                "\r\n3\r\nabc\r",
                "\n1\r\nd\r\n0\r\n\r\n",
            ],
            &["HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r", "\n"],
            &["HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nto the ", "end"],
        ]);
        let mut check = |status, body: &str, open| {
            assert_eq!(connection.exchange(b"x").unwrap(), Answer { status, body: body.as_bytes() });
            assert_eq!(connection.is_open(), open, "{body}");
        };
        check(200, "hi", true);
        check(400, "abcd", true);
        check(200, "", true);
        check(200, "to the end", false);
        server.join().unwrap();
    }

    #[test]
    fn a_long_body_grows_the_buffer() {
        let body = "x".repeat(200_000);
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let parts: &'static [&'static str] = Box::leak(vec![&*answer.leak()].into_boxed_slice());
        let (mut connection, server) = served(Box::leak(vec![parts, parts].into_boxed_slice()));
        for _ in 0..2 {
            assert_eq!(connection.exchange(b"x").unwrap().body, body.as_bytes());
        }
        server.join().unwrap();
        assert!(connection.looks_stale());
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        const WRONG: [&[&[&str]]; 3] = [
            &[&["nonsense\r\n\r\n"]],
            &[&["HTTP/1.1 200 OK\r\n"]],
            &[&["HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"]],
        ];
        for answer in WRONG {
            let (mut connection, server) = served(answer);
            assert!(connection.exchange(b"x").is_err());
            server.join().unwrap();
        }
    }
}
