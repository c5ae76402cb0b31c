//! Logged searches asked again, one way and another, turn by turn: what an edit of a query, or another
//! collection, does to time and hits. In: pairs of searches; out: for each kind of edit how long both took
//! and whether they found as much. They are posted, since answers to GET are kept whole by the server and
//! would be measured instead of searches.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use client::SolrClient;
use serde::Serialize;

use super::asked::LoggedParams;

/// One search both ways.
pub struct ReplayPair {
    pub kind: ReplayKind,
    pub handler: String,
    pub before: LoggedParams,
    pub after: LoggedParams,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayKind {
    /// As logged, then with `NOW` rounded.
    NowRounded,
    /// As logged, then with a clause of `q` as `fq`.
    ClauseAsFilter,
    /// As logged, then without `cache=false` in filters.
    FilterKept,
    /// As logged, in the collection advised on and in the one replayed to.
    OtherCollection,
}

impl ReplayKind {
    /// Before and after, in words.
    pub fn title(self) -> &'static str {
        match self {
            Self::NowRounded => "as logged and with `NOW` rounded",
            Self::ClauseAsFilter => "as logged and with a clause of `q` as `fq`",
            Self::FilterKept => "as logged and without `cache=false`",
            Self::OtherCollection => "in this collection and in the other",
        }
    }
}

/// Where the two ways of a pair are asked.
pub struct ReplaySides<'a> {
    pub before: (&'a SolrClient, &'a str),
    pub after: (&'a SolrClient, &'a str),
}

/// What the pairs of a kind came to. Times are sums.
#[derive(Debug, Default, Serialize)]
pub struct ReplayProof {
    pub searches: u64,
    pub rounds: u32,
    pub qtime_before_ms: u64,
    pub qtime_after_ms: u64,
    /// As the client waited for it: QTime counts whole milliseconds.
    pub wait_before_ms: f64,
    pub wait_after_ms: f64,
    /// After to before, of QTime where that is enough to divide by.
    pub ratio: f64,
    pub hits_equal: u64,
    /// Of some that found another number: the query, hits before and after.
    pub hits_differ: Vec<(String, u64, u64)>,
}

const DIFFERING_SHOWN: usize = 5;
/// Sums of whole milliseconds below this say little.
const QTIME_ENOUGH_MS: u64 = 100;

#[derive(Clone, Copy, Default)]
struct AnswerFigures {
    hits: u64,
    qtime_ms: u64,
    wait: Duration,
}

impl ReplayProof {
    /// Asks each pair `rounds` times, the two ways by turns first. Errors: the first search that fails.
    pub async fn of(sides: &ReplaySides<'_>, pairs: &[&ReplayPair], rounds: u32) -> anyhow::Result<Self> {
        let mut proof = Self { searches: pairs.len() as u64, rounds, ..Self::default() };
        let (mut wait_before, mut wait_after) = (Duration::ZERO, Duration::ZERO);
        // One after another: side by side they would measure each other.
        for pair in pairs {
            let (mut before, mut after) = (AnswerFigures::default(), AnswerFigures::default());
            // One that is not counted: what either finds cold, neither is charged with.
            for round in 0..=rounds {
                // Whoever is asked second finds postings in the processor's caches: each is, by turns.
                let (one, other) = ask_both(sides, pair, round % 2 == 1).await?;
                (before.hits, after.hits) = (one.hits, other.hits);
                if round > 0 {
                    proof.qtime_before_ms += one.qtime_ms;
                    proof.qtime_after_ms += other.qtime_ms;
                    wait_before += one.wait;
                    wait_after += other.wait;
                }
            }
            proof.judge(pair, before.hits, after.hits);
        }
        (proof.wait_before_ms, proof.wait_after_ms) = (to_ms(wait_before), to_ms(wait_after));
        proof.ratio = match proof.qtime_before_ms.min(proof.qtime_after_ms) >= QTIME_ENOUGH_MS {
            true => proof.qtime_after_ms as f64 / proof.qtime_before_ms as f64,
            false => proof.wait_after_ms / proof.wait_before_ms.max(f64::MIN_POSITIVE),
        };
        proof.ratio = (proof.ratio * 1e3).round() / 1e3;
        Ok(proof)
    }

    fn judge(&mut self, pair: &ReplayPair, before: u64, after: u64) {
        if before == after {
            self.hits_equal += 1;
        } else if self.hits_differ.len() < DIFFERING_SHOWN {
            let text = |name: &str| pair.before.get(name).map(|values| values.join(" ")).unwrap_or_default();
            self.hits_differ.push((format!("q={} fq={}", text("q"), text("fq")), before, after));
        }
    }
}

async fn ask_both(
    sides: &ReplaySides<'_>,
    pair: &ReplayPair,
    after_first: bool,
) -> anyhow::Result<(AnswerFigures, AnswerFigures)> {
    let (before, after) = ((sides.before, &pair.before), (sides.after, &pair.after));
    let first = if after_first { after } else { before };
    let second = if after_first { before } else { after };
    let first = ask(first.0, &pair.handler, first.1).await?;
    let second = ask(second.0, &pair.handler, second.1).await?;
    Ok(if after_first { (second, first) } else { (first, second) })
}

async fn ask(
    (client, collection): (&SolrClient, &str),
    handler: &str,
    params: &LoggedParams,
) -> anyhow::Result<AnswerFigures> {
    let pairs: Vec<(&str, &str)> = params
        .iter()
        .flat_map(|(name, values)| values.iter().map(move |value| (name.as_str(), value.as_str())))
        .collect();
    // The client escapes parameters of an address; a form is the same text.
    let address = client.url().with("", &pairs);
    let form = address.split_once('?').map_or(String::new(), |(_, form)| form.to_owned());
    let path = format!("{collection}{handler}");
    let begun = Instant::now();
    let sent = client.post(&path, &[("wt", "json")], "application/x-www-form-urlencoded", form.into()).await;
    let response = sent.and_then(client::Response::ok);
    let wait = begun.elapsed();
    let answer = response.with_context(|| format!("replaying `{path}`"))?.json()?;
    let number = |at: &str| answer.pointer(at).and_then(serde_json::Value::as_u64).unwrap_or_default();
    Ok(AnswerFigures { hits: number("/response/numFound"), qtime_ms: number("/responseHeader/QTime"), wait })
}

fn to_ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
