//! Random requests, asked of a Solr and of a Parhelion of this checkout: what the two answer has to be the
//! same. Finds what nobody thought of writing a scenario for; what it finds becomes one. Two Parhelions may
//! be asked as well, an older and a newer: what a change was not to change. Owns the run; the requests are
//! `grammar`'s.

mod grammar;

use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::{Map, Value, json};

use self::grammar::Grammar;
use super::ask::{Answer, Server};
use super::compare;
use super::mask::{Kind, Masks};
use super::open::Open;
use super::outcome::Outcome;
use super::provision::Create;
use super::scenario::Step;
use super::summary::{StepResult, Summary};
use crate::args::Misuse;

const COLLECTION: &str = "compat_random";

/// After this many requests every document is replaced and segments are merged. By the number of the seed, so
/// that a request meets the same documents when it is asked alone.
const GENERATION: u64 = 100;

/// How many requests, and which: those of the seeds from `first` on.
pub struct Random {
    pub count: u64,
    pub first: u64,
    /// The other server; `None` starts a Parhelion of this checkout.
    pub ours: Option<String>,
    /// How its collection is made.
    pub create: Create,
}

impl Random {
    pub fn parse(
        count: Option<&str>,
        first: Option<&str>,
        (ours, create): (Option<String>, Option<Create>),
    ) -> Result<Option<Self>> {
        let number = |name: &str, text: &str| {
            let wrong = |_| Misuse(format!("`{name}` is a whole number, not `{text}`"));
            text.parse().map_err(wrong)
        };
        let Some(count) = count else {
            let said = [
                ("--seed", first.is_some()),
                ("--ours", ours.is_some()),
                ("--create-ours", create.is_some()),
            ];
            return match said.iter().find(|(_, is_said)| *is_said) {
                Some((name, _)) => Err(Misuse(format!("`{name}` goes with `--random`; add it")).into()),
                None => Ok(None),
            };
        };
        let first = first.map_or(Ok(1), |first| number("--seed", first))?;
        let create = create.unwrap_or(Create::Cores);
        let ours = ours.map(|url| url.trim_end_matches('/').to_owned());
        Ok(Some(Self { count: number("--random", count)?, first, ours, create }))
    }
}

/// Asks both. The Solr is at `url`, its collection made by `create`.
pub fn run(root: &Path, random: &Random, url: &str, create: &Create) -> Result<Summary> {
    let folder = root.join("compat");
    let grammar = Grammar::read(&folder.join("random.yaml"))?;
    let masks = Masks::read(&folder.join("masks.yaml"))?;
    let started = match random.ours {
        Some(_) => None,
        None => Some(crate::server::Server::start(root, "random", false)?),
    };
    let ours = random.ours.as_deref().or(started.as_ref().map(|started| started.url.as_str()));
    let (solr, ours) = (Server::new(url), Server::new(ours.unwrap_or_default()));
    for (server, create) in [(&solr, create), (&ours, &random.create)] {
        create.make(server, root, COLLECTION, &grammar.configset)?;
        fill(server, &grammar, random.first / GENERATION, "commit")?;
    }
    let mut mask = grammar.mask.clone();
    if create.has_shards() != random.create.has_shards() {
        // Solr shows it of one shard only where scores are asked for, of several wherever they order hits.
        mask.insert("body/response/maxScore".to_owned(), Kind::Any);
    }
    let mut summary = Summary::new(Open::default());
    for seed in random.first..random.first.saturating_add(random.count) {
        if seed > random.first && seed % GENERATION == 0 {
            // What was replaced counts in statistics until it is merged away, which each does in its time.
            for server in [&solr, &ours] {
                fill(server, &grammar, seed / GENERATION, "optimize")?;
            }
        }
        let params = grammar.request(seed)?;
        let get = Some("select".to_owned());
        let step = Step { get, params, mask: mask.clone(), ..Step::default() };
        let outcome = judged(&solr.ask(COLLECTION, &step)?, &asked(&ours, &step), &masks, &step);
        summary.extend(vec![StepResult::new(
            "random",
            usize::try_from(seed)?.saturating_sub(1),
            &step,
            outcome,
        )]);
    }
    create.delete(&solr, COLLECTION)?;
    if random.ours.is_some() {
        random.create.delete(&ours, COLLECTION)?;
    }
    Ok(summary)
}

fn fill(server: &Server, grammar: &Grammar, generation: u64, command: &str) -> Result<()> {
    for body in [Value::from(grammar.documents(generation)?), json!({"delete": grammar.delete})] {
        let params = Map::from_iter([(command.to_owned(), Value::from("true"))]);
        let step = Step { post: Some("update".to_owned()), params, body: Some(body), ..Step::default() };
        let answer = server.ask(COLLECTION, &step)?;
        ensure!(answer.status == 200, "the documents were refused: {}", answer.body);
    }
    Ok(())
}

fn asked(server: &Server, step: &Step) -> Answer {
    server.ask(COLLECTION, step).unwrap_or_else(|error| Answer::broken(&error))
}

/// Where Solr fails in itself there is nothing to compare with.
fn judged(solr: &Answer, ours: &Answer, masks: &Masks, step: &Step) -> Outcome {
    if solr.status >= 500 && ours.status < 500 && ours.status > 0 {
        return Outcome::Kept;
    }
    compare::judge(&solr.as_value(), &ours.as_value(), &masks.with_own(&step.mask), step)
}
