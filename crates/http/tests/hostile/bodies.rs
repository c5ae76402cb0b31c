//! Bodies: updates in each format, commands of the configuration's and the schema's own APIs, archives;
//! whole, damaged, nested too deeply, packed, or packed and then damaged.

use coding::{Coding, Effort};

use crate::random::Random;
use crate::{extremes, values};

pub struct Body {
    pub method: &'static str,
    pub path: &'static str,
    pub media_type: &'static str,
    pub encoding: Option<&'static str>,
    pub bytes: Vec<u8>,
}

const UPDATES: [(&str, &str, &[u8]); 38] = [
    ("/update", "application/json", br#"[{"id":"9","title_t":"x","n_i":5,"d_dt":"NOW","kids":[{"id":"9.1"}]}]"#),
    ("/update", "application/json", br#"{"add":{"doc":{"id":"9","n_i":{"inc":2147483647}},"commitWithin":-1,"overwrite":"x"}}"#),
    ("/update", "application/json", br#"{"add":{"doc":{"id":"1","ss_ss":{"add-distinct":["a"],"removeregex":"(a+)+$"}}},"delete":["7"]}"#),
    ("/update", "application/json", br#"{"delete":{"query":"{!lucene v=$q}"},"commit":{"softCommit":1},"optimize":{"maxSegments":-1}}"#),
    ("/update", "application/json", br#"[{"id":"9","loc_p":"NaN,1e999"},{"id":"10","d_dt":"+1000000000-01-01T00:00:00Z"}]"#),
    ("/update", "application/json", br#"[{"id":"9","_version_":-9223372036854775808,"n_i":1e999,"l_l":99999999999999999999}]"#),
    ("/update/json/docs", "application/json", br#"{"id":"9","a":{"b":[{"c":1},{"c":[1,[2,[3]]]}]},"x y":null}"#),
    ("/update?commit=true&versions=true", "application/xml", b"<add overwrite='x'><doc boost='NaN'><field name='id' update='set'>9</field><doc><field name='id'>9.1</field></doc></doc></add>"),
    ("/update", "text/xml", b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'><!ENTITY c '&b;&b;&b;'>]><add><doc><field name='id'>&c;</field></doc></add>"),
    ("/update", "application/xml", b"<?xml version='1.0' encoding='utf-16'?><delete><query>*:*</query><id>1</id></delete>"),
    ("/update", "application/xml", b"<update><delete><id>1</id></delete><commit waitSearcher='x'/><rollback/><optimize maxSegments='-1'/></update>"),
    ("/update", "text/csv", b"id,title_t,n_i\n9,\"a\"\"b\",5\n10,x,y\n"),
    ("/update/csv?separator=%09&header=false&fieldnames=id,n_i&rowid=l_l&skipLines=1", "text/csv", b"a\tb\n\"1\t2\n"),
    ("/update/csv?skipLines=2147483647&rowid=l_l&rowidOffset=18446744073709551615", "text/csv", b"null"),
    ("/update?f.ss_ss.split=true&f.ss_ss.separator=%7C&trim=true&map=a:b&escape=%5C", "application/csv", b"id,ss_ss\n9,a|b|\\\n"),
    // A list of one document, a delete, and both of SolrJ's ways to send parameters.
    ("/update", "application/javabin", b"\x02\xa2\xe0\x26params\xc0\xe0\x24docs\x81\x0b\x10\x01\xe0\x22id\x21\x39\x0f"),
    ("/update", "application/javabin", b"\x02\xa2\xe0\x26params\xc0\xe0\x2bdelByIdMap\x0a\x01\x21\x39\x00"),
    ("/update", "application/javabin", b"\x02\xa1\xe0\x28docsMap\x81\x82\x0b\x10\x01\xe0\x22id\x21\x39\xa1\xe0\x22cw\x06\xff\xff\xff\xff"),
    // A string, an array, a map, bytes, a list of documents, and a name by number that say more than there
    // is.
    ("/update", "application/javabin", b"\x02\x3f\xff\xff\xff\xff\x07abc"),
    ("/update", "application/javabin", b"\x02\x9f\xff\xff\xff\xff\x07\x00"),
    ("/update", "application/javabin", b"\x02\xa1\xe0\x24docs\x9f\xff\xff\xff\xff\x07\x0b\x9f\xff\xff\xff\xff\x07"),
    ("/update", "application/javabin", b"\x02\x0a\xff\xff\xff\xff\x07\x00\x00"),
    ("/update", "application/javabin", b"\x02\x0d\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
    ("/update", "application/javabin", b"\x02\xa1\xff\xff\xff\xff\xff\x07\x00"),
    ("/update", "application/javabin", b"\x02\x0c\x83\x07\xff\xff\xff\xff\xff\xff\xff\xff\x07\xff\xff\xff\xff\xff\xff\xff\xff\x05\x7f\x80\x00\x00\x9f\xff\xff\xff\xff\x07"),
    ("/update", "application/cbor", b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff\xa1\x62id\x61\x39"),
    ("/update", "application/cbor", b"\x81\xbb\x7f\xff\xff\xff\xff\xff\xff\xff\x62id\x61\x39"),
    ("/update", "application/cbor", b"\x81\xa1\x7b\xff\xff\xff\xff\xff\xff\xff\xffid\x61\x39"),
    ("/update", "application/cbor", b"\x81\xa1\x62id\x5b\x00\x00\x00\xff\xff\xff\xff\xff"),
    ("/update", "text/csv", b"id,title_t\n9,\"never\nclosed\n10,x\n"),
    ("/update", "text/csv", b"id,id,,\"\",a_s\n\"\"\"\"\"\n"),
    ("/update?commit=true", "application/json", br#"[{"id":"9","n_i":123456789012345678901234567890},{"id":"8","_version_":9223372036854775807},{"id":"7","d_dt":"NOW+9999999999YEARS"}]"#),
    ("/update?commit=true", "application/json", b"[{\"id\":\"\\u0000\",\"title_t\":\"\\ud800 \xff\xc3\x28 \0\"}]"),
    ("/update", "application/cbor", b"\x81\xa2\x62id\x61\x39\x63n_i\x1b\xff\xff\xff\xff\xff\xff\xff\xff"),
    ("/update/cbor", "application/cbor", b"\x9f\xbf\x62id\x61\x39\x64kids\x9f\xa1\x62id\x63\x39.1\xff\xff\xff"),
    ("/update", "application/json;charset=utf-16", b"\xfe\xff\0[\0]"),
    ("/update", "multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: form-data; name=\"stream.body\"\r\n\r\n[]\r\n--x--"),
    ("/update", "application/x-www-form-urlencoded", b"stream.body=%3Cdelete%3E&commit=true&%zz"),
];

const COMMANDS: [(&str, &str, &str, &[u8]); 22] = [
    ("POST", "/select", "application/json", br#"{"query":"*:*","filter":["n_i:[1 TO 5]"],"facet":{"a":"sum(n_i)"},"limit":2}"#),
    ("POST", "/select", "application/x-www-form-urlencoded", b"q=*:*&rows=-1&fq=%7B!lucene+v%3D$q%7D"),
    ("POST", "/query", "text/json", br#"{"queries":{"a":{"lucene":{"query":"{!v=$b}"}},"b":"{!v=$a}"},"query":{"param":"a"}}"#),
    ("POST", "/schema", "application/json", br#"{"add-field":{"name":"f_x","type":"string"},"delete-field":{"name":"id"}}"#),
    ("POST", "/schema", "application/json", br#"{"add-field-type":{"name":"t","class":"solr.TextField","analyzer":{"tokenizer":{"name":"pattern","pattern":"(a+)+$"},"filters":[{"name":"nGram","minGramSize":"-1","maxGramSize":"2147483647"}]}}}"#),
    ("POST", "/schema", "application/json", br#"{"add-copy-field":{"source":"*","dest":"_text_","maxChars":-1},"add-dynamic-field":{"name":"*_*","type":"pint"}}"#),
    ("POST", "/schema/plan", "application/json", br#"{"replace-field":{"name":"id","type":"pint"}}"#),
    ("POST", "/schema/undo", "application/json", b""),
    ("POST", "/config", "application/json", br#"{"set-property":{"updateHandler.autoCommit.maxTime":-1},"unset-property":"nope"}"#),
    ("POST", "/config", "application/json", br#"{"add-requesthandler":{"name":"/x","class":"solr.SearchHandler","defaults":{"rows":"-1","q":["a","b"]}}}"#),
    ("POST", "/config", "application/json", br#"{"update-queryresponsewriter":{"name":"velocity","class":"solr.VelocityResponseWriter","params.resource.loader.enabled":"true"}}"#),
    ("POST", "/config/params", "application/json", br#"{"set":{"a":{"q":"*:*","_appends_":{"fq":"x"},"":{}}},"delete":["b"]}"#),
    ("POST", "/config/params/a", "application/json", br#"{"set":[]}"#),
    ("PUT", "/schema/analysis/stopwords/x", "application/json", br#"["a","b"]"#),
    ("PUT", "/schema/analysis/synonyms/../x", "application/json", br#"{"a":["b"],"initArgs":{"ignoreCase":"x"}}"#),
    ("DELETE", "/schema/analysis/stopwords/x/y", "application/json", b""),
    ("POST", "/analysis/document", "application/xml", b"<docs><doc><field name='id'>1</field><field name='title_t'>x</field></doc></docs>"),
    ("POST", "/mlt?mlt.fl=title_t&mlt.mintf=0", "text/plain", b"quick brown fox"),
    ("POST", "/get", "application/json", br#"{"params":{"id":"1"}}"#),
    ("POST", "/terms", "application/x-www-form-urlencoded", b"terms.fl=title_t&terms.regex=(a%2B)%2B$&terms.limit=-1"),
    ("PATCH", "/update", "application/json", b"[]"),
    ("BREW", "/select", "message/coffeepot", b"\xff"),
];

/// A zip of one stored file, `a.txt`, but for its checksums.
const ZIP: &[u8] = b"PK\x03\x04\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x01\0\0\0\x05\0\0\0a.txtxPK\x01\x02\x0a\0\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x01\0\0\0\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0a.txtPK\x05\x06\0\0\0\0\x01\0\x01\0\x33\0\0\0\x24\0\0\0\0\0";
/// What the `zstd` program makes of `{}`.
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x02, 0x11, 0x00, 0x00, 0x7b, 0x7d];

pub fn body(random: &mut Random) -> Body {
    let mut body = match random.below(10) {
        0..5 => {
            let (path, media_type, bytes) = *random.of(&UPDATES);
            Body { method: "POST", path, media_type, encoding: None, bytes: bytes.to_vec() }
        }
        5..8 => {
            let (method, path, media_type, bytes) = *random.of(&COMMANDS);
            Body { method, path, media_type, encoding: None, bytes: bytes.to_vec() }
        }
        8 => deep(random),
        _ => upload(random),
    };
    if random.below(3) > 0 {
        random.damage(&mut body.bytes);
    }
    if body.encoding.is_none() && random.once_in(6) {
        pack(&mut body, random);
    }
    body
}

/// Nested as deeply as anybody would try.
fn deep(random: &mut Random) -> Body {
    let of = |path, media_type, unit: &[u8], count: usize| Body {
        method: "POST",
        path,
        media_type,
        encoding: None,
        bytes: [b"\x02".repeat(usize::from(media_type.ends_with("javabin"))), unit.repeat(count)].concat(),
    };
    let count = 1 << random.below(18);
    match random.below(12) {
        // More columns than anybody has, more facets, and what is small only while it is packed.
        8 => of("/update", "text/csv", b"a,", count),
        9 => Body { bytes: extremes::json(random).into_bytes(), ..of("/query", "application/json", b"", 0) },
        10 => bomb(random),
        0 => of("/update", "application/json", b"[", count),
        1 => of("/update/json/docs", "application/json", b"{\"a\":", count),
        2 => of("/update", "application/xml", b"<doc>", count),
        3 => of("/update", "application/javabin", b"\x81", count),
        4 => of("/update", "application/javabin", b"\xa1\xe0\x21a", count),
        5 => of("/update", "application/cbor", b"\x81", count),
        6 => of("/update", "application/cbor", b"\xa1\x61a", count),
        7 => of("/schema", "application/json", b"{\"add-field\":", count),
        _ => Body { bytes: values::json(random).into_bytes(), ..of("/select", "application/json", b"", 0) },
    }
}

/// Some kilobytes that unpack to eight megabytes.
fn bomb(random: &mut Random) -> Body {
    let (path, media_type, unit) = *random.of(&[
        ("/update", "application/json", &b" "[..]),
        ("/update", "application/json", b"[[]],"),
        ("/update", "text/csv", b"\n"),
        ("/update", "application/xml", b"<add>"),
        ("/select", "application/json", b" "),
        ("/select", "application/x-www-form-urlencoded", b"q=a&"),
    ]);
    let coding = *random.of(&Coding::ALL);
    let bytes = coding::pack(&unit.repeat((8 << 20) / unit.len()), coding, Effort::Least);
    Body { method: "POST", path, media_type, encoding: Some(coding.name()), bytes }
}

fn upload(random: &mut Random) -> Body {
    const PATHS: [&str; 5] = [
        "/solr/admin/configs?action=UPLOAD&name=x",
        "/solr/admin/configs?action=UPLOAD&name=x&filePath=../../solrconfig.xml",
        "/api/configsets/x",
        "/api/configsets/x/..%2Fa.txt",
        "/api/configsets/x/a.txt?overwrite=x",
    ];
    let path = *random.of(&PATHS);
    let method = if path.starts_with("/api") { "PUT" } else { "POST" };
    Body { method, path, media_type: "application/octet-stream", encoding: None, bytes: ZIP.to_vec() }
}

/// Packs it, or says only that it is; what is packed may be damaged again.
fn pack(body: &mut Body, random: &mut Random) {
    const ENCODINGS: [&str; 7] = ["gzip", "x-gzip", "deflate", "zstd", "br", "gzip, gzip", "identity"];
    let encoding = *random.of(&ENCODINGS);
    body.encoding = Some(encoding);
    match encoding {
        "zstd" if random.once_in(2) => body.bytes = ZSTD.to_vec(),
        _ => {
            let coding = Coding::named(encoding);
            coding
                .into_iter()
                .for_each(|coding| body.bytes = coding::pack(&body.bytes, coding, Effort::Usual));
        }
    }
    if random.once_in(2) {
        random.damage(&mut body.bytes);
    }
}
