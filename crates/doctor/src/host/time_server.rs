//! How far this host's clock is off, by the word of a time server: SNTP (RFC 4330) over one datagram each
//! way, asked four times, of which the answer that took the shortest way counts. The host's own clock is
//! handed in.

use std::io;
use std::net::{ToSocketAddrs as _, UdpSocket};
use std::time::Duration;

use super::facts::ClockOffset;

const PORT: u16 = 123;
const PATIENCE: Duration = Duration::from_millis(500);
const QUESTIONS: usize = 4;
const DATAGRAM: usize = 48;
/// From 1900, where NTP begins, to 1970.
const EPOCH_SECONDS: i64 = 2_208_988_800;

/// `server`: `HOST` or `HOST:PORT`.
///
/// Errors: when it cannot be reached, does not answer, or has no time to give.
pub fn ask(server: &str, now_ms: fn() -> i64) -> io::Result<ClockOffset> {
    let mut addresses = server.to_socket_addrs().or_else(|_| (server, PORT).to_socket_addrs())?;
    let address = addresses.next().ok_or_else(|| io::Error::other("no such host"))?;
    let socket = UdpSocket::bind(if address.is_ipv6() { "[::]:0" } else { "0.0.0.0:0" })?;
    // Datagrams of anybody else are not delivered.
    socket.connect(address)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let mut best: io::Result<ClockOffset> = Err(io::ErrorKind::TimedOut.into());
    for question in 0..QUESTIONS {
        let found = ask_once(&socket, server, question as u64, now_ms);
        let nearer = match (&best, &found) {
            (Ok(best), Ok(found)) => found.delay_ms < best.delay_ms,
            (best, _) => best.is_err(),
        };
        if nearer {
            best = found;
        }
    }
    best
}

fn ask_once(socket: &UdpSocket, server: &str, question: u64, now_ms: fn() -> i64) -> io::Result<ClockOffset> {
    let sent_ms = now_ms();
    // The server gives this back and reads nothing in it: it tells the answer to this question from one that
    // comes late.
    let stamp = (sent_ms.cast_unsigned() << 8 | question).to_be_bytes();
    let mut request = [0; DATAGRAM];
    // No warning, version 4, a client.
    request[0] = 0x23;
    request[40..].copy_from_slice(&stamp);
    socket.send(&request)?;
    let mut answer = [0; 512];
    loop {
        let length = socket.recv(&mut answer).map_err(no_answer)?;
        let received_ms = now_ms();
        let Some(answer) = Answer::parse(answer.get(..length).unwrap_or_default()) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "this is no time server"));
        };
        if answer.question != stamp {
            continue;
        }
        return answer.offset(server, sent_ms, received_ms);
    }
}

/// A bound that passed is reported by the system as "would block".
fn no_answer(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock => io::Error::new(io::ErrorKind::TimedOut, "it does not answer"),
        _ => error,
    }
}

/// What counts of a datagram.
struct Answer {
    question: [u8; 8],
    /// 0: it has no time to give, 16: it is not synchronized itself.
    stratum: u8,
    /// Seconds of NTP's era and their fraction, as one number.
    received: u64,
    sent: u64,
}

impl Answer {
    fn parse(bytes: &[u8]) -> Option<Self> {
        const SERVER: u8 = 4;
        let stamp = |at: usize| bytes.get(at..at + 8)?.try_into().ok();
        let first = bytes.first()?;
        (first & 7 == SERVER).then_some(())?;
        Some(Self {
            stratum: *bytes.get(1)?,
            question: stamp(24)?,
            received: u64::from_be_bytes(stamp(32)?),
            sent: u64::from_be_bytes(stamp(40)?),
        })
    }

    fn offset(&self, server: &str, sent_ms: i64, received_ms: i64) -> io::Result<ClockOffset> {
        if !(1..16).contains(&self.stratum) {
            return Err(io::Error::other("the time server is not synchronized itself, or refuses"));
        }
        let (theirs_received, theirs_sent) = (millis(self.received, sent_ms), millis(self.sent, sent_ms));
        // Both ways are taken to last alike; half of the way is the most that this can be wrong by.
        let behind = ((theirs_received - sent_ms) + (theirs_sent - received_ms)) / 2;
        let delay = (received_ms - sent_ms) - (theirs_sent - theirs_received);
        Ok(ClockOffset {
            server: server.to_owned(),
            ahead_ms: -behind,
            delay_ms: delay.max(0).cast_unsigned(),
        })
    }
}

/// Milliseconds since 1970. Seconds are counted modulo 2^32, next in 2036: the era is the one nearest to the
/// host's own time.
fn millis(stamp: u64, near_ms: i64) -> i64 {
    const ERA_MS: i64 = (1 << 32) * 1000;
    let seconds = (stamp >> 32).cast_signed() - EPOCH_SECONDS;
    let millis = (((stamp & u64::from(u32::MAX)) * 1000) >> 32).cast_signed();
    let in_first_era = seconds * 1000 + millis;
    let eras = (near_ms.saturating_sub(in_first_era).saturating_add(ERA_MS / 2)).div_euclid(ERA_MS);
    in_first_era + eras * ERA_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: i64 = 1_795_400_000_000;

    fn now() -> i64 {
        NOW_MS
    }

    fn stamp(ms: i64) -> [u8; 8] {
        let seconds = (ms.div_euclid(1000) + EPOCH_SECONDS).cast_unsigned() & u64::from(u32::MAX);
        let fraction = (ms.rem_euclid(1000).cast_unsigned() << 32).div_ceil(1000);
        (seconds << 32 | fraction).to_be_bytes()
    }

    /// A server whose clock shows so much, and which answers each question by `change` of its answer.
    fn serve(clock_ms: i64, change: fn(&mut Vec<u8>)) -> (String, std::thread::JoinHandle<()>) {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap().to_string();
        let answer = move || {
            for _ in 0..QUESTIONS {
                let mut request = [0; DATAGRAM];
                let (_, from) = socket.recv_from(&mut request).unwrap();
                let mut answer = vec![0x24, 2, 0, 0];
                answer.resize(24, 0);
                answer.extend(&request[40..]);
                answer.extend(stamp(clock_ms));
                answer.extend(stamp(clock_ms));
                change(&mut answer);
                socket.send_to(&answer, from).unwrap();
            }
        };
        (address, std::thread::spawn(answer))
    }

    #[test]
    fn a_clock_is_compared_with_the_servers() {
        for ahead_ms in [0, 3000, -86_400_000, 1] {
            let (server, thread) = serve(NOW_MS - ahead_ms, |_| ());
            let found = ask(&server, now).unwrap();
            thread.join().unwrap();
            assert_eq!((found.ahead_ms, found.delay_ms), (ahead_ms, 0));
        }
    }

    #[test]
    fn answers_that_tell_no_time_are_refused() {
        let check = |change: fn(&mut Vec<u8>), word: &str| {
            let (server, thread) = serve(NOW_MS, change);
            let error = ask(&server, now).unwrap_err().to_string();
            thread.join().unwrap();
            assert!(error.contains(word), "{error}");
        };
        check(|answer| answer[1] = 0, "not synchronized");
        check(|answer| answer[1] = 16, "not synchronized");
        check(|answer| answer[0] = 0x23, "no time server");
        check(|answer| answer.truncate(40), "no time server");
        assert!(ask("no such host", now).is_err());
    }

    #[test]
    fn an_answer_to_another_question_is_not_believed() {
        let (server, thread) = serve(NOW_MS - 3000, |answer| answer[31] ^= 0x80);
        assert_eq!(ask(&server, now).unwrap_err().kind(), io::ErrorKind::TimedOut);
        thread.join().unwrap();
    }

    #[test]
    fn eras_of_the_protocol() {
        for ms in [0, NOW_MS, 2_085_978_495_999, 2_085_978_496_000, 2_524_608_000_123] {
            assert_eq!(millis(u64::from_be_bytes(stamp(ms)), ms + 5000), ms, "{ms}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_datagram_panics(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..60), near in proptest::num::i64::ANY) {
            if let Some(answer) = Answer::parse(&bytes) {
                let _ = answer.offset("s", near / 4, near / 4);
            }
        }
    }
}
