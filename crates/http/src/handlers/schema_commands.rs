//! The commands of a schema edit, applied to a schema as text: what an edit stores, and what a rebuild plans.
//!
//! In: the schema as it is and a body of commands; out: the schema as it would be. Storing it is `schema`'s,
//! a rebuild under it `rebuild`'s.

use plan::SchemaSource;
use solr::EditError;

/// New types may name the files of the built-in configset.
pub(super) fn after_commands(source: &SchemaSource, body: &str) -> Result<SchemaSource, EditError> {
    let builtin = solr::config::configset::builtin("_default");
    let read = |name: &str| Some(builtin?.file(name)?.to_owned());
    solr::schema::edit(source, body, &read)
}
