//! Schema API commands against answers recorded from Solr 9.10.1.

use super::*;
use crate::response::Node;
use crate::schema;

const SCHEMA: &str = r#"<schema name="s" version="1.7"><uniqueKey>id</uniqueKey>
  <fieldType name="string" class="solr.StrField"/><fieldType name="pint" class="solr.IntPointField"/>
  <fieldType name="spare" class="solr.StrField"/>
  <field name="id" type="string"/><field name="src" type="string"/><field name="q" type="string"/>
  <dynamicField name="*_s" type="string"/><dynamicField name="*_i" type="pint"/>
  <copyField source="src" dest="a_s"/></schema>"#;

fn run(body: &str) -> Result<SchemaSource, EditError> {
    let source = schema::load(SCHEMA, &|_| None).unwrap();
    edit(&source, body, &|name| (name == "stop.txt").then(|| "the\n".to_owned()))
}

/// The lines that the edit adds to and takes from the schema's XML, or the complaints.
fn show(body: &str) -> String {
    let before = schema::to_xml(&schema::load(SCHEMA, &|_| None).unwrap());
    match run(body) {
        Ok(edited) => {
            let after = schema::to_xml(&edited);
            let gone =
                before.lines().filter(|line| !after.contains(line)).map(|line| format!("-{}", line.trim()));
            let new =
                after.lines().filter(|line| !before.contains(line)).map(|line| format!("+{}", line.trim()));
            gone.chain(new).collect::<Vec<_>>().join(" ")
        }
        Err(EditError::Malformed(error)) => error.message,
        Err(EditError::Refused { details: Node::Array(details), .. }) => {
            let messages = details.iter().flat_map(|detail| match detail {
                Node::Map(entries) => match entries.last() {
                    Some((_, Node::Array(messages))) => messages.clone(),
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            });
            let text = |node| if let Node::Str(text) = node { text.into_owned() } else { String::new() };
            messages.map(text).collect::<Vec<_>>().join("|")
        }
        Err(other) => format!("{other:?}"),
    }
}

#[test]
fn commands_edit_the_schema() {
    let check = |body: &str, expected: &str| assert_eq!(show(body), expected, "{body}");
    check(
        r#"{"add-field":{"name":"n","type":"string","stored":false,"multiValued":"true"}}"#,
        r#"+<field name="n" type="string" stored="false" multiValued="true"/>"#,
    );
    check(
        r#"{"add-field":[{"name":"n","type":"pint"},{"name":"m","type":"pint"}],"delete-field":{"name":"q"}}"#,
        r#"-<field name="q" type="string"/> +<field name="m" type="pint"/> +<field name="n" type="pint"/>"#,
    );
    check(
        r#"{"replace-field":{"name":"q","type":"pint"}}"#,
        r#"-<field name="q" type="string"/> +<field name="q" type="pint"/>"#,
    );
    check(
        r#"{"add-dynamic-field":{"name":"*_zz","type":"pint"},"delete-dynamic-field":{"name":"*_i"}}"#,
        r#"-<dynamicField name="*_i" type="pint"/> +<dynamicField name="*_zz" type="pint"/>"#,
    );
    check(
        r#"{"add-copy-field":{"source":"q","dest":["b_s","c_s"],"maxChars":10}}"#,
        r#"+<copyField source="q" dest="b_s" maxChars="10"/> +<copyField source="q" dest="c_s" maxChars="10"/>"#,
    );
    check(
        r#"{"delete-copy-field":{"source":"src","dest":"a_s"},"delete-field":{"name":"src"}}"#,
        r#"-<field name="src" type="string"/> -<copyField source="src" dest="a_s"/>"#,
    );
    check(r#"{"delete-field-type":{"name":"spare"}}"#, r#"-<fieldType name="spare" class="solr.StrField"/>"#);
}

#[test]
fn types_bring_their_analyzers_and_files() {
    let body = r#"{"add-field-type":{"name":"t","class":"solr.TextField","positionIncrementGap":"100",
        "indexAnalyzer":{"tokenizer":{"class":"solr.WhitespaceTokenizerFactory"},
        "filters":[{"name":"lowercase"},{"name":"stop","words":"stop.txt"}]},
        "queryAnalyzer":{"tokenizer":{"name":"keyword"}}}}"#;
    let edited = run(body).unwrap();
    let added = edited.types.last().unwrap();
    assert_eq!(added.index_analyzer.as_ref().unwrap().filters[1].args["words"], "stop.txt");
    assert_eq!(added.query_analyzer.as_ref().unwrap().tokenizer.name, "keyword");
    assert_eq!(edited.resources["stop.txt"], "the\n");
    assert!(show(&body.replace("stop.txt", "no.txt")).contains("`no.txt`"));
    assert!(show(&body.replace("lowercase", "nosuch")).contains("`nosuch`"));
}

#[test]
fn complaints_are_in_solrs_words() {
    let check = |body: &str, expected: &str| assert_eq!(show(body), expected, "{body}");
    check(r#"{"add-field":{"name":"q","type":"string"}}"#, "Field 'q' already exists.\n");
    check(r#"{"add-field":{"name":"n","type":"nope"}}"#, "Field 'n': Field type 'nope' not found.\n");
    check(r#"{"add-field":{"type":"string"}}"#, "'name' is a required field");
    check(
        r#"{"add-field":"x"}"#,
        " value has to be an object for operation :add-field|'name' is a required field|'type' is a required field",
    );
    check(
        r#"{"add-field":{"name":"n","type":"pint","foo":"bar"}}"#,
        "java.lang.IllegalArgumentException: Invalid field property: foo\nInvalid field property: foo\n",
    );
    check(r#"{"add-field":{"name":"*_zz","type":"string"}}"#, "Can't add dynamic field '*_zz'.\n");
    check(
        r#"{"add-dynamic-field":{"name":"zz","type":"string"}}"#,
        "Dynamic field name 'zz' should have either a leading or a trailing asterisk, and no others.\n",
    );
    check(
        r#"{"add-dynamic-field":{"name":"*_s","type":"string"}}"#,
        "[schema.xml] Duplicate DynamicField definition for '*_s'\n",
    );
    for (kind, name) in [("field", "nope"), ("dynamic-field", "*_nope"), ("field-type", "nope")] {
        let words = kind.replace('-', " ");
        let lack = format!("The {words} '{name}' is not present in this schema, and so cannot be");
        check(&format!(r#"{{"delete-{kind}":{{"name":"{name}"}}}}"#), &format!("{lack} deleted.\n"));
        let body = format!(r#"{{"replace-{kind}":{{"name":"{name}","type":"pint","class":"x"}}}}"#);
        check(&body, &format!("{lack} replaced.\n"));
    }
    check(
        r#"{"delete-field":{"name":"src"}}"#,
        "Can't delete field 'src' because it's referred to by at least one copy field directive.\n",
    );
    check(
        r#"{"delete-field-type":{"name":"string"}}"#,
        "Can't delete 'string' because it's the field type of field 'id'.\n",
    );
    check(
        r#"{"add-field-type":{"name":"string","class":"solr.StrField"}}"#,
        "Field type 'string' already exists.\n",
    );
    check(
        r#"{"delete-copy-field":{"source":"q","dest":"nope"}}"#,
        "Copy field directive not found: 'q' -> 'nope'\n",
    );
    check(
        r#"{"add-copy-field":{"source":"q","dest":"a_s","maxChars":"x"}}"#,
        "Exception parsing maxChars 'x': For input string: \"x\"\n",
    );
    check(
        r#"{"add-copy-field":{"source":"q","dest":"a_s","foo":"x"}}"#,
        "Only the 'source', 'dest' and 'maxChars' params are allowed with the 'add-copy-field' operation",
    );
    check(r#"{"foo":{},"add-field":{"name":"q","type":"string"}}"#, "No such operation : foo");
    check("[]", "The JSON must be an Object of the form {\"command\": {...},...");
    assert!(show(r#"{"delete-field":{"name":"id"}}"#).contains("uniqueKey"));
}

#[test]
fn the_message_lists_every_failure() {
    let body = r#"{"delete-field":[{"name":"x"},{"name":"y"}]}"#;
    let Err(EditError::Refused { message, .. }) = run(body) else { panic!("not refused") };
    let expected = "error processing commands, errors: [{delete-field={name=x}, errorMessages=[The field 'x' is not \
        present in this schema, and so cannot be deleted.\n]}, {delete-field={name=y}, errorMessages=[The field 'y' is \
        not present in this schema, and so cannot be deleted.\n]}], ";
    assert_eq!(message, expected);
}
