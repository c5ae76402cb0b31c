//! Random histories of blocks beside a plain list of them: after each step the same documents are found and
//! got, and the living ones of each block stand one behind another in one segment, as they were sent, the
//! root last.

use std::collections::{BTreeMap, BTreeSet};

use plan::{AtomicOp, FieldEdit, Modify, Nested, NestedEdit, NestedField, Related, RelatedScore, Value};
use proptest::prelude::*;

use super::upkeep::{Upkeep, upkeep};
use super::*;
use crate::segment::nesting::nested_position;

/// One step of a history. Roots, children and words are few, so that steps meet; the same child may stand
/// below several roots.
#[derive(Clone, Debug)]
enum Step {
    Put { root: u8, children: Vec<(u8, u8)>, word: u8 },
    Delete { root: u8 },
    DeleteByQuery { word: u8 },
    EditChild { root: u8, child: u8, word: u8 },
    AddChild { root: u8, child: u8, word: u8 },
    RemoveChild { root: u8, child: u8 },
    Upkeep(Upkeep),
}

fn step() -> impl Strategy<Value = Step> {
    let (root, child, word) = (0u8..4, 0u8..5, 0u8..4);
    let children = proptest::collection::vec((child.clone(), word.clone()), 0..4);
    let one = (root.clone(), child.clone(), word.clone());
    prop_oneof![
        8 => (root.clone(), children, word.clone()).prop_map(|(root, children, word)| Step::Put { root, children, word }),
        2 => root.clone().prop_map(|root| Step::Delete { root }),
        3 => word.prop_map(|word| Step::DeleteByQuery { word }),
        3 => one.clone().prop_map(|(root, child, word)| Step::EditChild { root, child, word }),
        2 => one.prop_map(|(root, child, word)| Step::AddChild { root, child, word }),
        2 => (root, child).prop_map(|(root, child)| Step::RemoveChild { root, child }),
        14 => upkeep().prop_map(Step::Upkeep),
    ]
}

/// A document by its id and its word.
type Held = (String, String);

/// What is left of a block, in index order, and whether the root is.
#[derive(Clone, Debug, Default, PartialEq)]
struct Block {
    children: Vec<Held>,
    root: Option<Held>,
}

impl Block {
    fn members(&self) -> impl Iterator<Item = &Held> {
        self.children.iter().chain(&self.root)
    }
}

#[derive(Default)]
struct Model {
    now: BTreeMap<u8, Block>,
    shown: BTreeMap<u8, Block>,
}

fn word(number: u8) -> String {
    format!("w{number}")
}

fn root_id(root: u8) -> String {
    format!("r{root}")
}

fn nested(child: u8, number: u8) -> Nested {
    let id = format!("c{child}");
    let document = document(&[("id", vec![text(&id)]), ("word_s", vec![text(&word(number))])]);
    Nested { id, document, children: vec![] }
}

fn edit(root: u8, id: String, edits: Vec<FieldEdit>, nested: Vec<NestedEdit>) -> Operation {
    let root = Some(root_id(root));
    Operation::Modify(Modify {
        id,
        root,
        edits,
        nested,
        expect: Expect::Anything,
        conditions: None,
        commit_within_ms: None,
    })
}

fn below(op: AtomicOp, documents: Vec<Nested>) -> Vec<NestedEdit> {
    vec![NestedEdit { name: "kids".into(), op, documents, listed: true }]
}

fn operation(step: &Step) -> Option<Operation> {
    Some(match step {
        Step::Put { root, children, word: number } => {
            let id = root_id(*root);
            let document = document(&[("id", vec![text(&id)]), ("word_s", vec![text(&word(*number))])]);
            let documents = children.iter().map(|(child, number)| nested(*child, *number)).collect();
            let field = NestedField { name: Some("kids".into()), listed: true, documents };
            add_block(id, document, vec![field], Expect::Anything)
        }
        Step::Delete { root } => delete(&root_id(*root)),
        Step::DeleteByQuery { word: number } => delete_by_query(term("word_s", &word(*number))),
        Step::EditChild { root, child, word: number } => {
            let values = vec![text(&word(*number))];
            let edits = vec![FieldEdit { field: "word_s".into(), op: AtomicOp::Set, values }];
            edit(*root, format!("c{child}"), edits, vec![])
        }
        Step::AddChild { root, child, word } => {
            edit(*root, root_id(*root), vec![], below(AtomicOp::Add, vec![nested(*child, *word)]))
        }
        Step::RemoveChild { root, child } => {
            edit(*root, root_id(*root), vec![], below(AtomicOp::Remove, vec![nested(*child, 0)]))
        }
        _ => return None,
    })
}

impl Model {
    /// Whether the shard can do as the step says.
    fn apply(&mut self, step: &Step) -> bool {
        match step {
            Step::Put { root, children, word: number } => {
                let children = children.iter().map(|(child, it)| (format!("c{child}"), word(*it))).collect();
                self.now.insert(*root, Block { children, root: Some((root_id(*root), word(*number))) });
            }
            Step::Delete { root } => drop(self.now.remove(root)),
            Step::DeleteByQuery { word: number } => {
                let doomed = word(*number);
                for block in self.now.values_mut() {
                    // All of an id in one block go together.
                    let gone: BTreeSet<String> =
                        block.members().filter(|held| held.1 == doomed).map(|held| held.0.clone()).collect();
                    block.children.retain(|held| !gone.contains(&held.0));
                    block.root = block.root.take().filter(|held| !gone.contains(&held.0));
                }
                self.now.retain(|_, block| block.members().count() > 0);
            }
            Step::EditChild { root, child, word: number } => {
                let Some(block) = self.now.get_mut(root).filter(|block| block.root.is_some()) else {
                    return false;
                };
                let id = format!("c{child}");
                let Some(held) = block.children.iter_mut().find(|held| held.0 == id) else { return false };
                held.1 = word(*number);
            }
            Step::AddChild { root, child, word: number } => {
                let held = (format!("c{child}"), word(*number));
                let block = self.now.entry(*root).or_default();
                if block.root.is_none() {
                    // A new document takes the place of what was left of the block.
                    *block = Block { children: vec![held], root: Some((root_id(*root), String::new())) };
                } else {
                    match block.children.iter_mut().find(|present| present.0 == held.0) {
                        Some(present) => *present = held,
                        None => block.children.push(held),
                    }
                }
            }
            Step::RemoveChild { root, child } => {
                let block = self.now.entry(*root).or_default();
                if block.root.is_none() {
                    *block = Block { children: vec![], root: Some((root_id(*root), String::new())) };
                }
                block.children.retain(|held| held.0 != format!("c{child}"));
            }
            Step::Upkeep(upkeep) if upkeep.shows_all() => self.shown = self.now.clone(),
            Step::Upkeep(_) => {}
        }
        true
    }

    fn check(&self, shard: &Shard) {
        for number in 0..4 {
            let held = self.now.get(&number).and_then(|block| block.root.as_ref());
            let found = get(shard, &root_id(number)).map(|document| word_of(&document));
            assert_eq!(found, held.map(|held| held.1.clone()), "get r{number}");
        }
        for child in (0..5).map(|child| format!("c{child}")) {
            let mut all = self.now.values().flat_map(|block| &block.children);
            assert_eq!(get(shard, &child).is_some(), all.any(|held| held.0 == child), "get {child}");
        }
        assert_eq!(blocks(shard), self.shown);
        for number in 0..4 {
            let expected = self.shown.get(&number).map_or(0, |block| block.members().count());
            assert_eq!(found(shard, &term("_root_", &root_id(number))).len(), expected, "_root_:r{number}");
            self.check_parents(shard, number);
        }
        let all = self.shown.values().map(|block| block.members().count()).sum::<usize>();
        assert_eq!(found(shard, &Query::All).len(), all);
    }

    /// Roots found by the words of what is below them.
    fn check_parents(&self, shard: &Shard, number: u8) {
        let orphaned = self.shown.values().any(|block| block.root.is_none());
        if orphaned {
            return;
        }
        let roots = Query::Prefix { field: "id".into(), prefix: "r".into() };
        let below = Query::Prefix { field: "id".into(), prefix: "c".into() };
        let both = [below, term("word_s", &word(number))];
        let clauses = both.map(|query| plan::Clause { occur: plan::Occur::Must, query }).into();
        let children = Query::Boolean { clauses, minimum_should_match: 0 };
        let relation = Related::ToParent { parents: roots, children, score: RelatedScore::None };
        let blocks = self.shown.values().filter(|block| block.children.iter().any(|it| it.1 == word(number)));
        let expected: Vec<_> =
            blocks.filter_map(|block| block.root.as_ref()).map(|held| held.0.clone()).collect();
        assert_eq!(found(shard, &Query::Related(Box::new(relation))), expected, "above w{number}");
    }
}

fn word_of(document: &Document) -> String {
    document.first("word_s").map(Value::to_text).unwrap_or_default()
}

/// The visible blocks, as they stand in the segments.
fn blocks(shard: &Shard) -> BTreeMap<u8, Block> {
    let snapshot = shard.snapshot();
    let mut blocks: BTreeMap<u8, Block> = BTreeMap::new();
    for view in snapshot.segments() {
        let mut last: Option<u8> = None;
        for doc in view.reader().doc_ids_alive() {
            let source = view.source(doc).unwrap();
            let (id, held) = read_source(&source, snapshot.layout(), &FieldSelection::everything()).unwrap();
            let root =
                nested_position(&source, snapshot.layout()).unwrap().root.unwrap_or_else(|| id.clone());
            let number: u8 = root[1..].parse().unwrap();
            let begun = blocks.contains_key(&number);
            assert!(!begun || last == Some(number), "the block of {root} is torn apart");
            let block = blocks.entry(number).or_default();
            assert!(block.root.is_none(), "something stands behind {root}");
            match id == root {
                true => block.root = Some((id, word_of(&held))),
                false => block.children.push((id, word_of(&held))),
            }
            last = Some(number);
        }
    }
    blocks
}

fn run(steps: &[Step]) {
    let site = Site::new();
    let mut shard = site.open();
    let mut model = Model::default();
    for step in steps {
        let possible = model.apply(step);
        if let Some(operation) = operation(step) {
            site.clock.advance(1);
            let outcome = shard.update(batch(vec![operation]), UpdateContext::default());
            assert_eq!(outcome.failure.is_none(), possible, "{step:?}: {:?}", outcome.failure);
        }
        if let Step::Upkeep(upkeep) = step {
            shard = upkeep.befall(&site, shard);
        }
        model.check(&shard);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn histories_of_blocks_agree_with_a_list(steps in proptest::collection::vec(step(), 1..40)) {
        run(&steps);
    }
}
