//! A `managed-schema.xml` or `schema.xml` as a `plan::SchemaSource`, with the files its types name. Takes
//! what Solr takes: the old `<types>` and `<fields>` wrappers, components by `name` or `class`. What cannot
//! be served is an error here, when the schema is loaded, never a surprise at the first document.

use std::collections::HashSet;

use analysis::Analyzer;
use plan::{CopyField, Error, FieldSource, Result, Schema, SchemaSource, TypeSource};

use crate::schema::{analyzer_xml, enumerations, resources, unserved};
use crate::xml_tree::{self, Element};

/// A field type that cannot be served here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub type_name: String,
    /// Names what is at fault in it, such as a component of its analyzer, and what is wrong with that.
    pub message: String,
}

/// Reads a schema and the files it names (`read_resource` gives a file of the configset by its name). Errors
/// name the type, field, component or file at fault. A fault in the analyzer of a type that no field and no
/// dynamic field has is none: it waits for the field that wants it.
pub fn load(xml: &str, read_resource: &dyn Fn(&str) -> Option<String>) -> Result<SchemaSource> {
    let source = parse(xml, read_resource)?;
    refuse_unserved(&resolve(&source)?)?;
    let fields = || source.fields.iter().chain(&source.dynamic_fields);
    let used = |fault: &Fault| fields().any(|field| field.type_name == fault.type_name);
    refuse(&faults(&source).into_iter().filter(used).collect::<Vec<_>>())?;
    Ok(source)
}

/// As [`load`], without asking whether everything in it can be served.
pub fn parse(xml: &str, read_resource: &dyn Fn(&str) -> Option<String>) -> Result<SchemaSource> {
    let root = xml_tree::parse("schema", xml, &|_| None)?;
    if root.name != "schema" {
        return Err(wrong(&format!("the root element is `{}`; a schema starts with `schema`", root.name)));
    }
    let mut source = SchemaSource {
        name: root.attribute("name").unwrap_or("schema").to_owned(),
        version: version(&root)?,
        ..SchemaSource::default()
    };
    for child in &root.children {
        declaration(child, &mut source)?;
    }
    source.resources = resources::collect(&source, read_resource)?;
    enumerations::read(&mut source)?;
    Ok(source)
}

/// Checks that every type, field, copy and analyzer of a source can be served, and gives the resolved schema.
/// The error names all types whose analyzers cannot be built, not just the first.
pub fn validate(source: &SchemaSource) -> Result<Schema> {
    let schema = resolve(source)?;
    refuse_unserved(&schema)?;
    refuse(&faults(source))?;
    Ok(schema)
}

/// As [`validate`] for an edit of a schema in use: types that are as they were are not looked at again.
pub(super) fn validate_edit(edited: &SchemaSource, before: &SchemaSource) -> Result<()> {
    let schema = resolve(edited)?;
    let fresh = || edited.types.iter().filter(|it| !before.types.contains(it));
    refuse(&fresh().filter_map(|it| unserved_type(it, &schema)).collect::<Vec<_>>())?;
    refuse(&fresh().filter_map(|it| fault(it, edited)).collect::<Vec<_>>())
}

/// What would be passed over without a word is refused in types that nobody uses too: a field that an update
/// adds to the schema may be of such a type.
fn refuse_unserved(schema: &Schema) -> Result<()> {
    let source = &schema.source;
    let similarity = unserved::schema_similarity(source);
    let field = || source.fields.iter().chain(&source.dynamic_fields).find_map(unserved::field);
    if let Some(message) = similarity.or_else(field) {
        return Err(wrong(&message));
    }
    refuse(&source.types.iter().filter_map(|it| unserved_type(it, schema)).collect::<Vec<_>>())
}

fn unserved_type(declared: &TypeSource, schema: &Schema) -> Option<Fault> {
    let message = unserved::field_type(schema.field_type(&declared.name)?, &schema.source)?;
    Some(Fault { type_name: declared.name.clone(), message })
}

fn resolve(source: &SchemaSource) -> Result<Schema> {
    unique(source.types.iter().map(|it| it.name.as_str()), "Duplicate fieldType definition for")?;
    unique(source.fields.iter().map(|it| it.name.as_str()), "[schema.xml] Duplicate field definition for")?;
    unique(
        source.dynamic_fields.iter().map(|it| it.name.as_str()),
        "[schema.xml] Duplicate DynamicField definition for",
    )?;
    Schema::build(source.clone())
}

fn refuse(faults: &[Fault]) -> Result<()> {
    if faults.is_empty() {
        return Ok(());
    }
    let shown: Vec<_> =
        faults.iter().map(|fault| format!("fieldType `{}`: {}", fault.type_name, fault.message)).collect();
    Err(Error::bad_request(shown.join("; ")))
}

/// The types whose analyzers cannot be built, in the order of their declaration.
pub fn faults(source: &SchemaSource) -> Vec<Fault> {
    source.types.iter().filter_map(|field_type| fault(field_type, source)).collect()
}

fn fault(field_type: &TypeSource, source: &SchemaSource) -> Option<Fault> {
    let TypeSource { analyzer, index_analyzer, query_analyzer, multi_term_analyzer, .. } = field_type;
    let chains = [analyzer, index_analyzer, query_analyzer, multi_term_analyzer];
    let build = |chain| Analyzer::build(chain, &source.resources).err();
    let error = chains.into_iter().flatten().find_map(build)?;
    Some(Fault { type_name: field_type.name.clone(), message: error.to_string() })
}

fn unique<'a>(names: impl Iterator<Item = &'a str>, complaint: &str) -> Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(Error::bad_request(format!("{complaint} '{name}'")));
        }
    }
    Ok(())
}

fn version(root: &Element) -> Result<f32> {
    let text = root.attribute("version").unwrap_or("1.0");
    text.trim().parse().map_err(|_| wrong(&format!("`version` is `{text}`; write a number such as 1.7")))
}

fn declaration(element: &Element, source: &mut SchemaSource) -> Result<()> {
    match element.name.as_str() {
        "types" | "fields" => {
            for child in &element.children {
                declaration(child, source)?;
            }
        }
        "fieldType" | "fieldtype" => source.types.push(field_type(element)?),
        "field" => source.fields.push(field(element)?),
        "dynamicField" => source.dynamic_fields.push(dynamic_field(element)?),
        "copyField" => source.copy_fields.push(copy_field(element)?),
        "uniqueKey" => source.unique_key = Some(element.trimmed().to_owned()),
        "similarity" => source.similarity = Some(similarity(element)),
        "defaultSearchField" | "solrQueryParser" => {
            return Err(wrong(&format!(
                "`{}` has not been read since Solr 7; remove it and use `df` or `q.op`",
                element.name
            )));
        }
        other => return Err(wrong(&format!("the element `{other}` is not known; remove it"))),
    }
    Ok(())
}

fn field_type(element: &Element) -> Result<TypeSource> {
    let (name, others) = named(element)?;
    let mut declared = TypeSource { name, ..TypeSource::default() };
    for (key, value) in others {
        match key.as_str() {
            "class" => declared.class = value,
            _ => declared.attributes.push((key, value)),
        }
    }
    if declared.class.is_empty() {
        return Err(wrong(&format!("fieldType `{}` has no `class`", declared.name)));
    }
    for child in &element.children {
        match child.name.as_str() {
            "analyzer" => analyzer_xml::read(child, &mut declared)?,
            "similarity" => declared.similarity = Some(similarity(child)),
            other => return Err(wrong(&format!("fieldType `{}`: unknown element `{other}`", declared.name))),
        }
    }
    Ok(declared)
}

fn field(element: &Element) -> Result<FieldSource> {
    let (name, others) = named(element)?;
    let mut declared = FieldSource { name, ..FieldSource::default() };
    for (key, value) in others {
        match key.as_str() {
            "type" => declared.type_name = value,
            _ => declared.attributes.push((key, value)),
        }
    }
    if declared.type_name.is_empty() {
        return Err(wrong(&format!("{} `{}` has no `type`", element.name, declared.name)));
    }
    Ok(declared)
}

fn dynamic_field(element: &Element) -> Result<FieldSource> {
    let declared = field(element)?;
    if !is_pattern(&declared.name) {
        return Err(wrong(&format!(
            "dynamicField `{}` must start or end with a `*`, and hold no other",
            declared.name
        )));
    }
    Ok(declared)
}

/// Whether a name is a dynamic field's: one `*`, first or last.
pub(super) fn is_pattern(name: &str) -> bool {
    name.matches('*').count() == 1 && (name.starts_with('*') || name.ends_with('*'))
}

fn copy_field(element: &Element) -> Result<CopyField> {
    let required = |name: &str| {
        let value = element.attribute(name).filter(|value| !value.is_empty());
        value.map(str::to_owned).ok_or_else(|| wrong(&format!("a copyField has no `{name}`")))
    };
    let max_chars = match element.attribute("maxChars") {
        Some(text) => text
            .trim()
            .parse()
            .map_err(|_| wrong(&format!("copyField: `maxChars` is `{text}`; write a whole number")))?,
        None => 0,
    };
    Ok(CopyField { source: required("source")?, dest: required("dest")?, max_chars })
}

/// The class first, then the arguments in it, such as `<float name="k1">1.2</float>`.
fn similarity(element: &Element) -> Vec<(String, String)> {
    let arguments = element
        .children
        .iter()
        .filter_map(|argument| Some((argument.attribute("name")?.to_owned(), argument.trimmed().to_owned())));
    element.attributes.iter().cloned().chain(arguments).collect()
}

/// The name, and the other attributes in order.
fn named(element: &Element) -> Result<(String, Vec<(String, String)>)> {
    let name = element.attribute("name").filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| wrong(&format!("a {} has no `name`", element.name)))?.to_owned();
    Ok((name, element.attributes.iter().filter(|(key, _)| key != "name").cloned().collect()))
}

fn wrong(message: &str) -> Error {
    Error::bad_request(format!("cannot read the schema: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"<schema name="s" version="1.6"><types>
        <fieldType name="string" class="solr.StrField" sortMissingLast="true"/>
        <fieldtype name="text" class="solr.TextField">
          <analyzer type="index"><tokenizer class="solr.StandardTokenizerFactory"/>
            <filter class="solr.StopFilterFactory" words="a.txt,b.txt" ignoreCase="true"/></analyzer>
          <analyzer type="query"><tokenizer name="whitespace"/><filter name="lowercase"/></analyzer>
        </fieldtype>
        <fieldType name="ws" class="solr.TextField">
          <analyzer class="org.apache.lucene.analysis.core.WhitespaceAnalyzer"/></fieldType>
      </types><fields>
        <field name="id" type="string" required="true"/>
        <dynamicField name="*_t" type="text" multiValued="true"/>
        <dynamicField name="*_ws" type="ws"/>
      </fields><uniqueKey> id </uniqueKey>
      <copyField source="id" dest="all_t" maxChars="7"/>
      <similarity class="solr.BM25SimilarityFactory"><float name="k1">1.20</float></similarity></schema>"#;

    fn read(xml: &str) -> Result<SchemaSource> {
        load(xml, &|name| ["a.txt", "b.txt"].contains(&name).then(|| "and\n".to_owned()))
    }

    #[test]
    fn old_and_new_spellings_load() {
        let source = read(SMALL).unwrap();
        assert_eq!((source.name.as_str(), source.unique_key.as_deref()), ("s", Some("id")));
        assert_eq!(source.types[1].index_analyzer.as_ref().unwrap().filters[0].args["words"], "a.txt,b.txt");
        assert_eq!(source.types[1].query_analyzer.as_ref().unwrap().tokenizer.name, "whitespace");
        assert_eq!(source.types[2].analyzer.as_ref().unwrap().tokenizer.name, "whitespace");
        assert_eq!(source.resources.keys().collect::<Vec<_>>(), ["a.txt", "b.txt"]);
        assert_eq!(source.copy_fields[0].max_chars, 7);
        assert_eq!(source.similarity.unwrap()[1], ("k1".to_owned(), "1.20".to_owned()));
    }

    #[test]
    fn errors_name_the_culprit() {
        let check = |from: &str, to: &str, expected: &str| {
            let message = read(&SMALL.replace(from, to)).unwrap_err().message;
            assert!(message.contains(expected), "{message}");
        };
        check("solr.StrField", "solr.NoField", "NoField");
        check("\"whitespace\"", "\"nosuch\"", "nosuch");
        check("b.txt", "c.txt", "`c.txt`");
        check("<tokenizer class=\"solr.StandardTokenizerFactory\"/>", "", "tokenizer");
        check("type=\"text\"", "type=\"none\"", "none");
        check("*_t", "a*t", "a*t");
        check("1.6", "one", "`one`");
        check("WhitespaceAnalyzer", "NoAnalyzer", "NoAnalyzer");
        check("<uniqueKey> id </uniqueKey>", "<uniqueKey>key</uniqueKey>", "key");
        check("</fields>", "<field name=\"id\" type=\"string\"/></fields>", "Duplicate field definition");
        check("</fields>", "</fields><defaultSearchField>id</defaultSearchField>", "defaultSearchField");
        check("</fields>", "</fields><surprise/>", "surprise");
    }

    #[test]
    fn faults_of_types_that_nobody_uses_wait() {
        let faulty = SMALL.replace("WhitespaceAnalyzer", "NoAnalyzer");
        let unused = faulty.replace("<dynamicField name=\"*_ws\" type=\"ws\"/>", "");
        let faults = faults(&read(&unused).unwrap());
        assert_eq!(faults.iter().map(|fault| fault.type_name.as_str()).collect::<Vec<_>>(), ["ws"]);
    }

    #[test]
    fn truncated_files_are_errors() {
        for (end, _) in SMALL.char_indices() {
            assert!(read(SMALL.get(..end).unwrap()).is_err(), "{end}");
        }
    }

    #[test]
    fn a_grown_schema_of_an_old_version_loads() {
        let files = [
            ("stopwords.txt", include_str!("../../../../configsets/techproducts-style/stopwords.txt")),
            ("synonyms.txt", include_str!("../../../../configsets/techproducts-style/synonyms.txt")),
        ];
        let xml = include_str!("../../../../configsets/techproducts-style/managed-schema.xml");
        let file = |name: &str| Some(files.iter().find(|(known, _)| *known == name)?.1.to_owned());
        let schema = validate(&load(xml, &file).unwrap()).unwrap();
        let price = schema.field("price").unwrap();
        assert!(price.properties.doc_values && schema.source.copy_fields.len() > 5);
        assert_eq!(schema.field("inStock").unwrap().default.as_deref(), Some("true"));
    }
}
