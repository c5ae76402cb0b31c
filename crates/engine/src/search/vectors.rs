//! The terms of documents: their stored texts, analysed anew as for the index. Solr keeps them beside the
//! index; here only the schema says which fields have them.
//!
//! In: places of documents in a snapshot; out: terms by field with positions, offsets in UTF-16 units and
//! payloads, and, where asked, in how many documents each is. Serves the term vector component; embeddings
//! are `nearest`'s.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::{DocumentVectors, Error, FieldSelection, FieldVector, Result, Value, VectorTerm, VectorsPlan};
use tantivy::Term;

use super::fetch::document_at;
use super::stats::{doc_freq, term_infos};
use crate::layout::FieldLayout;
use crate::search::context::SearchContext;

/// UTF-16 units between two values, as Lucene's offset gap.
const OFFSET_GAP: u32 = 1;

/// Solr differs: a document that does not exist is its error 500 (`compat/component/term_vectors.yaml`).
pub(super) fn vectors(context: &SearchContext<'_>, plan: &VectorsPlan) -> Result<Vec<DocumentVectors>> {
    let layouts = fields(context, plan);
    let names = layouts.iter().map(|(layout, _)| layout.name.clone()).collect();
    let selection = FieldSelection { names, ..FieldSelection::default() };
    let mut found = Vec::with_capacity(plan.places.len());
    for place in &plan.places {
        let (id, document) = document_at(context, place.place, &selection)?.ok_or_else(|| {
            Error::bad_request(format!("`tv.docIds` names document `{}`, which does not exist", place.place))
        })?;
        let mut told = DocumentVectors { id, fields: Vec::new() };
        for (layout, counted) in &layouts {
            let values = document.get(&layout.name).unwrap_or_default();
            let terms = terms(context, layout, values, *counted)?;
            if !terms.is_empty() {
                told.fields.push(FieldVector { field: layout.name.clone(), terms });
            }
        }
        found.push(told);
    }
    Ok(found)
}

/// The fields with vectors among those wanted, by name: (field, whether documents are counted).
fn fields<'a>(context: &'a SearchContext<'_>, plan: &VectorsPlan) -> Vec<(&'a Arc<FieldLayout>, bool)> {
    let keeps = |layout: &FieldLayout| layout.spec.properties.term_vectors && layout.spec.properties.stored;
    let mut fields: Vec<_> = match &plan.fields {
        Some(names) => {
            let known =
                names.iter().filter_map(|(name, counted)| Some((context.layout.field(name)?, *counted)));
            known.collect()
        }
        None => context.layout.fields().map(|layout| (layout, plan.count_documents)).collect(),
    };
    fields.retain(|(layout, _)| keeps(layout));
    fields.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
    fields
}

fn terms(
    context: &SearchContext<'_>,
    layout: &FieldLayout,
    values: &[Value],
    counted: bool,
) -> Result<Vec<VectorTerm>> {
    let analyzer = context.layout.analyzers().index(&layout.spec.field_type)?;
    let mut found: BTreeMap<String, VectorTerm> = BTreeMap::new();
    let (mut position, mut base) = (-1i64, 0u32);
    for (number, value) in values.iter().enumerate() {
        let text = value.to_text();
        if number > 0 {
            position += i64::from(layout.spec.field_type.position_gap);
        }
        let Some(analyzer) = analyzer else {
            position += 1;
            let place = (position, (base, base + utf16(&text, text.len())));
            add(&mut found, &text, place, None);
            base = place.1.1 + OFFSET_GAP;
            continue;
        };
        let mut stream = analyzer.stream();
        let mut tokens = stream.start(&text);
        while tokens.advance() {
            let token = tokens.token();
            position = (position + i64::from(token.position_increment)).max(0);
            let offsets = (utf16(&text, token.start as usize), utf16(&text, token.end as usize));
            let place = (position, (base + offsets.0, base + offsets.1));
            add(&mut found, &token.text, place, token.payload.as_ref());
        }
        position += i64::from(tokens.finish().position_increment);
        base += utf16(&text, text.len()) + OFFSET_GAP;
    }
    let mut terms: Vec<VectorTerm> = found.into_values().collect();
    if let Some(field) = layout.inverted.filter(|_| counted) {
        for term in &mut terms {
            let infos = term_infos(context, &Term::from_field_text(field, &term.term))?;
            term.documents = Some(doc_freq(&infos));
        }
    }
    Ok(terms)
}

fn add(
    found: &mut BTreeMap<String, VectorTerm>,
    text: &str,
    (position, offsets): (i64, (u32, u32)),
    payload: Option<&Vec<u8>>,
) {
    let term = found.entry(text.to_owned()).or_default();
    if term.term.is_empty() {
        text.clone_into(&mut term.term);
    }
    term.positions.push(u32::try_from(position).unwrap_or(u32::MAX));
    term.offsets.push(offsets);
    term.payloads.extend(payload.cloned());
}

/// UTF-16 units before a byte.
fn utf16(text: &str, end: usize) -> u32 {
    let before = text.get(..end).unwrap_or(text);
    let units = if before.is_ascii() { before.len() } else { before.encode_utf16().count() };
    u32::try_from(units).unwrap_or(u32::MAX)
}
