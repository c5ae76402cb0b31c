//! `/admin/luke`: what the index holds and how fields are kept, with Solr's one-letter flags. Facts come from
//! the engine through the caller; key names, flag order and the legend are Solr 9.10's. In: counts, terms and
//! stored values; out: nodes of the answer. Which documents and fields are looked at is the handler's choice,
//! by the parameters of `params/admin/luke.rs`.

use plan::{FieldClass, FieldSpec, Properties, Schema, TopTerms, Value};

use super::IndexFacts;
use crate::response::{DocumentNode, Entries, Name, Node};

/// (letter, meaning), in the order in which they stand in a flag string.
const FLAGS: [(char, &str); 18] = [
    ('I', "Indexed"),
    ('T', "Tokenized"),
    ('S', "Stored"),
    ('D', "DocValues"),
    ('U', "UnInvertible"),
    ('M', "Multivalued"),
    ('V', "TermVector Stored"),
    ('o', "Store Offset With TermVector"),
    ('p', "Store Position With TermVector"),
    ('y', "Store Payloads With TermVector"),
    ('O', "Omit Norms"),
    ('F', "Omit Term Frequencies & Positions"),
    ('P', "Omit Positions"),
    ('H', "Store Offsets with Positions"),
    ('L', "Lazy"),
    ('B', "Binary"),
    ('f', "Sort Missing First"),
    ('l', "Sort Missing Last"),
];

/// What Luke shows beside the schema.
#[derive(Clone, Debug, Default)]
pub struct LukeFacts {
    pub index: IndexFacts,
    pub fields: Vec<FieldFacts>,
}

/// A field that documents have.
#[derive(Clone, Debug, Default)]
pub struct FieldFacts {
    pub name: String,
    /// Documents with a value, when the field has terms.
    pub docs: Option<u64>,
    /// Present when the request names fields.
    pub terms: Option<TopTerms>,
}

/// One stored value of a document that Luke takes apart.
#[derive(Clone, Debug)]
pub struct StoredValue {
    pub field: String,
    pub value: Value,
    /// Documents with just this as a term, for fields that have terms.
    pub doc_freq: Option<u64>,
}

/// The value of `index`.
pub fn luke_index(index: &IndexFacts) -> Node {
    Node::Map(index.entries())
}

/// The value of `fields`.
pub fn luke_fields(fields: &[FieldFacts], schema: &Schema) -> Node {
    let entry = |facts: &FieldFacts| (Name::Owned(facts.name.clone()), field(facts, schema));
    Node::Map(fields.iter().map(entry).collect())
}

/// The value of `doc`: one document as the index stores it, value by value, and as a search would show it.
pub fn luke_document(place: u64, values: &[StoredValue], shown: DocumentNode, schema: &Schema) -> Node {
    let lucene = values.iter().map(|value| (Name::Owned(value.field.clone()), stored(value, schema)));
    Node::map([
        ("docId", Node::count(place)),
        ("lucene", Node::Map(lucene.collect())),
        ("solr", Node::Document(shown)),
    ])
}

fn stored(stored: &StoredValue, schema: &Schema) -> Node {
    let Some(spec) = schema.field(&stored.field) else { return Node::Map(vec![]) };
    let text = match &stored.value {
        Value::Date(ms) => ms.to_string(),
        other => other.to_text(),
    };
    let internal = match &stored.value {
        Value::Bool(flag) => if *flag { "T" } else { "F" }.to_owned(),
        _ => text.clone(),
    };
    let flags = match stored.doc_freq {
        Some(_) => index_flags(&spec.properties),
        None => stored_flags(),
    };
    let mut entries: Entries = vec![
        ("type".into(), Node::Str(spec.field_type.name.clone().into())),
        ("schema".into(), Node::Str(self::flags(spec).into())),
        ("flags".into(), Node::Str(flags.into())),
        ("value".into(), Node::Str(text.into())),
        ("internal".into(), Node::Str(internal.into())),
    ];
    entries.extend(stored.doc_freq.map(|count| ("docFreq".into(), Node::count(count))));
    Node::Map(entries)
}

/// The value of `info`: the legend.
pub fn luke_info() -> Node {
    let key = FLAGS.iter().map(|(letter, meaning)| (Name::Owned(letter.to_string()), Node::str(*meaning)));
    Node::map([
        ("key", Node::Map(key.collect())),
        (
            "NOTE",
            Node::str(
                "Document Frequency (df) is not updated when a document is marked for deletion.  df values include \
                 deleted documents.",
            ),
        ),
    ])
}

/// The value of `schema` for `show=schema`.
pub fn luke_schema(schema: &Schema) -> Node {
    let named =
        |spec: &std::sync::Arc<FieldSpec>| (Name::Owned(spec.name.to_string()), schema_field(spec, schema));
    let mut fields: Entries = schema.fields().map(named).collect();
    let mut dynamic: Entries = schema.dynamic_fields().map(named).collect();
    let mut types: Entries = schema
        .source
        .types
        .iter()
        .map(|declared| {
            (Name::Owned(declared.name.clone()), schema_type(&declared.name, &declared.class, schema))
        })
        .collect();
    for entries in [&mut fields, &mut dynamic, &mut types] {
        entries.sort_by(|left, right| left.0.cmp(&right.0));
    }
    let unique_key = schema.unique_key.as_deref().map_or(Node::Null, |key| Node::Str(key.to_owned().into()));
    Node::map([
        ("fields", Node::Map(fields)),
        ("dynamicFields", Node::Map(dynamic)),
        ("uniqueKeyField", unique_key),
        ("types", Node::Map(types)),
    ])
}

fn field(facts: &FieldFacts, schema: &Schema) -> Node {
    let Some(spec) = schema.field(&facts.name) else { return Node::Map(vec![]) };
    let mut entries: Entries = vec![
        ("type".into(), Node::Str(spec.field_type.name.clone().into())),
        ("schema".into(), Node::Str(flags(spec).into())),
    ];
    if *spec.name != *facts.name {
        entries.push(("dynamicBase".into(), Node::Str(spec.name.to_string().into())));
    }
    if let Some(docs) = facts.docs {
        entries.push(("index".into(), Node::Str(index_flags(&spec.properties).into())));
        entries.push(("docs".into(), Node::count(docs)));
    }
    if let Some(terms) = &facts.terms {
        entries.push(("distinct".into(), Node::count(terms.distinct)));
        let top = terms.top.iter().map(|(value, count)| (Some(value.to_text().into()), Node::count(*count)));
        entries.push(("topTerms".into(), Node::NamedList(top.collect())));
        let buckets = (0u32..).zip(&terms.histogram);
        let buckets = buckets.map(|(bits, terms)| {
            let most = 1u64.checked_shl(bits).unwrap_or(u64::MAX);
            (Some(most.to_string().into()), Node::count(*terms))
        });
        entries.push(("histogram".into(), Node::NamedList(buckets.collect())));
    }
    Node::Map(entries)
}

fn schema_field(spec: &FieldSpec, schema: &Schema) -> Node {
    let mut entries: Entries = vec![
        ("type".into(), Node::Str(spec.field_type.name.clone().into())),
        ("flags".into(), Node::Str(flags(spec).into())),
    ];
    if spec.properties.required {
        entries.push(("required".into(), Node::Bool(true)));
    }
    if let Some(default) = &spec.default {
        entries.push(("default".into(), Node::Str(default.clone().into())));
    }
    if schema.unique_key.as_ref().is_some_and(|key| *key == spec.name) {
        entries.push(("uniqueKey".into(), Node::Bool(true)));
    }
    if spec.field_type.position_gap != 0 {
        entries.push(("positionIncrementGap".into(), Node::count(u64::from(spec.field_type.position_gap))));
    }
    let copies = &schema.source.copy_fields;
    let dests = copies.iter().filter(|copy| *copy.source == *spec.name).map(|copy| copy.dest.clone());
    let sources = copies.iter().filter(|copy| *copy.dest == *spec.name).map(|copy| copy.source.clone());
    entries.push(("copyDests".into(), Node::Array(dests.map(Node::from).collect())));
    entries.push(("copySources".into(), Node::Array(sources.map(Node::from).collect())));
    Node::Map(entries)
}

fn schema_type(name: &str, class: &str, schema: &Schema) -> Node {
    let declared = schema.source.fields.iter().chain(&schema.source.dynamic_fields);
    let fields = declared.filter(|field| field.type_name == name).map(|field| Node::from(field.name.clone()));
    let fields: Vec<Node> = fields.collect();
    let tokenized = schema.field_type(name).is_some_and(|known| known.properties.tokenized);
    Node::map([
        ("fields", if fields.is_empty() { Node::Null } else { Node::Array(fields) }),
        ("tokenized", Node::Bool(tokenized)),
        ("className", Node::Str(class.replace("solr.", "org.apache.solr.schema.").into())),
    ])
}

/// How the schema keeps the field: one letter or `-` for each flag.
fn flags(spec: &FieldSpec) -> String {
    let Properties {
        indexed,
        stored,
        doc_values,
        multi_valued,
        tokenized,
        omit_norms,
        omit_term_freq_and_positions,
        omit_positions,
        store_offsets,
        term_vectors,
        term_positions,
        term_offsets,
        term_payloads,
        uninvertible,
        use_doc_values_as_stored: _,
        sort_missing_first,
        sort_missing_last,
        required: _,
        large,
    } = spec.properties;
    let binary = spec.class() == FieldClass::Binary;
    letters([
        indexed,
        tokenized,
        stored,
        doc_values,
        uninvertible,
        multi_valued,
        term_vectors,
        term_offsets,
        term_positions,
        term_payloads,
        // What is left out of an index that is not there is not shown.
        omit_norms && indexed,
        omit_term_freq_and_positions && indexed,
        omit_positions && indexed,
        store_offsets && indexed,
        large,
        binary,
        sort_missing_first,
        sort_missing_last,
    ])
}

/// What Solr finds when it looks at the index itself: any stored field with terms looks tokenized there.
fn index_flags(properties: &Properties) -> String {
    if !properties.stored {
        return "(unstored field)".to_owned();
    }
    let mut set = [false; 18];
    (set[0], set[1], set[2]) = (true, true, true);
    (set[10], set[11]) = (properties.omit_norms, properties.omit_term_freq_and_positions);
    letters(set)
}

/// Of a stored field without terms.
fn stored_flags() -> String {
    let mut set = [false; 18];
    (set[1], set[2]) = (true, true);
    letters(set)
}

fn letters(set: [bool; 18]) -> String {
    FLAGS.iter().zip(set).map(|((letter, _), on)| if on { *letter } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use plan::{FieldSource, SchemaSource, TypeSource};

    use super::*;

    fn schema() -> Schema {
        let kind = |name: &str, class: &str, attributes: &[(&str, &str)]| TypeSource {
            name: name.into(),
            class: class.into(),
            attributes: attributes.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect(),
            ..TypeSource::default()
        };
        let field = |name: &str, type_name: &str, attributes: &[(&str, &str)]| FieldSource {
            name: name.into(),
            type_name: type_name.into(),
            attributes: attributes.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect(),
        };
        let source = SchemaSource {
            version: 1.7,
            unique_key: Some("id".into()),
            types: vec![
                kind("string", "solr.StrField", &[("sortMissingLast", "true")]),
                kind("text_general", "solr.TextField", &[("multiValued", "true")]),
                kind("plong", "solr.LongPointField", &[]),
            ],
            fields: vec![
                field("id", "string", &[]),
                field("_root_", "string", &[("stored", "false"), ("docValues", "false")]),
                field("_version_", "plong", &[("indexed", "false"), ("stored", "false")]),
            ],
            dynamic_fields: vec![
                field("*_ss", "string", &[("multiValued", "true")]),
                field("*_txt", "text_general", &[]),
            ],
            ..SchemaSource::default()
        };
        Schema::build(source).unwrap()
    }

    /// Flags recorded from Solr 9.10.1 for the same types.
    #[test]
    fn flags_are_solrs() {
        let schema = schema();
        let check = |name: &str, expected: &str, index: &str| {
            let spec = schema.field(name).unwrap();
            assert_eq!(
                (flags(spec).as_str(), index_flags(&spec.properties).as_str()),
                (expected, index),
                "{name}"
            );
        };
        check("id", "I-SD------OF-----l", "ITS-------OF------");
        check("_root_", "I---------OF-----l", "(unstored field)");
        check("cat_ss", "I-SD-M----OF-----l", "ITS-------OF------");
        check("text_txt", "ITS--M------------", "ITS---------------");
        check("_version_", "---D--------------", "(unstored field)");
    }
}
