//! What updates give way to, as it is written: a time that searches may take, or a share of the processors.
//!
//! In: the text of a flag; out: plain data, which `throttle` holds updates to. What is not set is no reason
//! to hold anything.

use std::str::FromStr;
use std::time::Duration;

/// Written `p99=50ms`, `p95=1s`, `adaptive`, `processor=80%`; a time and a share with a comma between them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Objective {
    pub latency: Option<LatencyGoal>,
    /// Of all processors, what the server may use while it takes updates: from 0 to 1, held within
    /// `PROCESSOR_BAND`.
    pub processor: Option<f64>,
}

/// How long searches may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LatencyGoal {
    /// This share of them, from 0 to 1, no longer than that.
    Within { quantile: f64, time: Duration },
    /// 99 of 100 no longer than twice as long as when they took least.
    Adaptive,
}

/// To either side of a share of the processors nothing changes.
pub(super) const PROCESSOR_BAND: f64 = 0.05;
/// What cannot be distinguished from the machine's own noise is no objective.
const TIME_MIN: Duration = Duration::from_millis(1);

impl FromStr for Objective {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut objective = Self::default();
        for part in text.split(',').map(str::trim) {
            match part.strip_prefix("processor=") {
                Some(share) if objective.processor.is_none() => {
                    objective.processor = Some(parse_share(share)?);
                }
                None if objective.latency.is_none() => objective.latency = Some(parse_goal(part)?),
                _ => return Err(format!("`{text}` says the same thing twice")),
            }
        }
        Ok(objective)
    }
}

fn parse_goal(text: &str) -> Result<LatencyGoal, String> {
    if text == "adaptive" {
        return Ok(LatencyGoal::Adaptive);
    }
    let wrong = || format!("`{text}` is no objective; use p99=50ms, adaptive or processor=80%");
    let (quantile, time) = text.strip_prefix('p').and_then(|it| it.split_once('=')).ok_or_else(wrong)?;
    let quantile: f64 = quantile.parse().map_err(|_| wrong())?;
    let (number, unit_s) = match time.strip_suffix("ms") {
        Some(number) => (number, 1e-3),
        None => (time.strip_suffix('s').ok_or_else(wrong)?, 1.0),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let time = Duration::try_from_secs_f64(number * unit_s).map_err(|_| wrong())?;
    let is_sane = (50.0..100.0).contains(&quantile) && time >= TIME_MIN && time <= Duration::from_secs(3600);
    if is_sane { Ok(LatencyGoal::Within { quantile: quantile / 100.0, time }) } else { Err(wrong()) }
}

fn parse_share(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
    let share = number.filter(|number| (10.0..=100.0).contains(number)).map(|number| number / 100.0);
    share.ok_or_else(|| format!("`{text}` is no share of the processors; use 10% to 100%"))
}

/// What a collection may have of what all may, where it is not enough for all: its share against the others'.
/// Written `NAME=WEIGHT`; a collection that is not named has 1.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateShare {
    pub collection: String,
    pub weight: f64,
}

impl FromStr for UpdateShare {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('=').and_then(|(name, weight)| {
            let weight = weight.parse::<f64>().ok().filter(|weight| (0.01..=1000.0).contains(weight))?;
            (!name.is_empty()).then(|| Self { collection: name.to_owned(), weight })
        });
        parsed.ok_or_else(|| format!("`{text}` is no share; use NAME=WEIGHT, with a weight of 0.01 to 1000"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objectives_are_written_in_words() {
        let within = |quantile, ms| Some(LatencyGoal::Within { quantile, time: Duration::from_millis(ms) });
        let check = |text: &str, latency: Option<LatencyGoal>, processor: Option<f64>| {
            assert_eq!(text.parse::<Objective>(), Ok(Objective { latency, processor }), "{text}");
        };
        check("p99=50ms", within(0.99, 50), None);
        check("p95=1.5s", within(0.95, 1500), None);
        check("adaptive", Some(LatencyGoal::Adaptive), None);
        check("processor=80%", None, Some(0.8));
        check("p50=2ms, processor=100%", within(0.5, 2), Some(1.0));
        for wrong in
            ["", "p99", "p99=50", "p100=50ms", "p49=50ms", "p99=0ms", "p99=-1s", "p99=1e99s", "99=50ms"]
        {
            let error = wrong.parse::<Objective>().unwrap_err();
            assert!(error.contains("is no objective"), "{error}");
        }
        for wrong in ["processor=80", "processor=5%", "processor=101%", "processor=NaN%"] {
            assert!(
                wrong.parse::<Objective>().unwrap_err().contains("no share of the processors"),
                "{wrong}"
            );
        }
        for twice in ["p99=50ms,adaptive", "processor=50%,processor=60%"] {
            assert!(twice.parse::<Objective>().unwrap_err().contains("twice"), "{twice}");
        }
    }

    #[test]
    fn shares_name_collections() {
        let share = "films=3".parse::<UpdateShare>().unwrap();
        assert_eq!((share.collection.as_str(), share.weight), ("films", 3.0));
        for wrong in ["films", "=3", "films=0", "films=x", "films=NaN", "films=1e9"] {
            assert!(wrong.parse::<UpdateShare>().is_err(), "{wrong}");
        }
    }
}
