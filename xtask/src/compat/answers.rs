//! The recorded answers beside a scenario file: one entry a step, with the question it belongs to, so that an
//! edited question is noticed. Owns that JSON format. Parts that the masks call volatile are blanked before
//! they are written, so that recording twice gives the same bytes.

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ask::Answer;
use super::mask::Masks;
use super::scenario::Step;

/// The file `<scenario>.json`.
#[derive(Deserialize, Serialize)]
pub struct Recorded {
    answers: Vec<RecordedAnswer>,
}

#[derive(Deserialize, Serialize)]
struct RecordedAnswer {
    ask: String,
    status: u16,
    #[serde(rename = "type")]
    kind: String,
    body: Value,
}

impl Recorded {
    pub fn of(steps: &[Step], answers: &[Answer], masks: &Masks) -> Self {
        let entry = |(step, answer): (&Step, &Answer)| {
            let mut whole = answer.as_value();
            masks.with_own(&step.mask).blank(&mut whole);
            let body = whole.get_mut("body").map_or(Value::Null, Value::take);
            RecordedAnswer {
                ask: step.request_line(),
                status: answer.status,
                kind: answer.kind.clone(),
                body,
            }
        };
        Self { answers: steps.iter().zip(answers).map(entry).collect() }
    }

    /// The answer to step `index`; none when the question has changed since the recording.
    pub fn answer(&self, index: usize, step: &Step) -> Option<Answer> {
        let entry = self.answers.get(index)?;
        let answer = Answer { status: entry.status, kind: entry.kind.clone(), body: entry.body.clone() };
        (entry.ask == step.request_line()).then_some(answer)
    }

    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| {
            format!("no answers at `{}`; record them from a Solr with `--record`", path.display())
        })?;
        serde_json::from_str(&text).with_context(|| format!("cannot understand `{}`", path.display()))
    }

    /// Writes what is short on one line and what is long one part a line, so that a change of behaviour is a
    /// small diff.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::new();
        lay_out(&mut text, &json!({"answers": self.answers}), 0);
        text.push('\n');
        std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
    }
}

/// Columns that a value on one line may take.
const COLUMNS: usize = 110;

fn lay_out(out: &mut String, value: &Value, indent: usize) {
    let short = value.to_string();
    if indent > 0 && indent + short.len() <= COLUMNS {
        out.push_str(&short);
        return;
    }
    match value {
        Value::Array(list) => {
            block(out, ['[', ']'], indent, list, |out, value| lay_out(out, value, indent + 1));
        }
        Value::Object(map) => block(out, ['{', '}'], indent, map, |out, (key, value)| {
            out.push_str(&Value::from(key.as_str()).to_string());
            out.push_str(": ");
            lay_out(out, value, indent + 1);
        }),
        _ => out.push_str(&short),
    }
}

/// One item a line between brackets, a column deeper than they are.
fn block<I: IntoIterator>(
    out: &mut String,
    [open, close]: [char; 2],
    indent: usize,
    items: I,
    mut write: impl FnMut(&mut String, I::Item),
) {
    out.push(open);
    for (at, item) in items.into_iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.extend(std::iter::repeat_n(' ', indent + 1));
        write(out, item);
    }
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
    out.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_laid_out_and_read_back() {
        let value =
            json!({"short": [1, 2], "long": vec!["x".repeat(60); 3], "deep": {"a": {"b": "y".repeat(120)}}});
        let mut text = String::new();
        lay_out(&mut text, &value, 0);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert_eq!(text.lines().nth(1), Some(r#" "short": [1,2],"#));
    }
}
