//! A date and time being read: what each item of a pattern adds, and the instant that all of it is. In: a
//! pattern's items (`part.rs`) and a text that is walked along them (`crates/solr/src/update/date_text.rs`).
//! Out: milliseconds since the epoch, or none. No pattern and no text is kept.

use jiff::ToSpan;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;

use super::part::{Number, Part, PatternPart};
use crate::update::date_text::Scan;

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

/// A date and time as written: parts may be out of range.
#[derive(Clone)]
pub(super) struct Moment {
    year: i64,
    month: i64,
    day: i64,
    weekday: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    millisecond: i64,
    afternoon: bool,
    zone: TimeZone,
}

impl Moment {
    /// The beginning of the epoch in `zone`, unless the text names another.
    pub(super) fn of_zone(zone: &TimeZone) -> Self {
        Self {
            year: 1970,
            month: 1,
            day: 1,
            weekday: None,
            hour: 0,
            minute: 0,
            second: 0,
            millisecond: 0,
            afternoon: false,
            zone: zone.clone(),
        }
    }

    /// Takes the parts that the items stand for; `None` when the text does not fit.
    pub(super) fn read(&mut self, items: &[PatternPart], scan: &mut Scan<'_>) -> Option<()> {
        for item in items {
            match item {
                PatternPart::Literal(text) => scan.literal(text)?,
                PatternPart::Number(number) => self.number(*number, scan)?,
                PatternPart::Month => self.month = scan.name(&MONTHS)?,
                PatternPart::Weekday => self.weekday = Some(scan.name(&WEEKDAYS)?),
                PatternPart::HalfOfDay => self.afternoon = scan.name(&["am", "pm"])? == 2,
                PatternPart::Fraction => self.millisecond = scan.milliseconds()?,
                PatternPart::Zone(style) => self.zone = scan.zone(*style)?,
                PatternPart::Blanks(most) => scan.skip_blanks(*most),
                PatternPart::Optional(items) => {
                    let (mut moment, mut inside) = (self.clone(), *scan);
                    if moment.read(items, &mut inside).is_some() {
                        (*self, *scan) = (moment, inside);
                    }
                }
            }
        }
        Some(())
    }

    fn number(&mut self, number: Number, scan: &mut Scan<'_>) -> Option<()> {
        let negative = number.part == Part::Year && scan.literal("-").is_some();
        let value = scan.number(number.digits_max, number.reserved)?;
        match number.part {
            Part::Year => self.year = if negative { -value } else { value },
            // Java's base for two digits is 2000, whatever year it is now.
            Part::YearOfCentury => self.year = if value < 100 { value + 2000 } else { value },
            Part::Month => self.month = value,
            Part::Day => self.day = value,
            Part::Hour | Part::HourOfHalf => self.hour = value,
            Part::Minute => self.minute = value,
            Part::Second => self.second = value,
        }
        if number.part == Part::HourOfHalf {
            // Twelve is zero on a clock of twelve hours: 12 am is midnight.
            self.hour %= 12;
        }
        Some(())
    }

    pub(super) fn instant(&self) -> Option<i64> {
        let year = self.year + (self.month - 1).div_euclid(12);
        let month = (self.month - 1).rem_euclid(12) + 1;
        let first = Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, 1).ok()?;
        // From the first of the month on, so that the 31st of April is the first of May: lenient, as in Solr.
        let date = first.checked_add((self.day - 1).days()).ok()?;
        if self.weekday.is_some_and(|weekday| weekday != number_of(date.weekday())) {
            return None;
        }
        let hour = if self.afternoon { self.hour + 12 } else { self.hour };
        let ms = ((hour * 60 + self.minute) * 60 + self.second) * 1000 + self.millisecond;
        let local = date.to_datetime(Time::midnight()).checked_add(ms.milliseconds()).ok()?;
        Some(self.zone.to_ambiguous_timestamp(local).compatible().ok()?.as_millisecond())
    }
}

fn number_of(weekday: Weekday) -> i64 {
    i64::from(weekday.to_monday_one_offset())
}
