//! `parhelion query`: a search from the shell, with Solr's own parameters, as a table for eyes or JSON for
//! programs. In: parameters as `name=value`; out: a table, JSON, or why a document is missing. It asks like
//! any client and knows no more than the answer.

use anyhow::Context as _;
use clap::Args;
use comfy_table::Table;
use serde_json::Value;

use crate::output;
use crate::remote::Target;

#[derive(Debug, Args)]
pub struct QueryArgs {
    #[command(flatten)]
    target: Target,
    /// The query, in Solr's syntax.
    #[arg(default_value = "*:*")]
    q: String,
    /// A filter query; may repeat.
    #[arg(long, value_name = "QUERY")]
    fq: Vec<String>,
    /// Fields to show, separated by commas; globs and `score` work.
    #[arg(long, value_name = "FIELDS")]
    fl: Option<String>,
    /// For example `size desc, path asc`.
    #[arg(long)]
    sort: Option<String>,
    #[arg(long, default_value_t = 10)]
    rows: u64,
    #[arg(long, default_value_t = 0)]
    start: u64,
    /// Count the values of a field; may repeat.
    #[arg(long, value_name = "FIELD")]
    facet: Vec<String>,
    /// The field searched where the query names none.
    #[arg(long, value_name = "FIELD")]
    df: Option<String>,
    /// Any other parameter of Solr's, as `name=value`; may repeat.
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = pair)]
    params: Vec<(String, String)>,
    /// Tell why the search does not show this document, and what would.
    #[arg(long, value_name = "ID")]
    why_not: Option<String>,
    /// Print the server's JSON answer as it is.
    #[arg(long)]
    json: bool,
}

/// The parser of a parameter on the command line.
pub fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as name=value")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub async fn run(args: QueryArgs) -> anyhow::Result<()> {
    let params = args.params();
    let pairs: Vec<(&str, &str)> =
        params.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let handler = if args.why_not.is_some() { "whynot" } else { "select" };
    let path = format!("{}/{handler}", args.target.collection);
    let response = args.target.remote.client()?.get(&path, &pairs).await?.ok()?;
    if args.json {
        output::write_stdout(&response.body);
        return Ok(());
    }
    if args.why_not.is_some() {
        return print_why_not(&response.json()?).context("the answer has no `whynot`; print it with --json");
    }
    print(&response.json()?).context("the answer has no `response`; print it with --json")
}

impl QueryArgs {
    fn params(&self) -> Vec<(String, String)> {
        let mut params =
            vec![("q", self.q.clone()), ("rows", self.rows.to_string()), ("start", self.start.to_string())];
        params.extend(self.fq.iter().map(|fq| ("fq", fq.clone())));
        params.extend(self.fl.clone().map(|fl| ("fl", fl)));
        params.extend(self.sort.clone().map(|sort| ("sort", sort)));
        params.extend(self.why_not.clone().map(|id| ("id", id)));
        params.extend(self.df.clone().map(|df| ("df", df)));
        if !self.facet.is_empty() {
            params.push(("facet", "true".to_owned()));
            params.push(("facet.mincount", "1".to_owned()));
            params.extend(self.facet.iter().map(|field| ("facet.field", field.clone())));
        }
        let own = params.into_iter().map(|(name, value)| (name.to_owned(), value));
        own.chain(self.params.iter().cloned()).collect()
    }
}

fn print(answer: &Value) -> Option<()> {
    let found = answer.pointer("/response/numFound")?.as_u64()?;
    let docs = answer.pointer("/response/docs")?.as_array()?;
    if !docs.is_empty() {
        output::line(&table(docs).to_string());
    }
    if let Some(fields) = answer.pointer("/facet_counts/facet_fields").and_then(Value::as_object) {
        for (field, counts) in fields {
            output::line(&facet_line(field, counts));
        }
    }
    let milliseconds = answer.pointer("/responseHeader/QTime").and_then(Value::as_u64).unwrap_or_default();
    output::line(&format!("{} of {found} hits, {milliseconds} ms", docs.len()));
    Some(())
}

/// The reason, what the document has instead, and the edits.
fn print_why_not(answer: &Value) -> Option<()> {
    let told = answer.get("whynot")?;
    output::line(told.get("reason")?.as_str()?);
    for name in ["wanted", "has"] {
        if let Some(values) = told.get(name) {
            output::line(&format!("  {name}: {}", cell(Some(values))));
        }
    }
    for edit in told.get("edits").and_then(Value::as_array).into_iter().flatten() {
        output::line(&format!("  to see it: {}", cell(Some(edit))));
    }
    Some(())
}

/// One column a field, in the order fields first appear.
fn table(docs: &[Value]) -> Table {
    let mut columns: Vec<&str> = Vec::new();
    for name in docs.iter().filter_map(Value::as_object).flat_map(|doc| doc.keys()) {
        if name != "_version_" && !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    let mut table = output::table();
    table.set_header(columns.iter().copied());
    for doc in docs {
        table.add_row(columns.iter().map(|column| cell(doc.get(column))));
    }
    table
}

/// The value in one short line.
fn cell(value: Option<&Value>) -> String {
    const CHARS_MAX: usize = 60;
    let text = match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(values)) => {
            values.iter().map(|value| cell(Some(value))).collect::<Vec<_>>().join(", ")
        }
        Some(other) => other.to_string(),
    };
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(CHARS_MAX) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

fn facet_line(field: &str, counts: &Value) -> String {
    let flat = counts.as_array().map(Vec::as_slice).unwrap_or_default();
    let pairs: Vec<_> =
        flat.chunks_exact(2).map(|pair| format!("{} {}", cell(pair.first()), cell(pair.get(1)))).collect();
    format!("{field}: {}", pairs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cells_are_short_single_lines() {
        for (value, text) in
            [(json!("a\n b"), "a b"), (json!(["x", 1]), "x, 1"), (json!(null), ""), (json!(1.5), "1.5")]
        {
            assert_eq!(cell(Some(&value)), text);
        }
        assert_eq!(cell(Some(&json!("é".repeat(90)))).chars().count(), 61);
    }

    #[test]
    fn facets_print_on_one_line() {
        assert_eq!(facet_line("language", &json!(["Rust", 3, "C", 1])), "language: Rust 3, C 1");
    }
}
