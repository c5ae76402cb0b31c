//! The report of a small run: what it must hold, and that it can be read back.

use super::*;
use crate::load::Shape;
use crate::run::Whose;
use crate::testing::sample_run;

#[test]
fn a_report_is_read_back_from_html_and_json() {
    let run = sample_run();
    let json = serde_json::to_string(&run).unwrap();
    for text in [html(&run, None), json.clone()] {
        assert_eq!(serde_json::to_string(&read_run("f", &text).unwrap()).unwrap(), json);
    }
    let other = json.replace(FORMAT, "parhelion-lab/0");
    for (text, reason) in [("nonsense", "expected"), (other.as_str(), "its format is `parhelion-lab/0`")] {
        let error = read_run("f", text).unwrap_err().to_string();
        assert!(error.starts_with("cannot read the report `f`") && error.contains(reason), "{error}");
    }
}

#[test]
fn the_page_shows_the_run() {
    let mut run = sample_run();
    run.means = crate::run::conclude::means(&run.cases, 1);
    let page = html(&run, Some(&sample_run()));
    for expected in [
        "<title>fruit of 2026-01-02T03:04:05Z</title>",
        "<b>2×</b> the peer at 1 connections (geometric mean of 1 cases) for 4× less CPU a request.",
        "<code>a &lt; b</code>",
        "<td>closed, 1 connection</td>",
        "<td>open, 100/s Poisson</td>",
        "<td>● holds</td>",
        "<td>▲ ahead</td>",
        "<td>beta</td><td>○ skipped</td><td>ours does not answer it</td>",
        "64 MB resident",
    ] {
        assert!(page.contains(expected), "no {expected} in the page");
    }
    assert!(!page.contains("http://www") && !page.contains("src="), "nothing is fetched");
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    // The curve, and for each of two arms the percentiles and the histogram, and the ratios.
    assert_eq!(page.matches("<svg").count(), 6);
}

#[test]
fn markup_in_data_stays_data() {
    let mut run = sample_run();
    run.cases[0].about = "</script><b>".into();
    let page = html(&run, None);
    assert_eq!(page.matches("</script>").count(), 1);
    assert_eq!(read_run("f", &page).unwrap().cases[0].about, "</script><b>");
}

#[test]
fn sides_differ_without_colour() {
    let golden = r#"<circle class="ours dot" cx="1.0" cy="2.0" r="3.5"/>"#;
    assert_eq!(chart::marker(Whose::Ours, 1.0, 2.0), golden);
    assert_eq!(chart::marker(Whose::Peer, 10.0, 20.0), r#"<path class="peer dot" d="M6.5 16.5h7v7h-7z"/>"#);
}

#[test]
fn a_ratio_is_a_dot_on_its_interval() {
    let mut run = sample_run();
    run.cases[0].arms.retain(|arm| matches!(arm.shape, Shape::Closed { .. }));
    let svg = charts::ratios(&run);
    assert!(svg.contains(">alpha · 1</text>"), "{svg}");
    assert!(svg.contains(">2× ahead</text>"), "{svg}");
    assert_eq!(svg.matches("ours dot").count(), 1);
    run.cases[0].arms[0].void.push("late".into());
    assert_eq!(charts::ratios(&run), "");
}
