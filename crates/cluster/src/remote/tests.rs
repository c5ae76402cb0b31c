//! Shards that are asked by messages: they answer as they do directly, one request sees one moment of them,
//! and what a request may use up holds there too.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use meter::{Allowance, Clock, Limit, Limits, Meters};
use plan::{
    Commit, ErrorKind, Expect, FieldSelection, Operation, Page, Query, SearchPlan, SearchResult, SortBy,
    SortKey, UpdateBatch, Value,
};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::kept_pins::KeptPins;
use super::looped::over_messages;
use super::message::{AskedMessage, Question, ShardAddress, ShardMessage, ShardReply, decode, encode};
use crate::memory::{MemoryShards, MemorySnapshot};
use crate::rebuild_tests::{film, schema, update};
use crate::tests::config;
use crate::{
    CacheSizes, Collection, CreateCollection, GetShards, Node, NodeConfig, OpenShard, Sharding,
    ThreadScheduler, UpdateContext, engine_shards,
};

/// Stands still until it is moved.
#[derive(Default)]
struct Watch(AtomicI64);

impl Clock for Watch {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

async fn films(shards: Arc<dyn OpenShard>) -> (Arc<Node>, Arc<Collection>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let config = NodeConfig {
        data_dir: folder.path().to_owned(),
        clock: Arc::new(Watch(AtomicI64::new(1_795_255_200_000))),
        shards,
        name: "127.0.0.1:8983_solr".into(),
    };
    let node = Node::open(config).unwrap();
    let create = CreateCollection::new("films", "_default", schema(), self::config(1024));
    let shards = Sharding::Hashed { count: 3, field: None };
    let films = node.create(CreateCollection { shards, ..create }).await.unwrap();
    (node, films, folder)
}

fn engine() -> Arc<dyn OpenShard> {
    engine_shards(CacheSizes::NONE, Arc::new(ThreadScheduler))
}

async fn found(films: &Collection, query: Query, sort: SortBy) -> SearchResult {
    let plan = SearchPlan {
        page: Page { start: 3, rows: 9 },
        sort: vec![SortKey { by: sort, descending: true }],
        fields: FieldSelection::everything(),
        scores: true,
        ..SearchPlan::count(query)
    };
    films.search(Arc::new(plan), &Meters::default()).await.unwrap()
}

#[tokio::test]
async fn an_answer_is_the_same_by_messages() {
    let mut answers = Vec::new();
    for shards in [engine(), over_messages(engine())] {
        let (_node, films, _folder) = films(shards).await;
        update(&films, (0..40).map(|at| film(&format!("f{at}"), &format!("{}", 1970 + at % 7))).collect())
            .await;
        let before = films
            .get((&["f7".to_owned()], GetShards::default()), &FieldSelection::everything())
            .await
            .unwrap();
        films.commit(Commit::HARD).await.unwrap();
        let expect = Expect::Exactly(7);
        let delete = Operation::Delete { id: "f8".into(), route: None, expect, commit_within_ms: None };
        let batch = UpdateBatch { operations: vec![delete], ..UpdateBatch::default() };
        let refused = films.update(batch, UpdateContext::default()).await.failure.unwrap();
        let year = Query::Term { field: "year".into(), value: Value::Str("1972".into()) };
        let by_score = found(&films, year, SortBy::Score).await;
        let all = found(&films, Query::All, SortBy::IndexOrder).await;
        let fields = films.luke_fields().await.unwrap();
        let shown = |hits: SearchResult| (hits.total, hits.hits, hits.score_max);
        answers.push((
            (before.iter().flatten().count(), refused.kind, films.stats().num_docs),
            (shown(by_score), shown(all), format!("{fields:?}")),
        ));
    }
    let ((got, refused, documents), ((total, ..), ..)) = &answers[1];
    assert_eq!((*got, *refused, *documents, *total), (1, ErrorKind::Conflict, 40, 6));
    let without_versions = |answers: &mut Vec<_>| answers.pop();
    let (by_messages, direct) = (without_versions(&mut answers), without_versions(&mut answers));
    assert_eq!(by_messages, direct);
}

/// Each search of a restless shard changes it: whoever asked the newest moment in the second step would be
/// shown another document.
#[tokio::test]
async fn one_request_sees_one_moment() {
    let restless = MemoryShards { restless: true, ..MemoryShards::default() };
    let (_node, films, _folder) = films(over_messages(Arc::new(restless))).await;
    update(&films, (0..30).map(|at| film(&format!("f{at}"), "1970")).collect()).await;
    films.commit(Commit::HARD).await.unwrap();
    let hits = found(&films, Query::All, SortBy::IndexOrder).await.hits;
    assert_eq!(hits.len(), 9);
    for hit in hits {
        assert_eq!(hit.document.fields[0].1, [Value::Str(hit.id)]);
    }
}

#[test]
fn a_pin_of_which_nothing_is_heard_is_let_go_of() {
    let watch = Arc::new(Watch::default());
    let pins = KeptPins::new(watch.clone());
    let keep = || pins.keep(Arc::new(MemorySnapshot::of(vec![]))).unwrap();
    let (asked, forgotten, released) = (keep(), keep(), keep());
    pins.release(&[released]);
    let is_kept = |id| pins.find(id).map(drop).map_err(|error| error.kind);
    assert_eq!(is_kept(released), Err(ErrorKind::Unavailable));
    watch.0.store(59_999, Ordering::Relaxed);
    pins.sweep();
    assert_eq!(is_kept(asked), Ok(()));
    watch.0.store(60_000, Ordering::Relaxed);
    let in_use = pins.find(asked).unwrap();
    pins.sweep();
    assert_eq!((is_kept(asked), is_kept(forgotten)), (Ok(()), Err(ErrorKind::Unavailable)));
    watch.0.store(500_000, Ordering::Relaxed);
    pins.sweep();
    assert_eq!(is_kept(asked), Ok(()), "it is being asked");
    drop(in_use);
    watch.0.store(900_000, Ordering::Relaxed);
    pins.sweep();
    assert_eq!(is_kept(asked), Err(ErrorKind::Unavailable));
}

#[test]
fn what_is_left_of_an_allowance_goes_along_and_what_was_met_comes_back() {
    let watch = Arc::new(Watch::default());
    let limits = Limits { time_ms: Some(100), memory_bytes: Some(1000), ..Limits::default() };
    let allowance = Allowance::new(limits, watch.clone(), 0);
    watch.0.store(30, Ordering::Relaxed);
    allowance.take_bytes(400);
    assert_eq!(allowance.left(), Limits { time_ms: Some(70), memory_bytes: Some(600), ..limits });
    allowance.meet(Limit::Memory);
    assert!(allowance.is_used_up());
    assert_eq!(allowance.limits(), [(Limit::Time, false), (Limit::Memory, true)]);
}

/// A member of another release: it says more than is known here, and less.
#[test]
fn what_is_not_known_is_passed_over() {
    #[derive(Serialize, Deserialize)]
    struct Younger {
        pin: Option<u64>,
        result: Result<u32, String>,
        weather: String,
    }
    let message = Younger { pin: Some(7), result: Ok(5), weather: "fine".into() };
    let answered: ShardReply<u32> = decode(&encode(&message).unwrap()).unwrap();
    assert_eq!((answered.pin, answered.met.len(), answered.result), (Some(7), 0, Ok(5)));
    for broken in [&b"\xff"[..], b"\xa1", b"\xa1fresult\xa1bOk\x1b\xff", b""] {
        let error = decode::<ShardReply<u32>>(broken).err().unwrap();
        assert_eq!(error.kind, ErrorKind::Unavailable);
    }
}

/// What is passed over may be of any shape, and takes no stack for it.
#[test]
fn what_is_passed_over_may_nest_deeply() {
    let mut message = b"\xa3cpin\xf6fresult\xa1bOk\x05gweather".to_vec();
    message.extend(vec![0x81; 1_000_000]);
    message.push(0);
    assert_eq!(decode::<ShardReply<u32>>(&message).unwrap().result, Ok(5));
}

/// As the first release that had it sent it: what later ones send is understood by that one, too.
#[test]
fn a_question_for_a_copy_of_a_file_is_what_it_was() {
    let sent = b"\xa4eshard\xa3jcollectionefilmsjcreated_ms\x1b\x00\x00\x01\xa1\xfd\x8ci\x00ffolderfshard1\
        flimits\xa4gtime_ms\xf6fcpu_ms\xf6lmemory_bytes\xf6pmemory_bytes_max\xf6hreleased\x80\
        hquestion\xa1hFileCopy\xa4dnameha1.storedsize\tecrc32\x1a\xcb\xf49&foffset\x04";
    let answered = b"\xa3cpin\xf6cmet\x80fresult\xa1bOkE56789";
    let shard =
        ShardAddress { collection: "films".into(), created_ms: 1_795_255_200_000, folder: "shard1".into() };
    let question = Question::FileCopy { name: "a1.store".into(), size: 9, crc32: 0xcbf4_3926, offset: 4 };
    let message =
        AskedMessage { shard: &shard, limits: Limits::default(), released: vec![], question: &question };
    assert_eq!(encode(&message).unwrap().escape_ascii().to_string(), sent.escape_ascii().to_string());
    let read: ShardMessage = decode(sent).unwrap();
    let Question::FileCopy { name, size, crc32, offset } = read.question else { panic!("another question") };
    assert_eq!((read.shard, &*name, size, crc32, offset), (shard, "a1.store", 9, 0xcbf4_3926, 4));
    let piece = Some(ByteBuf::from(b"56789".to_vec()));
    let reply = ShardReply { pin: None, met: vec![], result: Ok(piece.clone()) };
    assert_eq!(encode(&reply).unwrap().escape_ascii().to_string(), answered.escape_ascii().to_string());
    assert_eq!(decode::<ShardReply<Option<ByteBuf>>>(answered).unwrap().result, Ok(piece));
}
