//! Publishers against a ZooKeeper in memory: what is shown, what an outage or another member does to it. Time
//! is the tests' own.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::memory::MemoryTree;
use crate::{Member, Publisher, Shown, Source, TreeError, View};

const PATIENCE: Duration = Duration::from_secs(60);

/// The collections with their state, as all members find them; what the member `here` knows beside, who makes
/// the changes of most tests.
#[derive(Clone, Default)]
struct Truth(Arc<Mutex<View>>, Arc<Mutex<View>>);

impl Truth {
    fn of(collections: &[&str]) -> Self {
        let truth = Self::default();
        truth.set(collections, b"{}");
        truth
    }

    fn set(&self, collections: &[&str], state: &[u8]) {
        let mut view = View::default();
        for folder in ["/collections", "/configs", "/live_nodes"] {
            view.put(folder, Vec::new());
        }
        for name in collections {
            view.put(&format!("/collections/{name}/state.json"), state.to_vec());
        }
        *self.0.lock().unwrap() = view.clone();
        *self.1.lock().unwrap() = view;
    }

    fn publisher(&self, tree: &MemoryTree) -> Publisher {
        self.member("here").publisher(tree)
    }

    fn member(&self, name: &str) -> TestMember {
        let known = if name == "here" { self.1.clone() } else { Arc::default() };
        TestMember { truth: self.clone(), name: name.to_owned(), known, ..TestMember::default() }
    }
}

/// One member, with what it heard. It knows of the truth what it read at the last refresh.
#[derive(Clone, Default)]
struct TestMember {
    truth: Truth,
    name: String,
    known: Arc<Mutex<View>>,
    living: Arc<Mutex<Vec<String>>>,
    left_out: Arc<Mutex<Vec<String>>>,
    is_cut_off: Arc<Mutex<bool>>,
    host: String,
    /// Its name where it has none.
    id: String,
    urls: Arc<Mutex<Vec<String>>>,
}

impl TestMember {
    fn publisher(&self, tree: &MemoryTree) -> Publisher {
        self.publisher_of("one", tree)
    }

    fn publisher_of(&self, cluster: &str, tree: &MemoryTree) -> Publisher {
        let url = format!("http://{}:8983", self.host);
        let own = Member { id: self.id(), name: self.live_node(), url, facts: BTreeMap::default() };
        Publisher::start(tree.clone(), cluster.to_owned(), own, Arc::new(self.clone()))
    }

    fn id(&self) -> String {
        if self.id.is_empty() { self.name.clone() } else { self.id.clone() }
    }

    fn live_node(&self) -> String {
        format!("{}:8983_solr", self.name)
    }

    fn urls(&self) -> Vec<String> {
        self.urls.lock().unwrap().clone()
    }

    fn living(&self) -> Vec<String> {
        self.living.lock().unwrap().clone()
    }
}

impl Source for TestMember {
    async fn refresh(&self) -> Result<(), String> {
        if *self.is_cut_off.lock().unwrap() {
            return Err("the store does not answer".to_owned());
        }
        *self.known.lock().unwrap() = self.truth.0.lock().unwrap().clone();
        Ok(())
    }

    fn view(&self) -> View {
        let mut view = self.known.lock().unwrap().clone();
        view.put_while_alive(&format!("/live_nodes/{}", self.live_node()), b"{}".to_vec());
        view
    }

    fn shown(&self, shown: &Shown) {
        self.left_out.lock().unwrap().clone_from(&shown.left_out);
    }

    fn living(&self, members: Vec<Member>) {
        *self.urls.lock().unwrap() = members.iter().map(|member| member.url.clone()).collect();
        *self.living.lock().unwrap() = members.into_iter().map(|member| member.id).collect();
    }
}

/// Waits until a member heard what it is to hear.
async fn hears(member: &TestMember, living: &[&str]) {
    let waiting = async {
        while member.living() != living {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("{:?}", member.living()));
}

fn collections(tree: &MemoryTree) -> Vec<String> {
    let state =
        |path: &String| Some(path.strip_prefix("/collections/")?.strip_suffix("/state.json")?.to_owned());
    tree.paths().iter().filter_map(state).collect()
}

#[tokio::test(start_paused = true)]
async fn the_view_follows_its_source() {
    let (tree, truth) = (MemoryTree::default(), Truth::of(&["films"]));
    let publisher = truth.publisher(&tree);
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
    let publisher = truth.publisher(&tree);
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
    let publisher = truth.publisher(&tree);
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
    let publisher = truth.publisher(&tree);
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
        let publisher = truth.publisher(&tree);
        publisher.published(PATIENCE).await.unwrap();
        truth.set(&["books"], b"{}");
        publisher.published(PATIENCE).await.unwrap();
        assert_eq!(collections(&tree), ["books"], "answer {lost} lost");
    }
}

#[tokio::test(start_paused = true)]
async fn members_show_one_truth_and_hear_of_each_other() {
    let (tree, truth) = (MemoryTree::default(), Truth::of(&["films"]));
    let (a, b) = (truth.member("a"), truth.member("b"));
    let (of_a, of_b) = (a.publisher(&tree), b.publisher(&tree));
    of_a.published(PATIENCE).await.unwrap();
    of_b.published(PATIENCE).await.unwrap();
    hears(&a, &["a", "b"]).await;
    hears(&b, &["a", "b"]).await;
    // Each takes up what the other changed, and neither writes what it read before.
    truth.set(&["films", "books"], b"{}");
    of_b.published(PATIENCE).await.unwrap();
    assert_eq!(collections(&tree), ["films"], "b has changed nothing itself");
    of_a.hint();
    b.refresh().await.unwrap();
    of_b.published(PATIENCE).await.unwrap();
    assert_eq!(collections(&tree), ["books", "films"]);
    of_a.published(PATIENCE).await.unwrap();
    assert_eq!(collections(&tree), ["books", "films"]);
    assert!(a.view().0.contains_key("/collections/books/state.json"), "a heard of the claim");
    of_b.stop().await;
    hears(&a, &["a"]).await;
    assert!(tree.get("/live_nodes/a:8983_solr").is_some());
    assert!(tree.get("/live_nodes/b:8983_solr").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_member_that_fell_behind_shows_nothing_old() {
    let (tree, truth) = (MemoryTree::default(), Truth::of(&["films"]));
    let (a, b) = (truth.member("a"), truth.member("b"));
    let (of_a, of_b) = (a.publisher(&tree), b.publisher(&tree));
    of_a.published(PATIENCE).await.unwrap();
    *a.is_cut_off.lock().unwrap() = true;
    truth.set(&["films", "books"], b"{}");
    b.refresh().await.unwrap();
    of_b.published(PATIENCE).await.unwrap();
    assert_eq!(collections(&tree), ["books", "films"]);
    // It knows that it does not know, and stays in the session by which it lives.
    let unread = of_a.published(Duration::from_secs(5)).await;
    assert!(matches!(unread, Err(TreeError::Unread(_))), "{unread:?}");
    assert_eq!(collections(&tree), ["books", "films"]);
    assert!(tree.get("/live_nodes/a:8983_solr").is_some());
    *a.is_cut_off.lock().unwrap() = false;
    of_a.published(PATIENCE).await.unwrap();
    assert_eq!(collections(&tree), ["books", "films"]);
}

#[tokio::test(start_paused = true)]
async fn who_returns_in_a_new_session_is_the_same_member() {
    let (tree, truth) = (MemoryTree::default(), Truth::of(&["films"]));
    let member = truth.member("a");
    let before = member.publisher(&tree);
    before.published(PATIENCE).await.unwrap();
    let other = truth.member("b");
    let of_other = other.publisher(&tree);
    of_other.published(PATIENCE).await.unwrap();
    // It died, and is there again at another address before its session has ended.
    let moved = TestMember { host: "elsewhere".to_owned(), ..member.clone() };
    let after = moved.publisher(&tree);
    after.published(PATIENCE).await.unwrap();
    of_other.published(PATIENCE).await.unwrap();
    assert_eq!(other.urls(), ["http://elsewhere:8983", "http://:8983"]);
    let nodes = ["/live_nodes/a:8983_solr", "/parhelion/members/a"].map(|path| tree.get(path).unwrap());
    // Where the one before lives on, on a copy of its data, it says so and goes no further.
    let copied = before.published(PATIENCE).await;
    assert!(matches!(&copied, Err(TreeError::Refused(why)) if why.contains("copy")), "{copied:?}");
    // Whoever leaves takes nothing of whoever came after.
    before.stop().await;
    let left = ["/live_nodes/a:8983_solr", "/parhelion/members/a"].map(|path| tree.get(path).unwrap());
    assert_eq!(left, nodes);
    after.stop().await;
    assert_eq!(tree.get("/live_nodes/a:8983_solr"), None);
    assert_eq!(tree.get("/parhelion/members/a"), None);
}

#[tokio::test(start_paused = true)]
async fn two_members_of_one_name_do_not_fight_for_it() {
    let (tree, truth) = (MemoryTree::default(), Truth::of(&["films"]));
    let (first, second) = (truth.member("a"), TestMember { id: "other".to_owned(), ..truth.member("a") });
    let of_first = first.publisher(&tree);
    of_first.published(PATIENCE).await.unwrap();
    let live = tree.get("/live_nodes/a:8983_solr");
    let of_second = second.publisher(&tree);
    let taken = of_second.published(Duration::from_secs(3)).await;
    assert!(matches!(taken, Err(TreeError::Taken(_))), "{taken:?}");
    assert_eq!(tree.get("/live_nodes/a:8983_solr"), live);
    of_first.stop().await;
    of_second.published(PATIENCE).await.unwrap();
    assert_eq!(second.living(), ["other"]);
}

#[tokio::test(start_paused = true)]
async fn what_strangers_do_in_the_folders_is_mended_and_their_chroots_are_left_alone() {
    let (tree, truth) = (MemoryTree::default(), Truth::of(&["films"]));
    let publisher = truth.publisher(&tree);
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
    let refused = truth.publisher(&solr).published(PATIENCE).await;
    assert!(matches!(&refused, Err(TreeError::Refused(why)) if why.contains("`overseer`")), "{refused:?}");
    assert_eq!(solr.paths(), ["/overseer"]);
    let refused = truth.member("other").publisher_of("two", &tree).published(PATIENCE).await;
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
    let member = truth.member("here");
    let publisher = member.publisher(&tree);
    publisher.published(PATIENCE).await.unwrap();
    assert_eq!(collections(&tree).len(), 700);
    assert!((4..12).contains(&tree.writes()), "{}", tree.writes());
    assert_eq!(*member.left_out.lock().unwrap(), ["/configs/large/synonyms.txt"]);
}
