//! The documents of a shard as a map, and what each change makes of them: naive on purpose. Which records a
//! batch makes, and what is remembered of it, is `ledger`'s and `predict`'s. In: documents and a change; out:
//! documents, and whether a version forbids it. Naive because it is the judge: it has to be seen to be right.

use std::collections::BTreeMap;

use plan::{ErrorKind, Expect, Version};

/// A document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub count: i32,
    pub version: Version,
    /// Of a document below another.
    pub root: Option<String>,
    /// When it ends.
    pub ends_ms: Option<i64>,
}

pub type Documents = BTreeMap<String, Held>;

/// What a client asks of one shard, one operation of a batch.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// An atomic update, which makes the document where there is none.
    Count {
        id: String,
        expect: Expect,
        only_present: bool,
    },
    /// An atomic update of a document below a root.
    CountBelow {
        root: String,
        id: String,
    },
    Put {
        id: String,
        count: i32,
        ends_ms: Option<i64>,
        expect: Expect,
        only_absent: bool,
    },
    /// A root with documents below it.
    Block {
        root: String,
        count: i32,
        below: Vec<(String, i32)>,
    },
    /// In place of its like: of all others that have its count.
    Replace {
        id: String,
        count: i32,
    },
    Delete {
        id: String,
        expect: Expect,
    },
    DeleteCount {
        count: i32,
    },
    DeleteAll,
    /// What no document can take.
    Bad {
        id: String,
    },
    /// As the last one alone.
    Commit,
}

/// What becomes of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Done,
    PassedOver,
    Refused(ErrorKind),
}

impl Change {
    /// By which it goes in a group: none twice in one. `None` where it stands alone.
    pub fn group_id(&self) -> Option<&str> {
        match self {
            Change::Count { id, .. }
            | Change::Put { id, .. }
            | Change::Replace { id, .. }
            | Change::Delete { id, .. }
            | Change::Bad { id } => Some(id),
            Change::CountBelow { root, .. } | Change::Block { root, .. } => Some(root),
            Change::DeleteCount { .. } | Change::DeleteAll | Change::Commit => None,
        }
    }

    /// Of whom a refusal tells.
    pub fn refused_id(&self) -> &str {
        match self {
            Change::CountBelow { id, .. } => id,
            _ => self.group_id().unwrap_or_default(),
        }
    }

    /// Whether it makes a record whatever the documents are.
    pub fn is_certain(&self) -> bool {
        matches!(self, Change::Block { .. } | Change::Replace { .. } | Change::DeleteAll)
    }

    /// Whether it is refused while it is prepared, which is before any of its group is applied.
    pub fn is_refused_early(&self, documents: &Documents) -> Option<ErrorKind> {
        match self {
            Change::Bad { .. } => Some(ErrorKind::BadRequest),
            Change::CountBelow { root, .. } if !documents.contains_key(root) => Some(ErrorKind::Conflict),
            Change::CountBelow { root, id } => {
                let is_below = documents.get(id).is_some_and(|it| it.root.as_ref() == Some(root));
                (!is_below).then_some(ErrorKind::BadRequest)
            }
            _ => None,
        }
    }

    /// What becomes of it when it is its turn.
    pub fn judge(&self, documents: &Documents, conflicts_skip: bool) -> Verdict {
        let (id, expect, passes_if) = match self {
            Change::Count { id, expect, only_present } => (id, *expect, only_present.then_some(false)),
            Change::Put { id, expect, only_absent, .. } => (id, *expect, only_absent.then_some(true)),
            Change::Delete { id, expect } => (id, *expect, None),
            _ => return Verdict::Done,
        };
        let present = documents.get(id);
        if passes_if == Some(present.is_some()) {
            return Verdict::PassedOver;
        }
        let is_met = match expect {
            Expect::Anything => true,
            Expect::Exists => present.is_some(),
            Expect::Exactly(version) => present.is_some_and(|it| it.version == version),
            Expect::Absent(_) => present.is_none(),
        };
        match self {
            _ if is_met => Verdict::Done,
            Change::Delete { .. } => Verdict::Refused(ErrorKind::Conflict),
            _ if conflicts_skip => Verdict::PassedOver,
            _ => Verdict::Refused(ErrorKind::Conflict),
        }
    }

    /// Makes it.
    pub fn apply(&self, documents: &mut Documents, version: Version) {
        let plain = |count| Held { count, version, root: None, ends_ms: None };
        match self {
            Change::Count { id, .. } => match documents.get(id).cloned() {
                Some(before) => {
                    let below = documents.values_mut().filter(|it| it.root.as_ref() == Some(id));
                    below.for_each(|it| it.version = version);
                    documents.insert(id.clone(), Held { count: before.count + 1, version, ..before });
                }
                None => replace(documents, id, plain(1)),
            },
            Change::CountBelow { root, id } => {
                for (name, held) in documents.iter_mut() {
                    if name == root || held.root.as_ref() == Some(root) {
                        held.version = version;
                        held.count += i32::from(name == id);
                    }
                }
            }
            Change::Put { id, count, ends_ms, .. } => {
                replace(documents, id, Held { ends_ms: *ends_ms, ..plain(*count) });
            }
            Change::Block { root, count, below } => {
                replace(documents, root, plain(*count));
                for (id, count) in below {
                    documents.insert(id.clone(), Held { root: Some(root.clone()), ..plain(*count) });
                }
            }
            Change::Replace { id, count } => {
                documents.retain(|_, it| it.count != *count);
                replace(documents, id, plain(*count));
            }
            Change::Delete { id, .. } => remove(documents, id),
            Change::DeleteCount { count } => documents.retain(|_, it| it.count != *count),
            Change::DeleteAll => documents.clear(),
            Change::Bad { .. } | Change::Commit => {}
        }
    }
}

/// With all that is below it.
fn remove(documents: &mut Documents, id: &str) {
    documents.retain(|name, it| name != id && it.root.as_deref() != Some(id));
}

fn replace(documents: &mut Documents, id: &str, by: Held) {
    remove(documents, id);
    documents.insert(id.to_owned(), by);
}
