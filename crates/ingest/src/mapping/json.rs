//! JSON as documents are written: keys, texts, and the constants of the file. Below the mapping and its
//! fields, which both write.

use serde_json::Value as Json;

pub(super) fn write_key(name: &str, out: &mut Vec<u8>) {
    write_json_text(name, out);
    out.push(b':');
}

pub(super) fn write_json_text(text: &str, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(out, text);
}

/// A TOML value as JSON, for constants.
pub fn json_of(value: &toml::Value) -> Json {
    match value {
        toml::Value::String(text) => Json::from(text.as_str()),
        toml::Value::Integer(number) => Json::from(*number),
        toml::Value::Float(number) => Json::from(*number),
        toml::Value::Boolean(value) => Json::from(*value),
        toml::Value::Datetime(time) => Json::from(time.to_string()),
        toml::Value::Array(values) => values.iter().map(json_of).collect(),
        toml::Value::Table(table) => table.iter().map(|(key, value)| (key.clone(), json_of(value))).collect(),
    }
}
