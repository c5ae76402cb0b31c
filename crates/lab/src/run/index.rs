//! Indexing as a measurement: the corpus in equal parts, the first for warm-up and not counted, the others
//! into both servers in turn (A B, B A, …). Each part ends with a commit, which the clock includes. Merges
//! that a server puts off count in its CPU time: before the other's turn it is waited for until it rests. Who
//! sends the documents is a [`Feed`]: [`Batches`] of JSON over HTTP, or SolrJ (`solrj.rs`).

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ingest::{Batch, Progress, Sender};
use tokio::runtime::Handle;

use super::figures::interval_of;
use super::record::{Indexing, IndexingRatio, IndexingSlice, Whose};
use super::watch::Watch;
use crate::checksum::Checksum;
use crate::error::Error;
use crate::load::own_cpu_seconds;
use crate::side::Side;
use crate::workload::Workload;

/// Documents of an update request, and how many are under way at once.
const BATCH_DOCS: u64 = 1000;
const CONNECTIONS: usize = 2;
/// A server rests when it used less of one core than this over a pause; one that never does is not waited for
/// longer.
const REST_SHARE: f64 = 0.05;
const PAUSE: Duration = Duration::from_millis(400);
const REST_MAX: Duration = Duration::from_secs(60);

/// Who sends a corpus.
pub trait Feed: Send + Sync {
    fn docs(&self) -> u64;
    fn configset(&self) -> &'static str;
    fn fields(&self) -> &'static [(&'static str, &'static str)];

    /// Sends a part, and commits. Blocks; `checksum` is that of the parts before.
    fn feed(&self, to: (Whose, &Side), part: Range<u64>, checksum: Checksum) -> Result<Fed, Error>;
}

/// A part that was sent.
pub struct Fed {
    pub checksum: Checksum,
    /// From the first document to the end of the commit.
    pub seconds: f64,
    pub generator_cpu_seconds: Option<f64>,
}

/// What indexing gave: a row for each side, and how they compare.
pub struct Indexed {
    pub rows: Vec<Indexing>,
    pub ratio: Option<IndexingRatio>,
    pub checksum: Checksum,
}

/// One side, and what was measured of it.
struct Arm<'a> {
    whose: Whose,
    side: &'a Side,
    slices: Vec<IndexingSlice>,
    checksum: Checksum,
}

/// Sends the corpus into the empty collections of both sides: one part that warms up, then `pairs` that
/// count.
pub async fn index(
    sides: [Option<&Side>; 2],
    feed: &Arc<dyn Feed>,
    (pairs, seed): (usize, u64),
    watch: &Arc<dyn Watch>,
) -> Result<Indexed, Error> {
    let mut arms = Vec::new();
    for (whose, side) in [Whose::Ours, Whose::Peer].into_iter().zip(sides) {
        let Some(side) = side else { continue };
        side.make_empty(feed.configset()).await?;
        side.check_fields(feed.fields()).await?;
        arms.push(Arm { whose, side, slices: Vec::new(), checksum: Checksum::default() });
    }
    for (turn, part) in parts(feed.docs(), pairs).into_iter().enumerate() {
        let order: Vec<usize> =
            if turn % 2 == 0 { (0..arms.len()).collect() } else { (0..arms.len()).rev().collect() };
        for at in order {
            let arm = &mut arms[at];
            watch.note(&format!("indexing part {} of {} into {}", turn + 1, pairs + 1, arm.side.url()));
            let slice = one_part(arm, feed, part.clone()).await?;
            if turn > 0 {
                arm.slices.push(slice);
            }
        }
    }
    let checksum = arms.first().map(|arm| arm.checksum).unwrap_or_default();
    let ratio = ratio_of(&arms, seed);
    Ok(Indexed { rows: arms.into_iter().map(row).collect(), ratio, checksum })
}

/// The numbers of the documents of each part; a small corpus may leave the last ones empty.
fn parts(docs: u64, pairs: usize) -> Vec<Range<u64>> {
    let pairs = pairs as u64;
    let size = docs.div_ceil(pairs + 1).max(1);
    (0..=pairs).map(|part| (part * size).min(docs)..((part + 1) * size).min(docs)).collect()
}

async fn one_part(arm: &mut Arm<'_>, feed: &Arc<dyn Feed>, part: Range<u64>) -> Result<IndexingSlice, Error> {
    let before = arm.side.processes.cpu_seconds();
    let (feed, side, whose, checksum) = (feed.clone(), arm.side.clone(), arm.whose, arm.checksum);
    let docs = part.end - part.start;
    let fed = tokio::task::spawn_blocking(move || feed.feed((whose, &side), part, checksum)).await;
    let Fed { checksum, seconds, generator_cpu_seconds } =
        fed.map_err(|error| Error::Task(error.to_string()))??;
    arm.checksum = checksum;
    rest(arm.side).await;
    let server = arm.side.processes.cpu_seconds().zip(before).map(|(after, before)| after - before);
    Ok(IndexingSlice { docs, seconds, server_cpu_seconds: server, generator_cpu_seconds })
}

/// Waits until the server has done what it put off.
async fn rest(side: &Side) {
    let started = Instant::now();
    let Some(mut before) = side.processes.cpu_seconds() else { return };
    while started.elapsed() < REST_MAX {
        tokio::time::sleep(PAUSE).await;
        let Some(now) = side.processes.cpu_seconds() else { return };
        if now - before < REST_SHARE * PAUSE.as_secs_f64() {
            return;
        }
        before = now;
    }
}

fn row(arm: Arm<'_>) -> Indexing {
    let slices = arm.slices;
    let docs: u64 = slices.iter().map(|slice| slice.docs).sum();
    let seconds: f64 = slices.iter().map(|slice| slice.seconds).sum();
    let server_cpu_seconds: Option<f64> = slices.iter().map(|slice| slice.server_cpu_seconds).sum();
    Indexing {
        whose: arm.whose,
        docs,
        seconds,
        docs_per_second: docs as f64 / seconds.max(1e-9),
        server_cpu_seconds,
        docs_per_cpu_second: server_cpu_seconds.filter(|cpu| *cpu > 0.0).map(|cpu| docs as f64 / cpu),
        generator_cpu_seconds: slices.iter().map(|slice| slice.generator_cpu_seconds).sum(),
        slices,
    }
}

/// Ours against the peer, pair by pair.
fn ratio_of(arms: &[Arm<'_>], seed: u64) -> Option<IndexingRatio> {
    let [ours, peer] = arms else { return None };
    let pairs = || ours.slices.iter().zip(&peer.slices).filter(|(ours, _)| ours.docs > 0);
    let throughput = interval_of(pairs().map(|(ours, peer)| (peer.seconds, ours.seconds)), seed);
    let cpu = pairs().filter_map(|(ours, peer)| Some((peer.server_cpu_seconds?, ours.server_cpu_seconds?)));
    Some(IndexingRatio { throughput, cpu: interval_of(cpu, seed) })
}

/// The documents of a workload, in updates of JSON.
pub struct Batches {
    pub workload: Arc<dyn Workload>,
    pub watch: Arc<dyn Watch>,
}

impl Feed for Batches {
    fn docs(&self) -> u64 {
        self.workload.docs()
    }

    fn configset(&self) -> &'static str {
        self.workload.configset()
    }

    fn fields(&self) -> &'static [(&'static str, &'static str)] {
        self.workload.fields()
    }

    fn feed(&self, to: (Whose, &Side), part: Range<u64>, checksum: Checksum) -> Result<Fed, Error> {
        let (cpu, started) = (own_cpu_seconds(), Instant::now());
        let checksum = Handle::current().block_on(async {
            let checksum = self.send(to, part, checksum).await?;
            let path = format!("{}/update", to.1.collection);
            to.1.client.get(&path, &[("commit", "true"), ("wt", "json")]).await?.ok()?;
            Ok::<_, Error>(checksum)
        })?;
        let seconds = started.elapsed().as_secs_f64();
        let generator_cpu_seconds = own_cpu_seconds().zip(cpu).map(|(after, before)| after - before);
        Ok(Fed { checksum, seconds, generator_cpu_seconds })
    }
}

impl Batches {
    async fn send(
        &self,
        (whose, side): (Whose, &Side),
        part: Range<u64>,
        mut checksum: Checksum,
    ) -> Result<Checksum, Error> {
        let progress = Arc::new(Progress::default());
        let sender = Sender::start(&side.client, &side.collection, CONNECTIONS, &progress);
        let (queue, workload, watch) = (sender.queue(), self.workload.clone(), self.watch.clone());
        let generator = tokio::task::spawn_blocking(move || {
            for first in part.clone().step_by(BATCH_DOCS as usize) {
                let batch = batch(&*workload, first..part.end.min(first + BATCH_DOCS), &mut checksum);
                watch.indexed(whose, part.start + progress.totals().docs, workload.docs());
                if queue.blocking_send(batch).is_err() {
                    // The sender has failed and says why.
                    break;
                }
            }
            checksum
        });
        let generated = generator.await;
        sender.finish().await?;
        generated.map_err(|error| Error::Task(error.to_string()))
    }
}

fn batch(workload: &dyn Workload, docs: Range<u64>, checksum: &mut Checksum) -> Batch {
    let mut body = vec![b'['];
    for number in docs.clone() {
        if number > docs.start {
            body.push(b',');
        }
        let start = body.len();
        workload.write_document(number, &mut body);
        checksum.add(&body[start..]);
    }
    body.push(b']');
    let text_bytes = body.len() as u64;
    Batch { body: body.into(), docs: docs.end - docs.start, text_bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_whole_corpus() {
        for docs in [0, 1, 5, 6, 7, 1000, 999_999] {
            let parts = parts(docs, 5);
            assert_eq!(parts.len(), 6);
            let all: Vec<u64> = parts.iter().flat_map(|part| [part.start, part.end]).collect();
            assert!(all.is_sorted() && all.first() == Some(&0) && all.last() == Some(&docs), "{all:?}");
            assert_eq!(parts.iter().map(|part| part.end - part.start).sum::<u64>(), docs);
        }
    }
}
