//! What the commands print: the only file that writes to standard output and standard error. Data goes to the
//! one, what is for eyes to the other, so that a pipe gets data alone; errors come with a hint where one is
//! known.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::{self, IsTerminal as _, Write as _};

use comfy_table::{ContentArrangement, Table, TableComponent, presets};
use serde_json::Value;

/// One line to standard output; a reader that has gone away ends the program quietly, as other Unix tools do.
pub fn line(text: &str) {
    write_stdout(format!("{text}\n").as_bytes());
}

/// Raw bytes to standard output.
pub fn write_stdout(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

/// A note for the person at the terminal, which no pipe should carry.
pub fn note(text: &str) {
    eprintln!("{text}");
}

pub fn json(value: &Value) {
    line(&serde_json::to_string_pretty(value).unwrap_or_default());
}

/// A table with a line under its header and no others, fitted to the terminal.
pub fn table() -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table
        .set_style(TableComponent::HeaderLines, '─')
        .set_style(TableComponent::MiddleHeaderIntersections, '─');
    table
}

/// The error and its causes, then what to do about it where that is known.
pub fn error(error: &anyhow::Error) {
    eprintln!("error: {error:#}");
    if let Some(hint) = hint(error) {
        eprintln!("hint: {hint}");
    }
}

/// Whether a progress bar has someone to look at it.
pub fn on_terminal() -> bool {
    io::stderr().is_terminal()
}

fn hint(error: &anyhow::Error) -> Option<&'static str> {
    match error.downcast_ref::<client::Error>()? {
        client::Error::Status { status: 404, .. } => Some(
            "list the collections with `curl 'http://127.0.0.1:8983/solr/admin/collections?action=LIST'`",
        ),
        client::Error::Timeout { .. } => Some("raise the bound with --timeout SECONDS"),
        _ => None,
    }
}
