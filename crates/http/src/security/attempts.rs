//! Log-ins that failed recently, by the address they came from, and by the user and the address: beyond a
//! bound no more are looked at for a while. That of a user counts for one address only, so that nobody keeps
//! others from logging in but those who share an address. Keys are not counted: they are too long to be
//! guessed.
//!
//! What is kept is bounded, and is nothing as long as nobody fails. The time is handed in.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

use solr::security::digest;

/// How long failures count, from the first of them.
const WINDOW_MS: i64 = 5 * 60 * 1000;
/// An address may fail this many times as often as one user from there.
const ADDRESS_SHARE: u32 = 10;
/// More counts push out the oldest.
const COUNTS_MAX: usize = 20_000;
/// What names the network of one client in IPv6; the rest is its own to choose.
const NETWORK: u128 = !(u64::MAX as u128);

pub(super) struct Attempts {
    /// Failures of one user from one address that are borne; 0 bears all.
    failures_max: u32,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    of: HashMap<Key, Count>,
    /// As they began.
    order: VecDeque<Key>,
}

/// Without a user, all failures from there; without an address, what came by a socket of the file system.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    from: Option<IpAddr>,
    user: Option<[u8; 32]>,
}

#[derive(Clone, Copy)]
struct Count {
    since_ms: i64,
    failures: u32,
}

impl Count {
    /// How long it still counts. A clock that was set back ends it.
    fn rest_ms(self, now_ms: i64) -> Option<i64> {
        let age_ms = now_ms.checked_sub(self.since_ms)?;
        (0..WINDOW_MS).contains(&age_ms).then(|| WINDOW_MS - age_ms)
    }
}

impl Attempts {
    pub fn new(failures_max: u32) -> Self {
        Self { failures_max, counts: Mutex::default() }
    }

    /// Seconds until a log-in is looked at; `None` if it is now.
    pub fn wait_s(&self, from: Option<IpAddr>, user: &str, now_ms: i64) -> Option<u64> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.of.is_empty() {
            return None;
        }
        let wait_ms = |(key, failures_max)| {
            let count = counts.of.get(&key).filter(|count| count.failures >= failures_max)?;
            count.rest_ms(now_ms)
        };
        let waits = self.bounds(from, user).into_iter().filter_map(wait_ms);
        waits.max().map(|ms| ms.unsigned_abs().div_ceil(1000))
    }

    /// Counts a log-in that failed; true for the last that is looked at.
    pub fn failed(&self, from: Option<IpAddr>, user: &str, now_ms: i64) -> bool {
        if self.failures_max == 0 {
            return false;
        }
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let reached =
            self.bounds(from, user).map(|(key, failures_max)| counts.add(key, now_ms) == failures_max);
        reached.contains(&true)
    }

    fn bounds(&self, from: Option<IpAddr>, user: &str) -> [(Key, u32); 2] {
        let from = from.map(network);
        let of_user = Key { from, user: Some(digest(user)) };
        let of_address = Key { from, user: None };
        [(of_user, self.failures_max), (of_address, self.failures_max.saturating_mul(ADDRESS_SHARE))]
    }
}

impl Counts {
    /// The failures with this one.
    fn add(&mut self, key: Key, now_ms: i64) -> u32 {
        self.forget(now_ms);
        let fresh = Count { since_ms: now_ms, failures: 0 };
        let count = self.of.entry(key).or_insert_with(|| {
            self.order.push_back(key);
            fresh
        });
        if count.rest_ms(now_ms).is_none() {
            *count = fresh;
        }
        count.failures = count.failures.saturating_add(1);
        count.failures
    }

    /// Makes room: what no longer counts goes, and the oldest of too many.
    fn forget(&mut self, now_ms: i64) {
        while let Some(key) = self.order.front() {
            let counts = self.of.get(key).is_some_and(|count| count.rest_ms(now_ms).is_some());
            if counts && self.order.len() < COUNTS_MAX {
                return;
            }
            self.of.remove(key);
            self.order.pop_front();
        }
    }
}

/// An address of IPv4, or the network of one of IPv6.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & NETWORK).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Option<IpAddr> {
        (text != "socket").then(|| text.parse().unwrap())
    }

    #[test]
    fn who_fails_too_often_waits() {
        let attempts = Attempts::new(3);
        for (number, now_ms) in [1000, 2000, 3000].into_iter().enumerate() {
            assert_eq!(attempts.wait_s(at("10.0.0.1"), "ann", now_ms), None);
            assert_eq!(attempts.failed(at("10.0.0.1"), "ann", now_ms), number == 2);
        }
        let check = |from: &str, user: &str, now_ms: i64, expected: Option<u64>| {
            assert_eq!(attempts.wait_s(at(from), user, now_ms), expected, "{from} {user} {now_ms}");
        };
        check("10.0.0.1", "ann", 3000, Some(298));
        check("::ffff:10.0.0.1", "ann", 3001, Some(298));
        check("10.0.0.1", "bob", 3000, None);
        check("10.0.0.2", "ann", 3000, None);
        check("socket", "ann", 3000, None);
        check("10.0.0.1", "ann", 300_999, Some(1));
        check("10.0.0.1", "ann", 301_000, None);
        // The clock was set back.
        check("10.0.0.1", "ann", 999, None);
        check("10.0.0.1", "ann", i64::MIN, None);
        assert!(!attempts.failed(at("10.0.0.1"), "ann", 301_000));
        check("10.0.0.1", "ann", 301_000, None);
    }

    #[test]
    fn an_address_fails_for_all_its_users() {
        for (from, same, other) in [
            ("10.0.0.1", "10.0.0.1", "10.0.0.2"),
            ("2001:db8::1", "2001:db8::ffff:2:3:4", "2001:db8:0:1::1"),
            ("socket", "socket", "127.0.0.1"),
        ] {
            let attempts = Attempts::new(3);
            for number in 1..=30 {
                let user = format!("user{number}");
                assert_eq!(attempts.failed(at(from), &user, 0), number == 30, "{from} {user}");
            }
            assert_eq!(attempts.wait_s(at(same), "ann", 0), Some(300), "{from}");
            assert_eq!(attempts.wait_s(at(other), "ann", 0), None, "{from}");
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let attempts = Attempts::new(1);
        for number in 0..COUNTS_MAX as u32 {
            let from = Some(IpAddr::from(number.to_be_bytes()));
            assert!(attempts.failed(from, "ann", 5));
        }
        let check =
            |from: &str, expected: Option<u64>| assert_eq!(attempts.wait_s(at(from), "ann", 5), expected);
        check("0.0.0.1", None);
        check("0.0.78.31", Some(300));
        let length = || {
            let counts = attempts.counts.lock().unwrap();
            assert_eq!(counts.of.len(), counts.order.len());
            counts.of.len()
        };
        assert_eq!(length(), COUNTS_MAX);
        attempts.failed(at("10.0.0.1"), "ann", 5 + WINDOW_MS);
        assert_eq!(length(), 2);
    }

    #[test]
    fn nothing_is_counted_where_another_does() {
        let attempts = Attempts::new(0);
        for _ in 0..1000 {
            assert!(!attempts.failed(at("10.0.0.1"), "ann", 0));
        }
        assert_eq!(attempts.wait_s(at("10.0.0.1"), "ann", 0), None);
    }
}
