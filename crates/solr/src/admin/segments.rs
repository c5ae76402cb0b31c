//! `/admin/segments`: the segments that searches see, in the shape of Solr's. What they do not record (when
//! and by what each was made) is left out. Clients sum up what stands here to see how much of an index is
//! dead; the facts come from every shard's snapshot (`cluster`).

use plan::partial::{FieldBytes, OneFieldBytes};

use super::system::LUCENE_VERSION;
use crate::response::{Entries, Name, Node};

/// One segment.
#[derive(Clone, Debug, Default)]
pub struct SegmentFacts {
    /// Documents, dead ones included.
    pub max_doc: u64,
    pub deleted_docs: u64,
    pub bytes: u64,
    /// Whether a commit has put it on disk.
    pub committed: bool,
}

/// The body of the answer. Segments are numbered as they stand in the index.
pub fn segments(segments: &[SegmentFacts]) -> Entries {
    let version = || Node::str(LUCENE_VERSION);
    let mut info = Entries::new();
    if !segments.is_empty() {
        info.push(("minSegmentLuceneVersion".into(), version()));
    }
    info.push(("commitLuceneVersion".into(), version()));
    info.push(("numSegments".into(), Node::count(segments.len() as u64)));
    info.push(("totalMaxDoc".into(), Node::count(segments.iter().map(|one| one.max_doc).sum())));
    info.push(("userData".into(), Node::Map(vec![])));
    let each = segments.iter().enumerate().map(|(at, one)| segment(&format!("_{at}"), one));
    vec![("info".into(), Node::Map(info)), ("segments".into(), Node::Map(each.collect()))]
}

/// What each field takes of the segments, those first that take most.
pub fn field_bytes(bytes: &FieldBytes) -> Entries {
    let mut fields: Vec<&OneFieldBytes> = bytes.fields.iter().collect();
    fields.sort_by(|one, other| (other.total(), &one.name).cmp(&(one.total(), &other.name)));
    let fields = fields.into_iter().map(|field| (Name::Owned(field.name.clone()), one_field_bytes(field)));
    let entries = [("fields", Node::Map(fields.collect())), ("shared", Node::long(bytes.shared))];
    vec![("fieldBytes".into(), Node::map(entries))]
}

fn one_field_bytes(bytes: &OneFieldBytes) -> Node {
    let OneFieldBytes { name: _, terms, postings, positions, norms, columns, stored, indexing_us } = bytes;
    Node::map([
        ("terms", Node::long(*terms)),
        ("postings", Node::long(*postings)),
        ("positions", Node::long(*positions)),
        ("norms", Node::long(*norms)),
        ("docValues", Node::long(*columns)),
        ("stored", Node::long(*stored)),
        ("total", Node::long(bytes.total())),
        ("indexingMicros", Node::long(*indexing_us)),
    ])
}

fn segment(name: &str, facts: &SegmentFacts) -> (Name, Node) {
    let source = if facts.committed { "flush" } else { "memory" };
    let node = Node::map([
        ("name", Node::Str(name.to_owned().into())),
        ("delCount", Node::count(facts.deleted_docs)),
        ("softDelCount", Node::Int(0)),
        ("hasFieldUpdates", Node::Bool(false)),
        ("sizeInBytes", Node::long(facts.bytes)),
        ("size", Node::count(facts.max_doc)),
        ("source", Node::str(source)),
        ("version", Node::str(LUCENE_VERSION)),
        ("diagnostics", Node::map([("source", Node::str(source))])),
        ("attributes", Node::Map(vec![])),
    ]);
    (Name::Owned(name.to_owned()), node)
}
