//! Where the time of requests went, as debug output, the slow log and `/admin/slow` show it. `why` says it in
//! a sentence. The figures are a `meter::Traced`; who measured is not asked here. Times are milliseconds, as
//! Solr's `timing` has them; what a system does not count is left out.

mod why;

use meter::{Phase, PhaseFigures, Traced, Usage};
use plan::Component;

use crate::params::Params;
use crate::redact::redacted;
use crate::response::{Entries, Name, Node};

pub use why::why;

/// Most of a request's parameters that the log keeps, and most of one value, in bytes.
const PARAMS_BYTES_MAX: usize = 1024;
const VALUE_BYTES_MAX: usize = 256;

/// A request that took longer than it should.
#[derive(Clone, Debug)]
pub struct SlowRequest {
    /// When it came in.
    pub at_ms: i64,
    pub method: String,
    pub path: String,
    pub collection: Option<String>,
    /// As [`shown_params`] shows them.
    pub params: String,
    /// `None`: the client left before there was an answer.
    pub status: Option<u16>,
    pub traced: Traced,
}

/// What `/admin/slow` shows: `total` have been slow since the start, of which the last are listed, newest
/// first.
pub fn listed(threshold_ms: Option<u64>, total: u64, requests: &[SlowRequest]) -> Entries {
    let threshold = threshold_ms.map_or(Node::Int(-1), Node::count);
    vec![
        ("threshold".into(), threshold),
        ("total".into(), Node::long(total)),
        ("requests".into(), Node::Array(requests.iter().map(request).collect())),
    ]
}

fn request(slow: &SlowRequest) -> Node {
    let traced = &slow.traced;
    let count = |count: Option<u64>| count.map(Node::long);
    let entries = [
        ("at", Some(Node::Date(slow.at_ms))),
        ("time", Some(millis(traced.wall_ns))),
        ("status", slow.status.map(|status| Node::Int(status.into()))),
        ("method", Some(Node::from(slow.method.clone()))),
        ("path", Some(Node::from(slow.path.clone()))),
        ("collection", slow.collection.clone().map(Node::from)),
        ("params", Some(Node::from(slow.params.clone()))),
        ("hits", count(traced.hits)),
        ("operations", count(traced.operations)),
        ("store", traced.store_ns.map(millis)),
        ("why", Some(Node::from(why(slow)))),
        ("total", Some(total(traced))),
        ("phases", Some(phases(traced))),
    ];
    Node::Map(present(entries))
}

/// Phase by phase, and last the time that none accounts for.
pub fn phases(traced: &Traced) -> Node {
    let one = |(phase, of): &(Phase, PhaseFigures)| (Name::Borrowed(phase.name()), figures(of));
    let queue = Some(traced.between_queue_ns).filter(|ns| *ns > 0);
    let between = [("time", Some(millis(traced.between_ns()))), ("runQueue", queue.map(millis))];
    let between = ("between".into(), Node::Map(present(between)));
    Node::Map(traced.phases.iter().map(one).chain([between]).collect())
}

/// The same in a line.
pub fn phases_text(traced: &Traced) -> String {
    let one = |(phase, of): &(Phase, PhaseFigures)| {
        let parts = figure_list(of).into_iter().filter_map(|(name, figure)| match figure {
            Some(Figure::Nanos(ns)) if name != "time" => Some(format!("{name}={:.3}", ns as f64 / 1e6)),
            Some(Figure::Count(count)) => Some(format!("{name}={count}")),
            _ => None,
        });
        let parts: Vec<String> = parts.collect();
        format!("{}={:.3} ({})", phase.name(), of.wall_ns as f64 / 1e6, parts.join(" "))
    };
    traced.phases.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[derive(Clone, Copy)]
enum Figure {
    Nanos(u64),
    Count(u64),
}

fn figures(of: &PhaseFigures) -> Node {
    let node = |figure| match figure {
        Figure::Nanos(ns) => millis(ns),
        Figure::Count(count) => Node::long(count),
    };
    Node::Map(present(figure_list(of).map(|(name, figure)| (name, figure.map(node)))))
}

/// Every figure by its name.
fn figure_list(of: &PhaseFigures) -> [(&'static str, Option<Figure>); 8] {
    let PhaseFigures { wall_ns, wait_ns, usage } = *of;
    let Usage { cpu_ns, run_queue_ns, voluntary_switches, involuntary_switches, minor_faults, major_faults } =
        usage;
    [
        ("time", Some(Figure::Nanos(wall_ns))),
        ("wait", Some(Figure::Nanos(wait_ns))),
        ("cpu", cpu_ns.map(Figure::Nanos)),
        ("runQueue", run_queue_ns.map(Figure::Nanos)),
        ("voluntarySwitches", voluntary_switches.map(Figure::Count)),
        ("involuntarySwitches", involuntary_switches.map(Figure::Count)),
        ("minorFaults", minor_faults.map(Figure::Count)),
        ("majorFaults", major_faults.map(Figure::Count)),
    ]
}

fn present<const N: usize>(entries: [(&'static str, Option<Node>); N]) -> Entries {
    entries.into_iter().filter_map(|(name, node)| Some((Name::Borrowed(name), node?))).collect()
}

fn millis(ns: u64) -> Node {
    // To the microsecond: what is below is not the request's.
    Node::Double((ns / 1000) as f64 / 1e3)
}

/// What Solr's component `component` did of it, in milliseconds.
pub fn component_ms(traced: &Traced, component: &Component) -> f64 {
    let mine = |phase: Phase| match component {
        Component::Query => matches!(phase, Phase::Query | Phase::Fetch | Phase::Thread),
        Component::Facet => phase == Phase::Facet,
        Component::FacetModule => phase == Phase::FacetModule,
        Component::Highlight => phase == Phase::Highlight,
        Component::Stats => phase == Phase::Stats,
        Component::Spell(_) => phase == Phase::Spell,
        Component::Suggest(_) => phase == Phase::Suggest,
        _ => false,
    };
    let mine = traced.phases.iter().filter(|(phase, _)| mine(*phase));
    // From zero on: the sum of nothing is -0.0, which readers of `debug=timing` see.
    mine.map(|(phase, _)| phase_ms(traced, *phase)).fold(0.0, |sum, ms| sum + ms)
}

/// What a phase took, in milliseconds.
pub fn phase_ms(traced: &Traced, phase: Phase) -> f64 {
    let found = traced.phases.iter().find(|(known, _)| *known == phase);
    found.map_or(0.0, |(_, figures)| (figures.wall_ns / 1000) as f64 / 1e3)
}

/// All phases together.
pub fn total(traced: &Traced) -> Node {
    figures(&traced.total())
}

/// Parameters as a log may keep them: `name=value`, values in order, none whole that is long or secret.
pub fn shown_params(params: &Params) -> String {
    let mut shown = String::new();
    for (name, value) in params.pairs() {
        if shown.len() >= PARAMS_BYTES_MAX {
            shown.push_str("&…");
            break;
        }
        let value = redacted(name, value, &[]);
        let separator = if shown.is_empty() { "" } else { "&" };
        shown.extend([separator, &cut(name), "=", &cut(&value)]);
    }
    shown
}

fn cut(text: &str) -> String {
    match text.char_indices().map(|(at, _)| at).find(|at| *at >= VALUE_BYTES_MAX) {
        Some(at) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(query: &str) -> String {
        shown_params(&crate::parse_form(query.as_bytes()).unwrap())
    }

    #[test]
    fn nothing_took_no_time_and_not_less() {
        assert!(component_ms(&Traced::default(), &Component::Query).is_sign_positive());
    }

    #[test]
    fn parameters_are_kept_bounded_and_without_secrets() {
        for (query, expected) in [
            ("", ""),
            ("q=a:b&fq=c&fq=d", "q=a:b&fq=c&fq=d"),
            ("q=a%0Ab", "q=a\nb"),
            (
                "basic.Password=x&API_KEY=y&authToken=z&q=password",
                "basic.Password=…&API_KEY=…&authToken=…&q=password",
            ),
        ] {
            assert_eq!(shown(query), expected);
        }
        let body = r#"json={"params":{"password":"x"}}"#;
        assert_eq!(shown(body), r#"json={"params":{"password":"…"}}"#);
        let long = "é".repeat(1000);
        assert_eq!(shown(&format!("q={long}")), format!("q={}…", "é".repeat(128)));
        let many = vec!["name=value"; 1000].join("&");
        let shown = shown(&many);
        assert!(shown.len() < PARAMS_BYTES_MAX + 20 && shown.ends_with("&…"), "{shown}");
    }

    #[test]
    fn what_is_not_counted_is_left_out() {
        let usage = Usage { cpu_ns: Some(1_500_000), major_faults: Some(3), ..Usage::default() };
        let query = PhaseFigures { wall_ns: 2_000_999, wait_ns: 0, usage };
        let traced = Traced { wall_ns: 3_000_000, phases: vec![(Phase::Query, query)], ..Traced::default() };
        let shown = Node::map([
            ("time", Node::Double(2.0)),
            ("wait", Node::Double(0.0)),
            ("cpu", Node::Double(1.5)),
            ("majorFaults", Node::Long(3)),
        ]);
        let between = Node::map([("time", Node::Double(0.999))]);
        assert_eq!(phases(&traced), Node::map([("query", shown.clone()), ("between", between)]));
        let between = Node::map([("time", Node::Double(0.999)), ("runQueue", Node::Double(0.5))]);
        let queued = Traced { between_queue_ns: 500_000, ..traced.clone() };
        assert_eq!(phases(&queued), Node::map([("query", shown), ("between", between)]));
        assert_eq!(phases_text(&traced), "query=2.001 (wait=0.000 cpu=1.500 majorFaults=3)");
    }
}
