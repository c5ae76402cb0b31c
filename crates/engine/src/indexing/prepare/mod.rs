//! From a typed document to what a RAM segment takes: copy fields, analysed text as numbered terms, columns,
//! the stored source. All of it happens before any lock is taken; the version is added later. What the schema
//! forbids is refused here, in Solr's words.
//!
//! In: `plan::Document` and the layout, which already knows every field named. Out: [`Prepared`].

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use plan::{Copied, Document, Error, FieldClass, ROOT_FIELD, Result, Schema, Value, path_without_places};
use tantivy::schema::Field;

use self::columns::{index_date_spans, index_vector, number_term, push_column};
use self::values::{check_single, check_term, immense_term, text_of, typed, wrong_value};
use crate::indexing::index_document::Leaf;
use crate::indexing::term_table::TermTable;
use crate::indexing::tokens::{FieldTokens, Token};
use crate::layout::analyzers::{Analyzers, Streams};
use crate::layout::{FieldLayout, ID_FIELD, InvertedKind, Layout, VERSION_NAME};
use crate::segment::source_codec;
use crate::segment::spatial_values::SpatialValues;
use prepared::{Prepared, TERM_BYTES_MAX};

mod columns;
pub(crate) mod prepared;
mod values;

/// Tokens and bytes of a document that the next one finds room for.
const KEPT_MAX: usize = 1 << 16;

/// One thread's means of preparing, kept from document to document. Good for one layout.
pub(crate) struct Preparer {
    layout: Arc<Layout>,
    schema: Arc<Schema>,
    streams: Streams,
    routes: HashMap<Arc<str>, Arc<Route>>,
    required: Arc<[Arc<str>]>,
    terms: TermTable,
    /// Of the document at hand.
    tokens: Vec<Token>,
    source: Vec<u8>,
}

/// Where the values of a field go: to itself, and to these.
struct Route {
    field: Arc<FieldLayout>,
    copies: Vec<(Arc<FieldLayout>, Copied)>,
}

/// A field's values, its own and those copied to it.
type Gathered<'a> = Vec<(Arc<FieldLayout>, Vec<Cow<'a, Value>>)>;

impl Preparer {
    pub(crate) fn new(layout: Arc<Layout>, schema: Arc<Schema>, analyzers: Arc<Analyzers>) -> Self {
        let required = schema
            .fields()
            .filter(|spec| spec.properties.required)
            .map(|spec| spec.name.clone())
            .collect::<Vec<_>>();
        Self {
            layout,
            schema,
            streams: Streams::new(analyzers),
            routes: HashMap::new(),
            required: required.into(),
            terms: TermTable::default(),
            tokens: Vec::new(),
            source: Vec::new(),
        }
    }

    /// The terms of all documents prepared since [`Preparer::start_group`].
    pub(crate) fn terms(&self) -> &TermTable {
        &self.terms
    }

    /// Forgets the terms of the group before, and memory that one huge document took.
    pub(crate) fn start_group(&mut self) {
        self.terms.clear();
        self.tokens.clear();
        self.tokens.shrink_to(KEPT_MAX);
        self.source.clear();
        self.source.shrink_to(KEPT_MAX);
    }

    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    pub(crate) fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// Prepares one document. Errors are the request's: an unknown field, two values where one may be, a
    /// required field without value, a term too long.
    pub(crate) fn prepare(&mut self, id: &str, document: &Document) -> Result<Prepared> {
        let gathered = self.gather(id, document)?;
        self.check_required(id, document)?;
        let mut out = Prepared::empty();
        self.tokens.clear();
        let mut source = std::mem::take(&mut self.source);
        source_codec::begin(&mut source);
        check_term(id, self.layout.unique_key().map_or("id", |key| key), id)?;
        self.field(ID_FIELD).token(1, id.as_bytes());
        for (field, values) in &gathered {
            self.index(id, field, values, &mut out)?;
            keep(field, values, &mut source);
        }
        out.document.source = source.as_slice().into();
        self.source = source;
        out.tokens = self.tokens.as_slice().into();
        Ok(out)
    }

    /// What one field's values make, without the checks of an update: they were indexed before. The terms are
    /// in the table, of this field alone where a group was started.
    pub(crate) fn index_field(
        &mut self,
        id: &str,
        field: &FieldLayout,
        values: &[Value],
    ) -> Result<Prepared> {
        let values: Vec<Cow<'_, Value>> = values.iter().map(Cow::Borrowed).collect();
        let mut out = Prepared::empty();
        self.index(id, field, &values, &mut out)?;
        out.tokens = self.tokens.as_slice().into();
        Ok(out)
    }

    /// What of a field's values goes to which others. Values that those do not take are left out, and so are
    /// fields that are unknown.
    pub(crate) fn copies_of(
        &mut self,
        id: &str,
        name: &Arc<str>,
        values: &[Value],
    ) -> Vec<(Arc<FieldLayout>, Vec<Value>)> {
        let Ok(route) = self.route(id, name) else { return Vec::new() };
        let copied = route.copies.iter().filter_map(|(to, part)| {
            let values = copy(id, to, values, part).ok()?;
            Some((to.clone(), values.into_iter().map(Cow::into_owned).collect()))
        });
        copied.collect()
    }

    /// The document's fields in its order, then destinations of copies in theirs.
    fn gather<'a>(&mut self, id: &str, document: &'a Document) -> Result<Gathered<'a>> {
        let mut gathered: Gathered<'a> = Vec::with_capacity(document.fields.len() + 4);
        for (name, values) in &document.fields {
            if &**name == VERSION_NAME || values.is_empty() {
                continue;
            }
            let route = self.route(id, name)?;
            check_single(id, &route.field, values.len(), "field", values.iter())?;
            let typed = values.iter().map(|value| typed(id, &route.field, Cow::Borrowed(value)));
            merge(&mut gathered, &route.field, typed.collect::<Result<Vec<_>>>()?.into_iter());
        }
        for (name, values) in &document.fields {
            let route = self.route(id, name)?;
            for (destination, part) in &route.copies {
                let copied = copy(id, destination, values, part)?;
                merge(&mut gathered, destination, copied.into_iter());
            }
        }
        for (field, values) in &gathered {
            let values = values.iter().map(|value| &**value);
            check_single(id, field, values.len(), "copy field", values)?;
        }
        Ok(gathered)
    }

    fn route(&mut self, id: &str, name: &Arc<str>) -> Result<Arc<Route>> {
        if let Some(route) = self.routes.get(name) {
            return Ok(route.clone());
        }
        let known = |name: &str| {
            let unknown = || Error::bad_request(format!("ERROR: [doc={id}] unknown field '{name}'"));
            self.layout.field(name).cloned().ok_or_else(unknown)
        };
        let copies = self.schema.copies(name).map(|(dest, part)| Ok((known(&dest)?, part)));
        let route = Arc::new(Route { field: known(name)?, copies: copies.collect::<Result<_>>()? });
        self.routes.insert(name.clone(), route.clone());
        Ok(route)
    }

    fn check_required(&self, id: &str, document: &Document) -> Result<()> {
        let given = |name: &str| document.get(name).is_some_and(|values| !values.is_empty());
        let missing = self.required.iter().find(|name| &***name != VERSION_NAME && !given(name));
        missing.map_or(Ok(()), |name| {
            Err(Error::bad_request(format!("[doc={id}] missing required field: {name}")))
        })
    }

    /// Takes the tokens of one field.
    fn field(&mut self, field: Field) -> FieldTokens<'_> {
        FieldTokens::new(field, &mut self.terms, &mut self.tokens)
    }

    fn index(
        &mut self,
        id: &str,
        field: &FieldLayout,
        values: &[Cow<'_, Value>],
        out: &mut Prepared,
    ) -> Result<()> {
        match field.class() {
            class if class.is_place() => return self.index_places(id, field, values, out),
            FieldClass::DateRange => return index_date_spans(id, field, values, out),
            FieldClass::DenseVector => return index_vector(id, field, values, out),
            _ => {}
        }
        match (field.inverted, field.inverted_kind) {
            (Some(inverted), Some(InvertedKind::Text { .. })) => {
                self.index_text(id, field, inverted, values, out)?;
            }
            (_, Some(InvertedKind::Key) | None) | (None, _) => {}
            (Some(inverted), Some(kind)) => self.index_terms(id, field, inverted, kind, values, out)?,
        }
        let Some(column) = &field.column else { return Ok(()) };
        values.iter().try_for_each(|value| push_column(id, field, column.field, value, out))
    }

    fn index_places(
        &mut self,
        id: &str,
        field: &FieldLayout,
        values: &[Cow<'_, Value>],
        out: &mut Prepared,
    ) -> Result<()> {
        let mut places = SpatialValues::default();
        for text in values.iter().map(|value| text_of(value)) {
            places.add_text(&text).map_err(|error| wrong_value(id, field, &text, error))?;
        }
        if let Some(column) = &field.column {
            out.document.leaves.extend(places.codes.iter().map(|code| (column.field, Leaf::I64(*code))));
        }
        if let Some(inverted) = field.inverted {
            let mut tokens = self.field(inverted);
            for shape in &places.shapes {
                tokens.token(1, shape.as_bytes());
            }
        }
        Ok(())
    }

    /// Each value as one term.
    fn index_terms(
        &mut self,
        id: &str,
        field: &FieldLayout,
        inverted: Field,
        kind: InvertedKind,
        values: &[Cow<'_, Value>],
        out: &mut Prepared,
    ) -> Result<()> {
        let mut tokens = self.field(inverted);
        for value in values {
            if let InvertedKind::Term { .. } = kind {
                let text = match field.class() {
                    FieldClass::NestPath => path_without_places(&text_of(value)).into(),
                    _ => text_of(value),
                };
                check_term(id, &field.name, &text)?;
                tokens.token(1, text.as_bytes());
            } else if let Some(term) = number_term(value) {
                tokens.token(1, &term);
            }
        }
        if field.has_norms() {
            let length = tokens.distinct();
            out.lengths.push((inverted, length));
        }
        Ok(())
    }

    fn index_text(
        &mut self,
        id: &str,
        field: &FieldLayout,
        inverted: Field,
        values: &[Cow<'_, Value>],
        out: &mut Prepared,
    ) -> Result<()> {
        let texts: Vec<Cow<'_, str>> = values.iter().map(|value| text_of(value)).collect();
        let mut tokens = FieldTokens::new(inverted, &mut self.terms, &mut self.tokens);
        let texts = texts.iter().map(|text| &**text);
        let (kind, mut words) = (&field.spec.field_type, Vec::new());
        let stored = field.payloads.is_some().then_some(&mut words);
        let immense = self.streams.write(kind, texts, TERM_BYTES_MAX, &mut tokens, stored)?;
        if let Some(term) = immense {
            return Err(immense_term(id, &field.name, &term));
        }
        if field.has_norms() {
            let counted = !matches!(field.inverted_kind, Some(InvertedKind::Text { frequencies: false, .. }));
            let length = if counted { tokens.length } else { tokens.distinct() };
            out.lengths.push((inverted, length));
        }
        if let Some(column) = &field.payloads {
            out.document.leaves.extend(words.into_iter().map(|word| (column.field, Leaf::I64(word))));
        }
        Ok(())
    }
}

fn merge<'a>(
    gathered: &mut Gathered<'a>,
    field: &Arc<FieldLayout>,
    values: impl Iterator<Item = Cow<'a, Value>>,
) {
    match gathered.iter_mut().find(|(present, _)| present.name == field.name) {
        Some((_, present)) => present.extend(values),
        None => gathered.push((field.clone(), values.collect())),
    }
}

fn copy<'a>(id: &str, to: &FieldLayout, values: &'a [Value], part: &Copied) -> Result<Vec<Cow<'a, Value>>> {
    values.iter().map(|value| typed(id, to, part.of(value))).collect()
}

/// What the source keeps of a field: in the order given if stored, else as a column gives it back (sorted,
/// each string once), as Solr returns docValues.
fn keep(field: &FieldLayout, values: &[Cow<'_, Value>], source: &mut Vec<u8>) {
    let properties = &field.spec.properties;
    // The root is needed to know a document's block, whether or not it can be shown.
    if !properties.stored && !properties.doc_values && &*field.name != ROOT_FIELD {
        return;
    }
    if properties.stored || values.len() <= 1 {
        return source_codec::push_field(source, field.slot, values.iter().map(|value| &**value));
    }
    let mut values: Vec<&Value> = values.iter().map(|value| &**value).collect();
    values.sort_by(|left, right| compare(left, right));
    values.dedup_by(|left, right| matches!(left, Value::Str(_)) && left == right);
    source_codec::push_field(source, field.slot, values.into_iter());
}

/// Values of one type in their natural order.
pub(crate) fn compare(left: &Value, right: &Value) -> std::cmp::Ordering {
    match (left, right) {
        (Value::Str(left), Value::Str(right)) => left.cmp(right),
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::Long(left), Value::Long(right)) | (Value::Date(left), Value::Date(right)) => left.cmp(right),
        (Value::Float(left), Value::Float(right)) => left.total_cmp(right),
        (Value::Double(left), Value::Double(right)) => left.total_cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Bytes(left), Value::Bytes(right)) => left.cmp(right),
        _ => std::cmp::Ordering::Equal,
    }
}
