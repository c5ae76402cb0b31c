//! Ranges in the texts of queries (`price_i:[1 TO 9]`), as they stand there: found without a parser, so that
//! they can be counted and written anew. In: the text of a query; out: ranges with their places in it, and
//! the text with the clock rounded.

use std::ops::Range;

use super::words::words_before_colons;

/// A range with both ends, of a field that is named before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeText<'a> {
    pub field: &'a str,
    pub lower: &'a str,
    pub upper: &'a str,
    lower_at: Range<usize>,
    upper_at: Range<usize>,
}

/// All of them, in their order.
pub fn ranges(text: &str) -> Vec<RangeText<'_>> {
    text.match_indices(":[").chain(text.match_indices(":{")).filter_map(|(at, _)| range(text, at)).collect()
}

fn range(text: &str, colon: usize) -> Option<RangeText<'_>> {
    const TO: &str = " TO ";
    let field = words_before_colons(text.get(..=colon)?).last()?;
    let from = colon + 2;
    // Either bracket may end it: inclusive and exclusive ends mix.
    let to = from + text.get(from..)?.find([']', '}'])?;
    let middle = from + text.get(from..to)?.find(TO)?;
    let (lower_at, upper_at) = (from..middle, middle + TO.len()..to);
    let (lower, upper) = (text.get(lower_at.clone())?, text.get(upper_at.clone())?);
    Some(RangeText { field, lower: lower.trim(), upper: upper.trim(), lower_at, upper_at })
}

impl RangeText<'_> {
    /// Whether an end is another each time that it is asked for.
    pub fn moves(&self) -> bool {
        [self.lower, self.upper].into_iter().any(moves)
    }

    /// Whether it hangs on the clock at all.
    pub fn is_of_now(&self) -> bool {
        self.lower.starts_with(NOW) || self.upper.starts_with(NOW)
    }

    /// What ends may be rounded to: people who reckon in days do not ask for minutes.
    fn unit(&self) -> &'static str {
        let is_coarse = |end: &str| ["DAY", "WEEK", "MONTH", "YEAR"].iter().any(|unit| end.contains(unit));
        if is_coarse(self.lower) || is_coarse(self.upper) { "HOUR" } else { "MINUTE" }
    }
}

const NOW: &str = "NOW";

fn moves(end: &str) -> bool {
    end.strip_prefix(NOW).is_some_and(|math| !math.contains('/'))
}

/// The text with each end that moves rounded: down, and one unit further at upper ends, so that nothing that
/// was within goes out. `None` where none moves.
pub fn with_now_rounded(text: &str) -> Option<String> {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for range in ranges(text) {
        let unit = range.unit();
        let ends = [(range.lower, &range.lower_at, ""), (range.upper, &range.upper_at, "+1")];
        for (end, at, further) in ends.into_iter().filter(|(end, ..)| moves(end)) {
            let further = if further.is_empty() { String::new() } else { format!("{further}{unit}") };
            let math = end.strip_prefix(NOW).unwrap_or_default();
            edits.push((at.clone(), format!("{NOW}/{unit}{further}{math}")));
        }
    }
    // From behind, so that places before an edit stay what they were.
    edits.sort_by_key(|(at, _)| std::cmp::Reverse(at.start));
    let mut rounded = text.to_owned();
    for (at, end) in &edits {
        rounded.replace_range(at.clone(), end);
    }
    (!edits.is_empty()).then_some(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_with_their_fields() {
        let found = ranges("+a_i:[1 TO 9] b_dt:{NOW-1DAY TO *] c:x [no TO name]");
        let found: Vec<_> = found.iter().map(|it| (it.field, it.lower, it.upper, it.moves())).collect();
        assert_eq!(found, [("a_i", "1", "9", false), ("b_dt", "NOW-1DAY", "*", true)]);
        assert!(ranges("a:[1 TO 2").is_empty() && ranges("a:[1]").is_empty());
    }

    #[test]
    fn the_clock_is_rounded_and_nothing_goes_out() {
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(with_now_rounded(text).as_deref(), expected);
        check("d:[NOW-7DAYS TO NOW]", Some("d:[NOW/HOUR-7DAYS TO NOW/HOUR+1HOUR]"));
        check("d:[* TO NOW]", Some("d:[* TO NOW/MINUTE+1MINUTE]"));
        check(
            "ü:[NOW TO *] e:{NOW-5MINUTES TO NOW}",
            Some("ü:[NOW/MINUTE TO *] e:{NOW/MINUTE-5MINUTES TO NOW/MINUTE+1MINUTE}"),
        );
        check("d:[NOW/DAY-7DAYS TO NOW/DAY]", None);
        check("NOW a:[1 TO 2]", None);
    }
}
