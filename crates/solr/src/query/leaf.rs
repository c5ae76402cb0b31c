//! The leaves of a query between its operators, words, phrases, patterns, ranges, and what `lucene` makes of
//! them on their field. Operators are `lucene.rs`, the queries of one field `field.rs`; `dismax/` reads the
//! same leaves its own way.

use plan::{Clause, Error, Occur, Query, Result};

use super::context::QueryContext;
use super::field::{RangeText, TextStyle};
use super::syntax::escape::unescape;
use super::syntax::tree::{Endpoint, Range};

/// How the parser was asked to read.
pub(crate) struct LuceneOptions<'a> {
    pub default_field: Option<&'a str>,
    /// `q.op=AND`.
    pub all_required: bool,
    /// `sow=true`.
    pub split: bool,
}

/// Text without its escapes, but for patterns, which keep them.
pub(crate) enum QueryLeaf<'a> {
    /// One word, or several in a row.
    Words(Vec<String>),
    Quoted {
        text: String,
        slop: Option<u32>,
    },
    Range(Bounds),
    Prefix(String),
    Wildcard(&'a str),
    Regex(&'a str),
    Fuzzy {
        term: String,
        /// See [`QueryContext::fuzzy_query`].
        distance: f32,
    },
    /// `{!…}` and the text behind it.
    Nested(&'a str),
}

/// Where a leaf stands.
#[derive(Clone, Copy)]
pub(crate) struct LeafContext<'a> {
    pub context: &'a QueryContext<'a>,
    /// The field before it, or before the parentheses around it.
    pub field: Option<&'a str>,
    pub depth: usize,
    /// Whether plain values are read.
    pub values: bool,
}

/// What a parser makes of leaves.
pub(crate) trait LeafParser {
    /// `None` when analysis leaves nothing.
    fn read(&self, leaf: &QueryLeaf<'_>, place: LeafContext<'_>) -> Result<Option<Query>>;

    /// Whether words on `field` are nothing but its values.
    fn is_plain(&self, _context: &QueryContext<'_>, _field: Option<&str>) -> bool {
        false
    }

    /// What several clauses, or one that does not just may match, amount to.
    fn combined(&self, clauses: Vec<Clause>) -> Query {
        Query::Boolean { clauses, minimum_should_match: 0 }
    }

    /// The queries that several words in a row add to those around them: one, or each word its own.
    fn words_of_row(&self, query: Query) -> Vec<Query> {
        vec![query]
    }
}

/// A range as written.
pub(crate) struct Bounds {
    lower: Option<String>,
    upper: Option<String>,
    lower_inclusive: bool,
    upper_inclusive: bool,
}

impl Bounds {
    pub(crate) fn read(range: &Range<'_>) -> Result<Self> {
        Ok(Self {
            lower: endpoint(&range.lower)?,
            upper: endpoint(&range.upper)?,
            lower_inclusive: range.lower_inclusive,
            upper_inclusive: range.upper_inclusive,
        })
    }

    pub(crate) fn text(&self) -> RangeText<'_> {
        RangeText {
            lower: self.lower.as_deref(),
            upper: self.upper.as_deref(),
            lower_inclusive: self.lower_inclusive,
            upper_inclusive: self.upper_inclusive,
        }
    }
}

/// Solr keeps the backslash of an escaped or quoted star, so that it stands for itself.
fn endpoint(end: &Endpoint<'_>) -> Result<Option<String>> {
    if end.text == "*" && !end.quoted {
        return Ok(None);
    }
    let text = unescape(end.text)?;
    // Else `[\* TO b]` would be open below.
    Ok(Some(if text == "*" { "\\*".to_owned() } else { text }))
}

/// The leaves of `lucene`: each on the field it names or the default one.
pub(crate) struct LuceneLeafParser<'a> {
    pub options: &'a LuceneOptions<'a>,
}

impl LeafParser for LuceneLeafParser<'_> {
    fn read(&self, leaf: &QueryLeaf<'_>, place: LeafContext<'_>) -> Result<Option<Query>> {
        let context = place.context;
        let name = || self.name(place.field);
        match leaf {
            QueryLeaf::Words(words) => self.words(words, place),
            QueryLeaf::Quoted { text, slop } => self.quoted(text, slop.unwrap_or(0), place),
            QueryLeaf::Nested(text) => context.subquery(text, None, place.depth + 1),
            QueryLeaf::Range(bounds) => {
                context.range_query(&context.field_quoted(name()?)?, &bounds.text()).map(Some)
            }
            QueryLeaf::Prefix(prefix) => context.prefix_query(&context.field(name()?)?, prefix).map(Some),
            QueryLeaf::Wildcard("*") => match place.field {
                None | Some("*") => Ok(Some(Query::All)),
                Some(name) => context.exists_query(&context.field_quoted(name)?).map(Some),
            },
            QueryLeaf::Wildcard(pattern) => {
                context.wildcard_query(&context.field(name()?)?, pattern).map(Some)
            }
            QueryLeaf::Regex(pattern) => context.regex_query(&context.field(name()?)?, pattern).map(Some),
            QueryLeaf::Fuzzy { term, distance } => {
                context.fuzzy_query(&context.field(name()?)?, term, *distance).map(Some)
            }
        }
    }

    fn is_plain(&self, context: &QueryContext<'_>, field: Option<&str>) -> bool {
        let name = field.or(self.options.default_field);
        let field = name.and_then(|name| context.find(name));
        field.is_some_and(|field| !field.spec.class().is_text())
    }
}

impl LuceneLeafParser<'_> {
    pub(super) fn name<'a>(&'a self, field: Option<&'a str>) -> Result<&'a str> {
        field.or(self.options.default_field).ok_or_else(|| {
            Error::bad_request("no field name specified in query and no default specified via 'df' param")
        })
    }

    fn style(&self, quoted: bool, slop: u32) -> TextStyle {
        let occur = if self.options.all_required { Occur::Must } else { Occur::Should };
        TextStyle { occur, quoted, auto_phrase: self.options.split, slop, ..TextStyle::default() }
    }

    fn words(&self, words: &[String], place: LeafContext<'_>) -> Result<Option<Query>> {
        let name = self.name(place.field)?;
        if let Some(nested) = magic(name, &words.join(" "), place)? {
            return Ok(nested);
        }
        let field = place.context.field(name)?;
        // Put off, as in Solr: a syntax error behind a bad number is the one that is reported.
        if !place.values && !field.spec.class().is_text() {
            return Ok(None);
        }
        place.context.row_query(&field, words, self.style(false, 0))
    }

    fn quoted(&self, text: &str, slop: u32, place: LeafContext<'_>) -> Result<Option<Query>> {
        let name = self.name(place.field)?;
        if let Some(nested) = magic(name, text, place)? {
            return Ok(nested);
        }
        place.context.text_query(&place.context.field(name)?, text, self.style(true, slop))
    }
}

/// `_query_` holds a query of any syntax, `_val_` a function.
fn magic(field: &str, text: &str, place: LeafContext<'_>) -> Result<Option<Option<Query>>> {
    match field {
        "_query_" => place.context.subquery(text, None, place.depth + 1).map(Some),
        "_val_" => place.context.subquery(text, Some("func"), place.depth + 1).map(Some),
        _ => Ok(None),
    }
}
