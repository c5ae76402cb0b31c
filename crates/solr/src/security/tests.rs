//! Files, log-ins, rules and edits.

use super::*;
use crate::params::Params;
use crate::response::{JsonStyle, write_json};

const SOLR_ROCKS: &str =
    "IV0EHq1OnNrj6gvRCwvFwTrZ1+z1oBbnQdiVC3otuq0= Ndd7LKvVBAaZIF0QAVi1ekCfAJXr1GGfLtRUXhgrF8c=";

fn file(permissions: &str) -> Security {
    let text = format!(
        r#"{{"authentication":{{"class":"solr.BasicAuthPlugin","credentials":{{"solr":"{SOLR_ROCKS}","tom":"{SOLR_ROCKS}"}}}},
            "authorization":{{"class":"solr.RuleBasedAuthorizationPlugin","permissions":[{permissions}],
            "user-role":{{"solr":["admin"],"tom":"dev"}}}}}}"#
    );
    Security::read(&text).unwrap().unwrap()
}

fn basic(pair: &str) -> String {
    format!("Basic {}", crate::response::base64(pair.as_bytes()))
}

#[test]
fn files_are_read_or_refused() {
    let check = |text: &str, expected: Result<bool, &str>| match (Security::read(text), expected) {
        (Ok(found), Ok(there)) => assert_eq!(found.is_some(), there, "{text}"),
        (Err(error), Err(part)) => assert!(error.message.contains(part), "{text}: {error}"),
        (found, _) => panic!("{text}: {found:?}"),
    };
    let with = |rest: &str| format!(r#"{{"authentication":{{"class":"solr.BasicAuthPlugin"{rest}}}}}"#);
    check("", Ok(false));
    check("{}", Ok(false));
    check(&with(""), Ok(true));
    check(
        &with(r#","blockUnknown":"false","forwardCredentials":true,"realm":"My Solr users","":{"v":3}"#),
        Ok(true),
    );
    check(r#"{"authentication":{"class":"org.apache.solr.security.BasicAuthPlugin"}}"#, Ok(true));
    check("[]", Err("no JSON object"));
    check(r#"{"authentication":{"class":"solr.MultiAuthPlugin"}}"#, Err("`solr.MultiAuthPlugin`"));
    check(r#"{"authentication":{"class":"solr.JWTAuthPlugin"}}"#, Err("use `solr.BasicAuthPlugin`"));
    check(
        r#"{"authentication":{}, "authorization":{"class":"solr.RuleBasedAuthorizationPlugin"}}"#,
        Err("nobody could log in"),
    );
    check(r#"{"auditlogging":{"class":"x"}}"#, Err("`auditlogging`"));
    check(&with(r#","jwkUrl":"x""#), Err("`jwkUrl`"));
    check(&with(r#","blockUnknown":"maybe""#), Err("`maybe`"));
    check(&with(r#","realm":"a\"b""#), Err("realm"));
    check(&with(r#","credentials":{"a":"b"}"#), Err("credential for `a`"));
    check(&with(r#","apiKeys":{"a":{"hash":"x","roles":[]}}"#), Err("hash for the key `a`"));
    let rules = |permission: &str| {
        format!(
            r#"{{"authentication":{{"class":"solr.BasicAuthPlugin"}},"authorization":{{"class":"solr.RuleBasedAuthorizationPlugin","permissions":[{permission}]}}}}"#
        )
    };
    check(&rules(r#"{"name":"read","role":null}"#), Ok(true));
    check(&rules(r#"{"name":"read"}"#), Err("number 1, that is wrong: role not specified"));
    check(&rules(r#"{"name":"reed","role":"x"}"#), Err("neither a pre-defined permission"));
    check(&rules(r#"{"path":"/x","role":"x","method":"FROB"}"#), Err("Unknown method, FROB"));
    check(&rules(r#"{"path":"/x","role":"x","params":{"q":"REGEX:("}}"#), Err("the pattern `(`"));
    check(&rules("7"), Err("role not specified"));
}

/// Who a header says the sender is.
fn log_in(security: &Security, header: &str, now_ms: i64) -> Result<Option<Principal>, BadCredentials> {
    Shown::read(header)?.map(|shown| security.log_in(&shown, now_ms)).transpose()
}

#[test]
fn who_logs_in() {
    let security = file("");
    let check = |header: &str, expected: Result<Option<&str>, BadCredentials>| {
        let found = log_in(&security, header, 0).map(|who| who.map(|who| who.name));
        assert_eq!(found, expected.map(|name| name.map(str::to_owned)), "{header}");
    };
    check(&basic("solr:SolrRocks"), Ok(Some("solr")));
    check(&basic("solr:SolrRocks").replace("Basic", "bAsIc"), Ok(Some("solr")));
    for pair in ["solr:solr", "solr:", "solr", "nobody:SolrRocks", ":", "Solr:SolrRocks"] {
        check(&basic(pair), Err(BadCredentials));
    }
    check("Basic !!!", Err(BadCredentials));
    check("Basic /w==", Err(BadCredentials));
    check("Bearer phk_x", Err(BadCredentials));
    // Schemes of Solr's nodes among themselves say nothing here.
    for header in ["", "Basic", "SolrAuth solr abc", "Negotiate abc", "Digest x"] {
        check(header, Ok(None));
    }
}

/// Solr's own order: the collection, then the path, then the place in the list.
#[test]
fn rules_decide() {
    let params = Params::new(vec![("q".into(), "secret".into()), ("long".into(), "a".repeat(60))]);
    let check = |permissions: &str, path: &str, who: &str, expected: Verdict| {
        let security = file(permissions);
        let who = (!who.is_empty()).then(|| security.principal(who));
        let permission = match path {
            "/update" => Predefined::Update,
            _ => Predefined::Read,
        };
        let scope = Scope::Collections(vec![vec!["films".into(), "films_core".into()]]);
        let asked = AccessRequest { permission, path, method: "GET", params: &params, scope };
        assert_eq!(security.judge(&asked, who.as_ref()), expected, "{permissions} {path} {who:?}");
    };
    use Verdict::{Forbidden, LogIn, Permitted};
    check("", "/select", "", Permitted);
    let read = r#"{"name":"read","role":"admin"}"#;
    check(read, "/select", "", LogIn);
    check(read, "/select", "tom", Forbidden);
    check(read, "/select", "solr", Permitted);
    check(read, "/update", "tom", Permitted);
    check(r#"{"name":"read","role":"*"}"#, "/select", "tom", Permitted);
    check(r#"{"name":"read","role":null}"#, "/select", "", Permitted);
    check(r#"{"name":"read","role":[]}"#, "/select", "solr", Forbidden);
    check(
        r#"{"name":"read","role":["dev","x"]}, {"name":"all","role":"admin"}"#,
        "/select",
        "tom",
        Permitted,
    );
    check(r#"{"name":"read","role":"dev"}, {"name":"all","role":"admin"}"#, "/update", "tom", Forbidden);
    check(r#"{"name":"all","role":"admin"}, {"name":"read","role":"dev"}"#, "/select", "tom", Forbidden);
    // The place in the list counts less than the path, the path less than the collection.
    check(r#"{"name":"read","role":"admin"}, {"path":"/select","role":"dev"}"#, "/select", "tom", Permitted);
    check(
        r#"{"path":"/select","role":"admin"}, {"name":"read","collection":"films","role":"dev"}"#,
        "/select",
        "tom",
        Permitted,
    );
    check(
        r#"{"name":"read","collection":"films_core","role":"admin"}, {"name":"read","role":"*"}"#,
        "/select",
        "tom",
        Forbidden,
    );
    check(r#"{"name":"read","collection":["other"],"role":"admin"}"#, "/select", "tom", Permitted);
    check(r#"{"name":"read","collection":null,"role":"admin"}"#, "/select", "tom", Permitted);
    check(r#"{"path":"/update/*","role":"admin"}"#, "/update", "tom", Forbidden);
    check(r#"{"path":"/upd/*","role":"admin"}"#, "/update", "tom", Permitted);
    check(r#"{"path":"/select","method":"POST","role":"admin"}"#, "/select", "tom", Permitted);
    check(r#"{"path":"/select","method":["GET","POST"],"role":"admin"}"#, "/select", "tom", Forbidden);
    for (rule, expected) in [
        (r#""secret""#, Forbidden),
        (r#"["x","secret"]"#, Forbidden),
        (r#""secre""#, Permitted),
        (r#""REGEX:SEC""#, Permitted),
        (r#""REGEX:(?i)SEC""#, Forbidden),
        ("null", Permitted),
    ] {
        check(
            &format!(r#"{{"path":"/select","params":{{"q":{rule}}},"role":"admin"}}"#),
            "/select",
            "tom",
            expected,
        );
    }
    check(r#"{"path":"/select","params":{"shards":null},"role":"admin"}"#, "/select", "tom", Forbidden);
    // A pattern that does not come to an end is one that matches.
    let endless = r#"{"path":"/select","params":{"long":"REGEX:^(([a-z]+)+)+\\2!"},"role":"admin"}"#;
    check(endless, "/select", "tom", Forbidden);
}

#[test]
fn requests_of_the_node_touch_what_they_name() {
    let check = |permissions: &str, named: &[&str], expected: Verdict| {
        let security = file(permissions);
        let scope = Scope::Node(named.iter().map(|name| vec![(*name).to_owned()]).collect());
        let (permission, params) = (Predefined::CollectionAdminEdit, Params::default());
        let asked =
            AccessRequest { permission, path: "/admin/collections", method: "GET", params: &params, scope };
        assert_eq!(security.judge(&asked, Some(&security.principal("tom"))), expected, "{permissions}");
    };
    use Verdict::{Forbidden, Permitted};
    check(r#"{"name":"collection-admin-edit","role":"admin"}"#, &[], Forbidden);
    check(r#"{"name":"core-admin-edit","role":"admin"}"#, &[], Permitted);
    check(r#"{"name":"all","role":"admin"}"#, &[], Forbidden);
    check(r#"{"path":"/admin/*","role":"admin"}"#, &[], Permitted);
    check(r#"{"path":"/admin/*","collection":null,"role":"admin"}"#, &[], Forbidden);
    let secret = r#"{"name":"all","collection":"secret","role":"admin"}, {"name":"all","role":"dev"}"#;
    check(secret, &["films"], Permitted);
    check(secret, &["films", "secret"], Forbidden);
}

#[test]
fn edits_apply_whole_or_not_at_all() {
    let context = EditContext { random: &|| [7; 32], now_ms: 0 };
    let check = |section: Section, body: &str, expected: &str| {
        let edited = edit(&file(r#"{"name":"read","role":"dev"}"#), section, body, &context).unwrap();
        let mut shown = Vec::new();
        write_json(&edited.entries, &JsonStyle::default(), &mut shown);
        let mut shown = String::from_utf8(shown).unwrap();
        if let Some(security) = &edited.security {
            shown.push_str(&security.to_text().split_whitespace().collect::<String>());
        }
        assert_eq!(edited.security.is_none(), shown.contains("errorMessages"), "{body}: {shown}");
        assert!(shown.contains(expected), "{body}: {shown}");
    };
    let users = |body: &str, expected: &str| check(Section::Authentication, body, expected);
    users(r#"{"set-user":{"ann":"x"}}"#, r#""ann":""#);
    users(r#"{"set-user":{"ann":null}}"#, "name and password must be non-null");
    users(r#"{"set-user":{"ann":""}}"#, "name and password must be non-null");
    users(r#"{"set-user":{"a:b":"x"}}"#, "colon");
    users(r#"{"set-user":"ann"}"#, "but is 'ann'");
    users(r#"{"delete-user":["tom","nobody"]}"#, "No such user(s) [tom, nobody]");
    users(r#"{"delete-user":"tom"}"#, r#""credentials":{"solr":"#);
    users(r#"{"set-property":{"blockUnknown":false,"realm":"r"}}"#, r#""blockUnknown":false,"realm":"r""#);
    users(r#"{"set-property":{"x":1}}"#, "Unknown property x");
    users(r#"{"set-user":{"ann":"x"},"frob":1}"#, "Unknown operation 'frob' ");
    users(
        r#"{"create-key":{"name":"k","roles":["dev"]}}"#,
        r#"{"keys":{"k":"phk_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"}}"#,
    );
    users(
        r#"{"create-key":{"name":"k","user":"tom","expires":"NOW+1DAY"}}"#,
        r#""expires":"1970-01-02T00:00:00Z""#,
    );
    users(r#"{"create-key":{"name":"k"}}"#, "either `user`");
    users(r#"{"create-key":{"name":"k","roles":["a"],"user":"tom"}}"#, "either `user`");
    users(r#"{"create-key":{"name":"k","roles":["a"],"expires":"soon"}}"#, "`expires` is `soon`");
    users(r#"{"create-key":{"name":"k","roles":["a"],"x":1}}"#, "Unknown key, x");
    users(r#"{"delete-key":"k"}"#, "No such key k");
    let rules = |body: &str, expected: &str| check(Section::Authorization, body, expected);
    rules(r#"{"set-user-role":{"tom":null}}"#, r#""user-role":{"solr":["admin"]}"#);
    rules(r#"{"set-user-role":{"tom":5}}"#, "Unexpected value ");
    rules(
        r#"{"set-permission":{"name":"update","role":"x","before":1}}"#,
        r#"[{"name":"update","role":"x","index":1},{"name":"read""#,
    );
    rules(r#"{"set-permission":{"name":"update","role":"x","before":9}}"#, "Invalid 'before' :9");
    rules(r#"{"update-permission":{"index":1,"role":["a"]}}"#, r#"[{"name":"read","role":["a"],"index":1}]"#);
    rules(r#"{"update-permission":{"index":9,"role":["a"]}}"#, "No such permission");
    rules(r#"{"delete-permission":1}"#, r#""permissions":[]"#);
    rules(r#"{"delete-permission":"x"}"#, " is not a valid integer");
    rules(r#"{"delete-permission":0}"#, "No such index: 0");
    assert!(edit(&file(""), Section::Authentication, "[]", &context).is_err());
}

#[test]
fn keys_log_in_until_they_end() {
    let context = EditContext { random: &|| [7; 32], now_ms: 1000 };
    let body = r#"{"create-key":[{"name":"a","roles":["dev"],"expires":"NOW+1SECOND"}]}"#;
    let edited = edit(&file(""), Section::Authentication, body, &context).unwrap();
    let security = edited.security.unwrap();
    let header = "Bearer phk_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc";
    let who = log_in(&security, header, 1999).unwrap().unwrap();
    assert_eq!((who.name.as_str(), &*who.roles), ("key:a", &["dev".to_owned()][..]));
    assert_eq!(log_in(&security, header, 2000), Err(BadCredentials));
    assert_eq!(log_in(&security, &header[..header.len() - 1], 1999), Err(BadCredentials));
    // The file has no key, what is shown has no hash.
    assert!(!security.to_text().contains("phk_"));
    let mut shown = Vec::new();
    write_json(&view(Some(&security), Section::Authentication), &JsonStyle::default(), &mut shown);
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains(r#""a":{"roles":["dev"],"created":"1970-01-01T00:00:01Z""#), "{shown}");
    assert!(!shown.contains("hash") && !shown.contains("IV0EHq1"), "{shown}");
}
