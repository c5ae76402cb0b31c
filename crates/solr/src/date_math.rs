//! Solr's date math: `NOW/DAY-7DAYS`, `2026-01-01T00:00:00Z+1MONTH/YEAR`. Text and an instant handed in
//! become an instant; no clock is read. Steps and rounding follow the request's time zone, the result is
//! milliseconds since the epoch. Wording of the errors and leniency with short fields (`2026-1-1T0:0:0Z`) are
//! those of Solr's `DateMathParser`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan, Zoned};
use plan::{Error, Result, RootCause};

/// What `NOW` means and where days begin, for one request.
#[derive(Clone, Debug)]
pub struct DateMath {
    now_ms: i64,
    zone: TimeZone,
    /// Whether the clock's time was used.
    clocked: Arc<AtomicBool>,
    by_clock: bool,
}

impl DateMath {
    /// UTC.
    pub fn new(now_ms: i64) -> Self {
        Self { now_ms, zone: TimeZone::UTC, clocked: Arc::default(), by_clock: true }
    }

    /// The parameters `NOW` (milliseconds) and `TZ` (a zone's name or an offset `GMT+2`) override clock and
    /// UTC.
    pub fn of_request(now: Option<&str>, zone: Option<&str>, clock_ms: i64) -> Result<Self> {
        let now_ms = match now {
            Some(text) => text.trim().parse().map_err(|_| {
                Error::bad_request(format!("For input string: \"{text}\"")).with_root(RootCause::NumberFormat)
            })?,
            None => clock_ms,
        };
        let zone = match zone {
            Some(name) => parse_zone(name)
                .ok_or_else(|| Error::bad_request(format!("Solr JVM does not support TZ: {name}")))?,
            None => TimeZone::UTC,
        };
        Ok(Self { now_ms, zone, clocked: Arc::default(), by_clock: now.is_none() })
    }

    /// What `NOW` means.
    pub fn now_ms(&self) -> i64 {
        self.clocked.store(true, Ordering::Relaxed);
        self.now_ms
    }

    /// Whether what was read so far would be read otherwise at another time.
    pub fn depends_on_time(&self) -> bool {
        self.by_clock && self.clocked.load(Ordering::Relaxed)
    }

    /// Reads `NOW` or an ISO instant, with math behind it or not.
    pub fn parse(&self, text: &str) -> Result<i64> {
        let (start, math) = match text.strip_prefix("NOW") {
            Some(math) => (self.now_ms(), math),
            None => {
                let end = text.find('Z').map(|at| at + 1);
                let end = end.ok_or_else(|| invalid("Invalid Date String", text))?;
                let (instant, math) = text.split_at(end);
                let start = lenient_instant(instant);
                (start.ok_or_else(|| invalid("Invalid Date in Date Math String", text))?, math)
            }
        };
        self.apply(start, math).ok_or_else(|| invalid("Invalid Date Math String", text))
    }

    /// `start_ms` moved by `math` alone, such as `+1MONTH`; `None` when it is not date math or leaves the
    /// calendar.
    pub fn apply(&self, start_ms: i64, math: &str) -> Option<i64> {
        if math.is_empty() {
            return Some(start_ms);
        }
        let mut at = Timestamp::from_millisecond(start_ms).ok()?.to_zoned(self.zone.clone());
        let mut rest = math;
        while !rest.is_empty() {
            (at, rest) = step(&at, rest)?;
        }
        Some(at.timestamp().as_millisecond())
    }
}

fn invalid(what: &str, text: &str) -> Error {
    Error::bad_request(format!("{what}:'{text}'")).with_root(RootCause::DateFormat)
}

/// One operation off the front of `math`.
fn step<'a>(at: &Zoned, math: &'a str) -> Option<(Zoned, &'a str)> {
    let operator = math.chars().next()?;
    let body = math.get(operator.len_utf8()..)?;
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let letters = body.get(digits..)?.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (count, unit, rest) =
        (body.get(..digits)?, body.get(digits..digits + letters)?, body.get(digits + letters..)?);
    let unit = Unit::parse(unit)?;
    let moved = match operator {
        '/' if digits == 0 => unit.floor(at)?,
        '+' => at.checked_add(unit.span(count.parse().ok()?)?).ok()?,
        '-' => at.checked_sub(unit.span(count.parse().ok()?)?).ok()?,
        _ => return None,
    };
    Some((moved, rest))
}

/// From coarse to fine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
}

impl Unit {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "YEAR" | "YEARS" => Unit::Year,
            "MONTH" | "MONTHS" => Unit::Month,
            "DAY" | "DAYS" | "DATE" => Unit::Day,
            "HOUR" | "HOURS" => Unit::Hour,
            "MINUTE" | "MINUTES" => Unit::Minute,
            "SECOND" | "SECONDS" => Unit::Second,
            "MILLI" | "MILLIS" | "MILLISECOND" | "MILLISECONDS" => Unit::Millisecond,
            _ => return None,
        })
    }

    fn span(self, count: i64) -> Option<Span> {
        let none = Span::new();
        match self {
            Unit::Year => none.try_years(count),
            Unit::Month => none.try_months(count),
            Unit::Day => none.try_days(count),
            Unit::Hour => none.try_hours(count),
            Unit::Minute => none.try_minutes(count),
            Unit::Second => none.try_seconds(count),
            Unit::Millisecond => none.try_milliseconds(count),
        }
        .ok()
    }

    fn floor(self, at: &Zoned) -> Option<Zoned> {
        let sub_milli = (i64::from(at.subsec_nanosecond()) % 1_000_000).nanoseconds();
        let whole = at.checked_sub(sub_milli).ok()?;
        if self == Unit::Millisecond {
            return Some(whole);
        }
        let mut edge = whole.with().subsec_nanosecond(0);
        if self <= Unit::Minute {
            edge = edge.second(0);
        }
        if self <= Unit::Hour {
            edge = edge.minute(0);
        }
        if self <= Unit::Day {
            edge = edge.hour(0);
        }
        if self <= Unit::Month {
            edge = edge.day(1);
        }
        if self <= Unit::Year {
            edge = edge.month(1);
        }
        edge.build().ok()
    }
}

/// An ISO instant whose fields may be short: `2026-1-1T0:0:0Z`.
fn lenient_instant(text: &str) -> Option<i64> {
    let body = text.strip_suffix('Z')?;
    let (date, time) = body.split_once('T')?;
    let unsigned = date.trim_start_matches(['+', '-']);
    let sign = date.get(..date.len() - unsigned.len())?;
    let padded_date = pad(unsigned, '-', &[4, 2, 2])?;
    let (clock, fraction) = match time.split_once('.') {
        Some((clock, fraction)) => (clock, format!(".{fraction}")),
        None => (time, String::new()),
    };
    let padded_clock = pad(clock, ':', &[2, 2, 2])?;
    plan::parse_instant(&format!("{sign}{padded_date}T{padded_clock}{fraction}Z"))
}

/// The parts of `text` filled up with zeros to `widths`.
fn pad(text: &str, separator: char, widths: &[usize]) -> Option<String> {
    let parts: Vec<_> = text.split(separator).collect();
    let fits = parts.len() == widths.len() && parts.iter().all(|part| !part.is_empty());
    let padded: Vec<_> =
        parts.iter().zip(widths).map(|(part, width)| format!("{part:0>width$}", width = *width)).collect();
    fits.then(|| padded.join(&separator.to_string()))
}

/// A zone's name, or `GMT+2`, `GMT-03:30`, `UTC`.
fn parse_zone(name: &str) -> Option<TimeZone> {
    if let Some(offset) =
        name.strip_prefix("GMT").or_else(|| name.strip_prefix("UTC")).filter(|o| !o.is_empty())
    {
        return fixed_zone(offset);
    }
    TimeZone::get(name).ok()
}

fn fixed_zone(offset: &str) -> Option<TimeZone> {
    let sign = match offset.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let digits = offset.get(1..)?;
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None if digits.len() > 2 => digits.split_at_checked(digits.len() - 2)?,
        None => (digits, "0"),
    };
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let valid = (0..24).contains(&hours) && (0..60).contains(&minutes);
    let offset = jiff::tz::Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()?;
    valid.then(|| TimeZone::fixed(offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21T11:41:29.622Z.
    const NOW_MS: i64 = 1_795_261_289_622;

    fn shown(math: &DateMath, text: &str) -> String {
        math.parse(text).map_or_else(|error| error.message, plan::format_instant)
    }

    #[test]
    fn math_moves_and_rounds() {
        let math = DateMath::new(NOW_MS);
        let check = |text: &str, expected: &str| assert_eq!(shown(&math, text), expected, "{text}");
        check("NOW", "2026-11-21T11:41:29.622Z");
        check("NOW/MILLI", "2026-11-21T11:41:29.622Z");
        check("NOW/SECOND", "2026-11-21T11:41:29Z");
        check("NOW/MINUTES", "2026-11-21T11:41:00Z");
        check("NOW/HOUR", "2026-11-21T11:00:00Z");
        check("NOW/DATE", "2026-11-21T00:00:00Z");
        check("NOW/MONTH", "2026-11-01T00:00:00Z");
        check("NOW/YEARS", "2026-01-01T00:00:00Z");
        check("NOW+1MONTH/MONTH-2DAYS", "2026-11-29T00:00:00Z");
        check("NOW/DAY+6MONTHS+3DAYS", "2027-05-24T00:00:00Z");
        check("2026-01-31T00:00:00Z+1MONTH", "2026-02-28T00:00:00Z");
        check("2026-1-1T0:0:0Z-1MILLI", "2025-12-31T23:59:59.999Z");
        check("2020-01-01T00:00:00.123456Z", "2020-01-01T00:00:00.123Z");
        check("-0001-01-01T00:00:00Z", "-0001-01-01T00:00:00Z");
    }

    #[test]
    fn errors_are_worded_as_solr_words_them() {
        let math = DateMath::new(NOW_MS);
        let check =
            |text: &str, expected: &str| assert_eq!(shown(&math, text), format!("{expected}:'{text}'"));
        check("foo", "Invalid Date String");
        check("", "Invalid Date String");
        check("now", "Invalid Date String");
        check("2020-01-01", "Invalid Date String");
        check("2020-13-01T00:00:00Z", "Invalid Date in Date Math String");
        check("2020-02-30T00:00:00Z", "Invalid Date in Date Math String");
        check("NOW/FOO", "Invalid Date Math String");
        check("NOW+1XX", "Invalid Date Math String");
        check("NOW ", "Invalid Date Math String");
        check("NOW+1 DAY", "Invalid Date Math String");
        check("NOW+DAY", "Invalid Date Math String");
        check("NOW/1DAY", "Invalid Date Math String");
        check("NOW+999999999999999999999DAYS", "Invalid Date Math String");
        check("NOW+é", "Invalid Date Math String");
        check("NOW+99999YEARS", "Invalid Date Math String");
    }

    #[test]
    fn days_begin_in_the_zone() {
        let check = |zone: &str, text: &str, expected: &str| {
            let math = DateMath::of_request(Some("1000"), Some(zone), 0).unwrap();
            assert_eq!(shown(&math, text), expected, "{zone} {text}");
        };
        check("America/New_York", "NOW/DAY", "1969-12-31T05:00:00Z");
        check("GMT+02:00", "NOW/DAY", "1969-12-31T22:00:00Z");
        check("GMT-3", "NOW/DAY", "1969-12-31T03:00:00Z");
        check("UTC", "NOW/DAY", "1970-01-01T00:00:00Z");
        check("Europe/Berlin", "2026-10-25T00:00:00Z/DAY+1DAY", "2026-10-25T23:00:00Z");
        assert!(DateMath::of_request(None, Some("foo/bar"), 0).is_err());
        assert!(DateMath::of_request(Some("abc"), None, 0).is_err());
    }
}
