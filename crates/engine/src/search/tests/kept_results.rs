//! Pages taken from a kept result, against those of a search that keeps nothing; words looked up once.

use std::sync::Arc;

use meter::Meters;
use plan::partial::ShardResult;
use plan::{CutDepth, FacetPlan, Page, SearchPlan, SortBy, SortKey};
use tantivy::Term;

use super::build::{by, plan, search, term};
use crate::config::CacheSizes;
use crate::search::SearchCaches;
use crate::snapshot::Snapshot;
use crate::testing::{document, schema, snapshot, text};

/// Each with another score.
fn foxes() -> Snapshot {
    let fox = |(id, title): (&str, &str)| {
        document(&[("id", vec![text(id)]), ("title_t", vec![text(title)]), ("name_s", vec![text(id)])])
    };
    let titles = [("1", "fox"), ("2", "fox and fox"), ("3", "a fox in a wood"), ("4", "fox fox fox")];
    snapshot(&Arc::new(schema()), &[titles.map(fox).to_vec()])
}

fn page(sort: &[SortKey], (start, rows): (usize, usize), scores: bool) -> SearchPlan {
    SearchPlan { sort: sort.to_vec(), page: Page { start, rows }, scores, ..plan(term("title_t", "fox")) }
}

#[test]
fn a_page_before_one_that_is_kept_is_whole() {
    let foxes = foxes();
    let by_score = |descending| vec![SortKey { by: SortBy::Score, descending }];
    for sort in [vec![], by_score(true), by_score(false), vec![by("name_s", true)]] {
        for pages in [[(1, 1), (0, 1), (0, 4)], [(2, 2), (0, 2), (1, 3)], [(0, 4), (3, 1), (1, 1)]] {
            for scores in [[true; 3], [false; 3], [false, true, false]] {
                let keeping = SearchCaches::new(&CacheSizes::default());
                for (at, scores) in pages.into_iter().zip(scores) {
                    let plan = page(&sort, at, scores);
                    let shown = |caches: &SearchCaches| {
                        let found = search(&foxes, &plan, caches).unwrap();
                        let hits = found.hits.into_iter().map(|hit| (hit.id, hit.score)).collect::<Vec<_>>();
                        assert_eq!(hits.iter().all(|(_, score)| score.is_some()), scores, "{plan:?}");
                        (found.total, found.score_max, hits)
                    };
                    assert_eq!(shown(&keeping), shown(&SearchCaches::default()), "{plan:?}");
                }
            }
        }
    }
}

#[test]
fn hits_are_kept_for_whom_they_serve() {
    let foxes = foxes();
    let sort = [by("name_s", false)];
    let part = |caches: &SearchCaches, depth| -> ShardResult {
        let facets = FacetPlan { depth, ..FacetPlan::default() };
        let plan = SearchPlan { facets, ..page(&sort, (0, 4), false) };
        crate::search::search(&foxes, &plan, caches, &Meters::default()).unwrap()
    };
    let taken = |caches: &SearchCaches| caches.results.stats().hits;
    let caches = SearchCaches::new(&CacheSizes::default());
    part(&caches, CutDepth::Page);
    assert!(part(&caches, CutDepth::Page).hits.list.iter().all(|hit| hit.sort.is_empty()));
    assert_eq!(taken(&caches), 1);
    // What is merged is compared: hits without values do not do.
    for kept in [0, 1] {
        let merged = part(&caches, CutDepth::Whole).hits.list;
        assert!(merged.iter().all(|hit| hit.sort.len() == 1), "{merged:?}");
        assert_eq!(taken(&caches), 1 + kept);
    }
    // What merges does for one shard too.
    assert_eq!(part(&caches, CutDepth::Page).total, 4);
    assert_eq!(taken(&caches), 3);
}

#[test]
fn a_snapshot_looks_a_word_up_once() {
    let foxes = foxes();
    let field = foxes.layout().field("title_t").unwrap().inverted.unwrap();
    let known = |word: &str| {
        let infos = foxes.known_terms().get(&Term::from_field_text(field, word))?;
        Some(infos.iter().flatten().map(|info| info.doc_freq).sum::<u32>())
    };
    assert_eq!(known("fox"), None);
    for (word, documents) in [("fox", 4), ("wood", 1), ("owl", 0)] {
        for _ in ["looked up", "kept"] {
            let found = search(&foxes, &plan(term("title_t", word)), &SearchCaches::default()).unwrap();
            assert_eq!((found.total, known(word)), (u64::from(documents), Some(documents)));
        }
    }
}
