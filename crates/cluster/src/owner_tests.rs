//! Members whose documents and homes say different things: who was named answers for a shard only while its
//! home is its own.

use plan::ErrorKind;
use store::Site as _;

use crate::Node;
use crate::assignment_tests::{Cluster, lives, spread, thirty, with_field};
use crate::rebuild_tests::update;

/// The folder of the second shard, which is the second member's.
const SECOND: &str = "shard1_shard2";

/// What a member does that read the documents long ago: it opens a shard of the collection that is another's.
fn fence(cluster: &Cluster, node: &Node, folder: &str) {
    let entry = node.catalog().collection("films").unwrap().unwrap();
    drop(cluster.site.home(&node.place(&entry, folder).id).unwrap());
}

#[tokio::test]
async fn a_fenced_owner_opens_its_shard_again_before_it_answers_for_a_schema() {
    let cluster = Cluster::default();
    let (_folders, [a, b]) = cluster.two();
    let led = a.create(spread("films", 2)).await.unwrap();
    let part = b.find("films").unwrap();
    fence(&cluster, &b, SECOND);
    // It has not heard of it, and looks when it is asked.
    assert!(!part.is_deposed());
    led.edit_schema(with_field("shelf")).await.unwrap();
    update(&part, thirty("x")).await;
    assert_eq!(b.take_part(), Ok(false));
    // The lead's own: nobody knows by which schema the other goes.
    fence(&cluster, &a, "shard1");
    let refused = led.edit_schema(with_field("room")).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Unavailable, "{refused}");
    assert!(a.is_deposed_anywhere());
    assert_eq!(a.take_part(), Ok(true));
    led.edit_schema(with_field("door")).await.unwrap();
    update(&led, thirty("y")).await;
}

#[tokio::test]
async fn who_serves_a_shard_no_more_does_not_answer_for_it() {
    let cluster = Cluster::default();
    let (_folders, [a, b]) = cluster.two();
    let led = a.create(spread("films", 2)).await.unwrap();
    // By another lead, of which this one has not heard.
    let owners = a.catalog().owners("films").unwrap().unwrap();
    let mut to_a = owners.value.clone();
    to_a.shards.clear();
    a.catalog().set_owners("films", Some(owners.version), &to_a).unwrap();
    let refused = led.edit_schema(with_field("shelf")).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Unavailable, "{refused}");
    assert_eq!(a.take_part(), Ok(true));
    led.edit_schema(with_field("room")).await.unwrap();
    update(&led, thirty("x")).await;
    lives(&[&b], &[&a, &b]);
    assert_eq!(b.take_part(), Ok(true));
    assert!(b.find("films").is_none());
}
