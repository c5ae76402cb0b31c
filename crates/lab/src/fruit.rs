//! The fruit run: index the corpus, check the twelve counts, then time each query, ours and the peer in turn.

use std::sync::Arc;
use std::time::{Duration, Instant};

use client::SolrClient;
use hdrhistogram::Histogram;
use ingest::{Batcher, Progress, Sender};

use crate::closed_loop::{self, Load};
use crate::error::Error;
use crate::fruit_data::{Fruit, FruitQuery, QUERIES};
use crate::report::{IndexFigures, LoadFigures, QueryRow};

/// A server and the collection in it.
#[derive(Clone, Debug)]
pub struct Side {
    pub client: SolrClient,
    pub collection: String,
}

#[derive(Clone, Debug)]
pub struct FruitOptions {
    pub corpus: Fruit,
    pub connections: Vec<usize>,
    /// Length of one timed slice.
    pub slice: Duration,
    /// Slices a side for each query, taken in turn.
    pub pairs: usize,
}

/// Sends the corpus in batches of 1,000 over two connections and commits; what was there with other ids stays.
pub async fn index(side: &Side, corpus: &Fruit, progress: &Arc<Progress>) -> Result<IndexFigures, Error> {
    let started = Instant::now();
    let sender = Sender::start(&side.client, &side.collection, 2, progress);
    let (queue, corpus) = (sender.queue(), corpus.clone());
    let docs = corpus.docs;
    let generator = tokio::task::spawn_blocking(move || -> Result<(), Error> {
        let mut batcher = Batcher::new(1000, usize::MAX);
        for number in 0..corpus.docs {
            let document = corpus.document(number);
            let bytes = document.fruit_t.len() as u64;
            let full = batcher.push(&document, bytes)?;
            if full.is_some_and(|batch| queue.blocking_send(batch).is_err()) {
                return Ok(());
            }
        }
        if let Some(batch) = batcher.finish() {
            let _ = queue.blocking_send(batch);
        }
        Ok(())
    });
    let generated = generator.await;
    sender.finish().await?;
    generated.map_err(|error| client::Error::Request(error.to_string()))??;
    side.client
        .get(&format!("{}/update", side.collection), &[("commit", "true"), ("wt", "json")])
        .await?
        .ok()?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(IndexFigures { docs, seconds, docs_per_second: docs as f64 / seconds })
}

/// Asks each query once; an error unless every count is the generator's.
pub async fn verify(side: &Side, corpus: &Fruit) -> Result<(), Error> {
    for query in &QUERIES {
        let text = query.text();
        let params = [("q", text.as_str()), ("df", "fruit_t"), ("rows", "0"), ("wt", "json")];
        let answer = side.client.get(&format!("{}/select", side.collection), &params).await?.ok()?.json()?;
        let found =
            answer.pointer("/response/numFound").and_then(serde_json::Value::as_u64).unwrap_or(u64::MAX);
        let expected = corpus.hits(query);
        if found != expected {
            let url = side.client.url().to_string();
            return Err(Error::WrongCount { url, query: query.name, found, expected });
        }
    }
    Ok(())
}

/// Times one query under one number of connections. Blocks; the server's answers were verified before.
pub fn measure(
    ours: &Side,
    peer: Option<&Side>,
    query: &FruitQuery,
    connections: usize,
    options: &FruitOptions,
) -> Result<QueryRow, Error> {
    let mut our_loads = Vec::new();
    let mut peer_loads = Vec::new();
    for pair in 0..=options.pairs {
        let load = run(ours, query, connections, options.slice)?;
        let peer_load = peer.map(|peer| run(peer, query, connections, options.slice)).transpose()?;
        // The first pair only warms both sides.
        if pair > 0 {
            our_loads.push(load);
            peer_loads.extend(peer_load);
        }
    }
    let ratio = median_ratio(&our_loads, &peer_loads);
    Ok(QueryRow {
        query: query.name,
        hits: options.corpus.hits(query),
        connections,
        ours: figures(&our_loads),
        peer: peer.map(|_| figures(&peer_loads)),
        ratio,
    })
}

fn run(side: &Side, query: &FruitQuery, connections: usize, slice: Duration) -> Result<Load, Error> {
    let text = query.text();
    let params = [("q", text.as_str()), ("df", "fruit_t"), ("fl", "id"), ("wt", "json"), ("rows", "10")];
    let url = side.client.url();
    let address = url.with(&format!("{}/select", side.collection), &params);
    let path = address.split_once(&format!("{}/", url.context())).map_or("", |(_, path)| path);
    closed_loop::run(url, path, connections, slice)
}

fn throughput(load: &Load) -> f64 {
    load.latency_us.len() as f64 / load.elapsed.as_secs_f64()
}

fn median_ratio(ours: &[Load], peers: &[Load]) -> Option<f64> {
    let mut ratios: Vec<f64> =
        ours.iter().zip(peers).map(|(our, peer)| throughput(our) / throughput(peer)).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied()
}

fn figures(loads: &[Load]) -> LoadFigures {
    let mut all: Option<Histogram<u64>> = None;
    for load in loads {
        match &mut all {
            // Same bounds everywhere, so adding cannot fail.
            Some(sum) => sum.add(&load.latency_us).unwrap_or_default(),
            None => all = Some(load.latency_us.clone()),
        }
    }
    let seconds: f64 = loads.iter().map(|load| load.elapsed.as_secs_f64()).sum();
    let quantile = |q| all.as_ref().map_or(0, |all| all.value_at_quantile(q));
    let requests = all.as_ref().map_or(0, Histogram::len);
    LoadFigures {
        requests,
        per_second: requests as f64 / seconds,
        p50_us: quantile(0.5),
        p99_us: quantile(0.99),
    }
}
