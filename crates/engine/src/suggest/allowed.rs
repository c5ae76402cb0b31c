//! Which contexts let an entry in: the clauses asked for, with contexts by number, held against those of one
//! entry at a time.
//!
//! In: the contexts of a request and the lists of a suggester (`lists`); out: whether an entry is let in,
//! and, where there are some, the lists that have all that can be, so that `infix` need not walk the others.

use plan::{Contexts, Occur};

use super::lists::Lists;
use super::merged::Several;

/// Contexts asked for, after they were looked up.
pub(super) enum Allowed {
    /// One of these, ascending.
    One(Vec<u32>),
    Clauses(Clauses),
}

#[derive(Default)]
pub(super) struct Clauses {
    required: Vec<Allowed>,
    /// Of which one is wanted where nothing is required.
    optional: Vec<Allowed>,
    excluded: Vec<Allowed>,
}

impl Allowed {
    pub(super) fn of(contexts: &Contexts, lists: &Lists) -> Self {
        match contexts {
            Contexts::Nothing => Self::One(Vec::new()),
            Contexts::Is(context) => {
                let found = lists.texts.find(context.as_bytes());
                Self::One(found.map(|number| number as u32).into_iter().collect())
            }
            Contexts::Like(pattern) => {
                let matches = |at: &u32| plan::glob_matches(pattern, &lists.texts.texts.text(*at as usize));
                Self::One((0..lists.texts.len() as u32).filter(matches).collect())
            }
            Contexts::Clauses(clauses) if clauses.is_empty() => Self::One(Vec::new()),
            Contexts::Clauses(clauses) => Self::clauses(clauses, lists),
        }
    }

    fn clauses(clauses: &[(Occur, Contexts)], lists: &Lists) -> Self {
        let mut all = Clauses::default();
        for (occur, contexts) in clauses {
            let allowed = match Self::of(contexts, lists) {
                // Inside other clauses, those that only exclude find nothing.
                Self::Clauses(inner) if inner.only_excludes() => Self::One(Vec::new()),
                allowed => allowed,
            };
            match occur {
                Occur::Must | Occur::Filter => all.required.push(allowed),
                Occur::Should => all.optional.push(allowed),
                Occur::MustNot => all.excluded.push(allowed),
            }
        }
        (all.optional, all.excluded) = (joined(all.optional), joined(all.excluded));
        Self::Clauses(all)
    }

    /// Whether an entry of these contexts is let in.
    pub(super) fn admits(&self, contexts: &[u32]) -> bool {
        match self {
            Self::One(any) => contexts.iter().any(|context| any.binary_search(context).is_ok()),
            Self::Clauses(Clauses { required, optional, excluded }) => {
                let found = match (required.as_slice(), optional.as_slice()) {
                    ([], []) => true,
                    ([], optional) => optional.iter().any(|it| it.admits(contexts)),
                    (required, _) => required.iter().all(|it| it.admits(contexts)),
                };
                found && !excluded.iter().any(|it| it.admits(contexts))
            }
        }
    }

    /// Lists one of which has every entry that is let in; the shortest. `None` where none have.
    pub(super) fn lists(&self, lists: &Lists) -> Option<Several> {
        match self {
            Self::One(texts) => Some(Several { texts: texts.clone(), range: 0..0 }),
            Self::Clauses(Clauses { required, optional, .. }) if required.is_empty() => {
                let each: Option<Vec<Several>> = optional.iter().map(|it| it.lists(lists)).collect();
                let mut texts: Vec<u32> = each?.into_iter().flat_map(|it| it.texts).collect();
                texts.sort_unstable();
                texts.dedup();
                (!optional.is_empty()).then_some(Several { texts, range: 0..0 })
            }
            Self::Clauses(Clauses { required, .. }) => {
                required.iter().filter_map(|it| it.lists(lists)).min_by_key(|several| several.cost(lists))
            }
        }
    }
}

impl Clauses {
    fn only_excludes(&self) -> bool {
        self.required.is_empty() && self.optional.is_empty()
    }
}

/// Any of which will do: plain contexts are put into one.
fn joined(any: Vec<Allowed>) -> Vec<Allowed> {
    let (mut plain, mut others): (Option<Vec<u32>>, Vec<Allowed>) = (None, Vec::new());
    for allowed in any {
        match allowed {
            Allowed::One(more) => plain.get_or_insert_default().extend(more),
            clauses => others.push(clauses),
        }
    }
    others.extend(plain.map(|mut texts| {
        texts.sort_unstable();
        texts.dedup();
        Allowed::One(texts)
    }));
    others
}
