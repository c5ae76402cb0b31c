//! `/admin/cores?action=STATUS`: one entry a core. In: facts that the handler gathers from the collection;
//! out: Solr's names and forms for them, the size in bytes as Solr words it too. Only cores that are there
//! have an entry; Solr's empty one for a name that is none is the handler's to add.

use super::IndexFacts;
use crate::response::{Entries, Name, Node};

/// One core.
#[derive(Clone, Debug, Default)]
pub struct CoreFacts {
    pub name: String,
    pub folder: String,
    pub opened_ms: i64,
    pub uptime_ms: i64,
    /// Left out for `indexInfo=false`.
    pub index: Option<IndexFacts>,
}

/// The entry of one core. Keys are Solr's; file names of its configuration are shown because clients look for
/// them.
pub fn core_status(core: &CoreFacts) -> (Name, Node) {
    let mut entries: Entries = vec![
        ("name".into(), Node::Str(core.name.clone().into())),
        ("instanceDir".into(), Node::Str(core.folder.clone().into())),
        ("dataDir".into(), Node::Str(core.folder.clone().into())),
        ("config".into(), Node::str("solrconfig.xml")),
        ("schema".into(), Node::str("managed-schema.xml")),
        ("startTime".into(), Node::Date(core.opened_ms)),
        ("uptime".into(), Node::Long(core.uptime_ms)),
    ];
    if let Some(index) = &core.index {
        let mut facts = index.entries();
        facts.push(("sizeInBytes".into(), Node::long(index.size_bytes)));
        facts.push(("size".into(), Node::Str(readable(index.size_bytes).into())));
        entries.push(("index".into(), Node::Map(facts)));
    }
    (core.name.clone().into(), Node::Map(entries))
}

/// A size as Solr words it: `69 bytes`, `6.22 KB`, two digits after the point at most.
pub(super) fn readable(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")];
    let Some((unit, name)) = UNITS.iter().find(|(unit, _)| bytes >= *unit) else {
        return format!("{bytes} bytes");
    };
    let number = format!("{:.2}", bytes as f64 / *unit as f64);
    let number = number.trim_end_matches('0').trim_end_matches('.');
    format!("{number} {name}")
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn sizes_are_worded_as_solr_does() {
        for (bytes, text) in [(69, "69 bytes"), (6374, "6.22 KB"), (1024, "1 KB"), (3 << 29, "1.5 GB")] {
            assert_eq!(readable(bytes), text);
        }
    }
}
