//! Who is picked, by a list, preferences, load and failures; with the clock paused.

use std::collections::BTreeMap;
use std::time::Duration;

use super::*;
use crate::url::SolrUrl;

struct Changing(watch::Sender<Vec<Endpoint>>);

impl EndpointSource for Changing {
    fn watch(&self) -> watch::Receiver<Vec<Endpoint>> {
        self.0.subscribe()
    }
}

fn endpoint(host: &str) -> Endpoint {
    Endpoint::from(host.parse::<SolrUrl>().unwrap()).in_zone(&host[..1])
}

fn balancer(hosts: &[&str], preferences: Vec<Preference>) -> (Changing, Balancer) {
    let source = Changing(watch::Sender::new(hosts.iter().map(|host| endpoint(host)).collect()));
    let options = ClientOptions { preferences, ..ClientOptions::default() };
    let balancer = Balancer::new(&source, Arc::new(options), Arc::default());
    (source, balancer)
}

fn host(server: &Server) -> String {
    server.endpoint.url.authority().to_owned()
}

fn search() -> Request {
    Request::get("c/select", &[])
}

/// How often each is picked in a thousand.
fn picks(balancer: &Balancer, request: &Request) -> BTreeMap<String, u32> {
    let mut picks = BTreeMap::new();
    for _ in 0..1000 {
        *picks.entry(host(&balancer.pick(request, &[]).unwrap())).or_default() += 1;
    }
    picks
}

#[tokio::test(start_paused = true)]
async fn equals_share_and_the_less_busy_comes_first() {
    let (_source, balancer) = balancer(&["a1", "a2", "a3"], vec![]);
    assert!(picks(&balancer, &search()).values().all(|count| (250..420).contains(count)));
    let first = balancer.pick(&search(), &[]).unwrap();
    let busy = first.begin();
    assert!(!picks(&balancer, &search()).contains_key(&host(&first)));
    drop(busy);
    assert_eq!(picks(&balancer, &search()).len(), 3);
}

#[tokio::test(start_paused = true)]
async fn preferences_order_and_never_leave_out() {
    let (_source, balancer) = balancer(&["a1", "b1", "b2"], vec!["zone:a".parse().unwrap()]);
    let first = balancer.pick(&search(), &[]).unwrap();
    assert_eq!(host(&first), "a1");
    // Its own wish comes before the client's; one that nobody satisfies changes nothing.
    assert!(!picks(&balancer, &search().prefer("zone:b".parse().unwrap())).contains_key("a1"));
    assert_eq!(picks(&balancer, &search().prefer("zone:z".parse().unwrap())).len(), 1);
    let second = balancer.pick(&search(), std::slice::from_ref(&first)).unwrap();
    assert!(host(&second).starts_with('b'));
    balancer.record(&first, Verdict::Unreachable);
    assert!(!picks(&balancer, &search()).contains_key("a1"));
}

#[tokio::test(start_paused = true)]
async fn the_ejected_come_back_slowly() {
    let (_source, balancer) = balancer(&["a1", "a2"], vec![]);
    let first = balancer.pick(&search(), &[]).unwrap();
    for _ in 0..3 {
        balancer.record(&first, Verdict::Failed);
    }
    let share = |balancer: &Balancer| picks(balancer, &search()).remove(&host(&first)).unwrap_or(0);
    assert_eq!(share(&balancer), 0);
    tokio::time::advance(Duration::from_secs(1)).await;
    let back = share(&balancer);
    assert!((20..90).contains(&back), "{back}");
    tokio::time::advance(Duration::from_secs(10)).await;
    let whole = share(&balancer);
    assert!((430..570).contains(&whole), "{whole}");
}

#[tokio::test(start_paused = true)]
async fn when_all_are_out_all_are_asked() {
    let (_source, balancer) = balancer(&["a1", "a2"], vec![]);
    for _ in 0..2 {
        let server = balancer.pick(&search(), &[]).unwrap();
        balancer.record(&server, Verdict::Unreachable);
    }
    assert_eq!(picks(&balancer, &search()).len(), 2);
    let only = search().only(vec![endpoint("a2").url]);
    assert_eq!(picks(&balancer, &only).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn lists_change_under_way() {
    let (source, balancer) = balancer(&["a1"], vec![]);
    let kept = balancer.pick(&search(), &[]).unwrap();
    source.0.send_replace(vec![endpoint("a1"), endpoint("a2")]);
    assert_eq!(picks(&balancer, &search()).len(), 2);
    let other = balancer.pick(&search(), std::slice::from_ref(&kept)).unwrap();
    assert_eq!(host(&other), "a2");
    source.0.send_replace(vec![endpoint("a1")]);
    assert!(Arc::ptr_eq(&balancer.pick(&search(), &[]).unwrap(), &kept));
    source.0.send_replace(vec![]);
    assert!(balancer.pick(&search(), &[]).is_none());
    source.0.send_replace(vec![endpoint("a1")]);
    drop(source);
    assert!(balancer.pick(&search(), &[]).is_some());
}
