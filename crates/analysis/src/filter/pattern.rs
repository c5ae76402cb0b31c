//! Filters with regular expressions: `patternReplace`, `patternCaptureGroup`, `patternTyping`. Patterns are
//! Java's (`java_regex`), compiled when the chain is built. The char filter and the tokenizers of like names
//! are in their own folders. A pattern that needs more steps back than the engine of patterns allows matches
//! nothing rather than holding up a document.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::filter::shape::{Rewrite, Rewriting};
use crate::java_regex::{JavaRegex, Replacement, compile};
use crate::stage::{Filter, Input};
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&REPLACE, &CAPTURE_GROUP, &TYPING];

static REPLACE: FilterDefinition = FilterDefinition::new(
    "patternReplace",
    "pattern.PatternReplaceFilterFactory",
    &["pattern", "replacement", "replace"],
    "Replaces what matches a pattern within tokens, all of it or the first (`replace`).",
    build_replace,
);

static CAPTURE_GROUP: FilterDefinition = FilterDefinition::new(
    "patternCaptureGroup",
    "pattern.PatternCaptureGroupFilterFactory",
    &["pattern", "preserve_original"],
    "Gives a token for each group that a pattern captures, after the token itself.",
    |args| {
        let regex = args.pattern("pattern")?;
        let preserves = args.flag("preserve_original", true);
        Ok(Box::new(CaptureGroups { regex, preserves, ready: VecDeque::new() }))
    },
);

static TYPING: FilterDefinition = FilterDefinition::new(
    "patternTyping",
    "pattern.PatternTypingFilterFactory",
    &["patternFile"],
    "Gives tokens that match a pattern of a file its flags and type: `2 (\\d+) ::: number_$1`.",
    build_typing,
)
.reading(&["patternFile"]);

fn build_replace(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let regex = args.pattern("pattern")?;
    let source = args.get("replacement").unwrap_or_default();
    let replacement =
        Replacement::parse(source, &regex).map_err(|reason| args.bad("replacement", source, &reason))?;
    let all = args.choice("replace", "all", &["all", "first"])? == "all";
    Ok(Box::new(Rewriting(Replace { regex, replacement: Arc::new(replacement), all })))
}

#[derive(Clone)]
struct Replace {
    regex: JavaRegex,
    replacement: Arc<Replacement>,
    all: bool,
}

impl Rewrite for Replace {
    fn rewrite(&mut self, token: &mut Token) {
        let mut out = String::new();
        let mut kept = 0;
        let mut found = 0;
        self.regex.each(&token.text, |captures| {
            let Some(matched) = captures.get(0) else { return };
            found += 1;
            if found > 1 && !self.all {
                return;
            }
            out.push_str(token.text.get(kept..matched.start()).unwrap_or_default());
            self.replacement.expand(captures, &mut out);
            kept = matched.end();
        });
        if found > 0 {
            out.push_str(token.text.get(kept..).unwrap_or_default());
            token.text = out;
        }
    }
}

struct CaptureGroups {
    regex: JavaRegex,
    preserves: bool,
    ready: VecDeque<Token>,
}

impl CaptureGroups {
    /// Queues a token for each captured group, in the order of their starts, longer ones first.
    fn queue(&mut self, token: &Token) {
        let mut spans = Vec::new();
        self.regex.each(&token.text, |captures| {
            let groups = (1..captures.len()).filter_map(|group| captures.get(group));
            spans.extend(groups.map(|group| (group.start(), group.end())));
        });
        let whole = (0, token.text.len());
        spans.retain(|span| span.1 > span.0 && !(self.preserves && *span == whole));
        // A stable sort: of groups that start together the outer one comes first, having the lower number.
        spans.sort_by_key(|span| span.0);
        for (start, end) in spans {
            let text = token.text.get(start..end).unwrap_or_default().to_owned();
            self.ready.push_back(Token { text, position_increment: 0, ..token.clone() });
        }
    }
}

impl Filter for CaptureGroups {
    fn reset(&mut self) {
        self.ready.clear();
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        if let Some(ready) = self.ready.pop_front() {
            *token = ready;
            return true;
        }
        if !input.next(token) {
            return false;
        }
        self.queue(token);
        // Without the original, the first group takes its place and its increment; else the position would be
        // lost.
        if !self.preserves
            && let Some(first) = self.ready.pop_front()
        {
            let position_increment = token.position_increment;
            *token = Token { position_increment, ..first };
        }
        true
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(CaptureGroups {
            regex: self.regex.clone(),
            preserves: self.preserves,
            ready: VecDeque::new(),
        })
    }
}

fn build_typing(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    args.required("patternFile")?;
    let rules: Result<Vec<TypingRule>, Error> =
        args.lines("patternFile")?.unwrap_or_default().into_iter().map(typing_rule).collect();
    Ok(Box::new(Rewriting(Typing { rules: Arc::from(rules?) })))
}

/// `FLAGS PATTERN ::: TYPE`.
fn typing_rule(line: &str) -> Result<TypingRule, Error> {
    let bad = |reason: &str| Error::resource(format!("cannot read the typing rule `{line}`: {reason}"));
    let (left, kind) = line.split_once(" ::: ").ok_or_else(|| bad("it has no ` ::: `"))?;
    let (flags, pattern) = left.split_once(' ').ok_or_else(|| bad("it has no flags before the pattern"))?;
    let flags = flags.parse().map_err(|_| bad("its flags are not a whole number"))?;
    let regex = compile(pattern.trim()).map_err(|reason| bad(&reason))?;
    let kind = Replacement::parse(kind.trim(), &regex).map_err(|reason| bad(&reason))?;
    Ok(TypingRule { flags, regex, kind })
}

struct TypingRule {
    flags: u32,
    regex: JavaRegex,
    kind: Replacement,
}

#[derive(Clone)]
struct Typing {
    rules: Arc<[TypingRule]>,
}

impl Rewrite for Typing {
    fn rewrite(&mut self, token: &mut Token) {
        for rule in self.rules.iter() {
            let Some(captures) = rule.regex.find(&token.text, 0) else { continue };
            let Some(matched) = captures.get(0) else { continue };
            // As Java's replaceFirst: what the pattern did not match stays around the type.
            let mut kind = token.text.get(..matched.start()).unwrap_or_default().to_owned();
            rule.kind.expand(&captures, &mut kind);
            kind.push_str(token.text.get(matched.end()..).unwrap_or_default());
            token.kind = kind.into();
            token.flags = rule.flags;
            return;
        }
    }
}
