//! Each sign that a node gives of itself, planted in a server that runs: what stands still is reported in the
//! log, in the metrics, in `/admin/health` and `/admin/doctor`, with what the doctor says of the thread that
//! stands there, and no longer once it goes on. Only the clock is the test's own.
#![cfg(target_os = "linux")]

mod served;
#[allow(dead_code, reason = "stores that do not answer are `outage.rs`'s")]
#[path = "watched/stalls.rs"]
mod stalls;

use std::io;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::NodeWatch;
use serde_json::{Value, json};
use served::Served;
use stalls::{Place, Stall, StallingShards, Stalls};
use tracing_subscriber::fmt::Subscriber;

/// What the doctor says is of the whole process: one that stands still at a time.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

struct Watched {
    served: Served,
    stalls: Arc<Stalls>,
    watch: Arc<NodeWatch>,
    log: Lines,
    _logging: tracing::subscriber::DefaultGuard,
}

/// The log as it was written.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A sign to be planted: by what, and after how long it is to be reported.
struct Planting {
    sign: &'static str,
    metric: &'static str,
    place: Place,
    /// Parameters and body of the update that meets it.
    request: [&'static str; 2],
    bound_ms: i64,
    words: &'static str,
}

impl Watched {
    async fn start() -> Self {
        let options = doctor::ObserveOptions { period: Duration::from_millis(30), samples: 3, now_ms: 0 };
        let watch = Arc::new(NodeWatch::new(Arc::new(move || doctor::look_at_self(&options))));
        let stalls = Arc::new(Stalls::default());
        let shards =
            cluster::engine_shards(cluster::CacheSizes::default(), Arc::new(cluster::ThreadScheduler));
        let shards = Arc::new(StallingShards { shards, stalls: stalls.clone() });
        let served = Served::start_over(shards, |config| config.watch = watch.clone()).await;
        let log = Lines::default();
        let writer = log.clone();
        let subscriber = Subscriber::builder().with_ansi(false).with_writer(move || writer.clone()).finish();
        let _logging = tracing::subscriber::set_default(subscriber);
        Self { served, stalls, watch, log, _logging }
    }

    fn pass(&self, ms: i64) {
        self.served.clock.0.fetch_add(ms, Ordering::Relaxed);
        self.watch.look(&self.served.node);
    }

    async fn update(&self, [parameters, body]: [&str; 2]) {
        let path = format!("/solr/films/update?{parameters}");
        let answer = self.served.post(&path, "application/json", body).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }

    async fn json(&self, path: &str) -> Value {
        let answer = self.served.get(path).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        serde_json::from_str(&answer.body).unwrap()
    }

    async fn health(&self) -> Value {
        self.json("/solr/admin/health?omitHeader=true").await
    }

    async fn metric(&self, name: &str) -> Value {
        let name = format!("CONTAINER.watch.{name}");
        let metrics = self.json(&format!("/solr/admin/metrics?group=node&prefix={name}")).await;
        metrics["metrics"]["solr.node"][&name].clone()
    }

    fn logged(&self) -> String {
        String::from_utf8(self.log.0.lock().unwrap().clone()).unwrap()
    }

    /// The sign is reported everywhere, once, in these words and with the doctor's.
    async fn tells(&self, sign: &str, metric: &str, words: &str) {
        let health = self.health().await;
        let signs = health["signs"].as_array().unwrap_or_else(|| panic!("no signs: {health}"));
        let told: Vec<&Value> = signs.iter().filter(|told| told["name"] == sign).collect();
        let [told] = told.as_slice() else { panic!("{sign}, once: {health}") };
        // A balancer that takes it away makes the others' slower.
        assert_eq!((&health["status"], &told["collection"]), (&json!("OK"), &json!("films")));
        let seen = told["seen"].as_str().unwrap();
        assert!(seen.contains(words), "`{words}` is not in `{seen}`");
        let doctor = told["doctor"].as_str().unwrap_or_else(|| panic!("the doctor says nothing: {told}"));
        for words in ["waits since", "for the Unix socket", "the peer has not answered"] {
            assert!(doctor.contains(words), "`{words}` is not in `{doctor}`");
        }
        assert!(told["next"].as_str().is_some_and(|next| next.contains('`')), "{told}");
        assert_eq!(self.json("/solr/admin/doctor").await["signs"], health["signs"]);
        assert_eq!(self.metric(metric).await, 1);
        let logged = self.logged();
        let sign = format!("sign=\"{sign}\"");
        let wanted = ["WARN parhelion::watch", words, &sign, doctor];
        let is_told = |line: &str| wanted.iter().all(|words| line.contains(words));
        assert!(logged.lines().any(is_told), "{logged}");
    }

    async fn is_over(&self, sign: &str, metric: &str) {
        self.pass(500);
        assert_eq!(self.health().await, json!({"status": "OK"}));
        assert_eq!(self.metric(metric).await, 0);
        let logged = self.logged();
        let is_end = |line: &str| line.contains("INFO parhelion::watch: over: ") && line.contains(sign);
        assert!(logged.lines().any(is_end), "{logged}");
    }

    /// An update that stops at this place, and what is done while it stands there.
    async fn stalled(&self, place: Place, request: [&str; 2], meanwhile: impl AsyncFnOnce(Stall)) {
        let stall = self.stalls.close(place);
        let stands = async {
            // On a thread of its own: this one serves.
            let begun = tokio::task::spawn_blocking(move || {
                stall.begun();
                stall
            });
            meanwhile(begun.await.unwrap()).await;
        };
        tokio::join!(self.update(request), stands);
    }
}

async fn check(planting: Planting) {
    let Planting { sign, metric, place, request, bound_ms, words } = planting;
    let _alone = ALONE.lock().await;
    let watched = Watched::start().await;
    // Two segments, which can be merged.
    for body in [r#"[{"id": "1"}]"#, r#"[{"id": "2"}]"#] {
        watched.update(["commit=true", body]).await;
    }
    let told = async |stall: Stall| {
        watched.pass(0);
        watched.pass(bound_ms - 1);
        assert_eq!(watched.health().await["signs"], Value::Null, "{sign} before its time");
        watched.pass(1);
        watched.tells(sign, metric, words).await;
        drop(stall);
    };
    watched.stalled(place, request, told).await;
    watched.is_over(sign, metric).await;
}

const ONE_MORE: &str = r#"[{"id": "3"}]"#;

#[tokio::test]
async fn a_flush_that_is_stuck() {
    check(Planting {
        sign: "flush-stuck",
        metric: "flushesStuck",
        place: Place::Files,
        request: ["commit=true", ONE_MORE],
        bound_ms: 30_000,
        words: "the flush has got no further for 30.0 s",
    })
    .await;
}

#[tokio::test]
async fn a_merge_without_progress() {
    check(Planting {
        sign: "merge-stalled",
        metric: "mergesStalled",
        place: Place::Files,
        // Nothing is left to flush: the next file is the merge's.
        request: ["optimize=true", "[]"],
        bound_ms: 60_000,
        words: "the merge has written nothing for 1 min",
    })
    .await;
}

#[tokio::test]
async fn a_lock_that_is_held() {
    check(Planting {
        sign: "lock-held",
        metric: "locksHeld",
        place: Place::Append,
        request: ["", ONE_MORE],
        bound_ms: 1_000,
        words: "one thread has held the lock `state` for 1.0 s",
    })
    .await;
}

/// Before anybody calls it a sign: in the first second, too, what tells of a node waits for none of its threads.
#[tokio::test]
async fn metrics_and_health_wait_for_no_lock() {
    let _alone = ALONE.lock().await;
    let watched = Watched::start().await;
    let cores = async || {
        let metrics = watched.json("/solr/admin/metrics?prefix=CORE,CONTAINER").await;
        let registries = metrics["metrics"].as_object().unwrap();
        assert!(registries.contains_key("solr.node"), "{metrics}");
        registries.keys().filter(|name| name.starts_with("solr.core.")).count()
    };
    let meanwhile = async |stall: Stall| {
        let (answered, let_go) = channel::<()>();
        // A server that waits for the lock would keep this test for ever.
        let holds = tokio::task::spawn_blocking(move || {
            let _ = let_go.recv_timeout(Duration::from_secs(20));
            drop(stall);
        });
        let left = cores().await;
        let health = watched.health().await;
        let is_held = !holds.is_finished();
        drop(answered);
        holds.await.unwrap();
        assert_eq!((left, health, is_held), (0, json!({"status": "OK"}), true));
    };
    assert_eq!(cores().await, 1);
    watched.stalled(Place::Append, ["", ONE_MORE], meanwhile).await;
    assert_eq!(cores().await, 1);
}

#[tokio::test]
async fn a_log_that_does_not_become_durable() {
    check(Planting {
        sign: "log-stuck",
        metric: "logsStuck",
        place: Place::Sync,
        request: ["", ONE_MORE],
        bound_ms: 2_000,
        words: "nothing of the log has become durable for 2.0 s, and 1 wait for it",
    })
    .await;
}

#[tokio::test]
async fn a_disk_above_its_99th_percentile() {
    let _alone = ALONE.lock().await;
    let watched = Watched::start().await;
    let syncs = async |count: usize, each_ms: i64| {
        let clock = watched.served.clock.clone();
        watched.stalls.on_sync(Arc::new(move || {
            clock.0.fetch_add(each_ms, Ordering::Relaxed);
        }));
        for _ in 0..count {
            watched.update(["", ONE_MORE]).await;
        }
    };
    syncs(220, 3).await;
    // What was before is what was before the last ten seconds, twice.
    (0..3).for_each(|_| watched.pass(10_000));
    syncs(4, 90).await;
    watched.pass(500);
    assert_eq!(watched.health().await["signs"], Value::Null, "few are no sign");
    syncs(2, 90).await;
    watched.pass(500);
    let health = watched.health().await;
    // At this moment nobody waits for it.
    assert_eq!(
        (&health["signs"][0]["name"], &health["signs"][0]["doctor"]),
        (&json!("disk-slow"), &Value::Null)
    );
    let told = async |stall: Stall| {
        // So the doctor looks again.
        watched.pass(5_000);
        let words = "half of the last 6 syncs took";
        watched.tells("disk-slow", "disksSlow", words).await;
        drop(stall);
    };
    watched.stalled(Place::Sync, ["", ONE_MORE], told).await;
    // As fast as before, and for as long as it takes until the slow ones are not recent.
    for _ in 0..4 {
        syncs(20, 3).await;
        watched.pass(10_000);
    }
    watched.is_over("disk-slow", "disksSlow").await;
}
