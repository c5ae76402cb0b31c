//! `/analysis/document`: what the chains make of each value of each field of documents sent as XML. They are
//! not indexed. In: parameters, a body and the schema; out: the stages of each value, as
//! `field_analysis/mod.rs` shows them for one field.

use std::collections::HashSet;
use std::sync::Arc;

use analysis::SchemaAnalyzers;
use plan::{Error, FieldSpec, Result, Schema};

use super::View;
use crate::params::{Params, analysis as analysis_params, query};
use crate::response::{Entries, Name, Node};
use crate::xml_tree::{self, Element};

/// Documents and values of one request: each is shown with all stages of its field.
const VALUES_MAX: usize = 10_000;

/// A field by its concrete name, with a document's values of it.
struct FieldValues {
    name: String,
    field: Arc<FieldSpec>,
    values: Vec<String>,
}

/// A request to `/analysis/document`.
pub struct DocumentAnalysis {
    /// Each with its unique key.
    documents: Vec<(String, Vec<FieldValues>)>,
    query: Option<String>,
    show_match: bool,
}

impl DocumentAnalysis {
    /// `body` is `<docs>` with any number of `<doc>`, or one `<doc>`. Errors: no body, one that is not XML, a
    /// document without a unique key, fields that the schema does not have.
    ///
    /// Solr differs: a body that is not XML is an error 500 there (`compat/analysis/document.yaml`).
    pub fn parse(params: &Params, body: Option<&str>, schema: &Schema) -> Result<Self> {
        let body = body.filter(|body| !body.trim().is_empty()).ok_or_else(|| {
            Error::bad_request(
                "DocumentAnalysisRequestHandler expects a single content stream with documents to analyze",
            )
        })?;
        let root = xml_tree::parse_verbatim("documents", body)?;
        let elements: Vec<_> = if root.name == "doc" { vec![&root] } else { root.all("doc").collect() };
        let values: usize = elements.iter().map(|element| element.children.len()).sum();
        if values > VALUES_MAX {
            return Err(Error::bad_request(format!(
                "the documents have `{values}` values; send {VALUES_MAX} or fewer at once"
            )));
        }
        let documents =
            elements.into_iter().map(|element| document(element, schema)).collect::<Result<_>>()?;
        let query = analysis_params::QUERY.read(params)?.or(query::Q.read(params)?);
        Ok(Self { documents, query, show_match: analysis_params::SHOW_MATCH.read(params)? })
    }

    pub fn respond(&self, analyzers: &SchemaAnalyzers) -> Result<Entries> {
        let mut shown = Entries::new();
        for (key, fields) in &self.documents {
            let mut entries = Entries::new();
            for field in fields {
                entries.push((Name::Owned(field.name.clone()), self.field(field, analyzers)?));
            }
            shown.push((Name::Owned(key.clone()), Node::Map(entries)));
        }
        Ok(vec![("analysis".into(), Node::Map(shown))])
    }

    fn field(&self, field: &FieldValues, analyzers: &SchemaAnalyzers) -> Result<Node> {
        let kind = &field.field.field_type;
        let asked =
            self.query.as_ref().map(|text| View::of(kind, analyzers.query(kind)?, text)).transpose()?;
        let wanted: HashSet<_> =
            asked.iter().filter(|_| self.show_match).flat_map(View::last_terms).collect();
        let mut index = Entries::new();
        for value in &field.values {
            let view = View::of(kind, analyzers.index(kind)?, value)?;
            index.push((Name::Owned(value.clone()), view.node(&wanted)));
        }
        let mut entries = Entries::new();
        entries.extend(asked.iter().map(|view| ("query".into(), view.node(&HashSet::new()))));
        entries.push(("index".into(), Node::Map(index)));
        Ok(Node::Map(entries))
    }
}

fn field_of(name: &str, schema: &Schema) -> Result<Arc<FieldSpec>> {
    let undefined = || Error::bad_request(format!("undefined field: \"{name}\""));
    schema.field(name).cloned().ok_or_else(undefined)
}

/// A document's key and the values of its indexed fields.
fn document(element: &Element, schema: &Schema) -> Result<(String, Vec<FieldValues>)> {
    let mut fields: Vec<FieldValues> = Vec::new();
    for value in element.all("field") {
        let name = value.attribute("name").ok_or_else(|| {
            Error::bad_request("a `field` of a document has no `name`; write `<field name=\"…\">`")
        })?;
        match fields.iter_mut().find(|known| known.name == name) {
            Some(known) => known.values.push(value.text.clone()),
            None => fields.push(FieldValues {
                name: name.to_owned(),
                field: field_of(name, schema)?,
                values: vec![value.text.clone()],
            }),
        }
    }
    let key = fields.iter().find(|field| schema.source.unique_key.as_ref() == Some(&field.name));
    let key = key.and_then(|field| field.values.first()).cloned().ok_or_else(|| {
        let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
        let names = names.join(", ");
        Error::bad_request(format!("All documents must contain a unique key value; this one has: {names}"))
    })?;
    fields.retain(|values| values.field.properties.indexed);
    Ok((key, fields))
}
