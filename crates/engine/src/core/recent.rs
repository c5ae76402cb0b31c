//! The ids of documents that searches do not see yet, with what a real-time get and the next update of the
//! same id need.
//!
//! Two maps: of the builders that take documents now, and of those that a refresh is sealing. An entry may
//! outlive its document: whoever reads one asks its marks.

use std::collections::HashMap;
use std::sync::Arc;

use plan::Version;

use crate::segment::Segment;
use crate::segment::alive::Marks;

/// A document in a builder.
#[derive(Clone, Debug)]
pub(crate) struct RecentDocument {
    pub(crate) marks: Arc<Marks>,
    pub(crate) doc: u32,
    pub(crate) version: Version,
    pub(crate) source: Arc<[u8]>,
    /// Those of its block, which stand just before it.
    pub(crate) children: Vec<RecentChild>,
    /// One with the same id that this did not replace (`overwrite=false`).
    pub(crate) beside: Option<Box<RecentDocument>>,
}

/// A document of a block in a builder.
#[derive(Clone, Debug)]
pub(crate) struct RecentChild {
    pub(crate) id: String,
    pub(crate) source: Arc<[u8]>,
}

impl RecentDocument {
    /// Marks this, its block and those beside it dead; true when one was alive.
    pub(crate) fn mark(&self) -> bool {
        let beside = self.beside.as_ref().is_some_and(|other| other.mark());
        self.members().fold(beside, |any, (doc, ..)| self.marks.mark(doc) || any)
    }

    /// Marks the documents of this id in the blocks of this root dead.
    fn mark_member(&self, id: &str, own: &str) {
        for (doc, name, _) in self.members() {
            if name.unwrap_or(own) == id {
                self.marks.mark(doc);
            }
        }
        if let Some(other) = &self.beside {
            other.mark_member(id, own);
        }
    }

    /// The documents of its block in index order, with their ids (but for the root's) and sources.
    fn members(&self) -> impl Iterator<Item = (u32, Option<&str>, &Arc<[u8]>)> {
        let first = self.doc - u32::try_from(self.children.len()).unwrap_or(self.doc).min(self.doc);
        let children = self.children.iter().map(|child| (Some(child.id.as_str()), &child.source));
        let all = children.chain([(None, &self.source)]);
        (first..).zip(all).map(|(doc, (id, source))| (doc, id, source))
    }

    /// The living documents of its block, as they are stored.
    pub(crate) fn sources(&self) -> Vec<Arc<[u8]>> {
        let living = self.members().filter(|(doc, ..)| !self.marks.is_dead(*doc));
        living.map(|(_, _, source)| source.clone()).collect()
    }

    /// The living document of this id below it.
    fn child(&self, id: &str) -> Option<&Arc<[u8]>> {
        let mut below = self.members().filter(|(doc, ..)| !self.marks.is_dead(*doc));
        let found = below.find(|(_, name, _)| *name == Some(id)).map(|(_, _, source)| source);
        found.or_else(|| self.beside.as_ref()?.child(id))
    }

    fn holds_living(&self) -> bool {
        self.members().any(|(doc, ..)| !self.marks.is_dead(doc))
            || self.beside.as_ref().is_some_and(|other| other.holds_living())
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
    current: Ids,
    sealing: Ids,
}

#[derive(Debug, Default)]
struct Ids {
    documents: HashMap<String, RecentDocument>,
    /// The roots of the blocks that a document is or was in, by the document's id.
    roots: HashMap<String, Vec<String>>,
}

impl Ids {
    fn get(&self, id: &str) -> Option<&RecentDocument> {
        self.documents.get(id).and_then(RecentDocument::alive)
    }

    fn child(&self, id: &str) -> Option<&Arc<[u8]>> {
        // A document that moved to another block is in the one that came last.
        let roots = self.roots.get(id)?.iter().rev();
        roots.filter_map(|root| self.documents.get(root)).find_map(|document| document.child(id))
    }
}

impl Recent {
    /// The live document of this id that came last, which is the root of its block.
    pub(crate) fn get(&self, id: &str) -> Option<&RecentDocument> {
        // What builders take now is newer than what is being sealed.
        self.current.get(id).or_else(|| self.sealing.get(id))
    }

    /// The source of the live document of this id in the block of another.
    pub(crate) fn child(&self, id: &str) -> Option<&Arc<[u8]>> {
        self.current.child(id).or_else(|| self.sealing.child(id))
    }

    /// Marks all documents of this id with their blocks dead; true when one was alive.
    pub(crate) fn mark(&mut self, id: &str) -> bool {
        let current = self.current.documents.remove(id).is_some_and(|it| it.mark());
        // Marked in both, whatever the first said: an `||` the other way round would leave one alive.
        self.sealing.documents.get(id).is_some_and(RecentDocument::mark) || current
    }

    /// Marks the documents of this id in the block of `root` dead.
    pub(crate) fn mark_member(&mut self, root: &str, id: &str) {
        for ids in [&self.current, &self.sealing] {
            if let Some(document) = ids.documents.get(root) {
                document.mark_member(id, root);
            }
        }
    }

    /// Adds a document, beside those of its id that are alive.
    pub(crate) fn insert(&mut self, id: String, mut document: RecentDocument) {
        let Ids { documents, roots } = &mut self.current;
        for child in &document.children {
            let known = roots.entry(child.id.clone()).or_default();
            if known.last() != Some(&id) {
                known.push(id.clone());
            }
        }
        // A chain of dead ones is not carried on, or an id that is updated for ever would grow one.
        let beside = documents.remove(&id).filter(RecentDocument::holds_living);
        document.beside = beside.map(Box::new);
        documents.insert(id, document);
    }

    /// The current documents are being sealed from here on.
    pub(crate) fn begin_sealing(&mut self) {
        let Ids { documents, roots } = std::mem::take(&mut self.current);
        self.sealing.documents.extend(documents);
        for (child, roots) in roots {
            self.sealing.roots.entry(child).or_default().extend(roots);
        }
    }

    /// The segments being sealed can be asked themselves now.
    pub(crate) fn end_sealing(&mut self) {
        self.sealing = Ids::default();
    }

    /// Drops the documents of segments that are sealed and can be asked themselves. Must come before such a
    /// segment is merged: the documents then go by other marks.
    pub(crate) fn forget(&mut self, sealed: &[Arc<Segment>]) {
        let is_sealed = |marks: &Arc<Marks>| sealed.iter().any(|segment| Arc::ptr_eq(&segment.marks, marks));
        let Ids { documents, roots } = &mut self.current;
        documents.retain(|_, document| document.forget(&is_sealed));
        roots.retain(|_, roots| {
            roots.retain(|root| documents.contains_key(root));
            !roots.is_empty()
        });
    }

    /// The versions of the living documents.
    pub(crate) fn versions(&self) -> impl Iterator<Item = Version> {
        let all = self.current.documents.values().chain(self.sealing.documents.values());
        all.filter_map(RecentDocument::alive).map(|document| document.version)
    }

    /// No document waits to become visible.
    pub(crate) fn is_empty(&self) -> bool {
        self.current.documents.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.current = Ids::default();
        self.sealing = Ids::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(marks: &Arc<Marks>, doc: u32) -> RecentDocument {
        let (version, source) = (Version::from(doc), Arc::default());
        RecentDocument { marks: marks.clone(), doc, version, source, children: vec![], beside: None }
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
        assert_eq!(marks.current().iter().collect::<Vec<_>>(), [0, 1, 2]);
    }
    #[test]
    fn blocks_die_as_one_and_their_members_alone() {
        let marks = Arc::new(Marks::default());
        let mut recent = Recent::default();
        let child = |id: &str| RecentChild { id: id.into(), source: id.as_bytes().into() };
        let block = RecentDocument { children: vec![child("x"), child("y")], ..document(&marks, 2) };
        recent.insert("a".into(), block);
        assert_eq!(recent.child("x").map(|source| &**source), Some(b"x".as_slice()));
        recent.mark_member("a", "x");
        assert!(recent.child("x").is_none() && recent.child("y").is_some());
        recent.mark_member("a", "a");
        recent.begin_sealing();
        assert!(recent.get("a").is_none() && recent.child("y").is_some());
        assert!(recent.mark("a"));
        assert!(recent.child("y").is_none());
        assert_eq!(marks.current().iter().collect::<Vec<_>>(), [0, 1, 2]);
    }
}
