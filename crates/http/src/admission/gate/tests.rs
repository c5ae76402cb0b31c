//! Bursts, queues that stand, and three times as much as can be done, by a clock that the tests turn.

use std::sync::Arc;

use plan::ErrorKind;
use tokio::task::JoinSet;

use super::*;

const WORK: Duration = Duration::from_millis(10);

fn gate(at_once: usize, at_once_pressed: usize, waiting_max: usize, patience: Duration) -> Arc<Gate> {
    Arc::new(Gate::new(GateLimits { at_once, at_once_pressed, waiting_max, patience }))
}

/// This many requests every hundredth of a second, for this many; how long each took that was admitted.
async fn ask(gate: &Arc<Gate>, each_time: usize, times: usize) -> Vec<Duration> {
    let mut requests = JoinSet::new();
    for _ in 0..times {
        for _ in 0..each_time {
            let gate = Arc::clone(gate);
            requests.spawn(async move {
                let started = Instant::now();
                let _pass = gate.enter().await.ok()?;
                tokio::time::sleep(WORK).await;
                Some(started.elapsed())
            });
        }
        tokio::time::sleep(WORK).await;
    }
    requests.join_all().await.into_iter().flatten().collect()
}

/// Three times as much as can be done, for ten seconds of a clock that only this test moves: all that can be
/// done is done, and after the first 0.6 seconds what is admitted takes no more than twice as long.
#[tokio::test(start_paused = true)]
async fn overload_leaves_what_is_admitted_fast() {
    let gate = gate(8, 4, 1024, Duration::from_millis(400));
    let mut took = ask(&gate, 24, 1000).await;
    assert!(took.len() >= 3990, "{}", took.len());
    took.sort_unstable();
    let slow = took.iter().filter(|time| **time > WORK * 2).count();
    assert!(slow <= 8 * 60, "{slow} of {}: {:?}", took.len(), took.last());
}

/// A burst is no overload: it waits, and is answered whole.
#[tokio::test(start_paused = true)]
async fn a_burst_is_worked_off() {
    let gate = gate(4, 1, 1024, Duration::from_millis(400));
    assert_eq!(ask(&gate, 100, 1).await.len(), 100);
    assert!(!gate.is_pressed());
}

/// This many clients, each of whom asks again when it is answered, for two seconds: whether there was
/// pressure.
async fn pressed_by(clients: usize) -> bool {
    let gate = gate(4, 2, 1024, Duration::from_millis(400));
    let mut asking = JoinSet::new();
    for _ in 0..clients {
        let gate = Arc::clone(&gate);
        asking.spawn(async move {
            for _ in 0..200 {
                let _pass = gate.enter().await;
                tokio::time::sleep(WORK).await;
            }
        });
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let pressed = gate.is_pressed();
    asking.shutdown().await;
    pressed
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_stands_is_pressure() {
    assert!(!pressed_by(4).await);
    assert!(!pressed_by(60).await);
    assert!(pressed_by(80).await);
}

/// A queue that is longer than can be worked off in time is pressure as soon as that can be told.
#[tokio::test(start_paused = true)]
async fn who_would_wait_too_long_is_not_let_wait() {
    let gate = gate(4, 4, 1024, Duration::from_millis(100));
    ask(&gate, 4, 3).await;
    let mut requests = JoinSet::new();
    for _ in 0..100 {
        let gate = Arc::clone(&gate);
        requests.spawn(async move {
            let pass = gate.enter().await;
            tokio::time::sleep(WORK).await;
            pass.is_ok()
        });
    }
    tokio::task::yield_now().await;
    assert!(gate.is_pressed());
    assert!(requests.join_all().await.contains(&false));
}

#[tokio::test(start_paused = true)]
async fn after_the_pressure_all_is_as_before() {
    let gate = gate(8, 1, 2, WORK);
    ask(&gate, 100, 3).await;
    assert!(gate.is_pressed());
    tokio::time::sleep(PRESSED_FOR * 2).await;
    assert!(!gate.is_pressed());
    assert_eq!(ask(&gate, 8, 1).await, [WORK; 8]);
    let line = gate.line();
    assert_eq!((line.working, line.waiting.len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn who_waits_too_long_is_refused() {
    let patience = Duration::from_millis(50);
    let gate = gate(1, 1, 10, patience);
    let pass = gate.enter().await.unwrap();
    let started = Instant::now();
    let error = gate.enter().await.err().unwrap();
    assert_eq!((error.kind, started.elapsed()), (ErrorKind::Busy, patience));
    drop(pass);
    assert!(gate.enter().await.is_ok());
}
