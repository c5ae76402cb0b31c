//! The grammar of `surround`: words, quoted or cut short by `*` and `?`, with operators between them (`a 3w
//! b`) or before them in parentheses (`3w(a, b)`). What binds tighter stands later in [`LEVELS`]. The rules,
//! and the words of the errors, are those of Lucene's surround parser, recorded from Solr 9.10.1.

use plan::{Error, Result};

use super::token::{Kind, Token, tokens};
use crate::query::SyntaxError;

/// Queries in one another; Solr differs: it has no bound, and runs out of stack.
const NESTING_MAX: usize = 64;
/// Letters that must be left of a word that is cut short.
const LETTERS_MIN: usize = 3;

/// A query as written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    Word(String),
    /// A word that goes on.
    Prefix(String),
    /// A word with `*` and `?` in it.
    Truncated(String),
    Joined {
        operator: Operator,
        parts: Vec<Tree>,
        /// As written, for errors.
        text: String,
    },
    Weighted(Box<Tree>, f32),
    /// On other fields than those around it.
    Fields(Vec<String>, Box<Tree>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operator {
    Or,
    And,
    /// The first without the others.
    Not,
    Near(Near),
}

/// At most this many words apart, neighbours being 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Near {
    pub distance: u32,
    pub in_order: bool,
    /// As written.
    pub name: String,
}

/// Reads all of `text`.
pub(super) fn parse(text: &str) -> Result<Tree> {
    let mut parser = Parser { text, tokens: tokens(text), next: 0, depth: 0 };
    let tree = parser.fields()?;
    if parser.kind() != Kind::End {
        return Err(parser.unexpected());
    }
    Ok(tree)
}

pub(super) fn refused(message: &str) -> Error {
    let class = "org.apache.lucene.queryparser.surround.parser.ParseException";
    SyntaxError::plain(format!("{class}: {message}")).into()
}

/// Which operators stand between queries, by how tight they bind.
const LEVELS: [fn(Kind) -> bool; 5] = [
    |kind| kind == Kind::Or,
    |kind| kind == Kind::And,
    |kind| kind == Kind::Not,
    |kind| matches!(kind, Kind::Near { in_order: false, .. }),
    |kind| matches!(kind, Kind::Near { in_order: true, .. }),
];

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    next: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn token(&self) -> Token<'a> {
        let end = Token { kind: Kind::End, text: "", start: self.text.len(), end: self.text.len() };
        self.tokens.get(self.next).cloned().unwrap_or(end)
    }

    fn kind(&self) -> Kind {
        self.token().kind
    }

    fn advance(&mut self) {
        self.next += 1;
    }

    fn expect(&mut self, kind: Kind) -> Result<()> {
        if self.kind() != kind {
            return Err(self.unexpected());
        }
        self.advance();
        Ok(())
    }

    fn unexpected(&self) -> Error {
        let token = self.token();
        // Java counts UTF-16 units, and clients compare these messages.
        let column = self.text.get(..token.start).unwrap_or(self.text).encode_utf16().count();
        let met = match token.kind {
            Kind::End => "<EOF>".to_owned(),
            kind => {
                let written = self.text.get(token.start..token.end).unwrap_or_default();
                format!(" {} \"{written} \"", kind.image())
            }
        };
        refused(&format!("Encountered \"{met}\" at line 1, column {column}."))
    }

    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth <= NESTING_MAX {
            return Ok(());
        }
        Err(Error::bad_request(format!(
            "query nests deeper than {NESTING_MAX} levels; use fewer parentheses and operators"
        )))
    }

    /// A query, perhaps behind the names of its fields.
    fn fields(&mut self) -> Result<Tree> {
        self.deeper()?;
        let mut names = Vec::new();
        while self.kind() == Kind::Word
            && self.tokens.get(self.next + 1).is_some_and(|token| token.kind == Kind::Colon)
        {
            names.push(self.token().text.to_owned());
            self.next += 2;
        }
        let tree = self.level(0)?;
        self.depth -= 1;
        Ok(if names.is_empty() { tree } else { Tree::Fields(names, Box::new(tree)) })
    }

    fn level(&mut self, level: usize) -> Result<Tree> {
        let Some(joins) = LEVELS.get(level) else { return self.weighted() };
        let (outer, start) = (self.depth, self.token().start);
        let mut parts = vec![self.level(level + 1)?];
        while joins(self.kind()) {
            let operator = self.operator();
            self.advance();
            parts.push(self.level(level + 1)?);
            // Those of nearness join two at a time, each with its own distance; the others all in a row.
            // A chain of these is as deep as it is long, so it counts against the depth.
            if matches!(operator, Operator::Near(_)) || !joins(self.kind()) {
                self.deeper()?;
                let parts_so_far = std::mem::take(&mut parts);
                parts.push(self.joined(operator, parts_so_far, start, true));
            }
        }
        self.depth = outer;
        parts.pop().ok_or_else(|| self.unexpected())
    }

    fn joined(&self, operator: Operator, parts: Vec<Tree>, start: usize, infix: bool) -> Tree {
        let end =
            self.next.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0, |token| token.end);
        let written = self.text.get(start..end).unwrap_or_default();
        let text = if infix { format!("({written})") } else { written.to_owned() };
        Tree::Joined { operator, parts, text }
    }

    fn operator(&self) -> Operator {
        match self.kind() {
            Kind::And => Operator::And,
            Kind::Not => Operator::Not,
            Kind::Near { distance, in_order } => {
                Operator::Near(Near { distance, in_order, name: self.token().text.to_owned() })
            }
            _ => Operator::Or,
        }
    }

    fn weighted(&mut self) -> Result<Tree> {
        let mut tree = self.primary()?;
        while self.kind() == Kind::Caret {
            self.advance();
            let weight = match self.kind() {
                Kind::Number => self.token().text.parse().map_err(|_| self.unexpected())?,
                _ => return Err(self.unexpected()),
            };
            self.advance();
            tree = match tree {
                Tree::Weighted(inner, before) => Tree::Weighted(inner, before * weight),
                tree => Tree::Weighted(Box::new(tree), weight),
            };
        }
        Ok(tree)
    }

    fn primary(&mut self) -> Result<Tree> {
        let text = self.token().text.to_owned();
        let tree = match self.kind() {
            Kind::Open => {
                self.advance();
                let tree = self.fields()?;
                self.expect(Kind::Close)?;
                return Ok(tree);
            }
            Kind::Or | Kind::And | Kind::Near { .. } => return self.prefixed(),
            Kind::Word => Tree::Word(text),
            Kind::Quoted => Tree::Word(text.replace("\\\"", "\"").replace("\\\\", "\\")),
            Kind::Prefix | Kind::QuotedPrefix => {
                long_enough(text.chars().count(), &format!("{text}*"))?;
                Tree::Prefix(text)
            }
            Kind::Truncated => {
                long_enough(text.chars().filter(|c| !matches!(c, '*' | '?')).count(), &text)?;
                Tree::Truncated(text)
            }
            _ => return Err(self.unexpected()),
        };
        self.advance();
        Ok(tree)
    }

    /// `3w(a, b, c)`.
    fn prefixed(&mut self) -> Result<Tree> {
        let (operator, start) = (self.operator(), self.token().start);
        self.advance();
        self.expect(Kind::Open)?;
        let mut parts = vec![self.fields()?];
        self.expect(Kind::Comma)?;
        parts.push(self.fields()?);
        while self.kind() == Kind::Comma {
            self.advance();
            parts.push(self.fields()?);
        }
        self.expect(Kind::Close)?;
        Ok(self.joined(operator, parts, start, false))
    }
}

fn long_enough(letters: usize, shown: &str) -> Result<()> {
    if letters >= LETTERS_MIN {
        Ok(())
    } else {
        Err(refused(&format!("Too unrestrictive truncation: {shown}")))
    }
}
