//! What Solr has and we do not, yet. A parameter that would change the answer is refused by name, never
//! ignored; one that switches its feature off is no reason to refuse. It runs before a request is read, and
//! shrinks as features come: what leaves it becomes a definition of its own file.

use plan::{Error, Result};

use super::spec::switch;
use super::{ParamDoc, Params};

/// Each stands for itself and for all names that begin with it and a point, when it ends in one.
pub const DOCS: &[ParamDoc] = &[ParamDoc::unsupported("clustering", "Hits in clusters.")];

/// Refuses the first parameter that asks for something missing.
pub fn refuse_unsupported(params: &Params) -> Result<()> {
    for (name, value) in params.pairs() {
        let Some(doc) = DOCS.iter().find(|doc| covers(doc.name, name)) else { continue };
        if matches!(switch(value), Ok(false)) {
            continue;
        }
        return Err(Error::bad_request(format!(
            "parameter `{name}` is not supported yet ({}); leave it out",
            doc.about.trim_end_matches('.')
        )));
    }
    Ok(())
}

/// Refuses content handed in by address or parameter, on every path: a request must not make the server fetch
/// or read anything, nor hide an update in a link. Solr's words for its own default.
pub fn refuse_streams(params: &Params) -> Result<()> {
    for (name, _) in params.pairs() {
        match name.as_str() {
            "stream.url" | "stream.file" => return Err(Error::bad_request("Remote Streaming is disabled.")),
            "stream.body" => return Err(Error::bad_request("Stream Body is disabled.")),
            _ => {}
        }
    }
    Ok(())
}

fn covers(pattern: &str, name: &str) -> bool {
    // Most names begin otherwise, and all parameters of every search pass here.
    pattern.as_bytes().first() == name.as_bytes().first()
        && (pattern == name || (pattern.ends_with('.') && name.starts_with(pattern)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_refused_by_name() {
        let check = |name: &str, value: &str, refused: bool| {
            let found = refuse_unsupported(&Params::new(vec![(name.into(), value.into())]));
            assert_eq!(found.is_err(), refused, "{name}={value}");
            if let Err(error) = found {
                assert!(error.message.contains(&format!("`{name}`")), "{error}");
            }
        };
        check("group", "true", false);
        check("group.facet", "true", false);
        check("facet.heatmap", "place_srpt", false);
        check("group.field", "a", false);
        check("json.facet", "{}", false);
        check("cursorMark", "*", false);
        check("facet.pivot", "a,b", false);
        check("rows", "1", false);
        check("hl", "on", false);
        check("shards", "shard1", false);
        check("shards.tolerant", "true", false);
    }

    #[test]
    fn streams_are_refused() {
        for (name, refused) in
            [("stream.url", true), ("stream.body", true), ("stream.contentType", false), ("q", false)]
        {
            assert_eq!(
                refuse_streams(&Params::new(vec![(name.into(), "x".into())])).is_err(),
                refused,
                "{name}"
            );
        }
    }
}
