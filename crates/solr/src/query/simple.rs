//! `{!simple qf=…}`: what people type, of which nothing is an error. `+` and `|` stand between terms, `-`
//! before one; quotes, parentheses, `*` behind and `~N` mean what they do elsewhere; a mark that fits nowhere
//! is passed over. Behaviour as recorded from Solr 9.10.1.

use plan::{Clause, Error, Occur, Query, Result, java_bucket};

use super::context::Field;
use super::dismax::weighted_fields;
use super::field::TextStyle;
use super::request::Request;
use crate::params::dismax::QF;
use crate::params::query::{DF, Q_OP, Q_OPERATORS};

/// Parentheses in one another; Solr differs: it has no bound, and runs out of stack.
const NESTING_MAX: usize = 128;

/// Most edits of a fuzzy term.
const EDITS_MAX: u32 = 2;

pub(super) fn simple(request: &Request<'_>) -> Result<Option<Query>> {
    // A star alone would be a prefix of nothing, which the grammar below passes over.
    if request.text.trim() == "*" {
        return Ok(Some(Query::All));
    }
    let and = request.text_of(&Q_OP).eq_ignore_ascii_case("and");
    let typed = Typed {
        request,
        fields: fields(request)?,
        marks: Marks::read(request.sent(&Q_OPERATORS)),
        between: if and { Occur::Must } else { Occur::Should },
    };
    let text: Vec<char> = request.text.chars().collect();
    typed.query(&text, 0)
}

/// Each with its factor, in the order of Solr's map of them.
fn fields(request: &Request<'_>) -> Result<Vec<(Field, f32)>> {
    let lists = request.all(&QF);
    let mut named = weighted_fields(lists.iter().copied())?;
    if named.is_empty() {
        let default = request.sent(&DF);
        let missing = || Error::bad_request("`{!simple}` has neither `qf` nor `df`; name a field");
        named.push((default.ok_or_else(missing)?.to_owned(), 1.0));
    }
    let count = named.len();
    // Debug output shows the clauses, and their sum in floating point may depend on the order.
    named.sort_by_key(|(name, _)| java_bucket(name, count));
    named.into_iter().map(|(name, boost)| Ok((request.context.field(&name)?, boost))).collect()
}

/// Which marks mean anything (`q.operators`).
#[derive(Clone, Copy)]
struct Marks {
    and: bool,
    or: bool,
    not: bool,
    prefix: bool,
    phrase: bool,
    precedence: bool,
    escape: bool,
    whitespace: bool,
    fuzzy: bool,
    near: bool,
}

impl Marks {
    fn read(list: Option<&str>) -> Self {
        let has = |name: &str| list.is_none_or(|list| list.split(',').any(|one| one.trim() == name));
        Self {
            and: has("AND"),
            or: has("OR"),
            not: has("NOT"),
            prefix: has("PREFIX"),
            phrase: has("PHRASE"),
            precedence: has("PRECEDENCE"),
            escape: has("ESCAPE"),
            whitespace: has("WHITESPACE"),
            fuzzy: has("FUZZY"),
            near: has("NEAR"),
        }
    }

    /// Whether a term ends here.
    fn end(self, c: char) -> bool {
        match c {
            '"' => self.phrase,
            '|' => self.or,
            '+' => self.and,
            '(' | ')' => self.precedence,
            ' ' | '\t' | '\n' | '\r' => self.whitespace,
            _ => false,
        }
    }
}

struct Typed<'a> {
    request: &'a Request<'a>,
    fields: Vec<(Field, f32)>,
    marks: Marks,
    /// What stands between terms without a mark.
    between: Occur,
}

/// What has been read so far, of one pair of parentheses.
#[derive(Default)]
struct Tree {
    top: Option<Query>,
    /// The mark that stands before the next term.
    mark: Option<Occur>,
    /// The mark that joins what `top` joins.
    joined: Option<Occur>,
}

impl Tree {
    /// Another mark than before makes what came so far one clause of what follows.
    fn add(&mut self, branch: Option<Query>, negated: bool, between: Occur) {
        let Some(branch) = branch else { return };
        let branch = if negated { without(branch) } else { branch };
        let mark = self.mark.take().unwrap_or(between);
        let Some(top) = self.top.take() else {
            self.top = Some(branch);
            return;
        };
        // `a + b | c` is `(+a +b) c`: the grammar knows no precedence, each change of mark closes what came
        // before.
        let mut clauses = match top {
            Query::Boolean { clauses, .. } if self.joined == Some(mark) => clauses,
            other => vec![Clause { occur: mark, query: other }],
        };
        clauses.push(Clause { occur: mark, query: branch });
        self.top = Some(Query::Boolean { clauses, minimum_should_match: 0 });
        self.joined = Some(mark);
    }

    fn mark(&mut self, mark: Occur) {
        if self.mark.is_none() && self.top.is_some() {
            self.mark = Some(mark);
        }
    }
}

/// All but what matches.
fn without(query: Query) -> Query {
    let clauses =
        vec![Clause { occur: Occur::MustNot, query }, Clause { occur: Occur::Should, query: Query::All }];
    Query::Boolean { clauses, minimum_should_match: 0 }
}

impl Typed<'_> {
    /// `None` when nothing is left.
    fn query(&self, text: &[char], depth: usize) -> Result<Option<Query>> {
        if depth > NESTING_MAX {
            return Err(Error::bad_request(format!(
                "parentheses nest deeper than {NESTING_MAX} levels; use fewer"
            )));
        }
        let (mut tree, mut at, mut negated) = (Tree::default(), 0, false);
        while let Some(&c) = text.get(at) {
            let rest = text.get(at + 1..).unwrap_or_default();
            match c {
                '-' if self.marks.not => {
                    // Two marks take each other back, as in Lucene's parser.
                    negated = !negated;
                    at += 1;
                    continue;
                }
                '(' if self.marks.precedence => match self.closing(rest) {
                    None => at += 1,
                    Some(0) => {
                        tree.mark = None;
                        at += 2;
                    }
                    Some(end) => {
                        let inner = self.query(rest.get(..end).unwrap_or_default(), depth + 1)?;
                        tree.add(inner, negated, self.between);
                        at += end + 2;
                    }
                },
                '"' if self.marks.phrase => at += 1 + self.phrase(rest, &mut tree, negated)?,
                '+' if self.marks.and => {
                    tree.mark(Occur::Must);
                    at += 1;
                }
                '|' if self.marks.or => {
                    tree.mark(Occur::Should);
                    at += 1;
                }
                c if self.marks.end(c) => at += 1,
                _ => at += self.term(text.get(at..).unwrap_or_default(), &mut tree, negated)?,
            }
            negated = false;
        }
        Ok(tree.top)
    }

    /// Where the parenthesis closes that stands before `rest`.
    fn closing(&self, rest: &[char]) -> Option<usize> {
        let (mut open, mut escaped) = (1usize, false);
        rest.iter().position(|c| {
            if std::mem::take(&mut escaped) {
                return false;
            }
            match c {
                '\\' if self.marks.escape => escaped = true,
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
            open == 0
        })
    }

    /// Characters taken behind the opening quote; none when it does not close.
    fn phrase(&self, rest: &[char], tree: &mut Tree, negated: bool) -> Result<usize> {
        let (mut text, mut escaped) = (String::new(), false);
        let end = rest.iter().position(|&c| {
            if !std::mem::take(&mut escaped) {
                match c {
                    '\\' if self.marks.escape => {
                        escaped = true;
                        return false;
                    }
                    '"' => return true,
                    _ => {}
                }
            }
            text.push(c);
            false
        });
        let Some(end) = end else { return Ok(0) };
        if text.is_empty() {
            tree.mark = None;
            return Ok(end + 1);
        }
        let behind = rest.get(end + 1..).unwrap_or_default();
        let (slop, taken) = if self.marks.near { self.number(behind) } else { (None, 0) };
        let style = TextStyle { quoted: true, slop: slop.flatten().unwrap_or(0), ..self.style() };
        let query = self.any(|field| self.request.context.text_query(field, &text, style))?;
        tree.add(query, negated, self.between);
        Ok(end + 1 + taken)
    }

    /// Characters taken by the term that begins `text`: at least one.
    fn term(&self, text: &[char], tree: &mut Tree, negated: bool) -> Result<usize> {
        let (mut term, mut escaped, mut prefix, mut taken, mut edits) =
            (String::new(), false, false, 0, None);
        for &c in text {
            if !escaped && c == '\\' && self.marks.escape {
                (escaped, prefix) = (true, false);
                taken += 1;
                continue;
            }
            if !escaped && self.marks.end(c) {
                break;
            }
            if !escaped && c == '~' && self.marks.fuzzy && !term.is_empty() {
                let (number, length) = self.number(text.get(taken..).unwrap_or_default());
                edits = number
                    .map(|number| number.unwrap_or(EDITS_MAX).min(EDITS_MAX))
                    .filter(|edits| *edits > 0);
                taken += length;
                prefix = false;
                break;
            }
            prefix = !escaped && c == '*' && self.marks.prefix && !term.is_empty();
            term.push(c);
            escaped = false;
            taken += 1;
        }
        let context = self.request.context;
        let query = match (edits, prefix.then(|| term.strip_suffix('*')).flatten()) {
            (Some(edits), _) => self.any(|field| context.fuzzy_query(field, &term, edits as f32).map(Some)),
            (None, Some(prefix)) => self.any(|field| context.prefix_query(field, prefix).map(Some)),
            (None, None) => self.any(|field| context.text_query(field, &term, self.style())),
        };
        tree.add(query?, negated, self.between);
        Ok(taken.max(1))
    }

    /// `~` and the number behind it, `Some(None)` where there is none: with the characters taken.
    fn number(&self, text: &[char]) -> (Option<Option<u32>>, usize) {
        let Some(('~', rest)) = text.split_first().map(|(first, rest)| (*first, rest)) else {
            return (None, 0);
        };
        let end = rest.iter().position(|c| self.marks.end(*c)).unwrap_or(rest.len());
        let digits: String = rest.iter().take(end).collect();
        let number = if digits.is_empty() { Some(None) } else { Some(Some(digits.parse().unwrap_or(0))) };
        (number, end + 1)
    }

    fn style(&self) -> TextStyle {
        TextStyle { occur: self.between, ..TextStyle::default() }
    }

    /// On any of the fields; one that cannot hold such text is passed over.
    fn any(&self, query: impl Fn(&Field) -> Result<Option<Query>>) -> Result<Option<Query>> {
        let mut clauses = Vec::with_capacity(self.fields.len());
        for (field, boost) in &self.fields {
            let found = match query(field) {
                // What people type is rarely a number; the fields of text are searched all the same.
                Err(_) if field.spec.class().is_point() => None,
                found => found?,
            };
            let Some(found) = found else { continue };
            let query = match *boost {
                1.0 => found,
                boost => Query::Boost { query: Box::new(found), boost },
            };
            clauses.push(Clause { occur: Occur::Should, query });
        }
        Ok(match clauses.len() {
            0 => None,
            1 => clauses.pop().map(|only| only.query),
            _ => Some(Query::Boolean { clauses, minimum_should_match: 0 }),
        })
    }
}
