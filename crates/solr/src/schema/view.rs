//! What `/schema` and the paths below it answer, as response nodes in Solr's order: types and fields by name,
//! dynamic fields longest pattern first. Without `showDefaults` just what was declared; with it every switch
//! as resolved. Recorded from Solr 9.10.1.

use std::borrow::Cow;

use plan::{AnalyzerSpec, ComponentSpec, CopyField, Error, FieldSpec, FieldType, Properties, Result, Schema};

use crate::params::admin::schema as schema_params;
use crate::params::{Param, Params, Preset};
use crate::response::{Entries, Node};
use crate::schema::save::name_key;

/// What the parameters ask for.
struct Wanted<'a> {
    defaults: bool,
    dynamic: bool,
    /// `fl`: just these, in this order.
    names: Option<Vec<&'a str>>,
    /// `source.fl`, `dest.fl`.
    sources: Option<Vec<&'a str>>,
    dests: Option<Vec<&'a str>>,
}

/// Answers one read. `path` is the part behind `/schema`, such as `` or `/fields/id`. Gives what follows the
/// header.
pub fn view(schema: &Schema, path: &str, params: &Params) -> Result<Entries> {
    let wanted = Wanted::parse(params);
    let path = path.trim_matches('/');
    let (what, name) = path.split_once('/').map_or((path, None), |(what, name)| (what, Some(name)));
    let entry = match (what.to_ascii_lowercase().as_str(), name) {
        ("", None) => ("schema", whole(schema)),
        ("fields", None) => ("fields", fields(schema, &wanted)),
        ("fields", Some(name)) => ("field", field(schema, name, &wanted)?),
        ("dynamicfields", None) => ("dynamicFields", dynamic_fields(schema, &wanted)),
        ("dynamicfields", Some(name)) => ("dynamicField", dynamic_field(schema, name, &wanted)?),
        ("fieldtypes", None) => ("fieldTypes", field_types(schema, &wanted)),
        ("fieldtypes", Some(name)) => ("fieldType", field_type_named(schema, name, &wanted)?),
        ("copyfields", None) => ("copyFields", copy_fields(schema, &wanted)),
        ("uniquekey", None) => ("uniqueKey", unique_key(schema)),
        // The version of a file in ZooKeeper, where there is one.
        ("zkversion", None) => ("zkversion", Node::Int(-1)),
        ("version", None) => ("version", Node::Float(schema.source.version)),
        ("name", None) => ("name", Node::str(schema.source.name.clone())),
        ("similarity", None) => ("similarity", similarity(schema)),
        _ => {
            let message = format!("No REST managed resource registered for path /schema/{path}");
            return Err(Error::bad_request(message));
        }
    };
    Ok(vec![(Cow::Borrowed(entry.0), entry.1)])
}

impl<'a> Wanted<'a> {
    fn parse(params: &'a Params) -> Self {
        let list = |param: &Param<String>| {
            let text = param.sent(params).filter(|text| !text.trim().is_empty() && *text != "*")?;
            Some(text.split([',', ' ']).filter(|part| !part.is_empty()).collect())
        };
        let flag = |param: &Preset<bool>| matches!(param.read(params), Ok(true));
        Self {
            defaults: flag(&schema_params::DEFAULTS),
            dynamic: flag(&schema_params::DYNAMIC),
            names: list(&schema_params::NAMES),
            sources: list(&schema_params::SOURCES),
            dests: list(&schema_params::DESTINATIONS),
        }
    }

    fn nothing() -> Self {
        Self { defaults: false, dynamic: false, names: None, sources: None, dests: None }
    }
}

fn whole(schema: &Schema) -> Node {
    let wanted = Wanted::nothing();
    let mut entries: Entries = vec![
        (Cow::Borrowed("name"), Node::str(schema.source.name.clone())),
        (Cow::Borrowed("version"), Node::Float(schema.source.version)),
    ];
    if schema.unique_key.is_some() {
        entries.push((Cow::Borrowed("uniqueKey"), unique_key(schema)));
    }
    if schema.source.similarity.is_some() {
        entries.push((Cow::Borrowed("similarity"), similarity(schema)));
    }
    entries.extend([
        (Cow::Borrowed("fieldTypes"), field_types(schema, &wanted)),
        (Cow::Borrowed("fields"), fields(schema, &wanted)),
        (Cow::Borrowed("dynamicFields"), dynamic_fields(schema, &wanted)),
        (Cow::Borrowed("copyFields"), copy_fields(schema, &wanted)),
    ]);
    Node::Map(entries)
}

fn unique_key(schema: &Schema) -> Node {
    schema.unique_key.as_ref().map_or(Node::Null, |key| Node::str(key.to_string()))
}

fn similarity(schema: &Schema) -> Node {
    let default =
        [("class".to_owned(), "org.apache.solr.search.similarities.SchemaSimilarityFactory".to_owned())];
    let declared = schema.source.similarity.as_deref().unwrap_or(&default);
    Node::Map(
        declared.iter().map(|(name, value)| (Cow::Owned(name.clone()), Node::str(value.clone()))).collect(),
    )
}

fn fields(schema: &Schema, wanted: &Wanted<'_>) -> Node {
    let Some(names) = &wanted.names else {
        let mut all: Vec<_> = schema.fields().collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        return Node::Array(all.into_iter().map(|spec| field_node(&spec.name, spec, wanted)).collect());
    };
    let found = names.iter().filter_map(|name| field(schema, name, wanted).ok());
    Node::Array(found.collect())
}

fn field(schema: &Schema, name: &str, wanted: &Wanted<'_>) -> Result<Node> {
    let visible = schema.is_explicit(name) || wanted.dynamic;
    let spec = schema.field(name).filter(|_| visible);
    let spec = spec.ok_or_else(|| Error::not_found(format!("No such field [{name}]")))?;
    Ok(field_node(name, spec, wanted))
}

fn dynamic_fields(schema: &Schema, wanted: &Wanted<'_>) -> Node {
    Node::Array(schema.dynamic_fields().map(|spec| field_node(&spec.name, spec, wanted)).collect())
}

fn dynamic_field(schema: &Schema, name: &str, wanted: &Wanted<'_>) -> Result<Node> {
    let spec = schema.dynamic_fields().find(|spec| &*spec.name == name);
    let spec = spec.ok_or_else(|| Error::not_found(format!("No such dynamic field [{name}]")))?;
    Ok(field_node(&spec.name, spec, wanted))
}

fn field_node(name: &str, spec: &FieldSpec, wanted: &Wanted<'_>) -> Node {
    let mut entries: Entries = vec![
        (Cow::Borrowed("name"), Node::str(name.to_owned())),
        (Cow::Borrowed("type"), Node::str(spec.field_type.name.clone())),
    ];
    if wanted.defaults {
        if let Some(default) = &spec.default {
            entries.push((Cow::Borrowed("default"), Node::str(default.clone())));
        }
        entries.extend(switches(&spec.properties, &[]));
    } else {
        entries.extend(attributes(&spec.source.attributes));
    }
    if name != &*spec.name {
        entries.push((Cow::Borrowed("dynamicBase"), Node::str(spec.name.to_string())));
    }
    Node::Map(entries)
}

/// All switches but those in `left_out`; the two about missing values only where they are on.
fn switches(properties: &Properties, left_out: &[&str]) -> Entries {
    let shown = |name: &str, on: bool| !left_out.contains(&name) && (on || !name.starts_with("sortMissing"));
    let named = properties.named().into_iter().filter(|(name, on)| shown(name, *on));
    named.map(|(name, on)| (Cow::Borrowed(name), Node::Bool(on))).collect()
}

/// Attributes as declared: switches as booleans, the others as text.
fn attributes(declared: &[(String, String)]) -> Entries {
    let is_switch = |name: &str| NO_PROPERTIES.named().iter().any(|(known, _)| *known == name);
    let node = |name: &str, value: &str| match value {
        "true" | "false" if is_switch(name) => Node::Bool(value == "true"),
        _ => Node::str(value.to_owned()),
    };
    declared.iter().map(|(name, value)| (Cow::Owned(name.clone()), node(name, value))).collect()
}

/// For the names of the switches.
const NO_PROPERTIES: Properties = Properties {
    indexed: false,
    stored: false,
    doc_values: false,
    multi_valued: false,
    tokenized: false,
    omit_norms: false,
    omit_term_freq_and_positions: false,
    omit_positions: false,
    store_offsets: false,
    term_vectors: false,
    term_positions: false,
    term_offsets: false,
    term_payloads: false,
    uninvertible: false,
    use_doc_values_as_stored: false,
    sort_missing_first: false,
    sort_missing_last: false,
    required: false,
    large: false,
};

fn field_types(schema: &Schema, wanted: &Wanted<'_>) -> Node {
    let mut types: Vec<_> =
        schema.source.types.iter().filter_map(|declared| schema.field_type(&declared.name)).collect();
    types.sort_by(|one, other| one.name.cmp(&other.name));
    Node::Array(types.into_iter().map(|field_type| type_node(field_type, wanted)).collect())
}

fn field_type_named(schema: &Schema, name: &str, wanted: &Wanted<'_>) -> Result<Node> {
    let field_type = schema.field_type(name);
    let field_type = field_type.ok_or_else(|| Error::not_found(format!("No such field type [{name}]")))?;
    Ok(type_node(field_type, wanted))
}

fn type_node(field_type: &FieldType, wanted: &Wanted<'_>) -> Node {
    let source = &field_type.source;
    let mut entries: Entries = vec![
        (Cow::Borrowed("name"), Node::str(source.name.clone())),
        (Cow::Borrowed("class"), Node::str(source.class.clone())),
    ];
    if wanted.defaults {
        entries.extend(attributes(&field_type.arguments));
        if field_type.class.is_text() {
            entries.extend(text_defaults(field_type));
        }
        let left_out = ["termPayloads", "required", "useDocValuesAsStored"];
        entries.extend(switches(&field_type.properties, &left_out));
    } else {
        entries.extend(attributes(&source.attributes));
    }
    let chains = [
        ("analyzer", &source.analyzer),
        ("indexAnalyzer", &source.index_analyzer),
        ("queryAnalyzer", &source.query_analyzer),
        ("multiTermAnalyzer", &source.multi_term_analyzer),
    ];
    for (name, chain) in chains {
        entries.extend(chain.as_ref().map(|chain| (Cow::Borrowed(name), analyzer_node(chain))));
    }
    if let Some(similarity) = &source.similarity {
        let pairs =
            similarity.iter().map(|(name, value)| (Cow::Owned(name.clone()), Node::str(value.clone())));
        entries.push((Cow::Borrowed("similarity"), Node::Map(pairs.collect())));
    }
    Node::Map(entries)
}

/// What Solr says of every text type that does not say it itself.
fn text_defaults(field_type: &FieldType) -> Entries {
    let style = "org.apache.solr.parser.SolrQueryParserBase$SynonymQueryStyle:AS_SAME_TERM";
    let all = [
        ("autoGeneratePhraseQueries", Node::Bool(field_type.auto_phrase)),
        ("enableGraphQueries", Node::Bool(true)),
        ("synonymQueryStyle", Node::str(style)),
    ];
    let silent = all.into_iter().filter(|(name, _)| field_type.argument(name).is_none());
    silent.map(|(name, node)| (Cow::Borrowed(name), node)).collect()
}

fn analyzer_node(chain: &AnalyzerSpec) -> Node {
    let list = |components: &[ComponentSpec]| Node::Array(components.iter().map(component_node).collect());
    let mut entries: Entries = Vec::new();
    if !chain.char_filters.is_empty() {
        entries.push((Cow::Borrowed("charFilters"), list(&chain.char_filters)));
    }
    entries.push((Cow::Borrowed("tokenizer"), component_node(&chain.tokenizer)));
    if !chain.filters.is_empty() {
        entries.push((Cow::Borrowed("filters"), list(&chain.filters)));
    }
    Node::Map(entries)
}

fn component_node(component: &ComponentSpec) -> Node {
    let name = (Cow::Borrowed(name_key(component)), Node::str(component.name.clone()));
    let args =
        component.args.iter().map(|(name, value)| (Cow::Owned(name.clone()), Node::str(value.clone())));
    Node::Map([name].into_iter().chain(args).collect())
}

fn copy_fields(schema: &Schema, wanted: &Wanted<'_>) -> Node {
    let listed = |names: &Option<Vec<&str>>, name: &str| names.as_ref().is_none_or(|it| it.contains(&name));
    let copies = schema.source.copy_fields.iter();
    let copies =
        copies.filter(|copy| listed(&wanted.sources, &copy.source) && listed(&wanted.dests, &copy.dest));
    Node::Array(copies.map(copy_node).collect())
}

fn copy_node(copy: &CopyField) -> Node {
    let mut entries: Entries = vec![
        (Cow::Borrowed("source"), Node::str(copy.source.clone())),
        (Cow::Borrowed("dest"), Node::str(copy.dest.clone())),
    ];
    if copy.max_chars > 0 {
        entries
            .push((Cow::Borrowed("maxChars"), Node::Int(i32::try_from(copy.max_chars).unwrap_or(i32::MAX))));
    }
    Node::Map(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::{JsonStyle, write_json};
    use crate::schema;

    const SCHEMA: &str = r#"<schema name="small" version="1.7"><uniqueKey>id</uniqueKey>
      <fieldType name="string" class="solr.StrField" sortMissingLast="true"/>
      <fieldType name="text" class="solr.TextField" positionIncrementGap="100" multiValued="true">
        <analyzer><tokenizer name="standard"/><filter name="lowercase"/></analyzer></fieldType>
      <field name="id" type="string" multiValued="false" required="true"/>
      <field name="all" type="text" stored="false"/>
      <dynamicField name="*_s" type="string"/><dynamicField name="*_long" type="string" default="x"/>
      <copyField source="id" dest="all" maxChars="5"/><copyField source="*_s" dest="all"/></schema>"#;

    fn show(path: &str, params: &[(&str, &str)]) -> String {
        let schema = schema::validate(&schema::load(SCHEMA, &|_| None).unwrap()).unwrap();
        let pairs = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        match view(&schema, path, &Params::new(pairs.collect())) {
            Ok(entries) => {
                let mut bytes = Vec::new();
                write_json(&entries, &JsonStyle { indent: false, ..JsonStyle::default() }, &mut bytes);
                String::from_utf8(bytes).unwrap().trim_end().to_owned()
            }
            Err(error) => error.message,
        }
    }

    #[test]
    fn reads_answer_as_solr_does() {
        let check = |path: &str, params: &[(&str, &str)], expected: &str| {
            assert_eq!(show(path, params), expected, "{path} {params:?}");
        };
        let id = r#"{"name":"id","type":"string","multiValued":false,"required":true}"#;
        check("/fields/id", &[], &format!(r#"{{"field":{id}}}"#));
        check("/fields/a_s", &[], "No such field [a_s]");
        check(
            "/fields/a_s",
            &[("includeDynamic", "true")],
            r#"{"field":{"name":"a_s","type":"string","dynamicBase":"*_s"}}"#,
        );
        check("/fields", &[("fl", "id,none")], &format!(r#"{{"fields":[{id}]}}"#));
        check(
            "/fields",
            &[],
            &format!(r#"{{"fields":[{{"name":"all","type":"text","stored":false}},{id}]}}"#),
        );
        check(
            "/dynamicfields",
            &[],
            r#"{"dynamicFields":[{"name":"*_long","type":"string","default":"x"},{"name":"*_s","type":"string"}]}"#,
        );
        check("/dynamicfields/x", &[], "No such dynamic field [x]");
        check("/fieldtypes/x", &[], "No such field type [x]");
        check(
            "/fieldtypes/text",
            &[],
            r#"{"fieldType":{"name":"text","class":"solr.TextField","positionIncrementGap":"100","multiValued":true,"analyzer":{"tokenizer":{"name":"standard"},"filters":[{"name":"lowercase"}]}}}"#,
        );
        check(
            "/copyfields",
            &[("source.fl", "id")],
            r#"{"copyFields":[{"source":"id","dest":"all","maxChars":5}]}"#,
        );
        check("/uniquekey", &[], r#"{"uniqueKey":"id"}"#);
        check("/version", &[], r#"{"version":1.7}"#);
        check("/name", &[], r#"{"name":"small"}"#);
        check("/other", &[], "No REST managed resource registered for path /schema/other");
        check(
            "/similarity",
            &[],
            r#"{"similarity":{"class":"org.apache.solr.search.similarities.SchemaSimilarityFactory"}}"#,
        );
    }

    #[test]
    fn defaults_are_shown_when_asked_for() {
        let shown = show("/fields/id", &[("showDefaults", "true")]);
        let expected = r#"{"field":{"name":"id","type":"string","indexed":true,"stored":true,"docValues":true,"termVectors":false,"termPositions":false,"termOffsets":false,"termPayloads":false,"omitNorms":true,"omitTermFreqAndPositions":true,"omitPositions":false,"storeOffsetsWithPositions":false,"multiValued":false,"large":false,"uninvertible":false,"sortMissingLast":true,"required":true,"tokenized":false,"useDocValuesAsStored":true}}"#;
        assert_eq!(shown, expected);
        let shown = show("/fieldtypes/text", &[("showDefaults", "true")]);
        let expected = r#"{"fieldType":{"name":"text","class":"solr.TextField","positionIncrementGap":"100","autoGeneratePhraseQueries":false,"enableGraphQueries":true,"synonymQueryStyle":"org.apache.solr.parser.SolrQueryParserBase$SynonymQueryStyle:AS_SAME_TERM","indexed":true"#;
        assert!(shown.starts_with(expected), "{shown}");
    }

    #[test]
    fn the_whole_schema_lists_its_parts_in_order() {
        let shown = show("", &[]);
        let parts = [
            "\"name\":\"small\"",
            "\"version\":1.7",
            "\"uniqueKey\"",
            "\"fieldTypes\"",
            "\"fields\"",
            "\"dynamicFields\"",
            "\"copyFields\"",
        ];
        let places: Vec<_> = parts.iter().map(|part| shown.find(part).unwrap()).collect();
        assert!(places.is_sorted(), "{shown}");
    }
}
