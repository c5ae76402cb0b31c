//! The names of enumerations, from the file of the configset that a type's `enumsConfig` names. In: a schema
//! with its files; out: each such type with its names in order, or Solr's message. They become part of the
//! declared type, so that another list is another type, and what was indexed by the old one is known to be.

use plan::{Error, Resources, Result, SchemaSource, TypeSource};

use crate::xml_tree;

/// Sets the names of all types of the class EnumFieldType. Errors name the type.
pub(super) fn read(source: &mut SchemaSource) -> Result<()> {
    let SchemaSource { types, resources, .. } = source;
    for declared in types.iter_mut().filter(|it| is_enumeration(it)) {
        let names = names(declared, resources);
        declared.enum_names =
            names.map_err(|error| error.context(format_args!("fieldType `{}`: ", declared.name)))?;
    }
    Ok(())
}

fn is_enumeration(declared: &TypeSource) -> bool {
    declared.class.rsplit('.').next() == Some("EnumFieldType")
}

fn names(declared: &TypeSource, resources: &Resources) -> Result<Vec<String>> {
    let attribute = |wanted: &str| {
        let found = declared.attributes.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    };
    let wrong = |message: String| Error::bad_request(message);
    let file =
        attribute("enumsConfig").ok_or_else(|| wrong("No enums config file was configured.".to_owned()))?;
    let name = attribute("enumName").ok_or_else(|| wrong("No enum name was configured.".to_owned()))?;
    let text = resources.get(file);
    let text = text.ok_or_else(|| wrong(format!("can't find resource `{file}`")))?;
    let root = xml_tree::parse(file, text, &|_| None)?;
    let missing = || wrong(format!("No enum configuration found for enum '{name}' in {file}."));
    let listed =
        root.all("enum").find(|element| element.attribute("name") == Some(name)).ok_or_else(missing)?;
    let mut names: Vec<String> = Vec::new();
    for value in listed.all("value").map(|value| value.trimmed().to_owned()) {
        if value.is_empty() {
            return Err(wrong(format!("A value was defined with an empty name in enum '{name}' in {file}.")));
        }
        if names.contains(&value) {
            return Err(wrong(format!("Enum '{name}' in {file} lists `{value}` twice; remove one")));
        }
        names.push(value);
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use crate::schema::load;

    fn loaded(attributes: &str, file: &str) -> Result<Vec<String>, String> {
        let xml = format!(
            r#"<schema name="s" version="1.6"><fieldType name="e" class="solr.EnumFieldType" {attributes}/></schema>"#
        );
        let read = |name: &str| (name == "e.xml").then(|| file.to_owned());
        let source = load(&xml, &read).map_err(|error| error.message)?;
        Ok(source.types[0].enum_names.clone())
    }

    #[test]
    fn names_come_in_the_order_of_the_file() {
        let check = |attributes: &str, values: &str, expected: Result<&[&str], &str>| {
            let file = format!(r#"<enumsConfig><enum name="g">{values}</enum></enumsConfig>"#);
            match (loaded(attributes, &file), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected),
                (Err(found), Err(expected)) => assert!(found.contains(expected), "{found}"),
                (found, expected) => panic!("{found:?}, not {expected:?}"),
            }
        };
        let both = r#"enumsConfig="e.xml" enumName="g""#;
        check(both, "<value>b</value><value> a </value>", Ok(&["b", "a"]));
        check(both, "<value>b</value><value>b</value>", Err("`b` twice"));
        check(both, "<value/>", Err("empty name"));
        check(r#"enumsConfig="e.xml" enumName="h""#, "", Err("No enum configuration found for enum 'h'"));
        check(r#"enumsConfig="e.xml""#, "", Err("fieldType `e`: No enum name was configured"));
        check(r#"enumName="g""#, "", Err("No enums config file was configured"));
        check(r#"enumsConfig="f.xml" enumName="g""#, "", Err("`f.xml`"));
    }
}
