//! Bytes recorded from Solr 9.10.1, and the cases it does not reach.

use super::super::node::Name;
use super::*;

fn written(node: Node, style: &JsonStyle) -> String {
    let mut out = Vec::new();
    write_json(&vec![(Name::Borrowed("a"), node)], style, &mut out);
    String::from_utf8(out).unwrap()
}

fn plain(node: Node) -> String {
    let text = written(node, &JsonStyle::default());
    text.strip_prefix("{\"a\":").unwrap().strip_suffix('}').unwrap().to_owned()
}

#[test]
fn values_are_written_as_jackson_writes_them() {
    let check = |node: Node, expected: &str| assert_eq!(plain(node), expected);
    check(Node::Null, "null");
    check(Node::Float(1.1), "1.1");
    check(Node::Float(1e-4), "1.0E-4");
    check(Node::Double(1e10), "1.0E10");
    check(Node::Double(f64::NAN), "\"NaN\"");
    check(Node::Float(f32::NEG_INFINITY), "\"-Infinity\"");
    check(Node::Long(-7_000_000_000), "-7000000000");
    check(Node::Date(1_767_323_045_678), "\"2026-01-02T03:04:05.678Z\"");
    check(Node::Bytes(b"foo".to_vec()), "\"Zm9v\"");
    check(
        Node::str("a \"q\" \\ / <b> & ' \u{1}\t\n\r\u{8}\u{c} \u{2028}\u{2029} é 日 😀 \u{7f}\u{80}\u{1f}"),
        "\"a \\\"q\\\" \\\\ / <b> & ' \\u0001\\t\\n\\r\\b\\f \u{2028}\u{2029} é 日 \\uD83D\\uDE00 \u{7f}\u{80}\\u001F\"",
    );
}

#[test]
fn named_lists_follow_the_style() {
    let list = || {
        Node::NamedList(vec![
            (Some("only".into()), Node::Int(1)),
            (Some("x".into()), Node::Int(1)),
            (None, Node::Int(0)),
        ])
    };
    let check = |name: &str, indent: bool, expected: &str| {
        let style = JsonStyle { indent, named_lists: NamedListStyle::parse(name).unwrap(), wrapper: None };
        let text = written(list(), &style);
        assert_eq!(text, expected, "{name}");
    };
    check("flat", true, "{\n  \"a\":[\"only\",1,\"x\",1,null,0]\n}");
    check("map", false, "{\"a\":{\"only\":1,\"x\":1,\"\":0}}");
    check("map", true, "{\n  \"a\":{\n    \"only\":1,\n    \"x\":1,\n    \"\":0\n  }\n}");
    check("arrarr", true, "{\n  \"a\":[[\"only\",1],[\"x\",1],[null,0]]\n}");
    check("arrmap", true, "{\n  \"a\":[{\n    \"only\":1\n  },{\n    \"x\":1\n  },0]\n}");
    check(
        "arrntv",
        false,
        "{\"a\":[{\"name\":\"only\",\"type\":\"int\",\"value\":1},{\"name\":\"x\",\"type\":\"int\",\"value\":1},\
         {\"name\":null,\"type\":\"int\",\"value\":0}]}",
    );
    assert!(NamedListStyle::parse("tree").is_err());
}

#[test]
fn emptiness_has_a_space_only_when_indented() {
    let check = |node: Node, indented: &str, compact: &str| {
        let style = JsonStyle { indent: true, ..JsonStyle::default() };
        assert_eq!(written(node.clone(), &style), format!("{{\n  \"a\":{indented}\n}}"));
        assert_eq!(plain(node), compact);
    };
    check(Node::Map(vec![]), "{ }", "{}");
    check(Node::Array(vec![]), "[ ]", "[]");
    check(Node::NamedList(vec![]), "[ ]", "[]");
    check(Node::Document(DocumentNode::default()), "{ }", "{}");
}

#[test]
fn a_page_of_documents_is_laid_out_as_solr_does() {
    let document = |id: &str| DocumentNode {
        fields: vec![
            ("id".into(), FieldNode::One(Value::Str(id.into()))),
            ("cat_ss".into(), FieldNode::Many(vec![Value::Str("x".into()), Value::Str("y".into())])),
            ("score".into(), FieldNode::Computed(Node::Float(1.0))),
        ],
    };
    let list = Node::DocList(DocList {
        num_found: 2,
        start: 0,
        max_score: Some(1.0),
        num_found_exact: true,
        docs: vec![document("1"), document("2")],
        ..DocList::default()
    });
    let style = JsonStyle { indent: true, ..JsonStyle::default() };
    let expected = "{\n  \"a\":{\n    \"numFound\":2,\n    \"start\":0,\n    \"maxScore\":1.0,\n    \
        \"numFoundExact\":true,\n    \"docs\":[{\n      \"id\":\"1\",\n      \"cat_ss\":[\"x\",\"y\"],\n      \
        \"score\":1.0\n    },{\n      \"id\":\"2\",\n      \"cat_ss\":[\"x\",\"y\"],\n      \"score\":1.0\n    }]\n  }\n}";
    assert_eq!(written(list, &style), expected);
}

#[test]
fn a_wrapper_makes_a_call() {
    let style = JsonStyle { wrapper: Some("cb".into()), ..JsonStyle::default() };
    assert_eq!(written(Node::Int(1), &style), "cb( {\"a\":1} )");
}
