//! Makes and deletes the collection a scenario file runs in. Owns the three ways servers have of doing that:
//! CoreAdmin with a named configset, the Collections API (with as many shards as are asked for), and for a
//! standalone Solr on this machine a copied instance directory, since its configsets by name would be shared
//! by every core that changes its schema.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::ask::Server;
use crate::args::Misuse;

/// How a collection is made.
#[derive(Clone, Debug, PartialEq)]
pub enum Create {
    /// `/admin/cores?action=CREATE&name=X&configSet=Y`.
    Cores,
    /// `/admin/collections?action=CREATE&name=X&collection.configName=Y&numShards=N&replicationFactor=R`.
    Collections { shards: usize, replicas: usize },
    /// Copy `configsets/<name>` into this Solr home, then CoreAdmin CREATE with `instanceDir`.
    Home(PathBuf),
}

impl Create {
    pub fn has_shards(&self) -> bool {
        matches!(self, Self::Collections { shards, .. } if *shards > 1)
    }

    pub fn parse(text: &str) -> Result<Self> {
        match (text, text.strip_prefix("home:")) {
            ("cores", _) => Ok(Self::Cores),
            ("collections", _) => Ok(Self::Collections { shards: 1, replicas: 1 }),
            (_, Some(dir)) => Ok(Self::Home(PathBuf::from(dir))),
            _ => match text.strip_prefix("shards:").and_then(shards_and_replicas) {
                Some((shards, replicas)) => Ok(Self::Collections { shards, replicas }),
                None => bail!(Misuse(format!(
                    "`--create` is cores, collections, shards:N, shards:NxREPLICAS or home:DIR, not `{text}`"
                ))),
            },
        }
    }

    /// Makes an empty collection; one of that name left over from an interrupted run is deleted first.
    pub fn make(&self, server: &Server, root: &Path, name: &str, configset: &str) -> Result<()> {
        self.delete(server, name)?;
        let mut pairs = vec![pair("action", "CREATE"), pair("name", name)];
        match self {
            Self::Cores => pairs.push(pair("configSet", configset)),
            Self::Collections { shards, replicas } => {
                pairs.push(pair("collection.configName", configset));
                pairs.push(pair("numShards", &shards.to_string()));
                pairs.push(pair("replicationFactor", &replicas.to_string()));
                // Of several nodes each gets some; Solr does so by itself.
                pairs.push(pair("createNodeSet", "ALL_LIVE_NODES"));
            }
            Self::Home(home) => {
                let instance = home.join(name);
                copy(&root.join("configsets").join(configset), &instance.join("conf"))?;
                pairs.push(pair("instanceDir", &instance.to_string_lossy()));
            }
        }
        let answer = server.get(self.path(), &pairs)?;
        ensure!(answer.status == 200, "cannot create collection `{name}`: {}", answer.body);
        Ok(())
    }

    /// Deletes the collection with its data; that it does not exist is no error.
    pub fn delete(&self, server: &Server, name: &str) -> Result<()> {
        let pairs = match self {
            Self::Collections { .. } => vec![pair("action", "DELETE"), pair("name", name)],
            _ => vec![pair("action", "UNLOAD"), pair("core", name), pair("deleteInstanceDir", "true")],
        };
        server.get(self.path(), &pairs)?;
        Ok(())
    }

    fn path(&self) -> &'static str {
        match self {
            Self::Collections { .. } => "/admin/collections",
            _ => "/admin/cores",
        }
    }
}

/// `4` or `4x2`.
fn shards_and_replicas(text: &str) -> Option<(usize, usize)> {
    let (shards, replicas) = text.split_once('x').unwrap_or((text, "1"));
    Some((shards.parse().ok()?, replicas.parse().ok()?))
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Copies a directory and what is below it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make `{}`", to.display()))?;
    for entry in std::fs::read_dir(from).with_context(|| format!("no configset at `{}`", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_way() {
        assert_eq!(Create::parse("cores").unwrap(), Create::Cores);
        assert_eq!(Create::parse("collections").unwrap(), Create::Collections { shards: 1, replicas: 1 });
        assert_eq!(Create::parse("shards:3").unwrap(), Create::Collections { shards: 3, replicas: 1 });
        assert_eq!(Create::parse("shards:4x2").unwrap(), Create::Collections { shards: 4, replicas: 2 });
        assert!(Create::parse("shards:x").is_err());
        assert_eq!(Create::parse("home:/x").unwrap(), Create::Home(PathBuf::from("/x")));
        assert!(Create::parse("magic").is_err());
    }
}
