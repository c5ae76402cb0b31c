//! Tokens to a tree: Solr's `lucene` grammar by recursive descent. Nesting is bounded, every token is read at
//! most three times, so time is linear in the text. Analysis, types and what the operators amount to are
//! `lucene.rs`' and `leaf.rs`' work.

use super::error::SyntaxError;
use super::token::{Kind, Token, tokens};
use super::tree::{Body, Boost, Clause, ConjoinedClause, Conjunction, Endpoint, Modifier, Range};

/// How deep parentheses may nest. Solr differs: it has no bound but its stack, which 2,000 levels exhaust
/// (`compat/errors/limits.yaml`).
pub const NESTING_MAX: usize = 256;

/// A query that cannot be read, and what was whole before the place: Solr gives that its meaning while it
/// parses, so an unknown field there is reported first.
#[derive(Debug)]
pub(crate) struct Failure<'a> {
    pub error: SyntaxError,
    pub before: Vec<ConjoinedClause<'a>>,
    /// Whether the query could have ended there. Solr reads the plain values of a query or of parentheses
    /// only then.
    pub ended: bool,
}

/// Reads a whole query. `split` takes each word as a clause of its own (Solr's `sow`); else words in a row
/// stay together.
pub(crate) fn parse(query: &str, split: bool) -> Result<Vec<ConjoinedClause<'_>>, Failure<'_>> {
    let mut parser = Parser {
        query,
        tokens: tokens(query),
        at: 0,
        depth: 0,
        split,
        tail: Tail::default(),
        abandoned: Vec::new(),
    };
    match parser.items() {
        Ok(items) if parser.kind() == Kind::End => Ok(items),
        Ok(mut before) => {
            parser.forget_last(&mut before);
            let error = parser.unexpected(&after_clause(true, parser.tail));
            Err(Failure { error, before, ended: parser.kind() != Kind::Bad })
        }
        Err(error) => Err(Failure { error, before: parser.abandoned, ended: false }),
    }
}

struct Parser<'a> {
    query: &'a str,
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: usize,
    split: bool,
    tail: Tail,
    /// What was whole when an error came.
    abandoned: Vec<ConjoinedClause<'a>>,
}

/// What else the last clause could have had, for messages.
#[derive(Clone, Copy, Default)]
struct Tail {
    boost: bool,
    tilde: bool,
}

impl<'a> Parser<'a> {
    fn peek(&self, ahead: usize) -> Token<'a> {
        let last = self.tokens.len().saturating_sub(1);
        let end = Token { kind: Kind::End, text: "", at: self.query.len() };
        self.tokens.get((self.at + ahead).min(last)).copied().unwrap_or(end)
    }

    fn kind(&self) -> Kind {
        self.peek(0).kind
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek(0);
        self.at += 1;
        token
    }

    fn take(&mut self, kind: Kind) -> Option<Token<'a>> {
        if self.kind() == kind { Some(self.next()) } else { None }
    }

    fn unexpected(&self, expected: &[&str]) -> SyntaxError {
        SyntaxError::unexpected(self.query, self.peek(0), expected)
    }

    /// Solr looks at the next token before it gives a clause its meaning: when nothing matches there, the
    /// clause has none.
    fn forget_last(&self, items: &mut Vec<ConjoinedClause<'a>>) {
        // No token there means that Solr's look-ahead failed before the clause was given its meaning.
        if self.kind() == Kind::Bad {
            items.pop();
        }
    }

    /// A query: clauses up to `)` or the end, at least one.
    fn items(&mut self) -> Result<Vec<ConjoinedClause<'a>>, SyntaxError> {
        self.depth += 1;
        if self.depth > NESTING_MAX {
            let message = format!("nested deeper than {NESTING_MAX} levels; use fewer parentheses");
            return Err(SyntaxError::parsing(self.query, &message));
        }
        let mut items = Vec::new();
        if let Err(error) = self.collect(&mut items) {
            items.append(&mut self.abandoned);
            self.abandoned = items;
            return Err(error);
        }
        self.depth -= 1;
        Ok(items)
    }

    fn collect(&mut self, items: &mut Vec<ConjoinedClause<'a>>) -> Result<(), SyntaxError> {
        while items.is_empty() || !matches!(self.kind(), Kind::End | Kind::Close | Kind::Bad) {
            if self.row_of_terms() {
                self.row(items);
                continue;
            }
            let conjunction = if items.is_empty() { Conjunction::None } else { self.conjunction() };
            if !items.is_empty() && conjunction == Conjunction::None && !starts_item(self.kind()) {
                break;
            }
            let first = items.is_empty();
            items.push(self.item(conjunction, first)?);
        }
        Ok(())
    }

    /// Whether a term follows that stays with the term behind it.
    fn row_of_terms(&self) -> bool {
        !self.split
            && self.kind() == Kind::Term
            && self.peek(1).kind == Kind::Term
            // Two tokens ahead: in `a b:c` the second term is a field, and the row ends before it.
            && joins(self.peek(2).kind)
    }

    /// Terms in a row: one clause, or each its own when words are split.
    fn row(&mut self, items: &mut Vec<ConjoinedClause<'a>>) {
        let mut terms = vec![self.next().text];
        while self.kind() == Kind::Term && joins(self.peek(1).kind) {
            terms.push(self.next().text);
        }
        self.tail = Tail::default();
        let clauses = if self.split { terms.chunks(1) } else { terms.chunks(terms.len()) };
        items.extend(clauses.map(|terms| {
            let clause = Clause { field: None, body: Body::Terms(terms.to_vec()), boost: None };
            ConjoinedClause { conjunction: Conjunction::None, modifier: Modifier::None, clause }
        }));
    }

    fn conjunction(&mut self) -> Conjunction {
        match self.kind() {
            Kind::And => self.next_as(Conjunction::And),
            Kind::Or => self.next_as(Conjunction::Or),
            _ => Conjunction::None,
        }
    }

    fn next_as<T>(&mut self, value: T) -> T {
        self.at += 1;
        value
    }

    fn item(&mut self, conjunction: Conjunction, first: bool) -> Result<ConjoinedClause<'a>, SyntaxError> {
        let modifier = match self.kind() {
            Kind::Plus => self.next_as(Modifier::Required),
            Kind::Minus | Kind::Not => self.next_as(Modifier::Prohibited),
            _ => Modifier::None,
        };
        let start = match modifier {
            Modifier::None if first => Start::First,
            Modifier::None => Start::Later,
            _ => Start::Modified,
        };
        let clause = self.clause(start)?;
        Ok(ConjoinedClause { conjunction, modifier, clause })
    }

    fn clause(&mut self, mut start: Start) -> Result<Clause<'a>, SyntaxError> {
        let mut field = None;
        if matches!(self.kind(), Kind::Term | Kind::Star) && self.peek(1).kind == Kind::Colon {
            field = Some(self.next().text);
            self.at += 1;
            start = Start::BehindField;
        }
        let body = match self.kind() {
            Kind::Open => Body::Group(self.group(field)?),
            Kind::Filter => Body::Filter(self.group(field)?),
            Kind::LocalParams => Body::LocalParams(self.next().text),
            Kind::RangeOpen | Kind::RangeOpenExclusive => Body::Range(self.range()?),
            Kind::Quoted => return self.quoted(field),
            kind if starts_term(kind) => return self.term(field),
            _ => return Err(self.unexpected(&clause_start(start))),
        };
        let boost = self.boost()?;
        self.tail = Tail { boost: boost.is_none(), tilde: false };
        Ok(Clause { field, body, boost })
    }

    /// What stands in parentheses, behind `field` or none.
    fn group(&mut self, field: Option<&'a str>) -> Result<Vec<ConjoinedClause<'a>>, SyntaxError> {
        self.at += 1;
        let (items, ended, error) = match self.items() {
            Ok(items) if self.take(Kind::Close).is_some() => return Ok(items),
            Ok(mut items) => {
                self.forget_last(&mut items);
                (items, self.kind() != Kind::Bad, self.unexpected(&after_clause(false, self.tail)))
            }
            Err(error) => (std::mem::take(&mut self.abandoned), false, error),
        };
        if !items.is_empty() {
            let clause = Clause { field, body: Body::Unfinished { items, ended }, boost: None };
            self.abandoned.push(ConjoinedClause {
                conjunction: Conjunction::None,
                modifier: Modifier::None,
                clause,
            });
        }
        Err(error)
    }

    /// A bare token; `~` may stand before or behind the boost.
    fn term(&mut self, field: Option<&'a str>) -> Result<Clause<'a>, SyntaxError> {
        let token = self.next();
        let mut fuzzy = self.take(Kind::Tilde);
        let boost = self.boost()?;
        self.tail = Tail { boost: boost.is_none(), tilde: fuzzy.is_none() };
        if boost.is_some() {
            let late = self.take(Kind::Tilde);
            self.tail.tilde = late.is_none();
            // `a~1^2~2`: both places are allowed, and the later one counts.
            fuzzy = late.or(fuzzy);
        }
        let body = match (token.kind, fuzzy) {
            (Kind::Star | Kind::Wildcard, _) => Body::Wildcard(token.text),
            // `a - b`: the blank belongs to the token and not to the term.
            (Kind::BareOperator, None) => Body::Terms(vec![token.text.get(..1).unwrap_or_default()]),
            (Kind::Prefix, _) => Body::Prefix(token.text.strip_suffix('*').unwrap_or(token.text)),
            (Kind::Regex, _) => Body::Regex(inner(token.text)),
            (_, Some(fuzzy)) => Body::Fuzzy {
                term: token.text.trim_end(),
                distance: fuzzy.text.strip_prefix('~').unwrap_or_default(),
            },
            (_, None) => Body::Terms(vec![token.text]),
        };
        Ok(Clause { field, body, boost })
    }

    fn quoted(&mut self, field: Option<&'a str>) -> Result<Clause<'a>, SyntaxError> {
        let text = inner(self.next().text);
        let slop = self.take(Kind::Tilde).and_then(|slop| slop.text.strip_prefix('~'));
        let boost = self.boost()?;
        self.tail = Tail { boost: boost.is_none(), tilde: slop.is_none() };
        Ok(Clause { field, body: Body::Quoted { text, slop }, boost })
    }

    fn range(&mut self) -> Result<Range<'a>, SyntaxError> {
        let lower_inclusive = self.next().kind == Kind::RangeOpen;
        let lower = self.endpoint()?;
        if self.take(Kind::RangeTo).is_none() {
            return Err(self.unexpected(&[Kind::RangeTo.image()]));
        }
        let upper = self.endpoint()?;
        match self.kind() {
            Kind::RangeClose | Kind::RangeCloseExclusive => {
                let upper_inclusive = self.next().kind == Kind::RangeClose;
                Ok(Range { lower, upper, lower_inclusive, upper_inclusive })
            }
            _ => Err(self.unexpected(&[Kind::RangeClose.image(), Kind::RangeCloseExclusive.image()])),
        }
    }

    fn endpoint(&mut self) -> Result<Endpoint<'a>, SyntaxError> {
        match self.kind() {
            Kind::RangeQuoted => Ok(Endpoint { text: inner(self.next().text), quoted: true }),
            Kind::RangeWord | Kind::RangeTo => Ok(Endpoint { text: self.next().text, quoted: false }),
            _ => Err(self.unexpected(&[
                Kind::RangeTo.image(),
                Kind::RangeQuoted.image(),
                Kind::RangeWord.image(),
            ])),
        }
    }

    fn boost(&mut self) -> Result<Option<Boost<'a>>, SyntaxError> {
        let Some(caret) = self.take(Kind::Caret) else { return Ok(None) };
        match self.take(Kind::Number) {
            Some(number) => Ok(Some(Boost { constant: caret.text == "^=", number: number.text })),
            None => Err(self.unexpected(&[Kind::Number.image()])),
        }
    }
}

/// Without its first and last character, which are ASCII.
fn inner(text: &str) -> &str {
    text.get(1..text.len().saturating_sub(1)).unwrap_or_default()
}

/// Whether a term before `next` may join the term before it.
fn joins(next: Kind) -> bool {
    !matches!(next, Kind::Colon | Kind::Star | Kind::Tilde | Kind::Caret | Kind::And | Kind::Or)
}

fn starts_term(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Term
            | Kind::Star
            | Kind::Prefix
            | Kind::Wildcard
            | Kind::Regex
            | Kind::BareOperator
            | Kind::Number
    )
}

fn starts_item(kind: Kind) -> bool {
    starts_term(kind) || CLAUSE.contains(&kind) || MODIFIERS.contains(&kind)
}

const MODIFIERS: &[Kind] = &[Kind::Not, Kind::Plus, Kind::Minus];

/// What may start a clause, in the order of Solr's messages.
const CLAUSE: &[Kind] = &[
    Kind::BareOperator,
    Kind::Open,
    Kind::Star,
    Kind::Quoted,
    Kind::Term,
    Kind::Prefix,
    Kind::Wildcard,
    Kind::Regex,
    Kind::RangeOpen,
    Kind::RangeOpenExclusive,
    Kind::LocalParams,
    Kind::Filter,
    Kind::Number,
];

/// Where a clause was expected, for messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    First,
    Later,
    Modified,
    BehindField,
}

fn clause_start(start: Start) -> Vec<&'static str> {
    let modifiers = if matches!(start, Start::First | Start::Later) { MODIFIERS } else { &[] };
    let mut kinds: Vec<_> = modifiers.iter().chain(CLAUSE).collect();
    match start {
        Start::BehindField => {}
        Start::First => kinds.push(&Kind::Term),
        Start::Later | Start::Modified => kinds.extend([&Kind::Term, &Kind::Star]),
    }
    kinds.into_iter().map(|kind| kind.image()).collect()
}

/// What may follow a clause, in the order of Solr's messages.
fn after_clause(top: bool, tail: Tail) -> Vec<&'static str> {
    let mut names = if top { vec!["<EOF>"] } else { vec![] };
    names.extend([Kind::And, Kind::Or].iter().chain(MODIFIERS).map(|kind| kind.image()));
    for kind in CLAUSE {
        if *kind == Kind::Star && !top {
            names.push(Kind::Close.image());
        }
        names.push(kind.image());
        match kind {
            Kind::Star if tail.boost => names.push(Kind::Caret.image()),
            Kind::Term if tail.tilde => names.push(Kind::Tilde.image()),
            _ => {}
        }
    }
    names
}
