//! `update.partial.requireInPlace`: which edits change columns only. Here every edit writes the document anew
//! (ADR 3), so the parameter is a promise about the request, held as Solr holds it. In: a document of edits
//! and the schema's fields; out: nothing, or Solr's refusal. No column is written here.

use plan::{Error, FieldSpec, Result};

use crate::update::command::RawValue;
use crate::update::document::{Grouped, Targets};

/// Errors: an edit, other than of the key, that is no `set` or `inc` of a number that is a column only.
pub fn check(id: &str, (key, document): (&str, &Grouped), targets: &mut Targets) -> Result<()> {
    for field in document.iter().filter(|field| &*field.name != key) {
        let [RawValue::Map(edits)] = field.values.as_slice() else { return Err(refused(id)) };
        // A field that is not known is another mistake, which is reported later.
        let Some(spec) = targets.get(&field.name).spec.clone() else { continue };
        let keeps = edits.iter().all(|(modifier, value)| {
            matches!(&**modifier, "set" | "inc") && !matches!(value, RawValue::Null | RawValue::List(_))
        });
        if !keeps || !is_column_only(&spec) {
            return Err(refused(id));
        }
    }
    Ok(())
}

fn is_column_only(spec: &FieldSpec) -> bool {
    let properties = &spec.properties;
    spec.class().is_number()
        && properties.doc_values
        && !properties.indexed
        && !properties.stored
        && !properties.multi_valued
}

fn refused(id: &str) -> Error {
    Error::bad_request(format!(
        "Can not satisfy 'update.partial.requireInPlace'; Unable to update doc in-place: {id}"
    ))
}
