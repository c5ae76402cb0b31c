//! A moment that follows from a date in the row: a number of days, business days or hours later, at a time of
//! the day.
//!
//! In: a moment of the file with its calendar, then rows; out: a point in time, nothing where the row has no
//! date. What a rule makes of it, and when to look again, is decided in `mod.rs`.

use std::collections::BTreeMap;

use jiff::civil::Time;
use jiff::{Timestamp, ToSpan};

use super::calendar::Calendar;
use crate::config::{MomentConfig, nearest};
use crate::mapping::to_instant;
use crate::record::Row;

/// About forty years of days that count: a bound on what judging a row costs.
const BUSINESS_DAYS_MAX: u32 = 10_000;

#[derive(Debug)]
pub struct Moment {
    column: String,
    business_days: Option<u32>,
    days: i64,
    hours: i64,
    at: Option<Time>,
    calendar: Calendar,
}

impl Moment {
    pub fn compile(
        config: &MomentConfig,
        calendars: &BTreeMap<String, Calendar>,
        plain: &Calendar,
    ) -> Result<Self, String> {
        let calendar = match &config.calendar {
            None => plain,
            Some(name) => calendars.get(name).ok_or_else(|| {
                let meant = nearest(name, calendars.keys().map(String::as_str));
                let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
                format!("there is no calendar `{name}` below `publish.calendar`{meant}")
            })?,
        };
        let time = |text: &String| {
            text.parse::<Time>().map_err(|_| format!("`{text}` is not a time of the day; write `09:00`"))
        };
        if config.business_days.is_some_and(|days| days > BUSINESS_DAYS_MAX) {
            return Err(format!("at most {BUSINESS_DAYS_MAX} `business_days`"));
        }
        Ok(Self {
            column: config.column.clone(),
            business_days: config.business_days,
            days: i64::from(config.days.unwrap_or(0).min(1_000_000)),
            hours: i64::from(config.hours.unwrap_or(0).min(10_000_000)),
            at: config.at.as_ref().map(time).transpose()?,
            calendar: calendar.clone(),
        })
    }

    /// `None` where the row has no date. Errors: the reason, where it has something else there.
    pub fn of(&self, row: &Row) -> Result<Option<Timestamp>, String> {
        let value = row.get(&self.column);
        let value = value.ok_or_else(|| format!("the source has no column `{}`", self.column))?;
        if value.is_null() {
            return Ok(None);
        }
        // Dates without a zone are the calendar's.
        let start = to_instant(value, &self.calendar.zone);
        let start = start.map_err(|reason| format!("`{}`: {reason}", self.column))?;
        self.after(start).map(Some).ok_or_else(|| format!("`{}`: {start} is too far off", self.column))
    }

    fn after(&self, start: Timestamp) -> Option<Timestamp> {
        let local = start.to_zoned(self.calendar.zone.clone()).datetime();
        let mut date = local.date();
        if let Some(days) = self.business_days {
            date = self.calendar.after(date, days)?;
        }
        date = date.checked_add(self.days.days()).ok()?;
        let time = self.at.unwrap_or_else(|| local.time());
        // Through the day's own clock, so that 09:00 stays 09:00 over a change of clocks; a time left out is
        // an hour later.
        let moment = date.to_datetime(time).to_zoned(self.calendar.zone.clone()).ok()?.timestamp();
        moment.checked_add(self.hours.hours()).ok()
    }
}
