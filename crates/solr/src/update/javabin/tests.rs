//! Bodies as SolrJ writes them, and such as nobody should: what is read, what is refused, and that refusing
//! is cheap.

use super::*;
use crate::javabin::Encoder;
use crate::update::testing::shown;

fn show(body: &[u8]) -> String {
    let mut commands = Vec::new();
    let (piece, mut resume) = (ContentChunk::whole(body), Resume::default());
    let failure = decode(piece, &mut resume, &UpdateOptions::default(), &mut commands).err();
    shown(&commands, failure)
}

/// As SolrJ 9.10.1 wrote it: two documents with options, a delete by id with a version, one by query.
const FROM_SOLRJ: &str = "02c4e026706172616d73a2e026636f6d6d69742474727565e02c636f6d6d697457697468696e5406e02a64656c427949644d\
    61700a02e021330a01e0237665727306e0213400e02664656c4279518123613a62e027646f63734d61700e13100d083f8000\
    00e02269642131e0236e5f6947e0236c5f6c70808080808002e023665f66083dcccccde023645f64054004000000000000e0\
    23625f6201e024745f6474090000018bcfe5687be024735f73738222c3a92162e023785f690a01e023696e6341e021761508\
    023f80000040000000e02762696e5f62696e0d03010203e0236b69641001083f800000ea226b311001083f800000ea226331\
    0a02e0226377541fe0226f7702131001083f800000ea2132000f";

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// A body with one section.
fn section(name: &str, write: impl FnOnce(&mut Encoder<'_>)) -> Vec<u8> {
    let mut body = Vec::new();
    let mut encoder = Encoder::new(&mut body);
    encoder.named_list(1);
    encoder.name(Some(name));
    write(&mut encoder);
    body
}

#[test]
fn a_request_of_solrj_is_read() {
    let fields = "id=1, n_i=7, l_l=1099511627776, f_f=0.1, d_d=2.5, b_b=true, t_dt=Tue Nov 14 22:13:20 UTC 2023, s_ss=[é, b], \
                  x_i={inc=1}, v=[1.0, 2.0], bin_bin=AQID, kid={id=k1}, _childDocuments_={id=c1}";
    let expected =
        format!("add {{{fields}}} within 500 keep; add {{id=2}} within 100; del 3 v99; del 4; query a:b");
    assert_eq!(show(&bytes(FROM_SOLRJ)), expected);
}

#[test]
fn sections_are_read_wherever_they_stand() {
    let deletes = section("delById", |to| {
        to.array(2);
        to.text("a");
        to.int(7);
    });
    assert_eq!(show(&deletes), "del a; del 7");
    let twice = [deletes.clone(), deletes].concat();
    assert_eq!(show(&twice), "del a; del 7; del a; del 7");
    let maps = section("docs", |to| {
        to.array(1);
        to.ordered_map(2);
        to.name(Some("id"));
        to.text("a");
        to.name(Some("n"));
        to.array(2);
        to.float(0.1);
        to.double(0.1);
    });
    assert_eq!(show(&maps), "add {id=a, n=[0.1, 0.1]}");
}

#[test]
fn what_a_body_claims_costs_nothing() {
    let check = |hex: &str, expected: &str| {
        let found = show(&bytes(hex));
        assert!(found.contains(expected), "{hex}: {found}");
    };
    check("3c", "Invalid version (expected 2, but 60)");
    check("02", "ends before what it announces");
    check("0205", "ends before");
    check("0201", "an update is a named list");
    // A named list, an array, a text and a byte list of two thousand millions.
    check("02dfffffffff07", "ends before");
    check("02c1e024646f63739fffffffff07", "ends before");
    check("02c1e024646f637381a1e0216b3fffffffff07", "ends before");
    check("02c1e024646f637381a1e0216b0dffffffff07", "ends before");
    check("02c1e024646f637381a1e0216bffffffffffffffffffffff", "more than ten bytes");
    // A name that has not been sent before.
    check("02c1e100", "name `1` has not been told");
    // Things that would have to hold themselves.
    check("02c1e0e0e0", "out of place");
    check("02c10b0b0b", "a document has no fields");
    check("02c1e024646f6373811001101010", "out of place");
    check("02c1e024646f637381121212", "out of place");
    check("02c1e024646f6373810f", "an end is out of place");
    check("02c1e024646f63738115030101", "is no document");
}

#[test]
fn nesting_and_repetition_have_bounds() {
    let deep = section("x", |to| (0..10_000).for_each(|_| to.array(1)));
    assert!(show(&deep).contains("nest deeper"), "{}", show(&deep));
    let long = "x".repeat(1 << 20);
    let repeated = section("x", |to| {
        to.array(1_000);
        (0..1_000).for_each(|_| to.name(Some(&long)));
    });
    assert!(show(&repeated).contains("repeat too much"));
    let many = section("x", |to| {
        to.array(9 << 20);
        (0..9 << 20).for_each(|_| to.null());
    });
    assert!(show(&many).contains("too many values"));
}
