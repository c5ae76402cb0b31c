//! What an operation has to meet when it is its turn, besides the version that its sender expects: that a
//! document is there or is not, that its revision is above the one that is there. Under the shard's lock,
//! against the document as it stands.

use std::cmp::Ordering;

use plan::{Error, ErrorKind, Expect, Presence, Result, Revision, Value};

use crate::core::state::State;
use crate::layout::Layout;
use crate::segment::source_codec;
use crate::write::group::Pending;

/// What becomes of an operation that nothing speaks against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Go,
    /// It counts as done.
    PassOver,
}

/// Errors: `Conflict` when the expected version, or the revision, is not met.
pub(crate) fn check(state: &State, pending: &Pending, layout: &Layout) -> Result<Verdict> {
    if let Some(conditions) = &pending.conditions {
        let is_there = |presence: Presence| passes_over(state, pending, presence);
        if conditions.presence.map(is_there).transpose()? == Some(true) {
            return Ok(Verdict::PassOver);
        }
        if let Some(revision) = &conditions.revision
            && check_revision(state, pending, revision, layout)? == Verdict::PassOver
        {
            return Ok(Verdict::PassOver);
        }
    }
    check_expectation(state, pending).map(|()| Verdict::Go)
}

/// Solr's table of optimistic concurrency, and its words.
fn check_expectation(state: &State, pending: &Pending) -> Result<()> {
    let Pending { id, hash, expect, .. } = pending;
    if *expect == Expect::Anything {
        return Ok(());
    }
    let current = state.current(id, *hash)?.map(|it| it.version()).transpose()?;
    let met = match *expect {
        Expect::Anything => true,
        Expect::Exists => current.is_some(),
        Expect::Exactly(version) => current == Some(version),
        Expect::Absent(_) => current.is_none(),
    };
    if met {
        return Ok(());
    }
    let message = match current {
        None if pending.is_atomic() => format!("Document not found for update.  id={id}"),
        _ => {
            let (expected, actual) = (expect.as_version(), current.unwrap_or(-1));
            format!("version conflict for {id} expected={expected} actual={actual}")
        }
    };
    Err(Error::new(ErrorKind::Conflict, message))
}

fn passes_over(state: &State, pending: &Pending, presence: Presence) -> Result<bool> {
    let is_there = state.current(&pending.id, pending.hash)?.is_some();
    Ok(if pending.is_atomic() { presence.updates && !is_there } else { presence.inserts && is_there })
}

fn check_revision(state: &State, pending: &Pending, revision: &Revision, layout: &Layout) -> Result<Verdict> {
    let Some(current) = state.current(&pending.id, pending.hash)? else { return Ok(Verdict::Go) };
    let mut present: Vec<Option<Value>> = vec![None; revision.fields.len()];
    let place = |slot| {
        let name = layout.slot_name(slot)?;
        revision.fields.iter().position(|(field, _)| field == name)
    };
    source_codec::fields(
        &current.source()?,
        |slot| place(slot).is_some(),
        |slot, values| {
            if let Some(present) = place(slot).and_then(|at| present.get_mut(at)) {
                *present = values.into_iter().next();
            }
        },
    )?;
    for ((name, wanted), present) in revision.fields.iter().zip(&present) {
        let Some(present) = present else {
            if revision.missing_allowed {
                return Ok(Verdict::Go);
            }
            let message = format!("Doc exists in index, but has null versionField: {name}");
            return Err(Error::bad_request(message));
        };
        match order(wanted, present) {
            Some(Ordering::Greater) => return Ok(Verdict::Go),
            // Fields are compared one after another, as the parts of one version are.
            Some(Ordering::Equal) => {}
            _ => break,
        }
    }
    if revision.ignore_old {
        return Ok(Verdict::PassOver);
    }
    let shown: Vec<_> = revision.fields.iter().map(|(_, value)| value.to_text()).collect();
    let message = format!("user version is not high enough: [{}]", shown.join(", "));
    Err(Error::new(ErrorKind::Conflict, message))
}

fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Long(left), Value::Long(right)) | (Value::Date(left), Value::Date(right)) => {
            Some(left.cmp(right))
        }
        (Value::Float(left), Value::Float(right)) => Some(left.total_cmp(right)),
        (Value::Double(left), Value::Double(right)) => Some(left.total_cmp(right)),
        // The order of Java's strings, which is not that of UTF-8 above U+FFFF.
        (Value::Str(left), Value::Str(right)) => Some(left.encode_utf16().cmp(right.encode_utf16())),
        _ => None,
    }
}
