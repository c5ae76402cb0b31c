//! From what is there to what is to be there, as changes in an order that every prefix of makes sense: what
//! is new or other first, from the root down; what is to go last, from the leaves up.

use std::collections::BTreeMap;

use crate::tree::{Change, Lifetime, Present};
use crate::view::{View, ViewEntry};

/// What happens together or not at all.
pub(crate) type Step = Vec<Change>;

/// `present` are all nodes of the folders and files that a view owns.
pub(crate) fn steps(present: &BTreeMap<String, Present>, view: &View, session: i64) -> Vec<Step> {
    let mut steps = Vec::new();
    for (path, wanted) in &view.0 {
        let Some(known) = present.get(path) else {
            steps.push(vec![create(path, wanted)]);
            continue;
        };
        let wanted_session = if wanted.lifetime == Lifetime::Session { session } else { 0 };
        if known.session != wanted_session {
            // Of a session before, which may end at any moment.
            let delete = Change::Delete { path: path.clone(), version: known.version };
            steps.push(vec![delete, create(path, wanted)]);
        } else if known.bytes != wanted.bytes {
            let (path, bytes) = (path.clone(), wanted.bytes.clone());
            steps.push(vec![Change::Set { path, bytes, version: known.version }]);
        }
    }
    // What lives by another's session is that member's, and goes only with what it stands below.
    let is_ours = |path: &str, known: &Present| {
        let above = path.rsplit_once('/').map_or("", |(above, _)| above);
        known.session == 0 || known.session == session || !view.0.contains_key(above)
    };
    let gone = present.iter().rev().filter(|(path, _)| !view.0.contains_key(*path));
    let gone = gone.filter(|(path, known)| is_ours(path, known));
    let delete = |path: &String, version| vec![Change::Delete { path: path.clone(), version }];
    steps.extend(gone.map(|(path, known)| delete(path, known.version)));
    steps
}

fn create(path: &str, wanted: &ViewEntry) -> Change {
    Change::Create { path: path.to_owned(), bytes: wanted.bytes.clone(), lifetime: wanted.lifetime }
}
