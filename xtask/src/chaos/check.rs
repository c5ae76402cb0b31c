//! The final read: every document of every collection through every member, held against what was tried on
//! it. What is wrong is a finding that says what was promised.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::ask::{self, PATIENCE_S};
use super::finding::Finding;
use super::register::{Breach, Register};
use super::traffic::{DOCUMENTS, id_of, value_of};

/// More than there may be, so that what nobody wrote is seen.
const ROWS: usize = DOCUMENTS * 10;

/// Asks every member for every collection. `registers` are by collection.
pub fn read_all(
    urls: &[String],
    collections: &[String],
    registers: &[Vec<Register>],
) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (member, url) in urls.iter().enumerate() {
        for (collection, registers) in collections.iter().zip(registers) {
            let found = read_documents(&format!("{url}/{collection}"))?;
            let wrong = judge_documents(registers, &found);
            let at =
                |(id, wrong): (String, Finding)| wrong.at("the final search", member + 1, (collection, &id));
            findings.extend(wrong.into_iter().map(at));
        }
    }
    Ok(findings)
}

/// All documents of a collection: ids with values. Errors: it does not answer, though all is at rest.
fn read_documents(url: &str) -> Result<Vec<(String, Option<u64>)>> {
    let asked = |url: String| {
        let answer = ask::get(&url, PATIENCE_S);
        ensure!(answer.is_ok(), "{url} answers {}: {}", answer.label(), answer.text);
        answer.json().with_context(|| format!("{url} answers no JSON"))
    };
    asked(format!("{url}/update?commit=true&wt=json"))?;
    let found = asked(format!("{url}/select?q=*:*&rows={ROWS}&fl=id,n_i&wt=json"))?;
    let documents = found["response"]["docs"].as_array().context("no page")?;
    let count = found["response"]["numFound"].as_u64();
    ensure!(
        count == Some(documents.len() as u64),
        "{url} has {count:?} documents, shows {}",
        documents.len()
    );
    let read = |it: &Value| (it["id"].as_str().unwrap_or_default().to_owned(), value_of(it));
    Ok(documents.iter().map(read).collect())
}

/// What of the documents found is not what was written, by their ids.
fn judge_documents(registers: &[Register], found: &[(String, Option<u64>)]) -> Vec<(String, Finding)> {
    let mut findings = Vec::new();
    let mut by_id: BTreeMap<&str, Vec<Option<u64>>> = BTreeMap::new();
    for (id, value) in found {
        by_id.entry(id).or_default().push(*value);
    }
    for (document, register) in registers.iter().enumerate() {
        let id = id_of(document);
        let values = by_id.remove(id.as_str()).unwrap_or_default();
        let floor = register.acknowledged();
        if values.len() > 1 {
            findings.push((id.clone(), Finding::new("a document is there several times", floor, None)));
        }
        // A document without its value was written by nobody.
        let is_bare = values.contains(&None);
        let none = [None];
        let looked = if values.is_empty() { &none[..] } else { &values[..] };
        for value in looked {
            let judged = if is_bare { Err(Breach::Nowhere) } else { register.judge(*value, floor) };
            if let Err(breach) = judged {
                findings.push((id.clone(), Finding::of(register, breach, (floor, *value))));
            }
        }
    }
    let strange = |(id, values): (&str, Vec<Option<u64>>)| {
        let found = values.first().copied().flatten();
        (id.to_owned(), Finding::new("a document that nobody wrote is there", None, found))
    };
    findings.extend(by_id.into_iter().map(strange));
    findings
}

#[cfg(test)]
mod tests {
    use super::super::register::Outcome;
    use super::*;

    /// Documents 0 and 1 with two acknowledged values each, 2 with one try without an answer, 3 untouched.
    fn registers() -> Vec<Register> {
        let mut registers = vec![Register::default(); 4];
        for (document, value, outcome) in [
            (0, 1, Outcome::Acknowledged),
            (1, 2, Outcome::Acknowledged),
            (0, 3, Outcome::Acknowledged),
            (1, 4, Outcome::Acknowledged),
            (0, 5, Outcome::Unknown),
            (2, 6, Outcome::Unknown),
        ] {
            registers[document].begin(value);
            registers[document].answer(outcome);
        }
        registers
    }

    fn wrong(found: &[(&str, Option<u64>)]) -> Vec<String> {
        let found: Vec<_> = found.iter().map(|(id, value)| ((*id).to_owned(), *value)).collect();
        let findings = judge_documents(&registers(), &found);
        findings.into_iter().map(|(id, it)| format!("{id}: {}", it.what)).collect()
    }

    #[test]
    fn what_was_promised_is_right() {
        assert_eq!(wrong(&[("d0", Some(3)), ("d1", Some(4))]), [""; 0]);
        assert_eq!(wrong(&[("d0", Some(5)), ("d1", Some(4)), ("d2", Some(6))]), [""; 0], "unknown ones");
    }

    #[test]
    fn what_is_lost_is_found() {
        assert_eq!(wrong(&[("d0", Some(1)), ("d1", Some(4))]), ["d0: an acknowledged write is lost"]);
        assert_eq!(wrong(&[("d0", Some(3))]), ["d1: an acknowledged document is lost"]);
        assert_eq!(wrong(&[]).len(), 2);
    }

    #[test]
    fn what_nobody_wrote_is_found() {
        let right = [("d0", Some(3)), ("d1", Some(4))];
        let with = |more: (&'static str, Option<u64>)| wrong(&[&right[..], &[more]].concat());
        assert_eq!(with(("d3", Some(9))), ["d3: a value that nobody wrote is there"]);
        assert_eq!(with(("d2", Some(4))), ["d2: a value that nobody wrote is there"], "it is another's");
        assert_eq!(with(("d2", None)), ["d2: a value that nobody wrote is there"]);
        assert_eq!(with(("x", Some(4))), ["x: a document that nobody wrote is there"]);
        assert_eq!(with(("d4", Some(4))), ["d4: a document that nobody wrote is there"]);
        assert_eq!(with(("d1", Some(4))), ["d1: a document is there several times"]);
    }
}
