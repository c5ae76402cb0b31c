//! `throttle`: more updates than a server can do, beside searches that somebody waits for. Two servers, of
//! which one has an objective for its searches (`serve --objective`) and the other has none: how long
//! searches take, and how many updates are taken. What the objective allows is found by trying on the one
//! without: constant rates of updates, halving the gap, up to the highest at which searches keep to it.
//!
//! In: two servers, one after the other; out: figures of both and what they say. Generators ignore what they
//! are told by 429, which is the hard case.

use std::ops::Range;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde::Serialize;

use crate::error::Error;
use crate::load::{Arrivals, Requests, Schedule, joined};
use crate::overload::{Crowd, Seen};
use crate::run::Watch;
use crate::run::index::{self, Batches, Feed};
use crate::side::Side;
use crate::verdict::BoundVerdict;
use crate::workload::{self, Question, Workload};

const WORKLOAD: &str = "zipf";
const CASE: &str = "term";
const INDEX_PARTS: usize = 1;
/// Updates that are sent over and over: those behind the corpus, so that the index hardly grows.
const UPDATES: u64 = 200;
/// Tries to find what the objective allows.
const TRIES: u32 = 5;
/// What may be under way at once.
const SEARCH_CONNECTIONS: usize = 64;
/// Of updates as many as a server lets wait before it refuses: those of two seconds (of 128 all would wait at
/// some hundred a second, and none be refused).
const UPDATE_CONNECTIONS: usize = 512;
/// This many closed loops keep a server busy with updates.
const BUSY_CONNECTIONS: usize = 8;
/// Searches may take this many times the objective, and updates must come to this share of what it allows.
const OBJECTIVE_MISSED_MAX: f64 = 1.2;
const ALLOWED_MIN: f64 = 0.9;

#[derive(Clone, Copy, Debug)]
pub struct ThrottleOptions {
    pub docs: u64,
    pub seed: u64,
    /// Searches a second.
    pub searches: f64,
    /// Documents of an update.
    pub update_docs: u64,
    /// What 99 of 100 searches may take.
    pub objective: Duration,
    /// How many times what it can do a server is sent.
    pub factor: f64,
    /// Of the overload; each try takes a sixth of it.
    pub duration: Duration,
}

/// A server under too many updates.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ThrottleFigures {
    /// Of searches, in milliseconds.
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub searches_failed: u64,
    /// Documents a second that were sent, and that were taken.
    pub docs_sent_per_second: f64,
    pub docs_per_second: f64,
    /// Updates that were refused with 429, and those of them that were not told when to come again.
    pub refused: u64,
    pub refused_without_hint: u64,
    pub updates_failed: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Throttled {
    pub objective_ms: f64,
    /// Of searches alone.
    pub unloaded_p99_ms: f64,
    /// Documents a second: without searches, and with them within the objective.
    pub docs_per_second_alone: f64,
    pub docs_per_second_allowed: f64,
    pub without: ThrottleFigures,
    pub with: ThrottleFigures,
    pub verdicts: Vec<BoundVerdict>,
}

/// What the tries and the overload without an objective came to.
#[derive(Clone, Debug)]
pub struct ThrottleBaseline {
    unloaded_p99_ms: f64,
    docs_per_second_alone: f64,
    docs_per_second_allowed: f64,
    figures: ThrottleFigures,
}

/// The server without an objective. Errors: it cannot be reached, or indexing fails.
pub async fn throttle_baseline(
    options: ThrottleOptions,
    side: Side,
    watch: Arc<dyn Watch>,
) -> Result<ThrottleBaseline, Error> {
    let stage = Stage::prepare(options, side, &watch).await?;
    blocking(move || {
        watch.note("searching alone");
        let unloaded = stage.both(None, stage.part())?;
        let (alone_ms, objective_ms) = (unloaded.searches.quantile_ms(0.99), stage.objective_ms());
        if alone_ms > objective_ms {
            // Nobody could keep to it, and what others do on the machine would be taken for updates' doing.
            return Err(Error::Load {
                url: stage.side.url().to_string(),
                reason: format!(
                    "searches alone take {alone_ms:.1} ms at p99, more than the objective of {objective_ms:.0} ms; ask for more (`--objective`), or wait until the machine is less busy"
                ),
            });
        }
        watch.note("updating alone");
        let busy = stage.updates().closed(BUSY_CONNECTIONS, stage.part())?;
        let alone = busy.answered_per_second();
        let (mut kept, mut missed) = (0.0, alone);
        for _ in 0..TRIES {
            let rate = f64::midpoint(kept, missed);
            let tried = stage.both(Some(rate), stage.part())?;
            let p99_ms = tried.searches.quantile_ms(0.99);
            let docs = rate * stage.options.update_docs as f64;
            watch.note(&format!("{docs:.0} documents a second: searches take {p99_ms:.1} ms at p99"));
            if p99_ms <= objective_ms { kept = rate } else { missed = rate }
        }
        watch.note("more updates than it can do");
        let over = stage.both(Some(alone * options.factor), options.duration)?;
        Ok(ThrottleBaseline {
            unloaded_p99_ms: unloaded.searches.quantile_ms(0.99),
            docs_per_second_alone: stage.docs(alone),
            docs_per_second_allowed: stage.docs(kept),
            figures: stage.figures(&over),
        })
    })
    .await
}

/// The one with an objective, sent as much.
pub async fn throttle(
    options: ThrottleOptions,
    side: Side,
    baseline: ThrottleBaseline,
    watch: Arc<dyn Watch>,
) -> Result<Throttled, Error> {
    let stage = Stage::prepare(options, side, &watch).await?;
    blocking(move || {
        watch.note("more updates than it can do, with an objective");
        let rate = baseline.docs_per_second_alone / options.update_docs as f64 * options.factor;
        let over = stage.both(Some(rate), options.duration)?;
        let with = stage.figures(&over);
        Ok(conclude(stage.objective_ms(), baseline, with))
    })
    .await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Error::Task(error.to_string()))?
}

/// A server with its corpus, and what is sent to it.
struct Stage {
    options: ThrottleOptions,
    side: Side,
    searches: Requests,
    updates: Requests,
}

/// What searches and updates saw at the same time.
struct Both {
    searches: Seen,
    updates: Option<Seen>,
    /// Updates a second that were to be sent.
    rate: f64,
}

impl Stage {
    async fn prepare(options: ThrottleOptions, side: Side, watch: &Arc<dyn Watch>) -> Result<Self, Error> {
        let workload = workload::by_name(WORKLOAD, options.docs, options.seed)?;
        let feed: Arc<dyn Feed> = Arc::new(Batches { workload: workload.clone(), watch: watch.clone() });
        index::index([Some(&side), None], &feed, (INDEX_PARTS, options.seed), watch).await?;
        let case = workload.cases().into_iter().find(|case| case.name == CASE);
        let case = case.ok_or_else(|| Error::NoCase(CASE.to_owned(), WORKLOAD.to_owned()))?;
        let questions: Vec<Question> = case.questions.into_iter().map(Question::uncached).collect();
        let path = format!("{}/{}", side.collection, case.handler);
        let searches =
            Requests::get(side.url(), &path, questions.iter().map(|question| question.params.as_slice()));
        let (first, count) = (options.docs, options.update_docs);
        let body = |number| update(&*workload, &side, first + number * count, count);
        let updates = Requests::new((0..UPDATES).map(body).collect());
        Ok(Self { options, side, searches, updates })
    }

    fn part(&self) -> Duration {
        self.options.duration / 6
    }

    fn objective_ms(&self) -> f64 {
        self.options.objective.as_secs_f64() * 1e3
    }

    fn docs(&self, updates: f64) -> f64 {
        updates * self.options.update_docs as f64
    }

    fn updates(&self) -> Crowd<'_> {
        Crowd { authority: self.side.url().authority(), requests: &self.updates }
    }

    /// Searches by schedule, and updates at this rate besides.
    fn both(&self, rate: Option<f64>, duration: Duration) -> Result<Both, Error> {
        let schedule = |per_second: f64, seed: u64| {
            Schedule::new(Arrivals::Poisson, per_second.max(0.1), duration, self.options.seed ^ seed)
        };
        let searchers = Crowd { authority: self.side.url().authority(), requests: &self.searches };
        thread::scope(|scope| {
            let update =
                move |rate| self.updates().open_until(UPDATE_CONNECTIONS, &schedule(rate, 1), duration);
            let updating = rate.map(|rate| scope.spawn(move || update(rate)));
            let searches = searchers.open(SEARCH_CONNECTIONS, &schedule(self.options.searches, 2));
            let updates = updating.map(joined).transpose()?;
            Ok(Both { searches: searches?, updates, rate: rate.unwrap_or_default() })
        })
    }

    fn figures(&self, both: &Both) -> ThrottleFigures {
        let searches = &both.searches;
        let figures = ThrottleFigures {
            p50_ms: searches.quantile_ms(0.5),
            p99_ms: searches.quantile_ms(0.99),
            searches_failed: searches.failed + searches.refused,
            docs_sent_per_second: self.docs(both.rate),
            ..ThrottleFigures::default()
        };
        let Some(updates) = &both.updates else { return figures };
        ThrottleFigures {
            docs_per_second: self.docs(updates.answered_per_second()),
            refused: updates.refused,
            refused_without_hint: updates.refused_without_hint,
            updates_failed: updates.failed,
            ..figures
        }
    }
}

/// A POST of documents, from this one on.
pub(crate) fn update(workload: &dyn Workload, side: &Side, first: u64, count: u64) -> Vec<u8> {
    let mut body = Vec::new();
    write_documents(workload, first..first + count, &mut body);
    let (url, collection) = (side.url(), &side.collection);
    let head = format!(
        "POST {}/{collection}/update?wt=json HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        url.context(),
        url.authority(),
        body.len()
    );
    [head.as_bytes(), &body].concat()
}

/// As JSON.
pub(crate) fn write_documents(workload: &dyn Workload, numbers: Range<u64>, body: &mut Vec<u8>) {
    body.push(b'[');
    for number in numbers.clone() {
        if number > numbers.start {
            body.push(b',');
        }
        workload.write_document(number, body);
    }
    body.push(b']');
}

fn conclude(objective_ms: f64, baseline: ThrottleBaseline, with: ThrottleFigures) -> Throttled {
    let ThrottleBaseline {
        unloaded_p99_ms,
        docs_per_second_alone,
        docs_per_second_allowed,
        figures: without,
    } = baseline;
    let verdict = |then: String, now: String, holds| BoundVerdict { then, now, holds };
    let share = with.docs_per_second / docs_per_second_allowed;
    let verdicts = vec![
        verdict(
            format!(
                "too many updates without an objective: searches take longer than {objective_ms:.0} ms at p99"
            ),
            format!("{:.1} ms", without.p99_ms),
            without.p99_ms > objective_ms,
        ),
        verdict(
            format!("with it no more than {OBJECTIVE_MISSED_MAX} times that"),
            format!("{:.1} ms, {:.2} times", with.p99_ms, with.p99_ms / objective_ms),
            with.p99_ms <= objective_ms * OBJECTIVE_MISSED_MAX,
        ),
        verdict(
            format!(
                "and {:.0} % of the updates that it allows ({docs_per_second_allowed:.0} documents a second)",
                ALLOWED_MIN * 100.0
            ),
            format!("{:.0} documents a second, {:.0} %", with.docs_per_second, share * 100.0),
            share >= ALLOWED_MIN,
        ),
        verdict(
            "the others are told when to come again".to_owned(),
            format!(
                "{} refused, {} of them without Retry-After, {} failed",
                with.refused, with.refused_without_hint, with.updates_failed
            ),
            with.refused > 0 && with.refused_without_hint + with.updates_failed == 0,
        ),
    ];
    Throttled {
        objective_ms,
        unloaded_p99_ms,
        docs_per_second_alone,
        docs_per_second_allowed,
        without,
        with,
        verdicts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_become_verdicts() {
        let check = |without_ms: f64, with_ms: f64, docs: f64, hints_missing: u64, expected: [bool; 4]| {
            let figures = |p99_ms| ThrottleFigures { p99_ms, ..ThrottleFigures::default() };
            let baseline = ThrottleBaseline {
                unloaded_p99_ms: 5.0,
                docs_per_second_alone: 3000.0,
                docs_per_second_allowed: 1000.0,
                figures: figures(without_ms),
            };
            let with = ThrottleFigures {
                docs_per_second: docs,
                refused: 10,
                refused_without_hint: hints_missing,
                ..figures(with_ms)
            };
            let throttled = conclude(50.0, baseline, with);
            let holds: Vec<bool> = throttled.verdicts.iter().map(|verdict| verdict.holds).collect();
            assert_eq!(holds, expected, "{:?}", throttled.verdicts);
        };
        check(300.0, 55.0, 950.0, 0, [true; 4]);
        check(40.0, 61.0, 890.0, 1, [false; 4]);
    }
}
