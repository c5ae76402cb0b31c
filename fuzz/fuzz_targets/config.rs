//! What configures a collection: commands of the Config API, sets of parameters and edits of the schema, in
//! JSON; a `solrconfig.xml` and a schema, in XML. What an edit of the schema leaves is resolved, and its
//! analyzers are made.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use plan::{ConfigSource, Schema, SchemaSource};
use solr::config::{self, configset, param_sets};
use solr::query::SchemaAnalyzers;

static BUILTIN: LazyLock<(SchemaSource, ConfigSource)> = LazyLock::new(|| {
    let schema = read("managed-schema.xml").expect("it has a schema");
    let schema = solr::schema::parse(&schema, &read).expect("it parses");
    (schema, (*config::load(&read).expect("it loads").config.source).clone())
});

fn read(name: &str) -> Option<String> {
    configset::builtin("_default")?.file(name).map(str::to_owned)
}

fn resolve(source: SchemaSource) {
    if let Ok(schema) = Schema::build(source) {
        SchemaAnalyzers::new(&schema);
    }
}

fuzz_target!(|text: &str| {
    let (schema, source) = &*BUILTIN;
    if text.trim_start().starts_with('<') {
        let _ = config::load(&|name| if name == "solrconfig.xml" { Some(text.to_owned()) } else { read(name) });
        if let Ok(source) = solr::schema::parse(text, &read) {
            resolve(source);
        }
        return;
    }
    let _ = config::edit(source, text, &read);
    let _ = param_sets::edit(source, text);
    if let Ok(source) = solr::schema::edit(schema, text, &read) {
        resolve(source);
    }
});
