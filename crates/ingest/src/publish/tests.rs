//! Rules at chosen moments: weekends, holidays, changes of clocks, thresholds, excluded sources,
//! combinations.

use super::*;
use crate::record::Value;

const UK: &str = "[calendar.uk]\nzone = \"Europe/London\"\nholidays = [\"12-25\", \"12-26\", \"2026-04-03\", \"2026-04-06\"]\n";

fn rules(text: &str) -> Rules {
    Rules::compile(&toml::from_str(text).unwrap()).unwrap()
}

fn row(cells: &[(&str, &str)]) -> Row {
    let value = |text: &str| match text {
        "" => Value::Null,
        text => text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Int),
    };
    Row {
        columns: cells.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>().into(),
        values: cells.iter().map(|(_, text)| value(text)).collect(),
    }
}

/// Of a row with `date`, a rule with `from`: the moment from which it is visible, one millisecond before
/// which it is not.
fn check_from(from: &str, date: &str, expected: &str) {
    let rules = rules(&format!("{UK}[[rule]]\nname = \"r\"\nfrom = {{ column = \"date\", {from} }}\n"));
    let row = row(&[("date", date)]);
    let expected: Timestamp = expected.parse().unwrap();
    let long_before: Timestamp = "1990-01-01T00:00:00Z".parse().unwrap();
    assert_eq!(rules.judge("s", &row, long_before).changes_at, Some(expected), "{from} after {date}");
    let before = Timestamp::from_millisecond(expected.as_millisecond() - 1).unwrap();
    assert!(!rules.judge("s", &row, before).visible, "{from} after {date}");
    let verdict = rules.judge("s", &row, expected);
    assert!(verdict.visible && verdict.changes_at.is_none(), "{from} after {date}: {verdict:?}");
}

#[test]
fn business_days_step_over_weekends_and_holidays() {
    let uk = |rest: &str| format!("calendar = \"uk\", {rest}");
    // A Friday: the next day that counts is Monday.
    check_from(&uk("business_days = 1"), "2026-05-08T10:30:00Z", "2026-05-11T10:30:00Z");
    check_from(&uk("business_days = 5"), "2026-05-08T10:30:00Z", "2026-05-15T10:30:00Z");
    // From a Saturday, one day that counts is Monday.
    check_from(&uk("business_days = 1, at = \"09:00\""), "2026-05-09T10:30:00Z", "2026-05-11T08:00:00Z");
    // Good Friday and Easter Monday of this calendar.
    check_from(&uk("business_days = 1, at = \"09:00\""), "2026-04-02T12:00:00Z", "2026-04-07T08:00:00Z");
    // Christmas of each year, then a weekend.
    check_from(&uk("business_days = 1, at = \"09:00\""), "2026-12-24T12:00:00Z", "2026-12-28T09:00:00Z");
    check_from(&uk("business_days = 0"), "2026-05-09T10:30:00Z", "2026-05-09T10:30:00Z");
    check_from("business_days = 3", "2026-05-08", "2026-05-13T00:00:00Z");
}

#[test]
fn days_keep_their_time_over_a_change_of_clocks() {
    let uk = |rest: &str| format!("calendar = \"uk\", {rest}");
    // 29 March 2026: 01:00 becomes 02:00. Nine o'clock stays nine o'clock.
    check_from(&uk("days = 1, at = \"09:00\""), "2026-03-28T09:00:00Z", "2026-03-29T08:00:00Z");
    // 01:30 does not exist that day: an hour later.
    check_from(&uk("days = 1, at = \"01:30\""), "2026-03-28T09:00:00Z", "2026-03-29T01:30:00Z");
    // 25 October 2026: 01:30 comes twice, the first counts.
    check_from(&uk("days = 1, at = \"01:30\""), "2026-10-24T09:00:00Z", "2026-10-25T00:30:00Z");
    // Hours are hours, whatever clocks say.
    check_from(&uk("hours = 24"), "2026-03-28T09:00:00Z", "2026-03-29T09:00:00Z");
    // A date without a zone is the calendar's: midnight in London in summer.
    check_from(&uk("days = 1"), "2026-06-30", "2026-06-30T23:00:00Z");
    // 23:30 UTC is the next day in London in summer, a Saturday.
    check_from(&uk("business_days = 1, at = \"09:00\""), "2026-06-05T23:30:00Z", "2026-06-08T08:00:00Z");
}

#[test]
fn conditions_thresholds_and_combinations() {
    let rules = rules(
        "[[rule]]\nname = \"stars\"\nrequire = [{ column = \"rating\", min = 3.0 }]\n\
         [[rule]]\nname = \"feeds\"\nrequire = [{ column = \"feed\", none_of = [\"spam\", \"test\"] }]\n\
         [[rule]]\nname = \"dealers\"\nwhen = [{ column = \"kind\", is = \"dealer\" }]\n\
         from = { column = \"sent\", days = 2 }\nuntil = { column = \"sent\", days = 4 }\n\
         [[rule]]\nname = \"other\"\nsources = [\"else\"]\nrequire = [{ column = \"rating\", max = 0 }]\n",
    );
    let check = |cells: &[(&str, &str)], now: &str, visible: bool, changes: Option<&str>| {
        let verdict = rules.judge("s", &row(cells), now.parse().unwrap());
        let changes = changes.map(|text| text.parse::<Timestamp>().unwrap());
        assert_eq!((verdict.visible, verdict.changes_at), (visible, changes), "{cells:?} {now}: {verdict:?}");
    };
    let now = "2026-05-02T00:00:00Z";
    let review =
        |rating, feed, kind| [("rating", rating), ("feed", feed), ("kind", kind), ("sent", "2026-05-01")];
    check(&review("3", "web", "person"), now, true, None);
    check(&review("2", "web", "person"), now, false, None);
    check(&review("", "web", "person"), now, false, None);
    check(&review("5", "spam", "person"), now, false, None);
    check(&review("5", "web", "dealer"), now, false, Some("2026-05-03T00:00:00Z"));
    check(&review("5", "web", "dealer"), "2026-05-03T00:00:00Z", true, Some("2026-05-05T00:00:00Z"));
    check(&review("5", "web", "dealer"), "2026-05-05T00:00:00Z", false, None);
    // Another rule refuses it for good: no timer for the date.
    check(&review("1", "web", "dealer"), now, false, None);
    let bad = [("rating", "5"), ("feed", "web"), ("kind", "dealer"), ("sent", "soon")];
    check(&bad, now, false, None);
    let why = rules.judge("s", &row(&bad), now.parse().unwrap()).rules[2].to_string();
    assert!(why.starts_with("dealers: refuses it: `sent`: `soon` is not a date"), "{why}");
}

#[test]
fn rules_that_make_no_sense_are_refused() {
    for (text, expected) in [
        ("[[rule]]\nname = \"r\"\nwhen = [{ column = \"a\" }]", "name one of `is`"),
        ("[[rule]]\nname = \"r\"\nwhen = [{ column = \"a\", min = 1, max = 2 }]", "name one of `is`"),
        ("[[rule]]\nname = \"r\"\nfrom = { column = \"a\", at = \"9h\" }", "write `09:00`"),
        ("[calendar.x]\nholidays = [\"13-40\"]", "`13-40` is not a holiday"),
        (
            "[calendar.x]\nweekend = [\"mon\",\"tue\",\"wed\",\"thu\",\"fri\",\"sat\",\"sun\"]",
            "no day of the week",
        ),
        (
            "[calendar.uk]\n[[rule]]\nname = \"r\"\nfrom = { column = \"a\", calendar = \"ku\" }",
            "did you mean `uk`?",
        ),
    ] {
        let findings = Rules::compile(&toml::from_str(text).unwrap()).unwrap_err();
        assert!(findings[0].contains(expected), "{findings:?}");
    }
}
