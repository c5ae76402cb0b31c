//! What a query looks for in one field: its terms, patterns and phrases as leaves, and how they must come
//! together for a document to be matched as a whole. What the field's text cannot tell, the index is asked
//! (`search::DocMatcher`).

use std::collections::HashSet;
use std::ops::Bound;
use std::sync::Arc;

use plan::{
    FieldClass, Fuzzy, HighlightMethod, HighlightOptions, Occur, Phrase, Query, QueryFields, Range, Result,
    Span, Value,
};
use tantivy_fst::{Automaton, Regex};

use crate::layout::Layout;
use crate::search::{are_too_many, groups, is_near, regex_automaton, wildcard_automaton};

pub(super) struct Sought {
    pub(super) need: Need,
    pub(super) leaves: Vec<Leaf>,
    /// What the index is asked, by number.
    pub(super) given: Vec<Query>,
    terms: HashSet<String>,
    /// Whether what must not match is looked for in the text.
    all: bool,
}

/// How a document matches, by numbers of leaves.
#[derive(Debug, PartialEq)]
pub(super) enum Need {
    All,
    Nothing,
    DocMatch(usize),
    Leaf(usize),
    Boolean { required: Vec<Need>, optional: Vec<Need>, prohibited: Vec<Need>, minimum: usize },
    Any(Vec<Need>),
}

#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) kind: LeafKind,
    /// Equal for leaves that count as one word in a passage.
    pub(super) label: String,
    pub(super) boost: f32,
    /// Behind a `-`: it must not match, and is never marked.
    pub(super) prohibited: bool,
}

#[derive(Debug)]
pub(super) enum LeafKind {
    Terms(Vec<String>),
    Pattern(Pattern),
    Phrase(PhraseSought),
}

#[derive(Debug)]
pub(super) struct PhraseSought {
    /// (place, terms), places counted from the first.
    pub(super) places: Vec<(u32, Vec<String>)>,
    pub(super) slop: u32,
}

/// Terms by their form.
#[derive(Debug)]
pub(super) enum Pattern {
    Prefix(String),
    Automaton(Arc<Regex>),
    Fuzzy(Fuzzy),
    Range(Bound<String>, Bound<String>),
}

impl Pattern {
    pub(super) fn matches(&self, text: &str) -> bool {
        match self {
            Pattern::Prefix(prefix) => text.starts_with(prefix.as_str()),
            Pattern::Automaton(automaton) => {
                let step = |state, byte| automaton.accept(&state, byte);
                automaton.is_match(&text.bytes().fold(automaton.start(), step))
            }
            Pattern::Fuzzy(fuzzy) => is_near(fuzzy, text),
            Pattern::Range(lower, upper) => {
                let above = match lower {
                    Bound::Included(bound) => text >= bound.as_str(),
                    Bound::Excluded(bound) => text > bound.as_str(),
                    Bound::Unbounded => true,
                };
                above
                    && match upper {
                        Bound::Included(bound) => text <= bound.as_str(),
                        Bound::Excluded(bound) => text < bound.as_str(),
                        Bound::Unbounded => true,
                    }
            }
        }
    }
}

impl Leaf {
    /// All terms it names.
    fn terms(&self) -> impl Iterator<Item = &String> {
        let (terms, places): (&[String], &[_]) = match &self.kind {
            LeafKind::Terms(terms) => (terms, &[]),
            LeafKind::Phrase(phrase) => (&[], &phrase.places),
            LeafKind::Pattern(_) => (&[], &[]),
        };
        terms.iter().chain(places.iter().flat_map(|(_, terms)| terms))
    }
}

impl Sought {
    /// What `query` looks for in `field`.
    pub(super) fn of(
        query: &Query,
        field: &str,
        layout: &Layout,
        options: &HighlightOptions,
    ) -> Result<Self> {
        let empty = Sought {
            need: Need::All,
            leaves: Vec::new(),
            given: Vec::new(),
            terms: HashSet::new(),
            all: matches!(&options.method, HighlightMethod::Unified(unified) if unified.by_vectors),
        };
        let mut reading = Reading { field, layout, options, found: empty, boost: 1.0, prohibited: false };
        let need = reading.read(query)?;
        let mut found = reading.found;
        found.need = need;
        found.terms = found.looked_for().flat_map(Leaf::terms).cloned().collect();
        Ok(found)
    }

    /// The leaves that may be marked.
    pub(super) fn marked(&self) -> impl Iterator<Item = &Leaf> {
        self.leaves.iter().filter(|leaf| !leaf.prohibited)
    }

    /// As in Lucene, what must not match is not even looked for in a text that was analysed, but for queries
    /// of which not all terms can be named.
    fn looked_for(&self) -> impl Iterator<Item = &Leaf> {
        self.leaves.iter().filter(|leaf| self.all || !leaf.prohibited)
    }

    /// Whether a term is named, or has a form asked for.
    pub(super) fn wants(&self, text: &str) -> bool {
        let mut patterns = self.looked_for().filter_map(|leaf| match &leaf.kind {
            LeafKind::Pattern(pattern) => Some(pattern),
            _ => None,
        });
        self.terms.contains(text) || patterns.any(|pattern| pattern.matches(text))
    }
}

/// A query being read.
struct Reading<'a> {
    field: &'a str,
    layout: &'a Layout,
    options: &'a HighlightOptions,
    found: Sought,
    boost: f32,
    prohibited: bool,
}

impl Reading<'_> {
    fn read(&mut self, query: &Query) -> Result<Need> {
        Ok(match query {
            Query::All => Need::All,
            Query::Function(_) => {
                self.is_strange(None);
                Need::All
            }
            Query::Nothing => Need::Nothing,
            Query::Term { field, value } => self.terms(field, vec![term_text(value)], query),
            Query::Synonym { field, terms } => {
                self.terms(field, terms.iter().map(|(term, _)| term.clone()).collect(), query)
            }
            Query::TermSet { field, values } => {
                self.is_strange(Some(field));
                self.terms(field, values.iter().map(term_text).collect(), query)
            }
            Query::Phrase(phrase) => self.phrase(phrase, query),
            Query::Span(span) => self.span(&span.field, &span.span)?,
            Query::Range(_) | Query::Prefix { .. } | Query::Wildcard { .. } => self.pattern(query)?,
            Query::Regex { .. } | Query::Fuzzy(_) => self.pattern(query)?,
            Query::Exists { field } => {
                self.is_strange(Some(field));
                self.given(query)
            }
            // Likenesses are found, but not marked; the words of related documents stand elsewhere, and
            // places, vectors and stretches of time are no text.
            Query::FunctionRange(_)
            | Query::Rank(_)
            | Query::MoreLike(_)
            | Query::Related(_)
            | Query::Spatial(_)
            | Query::DateRange(_)
            | Query::Nearest(_) => {
                self.is_strange(None);
                self.given(query)
            }
            Query::Boolean { clauses, minimum_should_match } => {
                self.boolean(clauses, *minimum_should_match)?
            }
            Query::DisjunctionMax { queries, .. } => {
                Need::Any(queries.iter().map(|query| self.read(query)).collect::<Result<_>>()?)
            }
            Query::Boost { query, boost } | Query::ConstantScore { query, score: boost } => {
                let outer = self.boost;
                self.boost *= boost;
                let need = self.read(query);
                self.boost = outer;
                need?
            }
            Query::FunctionBoost { query, .. } => self.read(query)?,
        })
    }

    fn boolean(&mut self, clauses: &[plan::Clause], minimum: usize) -> Result<Need> {
        let (mut required, mut optional, mut prohibited) = (Vec::new(), Vec::new(), Vec::new());
        for clause in clauses {
            match clause.occur {
                Occur::Must | Occur::Filter => required.push(self.read(&clause.query)?),
                Occur::Should => optional.push(self.read(&clause.query)?),
                Occur::MustNot => {
                    let outer = std::mem::replace(&mut self.prohibited, true);
                    let need = self.read(&clause.query);
                    self.prohibited = outer;
                    prohibited.push(need?);
                }
            }
        }
        let minimum = if required.is_empty() { minimum.max(1) } else { minimum };
        Ok(Need::Boolean { required, optional, prohibited, minimum })
    }

    fn is_asked(&self, field: &str) -> bool {
        match &self.options.query_fields {
            QueryFields::Any => true,
            QueryFields::Same => field == self.field,
            QueryFields::Named(names) => names.contains(field),
        }
    }

    fn has_terms(&self, field: &str) -> bool {
        let class = self.layout.field(field).map(|layout| layout.class());
        class.is_none_or(|class| class.is_text() || matches!(class, FieldClass::Str | FieldClass::Bool))
    }

    /// Whether what is said of a field is to be looked for in the text.
    fn is_here(&self, field: &str) -> bool {
        self.is_asked(field) && self.has_terms(field)
    }

    /// Notes a part of the query that Lucene cannot name the terms of: for a whole match it then looks for
    /// everything.
    fn is_strange(&mut self, field: Option<&str>) {
        let whole =
            matches!(&self.options.method, HighlightMethod::Unified(unified) if unified.whole_matches);
        let asked = field.is_none_or(|field| self.is_asked(field));
        self.found.all |= whole && asked && !self.prohibited;
    }

    fn given(&mut self, query: &Query) -> Need {
        self.found.given.push(query.clone());
        Need::DocMatch(self.found.given.len() - 1)
    }

    fn leaf(&mut self, kind: LeafKind, label: String) -> Need {
        let (boost, prohibited) = (self.boost, self.prohibited);
        self.found.leaves.push(Leaf { kind, label, boost, prohibited });
        Need::Leaf(self.found.leaves.len() - 1)
    }

    fn terms(&mut self, field: &str, terms: Vec<String>, query: &Query) -> Need {
        if !self.has_terms(field) {
            self.is_strange(Some(field));
        }
        if !self.is_here(field) {
            return self.given(query);
        }
        let label = terms.join(" ");
        self.leaf(LeafKind::Terms(terms), label)
    }

    fn phrase(&mut self, phrase: &Phrase, query: &Query) -> Need {
        if !self.is_here(&phrase.field) {
            return self.given(query);
        }
        let terms: Vec<_> = phrase.positions.iter().flat_map(|place| place.terms.iter().cloned()).collect();
        let label = terms.join(" ");
        let Some(first) = phrase.positions.first() else { return Need::Nothing };
        if phrase.positions.len() == 1 {
            return self.leaf(LeafKind::Terms(terms), label);
        }
        // The `fastVector` method follows phrases in any case.
        let followed = self.options.phrases || matches!(self.options.method, HighlightMethod::FastVector(_));
        let repeated = || groups(phrase.positions.iter().map(|place| place.terms.as_slice()));
        // A phrase that no search would look for is its words.
        if !followed || (phrase.slop > 0 && are_too_many(&repeated())) {
            let each = terms.into_iter().map(|term| self.leaf(LeafKind::Terms(vec![term.clone()]), term));
            return Need::Any(each.collect());
        }
        let place = |place: &plan::PhrasePosition| (place.position - first.position, place.terms.clone());
        let places = phrase.positions.iter().map(place).collect();
        self.leaf(LeafKind::Phrase(PhraseSought { places, slop: phrase.slop }), label)
    }

    /// The words of a span, wherever they stand. Solr differs: it marks those of a stretch
    /// (`compat/query/complex_phrase_near.yaml`).
    fn span(&mut self, field: &Arc<str>, span: &Span) -> Result<Need> {
        Ok(match span {
            Span::Word(word) => {
                let term = Query::Term { field: field.clone(), value: Value::Str(word.clone()) };
                self.terms(field, vec![word.clone()], &term)
            }
            Span::Pattern(query) => self.pattern(query)?,
            Span::Any(spans) => {
                Need::Any(spans.iter().map(|span| self.span(field, span)).collect::<Result<_>>()?)
            }
            Span::Near { spans, .. } => {
                let required = spans.iter().map(|span| self.span(field, span)).collect::<Result<_>>()?;
                Need::Boolean { required, optional: Vec::new(), prohibited: Vec::new(), minimum: 0 }
            }
            Span::Without(spans) => self.span(field, &spans[0])?,
        })
    }

    fn pattern(&mut self, query: &Query) -> Result<Need> {
        let (field, pattern) = match query {
            Query::Range(Range { field, lower, upper }) => {
                self.is_strange(Some(field));
                let text = |bound: &Bound<Value>| bound.as_ref().map(Value::to_text);
                (field, Pattern::Range(text(lower), text(upper)))
            }
            Query::Prefix { field, prefix } => (field, Pattern::Prefix(prefix.clone())),
            Query::Wildcard { field, pattern } => (field, Pattern::Automaton(wildcard_automaton(pattern)?)),
            Query::Regex { field, pattern } => (field, Pattern::Automaton(regex_automaton(pattern)?)),
            Query::Fuzzy(fuzzy) => (&fuzzy.field, Pattern::Fuzzy(fuzzy.clone())),
            _ => return Ok(Need::Nothing),
        };
        if !self.is_here(field) {
            return Ok(self.given(query));
        }
        // For the older methods fuzzy queries are made the terms they mean in any case.
        let unified = matches!(self.options.method, HighlightMethod::Unified(_));
        if !self.options.multi_term && (unified || !matches!(pattern, Pattern::Fuzzy(_))) {
            return Ok(Need::Nothing);
        }
        let label = format!("{query:?}");
        Ok(self.leaf(LeafKind::Pattern(pattern), label))
    }
}

/// A value as the term that Solr indexes.
fn term_text(value: &Value) -> String {
    match value {
        Value::Bool(flag) => if *flag { "T" } else { "F" }.to_owned(),
        other => other.to_text(),
    }
}
