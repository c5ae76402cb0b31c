//! `compression`: answers over a narrow link, as they are and packed in each way that the server offers. What
//! a packed answer saves of bytes and time, and what it costs of the processor on both sides. After a report
//! whose answers of a megabyte crossed a link of 12,000 KB/s.
//!
//! In: a server, the same server behind a link, and relational rows; out: figures by size of answer and
//! coding, and what they say. Codings take turns, a request each, so that all meet the same machine; no two
//! requests are alike, so that no answer is one that was kept.

use std::sync::Arc;
use std::time::{Duration, Instant};

use client::{ClientOptions, CompressionOptions, Request, RequestCoding, RetryOptions, SolrClient, SolrUrl};
use hdrhistogram::Histogram;
use serde::Serialize;

use crate::error::Error;
use crate::load::{histogram, own_cpu_seconds};
use crate::run::Watch;
use crate::run::index::{self, Batches, Feed};
use crate::side::Side;
use crate::verdict::BoundVerdict;
use crate::workload;

const WORKLOAD: &str = "rows";
const INDEX_PARTS: usize = 1;
/// What an answer must have at least to count as a large one.
pub const LARGE_BYTES: u64 = 1_000_000;
/// As `Accept-Encoding` asks for them; the first is the answer as it is.
const CODINGS: [&str; 4] = ["identity", "gzip", "br", "zstd"];
/// What a packed answer must save.
const BYTES_SAVED_MIN: f64 = 0.75;
const TIME_SAVED_MIN: f64 = 0.60;

#[derive(Clone, Copy, Debug)]
pub struct PackingOptions {
    pub docs: u64,
    pub seed: u64,
    /// Requests of each coding and size.
    pub requests: u64,
    /// Bytes a second of the link, for the words of the verdict.
    pub link_bytes_per_second: u64,
}

/// Answers of one size in one coding.
#[derive(Clone, Debug, Serialize)]
pub struct PackingFigures {
    pub rows: u64,
    pub coding: &'static str,
    /// A mean answer, as it is and as it went over the link.
    pub bytes: f64,
    pub bytes_sent: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    /// Processor time of a request; `None` where it is not known. The client's is that of the link too.
    pub server_cpu_ms: Option<f64>,
    pub client_cpu_ms: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Packing {
    pub figures: Vec<PackingFigures>,
    pub verdicts: Vec<BoundVerdict>,
}

/// What was counted of a coding at a size.
struct Tally {
    latency_ns: Histogram<u64>,
    bytes: u64,
    bytes_sent: u64,
    server_cpu: Option<f64>,
    client_cpu: Option<f64>,
}

/// `through` is the side's server behind the link. Errors: it cannot be reached, or does not pack for this
/// machine.
pub async fn compression(
    options: PackingOptions,
    side: Side,
    through: SolrUrl,
    watch: Arc<dyn Watch>,
) -> Result<Packing, Error> {
    let workload = workload::by_name(WORKLOAD, options.docs, options.seed)?;
    let feed: Arc<dyn Feed> = Arc::new(Batches { workload, watch: watch.clone() });
    index::index([Some(&side), None], &feed, (INDEX_PARTS, options.seed), &watch).await?;
    let client = client(through);
    let large_rows = large_rows(&side, &client, options.docs).await?;
    let mut figures = Vec::new();
    for rows in [10, 40, large_rows] {
        watch.note(&format!("{} answers of {rows} rows in each coding", options.requests));
        figures.extend(measure(&options, &side, &client, rows).await?);
    }
    Ok(Packing { verdicts: conclude(&options, &figures), figures })
}

/// It asks for packed answers on this machine too, and never twice.
fn client(through: SolrUrl) -> SolrClient {
    let compression = CompressionOptions {
        on_loopback: true,
        requests: RequestCoding::Never,
        ..CompressionOptions::default()
    };
    let retry = RetryOptions { attempts_max: 1, ..RetryOptions::default() };
    SolrClient::with_options(through, ClientOptions { compression, retry, ..ClientOptions::default() })
}

fn request(side: &Side, coding: &str, rows: u64, start: u64) -> Result<Request, client::Error> {
    let (rows, start) = (rows.to_string(), start.to_string());
    let params = [("q", "{!cache=false}*:*"), ("rows", &rows), ("start", &start), ("wt", "json")];
    Request::get(&format!("{}/select", side.collection), &params).header("accept-encoding", coding)
}

/// Rows that make a large answer.
async fn large_rows(side: &Side, client: &SolrClient, docs: u64) -> Result<u64, Error> {
    const SAMPLE: u64 = 100;
    let answer = client.send(&request(side, CODINGS[0], SAMPLE, 0)?).await?.ok()?;
    let rows = LARGE_BYTES * SAMPLE / (answer.body.len() as u64).max(1) * 11 / 10;
    Ok(rows.min(docs))
}

async fn measure(
    options: &PackingOptions,
    side: &Side,
    client: &SolrClient,
    rows: u64,
) -> Result<Vec<PackingFigures>, Error> {
    let mut tallies = CODINGS.map(|_| Tally::new());
    // The first of each warms up.
    for number in 0..=options.requests {
        for (coding, tally) in CODINGS.into_iter().zip(&mut tallies) {
            let start = number % (options.docs - rows + 1).max(1);
            let request = request(side, coding, rows, start)?;
            let counted = tally.ask(client, side, &request).await?;
            if number == 0 {
                *tally = Tally::new();
            } else if coding != CODINGS[0] && !counted && rows > 1000 {
                return Err(Error::Load {
                    url: side.url().to_string(),
                    reason: format!(
                        "answers are not packed as {coding}; start it with `serve --compress always`"
                    ),
                });
            }
        }
    }
    Ok(CODINGS.into_iter().zip(&tallies).map(|(coding, tally)| tally.figures(rows, coding)).collect())
}

impl Tally {
    fn new() -> Self {
        let latency_ns = histogram();
        Self { latency_ns, bytes: 0, bytes_sent: 0, server_cpu: Some(0.0), client_cpu: Some(0.0) }
    }

    /// Whether fewer bytes came than the answer has.
    async fn ask(&mut self, client: &SolrClient, side: &Side, request: &Request) -> Result<bool, Error> {
        let (before, cpu) = (client.metrics(), [side.processes.cpu_seconds(), own_cpu_seconds()]);
        let began = Instant::now();
        let answer = client.send(request).await?.ok()?;
        self.latency_ns.saturating_record(nanoseconds(began.elapsed()));
        let after = client.metrics();
        let used = |before: Option<f64>, after: Option<f64>| Some(after? - before?);
        let [server, own] = [used(cpu[0], side.processes.cpu_seconds()), used(cpu[1], own_cpu_seconds())];
        self.server_cpu = self.server_cpu.zip(server).map(|(sum, part)| sum + part);
        self.client_cpu = self.client_cpu.zip(own).map(|(sum, part)| sum + part);
        let sent = after.response_bytes_received - before.response_bytes_received;
        self.bytes += answer.body.len() as u64;
        self.bytes_sent += sent;
        Ok(sent < answer.body.len() as u64)
    }

    fn figures(&self, rows: u64, coding: &'static str) -> PackingFigures {
        let count = (self.latency_ns.len() as f64).max(1.0);
        let ms = |quantile| self.latency_ns.value_at_quantile(quantile) as f64 / 1e6;
        let mean_ms = |seconds: Option<f64>| seconds.map(|seconds| seconds * 1e3 / count);
        PackingFigures {
            rows,
            coding,
            bytes: self.bytes as f64 / count,
            bytes_sent: self.bytes_sent as f64 / count,
            p50_ms: ms(0.5),
            p99_ms: ms(0.99),
            server_cpu_ms: mean_ms(self.server_cpu),
            client_cpu_ms: mean_ms(self.client_cpu),
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Of each size the coding with the lowest median.
fn conclude(options: &PackingOptions, figures: &[PackingFigures]) -> Vec<BoundVerdict> {
    let link = options.link_bytes_per_second / 1000;
    let mut verdicts = Vec::new();
    for size in figures.chunks(CODINGS.len()) {
        let Some((plain, packed)) = size.split_first() else { continue };
        let Some(best) = packed.iter().min_by(|one, other| one.p50_ms.total_cmp(&other.p50_ms)) else {
            continue;
        };
        let (bytes, time) = (1.0 - best.bytes_sent / plain.bytes_sent, 1.0 - best.p50_ms / plain.p50_ms);
        let what = if plain.bytes >= LARGE_BYTES as f64 { "1 MB and more" } else { "a page" };
        let cpu = |figures: &PackingFigures| match (figures.server_cpu_ms, figures.client_cpu_ms) {
            (Some(server), Some(client)) => format!("{server:.2} + {client:.2} ms"),
            _ => "unknown".to_owned(),
        };
        verdicts.push(BoundVerdict {
            then: format!(
                "answers of {what} over {link} KB/s, packed: 75 % fewer bytes and 60 % less time at p50 ({} rows)",
                plain.rows
            ),
            now: format!(
                "{}: {:.0} % fewer bytes ({:.0} to {:.0}), {:.0} % less time ({:.2} to {:.2} ms); processor of server + client {} instead of {}",
                best.coding,
                bytes * 100.0,
                plain.bytes_sent,
                best.bytes_sent,
                time * 100.0,
                plain.p50_ms,
                best.p50_ms,
                cpu(best),
                cpu(plain),
            ),
            holds: bytes >= BYTES_SAVED_MIN && time >= TIME_SAVED_MIN,
        });
    }
    verdicts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_coding_is_judged() {
        let figures = |coding, bytes_sent, p50_ms| PackingFigures {
            rows: 5000,
            coding,
            bytes: 1.2e6,
            bytes_sent,
            p50_ms,
            p99_ms: p50_ms,
            server_cpu_ms: Some(1.0),
            client_cpu_ms: None,
        };
        let options = PackingOptions { docs: 1, seed: 1, requests: 1, link_bytes_per_second: 12_000_000 };
        let check = |best: PackingFigures, holds: bool, part: &str| {
            let all = [
                figures("identity", 1.2e6, 100.0),
                figures("gzip", 0.2e6, 50.0),
                figures("br", 0.1e6, 90.0),
                best,
            ];
            let [verdict] = &conclude(&options, &all)[..] else { panic!("one size") };
            assert_eq!(verdict.holds, holds, "{}", verdict.now);
            assert!(
                verdict.now.starts_with(part) && verdict.then.contains("over 12000 KB/s"),
                "{}",
                verdict.now
            );
        };
        check(
            figures("zstd", 0.3e6, 40.0),
            true,
            "zstd: 75 % fewer bytes (1200000 to 300000), 60 % less time",
        );
        check(figures("zstd", 0.31e6, 40.0), false, "zstd: 74 %");
        check(figures("zstd", 0.1e6, 41.0), false, "zstd: 92 % fewer bytes (1200000 to 100000), 59 % less");
        check(figures("zstd", 0.1e6, 60.0), false, "gzip: 83 %");
    }
}
