//! The files below some folders, in a stable order, as ripgrep would see them but for its hidden-file rule.
//! For `parhelion post` and for folders as sources. Hidden folders and `.git` are left out because what is
//! posted is shown to others; files that are ignored by `.gitignore` are not, as generated text is what
//! people often want to search. Reading and splitting the files is done behind it.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

/// What a walk has met.
#[derive(Debug, Default)]
pub struct Walked {
    /// All regular files at or below the roots, links not followed, `.git` and hidden folders left out,
    /// sorted by path.
    pub files: Vec<PathBuf>,
    /// What could not be looked into, sorted: there may be files in it.
    pub unreadable: Vec<PathBuf>,
}

pub fn files_below(roots: &[PathBuf]) -> Walked {
    let mut walked = Walked::default();
    roots.iter().for_each(|root| walk(root, &mut walked));
    for paths in [&mut walked.files, &mut walked.unreadable] {
        paths.sort();
        paths.dedup();
    }
    walked
}

fn walk(root: &Path, walked: &mut Walked) {
    let entries =
        WalkBuilder::new(root).git_ignore(false).git_global(false).git_exclude(false).ignore(false).build();
    for entry in entries {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                walked.files.push(entry.into_path());
            }
            Ok(_) => {}
            Err(error) => walked.unreadable.push(place(&error).unwrap_or(root).to_owned()),
        }
    }
}

/// Where it happened.
fn place(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => place(err),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_is_sorted_and_skips_hidden_folders() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["b/two.rs", "a/one.rs", ".git/config", "top.md"] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        let found: Vec<_> = files_below(&[folder.path().to_owned()])
            .files
            .iter()
            .map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string())
            .collect();
        assert_eq!(found, ["a/one.rs", "b/two.rs", "top.md"]);
    }
}
