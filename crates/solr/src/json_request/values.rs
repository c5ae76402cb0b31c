//! Values of JSON as the request language sees them: objects, lists that may be one value, and their types in
//! Solr's messages. The reading itself is the update decoders' (`update/json_value.rs`): one reader of JSON
//! for the crate. What the keys mean is said by the files beside.

use std::sync::Arc;

use crate::update::RawValue;

/// An object's keys and values in order; a key may repeat.
pub(super) type Entries = Vec<(Arc<str>, RawValue)>;

/// The values of a list, or the one value.
pub(super) fn listed(value: &RawValue) -> &[RawValue] {
    match value {
        RawValue::List(values) => values,
        value => std::slice::from_ref(value),
    }
}

/// Solr's name for the type of a value, in messages.
pub(crate) fn type_name(value: &RawValue) -> &'static str {
    match value {
        RawValue::Null => "null",
        RawValue::Bool(_) => "Boolean",
        RawValue::Long(_) => "Long",
        RawValue::Float(_) => "Float",
        RawValue::Double(_) => "Double",
        RawValue::Str(_) => "String",
        RawValue::Date(_) => "Date",
        RawValue::Bytes(_) => "byte[]",
        RawValue::List(_) => "ArrayList",
        RawValue::Map(_) => "LinkedHashMap",
    }
}
