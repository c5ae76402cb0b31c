//! No body makes a decoder panic or hang: every truncation and thousands of mutations of real bodies, for
//! every format. The generator is seeded, so that a failure comes back.

use crate::params::Params;
use crate::update::{UpdateOptions, decode};

/// (content type, path, a body that uses much of the format).
pub(super) const SEEDS: &[(&str, &str, &[u8])] = &[
    (
        "application/json",
        "/update",
        "/*c*/[{\"id\":\"a\\u00e9\\ud83d\\ude00\",'n':[1,-2.5e3,null,true],o:{set:x}},{}] // é\n\
         {\"delete\":[\"a\",{\"id\":1,\"_version_\":5}],\"commit\":{\"softCommit\":true},\"add\":{\"doc\":{},\"overwrite\":false}}".as_bytes(),
    ),
    (
        "application/json",
        "/update/json/docs",
        "{\"id\":\"a\",\"o\":{\"x\":[1,{\"y\":\"é\"}]}}\n[{\"b\":2.5},[3]] \"s\"".as_bytes(),
    ),
    (
        "text/xml",
        "/update",
        "<?xml version='1.0' encoding='UTF-8'?><update><add overwrite='false'><doc><field name='é' update='set'>a&amp;&#233;\
         <![CDATA[<b>]]></field></doc></add><delete><id version='1'>a</id><query>*:*</query></delete><commit/></update>".as_bytes(),
    ),
    ("text/csv", "/update", "id,é,\"x\"\n1,\"a \"\"b\"\"\nc\" ,z\n\n2,,\\n\r\n".as_bytes()),
    (
        "application/javabin",
        "/update",
        b"\x02\xc3\xe0\x26params\xa1\xe0\x29overwrite\x81\x24true\xe0\x26delByQ\x81\x23*:*\xe0\x27docsMap\x0e\x13\x10\x03\
          \x08\x3f\x80\0\0\xe0\x22id\x5a\x02\xe0\x21n\x0a\x01\xe0\x23inc\x15\x08\x01\x40\0\0\0\x10\x01\x08\x3f\x80\0\0\xe4\x21c\x11\xe0\x22cw\x63\x0f\x0f",
    ),
    (
        "application/cbor",
        "/update",
        b"\xd9\x01\x00\x9f\xbf\x62id\x61a\x64name\x63abc\x61n\x84\x18\x20\x38\x20\xf9\x3c\0\xfa\x40\0\0\0\xff\xa2\xd8\x19\x00\xd8\x19\x01\x61o\
          \xa1\x63inc\xfb\x3f\xf8\0\0\0\0\0\0\xff\xa1\x62id\x7f\x61a\x61b\xff",
    ),
];

fn decode_all(seed: (&str, &str, &[u8]), body: &[u8]) {
    let parameters = [("f.é.split", "true"), ("trim", "true"), ("escape", "\\"), ("encapsulator", "\"")];
    let pairs = parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let params = Params::new(pairs.collect());
    let decoded = decode(Some(seed.0), seed.1, &params, &UpdateOptions::default(), body);
    assert!(decoded.commands.len() <= body.len());
}

#[test]
fn truncated_bodies_are_errors_at_worst() {
    for seed in SEEDS {
        let body = seed.2;
        for end in 0..=body.len() {
            decode_all(*seed, body.get(..end).unwrap());
            decode_all(*seed, body.get(end..).unwrap());
        }
    }
}

#[test]
fn mutated_bodies_are_errors_at_worst() {
    const MARKS: &[u8] =
        b"{}[]()<>\"'\\/,:;&#=!-+.0e \n\r\t\0\xff\xc3\xa9u\x0b\x0e\x0f\x10\x13\x15\x81\xe0\xe1\x9f\xbf\xd8\x19\x7f\xa1";
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    for _ in 0..4_000 {
        for seed in SEEDS {
            let mut body = seed.2.to_vec();
            for _ in 0..=next(6) {
                let (at, mark) = (next(body.len()), MARKS[next(MARKS.len())]);
                match next(3) {
                    0 => body[at] = mark,
                    1 => body.insert(at, mark),
                    _ => drop(body.drain(at..(at + 1 + next(4)).min(body.len()))),
                }
                if body.is_empty() {
                    body.push(mark);
                }
            }
            decode_all(*seed, &body);
        }
    }
}
