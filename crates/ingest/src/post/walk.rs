//! The files below some folders, in a stable order, as ripgrep would see them but for its hidden-file rule.
//! For `parhelion post` and for folders as sources. Hidden folders and `.git` are left out because what is
//! posted is shown to others; files that are ignored by `.gitignore` are not, as generated text is what
//! people often want to search. Reading and splitting the files is done behind it.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

/// All regular files at or below `roots`, links not followed, `.git` and hidden folders left out, sorted by
/// path; what cannot be read is passed over.
pub fn files_below(roots: &[PathBuf]) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = roots.iter().flat_map(|root| files_of(root)).collect();
    files.sort();
    files.dedup();
    files
}

fn files_of(root: &Path) -> Vec<PathBuf> {
    let entries =
        WalkBuilder::new(root).git_ignore(false).git_global(false).git_exclude(false).ignore(false).build();
    entries
        .filter_map(|entry| entry.ok())
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(|entry| entry.into_path())
        .collect()
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
            .iter()
            .map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string())
            .collect();
        assert_eq!(found, ["a/one.rs", "b/two.rs", "top.md"]);
    }
}
