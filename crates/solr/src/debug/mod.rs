//! Queries as Solr shows them in debug output: `parsedquery_toString` is Lucene's text of a query,
//! `parsedquery` names the classes that have no text of their own. Total over every query; reads the schema
//! for how a field is kept, no index. Solr differs: a boosted `filter(…)` shows as a constant score, which it
//! is.

mod classes;
mod dismax;
mod enumerations;
mod points;
mod relations;
mod shapes;
mod spans;

#[cfg(test)]
mod tests;

use plan::{Clause, LikeSource, Nearest, Occur, Phrase, Query, Range, Schema, Value};
use std::ops::Bound;

pub(crate) use shapes::collapsing;

use crate::query::ParsedQuery;

/// Prints queries against one schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueryPrinter<'a> {
    schema: &'a Schema,
}

/// Which of the two forms.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Lucene's `toString`.
    Plain,
    /// With the class around what is neither term nor boolean.
    Classes,
}

impl<'a> QueryPrinter<'a> {
    pub(crate) fn new(schema: &'a Schema) -> Self {
        Self { schema }
    }

    /// `parsedquery`.
    pub(crate) fn parsed(&self, parsed: &ParsedQuery) -> String {
        self.whole(parsed, Form::Classes)
    }

    /// `parsedquery_toString`.
    pub(crate) fn parsed_to_string(&self, parsed: &ParsedQuery) -> String {
        self.whole(parsed, Form::Plain)
    }

    /// A query inside a function.
    pub(crate) fn text(&self, query: &Query) -> String {
        self.print(query, Form::Plain)
    }

    fn whole(&self, parsed: &ParsedQuery, form: Form) -> String {
        let query = parsed.query.as_ref().unwrap_or(&Query::Nothing);
        format!("{}{}", options(parsed), self.print(query, form))
    }

    fn print(&self, query: &Query, form: Form) -> String {
        match query {
            Query::Boolean { clauses, minimum_should_match } => {
                self.boolean(clauses, *minimum_should_match, form)
            }
            Query::Boost { query, boost } => self.boost(query, *boost, form),
            Query::Term { field, value: Value::Bool(flag) } => match form {
                Form::Plain => format!("{field}:{}", letter(*flag)),
                Form::Classes => format!("{field}:{flag}"),
            },
            Query::Term { field, value: Value::Enum(value) } => self.enum_term(field, value, form),
            Query::Range(range) if self.is_enumeration(&range.field) => self.enum_range(range, form),
            other => match (self.class(other), form) {
                (Some(class), Form::Classes) => format!("{class}({})", self.plain(other)),
                _ => self.plain(other),
            },
        }
    }

    fn boolean(&self, clauses: &[Clause], minimum: usize, form: Form) -> String {
        let clauses = clauses.iter().map(|clause| {
            let sign = match (clause.occur, form) {
                (Occur::Must, _) | (Occur::Filter, Form::Classes) => "+",
                (Occur::Filter, Form::Plain) => "#",
                (Occur::MustNot, _) => "-",
                (Occur::Should, _) => "",
            };
            match &clause.query {
                inner @ Query::Boolean { minimum_should_match, .. } => {
                    let text = self.print(inner, form);
                    let whole = form == Form::Classes && *minimum_should_match > 0;
                    if whole { format!("{sign}{text}") } else { format!("{sign}({text})") }
                }
                inner => format!("{sign}{}", self.print(inner, form)),
            }
        });
        let text = clauses.collect::<Vec<_>>().join(" ");
        if minimum > 0 { format!("({text})~{minimum}") } else { text }
    }

    fn boost(&self, inner: &Query, boost: f32, form: Form) -> String {
        let text = match inner {
            Query::ConstantScore { query, .. } => {
                format!("ConstantScore({})", self.print(query, Form::Plain))
            }
            other => self.print(other, form),
        };
        let boost = Value::Float(boost).to_text();
        let bare = form == Form::Classes && !matches!(inner, Query::Boolean { .. });
        if bare { format!("{text}^{boost}") } else { format!("({text})^{boost}") }
    }

    fn plain(&self, query: &Query) -> String {
        match query {
            Query::All => "*:*".to_owned(),
            Query::Nothing => "MatchNoDocsQuery(\"\")".to_owned(),
            Query::Term { field, value } => self.term(field, value),
            Query::Synonym { field, terms } => {
                let each = terms.iter().map(|(term, boost)| format!("{field}:{term}{}", factor(*boost)));
                format!("Synonym({})", each.collect::<Vec<_>>().join(" "))
            }
            Query::Spatial(query) => query.to_string(),
            Query::DateRange(query) => query.to_string(),
            Query::Nearest(query) => nearest_text(query),
            Query::TermSet { field, values } => self.term_set(field, values),
            Query::Phrase(phrase) => phrase_text(phrase),
            Query::Span(span) => self.span(span),
            Query::Rank(rank) => rank.describe(),
            Query::Range(range) => self.range(range),
            Query::Prefix { field, prefix } => format!("{field}:{prefix}*"),
            Query::Wildcard { field, pattern } => format!("{field}:{pattern}"),
            Query::Regex { field, pattern } => format!("{field}:/{pattern}/"),
            Query::Fuzzy(fuzzy) => format!("{}:{}~{}", fuzzy.field, fuzzy.term, fuzzy.edits_max),
            Query::Exists { field } => match self.exists_class(field) {
                "SolrRangeQuery" => format!("{field}:{{* TO *}}"),
                "" => format!("{field}:*"),
                _ => format!("FieldExistsQuery [field={field}]"),
            },
            Query::DisjunctionMax { queries, tie_breaker } => {
                let each: Vec<_> = queries.iter().map(|query| self.disjunct(query)).collect();
                let tie = if *tie_breaker == 0.0 {
                    String::new()
                } else {
                    format!("~{}", Value::Float(*tie_breaker).to_text())
                };
                format!("({}){tie}", each.join(" | "))
            }
            // What scores nothing is `filter(…)` of the query language; what scores is Lucene's own.
            Query::ConstantScore { query, score } => {
                let name = if *score == 0.0 { "filter" } else { "ConstantScore" };
                format!("{name}({})", self.print(query, Form::Plain))
            }
            Query::Function(function) => function.to_string(),
            // Lucene has no text for it.
            Query::FunctionRange(_) => "FunctionRangeQuery()".to_owned(),
            Query::FunctionBoost { query, function } => {
                format!("FunctionScoreQuery({}, scored by boost({function}))", self.text(query))
            }
            Query::Related(relation) => self.relation(relation),
            // The words are chosen where the index is. Solr differs: it shows them
            // (`compat/query/more_like.yaml`).
            Query::MoreLike(like) => match &like.of {
                LikeSource::Document(id) => format!("MoreLikeThis({id})"),
                LikeSource::Text(text) => format!("MoreLikeThis({text})"),
            },
            Query::Boolean { .. } | Query::Boost { .. } => self.print(query, Form::Plain),
        }
    }

    fn disjunct(&self, query: &Query) -> String {
        let text = self.print(query, Form::Plain);
        if matches!(query, Query::Boolean { .. }) { format!("({text})") } else { text }
    }

    fn term(&self, field: &str, value: &Value) -> String {
        match value {
            Value::Str(text) if self.only_column(field) => {
                let bytes = hex(text);
                format!("{field}:[{bytes} TO {bytes}]")
            }
            Value::Str(text) => format!("{field}:{text}"),
            Value::Bool(flag) => format!("{field}:{}", letter(*flag)),
            Value::Enum(value) => self.enum_term(field, value, Form::Plain),
            point => {
                let bound = Bound::Included(point.clone());
                points::range(self.schema, field, &bound, &bound)
            }
        }
    }

    fn range(&self, range: &Range) -> String {
        if self.is_enumeration(&range.field) {
            return self.enum_range(range, Form::Plain);
        }
        let sample = match (&range.lower, &range.upper) {
            (Bound::Included(value) | Bound::Excluded(value), _)
            | (_, Bound::Included(value) | Bound::Excluded(value)) => value,
            _ => return format!("{}:{{* TO *}}", range.field),
        };
        if !matches!(sample, Value::Str(_) | Value::Bool(_) | Value::Bytes(_)) {
            return points::range(self.schema, &range.field, &range.lower, &range.upper);
        }
        let only_column = self.only_column(&range.field);
        let show = |value: &Value| match value {
            Value::Bool(flag) => letter(*flag).to_owned(),
            Value::Str(text) if only_column => hex(text),
            other => other.to_text(),
        };
        let lower = match &range.lower {
            Bound::Included(value) => format!("[{}", show(value)),
            Bound::Excluded(value) => format!("{{{}", show(value)),
            Bound::Unbounded => "{*".to_owned(),
        };
        let upper = match &range.upper {
            Bound::Included(value) => format!("{}]", show(value)),
            Bound::Excluded(value) => format!("{}}}", show(value)),
            Bound::Unbounded => "*}".to_owned(),
        };
        format!("{}:{lower} TO {upper}", range.field)
    }

    fn term_set(&self, field: &str, values: &[Value]) -> String {
        let shown: Vec<_> = values
            .iter()
            .map(|value| match value {
                Value::Bool(flag) => letter(*flag).to_owned(),
                Value::Date(ms) => ms.to_string(),
                other => other.to_text(),
            })
            .collect();
        match values.first() {
            Some(Value::Str(_) | Value::Bool(_)) | None => format!("{field}:({})", shown.join(" ")),
            Some(_) => {
                let column: Vec<_> = values.iter().map(points::column_value).collect();
                let (index, column) = (shown.join(" "), column.join(", "));
                format!("IndexOrDocValuesQuery(indexQuery={field}:{{{index}}}, dvQuery={field}: [{column}])")
            }
        }
    }

    /// Solr's class, for those that `parsedquery` names.
    pub(crate) fn class(&self, query: &Query) -> Option<&'static str> {
        Some(match query {
            Query::All => "MatchAllDocsQuery",
            Query::Nothing => "MatchNoDocsQuery",
            Query::Synonym { .. } => "SynonymQuery",
            Query::Phrase(phrase) if phrase.positions.iter().any(|at| at.terms.len() > 1) => {
                "MultiPhraseQuery"
            }
            Query::Phrase(_) => "PhraseQuery",
            Query::Span(span) => classes::of_span(span),
            Query::Rank(_) => "FeatureQuery",
            Query::Regex { .. } => "RegexpQuery",
            Query::DisjunctionMax { .. } => "DisjunctionMaxQuery",
            Query::ConstantScore { score, .. } if *score != 0.0 => return None,
            Query::ConstantScore { .. } => "FilterQuery",
            Query::Function(_) => "FunctionQuery",
            Query::FunctionRange(_) => "FunctionRangeQuery",
            Query::FunctionBoost { .. } => "FunctionScoreQuery",
            Query::Related(relation) => classes::of_relation(relation),
            Query::Exists { field } => Some(self.exists_class(field)).filter(|class| !class.is_empty())?,
            Query::Term { value: Value::Str(_), field } if self.only_column(field) => {
                "SortedSetDocValuesRangeQuery"
            }
            Query::Term { value: Value::Str(_) | Value::Bool(_), .. } => return None,
            Query::Term { field, .. } => points::class(self.schema, field),
            Query::Spatial(query) => query.class(),
            Query::DateRange(query) => query.class(),
            Query::Nearest(_) => "KnnFloatVectorQuery",
            Query::TermSet { values, .. } => match values.first() {
                Some(Value::Str(_) | Value::Bool(_) | Value::Enum(_)) | None => "TermInSetQuery",
                Some(_) => "IndexOrDocValuesQuery",
            },
            Query::Range(range) => match self.schema.field(&range.field) {
                Some(spec) if spec.class().is_point() => points::class(self.schema, &range.field),
                _ if self.only_column(&range.field) => "SortedSetDocValuesRangeQuery",
                _ => "SolrRangeQuery",
            },
            // Of a class without a name: Solr writes it in line, to try the pattern on reversed terms.
            Query::Wildcard { field, .. } if self.has_reversed_terms(field) => "",
            Query::Prefix { .. } | Query::Wildcard { .. } | Query::Fuzzy(_) => return None,
            Query::Boolean { .. } | Query::Boost { .. } | Query::MoreLike(_) => return None,
        })
    }

    /// Empty where Solr looks for any term.
    fn exists_class(&self, field: &str) -> &'static str {
        match self.schema.field(field) {
            Some(spec) if spec.class().is_on_tree() => "",
            Some(spec) if spec.properties.doc_values => "DocValuesFieldExistsQuery",
            Some(spec) if spec.properties.indexed && !spec.properties.omit_norms => "NormsFieldExistsQuery",
            _ => "SolrRangeQuery",
        }
    }

    fn has_reversed_terms(&self, field: &str) -> bool {
        let analyzer = self.schema.field(field).and_then(|spec| spec.field_type.index_analyzer.as_ref());
        analyzer.is_some_and(analysis::reverses_words)
    }

    /// Whether the field has a column and no terms.
    fn only_column(&self, field: &str) -> bool {
        let spec = self.schema.field(field);
        spec.is_some_and(|spec| !spec.properties.indexed && spec.properties.doc_values)
    }
}

/// `{!cache=false cost=…}` before a query that asked for it.
fn options(parsed: &ParsedQuery) -> String {
    // Solr's own class of it does not show them.
    if matches!(parsed.query, Some(Query::FunctionRange(_))) {
        return String::new();
    }
    match (parsed.local.get("cache"), parsed.local.get("cost")) {
        (Some("false"), Some(cost)) if cost != "0" => format!("{{!cache=false cost={cost}}}"),
        (Some("false"), _) => "{!cache=false}".to_owned(),
        _ => String::new(),
    }
}

fn nearest_text(query: &Nearest) -> String {
    let first = query.target.first().copied().unwrap_or_default();
    let first = Value::Float(first).to_text();
    format!("KnnFloatVectorQuery:{}[{first},...][{}]", query.field, query.count)
}

fn letter(flag: bool) -> &'static str {
    if flag { "T" } else { "F" }
}

/// `^boost` unless it is 1.
fn factor(boost: f32) -> String {
    if boost == 1.0 { String::new() } else { format!("^{}", Value::Float(boost).to_text()) }
}

/// `[66 6f 6f]`, as Lucene shows bytes.
fn hex(text: &str) -> String {
    let bytes: Vec<_> = text.bytes().map(|byte| format!("{byte:x}")).collect();
    format!("[{}]", bytes.join(" "))
}

/// `field:"a ? (b c)"~slop`.
fn phrase_text(phrase: &Phrase) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut next = 0;
    for position in &phrase.positions {
        let gap = position.position.saturating_sub(next).min(1024);
        words.extend((0..gap).map(|_| "?".to_owned()));
        words.push(match position.terms.as_slice() {
            [only] => only.clone(),
            many => format!("({})", many.join(" ")),
        });
        next = position.position.saturating_add(1);
    }
    let slop = if phrase.slop > 0 { format!("~{}", phrase.slop) } else { String::new() };
    format!("{}:\"{}\"{slop}", phrase.field, words.join(" "))
}
