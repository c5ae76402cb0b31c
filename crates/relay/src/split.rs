//! An update for several leaders becomes one for each, so that no node has to pass documents on. Only an
//! array of documents in JSON, and only where its parameters are of each document: else it goes as it is. The
//! leaders come from the state of the cluster (`upstream.rs`), the parts are sent side by side and may
//! succeed by themselves, as the server's own split does; `exchange.rs` says then what became of which.

use bytes::Bytes;
use client::SolrUrl;

/// What may stand beside it: all of them mean the same to a part as to the whole. A commit would be made as
/// often as there are parts.
pub(crate) const PARAMS: [&str; 5] = ["wt", "commitWithin", "overwrite", "indent", "json.nl"];

/// The documents of one leader.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Of its first document, by which it is sent.
    pub id: String,
    pub body: Bytes,
}

/// One part for each leader, documents in their order. `leaders` has one for each document.
pub(crate) fn by_leader(documents: &[(String, &str)], leaders: &[SolrUrl]) -> Vec<Part> {
    let mut groups: Vec<(&SolrUrl, &str, Vec<u8>)> = Vec::new();
    for ((id, document), leader) in documents.iter().zip(leaders) {
        let document = document.as_bytes();
        match groups.iter_mut().find(|(known, ..)| *known == leader) {
            Some((.., body)) => {
                body.push(b',');
                body.extend_from_slice(document);
            }
            None => groups.push((leader, id, [b"[", document].concat())),
        }
    }
    let part = |(_, id, mut body): (&SolrUrl, &str, Vec<u8>)| {
        body.push(b']');
        Part { id: id.to_owned(), body: body.into() }
    };
    groups.into_iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_leader_gets_his_documents_in_order() {
        let bodies = [r#"{"id":"1"}"#, r#"{ "id" : "2" }"#, r#"{"id":"3"}"#, r#"{"id":"1","n":2}"#];
        let documents: Vec<_> = ["1", "2", "3", "1"].map(str::to_owned).into_iter().zip(bodies).collect();
        let leaders: Vec<SolrUrl> = ["a", "b", "a", "a"].map(|host| host.parse().unwrap()).into();
        let parts = by_leader(&documents, &leaders);
        let part = |id: &str, body: &'static str| Part { id: id.to_owned(), body: body.into() };
        let expected =
            [part("1", r#"[{"id":"1"},{"id":"3"},{"id":"1","n":2}]"#), part("2", r#"[{ "id" : "2" }]"#)];
        assert_eq!(parts, expected);
    }
}
