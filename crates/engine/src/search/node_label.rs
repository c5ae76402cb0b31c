//! A query as Lucene prints it, in explanations and in the labels of queries around it. Tools and people read
//! these texts, so they are Lucene's to the letter.
//!
//! In: a node; out: its text. Leaves carry theirs; here is how they are put together.

use plan::Value;

use super::node::{BooleanNode, Node};

/// As Lucene prints the query of a node.
pub(crate) fn label(node: &Node) -> String {
    let joined = |nodes: &[Node], sign: &str| -> Vec<String> {
        nodes.iter().map(|node| format!("{sign}{}", label(node))).collect()
    };
    match node {
        Node::Nothing => "MatchNoDocsQuery(\"\")".to_owned(),
        Node::Constant(constant) => boosted(&constant.label, constant.score),
        Node::Term(term) => boosted(&term.label, term.scoring.boost),
        Node::Synonym(synonym) => boosted(&synonym.label, synonym.scoring.boost),
        Node::Phrase(phrase) => boosted(&phrase.label, phrase.scoring.boost),
        Node::Span(span) => boosted(&span.label, span.scoring.boost),
        Node::Function(function) => boosted(&function.label, function.boost),
        Node::Boosted(node) => boosted(&node.by.label, node.by.boost),
        Node::Preset(node) => node.preset.label().to_owned(),
        Node::Boolean(BooleanNode { required, optional, prohibited, filters, .. }) => {
            let parts =
                [joined(required, "+"), joined(filters, "#"), joined(optional, ""), joined(prohibited, "-")];
            parts.concat().join(" ")
        }
        Node::DisjunctionMax { nodes, tie_breaker } => {
            let tie = if *tie_breaker == 0.0 { String::new() } else { format!("~{}", number(*tie_breaker)) };
            format!("({}){tie}", joined(nodes, "").join(" | "))
        }
    }
}

pub(super) fn boosted(label: &str, boost: f32) -> String {
    if boost == 1.0 { label.to_owned() } else { format!("{label}^{}", number(boost)) }
}

pub(super) fn number(number: f32) -> String {
    Value::Float(number).to_text()
}
