//! How a score came about, as Solr shows it: indented text, nested lists in HTML, or a tree. In: an
//! explanation as the engine makes it, with Lucene's words; out: a node. Which form is asked for is the
//! request's.

use std::fmt::Write as _;

use plan::Explanation;

use super::node::{Entries, Node};
use crate::select::ExplainStyle;

/// In the style that `[explain]` asks for.
pub fn styled(explanation: &Explanation, style: ExplainStyle) -> Node {
    match style {
        ExplainStyle::Text => Node::Str(text(explanation).into()),
        ExplainStyle::Html => Node::Str(html(explanation).into()),
        ExplainStyle::Structured => tree(explanation),
    }
}

/// One line a reason, two spaces a level.
pub fn text(explanation: &Explanation) -> String {
    let mut out = String::new();
    write_text(explanation, 0, &mut out);
    out
}

pub fn tree(explanation: &Explanation) -> Node {
    let mut entries: Entries = vec![
        ("match".into(), Node::Bool(explanation.matched)),
        ("value".into(), Node::from(explanation.value.clone())),
        ("description".into(), Node::Str(explanation.description.clone().into())),
    ];
    if !explanation.details.is_empty() {
        entries.push(("details".into(), Node::Array(explanation.details.iter().map(tree).collect())));
    }
    Node::Map(entries)
}

fn write_text(explanation: &Explanation, level: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", level));
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{} = {}", explanation.value.to_text(), explanation.description);
    for detail in &explanation.details {
        write_text(detail, level + 1, out);
    }
}

fn html(explanation: &Explanation) -> String {
    let mut out = format!("<ul>\n<li>{} = {}<br />\n", explanation.value.to_text(), explanation.description);
    for detail in &explanation.details {
        out.push_str(&html(detail));
    }
    out.push_str("</li>\n</ul>\n");
    out
}

#[cfg(test)]
mod tests {
    use plan::Value;

    use super::*;

    /// Layout recorded from Solr 9.10.1.
    #[test]
    fn explanations_read_as_lucenes() {
        let leaf = |value, description: &str| Explanation {
            matched: true,
            value,
            description: description.into(),
            details: vec![],
        };
        let found = Explanation {
            details: vec![
                leaf(Value::Long(3), "N, total number of documents with field"),
                leaf(Value::Float(1.2), "k1, term saturation parameter"),
            ],
            ..leaf(Value::Float(0.5), "idf, computed from:")
        };
        let expected = "0.5 = idf, computed from:\n  3 = N, total number of documents with field\n  1.2 = k1, term saturation parameter\n";
        assert_eq!(text(&found), expected);
        let expected = "<ul>\n<li>0.5 = idf, computed from:<br />\n<ul>\n<li>3 = N, total number of documents with field<br />\n</li>\n\
             </ul>\n<ul>\n<li>1.2 = k1, term saturation parameter<br />\n</li>\n</ul>\n</li>\n</ul>\n";
        assert_eq!(html(&found), expected);
        let Node::Map(entries) = tree(&found) else { panic!("a map") };
        assert_eq!(entries.len(), 4);
    }
}
