//! `parhelion advise`: what the query log of some days says of a collection's schema and of its searches
//! (`docs/queries.md`): fields that nobody asks for with what they take, ranges and filters that cost more
//! than they need, queries that find nothing, and proofs of it by asking again. It changes nothing. In: files
//! of a query log and a server that has the collection; out: a text or JSON (`report`).

mod arguments;
mod asked;
mod clauses;
mod habits;
mod proofs;
mod range_text;
mod replay;
mod report;
mod report_text;
mod roles;
mod server_facts;
mod uses;
mod verdict;
mod words;

use std::collections::BTreeSet;

use anyhow::Context as _;
use client::{Response, SolrClient};
use jiff::ToSpan as _;

pub use self::arguments::AdviseArgs;
use self::asked::AskedSearches;
use self::habits::SearchHabits;
use self::report::AdviceReport;
use self::server_facts::ServerFacts;
use self::uses::{LoggedUses, UseReader};
use crate::query_log::{LogSource, read_log};
use crate::{ambient, output};

pub async fn run(args: AdviseArgs) -> anyhow::Result<()> {
    let client = args.client(&args.target)?;
    let collection = &args.target.collection;
    let collections = meant(&client, collection).await?;
    let (asked, passed_over) = asked_of(&args, collections.clone())?;
    let facts = ServerFacts::ask(&client, collection, &collections)
        .await
        .context("asking the server of its fields")?;
    let searches = asked.searches();
    let logged = logged_uses(&facts, &asked);
    let habits = SearchHabits::of(&searches, &|name| facts.is_exact(name));
    let proofs = match &args.replay {
        Some(to) => proofs::prove(&args, (&client, collection), to, &searches, &facts).await?,
        None => Vec::new(),
    };
    let verdicts = verdict::verdicts(&facts, &logged, &args.keep);
    let report =
        AdviceReport::new(&args, (&asked, passed_over), (&facts, &logged), (verdicts, habits), proofs);
    if args.json {
        output::json(&serde_json::to_value(&report)?);
    } else {
        report.print();
    }
    Ok(())
}

/// What was asked of these collections, and how many lines were none.
fn asked_of(args: &AdviseArgs, collections: BTreeSet<String>) -> anyhow::Result<(AskedSearches, u64)> {
    const NEXT_STEP: &str = "name the data directory of a server, the folder of its log or a file of it with \
                             --query-log; a server keeps one with `serve --query-log on`";
    let since = ambient::now().checked_sub((i64::from(args.days) * 24).hours())?;
    let (mut asked, mut passed_over) = (AskedSearches::new(collections, since), 0);
    for log in &args.query_log {
        let source = if log.is_file() { LogSource::File(log) } else { LogSource::Folder(log) };
        passed_over += read_log(source, NEXT_STEP, &mut |line| asked.add(line))?;
    }
    Ok((asked, passed_over))
}

/// The collections that a name stands for: log lines have their own names, whatever alias was asked.
async fn meant(client: &SolrClient, name: &str) -> anyhow::Result<BTreeSet<String>> {
    let answer = client.get("admin/collections", &[("action", "LISTALIASES")]).await?;
    // A Solr that is no cloud knows no aliases.
    let Ok(answer) = answer.ok().and_then(|answer: Response| answer.json()) else {
        return Ok([name.to_owned()].into());
    };
    let meant = answer["aliases"][name].as_str().unwrap_or(name);
    Ok(meant.split(',').map(str::to_owned).collect())
}

fn logged_uses(facts: &ServerFacts, asked: &AskedSearches) -> LoggedUses {
    let reader = UseReader::new(&facts.schema, &facts.names);
    let mut logged = LoggedUses::default();
    for search in asked.searches() {
        logged.add(search, reader.uses(search));
    }
    // Joins and subqueries of other collections have fields of this one, by syntax of their own schemas.
    for search in asked.elsewhere() {
        logged.add_guessed(search, reader.guessed(search), "asked of another collection that names this one");
    }
    logged
}
