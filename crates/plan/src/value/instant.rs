//! ISO-8601 instants in UTC, to and from milliseconds since the epoch. Date math is `solr`'s; this is the
//! plain form. The civil calendar follows Howard Hinnant's `days_from_civil` and `civil_from_days`. No time
//! zone, no clock and no library: instants are written for every date of every answer, and the digits are all
//! there is to it.

pub(crate) const DAY_MS: i64 = 86_400_000;

/// `2026-11-21T10:00:00Z`, with milliseconds only when there are any (trailing zeros cut, as Java's `Instant`
/// in Solr shows three digits: `.500Z`).
pub fn format_instant(ms: i64) -> String {
    let (days, rest) = (ms.div_euclid(DAY_MS), ms.rem_euclid(DAY_MS));
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second, milli) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000);
    let year = match year {
        0..=9999 => format!("{year:04}"),
        10_000.. => format!("+{year}"),
        _ => format!("-{:04}", -year),
    };
    let fraction = if milli == 0 { String::new() } else { format!(".{milli:03}") };
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// Reads `[+-]YYYY-MM-DDThh:mm:ss[.fraction]Z`; digits past the millisecond are dropped. `None` when it is
/// anything else.
pub fn parse_instant(text: &str) -> Option<i64> {
    let body = text.strip_suffix('Z')?;
    let (date, time) = body.split_once('T')?;
    parse_date(date)?.checked_mul(DAY_MS)?.checked_add(parse_time(time)?)
}

fn parse_date(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let mut parts = digits.split('-');
    let year = sign * number(parts.next()?, 4, 9)?;
    let (month, day) = (number(parts.next()?, 2, 2)?, number(parts.next()?, 2, 2)?);
    let valid =
        parts.next().is_none() && (1..=12).contains(&month) && day >= 1 && day <= month_days(year, month);
    valid.then(|| days_from_civil(year, month, day))
}

fn parse_time(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let (hour, minute) = (number(parts.next()?, 2, 2)?, number(parts.next()?, 2, 2)?);
    let (second, milli) = match parts.next()?.split_once('.') {
        Some((second, fraction)) => (number(second, 2, 2)?, milliseconds(fraction)?),
        None => (number(text.rsplit(':').next()?, 2, 2)?, 0),
    };
    let valid = parts.next().is_none() && hour < 24 && minute < 60 && second < 60;
    valid.then_some(((hour * 60 + minute) * 60 + second) * 1000 + milli)
}

fn milliseconds(fraction: &str) -> Option<i64> {
    number(fraction, 1, 9)?;
    let digits: String = fraction.chars().chain("00".chars()).take(3).collect();
    digits.parse().ok()
}

fn number(text: &str, digits_min: usize, digits_max: usize) -> Option<i64> {
    let digits =
        (digits_min..=digits_max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

fn month_days(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

pub(crate) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

pub(crate) fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_go_both_ways() {
        let check = |ms: i64, text: &str| {
            assert_eq!(format_instant(ms), text);
            assert_eq!(parse_instant(text), Some(ms), "{text}");
        };
        check(0, "1970-01-01T00:00:00Z");
        check(1, "1970-01-01T00:00:00.001Z");
        check(-1, "1969-12-31T23:59:59.999Z");
        check(951_782_400_000, "2000-02-29T00:00:00Z");
        check(1_795_255_200_500, "2026-11-21T10:00:00.500Z");
        check(-62_198_755_200_000, "-0001-01-01T00:00:00Z");
        check(253_402_300_800_000, "+10000-01-01T00:00:00Z");
    }

    #[test]
    fn fractions_are_cut_at_the_millisecond() {
        assert_eq!(parse_instant("1970-01-01T00:00:00.1Z"), Some(100));
        assert_eq!(parse_instant("1970-01-01T00:00:00.1239Z"), Some(123));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "Z",
            "1970-01-01",
            "1970-01-01T00:00:00",
            "1970-02-30T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "1970-1-1T00:00:00Z",
            "1970-01-01T00:00Z",
            "1970-01-01T00:00:00.Z",
            "19700-01-01TT00:00:00Z",
            "x-é-Z",
            "é",
        ] {
            assert_eq!(parse_instant(text), None, "{text}");
        }
    }
}
