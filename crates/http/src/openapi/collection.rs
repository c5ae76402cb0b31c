//! The paths of a collection. That each is routed, and that none which every collection has is missing, is
//! tested.
//!
//! A table for `docs/openapi.json` and the description that the server serves: method, path, one sentence,
//! and the parameters by their definitions in `solr/params`. Routing does not read it.

use solr::params::admin::{config, files, get, luke, ping, replication, schema, segments};
use solr::params::{
    ParamDoc, analysis, dismax, elevation, facet, grouping, highlight, json_request, limits, more_like,
    paging, query, response, shards, spelling, stats, suggesting, terms, update, vectors, why_not,
};

use super::operation::{Body, Operation};

const SEARCH: &[&[ParamDoc]] = &[
    query::DOCS,
    dismax::DOCS,
    paging::DOCS,
    shards::DOCS,
    limits::DOCS,
    response::DOCS,
    grouping::DOCS,
    more_like::DOCS,
    facet::DOCS,
    stats::DOCS,
    highlight::DOCS,
    highlight::FIELD_DOCS,
    json_request::DOCS,
    spelling::DOCS,
    suggesting::DOCS,
    elevation::DOCS,
    terms::DOCS,
    vectors::DOCS,
];
const LIKE: &[&[ParamDoc]] = &[query::DOCS, paging::DOCS, limits::DOCS, response::DOCS, more_like::DOCS];
const UPDATE_TYPES: &[&str] =
    &["application/json", "application/xml", "text/csv", "application/javabin", "application/cbor"];

pub(super) const OPERATIONS: &[Operation] = &[
    Operation::get("/solr/{collection}/select", "Search.").shared(SEARCH),
    Operation::post("/solr/{collection}/select", "Search.", Body::Search).shared(SEARCH),
    Operation::get("/solr/{collection}/query", "Search.").shared(SEARCH),
    Operation::post("/solr/{collection}/query", "Search.", Body::Search).shared(SEARCH),
    Operation::get("/solr/{collection}/get", "Documents by id, as last updated.").own(get::DOCS),
    Operation::get("/solr/{collection}/terms", "What the dictionaries of fields hold.")
        .shared(&[terms::DOCS]),
    Operation::get("/solr/{collection}/suggest", "Suggestions, where the configuration declares them.")
        .shared(&[suggesting::DOCS]),
    Operation::get("/solr/{collection}/spell", "Other spellings, where the configuration declares them.")
        .shared(&[query::DOCS, spelling::DOCS, response::DOCS]),
    Operation::get("/solr/{collection}/mlt", "Documents like one, where the configuration declares it.")
        .shared(LIKE),
    Operation::post(
        "/solr/{collection}/mlt",
        "Documents like a text, where the configuration declares it.",
        Body::Types(&["text/plain"]),
    )
    .shared(LIKE),
    Operation::get("/solr/{collection}/whynot", "Why a search does not show a document.")
        .shared(&[query::DOCS, why_not::DOCS]),
    Operation::post(
        "/solr/{collection}/update",
        "Documents to add, edit or delete, in the format that the content type names.",
        Body::Types(UPDATE_TYPES),
    )
    .shared(&[update::DOCS]),
    Operation::post("/solr/{collection}/update/json", "The same in JSON.", Body::Json)
        .shared(&[update::DOCS]),
    Operation::post("/solr/{collection}/update/json/docs", "Documents in JSON of any shape.", Body::Json)
        .shared(&[update::DOCS]),
    Operation::post("/solr/{collection}/update/csv", "Documents in CSV.", Body::Types(&["text/csv"]))
        .shared(&[update::DOCS]),
    Operation::post(
        "/solr/{collection}/update/cbor",
        "Documents in CBOR.",
        Body::Types(&["application/cbor"]),
    )
    .shared(&[update::DOCS]),
    Operation::get("/solr/{collection}/schema", "The schema.").own(schema::DOCS),
    Operation::post("/solr/{collection}/schema", "Commands that edit the schema.", Body::Json),
    Operation::get("/solr/{collection}/schema/fields", "All fields.").own(schema::DOCS),
    Operation::get("/solr/{collection}/schema/fields/{field}", "One field.").own(schema::DOCS),
    Operation::get("/solr/{collection}/schema/dynamicfields", "All dynamic fields.").own(schema::DOCS),
    Operation::get("/solr/{collection}/schema/dynamicfields/{pattern}", "One dynamic field.")
        .own(schema::DOCS),
    Operation::get("/solr/{collection}/schema/fieldtypes", "All field types.").own(schema::DOCS),
    Operation::get("/solr/{collection}/schema/fieldtypes/{type}", "One field type.").own(schema::DOCS),
    Operation::get("/solr/{collection}/schema/copyfields", "What is copied into what.").own(schema::COPIES),
    Operation::get("/solr/{collection}/schema/uniquekey", "The field of ids."),
    Operation::get("/solr/{collection}/schema/similarity", "How words are scored."),
    Operation::get("/solr/{collection}/schema/version", "The version of the schema's notation."),
    Operation::get("/solr/{collection}/schema/name", "The schema's name."),
    Operation::post(
        "/solr/{collection}/schema/plan",
        "What an edit would mean for the documents.",
        Body::Json,
    ),
    Operation::get("/solr/{collection}/schema/apply", "How far a rebuild is."),
    Operation::post(
        "/solr/{collection}/schema/apply",
        "An edit with a rebuild of the documents.",
        Body::Json,
    ),
    Operation::post("/solr/{collection}/schema/undo", "The schema before the last rebuild.", Body::None),
    Operation::get("/solr/{collection}/schema/managed", "The managed lists."),
    Operation::get("/solr/{collection}/schema/analysis/{kind}/{list}", "A managed list."),
    Operation::put(
        "/solr/{collection}/schema/analysis/{kind}/{list}",
        "Entries for a managed list.",
        Body::Json,
    ),
    Operation::delete("/solr/{collection}/schema/analysis/{kind}/{list}", "Take a managed list away."),
    Operation::get("/solr/{collection}/schema/analysis/{kind}/{list}/{entry}", "An entry of a managed list."),
    Operation::delete("/solr/{collection}/schema/analysis/{kind}/{list}/{entry}", "Take an entry away."),
    Operation::get("/solr/{collection}/config", "The configuration in force.").own(config::DOCS),
    Operation::post("/solr/{collection}/config", "Commands that edit the configuration.", Body::Json),
    Operation::get("/solr/{collection}/config/overlay", "What commands have changed."),
    Operation::get("/solr/{collection}/config/params", "The sets of parameters."),
    Operation::post("/solr/{collection}/config/params", "Commands that edit them.", Body::Json),
    Operation::get("/solr/{collection}/config/params/{set}", "One set of parameters."),
    Operation::get("/solr/{collection}/config/{section}", "A section of the configuration.")
        .own(config::DOCS),
    Operation::get("/solr/{collection}/analysis/field", "What field types make of a text.")
        .shared(&[analysis::DOCS]),
    Operation::post(
        "/solr/{collection}/analysis/document",
        "What field types make of documents.",
        Body::Types(&["application/xml"]),
    )
    .shared(&[analysis::DOCS]),
    Operation::get("/solr/{collection}/admin/ping", "Whether searches are answered.").own(ping::DOCS),
    Operation::get("/solr/{collection}/admin/luke", "What is in the index.").own(luke::DOCS),
    Operation::get("/solr/{collection}/admin/system", "The node, and this core."),
    Operation::get("/solr/{collection}/admin/segments", "The files of the index.").own(segments::DOCS),
    Operation::get("/solr/{collection}/admin/file", "The configuration's files, or one of them.")
        .own(files::DOCS),
    Operation::get("/solr/{collection}/replication", "The index as others may copy it; its backups.")
        .own(replication::DOCS),
    Operation::get("/solr/{collection}/debug/dump", "The request as it came."),
];
