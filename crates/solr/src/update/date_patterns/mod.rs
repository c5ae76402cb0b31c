//! Dates by patterns of Java's `DateTimeFormatter`, read as Solr's update processors read them: in English,
//! in UTC unless text or pattern name a zone. Lenient as there: digits may lack, months and days may overflow
//! into the next, letters may be in any case; a weekday must be the right one. Recorded from Solr 9.10.1.

use jiff::tz::TimeZone;
use plan::{Error, Result};

use self::moment::Moment;
use self::part::{Number, Part, PatternPart};
use super::date_text::{Scan, ZoneStyle};

mod moment;
mod part;

/// Most letters of a text that can be a date.
const TEXT_MAX: usize = 64;

/// Patterns, the first that fits a whole text counts.
pub struct DatePatterns {
    patterns: Vec<Vec<PatternPart>>,
    zone: TimeZone,
}

impl DatePatterns {
    /// Errors: a letter that is not known, brackets and quotes that do not match, a zone that does not exist.
    pub fn new(patterns: &[String], zone: Option<&str>) -> Result<Self> {
        let zone = match zone {
            None => TimeZone::UTC,
            Some(name) => TimeZone::get(name).map_err(|_| {
                Error::bad_request(format!("there is no time zone `{name}`; use a name such as Europe/Paris"))
            })?,
        };
        let read = |pattern: &String| {
            let mut reader = DatePatternReader { rest: pattern, pattern };
            let items = reader.items(0)?;
            Ok(items)
        };
        Ok(Self { patterns: patterns.iter().map(read).collect::<Result<_>>()?, zone })
    }

    /// The instant in milliseconds since the epoch.
    pub fn instant(&self, text: &str) -> Option<i64> {
        // Every text of a schemaless document is tried: most are seen to be no date without a pattern.
        if text.len() > TEXT_MAX || !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let text = text.to_ascii_lowercase();
        self.patterns.iter().find_map(|items| {
            let mut moment = Moment::of_zone(&self.zone);
            let mut scan = Scan::new(&text);
            moment.read(items, &mut scan)?;
            scan.end()?;
            moment.instant()
        })
    }
}

/// Deepest nesting of brackets.
const DEPTH_MAX: usize = 16;

/// The part of a pattern that is not read yet.
struct DatePatternReader<'a> {
    rest: &'a str,
    pattern: &'a str,
}

impl DatePatternReader<'_> {
    /// Items up to a closing bracket or the end, which closes what is open.
    fn items(&mut self, depth: usize) -> Result<Vec<PatternPart>> {
        let mut items: Vec<PatternPart> = Vec::new();
        while let Some(next) = self.rest.chars().next() {
            let run = self.rest.chars().take_while(|it| *it == next).count();
            match next {
                '[' if depth < DEPTH_MAX => {
                    self.skip(1);
                    items.push(PatternPart::Optional(self.items(depth + 1)?));
                }
                ']' if depth > 0 => {
                    self.skip(1);
                    return Ok(items);
                }
                '\'' => items.push(self.quoted()?),
                'a'..='z' | 'A'..='Z' => {
                    self.skip(run);
                    items.push(item(next, run).ok_or_else(|| self.wrong())?);
                }
                '[' | ']' | '{' | '}' | '#' => return Err(self.wrong()),
                other => {
                    self.skip(other.len_utf8());
                    items.push(PatternPart::Literal(other.to_lowercase().collect()));
                }
            }
        }
        share_digits(&mut items);
        Ok(items)
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// A text in quotes; two of them are one.
    fn quoted(&mut self) -> Result<PatternPart> {
        let inside = self.rest.get(1..).unwrap_or_default();
        let end = inside.find('\'').ok_or_else(|| self.wrong())?;
        let text = inside.get(..end).unwrap_or_default();
        self.rest = inside.get(end + 1..).unwrap_or_default();
        Ok(PatternPart::Literal(if text.is_empty() { "'".to_owned() } else { text.to_lowercase() }))
    }

    fn wrong(&self) -> Error {
        Error::bad_request(format!(
            "cannot read the date pattern `{}` from `{}` on; use letters of Java's DateTimeFormatter",
            self.pattern, self.rest
        ))
    }
}

/// What a run of a letter stands for.
fn item(letter: char, run: usize) -> Option<PatternPart> {
    /// Digits of a number whose pattern does not bind it.
    const DIGITS_MAX: usize = 9;
    let number = |part| {
        // Lenient, as Java reads: the letters of a number are the least that is written, not the most.
        let digits_max = if run == 2 { DIGITS_MAX } else { DIGITS_MAX.max(run) };
        Some(PatternPart::Number(Number { part, digits_max, reserved: 0 }))
    };
    match letter {
        'y' | 'u' if run == 2 => number(Part::YearOfCentury),
        'y' | 'u' => number(Part::Year),
        'M' | 'L' if run <= 2 => number(Part::Month),
        'M' | 'L' => Some(PatternPart::Month),
        'd' => number(Part::Day),
        'E' => Some(PatternPart::Weekday),
        'a' => Some(PatternPart::HalfOfDay),
        'H' => number(Part::Hour),
        'h' => number(Part::HourOfHalf),
        'm' => number(Part::Minute),
        's' => number(Part::Second),
        'S' => Some(PatternPart::Fraction),
        'p' => Some(PatternPart::Blanks(run.saturating_sub(1))),
        'z' | 'v' | 'V' | 'O' => Some(PatternPart::Zone(ZoneStyle::Named)),
        'X' if run == 1 => Some(PatternPart::Zone(ZoneStyle::HoursOrMore)),
        'X' | 'Z' if run >= 3 => Some(PatternPart::Zone(ZoneStyle::Colon)),
        'x' if run == 1 => Some(PatternPart::Zone(ZoneStyle::HoursOrMore)),
        'x' if run >= 3 => Some(PatternPart::Zone(ZoneStyle::Colon)),
        'X' | 'x' | 'Z' => Some(PatternPart::Zone(ZoneStyle::Plain)),
        _ => None,
    }
}

/// Of numbers that follow one another, those behind the first have two digits, and the first leaves them
/// theirs.
fn share_digits(items: &mut [PatternPart]) {
    const DIGITS: usize = 2;
    let mut behind = 0;
    for at in (0..items.len()).rev() {
        let follows = at > 0 && matches!(items.get(at - 1), Some(PatternPart::Number(_)));
        match items.get_mut(at) {
            Some(PatternPart::Number(number)) if follows => {
                number.digits_max = DIGITS;
                behind += DIGITS;
            }
            Some(PatternPart::Number(number)) => {
                number.reserved = std::mem::take(&mut behind);
            }
            _ => behind = 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The patterns of the configset `_default`.
    fn standard() -> DatePatterns {
        let patterns = [
            "yyyy-MM-dd['T'[HH:mm[:ss[.SSS]][z",
            "yyyy-MM-dd['T'[HH:mm[:ss[,SSS]][z",
            "yyyy-MM-dd HH:mm[:ss[.SSS]][z",
            "yyyy-MM-dd HH:mm[:ss[,SSS]][z",
            "[EEE, ]dd MMM yyyy HH:mm[:ss] z",
            "EEEE, dd-MMM-yy HH:mm:ss z",
            "EEE MMM ppd HH:mm:ss [z ]yyyy",
        ];
        DatePatterns::new(&patterns.map(str::to_owned), None).unwrap()
    }

    #[test]
    fn patterns_are_javas() {
        let check = |pattern: &str, text: &str, expected: Option<&str>| {
            let patterns = DatePatterns::new(&[pattern.to_owned()], Some("Europe/Paris")).unwrap();
            let found = patterns.instant(text).map(plan::format_instant);
            assert_eq!(found.as_deref(), expected, "{pattern} {text}");
        };
        check("yyyyMMdd", "20181109", Some("2018-11-08T23:00:00Z"));
        check("yyyyMMddHHmm", "201811091530", Some("2018-11-09T14:30:00Z"));
        check("dd.MM.yyyy", "1.2.2019", Some("2019-01-31T23:00:00Z"));
        check("d MMM yyyy h:mm a", "7 Feb 2018 1:05 PM", Some("2018-02-07T12:05:00Z"));
        check("yyyy-MM-dd'T'HH:mm:ss.SSSX", "2020-01-02T03:04:05.678Z", Some("2020-01-02T03:04:05.678Z"));
        check("yyyy-MM-dd'T'HH:mm:ss.SSSX", "2020-01-02T03:04:05.678+02:00", None);
        check("yyyy-MM-dd'T'HH:mm:ssXXX", "2020-01-02T03:04:05+02:00", Some("2020-01-02T01:04:05Z"));
        check("yyyy-MM-dd HH:mm Z", "2020-01-02 03:04 +0200", Some("2020-01-02T01:04:00Z"));
        check("yyyy-MM-dd", "2020-01-02 ", None);
    }

    #[test]
    fn what_is_no_pattern_is_said() {
        for pattern in ["yyyy'T", "]", "{", "yyyy-bb", "[[[[[[[[[[[[[[[[[[["] {
            let error = DatePatterns::new(&[pattern.to_owned()], None).err().unwrap();
            assert!(error.message.contains(pattern), "{}", error.message);
        }
        assert!(DatePatterns::new(&[], Some("Nowhere/Here")).is_err());
    }

    #[test]
    fn dates_are_recognised() {
        let check = |text: &str, expected: &str| {
            assert_eq!(
                standard().instant(text).map(plan::format_instant).as_deref(),
                Some(expected),
                "{text}"
            );
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
            assert_eq!(standard().instant(text), None, "{text}");
        }
    }
}
