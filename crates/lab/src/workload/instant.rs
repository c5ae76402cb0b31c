//! Instants as Solr writes them, for generated dates. Whole milliseconds since 1970; the calendar is worked
//! out here. A calendar of ten lines instead of a crate's, since it is called for every document and may
//! never change what a seed gives.

use std::fmt;

/// Milliseconds since 1970, shown in ISO-8601 with `Z`; not before 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant(pub u64);

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, ms) = (self.0 / 86_400_000, self.0 % 86_400_000);
        let (year, month, day) = date(days);
        let (seconds, ms) = (ms / 1000, ms % 1000);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        if ms > 0 {
            write!(f, ".{ms:03}")?;
        }
        f.write_str("Z")
    }
}

/// Year, month and day of a day since 1970: eras of 400 years that begin in March (Hinnant's algorithm).
fn date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_solr_does() {
        let check = |ms, expected: &str| assert_eq!(Instant(ms).to_string(), expected);
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_400_000, "2000-02-29T00:00:00Z");
        check(1_577_836_799_001, "2019-12-31T23:59:59.001Z");
        check(1_795_255_200_000, "2026-11-21T10:00:00Z");
    }
}
