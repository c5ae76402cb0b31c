//! What is done to one direction of every connection, and how that is written: on a command line, in scripts
//! and on standard input alike. Doing it is `link.rs`. In: text such as `delay=20ms rate=12m`; out: settings,
//! or an error that names the part it cannot read.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From those who connected to the proxy.
    ToServer,
    /// From the server behind the proxy.
    ToClient,
}

impl Direction {
    pub const BOTH: [Direction; 2] = [Direction::ToServer, Direction::ToClient];
}

/// The faults of one direction. The default is none.
///
/// Written as words: `delay=20ms jitter=5ms rate=12m loss=0.001 reset-after=4k cut-after=1m cut`, or `clear`
/// for none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// Every byte is late by this.
    pub delay: Duration,
    /// And by up to this more, evenly spread; order is kept.
    pub jitter: Duration,
    /// Bytes a second of all connections together, as on one link.
    pub rate: Option<u64>,
    /// The share of reads, 0 to 1, at which the connection is reset. TCP hides the loss of packets until it
    /// gives up, so a reset is what an application sees of loss.
    pub loss: f64,
    /// A connection is reset once this many of its bytes have passed.
    pub reset_after: Option<u64>,
    /// Nothing more passes once this many bytes of a connection have: the peer stalls.
    pub cut_after: Option<u64>,
    /// Nothing passes, not even the end of a connection; what was sent meanwhile arrives once the cut is
    /// healed.
    pub cut: bool,
}

/// Sums of longer ones would overflow.
const DURATION_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// What is wrong with a word, a line or a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FaultError(pub(crate) String);

impl FromStr for Faults {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let mut faults = Faults::default();
        for word in text.split_whitespace() {
            faults.apply(word)?;
        }
        Ok(faults)
    }
}

impl Faults {
    fn apply(&mut self, word: &str) -> Result<(), FaultError> {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        match name {
            "clear" if value.is_empty() => *self = Faults::default(),
            "cut" if value.is_empty() => self.cut = true,
            "delay" => self.delay = parse_duration(value)?,
            "jitter" => self.jitter = parse_duration(value)?,
            "rate" => self.rate = Some(parse_bytes(value)?.max(1)),
            "loss" => self.loss = parse_share(value)?,
            "reset-after" => self.reset_after = Some(parse_bytes(value)?),
            "cut-after" => self.cut_after = Some(parse_bytes(value)?),
            _ => {
                return Err(FaultError(format!(
                    "`{word}` is no fault; use delay=, jitter=, rate=, loss=, reset-after=, cut-after=, cut or clear"
                )));
            }
        }
        Ok(())
    }
}

/// As it is written.
impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        let mut duration = |name: &str, value: Duration| {
            if !value.is_zero() {
                words.push(format!("{name}={}us", value.as_micros()));
            }
        };
        duration("delay", self.delay);
        duration("jitter", self.jitter);
        let numbers = [("rate", self.rate), ("reset-after", self.reset_after), ("cut-after", self.cut_after)];
        words.extend(numbers.iter().filter_map(|(name, value)| value.map(|value| format!("{name}={value}"))));
        if self.loss > 0.0 {
            words.push(format!("loss={}", self.loss));
        }
        if self.cut {
            words.push("cut".to_owned());
        }
        f.write_str(if words.is_empty() { "clear".to_owned() } else { words.join(" ") }.as_str())
    }
}

/// `250us`, `20ms`, `1.5s`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, FaultError> {
    let wrong = || FaultError(format!("`{text}` is not a duration; write it as 250us, 20ms or 1.5s"));
    let units = [("us", 1e-6), ("ms", 1e-3), ("s", 1.0)];
    let (number, scale) =
        units.iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale))).ok_or_else(wrong)?;
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let duration = Duration::try_from_secs_f64(number * scale).map_err(|_| wrong())?;
    if duration > DURATION_MAX {
        return Err(FaultError(format!("`{text}` is longer than a day")));
    }
    Ok(duration)
}

/// `4096`, `4k`, `12m`: powers of a thousand, as links are sold.
fn parse_bytes(text: &str) -> Result<u64, FaultError> {
    let wrong = || FaultError(format!("`{text}` is not a number of bytes; write it as 4096, 4k or 12m"));
    let (digits, scale) = match text.strip_suffix(['k', 'm', 'g']) {
        Some(digits) if text.ends_with('k') => (digits, 1_000),
        Some(digits) if text.ends_with('m') => (digits, 1_000_000),
        Some(digits) => (digits, 1_000_000_000),
        None => (text, 1),
    };
    digits.parse::<u64>().ok().and_then(|number| number.checked_mul(scale)).ok_or_else(wrong)
}

fn parse_share(text: &str) -> Result<f64, FaultError> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| FaultError(format!("`{text}` is not a share; use a number from 0 to 1")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_written_as_words() {
        let check = |text: &str, expected: Result<Faults, &str>| {
            let parsed = text.parse::<Faults>();
            assert_eq!(parsed.clone().map_err(|error| error.0), expected.map_err(str::to_owned), "{text}");
            if let Ok(faults) = parsed {
                assert_eq!(faults.to_string().parse(), Ok(faults), "{text}");
            }
        };
        let none = Faults::default();
        check("", Ok(none));
        check(
            "delay=1.5s jitter=250us",
            Ok(Faults { delay: Duration::from_millis(1500), jitter: Duration::from_micros(250), ..none }),
        );
        check("rate=12m loss=0.25", Ok(Faults { rate: Some(12_000_000), loss: 0.25, ..none }));
        check("reset-after=4k cut-after=7 cut", {
            Ok(Faults { reset_after: Some(4000), cut_after: Some(7), cut: true, ..none })
        });
        check("cut clear", Ok(none));
        check("delay=-1ms", Err("`-1ms` is not a duration; write it as 250us, 20ms or 1.5s"));
        check("delay=1e300s", Err("`1e300s` is not a duration; write it as 250us, 20ms or 1.5s"));
        check("jitter=86401s", Err("`86401s` is longer than a day"));
        check("rate=x", Err("`x` is not a number of bytes; write it as 4096, 4k or 12m"));
        check("loss=2", Err("`2` is not a share; use a number from 0 to 1"));
        assert!("warp=9".parse::<Faults>().is_err());
    }
}
