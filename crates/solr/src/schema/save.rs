//! A schema as XML: what `schema?wt=schema.xml` answers and what a configset download holds. Types and fields
//! are in the order of their names, dynamic fields longest pattern first, as Solr writes them. Loading the
//! text again gives the same schema.

use std::fmt::Write as _;

use plan::{AnalyzerSpec, ComponentSpec, FieldSource, SchemaSource, TypeSource};

/// The whole schema as a file.
pub fn to_xml(source: &SchemaSource) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let version = format!("{:?}", source.version);
    let _ = writeln!(xml, "<schema name=\"{}\" version=\"{version}\">", escape(&source.name));
    if let Some(key) = &source.unique_key {
        let _ = writeln!(xml, "  <uniqueKey>{}</uniqueKey>", escape(key));
    }
    if let Some(similarity) = &source.similarity {
        write_similarity(&mut xml, "  ", similarity);
    }
    let mut types: Vec<_> = source.types.iter().collect();
    types.sort_by(|one, other| one.name.cmp(&other.name));
    types.into_iter().for_each(|declared| write_type(&mut xml, declared));
    write_fields(&mut xml, source);
    write_copies(&mut xml, source);
    xml.push_str("</schema>\n");
    xml
}

fn write_fields(xml: &mut String, source: &SchemaSource) {
    let mut fields: Vec<_> = source.fields.iter().collect();
    fields.sort_by(|one, other| one.name.cmp(&other.name));
    fields.into_iter().for_each(|declared| write_field(xml, "field", declared));
    let mut dynamic: Vec<_> = source.dynamic_fields.iter().collect();
    dynamic.sort_by_key(|declared| std::cmp::Reverse(declared.name.len()));
    dynamic.into_iter().for_each(|declared| write_field(xml, "dynamicField", declared));
}

fn write_copies(xml: &mut String, source: &SchemaSource) {
    let mut copies: Vec<_> = source.copy_fields.iter().collect();
    copies.sort_by(|one, other| (&one.source, &one.dest).cmp(&(&other.source, &other.dest)));
    for copy in copies {
        let _ =
            write!(xml, "  <copyField source=\"{}\" dest=\"{}\"", escape(&copy.source), escape(&copy.dest));
        if copy.max_chars > 0 {
            let _ = write!(xml, " maxChars=\"{}\"", copy.max_chars);
        }
        xml.push_str("/>\n");
    }
}

fn write_type(xml: &mut String, declared: &TypeSource) {
    let _ =
        write!(xml, "  <fieldType name=\"{}\" class=\"{}\"", escape(&declared.name), escape(&declared.class));
    write_attributes(xml, &declared.attributes);
    let TypeSource { analyzer, index_analyzer, query_analyzer, multi_term_analyzer, similarity, .. } =
        declared;
    let chains = [
        (analyzer, ""),
        (index_analyzer, " type=\"index\""),
        (query_analyzer, " type=\"query\""),
        (multi_term_analyzer, " type=\"multiterm\""),
    ];
    if chains.iter().all(|(chain, _)| chain.is_none()) && similarity.is_none() {
        return xml.push_str("/>\n");
    }
    xml.push_str(">\n");
    for (chain, kind) in chains {
        if let Some(chain) = chain {
            write_analyzer(xml, kind, chain);
        }
    }
    if let Some(similarity) = similarity {
        write_similarity(xml, "    ", similarity);
    }
    xml.push_str("  </fieldType>\n");
}

fn write_analyzer(xml: &mut String, kind: &str, chain: &AnalyzerSpec) {
    let _ = writeln!(xml, "    <analyzer{kind}>");
    chain.char_filters.iter().for_each(|component| write_component(xml, "charFilter", component));
    write_component(xml, "tokenizer", &chain.tokenizer);
    chain.filters.iter().for_each(|component| write_component(xml, "filter", component));
    xml.push_str("    </analyzer>\n");
}

fn write_component(xml: &mut String, tag: &str, component: &ComponentSpec) {
    let key = name_key(component);
    let _ = write!(xml, "      <{tag} {key}=\"{}\"", escape(&component.name));
    for (name, value) in &component.args {
        let _ = write!(xml, " {name}=\"{}\"", escape(value));
    }
    xml.push_str("/>\n");
}

/// Which attribute names a component: `class` where it is a class's name, else `name`.
pub(super) fn name_key(component: &ComponentSpec) -> &'static str {
    if component.name.contains('.') { "class" } else { "name" }
}

fn write_similarity(xml: &mut String, indent: &str, similarity: &[(String, String)]) {
    let class = similarity.iter().find(|(key, _)| key == "class").map_or("", |(_, value)| value);
    let _ = writeln!(xml, "{indent}<similarity class=\"{}\">", escape(class));
    for (name, value) in similarity.iter().filter(|(key, _)| key != "class") {
        let _ = writeln!(xml, "{indent}  <str name=\"{}\">{}</str>", escape(name), escape(value));
    }
    let _ = writeln!(xml, "{indent}</similarity>");
}

fn write_field(xml: &mut String, tag: &str, declared: &FieldSource) {
    let _ =
        write!(xml, "  <{tag} name=\"{}\" type=\"{}\"", escape(&declared.name), escape(&declared.type_name));
    write_attributes(xml, &declared.attributes);
    xml.push_str("/>\n");
}

fn write_attributes(xml: &mut String, attributes: &[(String, String)]) {
    for (name, value) in attributes {
        let _ = write!(xml, " {name}=\"{}\"", escape(value));
    }
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // An attribute's line breaks and tabs would become spaces when read again.
            '\n' | '\r' | '\t' => {
                let _ = write!(escaped, "&#{};", u32::from(character));
            }
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::load;

    #[test]
    fn what_is_written_reads_back_the_same() {
        let xml = "<schema name=\"a &amp; b\" version=\"1.7\">\n  <uniqueKey>id</uniqueKey>\n  \
            <fieldType name=\"s\" class=\"solr.StrField\" docValues=\"false\"/>\n  \
            <fieldType name=\"t\" class=\"solr.TextField\">\n    <analyzer>\n      \
            <charFilter name=\"patternReplace\" pattern=\"&lt;&#9;\" replacement=\"\"/>\n      \
            <tokenizer class=\"solr.StandardTokenizerFactory\"/>\n      <filter name=\"lowercase\"/>\n    \
            </analyzer>\n  </fieldType>\n  <field name=\"id\" type=\"s\" required=\"true\"/>\n  \
            <dynamicField name=\"*_t\" type=\"t\"/>\n  \
            <copyField source=\"id\" dest=\"id_t\" maxChars=\"5\"/>\n</schema>\n";
        let source = load(xml, &|_| None).unwrap();
        let written = to_xml(&source);
        assert_eq!(written.split_once('\n').unwrap().1, xml);
        assert_eq!(load(&written, &|_| None).unwrap(), source);
    }
}
