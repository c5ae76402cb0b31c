//! The text of a date on its way through a pattern: digits, names, zones. Knows where it stands and nothing
//! of patterns; whoever walks says what must come next. In: a text in lower case; out: numbers and zones, and
//! how much of it is left. Patterns that walk it are `date_patterns/`.

use jiff::tz::{Offset, TimeZone};

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

/// How a pattern writes zones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ZoneStyle {
    /// A name or an offset.
    Named,
    /// `Z`, `+02` or `+0230`.
    HoursOrMore,
    /// `Z` or `+0230`.
    Plain,
    /// `Z` or `+02:30`.
    Colon,
}

/// The part of a text, in lower case, that is not read yet.
#[derive(Clone, Copy)]
pub struct Scan<'a> {
    rest: &'a str,
}

impl<'a> Scan<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    pub fn literal(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    pub fn end(&self) -> Option<()> {
        self.rest.is_empty().then_some(())
    }

    pub fn skip_blanks(&mut self, most: usize) {
        let blanks = self.rest.bytes().take(most).take_while(|byte| *byte == b' ').count();
        self.rest = self.rest.get(blanks..).unwrap_or_default();
    }

    fn digits(&self) -> usize {
        self.rest.bytes().take_while(u8::is_ascii_digit).count()
    }

    fn take(&mut self, bytes: usize) -> Option<&'a str> {
        let taken = self.rest.get(..bytes)?;
        self.rest = self.rest.get(bytes..)?;
        Some(taken)
    }

    /// A whole number of at most this many digits, behind which this many are others'.
    pub fn number(&mut self, digits_max: usize, reserved: usize) -> Option<i64> {
        // In `yyyyMMdd` nothing parts the numbers: the last digits belong to the numbers behind.
        let digits = self.digits().checked_sub(reserved)?.min(digits_max);
        self.take(digits)?.parse().ok()
    }

    /// One of the names, whole or its first three letters; gives its place from 1.
    pub fn name(&mut self, names: &[&str]) -> Option<i64> {
        for (at, name) in names.iter().enumerate() {
            // The whole name first: `mar` would leave the rest of `march` in the text.
            let short = name.get(..3).unwrap_or(name);
            if let Some(rest) = self.rest.strip_prefix(name).or_else(|| self.rest.strip_prefix(short)) {
                self.rest = rest;
                return i64::try_from(at + 1).ok();
            }
        }
        None
    }

    /// The first three digits of a fraction.
    pub fn milliseconds(&mut self) -> Option<i64> {
        let digits = self.digits();
        let fraction = self.take(digits).filter(|_| (1..=9).contains(&digits))?;
        fraction.chars().chain("00".chars()).take(3).collect::<String>().parse().ok()
    }

    pub fn zone(&mut self, style: ZoneStyle) -> Option<TimeZone> {
        if style == ZoneStyle::Named {
            return self.named_zone();
        }
        if self.literal("z").is_some() {
            return Some(TimeZone::UTC);
        }
        let end = self.rest.get(1..)?.bytes().take_while(|it| it.is_ascii_digit() || *it == b':').count() + 1;
        let text = self.take(end)?;
        let minutes = text.get(3..).unwrap_or_default();
        let fits = match style {
            ZoneStyle::Named => false,
            ZoneStyle::HoursOrMore => matches!(minutes.len(), 0 | 2),
            ZoneStyle::Plain => minutes.len() == 2,
            ZoneStyle::Colon => minutes.len() == 3 && minutes.starts_with(':'),
        };
        let colon = if minutes.is_empty() || minutes.starts_with(':') { "" } else { ":" };
        let offset = format!("{}{colon}{minutes}", text.get(..3)?);
        parse_offset(&offset).filter(|_| fits).map(TimeZone::fixed)
    }

    /// A zone: `z`, `utc`, `gmt`, a short or a region's name, an offset such as `+01:00` or `-05`, with `utc`
    /// before it or not. Runs to the next space.
    fn named_zone(&mut self) -> Option<TimeZone> {
        let end = self.rest.find(' ').unwrap_or(self.rest.len());
        let name = self.take(end)?;
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
