//! `parhelion lab list`: the workloads, and with `--reports` the museum of field reports.
//!
//! In: the lab's own tables; out: a table or JSON. Which reports there are, and what is known of each, is the
//! lab's; that each command is one is tested here.

use clap::Args;
use lab::{FieldReport, Ours, REPORTS};

use super::console;
use crate::output;

#[derive(Clone, Copy, Debug, Args)]
pub struct ListArgs {
    /// Every field report that this project began with: its number, ours, and the command that shows it.
    #[arg(long)]
    reports: bool,
    /// Print it as JSON.
    #[arg(long, requires = "reports")]
    json: bool,
}

pub fn list(args: ListArgs) {
    match args {
        ListArgs { reports: false, .. } => output::line(&console::workloads()),
        ListArgs { json: true, .. } => output::json(&serde_json::json!(REPORTS)),
        ListArgs { .. } => {
            let mut table = output::table();
            table.set_header(["report", "about", "then", "ours", "command"]);
            for report in &REPORTS {
                table.add_row(row(report));
            }
            output::line(&table.to_string());
        }
    }
}

fn row(report: &FieldReport) -> [String; 5] {
    let (ours, command) = match report.ours {
        Ours::Shown { command, last: Some(last) } => {
            (format!("{} ({})", last.figure, last.measured), command_of(command))
        }
        Ours::Shown { command, last: None } => ("run it".to_owned(), command_of(command)),
        Ours::NotYet { missing } => (format!("not yet; missing: {missing}"), String::new()),
    };
    [report.by.to_owned(), report.about.to_owned(), report.then.to_owned(), ours, command]
}

/// As a shell takes it.
fn command_of(command: &str) -> String {
    let quoted = command.split(' ').map(|word| match word.contains(['&', '?', '>']) {
        true => format!("'{word}'"),
        false => word.to_owned(),
    });
    format!("parhelion {}", quoted.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_command_of_the_museum_is_one() {
        for report in &REPORTS {
            let Ours::Shown { command, .. } = report.ours else { continue };
            let words = std::iter::once("parhelion").chain(command.split(' '));
            let parsed = Cli::try_parse_from(words);
            assert!(parsed.is_ok(), "{command}: {}", parsed.err().unwrap());
        }
    }

    #[test]
    fn a_report_shows_its_number_ours_and_the_command() {
        let [.., stale] = row(&REPORTS[17]);
        assert_eq!(stale, "parhelion lab run stale-check");
        assert!(row(&REPORTS[17])[3].ends_with("(2026-11-23)"));
        assert!(row(&REPORTS[0])[4].ends_with("--gate 'nDCG@10>=0.95'"));
        assert_eq!(row(&REPORTS[3])[3..], ["not yet; missing: several nodes".to_owned(), String::new()]);
    }
}
