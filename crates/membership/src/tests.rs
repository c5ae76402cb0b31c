//! A publisher against a ZooKeeper in memory: what is shown, what an outage or another owner does to it. Time
//! is the tests' own.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::memory::MemoryTree;
use crate::{Opening, Publisher, TreeError, View};

const PATIENCE: Duration = Duration::from_secs(60);

/// A view that tests change.
#[derive(Clone, Default)]
struct Truth(Arc<Mutex<View>>);

impl Truth {
    fn of(collections: &[&str]) -> Self {
        let truth = Self::default();
        truth.set(collections, b"{}");
        truth
    }

    fn set(&self, collections: &[&str], state: &[u8]) {
        let mut view = View::default();
        for folder in ["/collections", "/configs"] {
            view.put(folder, Vec::new());
        }
        for name in collections {
            view.put(&format!("/collections/{name}/state.json"), state.to_vec());
        }
        view.put_while_alive("/live_nodes/here:8983_solr", b"{}".to_vec());
        *self.0.lock().unwrap() = view;
    }

    fn publisher(&self, tree: &MemoryTree, number: u64) -> Publisher {
        let view = self.0.clone();
        let opening = Opening { cluster: "one".to_owned(), number };
        Publisher::start(
            tree.clone(),
            opening,
            Arc::new(move || view.lock().unwrap().clone()),
            Arc::new(|_| {}),
        )
    }
}

fn collections(tree: &MemoryTree) -> Vec<String> {
    let state =
        |path: &String| Some(path.strip_prefix("/collections/")?.strip_suffix("/state.json")?.to_owned());
    tree.paths().iter().filter_map(state).collect()
}

#[tokio::test(start_paused = true)]
async fn the_view_follows_its_source() {
    let (tree, truth) = (MemoryTree::default(), Truth::of(&["films"]));
    let publisher = truth.publisher(&tree, 1);
    publisher.published(PATIENCE).await.unwrap();
    assert_eq!(collections(&tree), ["films"]);
    assert!(tree.get("/live_nodes/here:8983_solr").unwrap().session > 0);
    truth.set(&["books", "films"], b"{\"shards\":1}");
    publisher.published(PATIENCE).await.unwrap();
    assert_eq!(collections(&tree), ["books", "films"]);
    assert_eq!(tree.get("/collections/films/state.json").unwrap().version, 1);
    truth.set(&["books"], b"{\"shards\":1}");
    publisher.published(PATIENCE).await.unwrap();
    assert_eq!(collections(&tree), ["books"]);
    // What is as it should be is not written again.
    let writes = tree.writes();
    publisher.published(PATIENCE).await.unwrap();
    assert_eq!(tree.writes(), writes);
    publisher.stop().await;
    assert!(tree.get("/live_nodes/here:8983_solr").is_none());
    assert_eq!(collections(&tree), ["books"]);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_ends_is_made_anew_with_all_that_lived_by_it() {
    let (tree, truth) = (MemoryTree::default(), Truth::of(&["films"]));
    let publisher = truth.publisher(&tree, 1);
    publisher.published(PATIENCE).await.unwrap();
    tree.end_sessions();
    // Wiped by hand, beside.
    truth.set(&["films", "books"], b"{}");
    publisher.published(PATIENCE).await.unwrap();
    assert!(tree.get("/live_nodes/here:8983_solr").is_some());
    assert_eq!(collections(&tree), ["books", "films"]);
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_told_and_gone_through() {
    let (tree, truth) = (MemoryTree::default(), Truth::of(&["films"]));
    tree.set_down(true);
    let publisher = truth.publisher(&tree, 1);
    let lost = publisher.published(Duration::from_secs(5)).await;
    assert!(matches!(lost, Err(TreeError::Lost(_))), "{lost:?}");
    assert!(publisher.check().is_err());
    tree.set_down(false);
    publisher.published(PATIENCE).await.unwrap();
    publisher.check().unwrap();
    assert_eq!(collections(&tree), ["films"]);
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_is_told_at_once_and_what_happened_meanwhile_is_read() {
    let (tree, truth) = (MemoryTree::default(), Truth::of(&["films"]));
    let publisher = truth.publisher(&tree, 1);
    publisher.published(PATIENCE).await.unwrap();
    tree.set_connected(false);
    truth.set(&["books"], b"{}");
    let lost = publisher.published(Duration::from_secs(1)).await;
    assert!(matches!(lost, Err(TreeError::Lost(_))), "{lost:?}");
    assert!(publisher.check().is_err());
    tree.put("/collections/stray", b"");
    tree.set_connected(true);
    publisher.published(PATIENCE).await.unwrap();
    publisher.check().unwrap();
    assert_eq!(collections(&tree), ["books"]);
    assert!(tree.get("/collections/stray").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_write_whose_answer_is_lost_is_found_made() {
    for lost in 0..3 {
        let (tree, truth) = (MemoryTree::default(), Truth::of(&["films"]));
        tree.lose_answer_after(lost);
        let publisher = truth.publisher(&tree, 1);
        publisher.published(PATIENCE).await.unwrap();
        truth.set(&["books"], b"{}");
        publisher.published(PATIENCE).await.unwrap();
        assert_eq!(collections(&tree), ["books"], "answer {lost} lost");
    }
}

#[tokio::test(start_paused = true)]
async fn who_owned_the_documents_before_writes_no_more() {
    let tree = MemoryTree::default();
    let (old, new) = (Truth::of(&["films"]), Truth::of(&["films", "books"]));
    let before = old.publisher(&tree, 1);
    before.published(PATIENCE).await.unwrap();
    let after = new.publisher(&tree, 2);
    after.published(PATIENCE).await.unwrap();
    old.set(&["films", "late"], b"{}");
    let refused = before.published(PATIENCE).await;
    assert_eq!(refused, Err(TreeError::Replaced { newer: 2 }));
    assert_eq!(collections(&tree), ["books", "films"]);
    // One that opened earlier and comes late finds the same.
    let late = old.publisher(&tree, 1).published(PATIENCE).await;
    assert_eq!(late, Err(TreeError::Replaced { newer: 2 }));
    assert_eq!(collections(&tree), ["books", "films"]);
}

#[tokio::test(start_paused = true)]
async fn who_leaves_takes_nothing_of_whoever_came_after() {
    let (tree, truth) = (MemoryTree::default(), Truth::of(&["films"]));
    let before = truth.publisher(&tree, 1);
    before.published(PATIENCE).await.unwrap();
    let after = truth.publisher(&tree, 2);
    after.published(PATIENCE).await.unwrap();
    let live = tree.get("/live_nodes/here:8983_solr");
    before.stop().await;
    assert_eq!(tree.get("/live_nodes/here:8983_solr"), live);
    after.stop().await;
    assert_eq!(tree.get("/live_nodes/here:8983_solr"), None);
}

#[tokio::test(start_paused = true)]
async fn what_strangers_do_in_the_folders_is_mended_and_their_chroots_are_left_alone() {
    let (tree, truth) = (MemoryTree::default(), Truth::of(&["films"]));
    let publisher = truth.publisher(&tree, 1);
    publisher.published(PATIENCE).await.unwrap();
    tree.put("/collections/films/state.json", b"broken");
    tree.put("/collections/stray", b"");
    // The next look finds it, without a hint; time is the test's.
    tokio::time::sleep(Duration::from_secs(31)).await;
    publisher.published(PATIENCE).await.unwrap();
    assert_eq!(tree.get("/collections/films/state.json").unwrap().bytes, b"{}");
    assert!(tree.get("/collections/stray").is_none());

    let solr = MemoryTree::default();
    solr.put("/overseer", b"");
    let refused = truth.publisher(&solr, 1).published(PATIENCE).await;
    assert!(matches!(&refused, Err(TreeError::Refused(why)) if why.contains("`overseer`")), "{refused:?}");
    assert_eq!(solr.paths(), ["/overseer"]);
    let other = Opening { cluster: "two".to_owned(), number: 9 };
    let other = Publisher::start(tree.clone(), other, Arc::new(View::default), Arc::new(|_| {}));
    let refused = other.published(PATIENCE).await;
    assert!(matches!(&refused, Err(TreeError::Refused(why)) if why.contains("cluster `one`")), "{refused:?}");
    assert_eq!(collections(&tree), ["films"]);
}

#[tokio::test(start_paused = true)]
async fn many_nodes_go_in_requests_that_zookeeper_takes() {
    let (tree, truth) = (MemoryTree::default(), Truth::default());
    let names: Vec<String> = (0..700).map(|number| format!("c{number:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    truth.set(&names, &[b'x'; 2_000]);
    truth.0.lock().unwrap().put("/configs/large/synonyms.txt", vec![b'x'; 1_100_000]);
    let told = Arc::new(Mutex::new(Vec::new()));
    let (view, hears) = (truth.0.clone(), told.clone());
    let source = Arc::new(move || view.lock().unwrap().clone());
    let opening = Opening { cluster: "one".to_owned(), number: 1 };
    let tell = Arc::new(move |shown: &crate::Shown| hears.lock().unwrap().clone_from(&shown.left_out));
    let publisher = Publisher::start(tree.clone(), opening, source, tell);
    publisher.published(PATIENCE).await.unwrap();
    assert_eq!(collections(&tree).len(), 700);
    assert!((4..12).contains(&tree.writes()), "{}", tree.writes());
    assert_eq!(*told.lock().unwrap(), ["/configs/large/synonyms.txt"]);
}
