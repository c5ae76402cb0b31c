//! The parameters of a search, one `name=value` a line and JSON among them, resolved against the built-in
//! schema. Parsers call one another to any depth that a request names; what is looked for is a panic, a loop
//! and a stack that ends.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use plan::Schema;
use solr::{Params, json_request};
use solr::query::SchemaAnalyzers;
use solr::select::{HandlerElevation, ResolveContext, SelectRequest};
use std::sync::Arc;

static SCHEMA: LazyLock<(Schema, Arc<SchemaAnalyzers>)> = LazyLock::new(|| {
    let schema = fuzz::default_schema();
    let analyzers = SchemaAnalyzers::new(&schema);
    (schema, analyzers)
});

fuzz_target!(|text: &str| {
    let mut params = Params::default();
    for line in text.lines() {
        match line.split_once('=') {
            Some((name, value)) => params.push(name, value),
            None => params.push("q", line),
        }
    }
    let (schema, analyzers) = &*SCHEMA;
    let context = ResolveContext {
        schema,
        schema_version: 1,
        analyzers,
        now_ms: 1_700_000_000_000,
        boolean_clauses_max: 1024,
        others: None,
        core: "fuzz",
        elevation: HandlerElevation::Nowhere,
        components: &plan::Component::DEFAULT,
        highlight: &plan::HighlightParts::default(),
        parsers: None,
    };
    let params = json_request::filled(json_request::with_params(&params)).and_then(json_request::expand);
    if let Ok(params) = params
        && let Ok(request) = SelectRequest::parse(&params)
    {
        let _ = request.resolve(&context);
    }
});
