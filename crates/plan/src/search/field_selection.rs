//! Which stored fields are loaded, by names and patterns. `solr` resolves `fl` into it, the engine loads by
//! it; fields that are computed or renamed are the response's and not part of it. A pattern is matched
//! against the names that a document has, so nothing is looked up in the schema.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Names and globs of the stored fields to load.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct FieldSelection {
    /// `*`: all stored fields, and columns used as stored.
    pub all: bool,
    pub names: Vec<Arc<str>>,
    /// Patterns with one or more `*` or `?`.
    pub globs: Vec<String>,
}

impl FieldSelection {
    pub fn everything() -> Self {
        Self { all: true, ..Self::default() }
    }

    pub fn contains(&self, name: &str) -> bool {
        self.all
            || self.names.iter().any(|wanted| &**wanted == name)
            || self.globs.iter().any(|glob| glob_matches(glob, name))
    }
}

/// Whether `name` matches `glob`, in which `*` is any run and `?` one character.
pub fn glob_matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let (mut at_glob, mut at_name) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while at_name < name.len() {
        match glob.get(at_glob) {
            Some('*') => {
                last_star = Some((at_glob, at_name));
                at_glob += 1;
            }
            Some(wanted) if *wanted == '?' || *wanted == name[at_name] => {
                at_glob += 1;
                at_name += 1;
            }
            _ => {
                let Some((star, taken)) = last_star else { return false };
                last_star = Some((star, taken + 1));
                (at_glob, at_name) = (star + 1, taken + 1);
            }
        }
    }
    glob[at_glob..].iter().all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::glob_matches;

    #[test]
    fn globs_match_whole_names() {
        for (glob, name, expected) in [
            ("*", "", true),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a?c", "abc", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b", "abc", false),
            ("?", "", false),
            ("*_s", "name_s", true),
        ] {
            assert_eq!(glob_matches(glob, name), expected, "{glob} {name}");
        }
    }
}
