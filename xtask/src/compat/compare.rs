//! Compares a recorded answer with a new one and says where they part. Owns the meaning of "equal": numbers
//! of the same JSON form (1 is not 1.0, as clients with types care) that agree to 1e-5 if fractional; objects
//! without regard to the order of keys; arrays in order; all of it loosened by the masks.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::mask::{self, Kind, Rules, join, timeless};
use super::outcome::{Difference, Outcome};
use super::scenario::Step;

const TOLERANCE: f64 = 1e-5;

/// Differences under the step's `differs` patterns are kept on purpose and make no failure, as long as the
/// answer is what the step says of `ours`.
pub fn judge(expected: &Value, actual: &Value, rules: &Rules, step: &Step) -> Outcome {
    let kept =
        |difference: &Difference| step.differs.keys().any(|pattern| mask::matches(pattern, &difference.path));
    let all = differences(expected, actual, rules);
    let (kept, mut open): (Vec<_>, Vec<_>) = all.into_iter().partition(kept);
    if !kept.is_empty() {
        open.extend(promises_broken(&step.ours, actual));
    }
    match (open.is_empty(), kept.is_empty()) {
        (true, true) => Outcome::Passed,
        (true, false) => Outcome::Kept,
        (false, _) => Outcome::Failed(open),
    }
}

fn promises_broken(ours: &BTreeMap<String, Value>, actual: &Value) -> Vec<Difference> {
    let broken = |(path, promised): (&String, &Value)| {
        let found = actual.pointer(&format!("/{path}"));
        let difference =
            || Difference { path: path.clone(), expected: Some(promised.clone()), actual: found.cloned() };
        (found != Some(promised)).then(difference)
    };
    ours.iter().filter_map(broken).collect()
}

/// Every difference, in the order of the expected answer.
pub fn differences(expected: &Value, actual: &Value, rules: &Rules) -> Vec<Difference> {
    let mut found = Comparison { rules, found: Vec::new() };
    found.values("", expected, actual);
    found.found
}

struct Comparison<'a> {
    rules: &'a Rules,
    found: Vec<Difference>,
}

impl Comparison<'_> {
    fn values(&mut self, path: &str, expected: &Value, actual: &Value) {
        let kind = self.rules.kind(path);
        if kind == Some(Kind::Any) {
            return;
        }
        match (kind, expected, actual) {
            (Some(Kind::Volatile | Kind::Shape), _, _) => {
                self.check(path, same_type(expected, actual), expected, actual);
            }
            (Some(Kind::Unordered), Value::Array(left), Value::Array(right)) => {
                self.unordered(path, left, right);
            }
            (_, Value::Object(left), Value::Object(right)) => {
                self.objects(path, left, right, kind == Some(Kind::Subset));
            }
            (_, Value::Array(left), Value::Array(right)) => self.arrays(path, left, right),
            (_, Value::String(left), Value::String(right)) => {
                self.check(path, texts_agree(kind, left, right), expected, actual);
            }
            _ => self.check(path, scalars_agree(expected, actual), expected, actual),
        }
    }

    fn objects(
        &mut self,
        path: &str,
        expected: &Map<String, Value>,
        actual: &Map<String, Value>,
        subset: bool,
    ) {
        for (key, value) in expected {
            let path = join(path, key);
            match actual.get(key) {
                Some(other) => self.values(&path, value, other),
                None => self.missing(path, Some(value), None),
            }
        }
        for (key, value) in actual.iter().filter(|(key, _)| !subset && !expected.contains_key(*key)) {
            self.missing(join(path, key), None, Some(value));
        }
    }

    fn arrays(&mut self, path: &str, expected: &[Value], actual: &[Value]) {
        for at in 0..expected.len().max(actual.len()) {
            let path = join(path, &at.to_string());
            match (expected.get(at), actual.get(at)) {
                (Some(left), Some(right)) => self.values(&path, left, right),
                (left, right) => self.missing(path, left, right),
            }
        }
    }

    /// Pairs each expected member with an equal actual one; what finds no partner differs.
    fn unordered(&mut self, path: &str, expected: &[Value], actual: &[Value]) {
        let mut rest: Vec<&Value> = actual.iter().collect();
        let member = join(path, "0");
        for value in expected {
            let partner = rest.iter().position(|other| self.equal(&member, value, other));
            match partner {
                Some(at) => drop(rest.remove(at)),
                None => self.missing(join(path, "?"), Some(value), None),
            }
        }
        for value in rest {
            self.missing(join(path, "?"), None, Some(value));
        }
    }

    fn equal(&self, path: &str, expected: &Value, actual: &Value) -> bool {
        let mut inner = Comparison { rules: self.rules, found: Vec::new() };
        inner.values(path, expected, actual);
        inner.found.is_empty()
    }

    fn missing(&mut self, path: String, expected: Option<&Value>, actual: Option<&Value>) {
        if self.rules.kind(&path) != Some(Kind::Any) {
            self.found.push(Difference { path, expected: expected.cloned(), actual: actual.cloned() });
        }
    }

    fn check(&mut self, path: &str, agree: bool, expected: &Value, actual: &Value) {
        if !agree {
            self.missing(path.to_owned(), Some(expected), Some(actual));
        }
    }
}

fn same_type(expected: &Value, actual: &Value) -> bool {
    std::mem::discriminant(expected) == std::mem::discriminant(actual)
}

fn scalars_agree(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Number(left), Value::Number(right)) if left.is_f64() && right.is_f64() => {
            close(left.as_f64().unwrap_or(f64::NAN), right.as_f64().unwrap_or(f64::NAN))
        }
        _ => expected == actual,
    }
}

fn close(left: f64, right: f64) -> bool {
    left == right || (left - right).abs() <= TOLERANCE * left.abs().max(right.abs())
}

fn texts_agree(kind: Option<Kind>, expected: &str, actual: &str) -> bool {
    let first_line = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    match kind {
        Some(Kind::FirstLine) => first_line(expected) == first_line(actual),
        Some(Kind::Prose) => prose_agrees(expected, actual),
        Some(Kind::Clauses) if expected.contains(" | ") => words(expected) == words(actual),
        _ => expected == timeless(actual),
    }
}

fn prose_agrees(expected: &str, actual: &str) -> bool {
    let (left, right) = (pieces(expected), pieces(actual));
    let agree = |(left, right): (&&str, &&str)| match (left.parse::<f64>(), right.parse::<f64>()) {
        (Ok(left), Ok(right)) => close(left, right),
        _ => left == right,
    };
    left.len() == right.len() && left.iter().zip(&right).all(agree)
}

/// The words of a parsed query, brackets apart, sorted.
fn words(text: &str) -> Vec<String> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut words: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
    words.sort();
    words
}

/// Cuts text into runs that may be numbers and runs that are not.
fn pieces(text: &str) -> Vec<&str> {
    let numeric = |c: char| c.is_ascii_digit() || c == '.';
    let mut out = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        if last.is_some_and(|last| last != numeric(c)) {
            out.push(&text[start..at]);
            start = at;
        }
        last = Some(numeric(c));
    }
    out.push(&text[start..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(expected: &Value, actual: &Value, rules: &[(&str, Kind)], paths: &[&str]) {
        let found = differences(expected, actual, &Rules::of(rules));
        let found: Vec<&str> = found.iter().map(|difference| difference.path.as_str()).collect();
        assert_eq!(found, paths, "{expected} {actual}");
    }

    #[test]
    fn exact_by_default() {
        check(&json!({"a": 1, "b": [1, 2]}), &json!({"b": [1, 2], "a": 1}), &[], &[]);
        check(&json!({"a": 1}), &json!({"a": 2, "c": 3}), &[], &["a", "c"]);
        check(&json!([1, 2]), &json!([2, 1]), &[], &["0", "1"]);
        check(&json!([1]), &json!([1, 2]), &[], &["1"]);
    }

    #[test]
    fn an_integer_is_not_a_fraction() {
        check(&json!(1), &json!(1.0), &[], &[""]);
        check(&json!(1.0), &json!(1.000_001), &[], &[]);
        check(&json!(1.0), &json!(1.001), &[], &[""]);
    }

    #[test]
    fn masks_loosen() {
        check(&json!({"q": 1}), &json!({}), &[("q", Kind::Any)], &[]);
        check(&json!({"q": 1}), &json!({}), &[("q", Kind::Volatile)], &["q"]);
        check(&json!({"q": 1}), &json!({"q": 7}), &[("q", Kind::Volatile)], &[]);
        check(&json!({"q": [1, 2]}), &json!({"q": [2, 1]}), &[("q", Kind::Unordered)], &[]);
        check(&json!({"q": [1, 2]}), &json!({"q": [2, 2]}), &[("q", Kind::Unordered)], &["q/?", "q/?"]);
        check(&json!({"q": {"a": 1}}), &json!({"q": {"a": 1, "b": 2}}), &[("q", Kind::Subset)], &[]);
        check(&json!({"q": "x\ny"}), &json!({"q": "x\nz"}), &[("q", Kind::FirstLine)], &[]);
        check(&json!({"q": "0.5 = idf"}), &json!({"q": "0.500001 = idf"}), &[("q", Kind::Prose)], &[]);
        check(&json!({"q": "0.5 = idf"}), &json!({"q": "0.5 = tf"}), &[("q", Kind::Prose)], &["q"]);
        check(&json!({"q": "+(a | b)"}), &json!({"q": "+(b | a)"}), &[("q", Kind::Clauses)], &[]);
        check(&json!({"q": "+(a b)"}), &json!({"q": "+(b a)"}), &[("q", Kind::Clauses)], &["q"]);
    }

    #[test]
    fn a_kept_difference_is_no_failure() {
        let differs = BTreeMap::from([("a".to_owned(), "reason".to_owned())]);
        let ours = BTreeMap::from([("a".to_owned(), json!(2))]);
        let step = Step { differs, ours, ..Step::default() };
        let judged = |actual: Value| judge(&json!({"a": 1}), &actual, &Rules::of(&[]), &step);
        assert!(matches!(judged(json!({"a": 1})), Outcome::Passed));
        assert!(matches!(judged(json!({"a": 2})), Outcome::Kept));
        assert!(matches!(judged(json!({"a": 3})), Outcome::Failed(_)));
    }
}
