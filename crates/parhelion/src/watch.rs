//! The node's watch over itself: the thread that looks at its shards twice a second, what the doctor says of
//! this process when something is stuck, and what it finds on this host when a request asks. What is stuck
//! is judged in `http`, and what is reported of threads and host in `doctor`: here they meet.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, TryLockError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use cluster::Node;
use http::{HostNote, HostNotes, NodeWatch};

/// Between two looks: a lock that is held for a second is seen within one and a half.
const PERIOD: Duration = Duration::from_millis(500);
/// A host is measured by syncs of its disk: not for each request anew.
const NOTES_KEPT: Duration = Duration::from_secs(60);

/// Looks until it is dropped.
pub struct Watching(#[expect(dead_code, reason = "its end tells the thread to end")] Sender<()>);

/// On a thread of its own: those that serve may hang with what this is to tell of.
pub fn start(watch: Arc<NodeWatch>, node: &Arc<Node>) -> anyhow::Result<Watching> {
    let (stop, stopped) = channel();
    let node = Arc::downgrade(node);
    let look = move || {
        while stopped.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
            let Some(node) = node.upgrade() else { return };
            watch.look(&node);
        }
    };
    let thread = std::thread::Builder::new().name("watch".to_owned()).spawn(look);
    thread.context("cannot start the thread that watches this node")?;
    Ok(Watching(stop))
}

/// A watch that asks the doctor.
pub fn watch() -> Arc<NodeWatch> {
    Arc::new(NodeWatch::new(Arc::new(self_look)))
}

#[cfg(target_os = "linux")]
fn self_look() -> Option<String> {
    use meter::Clock as _;
    let now_ms = crate::ambient::SystemClock.now_ms();
    let options = doctor::ObserveOptions { period: Duration::from_millis(200), samples: 3, now_ms };
    doctor::look_at_self(&options)
}

#[cfg(not(target_os = "linux"))]
fn self_look() -> Option<String> {
    None
}

/// What the doctor finds on this host, its data folder's disk among it.
pub fn host_notes(data_dir: &Path) -> HostNotes {
    let kept: Mutex<Option<(Instant, Vec<HostNote>)>> = Mutex::default();
    let data_dir = data_dir.to_owned();
    Arc::new(move || {
        // Held while it is measured, and not waited for: on a disk that does not answer each who asks would
        // leave a thread behind.
        let mut kept = match kept.try_lock() {
            Ok(kept) => kept,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        match &*kept {
            Some((at, notes)) if at.elapsed() < NOTES_KEPT => Some(notes.clone()),
            _ => {
                let notes = measure(&data_dir);
                *kept = Some((Instant::now(), notes.clone()));
                Some(notes)
            }
        }
    })
}

#[cfg(target_os = "linux")]
fn measure(data_dir: &Path) -> Vec<HostNote> {
    use doctor::host::{HostOptions, Sure, lint, measure_host};
    use meter::Clock as _;
    let options = HostOptions {
        data_dir: Some(data_dir.to_owned()),
        zookeeper: Vec::new(),
        zookeeper_config: None,
        zookeeper_log: None,
        time_server: None,
        now_ms: || crate::ambient::SystemClock.now_ms(),
        pause: Duration::from_millis(500),
    };
    let facts = match measure_host(&options) {
        Ok(facts) => facts,
        Err(error) => {
            tracing::warn!(%error, "this host cannot be measured");
            return Vec::new();
        }
    };
    let sure = |sure: Sure| match sure {
        Sure::Certain => "certain",
        Sure::Likely => "likely",
        Sure::Hint => "hint",
    };
    let note = |found: doctor::host::HostFinding| HostNote {
        sure: sure(found.sure).to_owned(),
        name: found.name,
        measured: found.measured,
        why: found.why,
        mend: found.mend,
    };
    lint(&facts).into_iter().map(note).collect()
}

#[cfg(not(target_os = "linux"))]
fn measure(_: &Path) -> Vec<HostNote> {
    Vec::new()
}
