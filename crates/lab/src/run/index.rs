//! Indexing as a measurement: the corpus over HTTP in JSON batches, documents a second and a server CPU second, and the
//! checksum of what was sent.

use std::sync::Arc;
use std::time::Instant;

use ingest::{Batch, Progress, Sender};

use super::record::{Indexing, Whose};
use super::watch::Watch;
use crate::checksum::Checksum;
use crate::error::Error;
use crate::load::own_cpu_seconds;
use crate::side::Side;
use crate::workload::Workload;

/// Documents of an update request, and how many are under way at once.
const BATCH_DOCS: u64 = 1000;
const CONNECTIONS: usize = 2;

/// Sends the corpus into the empty collection of `side` and commits.
pub async fn index(
    whose: Whose,
    side: &Side,
    workload: &Arc<dyn Workload>,
    watch: &Arc<dyn Watch>,
) -> Result<(Indexing, Checksum), Error> {
    let before = (side.processes.cpu_seconds(), own_cpu_seconds());
    let started = Instant::now();
    let checksum = send(whose, side, workload, watch).await?;
    let path = format!("{}/update", side.collection);
    side.client.get(&path, &[("commit", "true"), ("wt", "json")]).await?.ok()?;
    let seconds = started.elapsed().as_secs_f64();
    let after = (side.processes.cpu_seconds(), own_cpu_seconds());
    let server_cpu_seconds = after.0.zip(before.0).map(|(after, before)| after - before);
    let docs = workload.docs();
    let figures = Indexing {
        whose,
        docs,
        seconds,
        docs_per_second: docs as f64 / seconds.max(1e-9),
        server_cpu_seconds,
        docs_per_cpu_second: server_cpu_seconds.filter(|cpu| *cpu > 0.0).map(|cpu| docs as f64 / cpu),
        generator_cpu_seconds: after.1.zip(before.1).map(|(after, before)| after - before),
    };
    Ok((figures, checksum))
}

async fn send(
    whose: Whose,
    side: &Side,
    workload: &Arc<dyn Workload>,
    watch: &Arc<dyn Watch>,
) -> Result<Checksum, Error> {
    let progress = Arc::new(Progress::default());
    let sender = Sender::start(&side.client, &side.collection, CONNECTIONS, &progress);
    let (queue, workload, watch) = (sender.queue(), workload.clone(), watch.clone());
    let generator = tokio::task::spawn_blocking(move || {
        let mut checksum = Checksum::default();
        for first in (0..workload.docs()).step_by(BATCH_DOCS as usize) {
            let batch = batch(&*workload, first, &mut checksum);
            watch.indexed(whose, progress.totals().docs, workload.docs());
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

fn batch(workload: &dyn Workload, first: u64, checksum: &mut Checksum) -> Batch {
    let end = workload.docs().min(first + BATCH_DOCS);
    let mut body = vec![b'['];
    for number in first..end {
        if number > first {
            body.push(b',');
        }
        let start = body.len();
        workload.write_document(number, &mut body);
        checksum.add(&body[start..]);
    }
    body.push(b']');
    let text_bytes = body.len() as u64;
    Batch { body: body.into(), docs: end - first, text_bytes }
}
