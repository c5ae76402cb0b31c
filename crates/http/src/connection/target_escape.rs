//! Escapes characters in request targets that Jetty takes and the `http` crate refuses: `"`, `<`, `>` and
//! their like, which Solr's users type into URLs. Sits before the HTTP/1.1 parser and follows the requests of
//! a connection, so that only a request line is ever touched.
//!
//! Invariant: a byte is changed only where the parser will read a target. What follows a head is counted by
//! its length or its chunks, in their plainest form only; at anything else (folded lines, bare line feeds,
//! chunk extensions, trailers, two lengths, an upgrade, HTTP/2) this stops looking for good, and the parser
//! alone decides.

/// Longer lines than this are not kept: none that matter here are.
const LINE_BYTES_MAX: usize = 64;
/// One byte more than the parser takes: the rest of a longer target is left out, so that it is refused with
/// 414 however long it is.
const TARGET_BYTES_MAX: usize = 65_535;

/// Follows one connection.
#[derive(Debug, Default)]
pub(crate) struct TargetEscape {
    state: State,
    /// The line so far, cut at [`LINE_BYTES_MAX`].
    line: Vec<u8>,
    /// Whether the line was longer.
    cut: bool,
    /// Its last byte, cut or not.
    last: u8,
    /// How long the target is so far.
    target_bytes: usize,
    framing: Framing,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// At the first byte of a request.
    #[default]
    Start,
    Method,
    Target,
    Version,
    Header,
    /// Bytes of the body still to come.
    Body(u64),
    ChunkSize,
    Chunk(u64),
    ChunkEnd,
    /// After the last chunk.
    Trailer,
    /// Something is unusual: nothing is touched from here on.
    Off,
}

/// How the head says that its body ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Framing {
    #[default]
    None,
    Length(u64),
    Chunked,
}

impl TargetEscape {
    /// The bytes as the parser should see them; `None` when they may stay as they are.
    pub fn escape(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let (mut escaped, mut kept, mut at) = (None, 0, 0);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            match self.state {
                State::Off => break,
                State::Body(left) => at += self.skip(left, rest, State::Body, State::Start),
                State::Chunk(left) => at += self.skip(left, rest, State::Chunk, State::ChunkEnd),
                State::Target => {
                    let plain = rest.iter().position(|byte| !is_plain(*byte)).unwrap_or(rest.len());
                    let room = TARGET_BYTES_MAX.saturating_sub(self.target_bytes);
                    if plain > room {
                        let out: &mut Vec<u8> = escaped.get_or_insert_with(Vec::new);
                        out.extend_from_slice(bytes.get(kept..at + room).unwrap_or_default());
                        kept = at + plain;
                    }
                    self.target_bytes += plain.min(room);
                    at += plain;
                    let Some(byte) = rest.get(plain) else { break };
                    if is_refused(*byte) {
                        let out: &mut Vec<u8> = escaped.get_or_insert_with(Vec::new);
                        out.extend_from_slice(bytes.get(kept..at).unwrap_or_default());
                        if self.target_bytes < TARGET_BYTES_MAX {
                            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
                            self.target_bytes += 3;
                        }
                        kept = at + 1;
                    } else {
                        self.begin(if *byte == b' ' { State::Version } else { State::Off });
                    }
                    at += 1;
                }
                State::Start | State::Method => {
                    self.method(rest.first().copied().unwrap_or_default());
                    at += 1;
                }
                _ => at += self.line(rest),
            }
        }
        if let Some(out) = &mut escaped {
            out.extend_from_slice(bytes.get(kept..).unwrap_or_default());
        }
        escaped
    }

    fn begin(&mut self, state: State) {
        self.line.clear();
        (self.cut, self.last) = (false, 0);
        self.state = state;
    }

    /// Passes over `left` bytes or what there is of them; returns how many.
    fn skip(&mut self, left: u64, rest: &[u8], more: fn(u64) -> State, then: State) -> usize {
        let here = left.min(rest.len() as u64);
        self.begin(if here == left { then } else { more(left - here) });
        here as usize
    }

    fn method(&mut self, byte: u8) {
        match byte {
            b'A'..=b'Z' if self.line.len() < LINE_BYTES_MAX => {
                self.line.push(byte);
                self.state = State::Method;
            }
            // The target of CONNECT is no path, and PRI opens HTTP/2.
            b' ' if !matches!(self.line.as_slice(), b"" | b"CONNECT" | b"PRI") => {
                self.target_bytes = 0;
                self.begin(State::Target);
            }
            _ => self.begin(State::Off),
        }
    }

    /// Takes the rest of a line, or what there is of it; returns how many bytes.
    fn line(&mut self, rest: &[u8]) -> usize {
        let end = memchr::memchr(b'\n', rest);
        let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let room = LINE_BYTES_MAX.saturating_sub(self.line.len()).min(part.len());
        self.cut |= part.len() > room;
        self.line.extend_from_slice(part.get(..room).unwrap_or_default());
        self.last = part.last().copied().unwrap_or(self.last);
        if end.is_some() {
            let next = if self.last == b'\r' { self.after_line() } else { State::Off };
            self.begin(next);
        }
        end.map_or(rest.len(), |end| end + 1)
    }

    /// What follows the line, which ended in a carriage return.
    fn after_line(&mut self) -> State {
        let line = self.line.strip_suffix(b"\r").filter(|_| !self.cut);
        match (self.state, line) {
            (State::Version, Some(b"HTTP/1.1" | b"HTTP/1.0")) => {
                self.framing = Framing::None;
                State::Header
            }
            (State::Header, Some(b"")) => match self.framing {
                Framing::None | Framing::Length(0) => State::Start,
                Framing::Length(length) => State::Body(length),
                Framing::Chunked => State::ChunkSize,
            },
            (State::Header, whole) => match header(&self.line, whole.is_some(), self.framing) {
                Some(framing) => {
                    self.framing = framing;
                    State::Header
                }
                None => State::Off,
            },
            (State::ChunkSize, Some(size)) => match hexadecimal(size) {
                Some(0) => State::Trailer,
                Some(size) => State::Chunk(size),
                None => State::Off,
            },
            (State::ChunkEnd, Some(b"")) => State::ChunkSize,
            (State::Trailer, Some(b"")) => State::Start,
            _ => State::Off,
        }
    }
}

/// Stays as it is within a target. Each byte of each target is asked for, so that it is looked up.
fn is_plain(byte: u8) -> bool {
    const PLAIN: [bool; 256] = {
        let (mut plain, mut byte) = ([false; 256], 0_u8);
        while byte < u8::MAX {
            plain[byte as usize] = byte > b' ' && byte != 0x7f && !is_refused(byte);
            byte += 1;
        }
        plain[u8::MAX as usize] = true;
        plain
    };
    PLAIN[usize::from(byte)]
}

const fn is_refused(byte: u8) -> bool {
    matches!(byte, b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}')
}

/// The framing with what this header line says of it, `None` where that is not plain. Of a line that is not
/// `whole` only the name is read.
fn header(line: &[u8], whole: bool, framing: Framing) -> Option<Framing> {
    let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
    let (name, value) = line.split_at(colon);
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    if name.is_empty() || name.iter().any(blank) {
        return None;
    }
    let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    if !is("content-length") && !is("transfer-encoding") {
        // What upgrades is HTTP no more.
        return (!is("upgrade")).then_some(framing);
    }
    let value = value.strip_prefix(b":").filter(|_| whole)?.strip_suffix(b"\r")?.trim_ascii();
    match framing {
        Framing::None if is("content-length") => decimal(value).map(Framing::Length),
        Framing::None if value.eq_ignore_ascii_case(b"chunked") => Some(Framing::Chunked),
        _ => None,
    }
}

fn decimal(digits: &[u8]) -> Option<u64> {
    number(digits, 10, 18)
}

fn hexadecimal(digits: &[u8]) -> Option<u64> {
    number(digits, 16, 15)
}

/// Digits and nothing else, few enough not to overflow.
fn number(digits: &[u8], base: u32, digits_max: usize) -> Option<u64> {
    if digits.is_empty() || digits.len() > digits_max {
        return None;
    }
    digits.iter().try_fold(0u64, |sum, digit| {
        char::from(*digit).to_digit(base).map(|digit| sum * u64::from(base) + u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Escapes `sent` whole, byte by byte, and cut in two at every place: always the same.
    #[track_caller]
    fn check(sent: &str, expected: &str) {
        let pass =
            |escape: &mut TargetEscape, bytes: &[u8]| escape.escape(bytes).unwrap_or_else(|| bytes.to_vec());
        let sent = sent.as_bytes();
        for cut in 0..=sent.len() {
            let mut escape = TargetEscape::default();
            let mut out = pass(&mut escape, &sent[..cut]);
            out.extend(pass(&mut escape, &sent[cut..]));
            assert_eq!(String::from_utf8(out).unwrap(), expected, "cut at {cut}");
        }
        let mut escape = TargetEscape::default();
        let out: Vec<u8> = sent.chunks(1).flat_map(|byte| pass(&mut escape, byte)).collect();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    const PLAIN: &str = "GET /a?q=%22b%22 HTTP/1.1\r\nHost: x\r\n\r\n";

    #[test]
    fn targets_are_escaped() {
        check(PLAIN, PLAIN);
        check("GET /a?q=\"b\" HTTP/1.1\r\nHost: x\r\n\r\n", PLAIN);
        check("GET /<>\\^`{|} HTTP/1.0\r\n\r\n", "GET /%3C%3E%5C%5E%60%7B%7C%7D HTTP/1.0\r\n\r\n");
    }

    #[test]
    fn targets_have_a_bound() {
        let pass = |whole: &str, part: usize| {
            let mut escape = TargetEscape::default();
            let parts = whole.as_bytes().chunks(part);
            let out = parts.flat_map(|part| escape.escape(part).unwrap_or_else(|| part.to_vec())).collect();
            String::from_utf8(out).unwrap()
        };
        let request = |bytes: usize| format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(bytes - 1));
        for part in [1, 1000, 1 << 20] {
            let both = request(TARGET_BYTES_MAX + 70_000) + &request(9);
            assert_eq!(pass(&both, part), request(TARGET_BYTES_MAX) + &request(9));
            let fits = request(TARGET_BYTES_MAX);
            assert_eq!(pass(&fits, part), fits);
        }
    }

    #[test]
    fn headers_and_bodies_are_left_alone() {
        let head = |framing: &str| format!("POST /<a> HTTP/1.1\r\nX: \"GET / <\"\r\n{framing}\r\n\r\n");
        let escaped = |framing: &str| head(framing).replace("/<a>", "/%3Ca%3E");
        let raw = "GET /\"x\" HTTP/1.1\r\n\r\n";
        let changed = "GET /%22x%22 HTTP/1.1\r\n\r\n";
        // The body is a request by its looks, what follows it is one.
        let length = format!("content-LENGTH:  {}\t", raw.len());
        check(&format!("{}{raw}{raw}", head(&length)), &format!("{}{raw}{changed}", escaped(&length)));
        let chunks = format!("{:X}\r\n{raw}\r\n0003\r\n\"\"\"\r\n0\r\n\r\n", raw.len());
        let chunked = "Transfer-Encoding: CHUNKED";
        check(&format!("{}{chunks}{raw}", head(chunked)), &format!("{}{chunks}{changed}", escaped(chunked)));
        check(
            &format!("{}{raw}", head("Content-Length: 0")),
            &format!("{}{changed}", escaped("Content-Length: 0")),
        );
        let long = format!("X-Long: {}", "content-length: 5 ".repeat(20));
        check(&format!("{}{raw}", head(&long)), &format!("{}{changed}", escaped(&long)));
    }

    #[test]
    fn what_is_unusual_ends_it() {
        let raw = "GET /\"x\" HTTP/1.1\r\n\r\n";
        for head in [
            "Content-Length: 1\r\nContent-Length: 1",
            "Content-Length: 1\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Content-Length: +1",
            "Content-Length: 1, 1",
            "Content-Length:",
            "Content-Length : 1",
            "Content-Length: 99999999999999999999",
            "Content-Length: 0000000000000000000000000000000000000000000000000000000000000001",
            "X: a\r\n folded",
            "X: a\nY: b",
            ": a",
            "Upgrade: h2c",
        ] {
            let text = format!("GET / HTTP/1.1\r\n{head}\r\n\r\nx{raw}");
            check(&text, &text);
        }
        for text in [
            "\r\nGET /\"x\" HTTP/1.1\r\n\r\n",
            "CONNECT \"x\" HTTP/1.1\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nGET /\"x\" HTTP/1.1\r\n\r\n",
            "get /\"x\" HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n0\r\n\r\nGET /\"x\" HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n0\r\n\r\nGET /\"x\" HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\nGET /\"x\" HTTP/1.1\r\n\r\n",
            "GET / HTTP/3.0\r\n\r\nGET /\"x\" HTTP/1.1\r\n\r\n",
            "GET / \"x\" HTTP/1.1\r\n\r\nGET /\"x\" HTTP/1.1\r\n\r\n",
            "GET /\t\"x\" HTTP/1.1\r\n\r\n",
        ] {
            check(text, text);
        }
    }
}
