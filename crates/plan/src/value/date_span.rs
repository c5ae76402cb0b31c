//! Stretches of time, the values of Solr's `DateRangeField`: a date of any precision, from `2014` to
//! milliseconds, or a range of two. Owns how a text is read as one, by the rules of Solr 9.10.1
//! (`compat/update/date_ranges.yaml`), how Solr prints one, and how several are laid into one column. Date
//! math needs a clock and is `solr`'s; what documents are found by them is `query/date_range`.

use std::fmt::{Display, Formatter};

use serde::{Deserialize, Serialize};

use crate::error::RootCause::{IllegalArgument, NumberFormat, ShapeSyntax, TooShort};
use crate::error::{Error, Result, RootCause};
use crate::value::instant::{DAY_MS, civil_from_days, days_from_civil, format_instant};

const HOUR_MS: i64 = 3_600_000;
const MINUTE_MS: i64 = 60_000;
const SECOND_MS: i64 = 1_000;

/// Years that one can be shortened to, the coarsest first: Solr's tree has a level for each.
const YEARS_AT_ONCE: [i64; 3] = [1_000_000, 1_000, 1];

/// The milliseconds from one instant up to another, at least one. Dates are those of the Gregorian calendar,
/// before 1582 too, and the year 0 is there.
///
/// Invariant: `begin < end`. The open begin is the least number and the open end the greatest, which no date
/// that can be read comes near.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DateSpan {
    /// Milliseconds since the epoch.
    begin: i64,
    /// The first that is not in it.
    end: i64,
}

impl DateSpan {
    /// `*`: always.
    pub const ALL: Self = Self { begin: i64::MIN, end: i64::MAX };

    /// One millisecond.
    pub fn instant(ms: i64) -> Self {
        Self { begin: ms, end: ms.saturating_add(1) }
    }

    /// From the begin of the one to the end of the other. Fails if they are in the wrong order.
    pub fn between(from: Self, to: Self) -> Result<Self> {
        if from.begin < to.end {
            return Ok(Self { begin: from.begin, end: to.end });
        }
        let (from, to) = (Unit::beginning(from.begin), Unit::ending(to.end));
        Err(illegal(format!("Wrong order: {from} TO {to}")))
    }

    /// Reads what a document may hold: a date, or `[date TO date]` with both in it. Neither has date math.
    pub fn parse(text: &str) -> Result<Self> {
        let Some((from, to)) = text.split_once(" TO ") else {
            let date = Self::parse_date(text)?;
            // Alone, what ends in a zone is an instant as of a date field; as an end of a range it is as long
            // as it is coarse.
            return Ok(if text.ends_with('Z') { Self::instant(date.begin) } else { date });
        };
        let Some(from) = from.strip_prefix('[') else {
            if from.starts_with('{') {
                return Err(unreadable(&format!("Exclusive ranges not supported; got {text}"), ShapeSyntax));
            }
            return Self::parse_date(text);
        };
        let Some(to) = to.strip_suffix(']') else {
            return Err(unreadable(&format!("If starts with [ must end with ]; got {text}"), ShapeSyntax));
        };
        Self::between(Self::parse_date(from)?, Self::parse_date(to)?)
    }

    /// Reads `[+-]YYYY[-MM[-DD[Thh[:mm[:ss[.fraction]]]]]][Z]` or `*`. Days past the end of a month and the
    /// hour 24 are those that follow, as in Solr.
    ///
    /// Solr differs: years that do not fit into 64 bits of milliseconds wrap there; here they are refused.
    pub fn parse_date(text: &str) -> Result<Self> {
        match text {
            "" => Err(illegal("str is null or blank".to_owned())),
            "*" => Ok(Self::ALL),
            _ => read_date(text.strip_suffix('Z').unwrap_or(text))
                .map_err(|root| unreadable(&format!("Improperly formatted datetime: {text}"), root)),
        }
    }

    /// A text that can be read, as Solr shows it: an instant with its zone, anything else as it was sent.
    pub fn shown(text: String) -> Result<String> {
        let instant = Self::parse(&text)?.as_instant().filter(|_| !text.starts_with('['));
        Ok(instant.map_or(text, format_instant))
    }

    /// The first millisecond; the least number where it has no begin.
    pub fn begin(&self) -> i64 {
        self.begin
    }

    /// The first millisecond that is not in it; the greatest number where it has no end.
    pub fn end(&self) -> i64 {
        self.end
    }

    /// The instant that it is, where it is no longer than one.
    pub fn as_instant(&self) -> Option<i64> {
        (self.begin.checked_add(1) == Some(self.end)).then_some(self.begin)
    }

    /// Whether it is one year, month, day and so on down to a millisecond, or a thousand or a million years
    /// as Solr cuts them.
    pub fn is_unit(&self) -> bool {
        self.unit().is_some()
    }

    fn unit(&self) -> Option<Unit> {
        let mut units = (self.begin != i64::MIN).then(|| Unit::all(self.begin)).into_iter().flatten();
        units.find(|unit| unit.end() == Some(self.end))
    }
}

/// As Lucene prints the range: units that are as coarse as its ends allow.
impl Display for DateSpan {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        match self.unit() {
            _ if *self == Self::ALL => out.write_str("*"),
            Some(unit) => unit.fmt(out),
            None => write!(out, "[{} TO {}]", Unit::beginning(self.begin), Unit::ending(self.end)),
        }
    }
}

/// Where several spans begin and end, in order and each once: what a column keeps of a document. Solr takes
/// what a document holds for one set of instants, so spans that overlap or touch are one. As begins and ends
/// alternate, and ascend, a list of numbers is enough to tell which end belongs to which begin.
pub fn span_bounds(mut spans: Vec<DateSpan>) -> Vec<i64> {
    spans.sort_unstable_by_key(|span| span.begin);
    let mut bounds: Vec<i64> = Vec::with_capacity(2 * spans.len());
    for span in spans {
        match bounds.last_mut() {
            Some(end) if *end >= span.begin => *end = span.end.max(*end),
            _ => bounds.extend([span.begin, span.end]),
        }
    }
    bounds
}

/// A level of Solr's tree of dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// Always; without a text but `*`.
    World,
    /// So many years.
    Years(i64),
    Month,
    /// A day, or so many milliseconds below one.
    Milliseconds(i64),
}

/// Below a month, the coarsest first.
const SHORT_LEVELS: [i64; 5] = [DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, 1];

/// A stretch that has a name of its own: a year, a month, an hour.
#[derive(Clone, Copy)]
struct Unit {
    begin: i64,
    level: Level,
}

impl Unit {
    /// Those that begin with `begin`, the coarsest first.
    fn all(begin: i64) -> impl Iterator<Item = Self> {
        let (days, rest) = (begin.div_euclid(DAY_MS), begin.rem_euclid(DAY_MS));
        let (year, month, day) = civil_from_days(days);
        let years = YEARS_AT_ONCE
            .into_iter()
            .filter(move |count| (month, day, rest) == (1, 1, 0) && year.rem_euclid(*count) == 0);
        let months = (day == 1 && rest == 0).then_some(Level::Month);
        let short = SHORT_LEVELS.into_iter().filter(move |length| rest % length == 0);
        let levels = years.map(Level::Years).chain(months).chain(short.map(Level::Milliseconds));
        levels.map(move |level| Self { begin, level })
    }

    /// The coarsest that begins with `begin`.
    fn beginning(begin: i64) -> Self {
        let world = Self { begin, level: Level::World };
        if begin == i64::MIN { world } else { Self::all(begin).next().unwrap_or(world) }
    }

    /// The coarsest that ends before `end`.
    fn ending(end: i64) -> Self {
        let world = Self { begin: end, level: Level::World };
        if end == i64::MAX {
            return world;
        }
        // What begins where it ends tells how coarse it is: July can only follow a June, and 2015 a 2014.
        let found = Self::all(end).find_map(|next| {
            let before = next.before()?;
            (before.end() == Some(end)).then_some(before)
        });
        found.unwrap_or(world)
    }

    /// As long, right before it.
    fn before(self) -> Option<Self> {
        let begin = match self.level {
            Level::World => return None,
            Level::Years(count) => {
                let (year, ..) = civil_from_days(self.begin.div_euclid(DAY_MS));
                start_of(year - count, 1)?
            }
            Level::Month => {
                let (year, month, _) = civil_from_days(self.begin.div_euclid(DAY_MS));
                if month == 1 { start_of(year - 1, 12)? } else { start_of(year, month - 1)? }
            }
            Level::Milliseconds(length) => self.begin.checked_sub(length)?,
        };
        Some(Self { begin, level: self.level })
    }

    fn end(self) -> Option<i64> {
        let (year, month, _) = civil_from_days(self.begin.div_euclid(DAY_MS));
        match self.level {
            Level::World => None,
            Level::Years(count) => start_of(year.checked_add(count)?, 1),
            Level::Month => start_of_next_month(year, month),
            Level::Milliseconds(length) => self.begin.checked_add(length),
        }
    }
}

impl Display for Unit {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        if self.level == Level::World {
            return out.write_str("*");
        }
        let (days, rest) = (self.begin.div_euclid(DAY_MS), self.begin.rem_euclid(DAY_MS));
        let (year, month, day) = civil_from_days(days);
        match year {
            10_000.. => write!(out, "+{year}")?,
            0.. => write!(out, "{year:04}")?,
            _ => write!(out, "-{:04}", -year)?,
        }
        let Level::Milliseconds(length) = self.level else {
            return if self.level == Level::Month { write!(out, "-{month:02}") } else { Ok(()) };
        };
        write!(out, "-{month:02}-{day:02}")?;
        if length <= HOUR_MS {
            write!(out, "T{:02}", rest / HOUR_MS)?;
        }
        if length <= MINUTE_MS {
            write!(out, ":{:02}", rest / MINUTE_MS % 60)?;
        }
        if length <= SECOND_MS {
            write!(out, ":{:02}", rest / SECOND_MS % 60)?;
        }
        // A millisecond that is none of a whole second is all that tells it from one.
        if length == 1 && rest % SECOND_MS != 0 { write!(out, ".{:03}", rest % SECOND_MS) } else { Ok(()) }
    }
}

fn start_of(year: i64, month: i64) -> Option<i64> {
    days_from_civil(year, month, 1).checked_mul(DAY_MS)
}

fn start_of_next_month(year: i64, month: i64) -> Option<i64> {
    if month == 12 { start_of(year.checked_add(1)?, 1) } else { start_of(year, month + 1) }
}

/// Reads a date without its `Z`. Errors are what Solr fails with.
fn read_date(text: &str) -> Result<DateSpan, RootCause> {
    // Past a sign: the hyphen in front of a year is none that ends it.
    let year_end = text.char_indices().skip(1).find(|(_, letter)| *letter == '-').map(|(at, _)| at);
    let (year, mut rest) = year_end.and_then(|at| text.split_at_checked(at)).unwrap_or((text, ""));
    let year = i64::from(year.parse::<i32>().map_err(|_| NumberFormat)?);
    let year_fits = |end: Option<i64>| end.ok_or(IllegalArgument);
    let span = |begin: i64, end: i64| DateSpan { begin, end };
    let begin = year_fits(start_of(year, 1))?;
    let Some(month) = next_part(&mut rest, '-', 1..=12)? else {
        return Ok(span(begin, year_fits(start_of(year + 1, 1))?));
    };
    let begin = year_fits(start_of(year, month))?;
    let Some(day) = next_part(&mut rest, '-', 1..=31)? else {
        return Ok(span(begin, year_fits(start_of_next_month(year, month))?));
    };
    let mut begin = year_fits(begin.checked_add((day - 1) * DAY_MS))?;
    let mut length = DAY_MS;
    let below = [('T', 24, HOUR_MS), (':', 59, MINUTE_MS), (':', 59, SECOND_MS)];
    for (separator, most, unit) in below {
        let Some(number) = next_part(&mut rest, separator, 0..=most)? else {
            return Ok(span(begin, year_fits(begin.checked_add(length))?));
        };
        begin = year_fits(begin.checked_add(number * unit))?;
        length = unit;
    }
    if !rest.is_empty() {
        begin = year_fits(begin.checked_add(fraction(rest)?))?;
        length = 1;
    }
    Ok(span(begin, year_fits(begin.checked_add(length))?))
}

/// A number of two digits behind its separator, off the front of `rest`; `None` at the end.
fn next_part(
    rest: &mut &str,
    separator: char,
    bounds: std::ops::RangeInclusive<i64>,
) -> Result<Option<i64>, RootCause> {
    if rest.is_empty() {
        return Ok(None);
    }
    let body = rest.strip_prefix(separator).ok_or(IllegalArgument)?;
    if body.chars().count() < 2 {
        return Err(TooShort);
    }
    let (digits, behind) = body.split_at_checked(2).ok_or(NumberFormat)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NumberFormat);
    }
    let number = digits.parse().map_err(|_| NumberFormat)?;
    *rest = behind;
    bounds.contains(&number).then_some(Some(number)).ok_or(IllegalArgument)
}

/// Milliseconds of `.5` and so on; digits past the third are dropped.
fn fraction(text: &str) -> Result<i64, RootCause> {
    let digits = text.strip_prefix('.').ok_or(IllegalArgument)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NumberFormat);
    }
    let kept: String = digits.chars().chain("00".chars()).take(3).collect();
    kept.parse().map_err(|_| NumberFormat)
}

fn unreadable(what: &str, root: RootCause) -> Error {
    Error::bad_request(format!("Couldn't parse date because: {what}")).with_root(root)
}

fn illegal(message: String) -> Error {
    Error::bad_request(message).with_root(IllegalArgument)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let bound = |ms: i64| match ms {
            i64::MIN | i64::MAX => "*".to_owned(),
            ms => format_instant(ms),
        };
        match DateSpan::parse(text) {
            Ok(span) => format!("{span} = {} .. {}", bound(span.begin), bound(span.end)),
            Err(error) => error.message,
        }
    }

    #[test]
    fn dates_are_as_long_as_they_are_coarse() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected, "{text}");
        check("2014", "2014 = 2014-01-01T00:00:00Z .. 2015-01-01T00:00:00Z");
        check("2014-02", "2014-02 = 2014-02-01T00:00:00Z .. 2014-03-01T00:00:00Z");
        check("2014-12-31", "2014-12-31 = 2014-12-31T00:00:00Z .. 2015-01-01T00:00:00Z");
        check("2014-05-21T10:30", "2014-05-21T10:30 = 2014-05-21T10:30:00Z .. 2014-05-21T10:31:00Z");
        check(
            "2014-05-21T10:30:00.5Z",
            "2014-05-21T10:30:00.500 = 2014-05-21T10:30:00.500Z .. 2014-05-21T10:30:00.501Z",
        );
        check(
            "[2014-05-21T10:30:00Z TO 2014-05-21T10:30:59Z]",
            "2014-05-21T10:30 = 2014-05-21T10:30:00Z .. 2014-05-21T10:31:00Z",
        );
        check("-0044", "-0044 = -0044-01-01T00:00:00Z .. -0043-01-01T00:00:00Z");
        check("2014-02-30T24", "2014-03-03T00 = 2014-03-03T00:00:00Z .. 2014-03-03T01:00:00Z");
        check("*", "* = * .. *");
        check("[2014-01-01 TO 2014-12]", "2014 = 2014-01-01T00:00:00Z .. 2015-01-01T00:00:00Z");
        check("[2014 TO 2014-03-04]", "[2014 TO 2014-03-04] = 2014-01-01T00:00:00Z .. 2014-03-05T00:00:00Z");
        check("[* TO 1999]", "[* TO 1000] = * .. 2000-01-01T00:00:00Z");
        check("[2000 TO 2999]", "2000 = 2000-01-01T00:00:00Z .. 3000-01-01T00:00:00Z");
        check("[2015 TO 2014-12-31T23]", "Wrong order: 2015 TO 2014");
        check("[2014 TO ]", "str is null or blank");
        check("292278995", "Couldn't parse date because: Improperly formatted datetime: 292278995");
        for text in ["2014-13", "2014-", "é-05", "2014-é", "2014-05-211", "Z", "[2014", "2014Z0", "2014-+5"]
        {
            let expected = format!("Couldn't parse date because: Improperly formatted datetime: {text}");
            check(text, &expected);
        }
    }

    #[test]
    fn spans_that_overlap_or_touch_are_one() {
        let span = |begin, end| DateSpan { begin, end };
        let check = |spans: &[DateSpan], expected: &[i64]| assert_eq!(span_bounds(spans.into()), expected);
        check(&[], &[]);
        check(&[span(5, 6), span(1, 3)], &[1, 3, 5, 6]);
        check(&[span(1, 9), span(2, 3), span(9, 11), span(12, 13)], &[1, 11, 12, 13]);
        check(&[DateSpan::ALL, span(2, 3)], &[i64::MIN, i64::MAX]);
    }
}
