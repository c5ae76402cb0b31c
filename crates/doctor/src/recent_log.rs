//! The last hour of a log, by the times that its lines begin with; and its errors, for the lint that groups
//! them. Lines of any program: what is no time, or no level, is not taken for one. For `doctor bundle`, which
//! takes the logs that it is named, and `doctor read`. An hour counts back from the newest line and not from
//! now: the clock that wrote the log need not be this one.

use jiff::civil::DateTime;
use jiff::{Span, Unit};

use crate::cluster::LogLine;

/// A line's time stands within its first bytes, if anywhere.
const HEAD_BYTES: usize = 160;
/// `2026-11-25T09:56:40`.
const TIME_BYTES: usize = 19;

/// From the first line that is within this many minutes of the newest; all of it where no line has a time.
pub fn last_minutes(text: &str, minutes: i64) -> &str {
    let newest = text.lines().rev().take(1000).filter_map(time_of).max();
    let Some(from) = newest.and_then(|newest| newest.checked_sub(Span::new().minutes(minutes)).ok()) else {
        return text;
    };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if time_of(line).is_some_and(|time| time >= from) {
            break;
        }
        at += line.len();
    }
    text.get(at..).unwrap_or(text)
}

/// Lines of level error and worse, of a log of this name.
pub fn errors(name: &str, text: &str) -> Vec<LogLine> {
    text.lines().filter_map(|line| error_line(name, line)).collect()
}

fn error_line(name: &str, line: &str) -> Option<LogLine> {
    let head = head(line);
    let (at, level) =
        ["ERROR", "FATAL", "SEVERE"].iter().find_map(|level| Some((head.find(level)?, *level)))?;
    // `no ERROR was found` in the middle of a message is none. A journal writes the host before the time.
    let before = head.get(time_place(head).map_or(0, |start| start + TIME_BYTES)..at)?;
    if before.split_whitespace().any(|word| word.chars().all(char::is_lowercase)) {
        return None;
    }
    let time = time_of(line).map(|time| time.round(Unit::Second).unwrap_or(time).to_string());
    let message = line.get(at + level.len()..).unwrap_or_default().trim_start_matches([' ', ':', ']']);
    Some(LogLine {
        node: name.to_owned(),
        time: time.unwrap_or_default(),
        level: level.to_owned(),
        logger: String::new(),
        message: message.to_owned(),
    })
}

fn head(line: &str) -> &str {
    let end = (0..=HEAD_BYTES.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    line.get(..end).unwrap_or_default()
}

fn time_of(line: &str) -> Option<DateTime> {
    let head = head(line);
    parse_time(head.get(time_place(head)?..)?)
}

/// Where the first time begins: four digits before a dash.
fn time_place(head: &str) -> Option<usize> {
    let mut starts = head.match_indices('-').filter_map(|(dash, _)| dash.checked_sub(4));
    starts.find(|start| head.get(*start..).and_then(parse_time).is_some())
}

fn parse_time(text: &str) -> Option<DateTime> {
    let text = text.get(..TIME_BYTES)?;
    let is_shaped = text.as_bytes().get(10).is_some_and(|byte| matches!(byte, b'T' | b' '));
    if is_shaped { text.replace(' ', "T").parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_hour_is_kept_from_its_first_line_on() {
        let log = "2026-11-25T08:00:00Z INFO old\n  more of it\n2026-11-25T09:10:00.5Z WARN new\n  at x\n[2026-11-25 10:00:00] INFO last\n";
        assert_eq!(last_minutes(log, 60), log.get(log.find("2026-11-25T09:10").unwrap()..).unwrap());
        assert_eq!(last_minutes(log, 600), log);
        for without in ["", "a\nb\n", "9999-99-99T99:99:99 x\n", "-\n----\n"] {
            assert_eq!(last_minutes(without, 60), without);
        }
    }

    #[test]
    fn errors_are_told_from_talk_of_them() {
        for (line, expected) in [
            ("2026-11-25T08:00:00Z ERROR http: boom 7", Some("http: boom 7")),
            ("ERROR (qtp-7) [c:films] boom", Some("(qtp-7) [c:films] boom")),
            ("2026-11-25 08:00:00,123 [main] FATAL: gone", Some("gone")),
            (
                "Nov 25 08:00:00 host parhelion[7]: 2026-11-25T08:00:00.1Z ERROR http: boom",
                Some("http: boom"),
            ),
            ("2026-11-25T08:00:00Z INFO no ERROR was found", None),
            ("INFO no ERROR was found", None),
            ("warning only", None),
        ] {
            let found = errors("a.log", line);
            assert_eq!(found.first().map(|line| line.message.as_str()), expected, "{line}");
        }
        assert_eq!(errors("a", "2026-11-25T08:00:00Z ERROR x")[0].time, "2026-11-25T08:00:00");
    }

    proptest::proptest! {
        #[test]
        fn no_line_panics(text in "[0-9T:\\- ERO\n\\PC]{0,120}") {
            let _ = (last_minutes(&text, 60), errors("x", &text));
        }
    }
}
