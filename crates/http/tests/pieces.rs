//! Bodies in pieces come to the same as in one: answers, lists of versions and of errors, and what is there
//! afterwards, through every kind of chain and in every format.

mod served;

use served::{Answer, Served};

/// The fields of a document, none twice; all as texts.
type Row<'a> = &'a [(&'a str, &'a str)];

/// Media type and bytes.
type Body = (&'static str, Vec<u8>);

fn json(rows: &[Row<'_>]) -> Body {
    let field = |(name, value): &(&str, &str)| format!(r#""{name}":"{value}""#);
    let row = |row: &Row<'_>| format!("{{{}}}", row.iter().map(field).collect::<Vec<_>>().join(","));
    ("application/json", format!("[{}]", rows.iter().map(row).collect::<Vec<_>>().join(",")).into_bytes())
}

fn xml(rows: &[Row<'_>]) -> Body {
    let field = |(name, value): &(&str, &str)| format!("<field name='{name}'>{value}</field>");
    let row = |row: &Row<'_>| format!("<doc>{}</doc>", row.iter().map(field).collect::<String>());
    ("text/xml", format!("<add>{}</add>", rows.iter().map(row).collect::<String>()).into_bytes())
}

fn csv(rows: &[Row<'_>]) -> Body {
    let mut names: Vec<&str> = vec![];
    for (name, _) in rows.iter().copied().flatten() {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let mut text = names.join(",");
    for row in rows {
        let value = |name: &&str| row.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value);
        text = format!("{text}\n{}", names.iter().map(value).collect::<Vec<_>>().join(","));
    }
    ("text/csv", text.into_bytes())
}

fn javabin(rows: &[Row<'_>]) -> Body {
    let text = |out: &mut Vec<u8>, text: &str| {
        out.push(0x20 | u8::try_from(text.len()).unwrap());
        out.extend_from_slice(text.as_bytes());
    };
    let mut out = b"\x02\xc1\xe0\x24docs\x0e".to_vec();
    for row in rows {
        out.extend_from_slice(&[0x10, u8::try_from(row.len()).unwrap(), 0x08, 0, 0, 0, 0]);
        for (name, value) in *row {
            out.push(0xe0);
            text(&mut out, name);
            text(&mut out, value);
        }
    }
    out.push(0x0f);
    ("application/javabin", out)
}

const FORMATS: [fn(&[Row<'_>]) -> Body; 4] = [json, xml, csv, javabin];

/// In chunks, each of which the server takes as a piece.
async fn post_in_chunks(served: &Served, query: &str, (media_type, body): &Body) -> Answer {
    served.post_in_chunks(&format!("/solr/films/update?{query}"), (media_type, body), 11).await
}

async fn post_whole(served: &Served, query: &str, (media_type, body): &Body) -> Answer {
    let head = format!(
        "POST /solr/films/update?{query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
         Content-Type: {media_type}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    served.send(&head, body).await
}

/// Both servers' clocks stand still, so that even versions are the same.
struct Two {
    whole: Served,
    in_pieces: Served,
}

impl Two {
    async fn start() -> Self {
        let whole = Served::start_with_configset("processing", |_| {}).await;
        let in_pieces = Served::start_with_configset("processing", |config| config.piece_bytes = 1).await;
        Self { whole, in_pieces }
    }

    async fn check(&self, query: &str, body: &Body) -> String {
        let (whole, pieces) =
            (post_whole(&self.whole, query, body).await, post_in_chunks(&self.in_pieces, query, body).await);
        let shown = format!("{query} {} {}", body.0, String::from_utf8_lossy(&body.1));
        assert_eq!((pieces.status, short(&pieces.body)), (whole.status, short(&whole.body)), "{shown}");
        let everything = "/solr/films/select?q=*:*&sort=id+asc,_version_+asc&rows=100&fl=*";
        let commit = "/solr/films/update?commit=true";
        self.whole.get(commit).await;
        self.in_pieces.get(commit).await;
        let (there, expected) =
            (self.in_pieces.get(everything).await.body, self.whole.get(everything).await.body);
        assert_eq!(there, expected, "{shown}");
        format!("{} {} {there}", whole.status, whole.body)
    }
}

/// The text around a place in JSON is that of the piece.
fn short(body: &str) -> &str {
    body.split(" AFTER='").next().unwrap_or(body)
}

/// Of each format the rows under the same parameters; `expected` is a part of the answer or of what is there
/// then.
async fn check(cases: &[(&str, &[Row<'_>], &str)]) {
    for format in FORMATS {
        let two = Two::start().await;
        for (query, rows, expected) in cases {
            let found = two.check(&format!("{query}&wt=json"), &format(rows)).await;
            assert!(found.contains(expected), "{query}: {found}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_tolerated_over_all_pieces() {
    let bad = |id: &'static str| [("id", id), ("n_i", "x")];
    let rows: &[Row<'_>] = &[
        &[("id", "a"), ("n_i", "1")],
        &bad("b"),
        &[("id", "c"), ("n_i", "3")],
        &[("id", "a"), ("_version_", "5")],
        &bad("d"),
        &[("id", "e"), ("n_i", "4")],
    ];
    let more: &[Row<'_>] = &[
        &[("id", "f"), ("n_i", "1")],
        &bad("g"),
        &bad("h"),
        &[("id", "i"), ("n_i", "1")],
        &bad("j"),
        &[("id", "k"), ("n_i", "1")],
        &bad("l"),
        &[("id", "never"), ("n_i", "1")],
    ];
    check(&[
        ("update.chain=tolerant&versions=true&commit=true", rows, r#""id":"d""#),
        ("update.chain=tolerant&versions=true", more, r#""id":"k""#),
        ("update.chain=tolerant&maxErrors=-1", more, r#""id":"never""#),
        ("update.chain=tolerant&maxErrors=0&versions=true", rows, "400 "),
        ("processor=tolerant&maxErrors=2&versions=true", rows, r#""maxErrors":2"#),
        ("processor=tolerant&maxErrors=3&versions=true", rows, r#""maxErrors":3"#),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chains_do_the_same_to_pieces() {
    let plain: &[Row<'_>] = &[
        &[("id", "a"), ("name_s", "same name"), ("revision_l", "5"), ("life_s", "+1DAY")],
        &[("id", "b"), ("name_s", "other name"), ("revision_l", "5"), ("life_s", "+2DAYS")],
        &[("id", "c"), ("name_s", "same name"), ("revision_l", "6")],
        &[("id", "a"), ("name_s", "third name"), ("revision_l", "7")],
        &[("id", "b"), ("name_s", "same name"), ("revision_l", "4")],
        &[("id", "d"), ("name_s", "last one"), ("revision_l", "1")],
    ];
    let unknown: &[Row<'_>] = &[
        &[("id", "p"), ("first_new", "1")],
        &[("id", "q"), ("second_new", "2.5")],
        &[("id", "r"), ("first_new", "2")],
        &[("id", "s"), ("second_new", "word")],
        &[("id", "t"), ("third_new", "2020-01-01T00:00:00Z")],
    ];
    let keyless: &[Row<'_>] = &[&[("name_s", "x")], &[("name_s", "y")], &[("name_s", "x")]];
    check(&[
        ("versions=true&commit=true", plain, r#""adds":["a","#),
        ("update.chain=dedupe&versions=true", plain, "signature"),
        ("update.chain=dedupe&versions=true&overwrite=false", plain, "signature"),
        ("update.chain=dedupe-key&versions=true", plain, "same name"),
        ("update.chain=uuid&versions=true", plain, "00000000-0000-4000"),
        ("update.chain=uuid-key&versions=true", keyless, "00000000-0000-4000"),
        ("update.chain=dedupe-key&versions=true", keyless, r#""name_s":"y""#),
        ("update.chain=expire&_ttl_=%2B3DAYS&versions=true", plain, "expire_at"),
        ("update.chain=expire-names&life=%2B3DAYS", plain, "expire_at"),
        ("update.chain=timestamp", plain, "made_at"),
        ("update.chain=versions&versions=true", plain, "409 "),
        ("update.chain=versions-quiet&versions=true", plain, ""),
        ("update.chain=skip&versions=true", plain, "third name"),
        ("update.chain=limit", plain, ""),
        ("update.chain=after", plain, ""),
        ("processor=shorten&post-processor=stamp", plain, "stamped"),
        ("processor=template&template.field=t_s:{id}-{name_s}", plain, "a-third name"),
        ("update.chain=guess", unknown, "first_new"),
        ("update.chain=guess&update.chain=nowhere", unknown, ""),
        ("update.chain=no-commit&commit=true", plain, ""),
        ("update.chain=no-commit-403&commit=true", plain, "403 "),
        ("optimize=true&versions=true", plain, r#""adds":["a","#),
    ])
    .await;
}

/// On a core without deleted documents: how many fields an index has (as the answer says) depends on when
/// merges drop these.
#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_fields_stops_every_piece() {
    let row: &[Row<'_>] = &[&[("id", "a"), ("name_s", "one"), ("revision_l", "5")]];
    let more: &[Row<'_>] =
        &[&[("id", "b")], &[("id", "c"), ("name_s", "two")], &[("id", "d"), ("new_s", "three")]];
    check(&[
        ("update.chain=limit-hard&versions=true", row, r#""adds":["a","#),
        ("update.chain=limit-hard&versions=true", more, "400 "),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_before_an_error_is_the_same() {
    let conflict: &[Row<'_>] = &[
        &[("id", "a"), ("_version_", "0")],
        &[("id", "b"), ("_version_", "-1")],
        &[("id", "c"), ("_version_", "1")],
        &[("id", "d"), ("_version_", "0")],
        &[("id", "e"), ("_version_", "17")],
        &[("id", "f"), ("_version_", "0")],
    ];
    let value: &[Row<'_>] = &[&[("id", "g")], &[("id", "h"), ("n_i", "x")], &[("id", "i")], &[("id", "j")]];
    check(&[
        ("versions=true&commit=true", conflict, "409 "),
        ("versions=true&failOnVersionConflicts=false&commit=true", conflict, r#""id":"f""#),
        ("versions=true&overwrite=false", conflict, "409 "),
        ("versions=true&commit=true", value, "400 "),
        ("_version_=-1&failOnVersionConflicts=false&versions=true", value, "400 "),
        ("commitWithin=10&versions=true&wt=xml", value, "400 "),
    ])
    .await;
    for format in FORMATS {
        let two = Two::start().await;
        let (media_type, body) = format(&[&[("id", "a")], &[("id", "b")], &[("id", "c"), ("n_i", "1")]]);
        for cut in (0..body.len()).step_by(3) {
            let broken = (media_type, body[..cut].to_vec());
            two.check("versions=true", &broken).await;
            two.check("update.chain=tolerant&versions=true", &broken).await;
        }
    }
}
