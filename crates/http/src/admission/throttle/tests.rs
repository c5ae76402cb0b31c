//! A server in miniature, by a clock that the tests turn: searches take longer the more updates are let in.

use tokio::task::JoinSet;

use super::*;

const MS: Duration = Duration::from_millis(1);
const PIECE_BYTES: usize = 50_000;

fn throttle(objective: &str, shares: &[&str], processor: ProcessorClock) -> Arc<Throttle> {
    let shares: Vec<UpdateShare> = shares.iter().map(|share| share.parse().unwrap()).collect();
    let limits = (1024, Duration::from_secs(10));
    Arc::new(Throttle::new(objective.parse().unwrap(), &shares, (2, processor), limits))
}

fn no_clock() -> ProcessorClock {
    Arc::new(|| None)
}

/// What a simulated server does: bytes of updates in the last tenth of a second, and in all.
#[derive(Default)]
struct Work {
    recent: Mutex<Vec<(Instant, f64)>>,
    bytes: Mutex<std::collections::HashMap<String, f64>>,
}

impl Work {
    fn add(&self, collection: &str, bytes: f64) {
        self.recent.lock().unwrap().push((Instant::now(), bytes));
        *self.bytes.lock().unwrap().entry(collection.to_owned()).or_default() += bytes;
    }

    /// Bytes a second.
    fn rate(&self) -> f64 {
        let now = Instant::now();
        let mut recent = self.recent.lock().unwrap();
        recent.retain(|(at, _)| now - *at < MS * 500);
        recent.iter().map(|(_, bytes)| bytes).sum::<f64>() * 2.0
    }

    fn all(&self) -> f64 {
        self.bytes.lock().unwrap().values().sum()
    }

    fn of(&self, collection: &str) -> f64 {
        self.bytes.lock().unwrap().get(collection).copied().unwrap_or_default()
    }
}

/// Updates of collections, each with this many bytes a second, for this long.
fn send(
    throttle: &Arc<Throttle>,
    work: &Arc<Work>,
    senders: &[(&'static str, f64)],
    lasts: Duration,
) -> JoinSet<u64> {
    let mut sending = JoinSet::new();
    for (collection, rate) in senders.iter().copied() {
        let (throttle, work) = (throttle.clone(), work.clone());
        sending.spawn(async move {
            let (ends, gap) = (Instant::now() + lasts, Duration::from_secs_f64(PIECE_BYTES as f64 / rate));
            let mut pieces = JoinSet::new();
            while Instant::now() < ends {
                let (throttle, work) = (throttle.clone(), work.clone());
                pieces.spawn(async move {
                    let piece = UpdatePiece { collection, bytes: PIECE_BYTES, has_begun: false };
                    match throttle.pass(piece).await {
                        Ok(()) => {
                            work.add(collection, PIECE_BYTES as f64);
                            0
                        }
                        Err(refused) => {
                            assert!((1..=60).contains(&refused.retry_after_s), "{refused:?}");
                            1
                        }
                    }
                });
                tokio::time::sleep(gap).await;
            }
            pieces.join_all().await.into_iter().sum()
        });
    }
    sending
}

/// How long searches take beside updates: longer and longer up to 8 MB a second, and never alike.
struct Searches(u64);

impl Searches {
    /// About normally distributed.
    fn noise(&mut self) -> f64 {
        let mut unit = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..12).map(|_| unit()).sum::<f64>() - 6.0
    }

    fn time(&mut self, rate: f64) -> Duration {
        let idle = (1.0 - rate / 8e6).max(0.03);
        Duration::from_secs_f64(0.005 * (0.4 * self.noise()).exp() / idle)
    }
}

/// The bytes of updates a second beside which 99 of 100 searches take no longer than `goal`.
fn allowed(goal: Duration) -> f64 {
    let (mut kept, mut missed) = (0.0, 8e6);
    for _ in 0..12 {
        let rate = f64::midpoint(kept, missed);
        let mut searches = Searches(9);
        let mut times: Vec<Duration> = (0..5000).map(|_| searches.time(rate)).collect();
        times.sort_unstable();
        if p99(&times) <= goal { kept = rate } else { missed = rate }
    }
    kept
}

/// A hundred searches a second; the times of those that began after `from`.
async fn search(throttle: &Throttle, work: &Work, lasts: Duration, from: Duration) -> Vec<Duration> {
    search_beside(throttle, work, (lasts, from), |_, rate, searches| searches.time(rate)).await
}

/// The same, where `take` says how long a search takes, by the time since the beginning and the rate of
/// updates.
async fn search_beside(
    throttle: &Throttle,
    work: &Work,
    (lasts, from): (Duration, Duration),
    take: impl Fn(Duration, f64, &mut Searches) -> Duration,
) -> Vec<Duration> {
    let (began, mut times, mut searches) = (Instant::now(), Vec::new(), Searches(1));
    while began.elapsed() < lasts {
        tokio::time::sleep(MS * 10).await;
        let took = take(began.elapsed(), work.rate(), &mut searches);
        throttle.searched(took);
        if began.elapsed() >= from {
            times.push(took);
        }
    }
    times.sort_unstable();
    times
}

fn p99(times: &[Duration]) -> Duration {
    times[times.len() * 99 / 100]
}

/// More than twice what the objective allows, for a minute, its beginning included.
#[tokio::test(start_paused = true)]
async fn searches_keep_to_the_objective_and_updates_have_what_it_allows() {
    let (throttle, work) = (throttle("p99=50ms", &[], no_clock()), Arc::new(Work::default()));
    let lasts = Duration::from_secs(60);
    let senders = send(&throttle, &work, &[("films", 18e6)], lasts);
    let times = search(&throttle, &work, lasts, Duration::ZERO).await;
    let refused: u64 = senders.join_all().await.into_iter().sum();
    assert!(p99(&times) <= MS * 60, "{:?}", p99(&times));
    let allowed = allowed(MS * 50) * lasts.as_secs_f64();
    assert!(work.all() >= allowed * 0.9, "{} of {allowed}", work.all());
    assert!(refused > 100, "{refused}");
}

/// From one moment on the server can do half of what it could.
#[tokio::test(start_paused = true)]
async fn searches_are_soon_at_the_objective_again_when_a_server_can_do_less() {
    let (throttle, work) = (throttle("p99=50ms", &[], no_clock()), Arc::new(Work::default()));
    let lasts = Duration::from_secs(60);
    let senders = send(&throttle, &work, &[("films", 18e6)], lasts);
    let take = |since: Duration, rate: f64, searches: &mut Searches| {
        searches.time(rate * if since.as_secs() < 20 { 1.0 } else { 2.0 })
    };
    let times = search_beside(&throttle, &work, (lasts, Duration::ZERO), take).await;
    senders.join_all().await;
    assert!(p99(&times) <= MS * 100, "{:?}", p99(&times));
}

/// Half a second in ten searches take longer for a reason that updates have no part in.
#[tokio::test(start_paused = true)]
async fn what_updates_are_not_to_blame_for_costs_them_little() {
    let (throttle, work) = (throttle("p99=50ms", &[], no_clock()), Arc::new(Work::default()));
    let lasts = Duration::from_secs(60);
    let senders = send(&throttle, &work, &[("films", 18e6)], lasts);
    let take = |since: Duration, rate: f64, searches: &mut Searches| {
        let noise = if since.as_millis() % 10_000 > 9_500 { MS * 200 } else { Duration::ZERO };
        searches.time(rate) + noise
    };
    search_beside(&throttle, &work, (lasts, Duration::ZERO), take).await;
    senders.join_all().await;
    let allowed = allowed(MS * 50) * lasts.as_secs_f64();
    assert!(work.all() >= allowed * 0.9, "{} of {allowed}", work.all());
}

/// And without it they do not: the miniature bites.
#[tokio::test(start_paused = true)]
async fn without_an_objective_searches_suffer() {
    let (throttle, work) = (throttle("processor=100%", &[], no_clock()), Arc::new(Work::default()));
    let lasts = Duration::from_secs(10);
    let senders = send(&throttle, &work, &[("films", 18e6)], lasts);
    let times = search(&throttle, &work, lasts, Duration::from_secs(4)).await;
    senders.join_all().await;
    assert!(p99(&times) > MS * 200, "{:?}", p99(&times));
}

#[tokio::test(start_paused = true)]
async fn an_adaptive_objective_is_twice_the_least() {
    let (throttle, work) = (throttle("adaptive", &[], no_clock()), Arc::new(Work::default()));
    let lasts = Duration::from_secs(30);
    let alone = search(&throttle, &work, lasts, Duration::ZERO).await;
    let senders = send(&throttle, &work, &[("films", 18e6)], lasts);
    let times = search(&throttle, &work, lasts, Duration::from_secs(5)).await;
    senders.join_all().await;
    // The least of many seconds is below what all of them come to.
    let ratio = p99(&times).as_secs_f64() / p99(&alone).as_secs_f64();
    assert!((1.2..=2.2).contains(&ratio), "{ratio}");
    assert!(work.all() > 1e6 * lasts.as_secs_f64(), "{}", work.all());
}

#[tokio::test(start_paused = true)]
async fn the_processor_is_held_within_five_points() {
    // Two processors; each megabyte takes 200 ms of one.
    let work = Arc::new(Work::default());
    let used = work.clone();
    let clock: ProcessorClock = Arc::new(move || Some((used.all() / 1e6 * 0.2e9) as u64));
    let throttle = throttle("processor=60%", &[], clock);
    let senders = send(&throttle, &work, &[("films", 30e6)], Duration::from_secs(60));
    tokio::time::sleep(Duration::from_secs(20)).await;
    let (before, began) = (work.all(), Instant::now());
    senders.join_all().await;
    let share = (work.all() - before) / 1e6 * 0.2 / 2.0 / began.elapsed().as_secs_f64();
    assert!((0.55..=0.65).contains(&share), "{share}");
}

/// One sends ten times as much as the other, who gets all that it sends as long as that is within its share.
#[tokio::test(start_paused = true)]
async fn who_sends_much_keeps_nobody_from_his_share() {
    let share = async |shares: &[&str], small: f64| {
        let (throttle, work) = (throttle("p99=50ms", shares, no_clock()), Arc::new(Work::default()));
        let lasts = Duration::from_secs(40);
        let senders = send(&throttle, &work, &[("large", 18e6), ("small", small)], lasts);
        search(&throttle, &work, lasts, Duration::ZERO).await;
        senders.join_all().await;
        (work.of("small") / (small * lasts.as_secs_f64()), work.of("small") / work.all())
    };
    let (had, _) = share(&[], 1e6).await;
    assert!(had > 0.95, "{had}");
    let (_, of_all) = share(&[], 18e6).await;
    assert!((0.45..0.55).contains(&of_all), "{of_all}");
    let (_, of_all) = share(&["large=3"], 18e6).await;
    assert!((0.2..0.3).contains(&of_all), "{of_all}");
}

#[tokio::test(start_paused = true)]
async fn who_has_begun_waits_rather_than_is_refused() {
    let (throttle, work) = (throttle("p99=50ms", &[], no_clock()), Arc::new(Work::default()));
    let senders = send(&throttle, &work, &[("films", 18e6)], Duration::from_secs(20));
    let searching = search(&throttle, &work, Duration::from_secs(15), Duration::ZERO);
    let asking = async {
        tokio::time::sleep(Duration::from_secs(10)).await;
        let piece = |has_begun| UpdatePiece { collection: "films", bytes: PIECE_BYTES, has_begun };
        let refused = throttle.pass(piece(false)).await.unwrap_err();
        assert_eq!((refused.error.kind, refused.retry_after_s > 0), (ErrorKind::Busy, true));
        assert!(throttle.pass(piece(true)).await.is_ok());
        // Who goes away leaves no trace.
        let _ = tokio::time::timeout(MS, throttle.pass(piece(true))).await;
    };
    tokio::join!(searching, asking);
    senders.join_all().await;
    assert_eq!(throttle.state().queue.len(), 0);
}
