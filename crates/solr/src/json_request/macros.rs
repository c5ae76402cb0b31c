//! `${name}` and `${name:default}` in parameters stand for the value of another parameter, in which there may
//! be more of them. What is not sent and has no default stands for nothing; `\${` is left as it is. In:
//! parameters; out: parameters. It runs before any other parameter is read, so that a reference may stand in
//! any value.

use plan::{Error, Result};

use crate::params::Params;
use crate::params::json_request::EXPAND_MACROS;

const START: &str = "${";
/// How deep values may refer to one another, as in Solr.
const DEPTH_MAX: usize = 25;
/// Most references filled in for one request, however they multiply.
const REFERENCES_MAX: usize = 10_000;
/// Most bytes filled in for one request, beyond this many times its own: references to long values multiply
/// too. Solr differs: it has no such bound, and runs out of memory.
const BYTES_MIN: usize = 1 << 20;
const TIMES_REQUEST: usize = 4;

/// Whether there may be something to fill in.
pub(super) fn any(text: &str) -> bool {
    text.contains(START)
}

/// The parameters with what they refer to, unless they ask not to be.
pub fn filled(params: Params) -> Result<Params> {
    let wanted = EXPAND_MACROS.read(&params)?;
    let any = params.pairs().iter().any(|(name, value)| self::any(name) || self::any(value));
    if !wanted || !any {
        return Ok(params);
    }
    let mut pairs = Vec::with_capacity(params.pairs().len());
    let sent: usize = params.pairs().iter().map(|(name, value)| name.len() + value.len()).sum();
    let bytes_left = BYTES_MIN.saturating_add(sent.saturating_mul(TIMES_REQUEST));
    let mut filler = Filler { params: &params, references: 0, bytes_left };
    for (name, value) in params.pairs() {
        // A streaming expression has macros of its own.
        let value = if name == "expr" { value.clone() } else { filler.filled(value, 1)? };
        pairs.push((filler.filled(name, 1)?, value));
    }
    Ok(Params::new(pairs))
}

struct Filler<'a> {
    params: &'a Params,
    /// How many were filled in so far.
    references: usize,
    bytes_left: usize,
}

impl Filler<'_> {
    fn filled(&mut self, text: &str, depth: usize) -> Result<String> {
        if depth >= DEPTH_MAX {
            let message = format!("Request template exceeded max nesting of {DEPTH_MAX} expanding '{text}'");
            return Err(Error::bad_request(message));
        }
        let mut out = String::new();
        let mut done = 0;
        let mut at = 0;
        while let Some(found) = text.get(at..).and_then(|rest| rest.find(START)) {
            let start = at + found;
            at = start + START.len();
            if text.get(..start).is_some_and(|before| before.ends_with('\\')) {
                continue;
            }
            let Some(length) = text.get(at..).and_then(|rest| rest.find('}')) else { break };
            let inside = text.get(at..at + length).unwrap_or_default();
            at += length + 1;
            let Some((name, default)) = reference(inside) else { continue };
            out.push_str(text.get(done..start).unwrap_or_default());
            done = at;
            self.references += 1;
            if self.references > REFERENCES_MAX {
                let message =
                    format!("more than {REFERENCES_MAX} references by `${{…}}` in one request; use fewer");
                return Err(Error::bad_request(message));
            }
            if let Some(value) = self.params.by_name(name).or(default) {
                let value = self.filled(value, depth + 1)?;
                self.bytes_left = self.bytes_left.checked_sub(value.len()).ok_or_else(too_long)?;
                out.push_str(&value);
            }
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Ok(out)
    }
}

fn too_long() -> Error {
    Error::bad_request("references by `${…}` unfold into too much text; use fewer, or shorter values")
}

/// Name and default of what stands between the braces; `None` where that is no name.
fn reference(inside: &str) -> Option<(&str, Option<&str>)> {
    let inside = inside.trim_start();
    let starts = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    let in_name = |c: char| starts(c) || c.is_numeric() || c == '.';
    let end = inside.find(|c: char| !in_name(c)).unwrap_or(inside.len());
    let (name, rest) = inside.split_at(end);
    name.starts_with(starts).then(|| (name, rest.trim_start().strip_prefix(':')))
}
