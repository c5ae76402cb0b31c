//! Plans, batches and results are data (`crates/plan`): they can be compared, copied and sent. So nothing
//! there waits, remembers what was made of it, looks at a clock, or hides its type. What is alive goes beside
//! a plan (`crates/meter`), what follows from a schema or a configuration stands beside it
//! (`crates/cluster/src/in_use.rs`). A closure may be lent for one call.

use super::finding::Finding;

/// The crate that is data.
const PACKAGE: &str = "plan";

/// What no value of data has, and what it is.
const FORBIDDEN: [(&str, &str); 15] = [
    ("OnceLock", "a pocket"),
    ("OnceCell", "a pocket"),
    ("LazyLock", "a pocket"),
    ("LazyCell", "a pocket"),
    ("RefCell", "a pocket"),
    ("Cell<", "a pocket"),
    ("any::", "an erased type"),
    ("Mutex", "a lock"),
    ("RwLock", "a lock"),
    ("Condvar", "a lock"),
    ("sync::atomic", "shared state"),
    ("std::time", "a clock"),
    ("std::thread", "a thread"),
    ("async fn", "a future"),
    ("mpsc", "a channel"),
];

pub fn check(package: &str, path: &str, text: &str) -> Vec<Finding> {
    if package != PACKAGE {
        return Vec::new();
    }
    let production = text.lines().take_while(|line| line.trim() != "#[cfg(test)]").enumerate();
    let code = production.filter(|(_, line)| !line.trim_start().starts_with("//"));
    let found = code.filter_map(|(at, line)| Some((at, forbidden(line)?)));
    let finding = |(at, what): (usize, &str)| Finding {
        path: path.to_owned(),
        line: at + 1,
        message: format!("{what} is no data: let it travel beside the plan"),
    };
    found.map(finding).collect()
}

fn forbidden(line: &str) -> Option<&'static str> {
    let named = FORBIDDEN.iter().find(|(name, _)| line.contains(name)).map(|(_, what)| *what);
    named.or_else(|| keeps_trait_object(line).then_some("a trait object"))
}

/// Whether the line has a `dyn` that is more than lent.
fn keeps_trait_object(line: &str) -> bool {
    line.match_indices("dyn ").any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default().trim_end_matches('(').trim_end();
        // The last word before it: `&`, `&mut`, `&'a`; in `Box<dyn` and `Arc<dyn` there is none that begins
        // so.
        let word = before.rsplit([' ', '(', '<', ',']).next().unwrap_or_default();
        word != "&" && !word.starts_with("&'") && !before.ends_with("&mut")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_keep_nothing_alive() {
        let check = |package: &str, line: &str, findings: usize| {
            assert_eq!(check(package, "a.rs", line).len(), findings, "{package} {line}");
        };
        check("plan", "pub struct Made(OnceLock<u8>);", 1);
        check("cluster", "pub struct Made(OnceLock<u8>);", 0);
        check("plan", "// no OnceLock here", 0);
        check("plan", "#[cfg(test)]\nuse std::time::Instant;", 0);
        check("plan", "    source: Option<Arc<dyn Error>>,", 1);
        check("plan", "    visit: Box<dyn Fn(&str)>,", 1);
        check("plan", "    value: dyn Any,", 1);
        check("plan", "use std::sync::atomic::AtomicU64;", 1);
        check("plan", "use crate::update::AtomicOp;", 0);
        check("plan", "fn each(&self, take: &mut dyn FnMut(&str)) {", 0);
        check("plan", "fn each(&self, is: &dyn Fn(&str) -> bool, by: &'a dyn Fn()) {", 0);
        check("plan", "fn source(&self) -> Option<&(dyn Error + 'static)> {", 0);
        check("plan", "let found = Some(&source as &dyn Error);", 0);
    }
}
