//! A schema, a clock and ready-made snapshots for the tests of this crate: fields of each kind under Solr's
//! usual suffixes, a clock that stands where it is put, segments sealed straight from documents.
//!
//! No log, no store and no shard are involved: tests of those make their own site (`tests`). Nothing of this
//! is built outside tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use meter::Clock;
use plan::{
    AnalyzerSpec, ComponentSpec, CopyField, Document, FieldSource, Schema, SchemaSource, TypeSource, Value,
};

use crate::indexing::builder::Builder;
use crate::indexing::prepare::Preparer;
use crate::layout::Layout;
use crate::layout::analyzers::Analyzers;
use crate::segment::alive::Dead;
use crate::segment::id_filter;
use crate::snapshot::Snapshot;

pub(crate) fn component(name: &str) -> ComponentSpec {
    ComponentSpec { name: name.into(), ..ComponentSpec::default() }
}

fn kind(name: &str, class: &str, attributes: &[(&str, &str)]) -> TypeSource {
    TypeSource {
        name: name.into(),
        class: format!("solr.{class}"),
        attributes: attributes.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect(),
        analyzer: class.contains("Text").then(|| AnalyzerSpec {
            tokenizer: component("whitespace"),
            filters: vec![component("lowercase")],
            ..AnalyzerSpec::default()
        }),
        ..TypeSource::default()
    }
}

fn field(name: &str, type_name: &str, attributes: &[(&str, &str)]) -> FieldSource {
    FieldSource {
        name: name.into(),
        type_name: type_name.into(),
        attributes: attributes.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect(),
    }
}

/// Words with numbers behind them, `word|1.5`.
fn numbered_words() -> TypeSource {
    let payload = ComponentSpec {
        name: "delimitedPayload".into(),
        args: [("encoder".to_owned(), "float".to_owned())].into(),
    };
    let mut words = kind("payloads", "TextField", &[]);
    words.analyzer.iter_mut().for_each(|analyzer| analyzer.filters.push(payload.clone()));
    words
}

pub(crate) fn source() -> SchemaSource {
    let multi = [("multiValued", "true")];
    SchemaSource {
        name: "test".into(),
        version: 1.7,
        unique_key: Some("id".into()),
        types: vec![
            kind("string", "StrField", &[]),
            kind("text", "TextField", &[("positionIncrementGap", "100")]),
            numbered_words(),
            kind("sortable", "SortableTextField", &[]),
            kind("pint", "IntPointField", &[]),
            kind("plong", "LongPointField", &[]),
            kind("pdouble", "DoublePointField", &[]),
            kind("pdate", "DatePointField", &[]),
            kind("boolean", "BoolField", &[]),
            kind("_nest_path_", "NestPathField", &[]),
            kind("location", "LatLonPointSpatialField", &[]),
            kind("grid", "SpatialRecursivePrefixTreeFieldType", &[]),
            kind("date_range", "DateRangeField", &[]),
            kind("vector", "DenseVectorField", &[("vectorDimension", "5")]),
            kind("flat", "DenseVectorField", &[("vectorDimension", "5"), ("knnAlgorithm", "flat")]),
        ],
        fields: vec![
            field("id", "string", &[("required", "true")]),
            field("_version_", "plong", &[("indexed", "false"), ("stored", "false")]),
            field("_root_", "string", &[("stored", "false"), ("docValues", "false")]),
            field("_nest_path_", "_nest_path_", &[]),
            field("everything", "text", &[("multiValued", "true"), ("stored", "false")]),
            field("copied", "string", &[("stored", "true")]),
        ],
        dynamic_fields: vec![
            field("*_s", "string", &[]),
            field("*_ss", "string", &multi),
            field("*_dv", "string", &[("stored", "false"), ("indexed", "false"), ("multiValued", "true")]),
            field("*_t", "text", &multi),
            field("*_dpf", "payloads", &[]),
            field("*_sort", "sortable", &[]),
            field("*_i", "pint", &[]),
            field("*_is", "pint", &multi),
            field("*_l", "plong", &[]),
            field("*_d", "pdouble", &[]),
            field("*_dt", "pdate", &[]),
            field("*_b", "boolean", &[]),
            field("*_p", "location", &[]),
            field("*_ps", "location", &multi),
            field("*_srpt", "grid", &[]),
            field("*_drs", "date_range", &multi),
            field("*_v", "vector", &[]),
            field("*_flat", "flat", &[]),
        ],
        copy_fields: vec![
            CopyField { source: "*_t".into(), dest: "everything".into(), max_chars: 0 },
            CopyField { source: "name_s".into(), dest: "copied".into(), max_chars: 3 },
        ],
        ..SchemaSource::default()
    }
}

pub(crate) fn schema() -> Schema {
    Schema::build(source()).unwrap()
}

/// A clock that stands where it is put.
#[derive(Default)]
pub(crate) struct StillClock(pub(crate) AtomicI64);

impl StillClock {
    pub(crate) fn at(ms: i64) -> Self {
        Self(AtomicI64::new(ms))
    }

    pub(crate) fn advance(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for StillClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A document of these fields; the field `id` must be among them.
pub(crate) fn document(fields: &[(&str, Vec<Value>)]) -> Document {
    Document { fields: fields.iter().map(|(name, values)| (Arc::from(*name), values.clone())).collect() }
}

pub(crate) fn text(text: &str) -> Value {
    Value::Str(text.to_owned())
}

/// A snapshot with one segment for each batch of documents, of versions 1, 2, 3 …. All under one layout.
pub(crate) fn snapshot(schema: &Arc<Schema>, batches: &[Vec<Document>]) -> Snapshot {
    let mut names: Vec<Arc<str>> = Vec::new();
    for (name, _) in batches.iter().flatten().flat_map(|document| &document.fields) {
        names.push(name.clone());
        names.extend(schema.copies(name).map(|(dest, _)| Arc::from(dest)));
    }
    let first = Layout::new(schema);
    let layout = Arc::new(first.grown(&names, schema).unwrap_or(first));
    let mut preparer = Preparer::new(layout.clone(), schema.clone(), Arc::new(Analyzers::of(&layout)));
    let mut version = 0;
    let mut segments = Vec::new();
    for batch in batches {
        let mut builder = Builder::new(layout.clone()).unwrap();
        for document in batch {
            let id = document.first("id").unwrap().to_text();
            let mut prepared = preparer.prepare(&id, document).unwrap();
            version += 1;
            prepared.document.set_version(version);
            builder.add(&prepared, id_filter::hash(&id)).unwrap();
        }
        builder.end_group(&preparer);
        segments.extend(builder.seal().unwrap().map(|segment| (segment, Dead::default())));
    }
    Snapshot::build(None, layout, &segments).unwrap()
}
