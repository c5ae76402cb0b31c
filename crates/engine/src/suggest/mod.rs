//! The suggesters of a shard: built from a snapshot, kept in memory, looked up without touching the index.
//! Each keeps what it was built of until it is built again; a lookup works on the building it found.
//!
//! `entries` reads what is suggested; `infix` (with `lists`, `merged` and `allowed`) finds it by words
//! anywhere in it, `prefix` (with `fuzzy`) by its beginning, `next_word` foretells words. All stand on a
//! `dictionary`, where what begins alike is a range, and on its `peaks`, by which the best of a range are
//! found without reading it.

mod allowed;
mod dictionary;
mod entries;
mod fuzzy;
mod infix;
mod lists;
mod merged;
mod next_word;
mod peaks;
mod prefix;
mod sorted;
#[cfg(test)]
mod split_tests;
#[cfg(test)]
mod tests;
mod texts;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use analysis::Analyzer;
use plan::partial::{SameTexts, SuggestPartial};
use plan::{
    Error, FieldType, Lookup, Result, Schema, SortedLookup, SuggestAsk, SuggestComponent, SuggestPlan,
    SuggestSource, Suggester,
};

use crate::layout::analyzers::Analyzers;
use crate::layout::bound_schema::BoundSchema;
use crate::lock::lock;
use crate::snapshot::Snapshot;
use entries::SuggestEntry;
use infix::{InfixAsk, InfixIndex};
use next_word::{NextWordAsk, NextWordIndex};
use prefix::PrefixIndex;
use sorted::SortedIndex;

/// A shard's suggesters, by component and name.
#[derive(Default)]
pub(crate) struct Suggesters {
    built: RwLock<HashMap<Key, Arc<Built>>>,
    /// How often `built` was changed.
    changes: AtomicU64,
    declared: Mutex<Vec<SuggestComponent>>,
    /// One is built at a time.
    building: Mutex<()>,
}

type Key = (String, String);

/// A suggester that was built.
struct Built {
    suggester: Suggester,
    /// The number of the snapshot it was built from.
    snapshot: u64,
    index: Index,
}

enum Index {
    Infix(Box<InfixIndex>),
    Prefix(PrefixIndex),
    NextWord(NextWordIndex),
    Sorted(SortedIndex),
}

/// Why suggesters are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The shard was opened, or they were declared anew.
    Opened,
    /// There is a new snapshot.
    Refreshed,
}

impl Suggesters {
    /// Takes up what is declared. What was built by the same declaration stays.
    pub(crate) fn declare(&self, components: &[SuggestComponent]) {
        *lock(&self.declared) = components.to_vec();
        let same = |(component, name): &Key, built: &Arc<Built>| {
            let component = components.iter().find(|it| it.name == *component);
            let declared = component.and_then(|it| it.suggesters.iter().find(|it| it.name == *name));
            declared == Some(&built.suggester)
        };
        self.write().retain(|key, built| same(key, built));
        // Behind the change, and released by it: who reads the new number finds what it stands for.
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// Builds those that an event calls for. What fails is logged and stays as it was, as in Solr.
    pub(crate) fn follow(&self, event: Event, snapshot: &Snapshot, bound: &BoundSchema) {
        let components = lock(&self.declared).clone();
        for component in &components {
            for suggester in
                component.suggesters.iter().filter(|it| self.is_due(component, it, event, snapshot))
            {
                if let Err(error) = self.build(&component.name, &suggester.name, snapshot, bound) {
                    tracing::warn!(%error, suggester = suggester.name, "a suggester was not built");
                }
            }
        }
    }

    fn is_due(
        &self,
        component: &SuggestComponent,
        suggester: &Suggester,
        event: Event,
        snapshot: &Snapshot,
    ) -> bool {
        let built = self.find(&component.name, &suggester.name);
        match event {
            // Solr differs: it keeps these on disk over a restart, as they were built
            // (`component/suggesters`). Here they are built of what the index holds now.
            Event::Opened => {
                let kept = matches!(suggester.lookup, Lookup::Infix(_)) && snapshot.num_docs() > 0;
                built.is_none() && (suggester.build_on.startup || kept)
            }
            Event::Refreshed => {
                let one_segment = snapshot.segments().len() == 1;
                let wanted = suggester.build_on.commit || (suggester.build_on.optimize && one_segment);
                wanted && built.is_none_or(|built| built.snapshot != snapshot.number())
            }
        }
    }

    /// Builds one from a snapshot.
    pub(crate) fn build(
        &self,
        component: &str,
        name: &str,
        snapshot: &Snapshot,
        bound: &BoundSchema,
    ) -> Result<()> {
        let _building = lock(&self.building);
        let suggester = self.declared(component, name)?;
        let index = Index::build(&suggester, snapshot, &bound.schema, &bound.analyzers)?;
        let built = Arc::new(Built { suggester, snapshot: snapshot.number(), index });
        self.write().insert((component.to_owned(), name.to_owned()), built);
        self.changes.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Errors: one that must be built first, and was not. Solr differs: it answers 500
    /// (`component/suggesters`).
    pub(crate) fn suggest(&self, plan: &SuggestPlan) -> Result<SuggestPartial> {
        match self.find(&plan.component, &plan.suggester) {
            Some(built) => {
                let found = built.index.lookup(plan)?;
                Ok(match found {
                    SuggestPartial::Entries(entries) => {
                        SuggestPartial::Entries(entries.from_source(same_texts(&built.suggester)))
                    }
                    found => found,
                })
            }
            None => match self.declared(&plan.component, &plan.suggester)?.lookup {
                Lookup::Infix(_) => Err(Error::bad_request("suggester was not built")),
                Lookup::NextWord(_) => Err(Error::bad_request("Lookup not supported at this time")),
                Lookup::Sorted(SortedLookup { parts: Some(_), .. }) => {
                    Err(Error::bad_request("suggester was not built"))
                }
                Lookup::Prefix(_) | Lookup::Sorted(_) => Ok(SuggestPartial::default()),
            },
        }
    }

    /// Changes whenever one is built or dropped.
    pub(crate) fn number(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Bytes of all that are built.
    pub(crate) fn size(&self) -> u64 {
        let built = self.built.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        built.values().map(|built| built.index.size() as u64).sum()
    }

    fn declared(&self, component: &str, name: &str) -> Result<Suggester> {
        let declared = lock(&self.declared);
        let component = declared.iter().find(|it| it.name == component);
        let suggester = component.and_then(|it| it.suggesters.iter().find(|it| it.name == name));
        suggester
            .cloned()
            .ok_or_else(|| Error::bad_request(format!("No suggester named {name} was configured")))
    }

    fn find(&self, component: &str, name: &str) -> Option<Arc<Built>> {
        let built = self.built.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        built.get(&(component.to_owned(), name.to_owned())).cloned()
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, HashMap<Key, Arc<Built>>> {
        self.built.write().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Index {
    fn build(
        suggester: &Suggester,
        snapshot: &Snapshot,
        schema: &Schema,
        analyzers: &Analyzers,
    ) -> Result<Self> {
        let analyzer = match &suggester.field_type {
            Some(name) => Some(analyzer(schema, analyzers, name)?),
            None => None,
        };
        let analysed = || analyzer.ok_or_else(|| Error::internal("a suggester of words has no field type"));
        let entries = entries_of(snapshot, &suggester.source)?;
        Ok(match &suggester.lookup {
            Lookup::Infix(lookup) => Index::Infix(Box::new(InfixIndex::build(entries, lookup, analysed()?)?)),
            Lookup::Prefix(lookup) => Index::Prefix(PrefixIndex::build(&entries, lookup, analyzer)?),
            Lookup::NextWord(lookup) => Index::NextWord(NextWordIndex::build(&entries, lookup, analysed()?)?),
            Lookup::Sorted(lookup) => Index::Sorted(SortedIndex::build(entries, *lookup)?),
        })
    }

    fn lookup(&self, plan: &SuggestPlan) -> Result<SuggestPartial> {
        let given = plan.given();
        Ok(match (self, &plan.ask) {
            (Index::Infix(index), SuggestAsk::Infix { key, words, prefix, all_required, contexts }) => {
                let ask = InfixAsk {
                    key,
                    words,
                    prefix: prefix.as_deref(),
                    all_required: *all_required,
                    contexts: contexts.as_ref(),
                };
                SuggestPartial::Entries(index.lookup(&ask, given))
            }
            (Index::Prefix(index), SuggestAsk::Prefix { key, paths }) => {
                SuggestPartial::Entries(index.lookup(key, paths, given))
            }
            (Index::NextWord(index), SuggestAsk::NextWord { words, ended, left_out }) => {
                let ask = NextWordAsk { words, ended: *ended, left_out: *left_out };
                SuggestPartial::NextWords(index.lookup(&ask, given))
            }
            (Index::Sorted(index), SuggestAsk::Sorted { key }) => {
                SuggestPartial::Entries(index.lookup(key, given))
            }
            _ => {
                let message = "the suggester was built by another declaration; build it again";
                return Err(Error::bad_request(message));
            }
        })
    }

    fn size(&self) -> usize {
        match self {
            Index::Infix(index) => index.size(),
            Index::Prefix(index) => index.size(),
            Index::NextWord(index) => index.size(),
            Index::Sorted(index) => index.size(),
        }
    }
}

/// What one shard with all documents would have of a text that several have.
fn same_texts(suggester: &Suggester) -> SameTexts {
    match (&suggester.source, &suggester.lookup) {
        (SuggestSource::File { .. }, _) => SameTexts::Shared,
        // The number of a part is a place among others, and no count.
        (SuggestSource::Terms { .. }, Lookup::Sorted(SortedLookup { parts: Some(_), .. })) => {
            SameTexts::Heaviest
        }
        (SuggestSource::Terms { .. }, _) => SameTexts::Sum,
        (SuggestSource::Documents { .. }, Lookup::Infix(_)) => SameTexts::Each,
        (SuggestSource::Documents { .. }, _) => SameTexts::Heaviest,
    }
}

/// That of the type's index.
fn analyzer<'a>(schema: &Schema, analyzers: &'a Analyzers, name: &str) -> Result<&'a Analyzer> {
    let kind: &FieldType = schema.field_type(name).ok_or_else(|| {
        Error::bad_request(format!("field type `{name}` of a suggester does not exist; add it"))
    })?;
    analyzers
        .of_schema()
        .index(kind)?
        .ok_or_else(|| Error::bad_request(format!("field type `{name}` has no analyzer; name one that has")))
}

fn entries_of(snapshot: &Snapshot, source: &SuggestSource) -> Result<Vec<SuggestEntry>> {
    let mut entries = Vec::new();
    entries::each_entry(snapshot, source, &mut |entry| {
        entries.push(entry);
        Ok(())
    })?;
    Ok(entries)
}
