//! A body in pieces is read as the same body in one: for every format, cut in two at each byte, and given
//! byte by byte.

use crate::params::Params;
use crate::update::robustness_tests::SEEDS;
use crate::update::testing::shown;
use crate::update::{DecodedPiece, Decoder, Resume, UpdateCommand, UpdateOptions, decode};

/// What comes of a body that ends at each of `ends` and then goes on; in the end at its own.
fn in_pieces(decoder: &Decoder<'_>, body: &[u8], ends: impl Iterator<Item = usize>) -> String {
    let (mut commands, mut resume, mut done): (Vec<UpdateCommand>, _, _) = (vec![], Resume::default(), 0);
    for end in ends.chain([body.len()]) {
        let is_last = end == body.len();
        let found: DecodedPiece = decoder.decode(&body[done..end], is_last, &resume);
        assert!(found.bytes <= end - done);
        commands.extend(found.decoded.commands);
        if is_last || found.decoded.failure.is_some() {
            return shown(&commands, found.decoded.failure);
        }
        (resume, done) = (found.resume, done + found.bytes);
    }
    unreachable!("the last piece ends it")
}

/// Where its own text ends an error's message, it is another one: that is what stands around a place in JSON.
fn short(shown: &str) -> &str {
    shown.split(" AFTER='").next().unwrap_or(shown)
}

fn check(content_type: &str, path: &str, params: &[(&str, &str)], body: &[u8]) {
    let pairs = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let (params, options) = (Params::new(pairs.collect()), UpdateOptions::default());
    let decoder = Decoder { content_type: Some(content_type), path, params: &params, options: &options };
    let decoded = decode(Some(content_type), path, &params, &options, body);
    let expected = shown(&decoded.commands, decoded.failure);
    for cut in 0..body.len() {
        let found = in_pieces(&decoder, body, std::iter::once(cut));
        assert_eq!(short(&found), short(&expected), "cut at {cut} of {}", String::from_utf8_lossy(body));
    }
    let found = in_pieces(&decoder, body, 0..body.len());
    assert_eq!(short(&found), short(&expected), "byte by byte: {}", String::from_utf8_lossy(body));
}

#[test]
fn pieces_come_to_the_same() {
    for (content_type, path, body) in SEEDS {
        check(content_type, path, &[], body);
    }
    let json = |body: &str| check("application/json", "/update", &[], body.as_bytes());
    json(r#"[{"id":"a","n":12.5e3,"t":"\ud83d\ude00\u00e9é\\"},{"id":"b"}, /* no */ {"id":"c"}]"#);
    json(r#"{"add":{"doc":{"id":1}},"add":[{"id":2},{"id":3}],"delete":["a",{"id":"b"}],"commit":{}}"#);
    json("x 12 null [{id:'a'}] # end");
    json(r#"[{"id":"a"},{"id":"b",}"#);
    json(r#"[{"id":"a"},{"id":"b"} {"id":"c"}]"#);
    json(r#"{"add":{"doc":{"id":"é"}},"unknown":{}}"#);
    let docs = |split: &str, body: &str| {
        check("application/json", "/update/json/docs", &[("split", split), ("f", "/**")], body.as_bytes());
    };
    docs("/", r#"[[{"id":"a","l":[1,{"x":2}]}],{"id":"b"}]{"id":"c"} 7"#);
    docs(
        "/a/e",
        r#"{"x":1,"a":{"y":[1,2],"e":[{"id":"e1","x":2},{"id":"e2"}],"z":3},"e":{"id":"no"}}{"x":9}"#,
    );
    docs("/|/a/e", r#"[{"id":"s","a":{"x":"1","e":[{"id":"e1"},{"id":"e2"}]}},{"id":"t"}]"#);
    let xml = |body: &str| check("text/xml", "/update", &[], body.as_bytes());
    xml(
        "\u{feff}<?xml version='1.0'?><!-- é -->\n<add overwrite='false'>\n<doc><field name='id'>a&amp;b</field></doc>\n<doc/></add>\n",
    );
    xml(
        "<update><delete><id>a</id></delete><add/><commit/><add commitWithin='5'><doc><field name='id'/></doc></add></update>",
    );
    xml("<add>\n<doc><field name='id'>a</doc></add>");
    xml("<add>\n<doc><field name='id'>a</field></doc>\n</update>");
    xml("<add><doc><field name='id'>a</field></doc>");
    let csv = |params: &[(&str, &str)], body: &str| check("text/csv", "/update", params, body.as_bytes());
    csv(&[], "id,a\r\n1,\"x\r\n\"\"y\"\r\n\r\n2,z\r\n3,é");
    csv(&[("skipLines", "2"), ("rowid", "n")], "junk\njunk\nid,a\n1,x\n\n2,y\n");
    csv(&[("fieldnames", "id,a")], "1,x\n2\n");
}

/// A piece that ends with a document lets it through at once: nobody has to wait for what comes next.
#[test]
fn what_is_whole_is_not_held_back() {
    let check = |content_type: &str, body: &[u8], expected: &str| {
        let (params, options) = (Params::default(), UpdateOptions::default());
        let decoder =
            Decoder { content_type: Some(content_type), path: "/update", params: &params, options: &options };
        let found = decoder.decode(body, false, &Resume::default());
        assert_eq!(shown(&found.decoded.commands, found.decoded.failure), expected, "{content_type}");
    };
    check("application/json", br#"[{"id":"a"},{"id":"b"}"#, "add {id=a}; add {id=b}");
    check("text/xml", b"<add><doc><field name='id'>a</field></doc>", "add {id=a}");
    check("text/csv", b"id\na\nb\n", "add {id=a}; add {id=b}");
    check("application/cbor", b"\x9f\xa1\x62id\x61a", "add {id=a}");
    check(
        "application/javabin",
        b"\x02\xc1\xe0\x24docs\x0e\x10\x01\x08\0\0\0\0\xe0\x22id\x21a",
        "add {id=a}",
    );
}
