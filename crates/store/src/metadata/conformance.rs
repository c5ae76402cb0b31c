//! What every home of documents must do, over the trait alone. A new home passes it before anything is built
//! on it. A failed check panics.
//!
//! Each check is a sentence of [`MetadataStore`]'s contract: whole replacement, versions that never come
//! twice, what stays after a new opening, names that cannot leave, one winner of many. What a home does when
//! its medium fails is tested beside it, as each fails in its own way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::metadata::MetadataStore;
use crate::{ErrorKind, Result};

/// Opens one home again and again; what is in it stays.
pub type Reopen = Box<dyn Fn() -> Box<dyn MetadataStore>>;

/// Runs every check, each on an empty home of its own.
pub fn check_metadata(fresh: &dyn Fn() -> Reopen) {
    documents_are_replaced_whole(&*fresh()());
    only_the_newest_version_can_be_replaced(&*fresh()());
    versions_never_come_twice(&fresh());
    what_was_answered_stays(&fresh());
    folders_list_what_is_below(&*fresh()());
    names_cannot_leave_the_home(&*fresh()());
    one_of_many_wins(&*fresh()());
    watches_hint_at_changes(&*fresh()());
}

fn conflict<T: std::fmt::Debug>(result: Result<T>) {
    assert_eq!(result.expect_err("a conflict").kind(), &ErrorKind::Conflict);
}

fn bytes(home: &dyn MetadataStore, name: &str) -> Option<Vec<u8>> {
    home.get(name).expect("a read").map(|found| found.bytes)
}

fn documents_are_replaced_whole(home: &dyn MetadataStore) {
    assert_eq!(bytes(home, "films/schema.json"), None);
    let first = home.compare_and_set("films/schema.json", None, &[1; 70_000]).expect("a creation");
    let found = home.get("films/schema.json").expect("a read").expect("a document");
    assert_eq!((found.version, found.bytes), (first, vec![1; 70_000]));
    let second = home.compare_and_set("films/schema.json", Some(first), b"").expect("a change");
    assert!(second > first);
    assert_eq!(bytes(home, "films/schema.json"), Some(vec![]));
    home.delete("films/schema.json", second).expect("a deletion");
    assert_eq!(bytes(home, "films/schema.json"), None);
}

fn only_the_newest_version_can_be_replaced(home: &dyn MetadataStore) {
    conflict(home.compare_and_set("a", Some(1), b"nothing is there"));
    conflict(home.delete("a", 1));
    let first = home.compare_and_set("a", None, b"one").expect("a creation");
    conflict(home.compare_and_set("a", None, b"something is there"));
    let second = home.compare_and_set("a", Some(first), b"two").expect("a change");
    conflict(home.compare_and_set("a", Some(first), b"late"));
    conflict(home.compare_and_set("a", Some(second + 1), b"early"));
    conflict(home.delete("a", first));
    assert_eq!(bytes(home, "a"), Some(b"two".to_vec()));
}

/// Neither after the same bytes, nor after a deletion, nor after another opening.
fn versions_never_come_twice(reopen: &Reopen) {
    let home = reopen();
    let mut given = vec![home.compare_and_set("a", None, b"one").expect("a creation")];
    for text in [b"one", b"two", b"one"] {
        let last = given.last().copied();
        given.push(home.compare_and_set("a", last, text).expect("a change"));
    }
    home.delete("a", given[3]).expect("a deletion");
    given.push(home.compare_and_set("a", None, b"one").expect("a creation"));
    drop(home);
    let home = reopen();
    conflict(home.compare_and_set("a", Some(given[3]), b"of an earlier life"));
    let now = home.get("a").expect("a read").expect("a document").version;
    assert!(now >= given[4]);
    given.push(home.compare_and_set("a", Some(now), b"two").expect("a change"));
    assert!(given.is_sorted_by(|one, next| one < next), "{given:?}");
}

fn what_was_answered_stays(reopen: &Reopen) {
    let home = reopen();
    let first = home.compare_and_set("a/b", None, b"one").expect("a creation");
    home.compare_and_set("a/b", Some(first), b"two").expect("a change");
    let gone = home.compare_and_set("a/c", None, b"three").expect("a creation");
    home.delete("a/c", gone).expect("a deletion");
    drop(home);
    let home = reopen();
    assert_eq!((bytes(&*home, "a/b"), bytes(&*home, "a/c")), (Some(b"two".to_vec()), None));
    let found = home.get("a/b").expect("a read").expect("a document");
    assert_eq!(home.get("a/b").expect("a read").expect("a document").version, found.version);
}

fn folders_list_what_is_below(home: &dyn MetadataStore) {
    assert_eq!(home.list("").expect("a list"), [""; 0]);
    for name in ["top", "c/films/schema.json", "c/films/config.json", "c/books/schema.json", "cc/x"] {
        home.compare_and_set(name, None, b"{}").expect("a creation");
    }
    assert_eq!(home.list("").expect("a list"), ["c", "cc", "top"]);
    assert_eq!(home.list("c").expect("a list"), ["books", "films"]);
    assert_eq!(home.list("c/films").expect("a list"), ["config.json", "schema.json"]);
    assert_eq!(home.list("none").expect("a list"), [""; 0]);
    let version = home.get("c/films/config.json").expect("a read").expect("a document").version;
    home.delete("c/films/config.json", version).expect("a deletion");
    assert_eq!(home.list("c/films").expect("a list"), ["schema.json"]);
}

fn names_cannot_leave_the_home(home: &dyn MetadataStore) {
    for name in ["", "/etc/passwd", "../x", "a/../../b", "a//b", "a/", ".hidden", "a/.b", "a b", "a\0b"] {
        let invalid = |kind: &ErrorKind| assert_eq!(kind, &ErrorKind::Invalid, "{name:?}");
        invalid(home.get(name).expect_err("a name that is refused").kind());
        invalid(home.compare_and_set(name, None, b"x").expect_err("a name that is refused").kind());
        invalid(home.delete(name, 1).expect_err("a name that is refused").kind());
    }
    assert_eq!(home.list("").expect("a list"), [""; 0]);
}

/// Each of some threads counts the document up, by reading and trying again.
fn one_of_many_wins(home: &dyn MetadataStore) {
    const THREADS: u64 = 4;
    const STEPS: u64 = 8;
    let count_up = || loop {
        let found = home.get("count").expect("a read");
        let (version, number) = found.map_or((None, 0), |found| {
            (Some(found.version), String::from_utf8(found.bytes).expect("text").parse().expect("a number"))
        });
        let next: u64 = number + 1;
        match home.compare_and_set("count", version, next.to_string().as_bytes()) {
            Err(error) if *error.kind() == ErrorKind::Conflict => {}
            result => return result.expect("a change"),
        }
    };
    let mut given: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| scope.spawn(|| (0..STEPS).map(|_| count_up()).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(bytes(home, "count"), Some((THREADS * STEPS).to_string().into_bytes()));
    given.sort_unstable();
    given.dedup();
    assert_eq!(given.len() as u64, THREADS * STEPS);
}

fn watches_hint_at_changes(home: &dyn MetadataStore) {
    let hints = Arc::new(AtomicUsize::new(0));
    let counting = hints.clone();
    let hint = move || {
        counting.fetch_add(1, Ordering::Relaxed);
    };
    let watch = home.watch("c/films", Arc::new(hint)).expect("a watch");
    let heard = |action: &str| assert_ne!(hints.swap(0, Ordering::Relaxed), 0, "{action} gave no hint");
    let version = home.compare_and_set("c/films/schema.json", None, b"1").expect("a creation");
    heard("a creation");
    let version = home.compare_and_set("c/films/schema.json", Some(version), b"2").expect("a change");
    heard("a change");
    home.delete("c/films/schema.json", version).expect("a deletion");
    heard("a deletion");
    drop(watch);
    home.compare_and_set("c/films/schema.json", None, b"1").expect("a creation");
    assert_eq!(hints.load(Ordering::Relaxed), 0, "a hint after the end of the watch");
}
