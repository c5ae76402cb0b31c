//! `tv=true`: the terms of the hits, at handlers that have a `TermVectorComponent`. Parameters become a
//! plan, what the engine found becomes the section of the answer. Messages and warnings are Solr's, recorded
//! from 9.10.1.

use std::sync::Arc;

use plan::{
    DocumentVectors, Error, FieldVector, Hit, HitAddress, Properties, Result, Schema, VectorTerm,
    VectorsPlan, java_bucket,
};

use crate::params::{Params, Preset, vectors};
use crate::query::LocalParams;
use crate::response::{Entries, Name, Node, base64};
use crate::select::{FieldItem, FieldList, names};

/// What is asked of the hits' terms.
#[derive(Clone, Debug)]
pub struct VectorsRequest {
    /// `None` is all that keep vectors.
    fields: Option<Vec<(Arc<str>, Wish)>>,
    /// For fields that are not named.
    general: Wish,
    doc_ids: Vec<u64>,
    /// (what is missing, of which fields).
    warnings: Vec<(&'static str, Vec<String>)>,
    schema_version: Option<u64>,
}

/// What is shown of each term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Wish {
    frequency: bool,
    positions: bool,
    offsets: bool,
    payloads: bool,
    documents: bool,
    weight: bool,
}

impl Wish {
    fn read(read: impl Fn(&Preset<bool>) -> Result<bool>) -> Result<Self> {
        let all = read(&vectors::ALL)?;
        let one = |param| Ok::<_, Error>(all || read(param)?);
        Ok(Self {
            frequency: one(&vectors::FREQUENCY)?,
            positions: one(&vectors::POSITIONS)?,
            offsets: one(&vectors::OFFSETS)?,
            payloads: one(&vectors::PAYLOADS)?,
            documents: one(&vectors::DOCUMENTS)?,
            weight: one(&vectors::WEIGHT)?,
        })
    }

    fn counts(self) -> bool {
        self.documents || self.weight
    }
}

impl VectorsRequest {
    /// `None` without `tv=true`. Errors: `BadRequest` for a field that there is not, or one whose text is
    /// kept nowhere.
    pub fn parse(params: &Params, list: &FieldList, schema: &Schema) -> Result<Option<Self>> {
        if !vectors::VECTORS.read(params)? {
            return Ok(None);
        }
        let general = Wish::read(|param| param.read(params))?;
        let doc_ids = vectors::DOC_IDS.sent_all(params).map(|id| {
            let id = crate::params::integer(id)?;
            Ok(u64::try_from(id).unwrap_or(u64::MAX))
        });
        let mut request = Self {
            fields: None,
            general,
            doc_ids: doc_ids.collect::<Result<_>>()?,
            warnings: Vec::new(),
            schema_version: Some(schema.lineage.version),
        };
        let Some(wanted) = wanted(params, list) else { return Ok(Some(request)) };
        let mut fields = Vec::new();
        for name in wanted.into_iter().filter(|name| schema.unique_key.as_deref() != Some(name)) {
            let spec = schema.field(&name);
            let spec = spec.ok_or_else(|| Error::bad_request(format!("undefined field: {name}")))?;
            let wish = Wish::read(|param| param.read_for(params, &LocalParams::default(), &name))?;
            // The index has its words, and not where in the text they stood: half a vector would pass for a
            // whole, and none for a field without words.
            if spec.properties.term_vectors && !spec.properties.stored {
                return Err(Error::bad_request(format!(
                    "the term vectors of `{name}` are made of its stored text, and it is not stored; store it, or \
                     leave it out"
                )));
            }
            if request.warn(&name, wish, spec.properties) {
                fields.push((Arc::from(name), wish));
            }
        }
        request.fields = Some(fields);
        Ok(Some(request))
    }

    /// Notes what a field does not keep; whether it has vectors at all.
    fn warn(&mut self, name: &str, wish: Wish, properties: Properties) -> bool {
        let missing = [
            ("noTermVectors", !properties.term_vectors),
            ("noPositions", properties.term_vectors && wish.positions && !properties.term_positions),
            ("noOffsets", properties.term_vectors && wish.offsets && !properties.term_offsets),
            ("noPayloads", properties.term_vectors && wish.payloads && !properties.term_payloads),
        ];
        for (what, _) in missing.into_iter().filter(|(_, is_missing)| *is_missing) {
            match self.warnings.iter_mut().find(|(known, _)| *known == what) {
                Some((_, names)) => names.push(name.to_owned()),
                None => self.warnings.push((what, vec![name.to_owned()])),
            }
        }
        properties.term_vectors
    }

    pub fn plan(&self, hits: &[Hit]) -> VectorsPlan {
        let places = match self.doc_ids.as_slice() {
            [] => hits.iter().map(Hit::address).collect(),
            // Of one shard: a number says nothing of which.
            ids => ids.iter().map(|place| HitAddress { shard: 0, place: *place }).collect(),
        };
        let fields = self.fields.as_ref();
        let fields =
            fields.map(|fields| fields.iter().map(|(name, wish)| (name.clone(), wish.counts())).collect());
        VectorsPlan {
            schema_version: self.schema_version,
            places,
            fields,
            count_documents: self.general.counts(),
        }
    }

    /// The section of the answer.
    pub fn respond(&self, found: Vec<DocumentVectors>) -> Entries {
        let mut list = Vec::with_capacity(found.len() + 1);
        if !self.warnings.is_empty() {
            let warnings = self.warnings.iter().map(|(what, names)| {
                let names = names.iter().cloned().map(Node::from).collect();
                (Some(Name::Borrowed(what)), Node::Array(names))
            });
            list.push((Some("warnings".into()), Node::NamedList(warnings.collect())));
        }
        for document in found {
            let mut entries = vec![(Some("uniqueKey".into()), Node::from(document.id.clone()))];
            entries.extend(document.fields.into_iter().map(|vector| self.vector(vector)));
            list.push((Some(document.id.into()), Node::NamedList(entries)));
        }
        vec![("termVectors".into(), Node::NamedList(list))]
    }

    fn vector(&self, vector: FieldVector) -> (Option<Name>, Node) {
        let FieldVector { field, terms } = vector;
        let named = self.fields.iter().flatten().find(|(name, _)| *name == field);
        let wish = named.map_or(self.general, |(_, wish)| *wish);
        let terms = terms.into_iter().map(|term| term_entry(term, wish));
        (Some(field.to_string().into()), Node::NamedList(terms.collect()))
    }
}

/// What a failure leaves of the section.
pub fn nothing() -> Entries {
    vec![("termVectors".into(), Node::NamedList(vec![]))]
}

/// The names of `tv.fl`, else of `fl`, in the order of Solr's set of them; `None` is all.
fn wanted(params: &Params, list: &FieldList) -> Option<Vec<String>> {
    let own: Vec<_> = vectors::FIELDS.sent_all(params).flat_map(names).map(str::to_owned).collect();
    if !own.is_empty() {
        return Some(own);
    }
    if list.items.contains(&FieldItem::All) {
        return None;
    }
    let fields = list.items.iter().filter_map(|item| match item {
        FieldItem::Field { name, .. } => Some(name.to_string()),
        _ => None,
    });
    let mut fields: Vec<String> = fields.collect();
    let count = fields.len();
    fields.sort_by_key(|name| java_bucket(name, count));
    Some(fields)
}

fn term_entry(term: VectorTerm, wish: Wish) -> (Option<Name>, Node) {
    let int = |number: u32| Node::Int(i32::try_from(number).unwrap_or(i32::MAX));
    let entry = |name: &'static str, node| (Some(Name::Borrowed(name)), node);
    let VectorTerm { term, positions, offsets, payloads, documents } = term;
    let frequency = positions.len() as u64;
    let mut entries = Vec::new();
    if wish.frequency {
        entries.push(entry("tf", Node::count(frequency)));
    }
    if wish.positions {
        let all = positions.into_iter().map(|position| entry("position", int(position)));
        entries.push(entry("positions", Node::NamedList(all.collect())));
    }
    if wish.offsets {
        let all =
            offsets.into_iter().flat_map(|(start, end)| [entry("start", int(start)), entry("end", int(end))]);
        entries.push(entry("offsets", Node::NamedList(all.collect())));
    }
    if wish.payloads && !payloads.is_empty() {
        let all = payloads.into_iter().map(|payload| entry("payload", Node::from(base64(&payload))));
        entries.push(entry("payloads", Node::NamedList(all.collect())));
    }
    if let Some(documents) = documents {
        if wish.documents {
            entries.push(entry("df", Node::count(documents)));
        }
        if wish.weight {
            entries.push(entry("tf-idf", Node::Double(frequency as f64 / documents.max(1) as f64)));
        }
    }
    (Some(term.into()), Node::NamedList(entries))
}
