//! What several targets need: the built-in schema, and the road of an update body. The targets differ in what
//! the bytes are; what is done with them is what the server does, without HTTP around it.

use std::sync::{Arc, LazyLock};

use plan::{Query, Schema};
use solr::Params;
use solr::date_math::DateMath;
use solr::update::{Chain, NewUuid, Route, UpdateChains, UpdateOptions, decode};

pub fn default_schema() -> Schema {
    let files = solr::config::configset::builtin("_default").expect("it is built in");
    let read = |name: &str| files.file(name).map(str::to_owned);
    let xml = files.file("managed-schema.xml").expect("it has a schema");
    Schema::build(solr::schema::parse(xml, &read).expect("it parses")).expect("it resolves")
}

static SCHEMA: LazyLock<Arc<Schema>> = LazyLock::new(|| Arc::new(default_schema()));

/// The steps of the built-in configuration.
static ROUTE: LazyLock<Arc<Route>> = LazyLock::new(|| {
    let files = solr::config::configset::builtin("_default").expect("it is built in");
    let read = |name: &str| files.file(name).map(str::to_owned);
    let config = solr::config::load(&read).expect("it loads").config;
    Arc::new(Route::of(&Params::default(), &UpdateChains::new(&config)).expect("it has a chain"))
});

/// Decodes `body` and processes what came of it.
pub fn update(content_type: &str, path: &str, body: &[u8]) {
    update_with(&Params::default(), content_type, path, body);
}

/// As [`update`], for a request with parameters.
pub fn update_with(params: &Params, content_type: &str, path: &str, body: &[u8]) {
    let Ok(options) = UpdateOptions::parse(params) else { return };
    let decoded = decode(Some(content_type), path, params, &options, body);
    let new_uuid: NewUuid = Arc::new(|| "00000000-0000-4000-8000-000000000000".to_owned());
    let chain = Chain {
        schema: SCHEMA.clone(),
        route: &ROUTE,
        params,
        dates: DateMath::new(1_700_000_000_000),
        parse_query: &|_| Ok(Query::All),
        new_uuid: &new_uuid,
        count_fields: &|| 0,
    };
    chain.process(decoded.commands, decoded.failure, &options);
}
