//! The command line of `parhelion advise`: flags with their help, and how a collection is named. What they do
//! is decided elsewhere.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use client::{SolrClient, SolrUrl};

use crate::login::LoginArgs;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parhelion advise http://127.0.0.1:8983/solr/films --query-log ./data
  parhelion advise localhost:8983/films --query-log ./data --days 7 --json
  parhelion advise localhost:8983/films --query-log node1 --query-log node2 --keep 'price_*'
  parhelion advise localhost:8983/films --query-log ./data --replay localhost:8983/films_small

The log does not know what `/get`, exports and atomic updates need: name that with --keep.
A field is called unused only if no search of the log asked for it, none that cannot be read
may have, it is copied nowhere, and the configuration does not name it.")]
pub struct AdviseArgs {
    /// The collection, or an alias of one, behind the Solr URL; `http://` and `/solr` may be left out.
    #[arg(value_name = "URL/COLLECTION", value_parser = collection_url)]
    pub target: CollectionUrl,
    /// The query log: the data directory of a server, the folder of its log, or a file of one. May repeat,
    /// for the nodes of a cluster.
    // `--log` is every command's, and a level.
    #[arg(long, value_name = "DIR|FILE", required = true)]
    pub query_log: Vec<PathBuf>,
    /// Judge by the searches of so many days until now.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub days: u32,
    /// A field, or a glob of fields, that something needs which is not in the log; may repeat.
    #[arg(long, value_name = "FIELD")]
    pub keep: Vec<String>,
    /// Prove it: ask logged searches of this collection again, as they were and as advised. Where it is
    /// another than the one advised on, say one with fewer fields, both are asked the same.
    #[arg(long, value_name = "URL/COLLECTION", value_parser = collection_url)]
    pub replay: Option<CollectionUrl>,
    /// Replay this many searches of each kind, those asked most often.
    #[arg(long, value_name = "COUNT", default_value_t = 20, requires = "replay")]
    pub replay_searches: usize,
    /// Ask each of them so often.
    #[arg(long, value_name = "COUNT", default_value_t = 5, requires = "replay", value_parser = clap::value_parser!(u32).range(1..))]
    pub replay_rounds: u32,
    /// Give up on a request after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    login: LoginArgs,
}

/// A collection and the server that has it.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionUrl {
    pub url: SolrUrl,
    pub collection: String,
}

fn collection_url(text: &str) -> Result<CollectionUrl, String> {
    let write_so = || "write it as `http://HOST:PORT/solr/COLLECTION`".to_owned();
    let (url, collection) = text.trim_end_matches('/').rsplit_once('/').ok_or_else(write_so)?;
    // `http://host` splits within its scheme, and `…/solr` names no collection.
    if url.is_empty() || url.ends_with('/') || collection.is_empty() || collection == "solr" {
        return Err(write_so());
    }
    let url = url.parse().map_err(|error: client::Error| error.to_string())?;
    Ok(CollectionUrl { url, collection: collection.to_owned() })
}

impl AdviseArgs {
    /// Of a collection named on the command line, asked as whoever calls.
    pub fn client(&self, target: &CollectionUrl) -> anyhow::Result<SolrClient> {
        let url = target.url.clone().with_login(self.login.login()?);
        Ok(SolrClient::new(url, Duration::from_secs(self.timeout)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_are_named_behind_their_server() {
        let check = |text: &str, url: &str, collection: &str| {
            let expected = CollectionUrl { url: url.parse().unwrap(), collection: collection.to_owned() };
            assert_eq!(collection_url(text), Ok(expected), "{text}");
        };
        check("http://h:1/solr/films", "http://h:1/solr", "films");
        check("h:1/films/", "h:1", "films");
        check("https://h/a/films", "https://h/a", "films");
        for wrong in ["films", "http://films", "h:1/solr", "/films", "http:///films"] {
            assert!(collection_url(wrong).unwrap_err().contains("COLLECTION"), "{wrong}");
        }
    }
}
