//! The page around charts and tables: what a reader sees first, what is folded away, and how it looks in
//! light and dark. In: a finished run, and the one that it replays; out: HTML. What a figure means was
//! decided before (`run/conclude.rs`): the page only decides what stands above what.

use std::fmt::Write as _;

use super::text::{escape, number, shape};
use super::{DATA_CLOSE, DATA_OPEN, charts, data, tables};
use crate::replay::changes;
use crate::run::{CaseRecord, Run};

/// Blue and vermilion of Okabe and Ito's palette, which readers with any colour vision tell apart; lighter in
/// the dark.
pub const STYLE: &str = "
:root{color-scheme:light dark;--ground:#fff;--ink:#1c2024;--soft:#5c6670;--rule:#d9dee3;--ours:#0072b2;--peer:#c04a00}
@media(prefers-color-scheme:dark){:root{--ground:#14181c;--ink:#e4e8ec;--soft:#9aa4ae;--rule:#303840;--ours:#56b4e9;--peer:#e69f00}}
body{background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.5rem}h3{font-size:1rem;margin:1.5rem 0 .3rem}
p,summary{max-width:46rem}.soft{color:var(--soft)}code{font-size:.9em;overflow-wrap:anywhere}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.87rem;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .6rem .2rem 0;text-align:left;border-bottom:1px solid var(--rule);white-space:nowrap;vertical-align:top}
th{color:var(--soft);font-weight:600}td:last-child{white-space:normal}
svg{width:100%;max-width:45rem;height:auto;display:block;margin:.5rem 0}svg text{fill:var(--ink);font-size:11px}
.grid{stroke:var(--rule)}.axis{stroke:var(--soft);fill:none}.line{fill:none;stroke-width:2}.faint{stroke-width:1;opacity:.75}
.ours.line{stroke:var(--ours)}.peer.line{stroke:var(--peer);stroke-dasharray:6 3}.ours.dot{fill:var(--ours)}.peer.dot{fill:var(--peer)}
svg text.ours{fill:var(--ours)}svg text.peer{fill:var(--peer)}.label{font-weight:600}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(24rem,1fr));gap:1rem}details{margin:.5rem 0}summary{cursor:pointer}
";

/// The whole report of `run`; `then` is the run that it replays.
pub fn html(run: &Run, then: Option<&Run>) -> String {
    let manifest = &run.manifest;
    let title = escape(&format!("{} of {}", manifest.options.workload, manifest.started));
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}</style><h1>{}</h1>",
        escape(&manifest.options.workload)
    );
    let _ = write!(page, "<p>{}</p>", summary(run));
    section(
        &mut page,
        "Claims",
        "Figures of the field report that the workload comes from, and what this run says.",
        &tables::verdicts(run),
    );
    if let Some(then) = then {
        let about = format!(
            "Against the run of {} on {}.",
            escape(&then.manifest.started),
            escape(&then.manifest.host.name)
        );
        section(&mut page, "Then and now", &about, &tables::changes(&changes(then, run)));
    }
    let about = "Our throughput divided by the peer's: median of the pairs and its bootstrap 95 % interval; right of 1× we are ahead.";
    section(&mut page, "Ratios", about, &charts::ratios(run));
    let about = "Closed loops say how much goes through, open loops how long it takes at a given rate, from the intended send. CPU is the server's, per request.";
    section(&mut page, "Figures", about, &tables::arms(run));
    section(&mut page, "Left out", "What does not count, and why.", &tables::left_out(run));
    let cases: String = run.cases.iter().map(case).collect();
    section(&mut page, "Cases", "", &cases);
    section(
        &mut page,
        "Indexing",
        "JSON batches of 1,000 over two connections; parts of the corpus in turn, each with its commit, after one that does not count. CPU until the server rests, merges included.",
        &tables::indexing(run),
    );
    let about = "A generator that is late or busy measures itself; such arms are void.";
    section(&mut page, "The generator", about, &tables::generator(run));
    section(
        &mut page,
        "Manifest",
        "Save this page and repeat it with <code>parhelion lab replay FILE</code>.",
        &tables::manifest(run),
    );
    let _ = write!(page, "{DATA_OPEN}{}{DATA_CLOSE}</html>", data(run));
    page
}

/// The run in a sentence or two.
fn summary(run: &Run) -> String {
    let options = &run.manifest.options;
    let mut text = format!(
        "{} documents, {} cases, {} pairs of {} ms.",
        number(options.docs as f64),
        run.cases.len(),
        options.pairs,
        options.slice_ms
    );
    for mean in &run.means {
        let Some(ratio) = mean.ratio else { continue };
        let cpu =
            mean.cpu_ratio.map(|cpu| format!(" for {}× less CPU a request", number(cpu))).unwrap_or_default();
        let (connections, cases) = (mean.connections, mean.cases);
        let ratio = number(ratio);
        let _ = write!(
            text,
            " <b>{ratio}×</b> the peer at {connections} connections (geometric mean of {cases} cases){cpu}."
        );
    }
    text
}

fn section(page: &mut String, name: &str, about: &str, body: &str) {
    if !body.is_empty() {
        let about = if about.is_empty() { String::new() } else { format!(r#"<p class="soft">{about}</p>"#) };
        let _ = write!(page, "<h2>{name}</h2>{about}{body}");
    }
}

fn case(case: &CaseRecord) -> String {
    let mut html = format!("<h3>{}</h3><code>{}</code>", escape(&case.name), escape(&case.about));
    html.push_str(&charts::curve(case));
    for arm in &case.arms {
        let (percentiles, histogram) = (charts::percentiles(case, arm), charts::histogram(case, arm));
        let shape = shape(arm.shape);
        let _ = write!(
            html,
            r#"<details><summary>{shape}</summary><div class="charts">{percentiles}{histogram}</div></details>"#
        );
    }
    html
}
