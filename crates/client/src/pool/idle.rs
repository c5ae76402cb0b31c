//! The idle connections of one server, newest last: the newest is leased first, so that the others grow old
//! and are closed. Knows nothing of what a connection is.
//!
//! Pure: moments and whether a connection is open are handed in. Also how long a server says that it keeps
//! them (`Keep-Alive`).

use std::time::Duration;

use tokio::time::Instant;

pub(super) struct IdleList<T> {
    entries: Vec<Idle<T>>,
    /// Whether a sweeper runs; kept here so that one lock decides.
    pub sweeper_runs: bool,
}

struct Idle<T> {
    item: T,
    expires: Instant,
}

/// What a sweep found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Swept {
    pub expired: usize,
    pub closed: usize,
    /// When the next one expires; `None` when nothing is left.
    pub next: Option<Instant>,
}

impl<T> IdleList<T> {
    pub fn new() -> Self {
        Self { entries: Vec::new(), sweeper_runs: false }
    }

    pub fn put(&mut self, item: T, expires: Instant) {
        self.entries.push(Idle { item, expires });
    }

    /// The newest that is neither expired nor closed. Expired ones are not used even if no sweeper has seen
    /// them yet: a process that was stopped for a minute wakes with connections that its server has long
    /// given up. Counts what was passed over.
    pub fn take(&mut self, now: Instant, is_open: impl Fn(&T) -> bool) -> (Option<T>, Swept) {
        let mut swept = Swept::default();
        while let Some(idle) = self.entries.pop() {
            if !is_open(&idle.item) {
                swept.closed += 1;
            } else if idle.expires <= now {
                swept.expired += 1;
            } else {
                return (Some(idle.item), swept);
            }
        }
        (None, swept)
    }

    /// Drops what is expired or closed.
    pub fn sweep(&mut self, now: Instant, is_open: impl Fn(&T) -> bool) -> Swept {
        let mut swept = Swept::default();
        self.entries.retain(|idle| {
            let (open, fresh) = (is_open(&idle.item), idle.expires > now);
            swept.closed += usize::from(!open);
            swept.expired += usize::from(open && !fresh);
            open && fresh
        });
        swept.next = self.entries.iter().map(|idle| idle.expires).min();
        swept
    }
}

/// How long a server keeps idle connections, as its `Keep-Alive` header says, less what keeps us on the safe
/// side: its clock began before ours, when it sent what we then received.
pub(super) fn advertised(keep_alive: &str) -> Option<Duration> {
    let mut parameters = keep_alive.split(',').filter_map(|parameter| parameter.trim().split_once('='));
    let (_, seconds) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("timeout"))?;
    let seconds: u64 = seconds.trim().parse().ok()?;
    Some(if seconds > 2 { Duration::from_secs(seconds - 1) } else { Duration::from_secs(seconds) / 2 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn the_newest_that_is_open_and_fresh_is_taken() {
        let (mut list, now) = (IdleList::new(), Instant::now());
        for item in 1..=4 {
            list.put(item, now + SECOND * item);
        }
        list.put(5, now);
        let (taken, swept) = list.take(now, |item| *item != 4);
        assert_eq!((taken, swept), (Some(3), Swept { expired: 1, closed: 1, next: None }));
        assert_eq!(list.take(now + SECOND * 9, |_| true).0, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_sweep_says_when_the_next_is_due() {
        let (mut list, now) = (IdleList::new(), Instant::now());
        for item in 1..=4 {
            list.put(item, now + SECOND * item);
        }
        let swept = list.sweep(now + SECOND * 2, |item| *item != 3);
        assert_eq!(swept, Swept { expired: 2, closed: 1, next: Some(now + SECOND * 4) });
        assert_eq!(list.sweep(now + SECOND * 4, |_| true).next, None);
    }

    #[test]
    fn servers_say_how_long_they_wait() {
        let check =
            |header: &str, expected: Option<Duration>| assert_eq!(advertised(header), expected, "{header}");
        check("timeout=5, max=100", Some(SECOND * 4));
        check("max=100,Timeout = 1", Some(SECOND / 2));
        check("timeout=0", Some(Duration::ZERO));
        check("timeout=soon", None);
        check("max=100", None);
    }
}
