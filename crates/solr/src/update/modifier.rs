//! Solr's names of what an edit does to a field: `{"price_i":{"inc":5}}`. Every format of bodies writes an
//! edit as a map of one of these; a map of other names is a document below.

use plan::AtomicOp;

/// The modifier of this name.
pub fn operation(modifier: &str) -> Option<AtomicOp> {
    Some(match modifier {
        "set" => AtomicOp::Set,
        "add" => AtomicOp::Add,
        "add-distinct" => AtomicOp::AddDistinct,
        "remove" => AtomicOp::Remove,
        "removeregex" => AtomicOp::RemoveRegex,
        "inc" => AtomicOp::Inc,
        _ => return None,
    })
}
