//! A leaf of the query on many fields at once: on those of `qf` where it names none, on those of an alias, on
//! its own field. Each field reads the leaf its own way, or not at all; the best of them scores. What is a
//! field's own is `query/field.rs`.

use plan::{Clause, Error, Occur, Query, Result};

use super::LEVELS;
use super::field_list::Weighted;
use super::minimum::with_minimum;
use crate::debug::QueryPrinter;
use crate::query::budget::is_endless;
use crate::query::field::TextStyle;
use crate::query::leaf::{LeafContext, LeafParser, QueryLeaf};
use crate::query::negation::only_excludes;
use crate::query::syntax::SyntaxError;

/// Most fields that one leaf may be searched in, through aliases of aliases.
const FIELDS_MAX: usize = 1024;

/// The leaves of `dismax`: words and phrases, on all fields.
pub(super) struct PlainFields<'a> {
    pub fields: &'a [Weighted],
    pub tie: f32,
    pub slop: u32,
}

/// The leaves of `edismax`.
#[derive(Clone, Copy)]
pub(super) struct ManyFields<'a> {
    /// What leaves without a field are searched in.
    pub fields: &'a [Weighted],
    /// Names that stand for several fields.
    pub aliases: &'a [(String, Vec<Weighted>)],
    pub tie: f32,
    pub all_required: bool,
    /// Words are read one by one.
    pub split: bool,
    /// Of phrases that give none.
    pub slop: u32,
    /// `mm`, of what analysis makes of one leaf.
    pub minimum: &'a str,
    pub stop_words: bool,
    /// Whether only what becomes several words on a field is searched for.
    pub phrases_only: bool,
    /// Whether other parsers may be called.
    pub nested: bool,
    /// Whether a field that does not exist is an error.
    pub strict: bool,
}

impl LeafParser for PlainFields<'_> {
    fn read(&self, leaf: &QueryLeaf<'_>, place: LeafContext<'_>) -> Result<Option<Query>> {
        let (text, quoted) = match leaf {
            QueryLeaf::Words(words) => (words.join(" "), false),
            QueryLeaf::Quoted { text, .. } => (text.clone(), true),
            // Their syntax is escaped before.
            _ => return Ok(None),
        };
        let style = TextStyle { quoted, auto_phrase: true, slop: self.slop, ..TextStyle::default() };
        let parts = self.fields.iter().filter_map(|field| {
            let known = place.context.find(&field.name)?;
            // What a field cannot read (`abc` on a number) is no error: the other fields may.
            let query = place.context.text_query(&known, &text, style).ok().flatten()?;
            Some(match field.boost {
                Some(boost) => weigh(query, boost),
                None => query,
            })
        });
        Ok(best(parts.collect(), self.tie))
    }
}

impl LeafParser for ManyFields<'_> {
    fn read(&self, leaf: &QueryLeaf<'_>, place: LeafContext<'_>) -> Result<Option<Query>> {
        match leaf {
            QueryLeaf::Wildcard("*") if matches!(place.field, None | Some("*")) => Ok(Some(Query::All)),
            QueryLeaf::Nested(text) if self.nested => {
                place.context.subquery(text, None, place.depth + LEVELS)
            }
            QueryLeaf::Nested(_) => Err(SyntaxError::plain("local-params subquery is disabled").into()),
            QueryLeaf::Regex(pattern) => {
                let field = place.context.field(place.field.unwrap_or_default())?;
                place.context.regex_query(&field, pattern).map(Some)
            }
            _ => Search { fields: self, leaf, place, trail: Vec::new(), count: 0 }.of(place.field),
        }
    }

    /// Wherever clauses only exclude they do so from all documents. The factor is Solr's trace of having done
    /// it.
    fn combined(&self, mut clauses: Vec<Clause>) -> Query {
        let excludes = only_excludes(&clauses);
        if excludes {
            clauses.push(Clause { occur: Occur::Must, query: Query::All });
        }
        let query = Query::Boolean { clauses, minimum_should_match: 0 };
        // A factor of 1 changes no score; it is what Solr's own rewriting leaves, and debug output shows it.
        if excludes { weigh(query, 1.0) } else { query }
    }

    /// Words that are each searched in many fields are clauses of their own.
    fn words_of_row(&self, query: Query) -> Vec<Query> {
        match query {
            Query::Boolean { clauses, .. } if clauses.iter().all(|clause| is_best(&clause.query)) => {
                clauses.into_iter().map(|clause| clause.query).collect()
            }
            other => vec![other],
        }
    }
}

/// One leaf on its way through aliases to fields.
struct Search<'a> {
    fields: &'a ManyFields<'a>,
    leaf: &'a QueryLeaf<'a>,
    place: LeafContext<'a>,
    /// The aliases it came through.
    trail: Vec<&'a str>,
    /// The fields it has been searched in.
    count: usize,
}

impl<'a> Search<'a> {
    /// `name` is `None` for what names no field.
    fn of(&mut self, name: Option<&'a str>) -> Result<Option<Query>> {
        let Some(name) = name else { return self.of_list(self.fields.fields) };
        let Some((_, list)) = self.fields.aliases.iter().find(|(alias, _)| alias == name) else {
            return self.of_field(name);
        };
        if self.trail.contains(&name) {
            return Err(cycle());
        }
        self.trail.push(name);
        let query = self.of_list(list)?;
        self.trail.pop();
        Ok(query)
    }

    fn of_list(&mut self, list: &'a [Weighted]) -> Result<Option<Query>> {
        let mut parts = Vec::with_capacity(list.len());
        for field in list {
            let Some(query) = self.of(Some(&field.name))? else { continue };
            parts.push(match field.boost {
                Some(boost) if boost != 1.0 => weigh(query, boost),
                _ => query,
            });
        }
        // Words that were left together (`sow=false`) may be cut differently by each field; only then must be
        // asked whether word by word still makes sense.
        let row = matches!(self.leaf, QueryLeaf::Words(words) if words.len() > 1);
        Ok(match row {
            true => word_by_word(parts, self.fields.tie, &QueryPrinter::new(self.place.context.schema)),
            false => best(parts, self.fields.tie),
        })
    }

    /// What a field cannot read it leaves out.
    fn of_field(&mut self, name: &str) -> Result<Option<Query>> {
        self.count += 1;
        if self.count > FIELDS_MAX {
            return Err(Error::bad_request(format!(
                "aliases unfold into more than {FIELDS_MAX} fields; use fewer"
            )));
        }
        // Only while the text is read as written: escaped, a colon is text and an unknown name no field.
        if self.fields.strict && !is_magic(name) {
            self.place.context.field(name)?;
        }
        match self.read(name) {
            // A field of another type leaves the leaf to the others, as in `dismax`.
            Err(error) if !is_endless(&error) => Ok(None),
            other => other,
        }
    }

    fn read(&self, name: &str) -> Result<Option<Query>> {
        let context = self.place.context;
        if is_magic(name) {
            return self.nested(name);
        }
        let Some(field) = context.find(name) else { return Ok(None) };
        let style = self.style();
        match self.leaf {
            QueryLeaf::Words(words) => {
                let query = match words.as_slice() {
                    [word] => context.text_query(&field, word, style)?,
                    // One text, so that an analyzer sees neighbours: synonyms of several words need that.
                    _ if field.spec.class().is_text() => {
                        context.text_query(&field, &words.join(" "), style)?
                    }
                    _ => Some(self.values(&field, words)),
                };
                query.map(|query| with_minimum(query, self.fields.minimum, false)).transpose()
            }
            QueryLeaf::Quoted { text, slop } => {
                let slop = slop.unwrap_or(self.fields.slop);
                let query = context.text_query(&field, text, TextStyle { quoted: true, slop, ..style })?;
                Ok(query.map(|query| with_slop(query, self.fields.slop)))
            }
            QueryLeaf::Range(bounds) => context.range_query(&field, &bounds.text()).map(Some),
            QueryLeaf::Prefix(prefix) => context.prefix_query(&field, prefix).map(Some),
            QueryLeaf::Wildcard("*") => context.exists_query(&field).map(Some),
            QueryLeaf::Wildcard(pattern) => context.wildcard_query(&field, pattern).map(Some),
            QueryLeaf::Fuzzy { term, distance } => context.fuzzy_query(&field, term, *distance).map(Some),
            QueryLeaf::Regex(_) | QueryLeaf::Nested(_) => Ok(None),
        }
        .map(|query| query.filter(|query| !self.fields.phrases_only || is_of_several_words(query)))
    }

    /// A query of any syntax behind `_query_`. A function behind `_val_` is left out, as Solr leaves it out.
    fn nested(&self, name: &str) -> Result<Option<Query>> {
        let text = match self.leaf {
            QueryLeaf::Words(words) => words.join(" "),
            QueryLeaf::Quoted { text, .. } => text.clone(),
            _ => return Ok(None),
        };
        if name == "_val_" {
            return Ok(None);
        }
        self.place.context.subquery(&text, None, self.place.depth + LEVELS)
    }

    /// Words in a row on a field without analysis, each a value; one that is none matches nothing.
    fn values(&self, field: &crate::query::Field, words: &[String]) -> Query {
        let clauses = words.iter().map(|word| Clause {
            occur: self.style().occur,
            query: self.place.context.value_query(field, word).unwrap_or(Query::Nothing),
        });
        Query::Boolean { clauses: clauses.collect(), minimum_should_match: 0 }
    }

    fn style(&self) -> TextStyle {
        TextStyle {
            occur: if self.fields.all_required { Occur::Must } else { Occur::Should },
            quoted: false,
            auto_phrase: self.fields.split,
            slop: self.fields.slop,
            stop_words: self.fields.stop_words,
        }
    }
}

/// Names that open other syntaxes.
pub(super) fn is_magic(name: &str) -> bool {
    matches!(name, "_query_" | "_val_")
}

pub(super) fn cycle() -> Error {
    SyntaxError::plain("Field aliases lead to a cycle").into()
}

fn weigh(query: Query, boost: f32) -> Query {
    Query::Boost { query: Box::new(query), boost }
}

/// The alternatives of a phrase are as loose as phrases are that say nothing of it, whatever the phrase says:
/// so it is in Solr.
fn with_slop(query: Query, slop: u32) -> Query {
    let Query::Boolean { mut clauses, minimum_should_match } = query else { return query };
    for clause in &mut clauses {
        if let Query::Phrase(phrase) = &mut clause.query {
            phrase.slop = slop;
        }
    }
    Query::Boolean { clauses, minimum_should_match }
}

fn is_best(query: &Query) -> bool {
    matches!(query, Query::DisjunctionMax { .. })
}

fn is_of_several_words(query: &Query) -> bool {
    match query {
        Query::Boolean { clauses, .. } => clauses.len() > 1,
        Query::Phrase(phrase) => phrase.positions.len() > 1,
        _ => false,
    }
}

/// The best of the fields' queries, alone or not: a minimum counts it as one.
fn best(queries: Vec<Query>, tie_breaker: f32) -> Option<Query> {
    if queries.is_empty() {
        return None;
    }
    Some(Query::DisjunctionMax { queries, tie_breaker })
}

/// Words in a row: for each word the best of the fields if all fields read the row alike, else the best field
/// for the row.
fn word_by_word(fields: Vec<Query>, tie: f32, printer: &QueryPrinter<'_>) -> Option<Query> {
    let words = match fields.first().map(bare) {
        Some(Query::Boolean { clauses, .. }) => clauses.len(),
        _ => return best(fields, tie),
    };
    let alike = fields.windows(2).all(|pair| match pair {
        [left, right] => same_structure(bare(left), bare(right), printer),
        _ => true,
    });
    // One field dropped a stop word or added a synonym: the columns would pair words that do not belong
    // together.
    if !alike {
        return best(fields, tie);
    }
    let mut columns: Vec<Vec<Query>> = (0..words).map(|_| Vec::with_capacity(fields.len())).collect();
    for field in fields {
        let (boost, row) = match field {
            Query::Boost { query, boost } => (Some(boost), *query),
            row => (None, row),
        };
        let Query::Boolean { clauses, .. } = row else { continue };
        for (column, clause) in columns.iter_mut().zip(clauses) {
            column.push(match boost {
                Some(boost) => weigh(clause.query, boost),
                None => clause.query,
            });
        }
    }
    let word =
        |queries| Clause { occur: Occur::Should, query: Query::DisjunctionMax { queries, tie_breaker: tie } };
    Some(Query::Boolean { clauses: columns.into_iter().map(word).collect(), minimum_should_match: 0 })
}

fn bare(query: &Query) -> &Query {
    match query {
        Query::Boost { query, .. } => query,
        other => other,
    }
}

/// Whether Lucene has the same classes for both, down through boolean queries.
fn same_structure(left: &Query, right: &Query, printer: &QueryPrinter<'_>) -> bool {
    if std::mem::discriminant(left) != std::mem::discriminant(right)
        // Lucene compares classes of its own, of which one of ours may stand for several.
        || printer.class(left) != printer.class(right)
    {
        return false;
    }
    match (left, right) {
        (Query::Boolean { clauses: left, .. }, Query::Boolean { clauses: right, .. }) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| {
                    left.occur == right.occur && same_structure(&left.query, &right.query, printer)
                })
        }
        _ => true,
    }
}
