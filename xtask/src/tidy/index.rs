//! `docs/README.md` is the index: every page below `docs` is named there, so that a page is found by what it
//! is for and not by its file's name. Pages of a folder that one page lists (the causes of a hang) are found
//! by that page.

use super::finding::Finding;

const INDEX: &str = "docs/README.md";

/// Folders whose pages another page lists.
const LISTED_ELSEWHERE: [&str; 1] = ["docs/causes/"];

/// Findings for the pages, as (path, text), that the index does not name.
pub fn check(documents: &[(String, String)]) -> Vec<Finding> {
    let Some((_, index)) = documents.iter().find(|(path, _)| path == INDEX) else { return Vec::new() };
    let is_missing = |path: &&str| {
        let listed = LISTED_ELSEWHERE.iter().any(|folder| path.starts_with(folder));
        let below = path.strip_prefix("docs/").filter(|_| *path != INDEX && !listed);
        below.is_some_and(|below| {
            !index.contains(&format!("({below})")) && !index.contains(&format!("({below}#"))
        })
    };
    let paths = documents.iter().map(|(path, _)| path.as_str());
    let finding = |path: &str| Finding {
        path: path.to_owned(),
        line: 0,
        message: format!("is not in `{INDEX}`: say there what it is for"),
    };
    paths.filter(is_missing).map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_in_the_index() {
        let page = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let index = page(INDEX, "[a](a.md), [b](how-to/b.md#part)");
        let pages = ["docs/a.md", "docs/how-to/b.md", "docs/adr/c.md", "docs/causes/d.md", "README.md"];
        let documents: Vec<_> = pages.iter().map(|path| page(path, "")).chain([index]).collect();
        let found: Vec<String> = check(&documents).into_iter().map(|finding| finding.path).collect();
        assert_eq!(found, ["docs/adr/c.md"]);
        assert_eq!(check(&documents[..5]), []);
    }
}
