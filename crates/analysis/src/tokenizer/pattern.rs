//! `pattern`, `simplePattern` and `simplePatternSplit`: tokens by regular expression, either what matches (or
//! one group of it) or what lies between matches. The simple ones have a smaller syntax in Lucene; here all
//! share one.

use crate::definition::TokenizerDefinition;
use crate::java_regex::JavaRegex;
use crate::stage::Tokenizer;
use crate::token::{KIND_WORD, Token};

pub(crate) static PATTERN: TokenizerDefinition = TokenizerDefinition::new(
    "pattern",
    "pattern.PatternTokenizerFactory",
    &["pattern", "group"],
    "Cuts at what a pattern matches, or keeps one group of each match (`group`).",
    |args| {
        let regex = args.pattern("pattern")?;
        let group = args.int("group", -1)?;
        if group >= 0 && group as usize >= regex.groups() {
            return Err(args.bad("group", &group.to_string(), "is more than the pattern has"));
        }
        let mode = usize::try_from(group).map_or(Mode::Split, Mode::Group);
        Ok(Box::new(Pattern { regex, mode, at: 0, from: 0, done: false }))
    },
);

pub(crate) static SIMPLE_PATTERN: TokenizerDefinition = TokenizerDefinition::new(
    "simplePattern",
    "pattern.SimplePatternTokenizerFactory",
    &["pattern", "determinizeWorkLimit", "maxDeterminizedStates"],
    "Keeps what a pattern matches.",
    |args| {
        Ok(Box::new(Pattern {
            regex: args.pattern("pattern")?,
            mode: Mode::Group(0),
            at: 0,
            from: 0,
            done: false,
        }))
    },
);

pub(crate) static SIMPLE_PATTERN_SPLIT: TokenizerDefinition = TokenizerDefinition::new(
    "simplePatternSplit",
    "pattern.SimplePatternSplitTokenizerFactory",
    &["pattern", "determinizeWorkLimit", "maxDeterminizedStates"],
    "Cuts at what a pattern matches.",
    |args| {
        Ok(Box::new(Pattern {
            regex: args.pattern("pattern")?,
            mode: Mode::Split,
            at: 0,
            from: 0,
            done: false,
        }))
    },
);

/// Start and end in bytes.
type Span = (usize, usize);

#[derive(Clone, Copy)]
enum Mode {
    Split,
    Group(usize),
}

#[derive(Clone)]
struct Pattern {
    regex: JavaRegex,
    mode: Mode,
    /// Where the piece being cut starts.
    at: usize,
    /// Where the next match is looked for.
    from: usize,
    done: bool,
}

impl Pattern {
    /// The next match: its whole span and the span of the group that is kept.
    fn next_match(&mut self, text: &str) -> Option<(Span, Option<Span>)> {
        let captures = self.regex.find(text, self.from)?;
        let all = captures.get(0)?;
        let step = text.get(all.end()..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        // An empty match moves on by a character, or it would be found again for ever.
        self.from = if all.end() > all.start() { all.end() } else { all.end() + step };
        let group = match self.mode {
            Mode::Group(number) => captures.get(number).map(|group| (group.start(), group.end())),
            Mode::Split => None,
        };
        Some(((all.start(), all.end()), group))
    }

    /// The next span that is a token.
    fn next_span(&mut self, text: &str) -> Option<(usize, usize)> {
        while self.from <= text.len() {
            let Some((whole, group)) = self.next_match(text) else { break };
            let span = match self.mode {
                Mode::Group(_) => group,
                Mode::Split => Some((std::mem::replace(&mut self.at, whole.1), whole.0)),
            };
            if let Some((start, end)) = span.filter(|(start, end)| end > start) {
                return Some((start, end));
            }
        }
        self.done = true;
        let rest = matches!(self.mode, Mode::Split) && self.at < text.len();
        rest.then_some((self.at, text.len()))
    }
}

impl Tokenizer for Pattern {
    fn reset(&mut self) {
        self.at = 0;
        self.from = 0;
        self.done = false;
    }

    fn next(&mut self, text: &str, token: &mut Token) -> bool {
        if self.done {
            return false;
        }
        let span = self.next_span(text);
        if let Some((start, end)) = span {
            token.set(text, start, end, KIND_WORD);
        }
        span.is_some()
    }

    fn fresh(&self) -> Box<dyn Tokenizer> {
        Box::new(self.clone())
    }
}
