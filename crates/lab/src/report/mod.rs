//! A run as one HTML file: verdicts, charts as inline SVG, tables, the manifest, and the run itself as JSON,
//! from which `replay` reads it back. No script, no template engine, nothing fetched from elsewhere. The page
//! is `page.rs`'s, with charts and tables from the files beside it; here is how the run goes into the page
//! and comes back, so that a report is the whole record.

mod chart;
mod charts;
mod jitter;
mod page;
mod scale;
mod tables;
mod text;

pub use jitter::{jitter_html, tail_cause};
pub use page::html;
pub use text::verdict_word;

use crate::error::Error;
use crate::run::{FORMAT, Run};

/// What stands before the JSON of a run in its HTML.
const DATA_OPEN: &str = r#"<script type="application/json" id="run">"#;
const DATA_CLOSE: &str = "</script>";

/// Reads a run back from its HTML or JSON report; `path` is for messages.
pub fn read_run(path: &str, report: &str) -> Result<Run, Error> {
    let wrong = |reason: String| Error::NoReport { path: path.to_owned(), reason };
    let json = match report.split_once(DATA_OPEN) {
        Some((_, rest)) => rest.split_once(DATA_CLOSE).map_or(rest, |(json, _)| json),
        None => report,
    };
    let run: Run = serde_json::from_str(json).map_err(|error| wrong(error.to_string()))?;
    if run.format != FORMAT {
        return Err(wrong(format!("its format is `{}`, not `{FORMAT}`", run.format)));
    }
    Ok(run)
}

/// The run as JSON that may stand in HTML: `<` only ever occurs inside strings, where it may be escaped.
fn data(run: &Run) -> String {
    serde_json::to_string(run).unwrap_or_default().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests;
