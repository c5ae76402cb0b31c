//! Numbers and words as the report shows them: one place for digits, units and the words of verdicts, so that
//! page, charts and tables say the same of one figure. The command line's tables use the verdicts too.
//! Escaping is here too: names of cases and servers come from whoever ran it.

use crate::load::{Arrivals, Shape};
use crate::run::Arm;
use crate::statistics::Interval;

pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Three significant figures; thousands apart by a thin space.
pub fn number(value: f64) -> String {
    let decimals = if value == 0.0 { 0 } else { (2 - value.abs().log10().floor() as i32).clamp(0, 3) };
    let text = format!("{value:.*}", decimals as usize);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits = whole.trim_start_matches('-');
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    let sign = if whole.starts_with('-') { "-" } else { "" };
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { format!("{sign}{grouped}") } else { format!("{sign}{grouped}.{fraction}") }
}

/// Microseconds in the unit that suits them.
pub fn duration(us: f64) -> String {
    match us {
        _ if us >= 1e6 => format!("{} s", number(us / 1e6)),
        _ if us >= 1e3 => format!("{} ms", number(us / 1e3)),
        _ => format!("{} µs", number(us)),
    }
}

pub fn shape(shape: Shape) -> String {
    match shape {
        Shape::Closed { connections: 1 } => "closed, 1 connection".to_owned(),
        Shape::Closed { connections } => format!("closed, {connections} connections"),
        Shape::Open { per_second, arrivals, .. } => {
            let kind = if arrivals == Arrivals::Poisson { "Poisson" } else { "constant" };
            format!("open, {}/s {kind}", number(per_second))
        }
    }
}

/// What an interval of ours against the peer means.
pub fn standing(interval: Interval) -> &'static str {
    match interval {
        Interval { low, .. } if low > 1.0 => "ahead",
        Interval { high, .. } if high < 1.0 => "behind",
        _ => "even",
    }
}

/// The word for a claim's verdict.
pub fn verdict_word(met: Option<bool>) -> &'static str {
    match met {
        Some(true) => "met",
        Some(false) => "not met",
        None => "open",
    }
}

/// What an arm is judged by: throughput where the loop is closed, else the 99th percentile.
pub fn headline(arm: &Arm) -> Option<Interval> {
    arm.ratio.or(arm.p99_ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_figures() {
        let check = |value, expected| assert_eq!(number(value), expected);
        check(0.0, "0");
        check(0.012_34, "0.012");
        check(1.5, "1.5");
        check(12.345, "12.3");
        check(1234.5, "1\u{202f}234");
        check(1_234_567.0, "1\u{202f}234\u{202f}567");
        check(-1234.0, "-1\u{202f}234");
        assert_eq!([duration(12.0), duration(1500.0), duration(2e6)], ["12 µs", "1.5 ms", "2 s"]);
    }

    #[test]
    fn an_interval_that_holds_one_decides_nothing() {
        let check = |low, high, expected| assert_eq!(standing(Interval { median: 1.0, low, high }), expected);
        check(1.1, 2.0, "ahead");
        check(0.5, 0.9, "behind");
        check(0.9, 1.1, "even");
    }
}
