//! The ids of documents that searches do not see yet, with what a real-time get and the next update of the same id need.
//!
//! Two maps: of the builders that take documents now, and of those that a refresh is sealing. An entry may outlive its
//! document: whoever reads one asks its marks.

use std::collections::HashMap;
use std::sync::Arc;

use plan::Version;

use crate::alive::Marks;
use crate::segment::Segment;

/// A document in a builder.
#[derive(Clone, Debug)]
pub(crate) struct RecentDocument {
    pub(crate) marks: Arc<Marks>,
    pub(crate) doc: u32,
    pub(crate) version: Version,
    pub(crate) source: Arc<[u8]>,
    /// One with the same id that this did not replace (`overwrite=false`).
    pub(crate) beside: Option<Box<RecentDocument>>,
}

impl RecentDocument {
    /// Marks this and those beside it dead; true when one was alive.
    pub(crate) fn mark(&self) -> bool {
        let beside = self.beside.as_ref().is_some_and(|other| other.mark());
        self.marks.mark(self.doc) || beside
    }

    /// Removes this, or those beside it, from the chain; false when nothing is left.
    fn forget(&mut self, is_sealed: &dyn Fn(&Arc<Marks>) -> bool) -> bool {
        if self.beside.as_mut().is_some_and(|other| !other.forget(is_sealed)) {
            self.beside = None;
        }
        if !is_sealed(&self.marks) {
            return true;
        }
        match self.beside.take() {
            Some(other) => {
                *self = *other;
                true
            }
            None => false,
        }
    }

    fn alive(&self) -> Option<&RecentDocument> {
        if self.marks.is_dead(self.doc) { self.beside.as_ref()?.alive() } else { Some(self) }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Recent {
    current: HashMap<String, RecentDocument>,
    sealing: HashMap<String, RecentDocument>,
}

impl Recent {
    /// The live document of this id that came last.
    pub(crate) fn get(&self, id: &str) -> Option<&RecentDocument> {
        let current = self.current.get(id).and_then(RecentDocument::alive);
        current.or_else(|| self.sealing.get(id).and_then(RecentDocument::alive))
    }

    /// Marks all documents of this id dead; true when one was alive.
    pub(crate) fn mark(&mut self, id: &str) -> bool {
        let current = self.current.remove(id).is_some_and(|it| it.mark());
        self.sealing.get(id).is_some_and(RecentDocument::mark) || current
    }

    /// Adds a document, beside those of its id that are alive.
    pub(crate) fn insert(&mut self, id: String, mut document: RecentDocument) {
        let beside = self.current.remove(&id).filter(|it| it.alive().is_some());
        document.beside = beside.map(Box::new);
        self.current.insert(id, document);
    }

    /// The current documents are being sealed from here on.
    pub(crate) fn begin_sealing(&mut self) {
        let current = std::mem::take(&mut self.current);
        if self.sealing.is_empty() {
            self.sealing = current;
        } else {
            self.sealing.extend(current);
        }
    }

    /// The segments being sealed can be asked themselves now.
    pub(crate) fn end_sealing(&mut self) {
        self.sealing = HashMap::new();
    }

    /// Drops the documents of segments that are sealed and can be asked themselves. Must come before such a segment is
    /// merged: the documents then go by other marks.
    pub(crate) fn forget(&mut self, sealed: &[Arc<Segment>]) {
        let is_sealed = |marks: &Arc<Marks>| sealed.iter().any(|segment| Arc::ptr_eq(&segment.marks, marks));
        self.current.retain(|_, document| document.forget(&is_sealed));
    }

    /// The versions of the living documents.
    pub(crate) fn versions(&self) -> impl Iterator<Item = Version> {
        let all = self.current.values().chain(self.sealing.values());
        all.filter_map(RecentDocument::alive).map(|document| document.version)
    }

    /// No document waits to become visible.
    pub(crate) fn is_empty(&self) -> bool {
        self.current.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.current.clear();
        self.sealing.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(marks: &Arc<Marks>, doc: u32) -> RecentDocument {
        let version = Version::from(doc);
        RecentDocument { marks: marks.clone(), doc, version, source: Arc::default(), beside: None }
    }

    #[test]
    fn the_last_living_document_answers() {
        let marks = Arc::new(Marks::default());
        let mut recent = Recent::default();
        recent.insert("a".into(), document(&marks, 0));
        recent.begin_sealing();
        assert_eq!(recent.get("a").unwrap().doc, 0);
        assert!(recent.mark("a"));
        assert!(recent.get("a").is_none() && !recent.mark("a"));
        recent.insert("a".into(), document(&marks, 1));
        recent.insert("a".into(), document(&marks, 2));
        assert_eq!(recent.get("a").unwrap().doc, 2);
        marks.mark(2);
        assert_eq!(recent.get("a").unwrap().doc, 1);
        assert!(recent.mark("a"));
        assert_eq!(marks.take().iter().collect::<Vec<_>>(), [0, 1, 2]);
    }
}
