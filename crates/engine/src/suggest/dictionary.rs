//! Sorted texts with a tree of their first letters above them: one walk down finds those that begin as asked,
//! and the letters that may follow are listed without a search. The tree ends where few texts are left; those
//! are searched as they stand.

use std::ops::Range;

use super::texts::Texts;

/// This many texts or fewer have no tree of their own.
const TEXTS_PLAIN: usize = 16;

pub(super) struct Dictionary {
    pub(super) texts: Texts,
    tree: Tree,
}

/// Nodes by level, those below one node in a row.
#[derive(Default)]
struct Tree {
    /// The letter that leads to each.
    letters: Vec<u8>,
    /// The texts of each.
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// The first node below each, which is where those below the node before end; one more at the end.
    below: Vec<u32>,
}

/// Texts that have their first `depth` bytes in common.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub(super) texts: Range<usize>,
    depth: usize,
    /// Below the node of the tree that the texts are those of; empty where the tree does not go on.
    nodes: Range<usize>,
}

impl Dictionary {
    /// Of texts in ascending order; equal ones may be among them.
    pub(super) fn of(texts: Texts) -> Self {
        let texts = texts.shrink();
        Self { tree: Tree::of(&texts), texts }
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The number of a text, of equal ones the first.
    pub(super) fn find(&self, text: &[u8]) -> Option<usize> {
        let at = self.begin_with(text).start;
        (at < self.len() && self.texts.get(at) == text).then_some(at)
    }

    /// The texts that begin so.
    pub(super) fn begin_with(&self, prefix: &[u8]) -> Range<usize> {
        self.descend(prefix).texts
    }

    /// The texts that begin so, to go on from.
    pub(super) fn descend(&self, prefix: &[u8]) -> Span {
        let mut span = Span { texts: 0..self.len(), depth: 0, nodes: self.tree.below(0) };
        for letter in prefix {
            if span.nodes.is_empty() {
                break;
            }
            span = self.tree.child(&span, *letter);
        }
        if span.depth < prefix.len() {
            let start = self.texts.first(span.texts.clone(), |known| known >= prefix);
            let end = self.texts.first_near(start..span.texts.end, |known| !known.starts_with(prefix));
            span = Span { texts: start..end.max(start), depth: prefix.len(), nodes: 0..0 };
        }
        span
    }

    /// The wanted ones of the letters that follow in texts of a span, ascending, and the texts they lead to.
    pub(super) fn children<W: Fn(u8) -> bool>(&self, span: &Span, wanted: W) -> Children<'_, W> {
        Children { dictionary: self, span: span.clone(), wanted }
    }

    pub(super) fn size(&self) -> usize {
        self.texts.size() + self.tree.size()
    }
}

/// See [`Dictionary::children`].
pub(super) struct Children<'a, W> {
    dictionary: &'a Dictionary,
    /// What is left of the span.
    span: Span,
    wanted: W,
}

impl<W: Fn(u8) -> bool> Iterator for Children<'_, W> {
    type Item = (u8, Span);

    fn next(&mut self) -> Option<(u8, Span)> {
        let Self { dictionary: Dictionary { texts, tree }, span, wanted } = self;
        let depth = span.depth + 1;
        if !span.nodes.is_empty() {
            let letters = tree.letters.get(span.nodes.clone())?;
            let at = letters.iter().position(|letter| wanted(*letter));
            let node = span.nodes.start + at.unwrap_or(letters.len());
            span.nodes.start = node + 1;
            if span.nodes.is_empty() {
                span.texts.start = span.texts.end;
            }
            return at.and_then(|at| letters.get(at)).map(|letter| (*letter, tree.span(node, depth)));
        }
        loop {
            let (letter, below) = next_letter(texts, &mut span.texts, span.depth)?;
            if wanted(letter) {
                return Some((letter, Span { texts: below, depth, nodes: 0..0 }));
            }
        }
    }
}

/// The first letter at `depth` in a range of texts, and the texts that have it, which are taken from the
/// range.
fn next_letter(texts: &Texts, range: &mut Range<usize>, depth: usize) -> Option<(u8, Range<usize>)> {
    let start = texts.first_near(range.clone(), |text| text.len() > depth);
    let letter = texts.get(start).get(depth).copied().filter(|_| start < range.end)?;
    let end = texts.first_near(start..range.end, |text| text.get(depth) != Some(&letter));
    range.start = end;
    Some((letter, start..end))
}

impl Tree {
    fn of(texts: &Texts) -> Self {
        let mut tree = Self::default();
        tree.add(0, &(0..texts.len()));
        let (mut node, mut depth, mut level_end) = (0, 0, 1);
        while node < tree.letters.len() {
            if node == level_end {
                (depth, level_end) = (depth + 1, tree.letters.len());
            }
            tree.below.push(tree.letters.len() as u32);
            let mut range = tree.texts(node);
            if range.len() > TEXTS_PLAIN {
                while let Some((letter, below)) = next_letter(texts, &mut range, depth) {
                    tree.add(letter, &below);
                }
            }
            node += 1;
        }
        tree.below.push(tree.letters.len() as u32);
        [&mut tree.starts, &mut tree.ends, &mut tree.below].into_iter().for_each(Vec::shrink_to_fit);
        tree.letters.shrink_to_fit();
        tree
    }

    fn add(&mut self, letter: u8, texts: &Range<usize>) {
        self.letters.push(letter);
        self.starts.push(texts.start as u32);
        self.ends.push(texts.end as u32);
    }

    fn texts(&self, node: usize) -> Range<usize> {
        let at = |ends: &[u32]| ends.get(node).copied().unwrap_or(0) as usize;
        at(&self.starts)..at(&self.ends)
    }

    /// The nodes below one.
    fn below(&self, node: usize) -> Range<usize> {
        let first = |node: usize| self.below.get(node).copied().unwrap_or(0) as usize;
        first(node)..first(node + 1)
    }

    fn span(&self, node: usize, depth: usize) -> Span {
        Span { texts: self.texts(node), depth, nodes: self.below(node) }
    }

    /// The texts of a span that go on with a letter.
    fn child(&self, span: &Span, letter: u8) -> Span {
        let letters = self.letters.get(span.nodes.clone()).unwrap_or_default();
        let depth = span.depth + 1;
        match letters.iter().position(|it| *it == letter) {
            Some(at) => self.span(span.nodes.start + at, depth),
            None => Span { texts: span.texts.end..span.texts.end, depth, nodes: 0..0 },
        }
    }

    fn size(&self) -> usize {
        let numbers = self.starts.capacity() + self.ends.capacity() + self.below.capacity();
        self.letters.capacity() + numbers * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dictionary(mut words: Vec<String>) -> (Vec<String>, Dictionary) {
        words.sort();
        let mut texts = Texts::default();
        words.iter().for_each(|word| texts.push(word.as_bytes()));
        (words, Dictionary::of(texts))
    }

    /// All texts of a span, by walking down letter by letter.
    fn walked(dictionary: &Dictionary, span: &Span, out: &mut Vec<(usize, Range<usize>)>) {
        out.push((span.depth, span.texts.clone()));
        for (_, child) in dictionary.children(span, |_| true) {
            walked(dictionary, &child, out);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn texts_are_found_by_their_beginning(words in proptest::collection::vec("[abé]{0,6}", 0..600), prefix in "[abcé]{0,4}") {
            let (words, dictionary) = dictionary(words);
            let begin = |word: &&String| word.starts_with(&prefix);
            let found = dictionary.begin_with(prefix.as_bytes());
            prop_assert_eq!(found.len(), words.iter().filter(begin).count());
            prop_assert!(words[found].iter().all(|word| word.starts_with(&prefix)));
            prop_assert_eq!(dictionary.find(prefix.as_bytes()), words.iter().position(|word| *word == prefix));
        }

        #[test]
        fn letters_lead_to_the_texts_that_have_them(words in proptest::collection::vec("[ab]{0,5}", 0..600), prefix in "[ab]{0,2}") {
            let (words, dictionary) = dictionary(words);
            let mut spans = Vec::new();
            walked(&dictionary, &dictionary.descend(prefix.as_bytes()), &mut spans);
            for (depth, texts) in spans.into_iter().filter(|(_, texts)| !texts.is_empty()) {
                let beginning = words[texts.start][..depth].to_owned();
                prop_assert_eq!(dictionary.begin_with(beginning.as_bytes()), texts);
            }
            let longer = words.iter().filter(|word| word.starts_with(&prefix) && word.len() > prefix.len());
            let first_letters: std::collections::BTreeSet<u8> = longer.map(|word| word.as_bytes()[prefix.len()]).collect();
            let children = dictionary.children(&dictionary.descend(prefix.as_bytes()), |_| true);
            prop_assert_eq!(children.map(|(letter, _)| letter).collect::<Vec<_>>(), first_letters.into_iter().collect::<Vec<_>>());
        }
    }
}
