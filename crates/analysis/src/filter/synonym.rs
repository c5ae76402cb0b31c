//! The synonym components: their definitions, the reading of their files, and the older `synonym` filter,
//! which knows no graph: the words of a replacement are laid over the following tokens, whatever those are.
//! Rules come from the configset's files and are compiled in `synonym_map.rs`; the graph that several words
//! make is laid out in `synonym_graph.rs`. Here stand the arguments, and the flat filter, which squeezes
//! outputs into the positions that are there.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use plan::ComponentSpec;

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::filter::synonym_graph::SynonymGraph;
use crate::stage::{Filter, Input, Tokenizer};
use crate::synonym_map::{NodeId, RuleReader, SynonymMap};
use crate::token::{KIND_SYNONYM, Token};

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&SYNONYM_GRAPH, &SYNONYM];

const ARGUMENTS: &[&str] =
    &["synonyms", "format", "ignoreCase", "expand", "tokenizerFactory", "tokenizerFactory.*", "analyzer"];

static SYNONYM_GRAPH: FilterDefinition = FilterDefinition::new(
    "synonymGraph",
    "synonym.SynonymGraphFilterFactory",
    ARGUMENTS,
    "Adds synonyms from files as a token graph; meant for queries.",
    |args| Ok(graph(read_map(args)?)),
)
.reading(&["synonyms"]);

static SYNONYM: FilterDefinition = FilterDefinition::new(
    "synonym",
    "synonym.SynonymFilterFactory",
    ARGUMENTS,
    "Adds synonyms from files without a graph; `synonymGraph` is the better one.",
    |args| Ok(flat(read_map(args)?)),
)
.reading(&["synonyms"]);

/// The filter that adds the synonyms of a map as a graph.
pub(crate) fn graph(map: SynonymMap) -> Box<dyn Filter> {
    if map.is_empty() { Box::new(PassThrough) } else { Box::new(SynonymGraph::new(Arc::new(map))) }
}

/// The filter that lays the synonyms of a map over the tokens.
pub(crate) fn flat(map: SynonymMap) -> Box<dyn Filter> {
    if map.is_empty() { Box::new(PassThrough) } else { Box::new(FlatSynonyms::new(Arc::new(map))) }
}

fn read_map(args: &Args<'_>) -> Result<SynonymMap, Error> {
    let tokenizer = rule_tokenizer(args)?;
    let mut reader = RuleReader::new(&*tokenizer, args.flag("ignoreCase", false), args.flag("expand", true));
    for name in args.required("synonyms")?.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let text = args.file("synonyms", name)?;
        match args.get("format") {
            None | Some("solr" | "org.apache.lucene.analysis.synonym.SolrSynonymParser") => {
                reader.read_solr(name, text)?;
            }
            Some("wordnet" | "org.apache.lucene.analysis.synonym.WordnetSynonymParser") => {
                reader.read_wordnet(name, text)?;
            }
            Some(other) => return Err(args.bad("format", other, "is unknown; use solr or wordnet")),
        }
    }
    Ok(reader.map)
}

/// What cuts the terms of the rules: `tokenizerFactory` with its `tokenizerFactory.*` arguments, or blanks.
fn rule_tokenizer(args: &Args<'_>) -> Result<Box<dyn Tokenizer>, Error> {
    if let Some(analyzer) = args.get("analyzer") {
        if args.get("tokenizerFactory").is_some() {
            return Err(args.bad(
                "analyzer",
                analyzer,
                "cannot stand beside `tokenizerFactory`; keep one of them",
            ));
        }
        return analyzer_tokenizer(args, analyzer);
    }
    let name = args.get("tokenizerFactory").unwrap_or("whitespace").to_owned();
    let inner = args.iter().filter_map(|(key, value)| {
        let key = key.strip_prefix("tokenizerFactory.")?;
        Some((key.to_owned(), value.to_owned()))
    });
    let spec = ComponentSpec { name, args: inner.collect() };
    args.build_tokenizer(&spec)
}

/// Of Lucene's analyzer classes those that are a tokenizer without filters.
fn analyzer_tokenizer(args: &Args<'_>, class: &str) -> Result<Box<dyn Tokenizer>, Error> {
    let name = match class.rsplit('.').next() {
        Some("WhitespaceAnalyzer") => "whitespace",
        Some("KeywordAnalyzer") => "keyword",
        _ => return Err(args.bad("analyzer", class, "is not supported; use `tokenizerFactory` instead")),
    };
    let spec = ComponentSpec { name: name.to_owned(), ..ComponentSpec::default() };
    args.build_tokenizer(&spec)
}

/// What a synonym filter without rules is.
struct PassThrough;

impl Filter for PassThrough {
    #[inline]
    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        input.next(token)
    }

    fn is_absent(&self) -> bool {
        true
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(PassThrough)
    }
}

/// The filter without graph.
struct FlatSynonyms {
    map: Arc<SynonymMap>,
    ahead: VecDeque<Token>,
    /// Replacements for this position and the ones after it.
    slots: VecDeque<Vec<Addition>>,
    ready: VecDeque<Token>,
    /// Originals at the front of `ahead` that a match covers, and whether they stay.
    covered: usize,
    keeps_covered: bool,
    last_offsets: (u32, u32),
}

/// A word of a replacement that waits for its position.
#[derive(Clone)]
struct Addition {
    word: Box<str>,
    /// The end of the match, for a replacement of a single word.
    end: Option<u32>,
    position_length: u32,
}

impl FlatSynonyms {
    fn new(map: Arc<SynonymMap>) -> Self {
        FlatSynonyms {
            map,
            ahead: VecDeque::new(),
            slots: VecDeque::new(),
            ready: VecDeque::new(),
            covered: 0,
            keeps_covered: true,
            last_offsets: (0, 0),
        }
    }

    fn read_to(&mut self, index: usize, input: &mut Input<'_>) -> bool {
        while self.ahead.len() <= index {
            let mut token = Token::default();
            if !input.next(&mut token) {
                return false;
            }
            self.ahead.push_back(token);
        }
        true
    }

    /// Looks for a match at the front and queues what it brings.
    fn look_up(&mut self, input: &mut Input<'_>) {
        let mut node: NodeId = 0;
        let mut best = None;
        let mut len = 0;
        while self.read_to(len, input) {
            let Some(token) = self.ahead.get(len) else { break };
            let Some(next) = self.map.step(node, &token.text) else { break };
            node = next;
            len += 1;
            if self.map.entry(node).is_some() {
                best = Some((len, node));
            }
        }
        match best {
            Some((len, node)) => self.queue(len, node),
            None => {
                self.covered = 1;
                self.keeps_covered = true;
            }
        }
    }

    fn queue(&mut self, len: usize, node: NodeId) {
        let map = self.map.clone();
        let Some(entry) = map.entry(node) else { return };
        let end = self.ahead.get(len - 1).map_or(0, |token| token.end);
        self.covered = len;
        self.keeps_covered = entry.keeps_original;
        for output in &entry.outputs {
            let single = output.len() == 1;
            let length = if single && entry.keeps_original { len } else { 1 };
            for (at, word) in output.iter().enumerate() {
                let last = at + 1 == output.len();
                while self.slots.len() <= at {
                    self.slots.push_back(Vec::new());
                }
                let position_length = u32::try_from(length).unwrap_or(1);
                let addition = Addition {
                    word: word.clone(),
                    end: last.then_some(end).filter(|_| single),
                    position_length,
                };
                self.slots.get_mut(at).into_iter().for_each(|slot| slot.push(addition.clone()));
            }
        }
    }

    /// Gives the front token, if it stays, and the replacements of its position.
    fn emit_front(&mut self) {
        let Some(original) = self.ahead.pop_front() else { return };
        self.covered = self.covered.saturating_sub(1);
        self.last_offsets = (original.start, original.end);
        // Lucene gives the first replacement of words that go a step of 1, whatever hole was before them.
        let mut increment = 1;
        if self.keeps_covered {
            self.ready.push_back(original);
            increment = 0;
        }
        self.emit_slot(increment);
    }

    fn emit_slot(&mut self, mut increment: u32) {
        let (start, end) = self.last_offsets;
        for addition in self.slots.pop_front().unwrap_or_default() {
            self.ready.push_back(Token {
                text: addition.word.into(),
                start,
                end: addition.end.unwrap_or(end),
                position_increment: increment,
                position_length: addition.position_length,
                kind: Cow::Borrowed(KIND_SYNONYM),
                ..Token::default()
            });
            increment = 0;
        }
    }
}

impl Filter for FlatSynonyms {
    fn reset(&mut self) {
        *self = FlatSynonyms::new(self.map.clone());
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                *token = ready;
                return true;
            }
            if self.read_to(0, input) {
                if self.covered == 0 {
                    self.look_up(input);
                }
                self.emit_front();
            } else if self.slots.is_empty() {
                return false;
            } else {
                self.emit_slot(1);
            }
        }
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(FlatSynonyms::new(self.map.clone()))
    }
}
