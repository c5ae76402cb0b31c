//! Asks one node for all: the cluster's state, and of every node, through the one that was asked
//! (`nodes=all`), its version, disk, figures and log. What only each node itself tells is asked in
//! [`replicas`](super::replicas). Reads only. What is not answered is listed with the reason, and is no
//! error.

use client::{Error, SolrClient};
use serde_json::Value;

use super::facts::ClusterFacts;
use super::options::{ClusterOptions, unseen};
use super::read::{self, ClockReadings, Product};
use super::{certificates, replicas, untold};

const SYSTEM: &str = "admin/info/system";

/// Errors: when the node does not answer at all. One whose certificate is why tells of the certificate.
pub async fn ask(options: &ClusterOptions) -> Result<ClusterFacts, Error> {
    let facts = ClusterFacts { url: options.url.to_string(), ..ClusterFacts::default() };
    let client = options.client(&options.url);
    let mut asker = Asker { options, client, product: Product::Alone, facts };
    certificates::look(&mut asker.facts, &options.url, options.patience).await;
    match asker.meet().await {
        Ok(()) => asker.ask_all().await,
        Err(error @ Error::Tls(_)) if !asker.facts.certificates.is_empty() => {
            let said = unseen(SYSTEM, &error);
            asker.facts.unseen.push(format!("{said}; trust an authority of your own with --ca FILE"));
        }
        Err(error) => return Err(error),
    }
    asker.facts.asked_ms = (options.now_ms)();
    let untold = untold::untold(&asker.facts);
    asker.facts.unseen.extend(untold);
    Ok(asker.facts)
}

struct Asker<'o> {
    options: &'o ClusterOptions,
    client: SolrClient,
    product: Product,
    facts: ClusterFacts,
}

impl Asker<'_> {
    /// Learns what answers there, which decides what else to ask.
    async fn meet(&mut self) -> Result<(), Error> {
        let (answer, asked) = self.options.get(&self.client, SYSTEM, &[("wt", "json")]).await?;
        self.product = read::product(&answer);
        match self.product {
            // It would refuse the question, and write an error to its log that the next look would find.
            Product::Alone => self.facts.unseen.push(
                "leaders, replicas and shards: this Solr runs without ZooKeeper and knows of no others"
                    .to_owned(),
            ),
            Product::Cloud | Product::Parhelion => {
                self.read("admin/collections", &[("action", "CLUSTERSTATUS")], read::status).await;
            }
        }
        if self.product == Product::Parhelion {
            // A collection here has a copy of its own: it shares the name alone.
            self.facts.collections.iter_mut().for_each(|collection| collection.configset = None);
        }
        let of_all = match self.product {
            Product::Cloud => self.get(SYSTEM, &[]).await,
            _ => Ok((answer.clone(), asked)),
        };
        let (answer, asked) = of_all.unwrap_or_else(|error| {
            self.facts.unseen.push(unseen(SYSTEM, &error));
            (answer, asked)
        });
        read::system(&mut self.facts, &answer, asked);
        Ok(())
    }

    async fn ask_all(&mut self) {
        self.read("admin/info/logging", &[("since", "0")], read::log).await;
        self.look_at_metrics().await;
        if self.product == Product::Parhelion {
            self.read(read::OWN_DOCTOR, &[], |facts, answer| read::own_doctor(facts, read::ASKED, answer))
                .await;
        }
        replicas::ask_replicas(self.options, self.product, &mut self.facts).await;
        if !self.options.watch.is_zero() {
            tokio::time::sleep(self.options.watch).await;
            if self.look_at_metrics().await {
                self.facts.watched_ms = u64::try_from(self.options.watch.as_millis()).unwrap_or(u64::MAX);
            }
        }
    }

    async fn look_at_metrics(&mut self) -> bool {
        let names = read::metric_names();
        self.read("admin/metrics", &[("group", "node,core"), ("prefix", &names)], read::metrics).await
    }

    /// Whether there was an answer; else it is reported that there was none.
    async fn read(
        &mut self,
        path: &str,
        params: &[(&str, &str)],
        read: fn(&mut ClusterFacts, &Value),
    ) -> bool {
        match self.get(path, params).await {
            Ok((answer, _)) => read(&mut self.facts, &answer),
            Err(error) => {
                self.facts.unseen.push(unseen(path, &error));
                return false;
            }
        }
        true
    }

    /// Of every node, where this one can ask the others.
    async fn get(&self, path: &str, params: &[(&str, &str)]) -> Result<(Value, ClockReadings), Error> {
        let all = [("wt", "json"), ("nodes", "all")];
        let more = if self.product == Product::Cloud { &all[..] } else { &all[..1] };
        self.options.get(&self.client, path, &[params, more].concat()).await
    }
}
