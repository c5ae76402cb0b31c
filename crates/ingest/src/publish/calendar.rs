//! Which days count, and where they begin.
//!
//! In: a calendar of the file, with its zone, weekend and holidays; out: whether a day counts, and the day so
//! many counting days later. Moments of the day are `moment`'s.

use std::collections::HashSet;

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;

use crate::config::CalendarConfig;

#[derive(Clone, Debug)]
pub struct Calendar {
    pub zone: TimeZone,
    weekend: Vec<Weekday>,
    holidays: HashSet<Date>,
    /// Month and day of each year's.
    yearly: HashSet<(i8, i8)>,
}

impl Calendar {
    pub fn compile(config: &CalendarConfig) -> Result<Self, String> {
        let zone = config.zone.as_deref().map_or(Ok(TimeZone::UTC), |zone| {
            TimeZone::get(zone)
                .map_err(|_| format!("there is no time zone `{zone}`; write one such as `Europe/London`"))
        })?;
        let weekend = match &config.weekend {
            Some(days) => days.iter().map(|day| weekday(day)).collect::<Result<Vec<_>, _>>()?,
            None => vec![Weekday::Saturday, Weekday::Sunday],
        };
        let mut calendar = Self { zone, weekend, holidays: HashSet::new(), yearly: HashSet::new() };
        for holiday in &config.holidays {
            calendar.add_holiday(holiday)?;
        }
        // Without a day that counts nothing would ever become due.
        if [Weekday::Monday, Weekday::Tuesday, Weekday::Wednesday, Weekday::Thursday, Weekday::Friday]
            .into_iter()
            .chain([Weekday::Saturday, Weekday::Sunday])
            .all(|day| calendar.weekend.contains(&day))
        {
            return Err("no day of the week is left that counts".to_owned());
        }
        Ok(calendar)
    }

    pub fn counts(&self, date: Date) -> bool {
        !self.weekend.contains(&date.weekday())
            && !self.holidays.contains(&date)
            && !self.yearly.contains(&(date.month(), date.day()))
    }

    /// The day that is `days` counting days after `date`; `date` itself for none. `None` beyond the year
    /// 9999.
    pub fn after(&self, date: Date, days: u32) -> Option<Date> {
        let (mut date, mut left) = (date, days);
        while left > 0 {
            date = date.tomorrow().ok()?;
            left -= u32::from(self.counts(date));
        }
        Some(date)
    }

    fn add_holiday(&mut self, text: &str) -> Result<(), String> {
        if let Ok(date) = text.parse::<Date>() {
            self.holidays.insert(date);
            return Ok(());
        }
        // 2024 has a 29 February.
        let yearly = format!("2024-{text}").parse::<Date>();
        let date = yearly.map_err(|_| {
            format!("`{text}` is not a holiday; write `2026-12-25`, or `12-25` for each year's")
        })?;
        self.yearly.insert((date.month(), date.day()));
        Ok(())
    }
}

fn weekday(text: &str) -> Result<Weekday, String> {
    match text.to_ascii_lowercase().get(..3) {
        Some("mon") => Ok(Weekday::Monday),
        Some("tue") => Ok(Weekday::Tuesday),
        Some("wed") => Ok(Weekday::Wednesday),
        Some("thu") => Ok(Weekday::Thursday),
        Some("fri") => Ok(Weekday::Friday),
        Some("sat") => Ok(Weekday::Saturday),
        Some("sun") => Ok(Weekday::Sunday),
        _ => Err(format!("`{text}` is not a day of the week; write `sat`")),
    }
}
