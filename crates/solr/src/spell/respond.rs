//! Findings as Solr shows them: suggestions by word, whether the query was right, corrected queries. In: what
//! all shards found, finished; what was asked is `request.rs`, which corrected queries there are
//! `collation.rs`.

use plan::SpellFinding;

use super::collation::{Collation, CollationBounds, Collations};
use super::request::Spelling;
use crate::response::{Entries, Name, Node};

impl Spelling {
    /// The corrected queries, if the request wants any shown; to be tried if it wants that and there is a
    /// search to try.
    pub fn collations(&self, findings: &[SpellFinding], searches: bool) -> Option<Collations> {
        let bounds = self.collation?;
        let tries_max = if searches { bounds.tries_max } else { 0 };
        Some(Collations::new(&self.query, findings, CollationBounds { tries_max, ..bounds }))
    }

    /// The section `spellcheck`.
    pub fn respond(&self, findings: Vec<SpellFinding>, collations: Option<Collations>) -> Entries {
        let suggestions = findings.into_iter().filter_map(|finding| self.suggestions(finding)).collect();
        let mut entries: Entries = vec![("suggestions".into(), Node::NamedList(suggestions))];
        if self.extended {
            entries.push(("correctlySpelled".into(), Node::Bool(self.is_correct)));
        }
        if let Some(collations) = collations {
            let shown = collations.into_shown().into_iter().map(|it| self.collation(it));
            let named = shown.map(|node| (Some(Name::Borrowed("collation")), node)).collect();
            entries.push(("collations".into(), Node::NamedList(named)));
        }
        vec![("spellcheck".into(), Node::Map(entries))]
    }

    /// `None` when nothing but the word itself is suggested.
    fn suggestions(&self, finding: SpellFinding) -> Option<(Option<Name>, Node)> {
        let SpellFinding { word, documents, mut suggestions } = finding;
        suggestions.retain(|(text, _)| *text != word.text);
        if suggestions.is_empty() {
            return None;
        }
        let mut entries: Entries = vec![
            ("numFound".into(), Node::count(suggestions.len() as u64)),
            ("startOffset".into(), Node::count(word.start as u64)),
            ("endOffset".into(), Node::count(word.end as u64)),
        ];
        let text = |text: String| Node::Str(text.into());
        let shown = if self.extended {
            entries.push(("origFreq".into(), Node::count(documents)));
            let entry = |(word, freq)| Node::map([("word", text(word)), ("freq", Node::count(freq))]);
            suggestions.into_iter().map(entry).collect()
        } else {
            suggestions.into_iter().map(|(word, _)| text(word)).collect()
        };
        entries.push(("suggestion".into(), Node::Array(shown)));
        Some((Some(Name::Owned(word.text)), Node::Map(entries)))
    }

    fn collation(&self, collation: Collation) -> Node {
        let query = Node::Str(collation.query.into());
        if !self.collation_extended {
            return query;
        }
        let corrections = collation.corrections.into_iter();
        let corrections =
            corrections.map(|(word, text)| (Some(Name::Owned(word)), Node::Str(text.into()))).collect();
        Node::map([
            ("collationQuery", query),
            ("hits", Node::long(collation.hits)),
            ("misspellingsAndCorrections", Node::NamedList(corrections)),
        ])
    }
}
