//! The bytes of an exchange: one to three requests, plain in most of their head, strange in some of it, or no
//! HTTP at all.

use crate::bodies::{self, Body};
use crate::random::Random;
use crate::{paths, searches};

const VERSIONS: [&str; 6] = ["HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.9", "HTTP/99999.1", "http/1.1"];
const METHODS: [&str; 10] =
    ["HEAD", "OPTIONS", "PUT", "DELETE", "TRACE", "CONNECT", "PRI", "get", "GET\t", "\u{1}GET"];
const TARGETS: [&str; 14] = [
    "*",
    "",
    "//",
    "/solr",
    "http://evil.example/solr/films/select?q=*:*",
    "https://user:pass@films:99999/solr/films/admin/ping",
    "films:8983",
    "/solr/films/select#q=x",
    "/solr/../../etc/passwd",
    "/solr/%2e%2e/%2e%2e/etc/passwd",
    "/solr/films%2Fselect/..;/admin/cores",
    "/solr/%00/select",
    "/solr/%ff%fe/select?%ff=%ff",
    "/solr/films/select?q=%zz&%=&&==&q",
];
const FIELDS: [&str; 34] = [
    "Expect: 100-continue",
    "Expect: 200-ok",
    "Upgrade: h2c",
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: !!!",
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x",
    "Connection: close",
    "Connection: keep-alive, Host, Content-Length",
    "Host: a\r\nHost: b",
    "Host: ",
    "Host: a b\t;/?#",
    " folded: a",
    "A: b\r\n c\r\n\td",
    "NoColon",
    ": empty",
    "A B: c",
    "A: \0",
    "A: \u{7f}\u{1}",
    "A: é漢字",
    "Content-Type: \u{ff}",
    "Content-Type: application/json; charset=\"",
    "Content-Encoding: gzip, deflate, gzip",
    "Accept-Encoding: gzip;q=NaN, *;q=-1",
    "If-Modified-Since: Thu, 99 Foo 99999 99:99:99 GMT\r\nIf-None-Match: \"",
    "Range: bytes=-1,9-0,99999999999999999999-",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: chunked, chunked",
    "Transfer-Encoding: identity",
    "Transfer-Encoding:\tchunked",
    "Trailer: Content-Length",
    "Content-Type: application/json; charset=nope",
    "Content-Type: application/x-www-form-urlencoded; charset=utf-16",
    "Accept: \u{1}/*;q=,,",
    "Forwarded: for=127.0.0.1\r\nX-Forwarded-For: 127.0.0.1\r\nX-HTTP-Method-Override: DELETE\r\nX-Original-URL: /solr/admin/cores",
];
const LENGTHS: [&str; 12] = [
    "Content-Length: 0",
    "Content-Length: 1",
    "Content-Length: -1",
    "Content-Length: +1",
    "Content-Length: 0x10",
    "Content-Length: 99999999999999999999",
    "Content-Length: 18446744073709551615",
    "Content-Length: 9223372036854775807",
    "Content-Length: 5\r\nContent-Length: 6",
    "Content-Length: 5, 6",
    "Content-Length: ",
    "Content-Length: 2\r\nTransfer-Encoding: chunked",
];
const CHUNKS: [&str; 12] = [
    "0\r\n\r\n",
    "2\r\n[]\r\n0\r\n\r\n",
    "2;a=b;c=\"d\"\r\n[]\r\n0\r\n\r\n",
    "2\n[]\n0\n\n",
    "00000000000000000002\r\n[]\r\n0\r\n\r\n",
    "ffffffffffffffff\r\n[]",
    "fffffffffffffffff\r\n[]",
    "-2\r\n[]\r\n0\r\n\r\n",
    "2 \r\n[]\r\n0\r\n\r\n",
    "2\r\n[]0\r\n\r\n",
    "2\r\n[]\r\n0\r\nContent-Length: 5\r\nHost: b\r\n\r\n",
    "2;\0\r\n[]\r\n0\r\n\r\n",
];
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub fn exchange(random: &mut Random) -> Vec<u8> {
    match random.below(24) {
        0 => {
            let count = random.below(2000);
            random.bytes(count)
        }
        1 => other_protocol(random),
        2 => [request(random), request(random), request(random)].concat(),
        3 => {
            // Damage in the head above all.
            let mut bytes = request(random);
            let tail = bytes.split_off(bytes.len().min(300));
            random.damage(&mut bytes);
            [bytes, tail].concat()
        }
        4 => many_fields(random),
        _ => request(random),
    }
}

/// HTTP/2 by prior knowledge, and frames of any kind and length.
fn other_protocol(random: &mut Random) -> Vec<u8> {
    let mut bytes = PREFACE.to_vec();
    for _ in 0..random.below(12) {
        let count = random.below(64);
        let length = if random.once_in(8) { random.below(1 << 24) } else { count };
        bytes.extend_from_slice(&u32::try_from(length).unwrap().to_be_bytes()[1..]);
        bytes.extend([random.below(12) as u8, random.below(256) as u8, 0, 0, 0, random.below(8) as u8]);
        bytes.extend(random.bytes(count));
    }
    if random.once_in(4) {
        random.damage(&mut bytes);
    }
    bytes
}

fn many_fields(random: &mut Random) -> Vec<u8> {
    let (count, length) = (random.below(400), random.below(2000));
    let field = format!("X: {}\r\n", "a".repeat(length));
    format!("GET /solr/films/admin/ping HTTP/1.1\r\nHost: x\r\n{}\r\n", field.repeat(count)).into_bytes()
}

fn request(random: &mut Random) -> Vec<u8> {
    if random.below(3) == 0 { with_body(random) } else { by_url(random) }
}

fn by_url(random: &mut Random) -> Vec<u8> {
    if random.once_in(5) {
        let (method, target) = paths::odd(random);
        return head(random, method, &target, "").into_bytes();
    }
    let method = if random.once_in(15) { *random.of(&METHODS) } else { "GET" };
    let target =
        if random.once_in(12) { (*random.of(&TARGETS)).to_owned() } else { searches::target(random) };
    head(random, method, &target, "").into_bytes()
}

fn with_body(random: &mut Random) -> Vec<u8> {
    let Body { method, path, media_type, encoding, bytes } = bodies::body(random);
    let below = if path.starts_with("/solr") || path.starts_with("/api") { "" } else { "/solr/films" };
    let encoding = encoding.map_or_else(String::new, |name| format!("Content-Encoding: {name}\r\n"));
    let kind = format!("Content-Type: {media_type}\r\n{encoding}");
    let (framing, sent) = match random.below(12) {
        0 => (format!("{}\r\n", random.of(&LENGTHS)), bytes),
        1 => ("Transfer-Encoding: chunked\r\n".to_owned(), random.of(&CHUNKS).as_bytes().to_vec()),
        2 => ("Transfer-Encoding: chunked\r\n".to_owned(), chunked(&bytes, random)),
        3 => (format!("Content-Length: {}\r\n", bytes.len() + random.below(9)), bytes),
        _ => (format!("Content-Length: {}\r\n", bytes.len()), bytes),
    };
    let head = head(random, method, &format!("{below}{path}"), &format!("{kind}{framing}"));
    [head.into_bytes(), sent].concat()
}

/// Cut into chunks of any size.
fn chunked(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut sent = Vec::new();
    for chunk in bytes.chunks(1 + random.below(200)) {
        sent.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        sent.extend_from_slice(chunk);
        sent.extend_from_slice(b"\r\n");
    }
    sent.extend_from_slice(b"0\r\n\r\n");
    sent
}

fn head(random: &mut Random, method: &str, target: &str, fields: &str) -> String {
    let version = if random.once_in(20) { *random.of(&VERSIONS) } else { "HTTP/1.1" };
    let strange = match random.below(48) {
        0..12 => format!("{}\r\n", random.of(&FIELDS)),
        12 => format!("Cookie: {}\r\n", "a=b; ".repeat(random.below(30_000))),
        _ => String::new(),
    };
    let host = if random.once_in(30) { "" } else { "Host: x\r\n" };
    format!("{method} {target} {version}\r\n{host}{strange}{fields}\r\n")
}
