//! Texts that look like dates, as schemaless mode reads them: the seven patterns of Solr's `_default` configset, in UTC
//! unless the text names a zone. Lenient as there: digits may lack, months and days may overflow into the next, letters
//! may be in any case; a weekday must be the right one. Recorded from Solr 9.10.1.

use jiff::ToSpan;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::{Offset, TimeZone};

/// The instant in milliseconds since the epoch, by the first pattern that fits the whole text.
pub fn instant(text: &str) -> Option<i64> {
    // Every pattern has a colon or starts like `yyyy-`; most texts end here.
    if text.len() > 64 || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let text = text.to_ascii_lowercase();
    [iso, mail, old_mail, unix].iter().find_map(|pattern| pattern(&mut Scan { rest: &text }))
}

/// `yyyy-MM-dd['T'[HH:mm[:ss[.SSS]][z` and `yyyy-MM-dd HH:mm[:ss[.SSS]][z`, with `.` or `,` before the milliseconds.
fn iso(scan: &mut Scan<'_>) -> Option<i64> {
    let sign = if scan.literal("-").is_some() { -1 } else { 1 };
    let year = sign * scan.number(9)?;
    let month = scan.literal("-").and_then(|()| scan.number(4))?;
    let day = scan.literal("-").and_then(|()| scan.number(4))?;
    let mut moment = Moment { year, month, day, ..Moment::default() };
    let required = scan.literal(" ").is_some();
    if scan.rest.is_empty() || (!required && scan.literal("t").is_some() && scan.rest.is_empty()) {
        return if required { None } else { moment.instant() };
    }
    scan.clock(&mut moment, true)?;
    if !scan.rest.is_empty() {
        moment.zone = scan.zone()?;
    }
    scan.end()?;
    moment.instant()
}

/// `[EEE, ]dd MMM yyyy HH:mm[:ss] z`.
fn mail(scan: &mut Scan<'_>) -> Option<i64> {
    let weekday = scan.name(&WEEKDAYS);
    if weekday.is_some() {
        scan.literal(", ")?;
    }
    let day = scan.number(4)?;
    let month = scan.literal(" ").and_then(|()| scan.name(&MONTHS))?;
    let year = scan.literal(" ").and_then(|()| scan.number(9))?;
    scan.literal(" ")?;
    let mut moment = Moment { year, month, day, weekday, ..Moment::default() };
    scan.clock(&mut moment, false)?;
    moment.zone = scan.literal(" ").and_then(|()| scan.zone())?;
    scan.end()?;
    moment.instant()
}

/// `EEEE, dd-MMM-yy HH:mm:ss z`; two digits of a year are of this century.
fn old_mail(scan: &mut Scan<'_>) -> Option<i64> {
    let weekday = Some(scan.name(&WEEKDAYS)?);
    let day = scan.literal(", ").and_then(|()| scan.number(4))?;
    let month = scan.literal("-").and_then(|()| scan.name(&MONTHS))?;
    let year = scan.literal("-").and_then(|()| scan.number(9))?;
    scan.literal(" ")?;
    let year = if year < 100 { year + 2000 } else { year };
    let mut moment = Moment { year, month, day, weekday, ..Moment::default() };
    scan.clock(&mut moment, false)?;
    moment.zone = scan.literal(" ").and_then(|()| scan.zone())?;
    scan.end()?;
    moment.instant()
}

/// `EEE MMM ppd HH:mm:ss [z ]yyyy`.
fn unix(scan: &mut Scan<'_>) -> Option<i64> {
    let weekday = Some(scan.name(&WEEKDAYS)?);
    let month = scan.literal(" ").and_then(|()| scan.name(&MONTHS))?;
    scan.literal(" ")?;
    let _ = scan.literal(" ");
    let day = scan.number(4)?;
    scan.literal(" ")?;
    let mut moment = Moment { month, day, weekday, ..Moment::default() };
    scan.clock(&mut moment, false)?;
    scan.literal(" ")?;
    if !scan.rest.starts_with(|it: char| it.is_ascii_digit()) {
        moment.zone = scan.zone()?;
        scan.literal(" ")?;
    }
    moment.year = scan.number(9)?;
    scan.end()?;
    moment.instant()
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Short zone names and the region that Java takes them for.
const ZONES: &[(&str, &str)] = &[
    ("est", "America/New_York"),
    ("edt", "America/New_York"),
    ("cst", "America/Chicago"),
    ("cdt", "America/Chicago"),
    ("mst", "America/Denver"),
    ("mdt", "America/Denver"),
    ("pst", "America/Los_Angeles"),
    ("pdt", "America/Los_Angeles"),
    ("cet", "Europe/Paris"),
    ("cest", "Europe/Paris"),
    ("bst", "Europe/London"),
    ("jst", "Asia/Tokyo"),
];

/// A date and time as written: parts may be out of range.
struct Moment {
    year: i64,
    month: i64,
    day: i64,
    weekday: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    millisecond: i64,
    zone: TimeZone,
}

impl Default for Moment {
    fn default() -> Self {
        Self {
            year: 0,
            month: 1,
            day: 1,
            weekday: None,
            hour: 0,
            minute: 0,
            second: 0,
            millisecond: 0,
            zone: TimeZone::UTC,
        }
    }
}

impl Moment {
    fn instant(&self) -> Option<i64> {
        let year = self.year + (self.month - 1).div_euclid(12);
        let month = (self.month - 1).rem_euclid(12) + 1;
        let first = Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, 1).ok()?;
        let date = first.checked_add((self.day - 1).days()).ok()?;
        if self.weekday.is_some_and(|weekday| weekday != number_of(date.weekday())) {
            return None;
        }
        let ms = ((self.hour * 60 + self.minute) * 60 + self.second) * 1000 + self.millisecond;
        let local = date.to_datetime(Time::midnight()).checked_add(ms.milliseconds()).ok()?;
        Some(self.zone.to_ambiguous_timestamp(local).compatible().ok()?.as_millisecond())
    }
}

fn number_of(weekday: Weekday) -> i64 {
    i64::from(weekday.to_monday_one_offset())
}

/// The part of a text, in lower case, that is not read yet.
struct Scan<'a> {
    rest: &'a str,
}

impl Scan<'_> {
    fn literal(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    fn end(&self) -> Option<()> {
        self.rest.is_empty().then_some(())
    }

    /// A whole number of at most so many digits.
    fn number(&mut self, digits_max: usize) -> Option<i64> {
        let end = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest.get(..end).filter(|digits| digits.len() <= digits_max)?.parse().ok()?;
        self.rest = self.rest.get(end..)?;
        Some(number)
    }

    /// One of the names, whole or its first three letters; gives its place from 1.
    fn name(&mut self, names: &[&str]) -> Option<i64> {
        for (at, name) in names.iter().enumerate() {
            let short = name.get(..3).unwrap_or(name);
            if let Some(rest) = self.rest.strip_prefix(name).or_else(|| self.rest.strip_prefix(short)) {
                self.rest = rest;
                return i64::try_from(at + 1).ok();
            }
        }
        None
    }

    /// `HH:mm[:ss[.SSS]]`, the milliseconds only where the pattern has them.
    fn clock(&mut self, moment: &mut Moment, milliseconds: bool) -> Option<()> {
        moment.hour = self.number(4)?;
        moment.minute = self.literal(":").and_then(|()| self.number(4))?;
        if self.literal(":").is_none() {
            return Some(());
        }
        moment.second = self.number(4)?;
        if milliseconds && self.rest.starts_with(['.', ',']) {
            self.rest = self.rest.get(1..)?;
            let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
            let fraction: String = self.rest.get(..digits)?.chars().chain("00".chars()).take(3).collect();
            moment.millisecond = fraction.parse().ok().filter(|_| (1..=9).contains(&digits))?;
            self.rest = self.rest.get(digits..)?;
        }
        Some(())
    }

    /// A zone: `z`, `utc`, `gmt`, a short or a region's name, an offset such as `+01:00` or `-05`, with `utc` before it or
    /// not. Runs to the next space.
    fn zone(&mut self) -> Option<TimeZone> {
        let end = self.rest.find(' ').unwrap_or(self.rest.len());
        let name = self.rest.get(..end)?;
        self.rest = self.rest.get(end..)?;
        if matches!(name, "z" | "utc" | "gmt" | "ut") {
            return Some(TimeZone::UTC);
        }
        if let Some((_, region)) = ZONES.iter().find(|(short, _)| *short == name) {
            return TimeZone::get(region).ok();
        }
        if name.contains('/') {
            return TimeZone::get(name).ok();
        }
        let offset = ["utc", "gmt", "ut"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
        parse_offset(offset).map(TimeZone::fixed)
    }
}

/// `±HH`, `±HH:mm` or `±HH:mm:ss`.
fn parse_offset(text: &str) -> Option<Offset> {
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let mut seconds = 0;
    let mut unit = 3600;
    for part in text.get(1..)?.split(':') {
        if part.len() != 2 || unit == 0 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        seconds += part.parse::<i32>().ok()? * unit;
        unit /= 60;
    }
    Offset::from_seconds(sign * seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_recognised() {
        let check = |text: &str, expected: &str| {
            assert_eq!(instant(text).map(plan::format_instant).as_deref(), Some(expected), "{text}");
        };
        check("2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z");
        check("2020-01-01", "2020-01-01T00:00:00Z");
        check("2020-1-1", "2020-01-01T00:00:00Z");
        check("2020-01-01T10:20", "2020-01-01T10:20:00Z");
        check("2020-01-01T10:20:30.5Z", "2020-01-01T10:20:30.500Z");
        check("2020-01-01T10:20:30,123Z", "2020-01-01T10:20:30.123Z");
        check("2020-01-01T10:20:30.1234Z", "2020-01-01T10:20:30.123Z");
        check("2020-01-01T10:20:30+01:00", "2020-01-01T09:20:30Z");
        check("2020-01-01T10:20:30-05", "2020-01-01T15:20:30Z");
        check("2020-01-01T10:20:30UTC+02:00", "2020-01-01T08:20:30Z");
        check("2020-01-01T10:20:30EST", "2020-01-01T15:20:30Z");
        check("2020-01-01T10:20:30Europe/Paris", "2020-01-01T09:20:30Z");
        check("2020-01-01 10:20:30.123", "2020-01-01T10:20:30.123Z");
        check("2020-02-30", "2020-03-01T00:00:00Z");
        check("2020-01-01T24:00:00Z", "2020-01-02T00:00:00Z");
        check("2020-12-31T23:59:60Z", "2021-01-01T00:00:00Z");
        check("-2020-01-01", "-2020-01-01T00:00:00Z");
        check("Sat, 21 Nov 2026 10:20:30 GMT", "2026-11-21T10:20:30Z");
        check("1 Nov 2026 10:20 GMT", "2026-11-01T10:20:00Z");
        check("21 Nov 2026 10:20:30 EST", "2026-11-21T15:20:30Z");
        check("Saturday, 21-Nov-26 10:20:30 GMT", "2026-11-21T10:20:30Z");
        check("Saturday, 21-Nov-99 10:20:30 UTC", "2099-11-21T10:20:30Z");
        check("Sat Nov 21 10:20:30 GMT 2026", "2026-11-21T10:20:30Z");
        check("sat nov 21 10:20:30 2026", "2026-11-21T10:20:30Z");
        check("Sun Nov  1 10:20:30 2026", "2026-11-01T10:20:30Z");
    }

    #[test]
    fn other_texts_are_not() {
        for text in [
            "",
            "x",
            "2020",
            "12:30",
            "20200101",
            "NOW",
            "2020-01-01T10",
            "2020-01-01 10",
            "2020-01-01 ",
            "2020-01-01T10:20:30+0100",
            "2020-01-01T10:20:30 +0100",
            "2020-01-01T10:20:30 GMT",
            "2020-01-01T10:20:30GMT+2",
            "2020-01-01T10:20:30Z ",
            "Tue, 21 Nov 2026 10:20:30 GMT",
            "Sat Nov  1 10:20:30 2026",
            "21 Sept 2026 10:20 GMT",
            "999999999-99-99",
            "2020-01-9999T9999:9999:9999Z and more",
        ] {
            assert_eq!(instant(text), None, "{text}");
        }
    }
}
