//! What the node's own doctor says over HTTP: nothing of a node that is well, and whatever whoever runs it
//! measured of its host.

mod served;

use std::sync::Arc;

use http::HostNote;
use serde_json::{Value, json};
use served::Served;

async fn json_at(served: &Served, path: &str) -> Value {
    let answer = served.get(path).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

#[tokio::test]
async fn a_node_that_is_well_has_no_signs() {
    let served = Served::start().await;
    for path in ["/solr/admin/info/health?omitHeader=true", "/solr/admin/health?omitHeader=true"] {
        assert_eq!(json_at(&served, path).await, json!({"status": "OK"}));
    }
    let doctor = json_at(&served, "/solr/admin/doctor?omitHeader=true").await;
    assert_eq!(doctor, json!({"signs": [], "findings": []}));
    let metrics = json_at(&served, "/solr/admin/metrics?group=node&prefix=CONTAINER.watch").await;
    let counts = metrics["metrics"]["solr.node"].as_object().unwrap();
    assert!(counts.len() == 8 && counts.values().all(|count| *count == 0), "{metrics}");
}

#[tokio::test]
async fn what_was_measured_of_the_host_is_told() {
    let note = HostNote {
        name: "swap-used".to_owned(),
        sure: "certain".to_owned(),
        measured: "1 GiB of swap in use".to_owned(),
        why: "slow".to_owned(),
        mend: "swapoff -a".to_owned(),
    };
    let served =
        Served::start_with(|config| config.host_notes = Arc::new(move || Some(vec![note.clone()]))).await;
    let doctor = json_at(&served, "/solr/admin/doctor").await;
    let expected = json!({"name": "swap-used", "sure": "certain", "measured": "1 GiB of swap in use", "why": "slow", "mend": "swapoff -a"});
    assert_eq!(doctor["findings"], json!([expected]));
}

#[tokio::test]
async fn a_host_that_is_being_measured_keeps_no_answer() {
    let served = Served::start_with(|config| config.host_notes = Arc::new(|| None)).await;
    let doctor = json_at(&served, "/solr/admin/doctor").await;
    assert_eq!((&doctor["signs"], &doctor["findings"]), (&json!([]), &json!([])));
    assert!(doctor["unmeasured"].as_str().unwrap().contains("its disk does not answer"), "{doctor}");
}
