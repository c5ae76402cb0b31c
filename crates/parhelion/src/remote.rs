//! Which server a command speaks to, as whom, and which of its collections: the flags that the commands share
//! which ask a running server. Owns their spelling and the client they make; `login` owns who asks.

use clap::Args;

use crate::login::LoginArgs;

/// Which server a command speaks to, and as whom.
#[derive(Debug, Args)]
pub struct Remote {
    /// The Solr URL; `http://` and `/solr` may be left out.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8983/solr", env = "PARHELION_URL")]
    pub url: String,
    /// Give up on a request after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub timeout: u64,
    #[command(flatten)]
    pub login: LoginArgs,
}

impl Remote {
    pub fn client(&self) -> anyhow::Result<client::SolrClient> {
        let url = self.url.parse::<client::SolrUrl>()?.with_login(self.login.login()?);
        Ok(client::SolrClient::new(url, std::time::Duration::from_secs(self.timeout)))
    }
}

/// Which collection of it.
#[derive(Debug, Args)]
pub struct Target {
    #[command(flatten)]
    pub remote: Remote,
    /// The collection or core.
    #[arg(short, long, value_name = "NAME", env = "PARHELION_COLLECTION")]
    pub collection: String,
}
