//! `parhelion slow`: the last requests that were slow, as a table for eyes or JSON for programs. Asked of a
//! running server (`docs/slow.md`); what counts as slow is the server's setting. In: a server's
//! `/solr/admin/slow`; out: lines with times in the unit that suits them. Which phases there are the server
//! says: an older one has fewer.

use anyhow::Context as _;
use clap::Args;
use serde_json::Value;

use crate::output;
use crate::remote::Remote;

#[derive(Debug, Args)]
pub struct SlowArgs {
    #[command(flatten)]
    remote: Remote,
    /// At most this many, the newest first.
    #[arg(short = 'n', long, default_value_t = 10)]
    rows: usize,
    /// Show each with its parameters, and phase by phase.
    #[arg(short, long)]
    phases: bool,
    /// Print the server's JSON answer as it is.
    #[arg(long, conflicts_with_all = ["rows", "phases"])]
    json: bool,
}

/// The columns of phases: title, figure.
const FIGURES: [(&str, &str); 8] = [
    ("ms", "time"),
    ("wait", "wait"),
    ("cpu", "cpu"),
    ("run queue", "runQueue"),
    ("vol. sw.", "voluntarySwitches"),
    ("invol. sw.", "involuntarySwitches"),
    ("minor f.", "minorFaults"),
    ("major f.", "majorFaults"),
];

pub async fn run(args: SlowArgs) -> anyhow::Result<()> {
    let response = args.remote.client()?.get("admin/slow", &[]).await?.ok()?;
    if args.json {
        output::write_stdout(&response.body);
        return Ok(());
    }
    let answer = response.json()?;
    let requests = answer["requests"].as_array().context("the server has no list of slow requests")?;
    output::note(&summary(&answer));
    let shown = requests.get(..args.rows).unwrap_or(requests);
    match args.phases {
        _ if shown.is_empty() => {}
        false => output::line(&overview(shown)),
        true => shown.iter().for_each(|request| output::line(&in_full(request))),
    }
    Ok(())
}

fn summary(answer: &Value) -> String {
    let total = answer["total"].as_u64().unwrap_or(0);
    match answer["threshold"].as_u64() {
        Some(threshold) => format!("{total} requests took {threshold} ms or longer since the start"),
        None => format!(
            "{total} slow requests since the start; the server tells of those that collections ask for"
        ),
    }
}

/// A line for each.
fn overview(requests: &[Value]) -> String {
    let mut table = output::table();
    table.set_header(["at", "ms", "path", "status", "why"]);
    for request in requests {
        let time = format!("{:.0}", request["time"].as_f64().unwrap_or(0.0));
        let row = [text(&request["at"]), time, text(&request["path"]), text(&request["status"])];
        table.add_row(row.into_iter().chain([text(&request["why"])]));
    }
    table.to_string()
}

/// One with its parameters and phases.
fn in_full(request: &Value) -> String {
    let head = format!(
        "{} {} {} {}\n  {}",
        text(&request["at"]),
        text(&request["method"]),
        text(&request["path"]),
        text(&request["params"]),
        text(&request["why"])
    );
    let mut table = output::table();
    table.set_header(["phase"].into_iter().chain(FIGURES.map(|(title, _)| title)));
    let phases = request["phases"].as_object().into_iter().flatten();
    for (name, figures) in
        phases.map(|(name, figures)| (name.as_str(), figures)).chain([("total", &request["total"])])
    {
        let cells = FIGURES.map(|(_, figure)| text(&figures[figure]));
        table.add_row([name.to_owned()].into_iter().chain(cells));
    }
    format!("{head}\n{table}\n")
}

/// Empty where there is nothing.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requests_are_shown_with_what_is_known_of_them() {
        let request = json!({
            "at": "2026-11-22T06:00:00Z", "time": 65.25, "method": "GET", "path": "/solr/films/select",
            "params": "q=*:*", "why": "waited 46 ms for a processor",
            "total": {"time": 65.0, "cpu": 19.0}, "phases": {"query": {"time": 65.0, "cpu": 19.0, "majorFaults": 3}}
        });
        let line = overview(std::slice::from_ref(&request));
        assert!(line.contains("65") && line.contains("waited 46 ms for a processor"), "{line}");
        let full = in_full(&request);
        assert!(full.contains("GET /solr/films/select q=*:*") && full.contains("query"), "{full}");
        assert_eq!(
            summary(&json!({"total": 2, "threshold": 1000})),
            "2 requests took 1000 ms or longer since the start"
        );
    }
}
