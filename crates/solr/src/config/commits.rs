//! When commits happen: `<updateHandler>` of a `solrconfig.xml`. In: the file's root; out:
//! `plan::AutoCommit`.
//! What stands there and has no effect is a warning; how long it takes until a commit is the shard's.

use plan::{AutoCommit, Result};

use crate::config::refusal::{not_supported, wrong};
use crate::xml_tree::Element;

pub(super) const NO_COMMITS: AutoCommit = AutoCommit {
    flush_after_ms: None,
    flush_after_docs: None,
    flush_opens_searcher: false,
    refresh_after_ms: None,
    refresh_after_docs: None,
};

pub(super) fn auto_commit(root: &Element, warnings: &mut Vec<String>) -> Result<AutoCommit> {
    let Some(handler) = root.first("updateHandler") else { return Ok(NO_COMMITS) };
    let hard = handler.first("autoCommit");
    let soft = handler.first("autoSoftCommit");
    if hard.and_then(|it| it.first("maxSize")).is_some() {
        warnings.push("autoCommit `maxSize` is not supported yet and has no effect".to_owned());
    }
    for child in &handler.children {
        if !["autoCommit", "autoSoftCommit", "updateLog", "commitWithin"].contains(&child.name.as_str()) {
            warnings.push(format!("updateHandler: {}", not_supported(child)));
        }
    }
    let opens = hard.and_then(|it| it.first("openSearcher")).map(opens_searcher).transpose()?;
    Ok(AutoCommit {
        flush_after_ms: bound(hard, "maxTime")?,
        flush_after_docs: bound(hard, "maxDocs")?,
        flush_opens_searcher: hard.is_some() && opens.unwrap_or(true),
        refresh_after_ms: bound(soft, "maxTime")?,
        refresh_after_docs: bound(soft, "maxDocs")?,
    })
}

fn opens_searcher(element: &Element) -> Result<bool> {
    let text = element.trimmed();
    let is = |flag: &str| text.eq_ignore_ascii_case(flag);
    match () {
        () if is("true") || text.is_empty() => Ok(true),
        () if is("false") => Ok(false),
        () => Err(wrong(&format!("`openSearcher` is `{text}`; use true or false"))),
    }
}

/// A positive number; `-1`, 0 and nothing switch it off.
pub(super) fn bound(element: Option<&Element>, name: &str) -> Result<Option<u64>> {
    let Some(text) = element.and_then(|it| it.first(name)).map(Element::trimmed) else { return Ok(None) };
    if text.is_empty() {
        return Ok(None);
    }
    let number: i64 =
        text.parse().map_err(|_| wrong(&format!("`{name}` is `{text}`; write a whole number")))?;
    Ok(u64::try_from(number).ok().filter(|number| *number > 0))
}
