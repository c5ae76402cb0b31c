//! A batch that several shards share: each gets its operations in their order, under the batch's own name,
//! and what became of them is put together in the order in which they were sent.
//!
//! Shards do their parts side by side and fail independently: behind an operation that failed, those of other
//! shards may be done, and the outcome tells each that is.

use std::collections::VecDeque;

use plan::{Durable, Error, Operation, Refusal, RefusalKind, UpdateBatch, UpdateOutcome, Version};

use super::router::{Router, ShardDocument, Target};

/// The parts of a batch, and how their outcomes belong together.
pub(crate) struct SplitBatch {
    /// One for each shard; `None` where it has nothing to do.
    pub parts: Vec<Option<UpdateBatch>>,
    /// Of the operations that an outcome tells of: where each went, and by what the outcome names it.
    sent: Vec<(Target, OperationReport)>,
    /// Of the operation that belongs nowhere, which is the last.
    failure: Option<Error>,
}

/// By what an outcome names an operation.
enum OperationReport {
    Document(String),
    Query(String),
    Refusal,
}

impl SplitBatch {
    /// An operation that belongs nowhere ends the batch there, or is refused where it goes on after errors.
    pub fn of(batch: UpdateBatch, router: &Router, shards: &[ShardDocument]) -> Self {
        let mut envelope = batch;
        let operations = std::mem::take(&mut envelope.operations);
        let mut own: Vec<Vec<Operation>> = shards.iter().map(|_| Vec::new()).collect();
        let (mut sent, mut failure) = (Vec::with_capacity(operations.len()), None);
        for operation in operations {
            let placed = router.target(shards, &operation, envelope.route.as_deref());
            let (target, operation) = match (placed, envelope.errors_max) {
                (Ok(target), _) => (target, operation),
                (Err(error), Some(_)) => (Target::One(0), refused(&operation, error)),
                (Err(error), None) => {
                    failure = Some(error);
                    break;
                }
            };
            sent.extend(OperationReport::of(&operation).map(|told| (target, told)));
            match target {
                Target::One(at) => {
                    if let Some(own) = own.get_mut(at) {
                        own.push(operation);
                    }
                }
                Target::All => own.iter_mut().for_each(|own| own.push(operation.clone())),
            }
        }
        // What earlier pieces gave to any shard has to be durable too.
        let is_for_all = envelope.durable == Durable::All;
        let part = |operations: Vec<Operation>| {
            let has_work = is_for_all || !operations.is_empty();
            has_work.then(|| UpdateBatch { operations, ..envelope.clone() })
        };
        Self { parts: own.into_iter().map(part).collect(), sent, failure }
    }

    /// What became of the batch whose operations were `sent`: of each shard what became of its part.
    pub fn join(self, outcomes: Vec<UpdateOutcome>) -> UpdateOutcome {
        let mut parts: Vec<PartOutcome> = outcomes.into_iter().map(PartOutcome::from).collect();
        let mut joined = UpdateOutcome::default();
        for (target, told) in &self.sent {
            let asked = match *target {
                Target::One(at) => at..at + 1,
                Target::All => 0..parts.len(),
            };
            let mut is_told = false;
            for part in parts.get_mut(asked).unwrap_or_default() {
                is_told |= part.move_next(told, (&mut joined, is_told));
                // The first that a part which failed tells nothing of is the one that failed.
                if !is_told && joined.failure.is_none() {
                    joined.failure = part.failure.take();
                }
            }
        }
        // Of a commit, which no list tells of.
        let of_others = parts.into_iter().find_map(|part| part.failure);
        joined.failure = joined.failure.or(of_others).or(self.failure);
        joined
    }
}

/// Counted among the errors of the batch, in its turn.
fn refused(operation: &Operation, error: Error) -> Operation {
    let (kind, of) = match operation {
        Operation::Add(add) => (RefusalKind::Add, add.id.clone()),
        Operation::Modify(edit) => (RefusalKind::Add, edit.id.clone()),
        Operation::Delete { id, .. } => (RefusalKind::Delete, id.clone()),
        Operation::DeleteByQuery { text, .. } => (RefusalKind::DeleteByQuery, text.clone()),
        Operation::Commit(_) | Operation::Rollback | Operation::Refused(_) => return operation.clone(),
    };
    Operation::Refused(Refusal { kind, of, error })
}

impl OperationReport {
    fn of(operation: &Operation) -> Option<Self> {
        Some(match operation {
            Operation::Add(add) => Self::Document(add.id.clone()),
            Operation::Modify(edit) => Self::Document(edit.id.clone()),
            Operation::Delete { id, .. } => Self::Document(id.clone()),
            Operation::DeleteByQuery { text, .. } => Self::Query(text.clone()),
            Operation::Refused(_) => Self::Refusal,
            Operation::Commit(_) | Operation::Rollback => return None,
        })
    }
}

/// What one shard tells, from the front.
struct PartOutcome {
    added: VecDeque<(String, Version)>,
    deleted: VecDeque<(String, Version)>,
    deleted_by_query: VecDeque<(String, Version)>,
    refused: VecDeque<Refusal>,
    failure: Option<Error>,
}

impl From<UpdateOutcome> for PartOutcome {
    fn from(outcome: UpdateOutcome) -> Self {
        let UpdateOutcome { added, deleted, deleted_by_query, refused, failure } = outcome;
        Self {
            added: added.into(),
            deleted: deleted.into(),
            deleted_by_query: deleted_by_query.into(),
            refused: refused.into(),
            failure,
        }
    }
}

impl PartOutcome {
    /// Moves the outcome of the operation to `joined`, or drops it where another shard told it already.
    /// Whether there was anything.
    fn move_next(&mut self, told: &OperationReport, (joined, is_told): (&mut UpdateOutcome, bool)) -> bool {
        let take = |from: &mut VecDeque<(String, Version)>, to: &mut Vec<_>, name: &str| {
            let found = from.pop_front_if(|(of, _)| of == name);
            let was_done = found.is_some();
            to.extend(found.filter(|_| !is_told));
            was_done
        };
        let was_done = match told {
            OperationReport::Document(id) => {
                take(&mut self.added, &mut joined.added, id)
                    || take(&mut self.deleted, &mut joined.deleted, id)
            }
            OperationReport::Query(text) => {
                take(&mut self.deleted_by_query, &mut joined.deleted_by_query, text)
            }
            OperationReport::Refusal => false,
        };
        if was_done {
            return true;
        }
        let refused = self.refused.pop_front_if(|refusal| match told {
            OperationReport::Document(name) | OperationReport::Query(name) => refusal.of == *name,
            OperationReport::Refusal => true,
        });
        let was_refused = refused.is_some();
        joined.refused.extend(refused.filter(|_| !is_told));
        was_refused
    }
}

#[cfg(test)]
mod tests {
    use plan::{Commit, ErrorKind, Expect};

    use super::*;
    use crate::routing::{HashRange, RouterKind};

    fn two_shards() -> Vec<ShardDocument> {
        let ranges = HashRange::ALL.cut(2).into_iter().enumerate();
        let shard = |(at, range)| ShardDocument {
            name: format!("shard{}", at + 1),
            core: String::new(),
            node_number: 0,
            range: Some(range),
        };
        ranges.map(shard).collect()
    }

    fn delete(id: &str) -> Operation {
        Operation::Delete { id: id.to_owned(), route: None, expect: Expect::Anything, commit_within_ms: None }
    }

    fn by_query(text: &str) -> Operation {
        Operation::DeleteByQuery { query: plan::Query::All, text: text.to_owned(), commit_within_ms: None }
    }

    fn told(names: &[(&str, i64)]) -> Vec<(String, Version)> {
        names.iter().map(|(name, version)| ((*name).to_owned(), *version)).collect()
    }

    fn refusal(of: &str) -> Refusal {
        let error = Error::new(ErrorKind::Conflict, format!("not {of}"));
        Refusal { kind: RefusalKind::Delete, of: of.to_owned(), error }
    }

    fn split(operations: Vec<Operation>) -> SplitBatch {
        let batch = UpdateBatch { operations, ..UpdateBatch::default() };
        SplitBatch::of(batch, &Router::default(), &two_shards())
    }

    #[test]
    fn each_shard_gets_its_own_in_order() {
        let operations =
            vec![delete("a!1"), delete("b!1"), by_query("x"), delete("a!2"), Operation::Commit(Commit::HARD)];
        let shown = |part: &Option<UpdateBatch>| -> Vec<String> {
            let operations = part.iter().flat_map(|part| &part.operations);
            operations
                .map(|operation| match operation {
                    Operation::Delete { id, .. } => id.clone(),
                    Operation::DeleteByQuery { text, .. } => text.clone(),
                    _ => "commit".to_owned(),
                })
                .collect()
        };
        let parts: Vec<_> = split(operations).parts.iter().map(shown).collect();
        assert_eq!(parts, [vec!["b!1", "x", "commit"], vec!["a!1", "x", "a!2", "commit"]]);
        assert_eq!(
            split(vec![delete("a!1")]).parts.iter().map(Option::is_some).collect::<Vec<_>>(),
            [false, true]
        );
        let all = UpdateBatch { durable: Durable::All, ..UpdateBatch::default() };
        let all = SplitBatch::of(all, &Router::default(), &two_shards());
        assert!(all.parts.iter().all(Option::is_some), "a shard would not be asked whether all is durable");
    }

    #[test]
    fn what_was_done_is_told_in_the_order_sent() {
        let batch = split(vec![delete("a!1"), delete("b!1"), by_query("x"), delete("a!2"), delete("b!2")]);
        let one = UpdateOutcome {
            deleted: told(&[("b!1", -3), ("b!2", -5)]),
            deleted_by_query: told(&[("x", -4)]),
            ..UpdateOutcome::default()
        };
        let two = UpdateOutcome {
            deleted: told(&[("a!1", -6)]),
            deleted_by_query: told(&[("x", -7)]),
            refused: vec![refusal("a!2")],
            ..UpdateOutcome::default()
        };
        let joined = batch.join(vec![one, two]);
        assert_eq!(joined.deleted, told(&[("a!1", -6), ("b!1", -3), ("b!2", -5)]));
        assert_eq!((joined.deleted_by_query, joined.failure), (told(&[("x", -4)]), None));
        assert_eq!(joined.refused, [refusal("a!2")]);
    }

    #[test]
    fn the_first_operation_that_failed_says_why() {
        let failed = |deleted: &[(&str, i64)], message: &str| UpdateOutcome {
            deleted: told(deleted),
            failure: Some(Error::new(ErrorKind::Conflict, message)),
            ..UpdateOutcome::default()
        };
        let batch = split(vec![delete("a!1"), delete("b!1"), delete("a!2"), delete("b!2")]);
        let joined = batch.join(vec![failed(&[("b!1", -1)], "late"), failed(&[("a!1", -2)], "early")]);
        assert_eq!(joined.failure.unwrap().message, "early");
        assert_eq!(joined.deleted, told(&[("a!1", -2), ("b!1", -1)]));
        let batch = split(vec![delete("a!1"), Operation::Commit(Commit::HARD)]);
        let joined = batch.join(vec![
            failed(&[], "full"),
            UpdateOutcome { deleted: told(&[("a!1", -2)]), ..UpdateOutcome::default() },
        ]);
        assert_eq!((joined.failure.unwrap().message.as_str(), joined.deleted.len()), ("full", 1));
    }

    #[test]
    fn an_operation_that_belongs_nowhere_ends_the_batch_there() {
        let router = Router { kind: RouterKind::CompositeId, field: Some("shelf_s".into()) };
        let document = plan::Add {
            id: "1".into(),
            document: plan::Document::default(),
            children: vec![],
            expect: Expect::Anything,
            overwrite: true,
            conditions: None,
            commit_within_ms: None,
        };
        let operations = vec![by_query("x"), Operation::Add(document), by_query("y")];
        let of = |errors_max| {
            let batch = UpdateBatch { operations: operations.clone(), errors_max, ..UpdateBatch::default() };
            SplitBatch::of(batch, &router, &two_shards())
        };
        let counts = |batch: &SplitBatch| -> Vec<usize> {
            batch.parts.iter().flatten().map(|part| part.operations.len()).collect()
        };
        let (ended, goes_on) = (of(None), of(Some(5)));
        assert_eq!((counts(&ended), counts(&goes_on)), (vec![1, 1], vec![3, 2]));
        let done = UpdateOutcome { deleted_by_query: told(&[("x", -1)]), ..UpdateOutcome::default() };
        let joined = ended.join(vec![done.clone(), done]);
        assert_eq!(joined.deleted_by_query, told(&[("x", -1)]));
        assert_eq!(joined.failure.unwrap().message, "No value for :shelf_s. Unable to identify shard");
    }
}
