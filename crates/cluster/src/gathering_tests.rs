//! Rebuilds, and shards that come and go, of collections that several members have parts of: where
//! everything is behind them, and what is left when somebody is taken for gone in the middle.

use std::sync::atomic::Ordering;
use std::time::Duration;

use plan::{ErrorKind, FieldSelection, UpdateBatch, Value};
use store::metadata::memory::Failure;

use crate::assignment_tests::{Cluster, films, lives, shard_owners, spread, thirty};
use crate::birth_tests::{Pair, pair};
use crate::rebuild_tests::{count, ended, film, numbers, update, year};
use crate::replica::ReplicaCounts;
use crate::shard_tests::new_shard;
use crate::{
    CORES_MAX_PROPERTY, CreateCollection, GetShards, NewShard, Node, RebuildState, Sharding, UpdateContext,
};

/// Who has which part, and whether a rebuild is noted.
fn parts(node: &Node) -> (Vec<String>, Vec<String>, bool) {
    let owners = node.catalog().owners("films").unwrap().unwrap().value;
    let followers = owners
        .followers
        .iter()
        .flat_map(|(shard, all)| all.iter().map(move |follower| format!("{shard}: {}", follower.member.id)));
    (shard_owners(node, "films"), followers.collect(), owners.rebuilding.is_some())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_rebuilt_is_where_it_was() {
    let cluster = Cluster::default();
    let (_folders, [a, b]) = cluster.two();
    let two = ReplicaCounts { nrt: 2, ..ReplicaCounts::default() };
    for replicas in [ReplicaCounts::default(), two] {
        let led = a.create(CreateCollection { replicas, ..spread("films", 3) }).await.unwrap();
        b.refresh().unwrap();
        let before = parts(&a);
        update(&b.find("films").unwrap(), thirty("x")).await;
        led.start_rebuild(&a, Box::new(numbers)).unwrap();
        assert_eq!(ended(&led).await, (RebuildState::Done, String::new()));
        assert_eq!(parts(&a), before);
        assert_eq!(parts(&b), before);
        let part = b.find("films").unwrap();
        for (at, collection) in [&led, &part].into_iter().enumerate() {
            update(collection, vec![film(&format!("y{at}"), "1979")]).await;
            assert_eq!(count(collection).await, 31 + at as u64);
            assert_eq!(year(collection, "x3").await, Some(Value::Int(1972)));
        }
        a.delete("films").await.unwrap();
    }
}

/// The first member is taken for gone at its next change of a document; the other leads from then on, and
/// acknowledges an update.
fn overtaken_at(change: &str) -> (Pair, impl Fn(&Pair) + use<>) {
    let pair = pair();
    let (b, change) = (pair.b.clone(), format!("change collections/films/{change}"));
    let arm = move |pair: &Pair| {
        let b = b.clone();
        pair.documents.arm(&change, move || {
            lives(&[&b], &[&b]);
            assert_eq!(b.take_part(), Ok(true));
            // What comes back to whoever is gone when the rebuild is ended is due at the next look.
            while b.take_part() == Ok(true) {}
            let late = UpdateBatch { operations: vec![film("late", "1985")], ..UpdateBatch::default() };
            let films = b.find("films").unwrap();
            let acknowledged = std::thread::scope(|threads| {
                let updated = threads.spawn(|| {
                    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                    runtime.block_on(films.update(late, UpdateContext::default()))
                });
                updated.join().unwrap()
            });
            assert!(acknowledged.failure.is_none(), "{acknowledged:?}");
        });
    };
    (pair, arm)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_was_taken_for_gone_rebuilds_nothing() {
    // Before it has everything; before it is accepted; when it is, and brings back what was.
    for (change, is_spread, ends) in [
        ("owner.json", true, RebuildState::Failed),
        ("schema.json", true, RebuildState::Failed),
        ("schema.json", false, RebuildState::Failed),
    ] {
        let (pair, arm) = overtaken_at(change);
        let (a, b) = (&pair.a, &pair.b);
        let create = if is_spread { spread("films", 2) } else { films("films") };
        let led = a.create(create).await.unwrap();
        update(&led, thirty("x")).await;
        arm(&pair);
        led.start_rebuild(a, Box::new(numbers)).unwrap();
        assert_eq!(ended(&led).await.0, ends, "{change}");
        assert!(pair.documents.was_interrupted());
        lives(&[a, b], &[a, b]);
        for node in [a, b, a] {
            assert!(node.take_part().is_ok(), "{change}");
        }
        let films = b.find("films").unwrap();
        assert_eq!(count(&films).await, 31, "{change} {is_spread}");
        assert_eq!(year(&films, "late").await, Some(Value::Str("1985".into())));
        assert!(!parts(b).2);
        // And once more, undisturbed.
        films.start_rebuild(b, Box::new(numbers)).unwrap();
        assert_eq!(ended(&films).await, (RebuildState::Done, String::new()));
        assert_eq!(year(&films, "late").await, Some(Value::Int(1985)));
    }
}

/// Of each shard the replicas, as `number@member`, whoever leads first.
fn replicas(node: &Node) -> Vec<String> {
    let entry = node.catalog().collection("films").unwrap().unwrap();
    let owners = node.catalog().owners("films").unwrap().unwrap().value;
    let of_shard = |shard: &str| {
        let leads = format!("{}@{}", owners.leading(&entry, shard).number, owners.of_shard(shard).id);
        let follow = owners.followers_of(shard).iter();
        let follow = follow.map(|it| format!("{}@{}", it.replica.number, it.member.id));
        std::iter::once(leads).chain(follow).collect::<Vec<_>>().join(" ")
    };
    entry.shards().iter().map(|it| of_shard(&it.name)).collect()
}

/// Followers follow all the while, so that whoever is lost in a rebuild leaves somebody to ask; who leads
/// then is settled once the rebuild is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_follows_goes_on_in_a_rebuild() {
    let two = ReplicaCounts { nrt: 2, ..ReplicaCounts::default() };
    for change in ["owner.json", "schema.json"] {
        let (pair, arm) = overtaken_at(change);
        let (a, b) = (&pair.a, &pair.b);
        let led = a.create(CreateCollection { replicas: two, ..spread("films", 2) }).await.unwrap();
        b.refresh().unwrap();
        assert!(b.take_part().is_ok());
        let before = replicas(a);
        assert_eq!(before, ["0@a 1@b", "0@b 2@a"]);
        update(&led, thirty("x")).await;
        let (told, seen) = (b.clone(), std::sync::Arc::new(std::sync::Mutex::new(Vec::new())));
        let noted = seen.clone();
        if change == "schema.json" {
            pair.documents.arm("change collections/films/schema.json", move || {
                noted.lock().unwrap().extend(replicas(&told));
            });
        } else {
            arm(&pair);
        }
        led.start_rebuild(a, Box::new(numbers)).unwrap();
        let (state, _) = ended(&led).await;
        assert!(pair.documents.was_interrupted());
        if change == "schema.json" {
            // The lead had all of it, and whoever led followed.
            assert_eq!(
                (state, &**seen.lock().unwrap()),
                (RebuildState::Done, &["0@a 1@b", "0@a 2@b"].map(str::to_owned)[..])
            );
            assert_eq!(replicas(a), before);
            continue;
        }
        assert_eq!(state, RebuildState::Failed);
        lives(&[a, b], &[a, b]);
        for node in [a, b, a] {
            assert!(node.take_part().is_ok());
        }
        // Each replica once, whoever leads.
        let after = replicas(b);
        assert!(after.iter().all(|it| it.contains("@a") && it.contains("@b")), "{after:?}");
        let mut numbers: Vec<&str> =
            after.iter().flat_map(|it| it.split(' ')).map(|it| it.split('@').next().unwrap()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, ["0", "0", "1", "2"], "{after:?}");
        assert_eq!(count(&b.find("films").unwrap()).await, 31);
    }
}

/// Two members, each of which leads one of two shards with thirty documents and follows the other's.
async fn followed() -> (Pair, std::sync::Arc<crate::Collection>) {
    let pair = pair();
    let two = ReplicaCounts { nrt: 2, ..ReplicaCounts::default() };
    let led = pair.a.create(CreateCollection { replicas: two, ..spread("films", 2) }).await.unwrap();
    pair.b.refresh().unwrap();
    assert!(pair.b.take_part().is_ok());
    update(&led, thirty("x")).await;
    (pair, led)
}

/// What another member sends waits for the exchange of shards as what is sent to this one: a shard that is
/// copied and about to be replaced acknowledges nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_others_send_waits_for_the_exchange() {
    let (pair, led) = followed().await;
    let (a, b) = (&pair.a, &pair.b);
    let (other, runtime) = (b.clone(), tokio::runtime::Handle::current());
    let (done, outcomes) = std::sync::mpsc::channel();
    let early = std::sync::Arc::new(std::sync::Mutex::new(None));
    let seen = early.clone();
    // Behind the last copy, ahead of the step that accepts the rebuild.
    pair.documents.arm("change collections/films/schema.json", move || {
        let films = other.find("films").unwrap();
        runtime.spawn(async move {
            let batch = UpdateBatch { operations: thirty("late"), ..UpdateBatch::default() };
            drop(done.send(films.update(batch, UpdateContext::default()).await));
        });
        // Time enough for one that does not wait.
        let answered = outcomes.recv_timeout(Duration::from_millis(200));
        *seen.lock().unwrap() = Some((answered, outcomes));
    });
    led.start_rebuild(a, Box::new(numbers)).unwrap();
    assert_eq!(ended(&led).await, (RebuildState::Done, String::new()));
    let (answered, outcomes) = early.lock().unwrap().take().unwrap();
    assert!(answered.is_err(), "{answered:?}");
    // By then it goes to shards that are read no more, which say so.
    let failure = outcomes.recv().unwrap().failure.unwrap();
    assert_eq!(failure.kind, ErrorKind::SchemaChanged, "{failure}");
    update(&b.find("films").unwrap(), thirty("later")).await;
    assert_eq!(count(&led).await, 60);
}

/// A search that meets shards that were rebuilt elsewhere finds those of today, whether its member was told
/// or not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_was_not_told_of_a_rebuild_looks_by_itself() {
    let (pair, led) = followed().await;
    let (a, b) = (&pair.a, &pair.b);
    let (other, documents, runtime) = (b.clone(), pair.documents.clone(), tokio::runtime::Handle::current());
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = seen.clone();
    pair.documents.arm("change collections/films/schema.json", move || {
        // Accepted by then, and about to be given back.
        documents.arm("change collections/films/owner.json", move || {
            let films = other.find("films").unwrap();
            let (ids, all) = (["x3".to_owned()], FieldSelection::everything());
            let asked = || runtime.block_on(films.get((&ids, GetShards::default()), &all));
            let before = asked().map_err(|error| error.kind);
            runtime.block_on(other.await_change(&films)).unwrap();
            noted.lock().unwrap().extend([before, asked().map_err(|error| error.kind)]);
        });
    });
    led.start_rebuild(a, Box::new(numbers)).unwrap();
    assert_eq!(ended(&led).await, (RebuildState::Done, String::new()));
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    let [before, after] = seen.try_into().unwrap();
    assert_eq!(before.unwrap_err(), ErrorKind::SchemaChanged);
    assert!(after.unwrap().iter().all(Option::is_some));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rebuild_of_which_nobody_knows_how_it_ended_ends_whole() {
    for (failure, is_made) in [(Failure::AnswerLost, true), (Failure::RequestLost, false)] {
        let pair = pair();
        let (a, b) = (&pair.a, &pair.b);
        let led = a.create(spread("films", 2)).await.unwrap();
        let before = parts(a);
        update(&led, thirty("x")).await;
        let documents = pair.documents.clone();
        pair.documents.arm("change collections/films/schema.json", move || {
            documents.memory.fail_next([failure]);
            documents.is_away.store(true, Ordering::Relaxed);
        });
        led.start_rebuild(a, Box::new(numbers)).unwrap();
        assert_eq!(ended(&led).await.0, RebuildState::Failed);
        // What was open then is not: it may be of the edition that is served no more.
        let late = UpdateBatch { operations: thirty("late"), ..UpdateBatch::default() };
        assert!(led.update(late, UpdateContext::default()).await.failure.is_some());
        for node in [a, b] {
            assert!(node.take_part().is_ok());
        }
        for node in [a, b] {
            assert_eq!(parts(node), before);
            let films = node.find("films").unwrap();
            assert_eq!(count(&films).await, 30);
            let expected = if is_made { Value::Int(1972) } else { Value::Str("1972".into()) };
            assert_eq!(year(&films, "x3").await, Some(expected));
        }
        update(&a.find("films").unwrap(), vec![film("y", "1979")]).await;
        assert_eq!(count(&b.find("films").unwrap()).await, 31);
    }
}

#[tokio::test]
async fn a_start_brings_back_what_was_gathered() {
    let cluster = Cluster::default();
    let (folders, [a, b]) = cluster.two();
    let led = a.create(spread("films", 2)).await.unwrap();
    update(&led, thirty("x")).await;
    let before = parts(&b);
    let owners = a.catalog().owners("films").unwrap().unwrap();
    let gathered = owners.value.gathered(&led.entry());
    a.catalog().set_owners("films", Some(owners.version), &gathered).unwrap();
    b.take_part().unwrap();
    assert_eq!((parts(&b).0, parts(&b).2), (vec!["a".to_owned(), "a".to_owned()], true));
    // Nobody else changes who has what meanwhile, and the other asks the one that has all.
    let moved = a.force_leader(&led, "shard1").await.unwrap_err();
    assert_eq!(moved.kind, ErrorKind::Conflict);
    assert_eq!(a.led_at_rest(&led.entry()).err().unwrap().kind, ErrorKind::Conflict);
    assert!(b.find("films").is_none());
    drop(led);
    a.close().unwrap();
    drop(a);
    let a = cluster.member(folders[0].path(), "a");
    lives(&[&a, &b], &[&a, &b]);
    assert_eq!(a.take_part(), Ok(true));
    assert_eq!(b.take_part(), Ok(true));
    assert_eq!(parts(&b), before);
    assert_eq!(count(&b.find("films").unwrap()).await, 30);
}

#[tokio::test]
async fn a_node_gets_no_more_cores_than_it_may_have() {
    let cluster = Cluster::default();
    let (_folders, [a, b]) = cluster.two();
    let set = async |value: &str| {
        let value = value.to_owned();
        let edit = move |state: &mut crate::ClusterState| {
            state.properties.insert(CORES_MAX_PROPERTY.to_owned(), value);
            Ok(())
        };
        a.edit_state(edit).await.unwrap();
    };
    set("2").await;
    let refused = a.create(spread("films", 5)).await.err().unwrap();
    assert!(refused.message.contains("every node has 2 cores"), "{refused}");
    a.create(spread("films", 3)).await.unwrap();
    b.refresh().unwrap();
    assert_eq!(b.least_loaded(&[]).map(|it| it.id).as_deref(), Some("b"));
    b.create(films("books")).await.unwrap();
    assert_eq!(b.least_loaded(&[]), None);
    set("-1").await;
    assert!(a.create(films("more")).await.is_ok());
}

#[tokio::test]
async fn named_shards_come_and_go_on_several_members() {
    let cluster = Cluster::default();
    let (_folders, [a, b]) = cluster.two();
    let sharding = Sharding::Named { names: vec!["one".into()], field: Some("year".into()) };
    let replicas = ReplicaCounts { nrt: 2, ..ReplicaCounts::default() };
    let create = CreateCollection { shards: sharding, replicas, ..films("films") };
    let led = a.create(create).await.unwrap();
    b.refresh().unwrap();
    let made = a.create_shard(&led, new_shard("two")).await.unwrap();
    assert_eq!(parts(&a).0, ["a", "b"]);
    // As many replicas as the others have, unless the request says so.
    assert_eq!(parts(&a).1, ["one: b", "two: a"]);
    let alone = NewShard {
        nodes: vec!["b:8983_solr".into()],
        replicas: Some(ReplicaCounts::default()),
        ..new_shard("three")
    };
    a.create_shard(&led, alone).await.unwrap();
    assert_eq!((parts(&b).0, parts(&b).1.len()), (vec!["a".into(), "b".into(), "b".into()], 2));
    let many = NewShard { replicas: Some(ReplicaCounts { nrt: 3, ..replicas }), ..new_shard("four") };
    assert_eq!(a.create_shard(&led, many).await.unwrap_err().kind, ErrorKind::BadRequest);
    let part = b.find("films").unwrap();
    for (at, collection) in [&led, &part].into_iter().enumerate() {
        let named = ["one", "two", "three"].map(|name| film(&format!("{name}{at}"), name));
        update(collection, named.to_vec()).await;
    }
    assert_eq!((count(&part).await, count(&led).await), (6, 6));
    // Where nobody can tell its owner: it acknowledges nothing more all the same.
    cluster.cut_off("b");
    a.delete_shard(&led, "two").await.unwrap();
    let late = UpdateBatch { operations: vec![film("late", "two")], ..UpdateBatch::default() };
    assert!(part.update(late, UpdateContext::default()).await.failure.is_some());
    b.take_part().unwrap();
    assert_eq!((parts(&b).0, parts(&b).1), (vec!["a".into(), "b".into()], vec!["one: b".into()]));
    assert!(b.find_addressed(&made.core).is_none());
    cluster.connect(&b);
    // What it held would be back.
    let again = a.create_shard(&led, new_shard("two")).await.unwrap_err();
    assert_eq!(again.kind, ErrorKind::BadRequest, "{again}");
    assert_eq!(count(&led).await, 4);
}
