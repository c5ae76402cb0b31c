//! Whom a doctor that asks over TLS trusts, and what it shows: `--ca`, `--cert`, `--key`. Shared by `doctor
//! cluster` and `doctor bundle`, which ask nodes. The files are read before anything is asked, so that a
//! wrong path is told as such and not as a node that does not answer.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use client::Tls;

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "TLS")]
pub struct TlsArgs {
    /// Trust these authorities (PEM) and no others, instead of the system's: for certificates of one's own.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Show this certificate (PEM, its issuers behind it) to nodes that ask for one.
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// The private key of --cert, in PEM without a password.
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
}

impl TlsArgs {
    pub fn tls(&self) -> anyhow::Result<Tls> {
        let mut tls = Tls::default();
        if let Some(path) = &self.ca {
            let unusable = || format!("cannot trust `{}`", path.display());
            tls = tls.with_authorities(&read(path)?).with_context(unusable)?;
        }
        if let (Some(cert), Some(key)) = (&self.cert, &self.key) {
            let unusable = || format!("cannot show `{}`", cert.display());
            tls = tls.with_certificate(&read(cert)?, &read(key)?).with_context(unusable)?;
        }
        Ok(tls)
    }
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))
}
