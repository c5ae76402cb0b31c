//! JSON objects as rows, whose members have a name each: of two of one name nobody can tell which is meant,
//! and the readers that are at hand take the last without a word.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};

/// Errors: what is wrong with the text, in words for the dead-letter file.
pub(super) fn read_object(text: &[u8]) -> Result<Map<String, Json>, String> {
    match serde_json::from_slice(text).map_err(|error| format!("not a JSON object: {error}"))? {
        Distinct(Json::Object(object)) => Ok(object),
        Distinct(_) => Err("not a JSON object: the JSON is not an object".to_owned()),
    }
}

/// A value in which no object has two members of one name.
struct Distinct(Json);

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DistinctVisitor).map(Self)
    }
}

struct DistinctVisitor;

impl<'de> Visitor<'de> for DistinctVisitor {
    type Value = Json;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Json, E> {
        Ok(flag.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(Distinct(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Json::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut object = Map::new();
        while let Some((name, Distinct(value))) = members.next_entry::<String, _>()? {
            if object.contains_key(&name) {
                return Err(A::Error::custom(format!("two members are called `{name}`")));
            }
            object.insert(name, value);
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_once() {
        let text = r#"{"a":[1,-2,0.5,18446744073709551615,{"a":null}],"b":{"a":"x\n"},"c":true}"#;
        let plain: Json = serde_json::from_str(text).unwrap();
        assert_eq!(read_object(text.as_bytes()).map(Json::Object), Ok(plain));
        for (text, words) in [
            (r#"{"a":1,"a":2}"#, "two members are called `a`"),
            (r#"{"b":[{"x":1,"x":1}]}"#, "two members are called `x`"),
            ("[1]", "the JSON is not an object"),
            (r#"{"a":}"#, "not a JSON object: expected value"),
        ] {
            let error = read_object(text.as_bytes()).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
