//! Synonym rules, compiled: a trie over words whose nodes carry what to put in place. Rules come from files
//! in Solr's format (`a, b` and `a, b => c`) or WordNet's; each side of a rule is cut by a tokenizer, so one
//! term may be several words. Sources: the formats as Solr's reference describes them.

use rustc_hash::FxHashMap;

use crate::chars::to_lower;
use crate::error::Error;
use crate::stage::{Input, Tokenizer};
use crate::token::Token;

/// The compiled rules.
#[derive(Debug)]
pub(crate) struct SynonymMap {
    nodes: Vec<Node>,
    ignore_case: bool,
}

#[derive(Debug, Default)]
struct Node {
    next: FxHashMap<Box<str>, u32>,
    entry: Option<SynonymOutput>,
}

/// What a matched sequence of words becomes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct SynonymOutput {
    /// Whether the matched words stay.
    pub(crate) keeps_original: bool,
    /// The replacements in the order of the rules, each a sequence of words.
    pub(crate) outputs: Vec<Vec<Box<str>>>,
}

/// A place in the trie; the root is 0.
pub(crate) type NodeId = u32;

/// How rules are read.
pub(crate) struct RuleReader<'a> {
    /// Cuts each term of a rule into words.
    pub(crate) tokenizer: &'a dyn Tokenizer,
    pub(crate) ignore_case: bool,
    /// Whether `a, b` makes each term all of them, or all terms the first.
    pub(crate) expand: bool,
    pub(crate) map: SynonymMap,
}

impl SynonymMap {
    /// Whether there are no rules.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.first().is_none_or(|root| root.next.is_empty())
    }

    /// The node that follows another on a word.
    pub(crate) fn step(&self, from: NodeId, word: &str) -> Option<NodeId> {
        let node = self.nodes.get(from as usize)?;
        if !self.ignore_case {
            return node.next.get(word).copied();
        }
        // Most tokens come lower-cased by a filter before this one; they are looked up without a copy.
        if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return node.next.get(word).copied();
        }
        let lowered: String = word.chars().map(to_lower).collect();
        node.next.get(lowered.as_str()).copied()
    }

    /// What the words on the way to a node become.
    pub(crate) fn entry(&self, node: NodeId) -> Option<&SynonymOutput> {
        self.nodes.get(node as usize)?.entry.as_ref()
    }

    fn add(&mut self, input: &[Box<str>], output: &[Box<str>], keeps_original: bool) {
        let mut at = 0usize;
        for word in input {
            let fresh = self.nodes.len();
            let next = match self.nodes.get_mut(at) {
                Some(node) => *node.next.entry(word.clone()).or_insert(fresh as u32) as usize,
                None => return,
            };
            if next == fresh {
                self.nodes.push(Node::default());
            }
            at = next;
        }
        let Some(node) = self.nodes.get_mut(at) else { return };
        let entry = node.entry.get_or_insert_with(SynonymOutput::default);
        // Rules for one term may come from several lines: one that keeps the original keeps it for all, as in
        // Lucene.
        entry.keeps_original |= keeps_original;
        // A handful per term, so a scan will do, and the order of the rules is kept.
        if !entry.outputs.iter().any(|known| known == output) {
            entry.outputs.push(output.to_vec());
        }
    }
}

impl<'a> RuleReader<'a> {
    pub(crate) fn new(tokenizer: &'a dyn Tokenizer, ignore_case: bool, expand: bool) -> Self {
        let map = SynonymMap { nodes: vec![Node::default()], ignore_case };
        RuleReader { tokenizer, ignore_case, expand, map }
    }

    /// Adds one rule: the term goes, and the replacement takes its place.
    pub(crate) fn add_mapping(&mut self, term: &str, replacement: &str) -> Result<(), String> {
        let (input, output) = (self.words(term)?, self.words(replacement)?);
        self.map.add(&input, &output, false);
        Ok(())
    }

    /// Reads a file in Solr's format.
    pub(crate) fn read_solr(&mut self, file: &str, text: &str) -> Result<(), Error> {
        for (number, line) in text.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            self.solr_rule(line).map_err(|reason| {
                let line_number = number + 1;
                Error::resource(format!("cannot read line {line_number} of `{file}`: {reason}"))
            })?;
        }
        Ok(())
    }

    fn solr_rule(&mut self, line: &str) -> Result<(), String> {
        let sides = split_unescaped(line, "=>");
        match sides.as_slice() {
            [terms] => self.equivalent(terms),
            [left, right] => self.explicit(left, right),
            _ => Err(format!("`{line}` has more than one `=>`")),
        }
    }

    fn explicit(&mut self, left: &str, right: &str) -> Result<(), String> {
        let inputs = self.terms(left)?;
        let outputs = self.terms(right)?;
        for input in &inputs {
            for output in &outputs {
                self.map.add(input, output, false);
            }
        }
        Ok(())
    }

    fn equivalent(&mut self, terms: &str) -> Result<(), String> {
        let terms = self.terms(terms)?;
        for (index, input) in terms.iter().enumerate() {
            if !self.expand {
                self.map.add(input, terms.first().map_or(&[][..], Vec::as_slice), false);
                continue;
            }
            for (other, output) in terms.iter().enumerate() {
                if other != index {
                    self.map.add(input, output, true);
                }
            }
        }
        Ok(())
    }

    fn terms(&self, list: &str) -> Result<Vec<Vec<Box<str>>>, String> {
        split_unescaped(list, ",").iter().map(|term| self.words(unescape(term).trim())).collect()
    }

    /// Cuts a term into words.
    fn words(&self, term: &str) -> Result<Vec<Box<str>>, String> {
        let mut tokenizer = self.tokenizer.fresh();
        tokenizer.reset();
        let mut input = Input {
            tokenizer: &mut *tokenizer,
            filters: &mut [],
            text: term,
            offsets: &[],
            original_len: term.len(),
        };
        let mut token = Token::default();
        let mut words = Vec::new();
        while input.next(&mut token) {
            // Words with a hole between them could never be met in a row; Lucene refuses such a rule too.
            if token.position_increment != 1 {
                return Err(format!("`{term}` becomes words that are not in a row"));
            }
            let lowered: String = match self.ignore_case {
                true => token.text.chars().map(to_lower).collect(),
                false => token.text.clone(),
            };
            words.push(lowered.into_boxed_str());
        }
        if words.is_empty() {
            Err(format!("the term `{term}` has no words left after it was cut"))
        } else {
            Ok(words)
        }
    }

    /// Reads a file of WordNet's Prolog database (`s(100001740,1,'entity',n,1,11).`).
    pub(crate) fn read_wordnet(&mut self, file: &str, text: &str) -> Result<(), Error> {
        let mut group: Vec<Vec<Box<str>>> = Vec::new();
        let mut group_id = "";
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
            let (id, term) = wordnet_term(line).ok_or_else(|| {
                let line_number = number + 1;
                Error::resource(format!(
                    "cannot read line {line_number} of `{file}`: `{line}` is no WordNet term"
                ))
            })?;
            if id != group_id {
                self.add_group(&group);
                group.clear();
                group_id = id;
            }
            group.push(self.words(&term).map_err(Error::resource)?);
        }
        self.add_group(&group);
        Ok(())
    }

    fn add_group(&mut self, group: &[Vec<Box<str>>]) {
        if group.len() < 2 {
            return;
        }
        for input in group {
            if !self.expand {
                self.map.add(input, group.first().map_or(&[][..], Vec::as_slice), false);
                continue;
            }
            group
                .iter()
                .filter(|output| *output != input)
                .for_each(|output| self.map.add(input, output, true));
        }
    }
}

/// The group and the term of one line of WordNet's database.
fn wordnet_term(line: &str) -> Option<(&str, String)> {
    let inner = line.strip_prefix("s(")?;
    let (id, rest) = inner.split_once(',')?;
    let (_, quoted) = rest.split_once('\'')?;
    let end = quoted.rfind('\'')?;
    Some((id, quoted.get(..end)?.replace("''", "'")))
}

/// Splits at a separator that no backslash guards. Escapes stay.
fn split_unescaped(text: &str, separator: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let piece = match c {
            '\\' => rest.char_indices().nth(2).map_or(rest.len(), |(end, _)| end),
            _ if rest.starts_with(separator) => 0,
            _ => c.len_utf8(),
        };
        if piece == 0 {
            parts.push(String::new());
            rest = rest.get(separator.len()..).unwrap_or_default();
            continue;
        }
        let (taken, left) = rest.split_at(piece);
        parts.last_mut().into_iter().for_each(|part| part.push_str(taken));
        rest = left;
    }
    parts
}

/// Drops the backslashes that guard characters.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().or(Some('\\'))),
            other => out.push(other),
        }
    }
    out
}
