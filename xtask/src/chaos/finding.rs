//! A promise that was broken: what was promised, what was found, and through whom. Owns how that is told, to
//! people and as JSON; what is one is for `register` and `check` to say.

use std::fmt;

use serde_json::{Value, json};

use super::register::{Breach, Register};

/// A promise that was broken.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub what: String,
    collection: String,
    id: String,
    acknowledged: Option<u64>,
    /// Tried later, without an answer.
    open: Vec<u64>,
    found: Option<u64>,
    /// What was asked: `/get` in between, or the final search.
    reader: &'static str,
    /// Through whom; from 1 on.
    member: usize,
}

impl Finding {
    /// `floor` is what had been acknowledged when the reader began.
    pub fn of(register: &Register, breach: Breach, (floor, found): (Option<u64>, Option<u64>)) -> Self {
        Self { open: register.open_behind(floor), ..Self::new(&breach.to_string(), floor, found) }
    }

    pub fn new(what: &str, acknowledged: Option<u64>, found: Option<u64>) -> Self {
        let (what, collection, id) = (what.to_owned(), String::new(), String::new());
        Self { what, collection, id, acknowledged, open: vec![], found, reader: "", member: 0 }
    }

    pub fn at(self, reader: &'static str, member: usize, (collection, id): (&str, &str)) -> Self {
        Self { reader, member, collection: collection.to_owned(), id: id.to_owned(), ..self }
    }

    pub fn json(&self) -> Value {
        json!({
            "what": self.what, "collection": self.collection, "id": self.id, "acknowledged": self.acknowledged,
            "laterUnknown": self.open, "found": self.found, "reader": self.reader, "member": self.member,
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: Option<u64>| value.map_or_else(|| "nothing".to_owned(), |it| it.to_string());
        write!(
            f,
            "{}: `{}/{}`: acknowledged {}, ",
            self.what,
            self.collection,
            self.id,
            value(self.acknowledged)
        )?;
        write!(f, "later without an answer {:?}, found {} ", self.open, value(self.found))?;
        write!(f, "by {} through member {}", self.reader, self.member)
    }
}

#[cfg(test)]
mod tests {
    use super::super::register::Outcome;
    use super::*;

    #[test]
    fn a_finding_says_what_was_promised() {
        let mut register = Register::default();
        for (value, outcome) in
            [(1, Outcome::Acknowledged), (3, Outcome::Acknowledged), (5, Outcome::Unknown)]
        {
            register.begin(value);
            register.answer(outcome);
        }
        let finding =
            Finding::of(&register, Breach::LostWrite, (Some(3), Some(1))).at("/get", 2, ("films", "d0"));
        assert_eq!(
            finding.to_string(),
            "an acknowledged write is lost: `films/d0`: acknowledged 3, later without an answer [5], found 1 by \
             /get through member 2"
        );
        assert_eq!(finding.json()["laterUnknown"], json!([5]));
    }
}
