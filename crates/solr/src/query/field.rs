//! Queries on one field, whatever syntax asked for them: a piece of text and a field become terms, ranges,
//! patterns of the field's type. Text fields pass their analyzers, all others are taken by value. Errors are
//! Solr's.

use std::ops::Bound;
use std::sync::Arc;

use plan::{Clause, Error, FieldClass, Fuzzy, Occur, Query, Range, Result, Value};

use super::context::{Field, QueryContext};
use super::text::TextQuery;
use super::value::parse_value;

/// How text becomes a query.
#[derive(Clone, Copy)]
pub(crate) struct TextStyle {
    /// Of several tokens: `Must` or `Should`.
    pub occur: Occur,
    /// Written in quotes.
    pub quoted: bool,
    /// Whether the type's `autoGeneratePhraseQueries` counts: only where words are analysed one by one.
    pub auto_phrase: bool,
    pub slop: u32,
    /// Whether stop words are searched for, where the index has them.
    pub stop_words: bool,
}

impl Default for TextStyle {
    fn default() -> Self {
        Self { occur: Occur::Should, quoted: false, auto_phrase: false, slop: 0, stop_words: false }
    }
}

/// One end of a range as written; `None` is open.
pub(crate) struct RangeText<'a> {
    pub lower: Option<&'a str>,
    pub upper: Option<&'a str>,
    pub lower_inclusive: bool,
    pub upper_inclusive: bool,
}

impl QueryContext<'_> {
    /// A word or a phrase; `None` when analysis leaves nothing.
    pub(crate) fn text_query(&self, field: &Field, text: &str, style: TextStyle) -> Result<Option<Query>> {
        let kind = &field.spec.field_type;
        if !kind.class.is_text() {
            return self.value_query(field, text).map(Some);
        }
        let tokens = match style.stop_words {
            true => self.analyzers.tokens_with_stop_words(kind, text)?,
            false => self.analyzers.tokens(kind, text)?,
        };
        let phrase = style.quoted || (style.auto_phrase && kind.auto_phrase);
        TextQuery { field: &field.name, kind, occur: style.occur, phrase, slop: style.slop }.build(&tokens)
    }

    /// Several words that stand in a row: one text for an analyzer, alternatives for any other field.
    pub(crate) fn row_query(
        &self,
        field: &Field,
        words: &[String],
        style: TextStyle,
    ) -> Result<Option<Query>> {
        match words {
            [only] => self.text_query(field, only, style),
            _ if field.spec.class().is_text() => self.text_query(field, &words.join(" "), style),
            _ => {
                let each = words
                    .iter()
                    .map(|word| Ok(Clause { occur: Occur::Should, query: self.value_query(field, word)? }));
                let clauses = each.collect::<Result<Vec<_>>>()?;
                Ok(Some(Query::Boolean { clauses, minimum_should_match: 0 }))
            }
        }
    }

    /// The exact value, unanalysed.
    pub(crate) fn value_query(&self, field: &Field, text: &str) -> Result<Query> {
        match field.spec.class() {
            // Classes without a term of their own come first; a value of any other is one term.
            FieldClass::Point => return self.coordinates_query(field, text),
            FieldClass::BBox => return self.box_text_query(field, text),
            FieldClass::DenseVector => return Err(no_vectors("Field")),
            FieldClass::Currency => return self.price_query(field, text),
            FieldClass::DateRange => return self.date_query(field, text),
            class if class.is_place() => return self.shape_query(field, text),
            _ => self.check_class(field)?,
        }
        let value = parse_value(&field.spec, &field.name, text, self.dates)?;
        Ok(Query::Term { field: field.name.clone(), value })
    }

    pub(crate) fn range_query(&self, field: &Field, range: &RangeText<'_>) -> Result<Query> {
        let bounded = range.lower.is_some() || range.upper.is_some();
        match field.spec.class() {
            FieldClass::DenseVector => return Err(no_vectors("Range")),
            FieldClass::Currency => return self.price_range(field, range),
            FieldClass::DateRange if bounded => return self.dates_between(field, range),
            FieldClass::DateRange => {}
            FieldClass::Rank => return Err(Error::bad_request("Range queries not supported on RankFields")),
            FieldClass::Point if bounded => return self.coordinates_range(field, range),
            FieldClass::BBox if bounded => return self.corners_query(field, range),
            // The field itself holds nothing: its edges are fields of their own.
            FieldClass::BBox => return self.all_boxes(field),
            class if class.is_place() && bounded => return self.corners_query(field, range),
            FieldClass::Point => {}
            class if class.is_place() => {}
            _ => self.check_class(field)?,
        }
        let bound = |text: Option<&str>, inclusive: bool| -> Result<Bound<Value>> {
            let Some(text) = text else { return Ok(Bound::Unbounded) };
            let value = self.bound_value(field, text)?;
            Ok(if inclusive { Bound::Included(value) } else { Bound::Excluded(value) })
        };
        let name = field.name.clone();
        match (bound(range.lower, range.lower_inclusive)?, bound(range.upper, range.upper_inclusive)?) {
            (Bound::Unbounded, Bound::Unbounded) => Ok(all_values(name, field.spec.class())),
            (lower, upper) => Ok(Query::Range(Range { field: name, lower, upper })),
        }
    }

    fn bound_value(&self, field: &Field, text: &str) -> Result<Value> {
        if field.spec.class().is_text() {
            return self.normalize(field, text).map(Value::Str);
        }
        parse_value(&field.spec, &field.name, text, self.dates)
    }

    pub(crate) fn prefix_query(&self, field: &Field, prefix: &str) -> Result<Query> {
        if field.spec.class().is_point() {
            return Err(Error::bad_request("Can't run prefix queries on numeric fields"));
        }
        let prefix = self.normalize(field, prefix)?;
        self.prefixes.check(&field.name, &prefix)?;
        Ok(Query::Prefix { field: field.name.clone(), prefix })
    }

    /// `pattern` keeps its backslashes. On numbers it matches nothing, as in Solr.
    pub(crate) fn wildcard_query(&self, field: &Field, pattern: &str) -> Result<Query> {
        let pattern = self.normalize(field, pattern)?;
        Ok(Query::Wildcard { field: field.name.clone(), pattern })
    }

    /// Solr differs: an expression that does not parse, which the engine finds, is an error 500 there; here
    /// it is the client's (`compat/errors/queries.yaml`).
    pub(crate) fn regex_query(&self, field: &Field, pattern: &str) -> Result<Query> {
        let pattern = self.normalize(field, pattern)?;
        Ok(Query::Regex { field: field.name.clone(), pattern })
    }

    /// `distance` is edits from 1 on and a similarity below it, as Lucene reads it.
    pub(crate) fn fuzzy_query(&self, field: &Field, text: &str, distance: f32) -> Result<Query> {
        let term = self.normalize(field, text)?;
        // Counted on the term as the index has it, since the share of Lucene's old similarity is of that
        // length.
        let edits_max = edits(distance, term.chars().count());
        Ok(Query::Fuzzy(Fuzzy::new(field.name.clone(), term, edits_max)))
    }

    pub(crate) fn exists_query(&self, field: &Field) -> Result<Query> {
        match field.spec.class() {
            FieldClass::DenseVector => Err(no_vectors("Field")),
            FieldClass::Currency => self.any_price(field),
            FieldClass::BBox => self.all_boxes(field),
            _ => Ok(Query::Exists { field: field.name.clone() }),
        }
    }

    /// A pattern as the index spells it.
    pub(crate) fn normalize(&self, field: &Field, text: &str) -> Result<String> {
        if !field.spec.class().is_text() {
            return Ok(text.to_owned());
        }
        self.analyzers.normalize(&field.spec.field_type, &field.name, text)
    }

    /// Refuses classes whose values are no single term.
    fn check_class(&self, field: &Field) -> Result<()> {
        match field.spec.class() {
            FieldClass::Rank => Err(Error::bad_request("Only a \"*\" term query can be done on RankFields")),
            FieldClass::Binary => Err(Error::bad_request(format!(
                "queries on field `{}` of type `{}` are not supported yet; use another field",
                field.name, field.spec.field_type.name
            ))),
            _ => Ok(()),
        }
    }
}

fn no_vectors(what: &str) -> Error {
    Error::bad_request(format!(
        "{what} Queries are not supported for Dense Vector fields. Please use the {{!knn}} query parser to run K nearest neighbors search queries."
    ))
}

/// `[* TO *]`: all that have a value, but for numbers that are none (`NaN`), which lie in no range.
fn all_values(field: Arc<str>, class: FieldClass) -> Query {
    let least = match class {
        FieldClass::Float => Value::Float(f32::NEG_INFINITY),
        FieldClass::Double => Value::Double(f64::NEG_INFINITY),
        _ => return Query::Exists { field },
    };
    let most = match class {
        FieldClass::Float => Value::Float(f32::INFINITY),
        _ => Value::Double(f64::INFINITY),
    };
    Query::Range(Range { field, lower: Bound::Included(least), upper: Bound::Included(most) })
}

fn edits(distance: f32, length: usize) -> u8 {
    if distance >= 1.0 {
        return if distance >= 2.0 { 2 } else { 1 };
    }
    if distance == 0.0 {
        return 0;
    }
    match ((1.0 - f64::from(distance)) * length as f64) as usize {
        // A similarity so near 1 that not one edit fits asks for the term itself.
        0 => 0,
        1 => 1,
        _ => 2,
    }
}
