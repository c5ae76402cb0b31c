//! `prefer-replica`, as a header and as a parameter: taken where it is a preference, whatever is asked for,
//! and refused where it is none; an answer that was kept is no way around that.

mod served;

use served::Served;

async fn status(served: &Served, target: &str, header: &str) -> u16 {
    let head =
        format!("GET {target} HTTP/1.1\r\nHost: x\r\nprefer-replica: {header}\r\nConnection: close\r\n\r\n");
    served.send(&head, b"").await.status
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preference_is_taken_and_anything_else_refused() {
    let served = Served::start().await;
    for target in ["/solr/films/select?q=*:*", "/solr/films/select?q=*:*", "/solr/admin/info/system?a=1"] {
        let beside = |list: &str| format!("{target}&prefer-replica={list}");
        assert_eq!(served.get(target).await.status, 200);
        assert_eq!(served.get(&beside("zone:west,leader:true")).await.status, 200);
        assert_eq!(status(&served, target, "replica.type:PULL, tag:disk=ssd").await, 200);
        for wrong in ["moon", "leader:maybe", "zone:"] {
            assert_eq!(served.get(&beside(wrong)).await.status, 400, "{target} {wrong}");
            assert_eq!(status(&served, target, wrong).await, 400, "{target} {wrong}");
        }
    }
    let update = "/solr/films/update?prefer-replica=moon";
    let answer = served.post(update, "application/json", r#"[{"id":"1"}]"#).await;
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("`moon` is no preference"), "{}", answer.body);
}
