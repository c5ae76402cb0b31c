//! Names in an order of their own: what a field of an enumeration may hold. Owns how a text is read as one of
//! them, by Solr's rules (`EnumFieldType` of 9.10.1), and the value that has both name and place. Reading the
//! file that lists them is `solr`'s; documents keep names, columns places.

use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// One name of an enumeration with its place in it, by which it sorts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EnumValue {
    /// From 0; -1 stands for what is no name of the enumeration, and no document has it.
    pub ordinal: i32,
    pub name: Arc<str>,
}

impl PartialEq for EnumValue {
    fn eq(&self, other: &Self) -> bool {
        self.ordinal == other.ordinal
    }
}

impl Eq for EnumValue {}

impl PartialOrd for EnumValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for EnumValue {
    fn cmp(&self, other: &Self) -> Ordering {
        self.ordinal.cmp(&other.ordinal)
    }
}

/// The names of a type, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Enumeration(Vec<Arc<str>>);

impl Enumeration {
    pub fn new(names: &[String]) -> Self {
        Self(names.iter().map(|name| Arc::from(name.as_str())).collect())
    }

    /// A name as it is listed, or the place of one in digits, which are read where no name is spelled so.
    pub fn read(&self, text: &str) -> Option<EnumValue> {
        let named = self.0.iter().position(|name| **name == *text);
        let ordinal = named.and_then(|at| i32::try_from(at).ok()).or_else(|| text.parse().ok())?;
        Some(EnumValue { ordinal, name: self.name(ordinal)?.clone() })
    }

    /// As [`Enumeration::read`]; what is none reads as Solr's -1, below all.
    pub fn read_or_none(&self, text: &str) -> EnumValue {
        self.read(text).unwrap_or_else(|| EnumValue { ordinal: -1, name: "-1".into() })
    }

    /// The value of a place. One that the list lost since it was indexed is shown by its number.
    pub fn value(&self, ordinal: i32) -> EnumValue {
        EnumValue { ordinal, name: self.name(ordinal).cloned().unwrap_or_else(|| ordinal.to_string().into()) }
    }

    fn name(&self, ordinal: i32) -> Option<&Arc<str>> {
        self.0.get(usize::try_from(ordinal).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_places_read_as_in_solr() {
        let grades = Enumeration::new(&["none", "low", "Very High", "0"].map(str::to_owned));
        let check = |text: &str, expected: Option<(i32, &str)>| {
            let found = grades.read(text);
            assert_eq!(found.as_ref().map(|it| (it.ordinal, &*it.name)), expected, "{text}");
        };
        check("none", Some((0, "none")));
        check("Very High", Some((2, "Very High")));
        check("1", Some((1, "low")));
        check("+1", Some((1, "low")));
        check("0", Some((3, "0")));
        check("4", None);
        check("-1", None);
        check("1.0", None);
        check("LOW", None);
        check("low ", None);
        check("", None);
        assert_eq!(grades.read_or_none("x").ordinal, -1);
        assert!(grades.value(2) > grades.value(1));
        assert_eq!(&*grades.value(9).name, "9");
    }
}
