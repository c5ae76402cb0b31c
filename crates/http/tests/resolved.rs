//! Requests that are resolved against one version of the schema and meet another at the shard: they are
//! resolved anew and answered as if they had come after the edit, or refused with nothing done where edits do
//! not end.

mod served;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, OnceLock};

use cluster::Collection;
use plan::{CollectionConfig, FieldSource, SchemaSource};
use served::Served;

type Edit = Box<dyn Fn(&SchemaSource) -> SchemaSource + Send>;

/// A server on which each search and each update finds the schema edited, one edit for each arrival, until
/// there are no more.
struct Interrupted {
    served: Served,
    edits: Arc<Mutex<VecDeque<Edit>>>,
    arrivals: Arc<AtomicUsize>,
}

impl Interrupted {
    async fn start() -> Self {
        let edits: Arc<Mutex<VecDeque<Edit>>> = Arc::default();
        let (arrivals, films): (Arc<AtomicUsize>, Arc<OnceLock<Arc<Collection>>>) = Default::default();
        let on_arrival = {
            let (edits, arrivals, films) = (edits.clone(), arrivals.clone(), films.clone());
            move || {
                arrivals.fetch_add(1, Ordering::Relaxed);
                let edit = edits.lock().unwrap().pop_front();
                if let (Some(edit), Some(films)) = (edit, films.get()) {
                    change(films.clone(), edit);
                }
            }
        };
        let served = Served::start_interrupted(Arc::new(on_arrival)).await;
        films.set(served.node.find("films").unwrap()).unwrap_or_else(|_| unreachable!());
        Self { served, edits, arrivals }
    }

    fn then(&self, edit: impl Fn(&SchemaSource) -> SchemaSource + Send + 'static) {
        self.edits.lock().unwrap().push_back(Box::new(edit));
    }

    /// How often the shard was asked since the last call.
    fn arrivals(&self) -> usize {
        self.arrivals.swap(0, Ordering::Relaxed)
    }

    async fn add(&self, document: &str) -> u16 {
        let answer = self.served.post("/solr/films/update?commit=true", "application/json", document).await;
        answer.status
    }

    async fn get(&self, path: &str) -> String {
        served::body(&self.served, path).await
    }
}

/// Whole before it returns, on a thread of its own: the shard's caller may be a task of the server's runtime.
fn change(films: Arc<Collection>, edit: Edit) {
    let work = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(films.edit_schema(|source| Ok(edit(source)))).unwrap();
    };
    std::thread::scope(|scope| scope.spawn(work).join().unwrap());
}

/// Another type for a field that is declared, or was covered by a pattern.
fn retyped(name: &'static str, type_name: &'static str) -> impl Fn(&SchemaSource) -> SchemaSource {
    move |source| {
        let mut source = source.clone();
        source.fields.retain(|field| field.name != name);
        source.fields.push(FieldSource {
            name: name.into(),
            type_name: type_name.into(),
            attributes: vec![],
        });
        source
    }
}

#[tokio::test]
async fn an_update_is_typed_by_the_schema_that_it_meets() {
    let films = Interrupted::start().await;
    films.then(retyped("year_s", "pint"));
    assert_eq!(films.add(r#"[{"id":"1","year_s":"1972"}]"#).await, 200);
    assert_eq!(films.arrivals(), 2);
    let found = films.get("/solr/films/get?id=1&fl=year_s&indent=off").await;
    assert!(found.contains(r#""year_s":1972"#), "{found}");
}

#[tokio::test]
async fn a_search_is_resolved_by_the_schema_that_it_meets() {
    let films = Interrupted::start().await;
    assert_eq!(films.add(r#"[{"id":"1","year_s":"1972"}]"#).await, 200);
    films.arrivals();
    films.then(retyped("year_s", "pint"));
    let answer = films.get("/solr/films/select?q=year_s:01972").await;
    assert!(answer.contains(r#""numFound":1"#), "{answer}");
    assert_eq!(films.arrivals(), 2);
}

#[tokio::test]
async fn an_addition_holds_nobody_up() {
    let films = Interrupted::start().await;
    films.then(retyped("year", "pint"));
    assert_eq!(films.add(r#"[{"id":"1"}]"#).await, 200);
    films.then(retyped("director", "string"));
    assert!(films.get("/solr/films/select?q=id:1").await.contains(r#""numFound":1"#));
    assert_eq!(films.arrivals(), 2);
}

#[tokio::test]
async fn edits_without_end_are_told_and_nothing_is_done() {
    let films = Interrupted::start().await;
    for round in 0..20 {
        films.then(retyped("year_s", if round % 2 == 0 { "pint" } else { "string" }));
    }
    assert_eq!(films.add(r#"[{"id":"1","year_s":"1972"}]"#).await, 503);
    assert_eq!(films.arrivals(), 10);
    let answer = films.served.get("/solr/films/select?q=year_s:1972").await;
    assert_eq!((answer.status, films.arrivals()), (503, 10), "{}", answer.body);
    assert!(answer.body.contains("the schema is at version"), "{}", answer.body);
    assert!(films.get("/solr/films/get?id=1").await.contains(r#""doc":null"#));
}

/// Of several collections that one request asks, any may be the one that refused: the change of each is waited
/// for.
#[tokio::test]
async fn a_change_of_a_collection_asked_beside_is_waited_for() {
    type OnArrival = Box<dyn FnOnce() + Send>;
    let (next, arrivals): (Arc<Mutex<Option<OnArrival>>>, Arc<AtomicUsize>) = Default::default();
    let on_arrival = {
        let (next, arrivals) = (next.clone(), arrivals.clone());
        move || {
            arrivals.fetch_add(1, Ordering::Relaxed);
            if let Some(next) = next.lock().unwrap().take() {
                next();
            }
        }
    };
    let served = Served::start_interrupted(Arc::new(on_arrival)).await;
    served::body(&served, "/solr/admin/collections?action=CREATE&name=books&numShards=1").await;
    let books = served.node.find("books").unwrap();
    let document = r#"[{"id":"1","year_s":"1972"}]"#;
    let added = served.post("/solr/books/update?commit=true", "application/json", document).await;
    assert_eq!(added.status, 200, "{}", added.body);
    for (path, type_name, shards) in [
        ("/solr/films,books/select?q=year_s:1972", "pint", 2),
        ("/solr/films/select?q=year_s:1972&collection=books", "string", 1),
    ] {
        arrivals.store(0, Ordering::Relaxed);
        // Between the request's resolution and its shards the other collection's schema changes, and another
        // change begins that goes on until it is told to end.
        let (end, ended) = std::sync::mpsc::channel();
        let changed = books.clone();
        *next.lock().unwrap() = Some(Box::new(move || {
            change(changed.clone(), Box::new(retyped("year_s", type_name)));
            begin_change(changed, ended);
        }));
        let meanwhile = async {
            // Each of these takes longer than another try would.
            let mut others_left = 30;
            while others_left > 0 {
                served::body(&served, "/solr/admin/collections?action=LIST").await;
                others_left -= usize::from(arrivals.load(Ordering::Relaxed) > 0);
            }
            assert_eq!(arrivals.load(Ordering::Relaxed), shards, "tried again while the change goes on");
            end.send(()).unwrap();
        };
        let (found, ()) = tokio::join!(served::body(&served, path), meanwhile);
        assert!(found.contains(r#""numFound":1"#), "{found}");
        assert_eq!(arrivals.load(Ordering::Relaxed), 2 * shards, "{path}");
    }
}

/// A change that has begun when this returns, and goes on until `ended` hears of its end.
fn begin_change(collection: Arc<Collection>, ended: Receiver<()>) {
    let (begun, has_begun) = std::sync::mpsc::channel();
    let edit = move |config: &CollectionConfig| -> plan::Result<CollectionConfig> {
        begun.send(()).unwrap();
        ended.recv().unwrap();
        Ok(config.clone())
    };
    let runtime = tokio::runtime::Handle::current();
    tokio::task::spawn_blocking(move || runtime.block_on(collection.edit_config(edit)).unwrap());
    has_begun.recv().unwrap();
}
