//! A ZooKeeper server of a task's own, from Maven's registry: its jars below the target folder, its data in a
//! folder that ends with it.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use crate::server::target_folder;

pub struct ZooKeeper {
    child: Child,
    data_dir: PathBuf,
    /// `127.0.0.1:PORT`.
    pub address: String,
    /// A file with credentials that nobody has used yet.
    pub credentials: PathBuf,
}

impl ZooKeeper {
    /// Fetches it where that was not done, and starts it. It takes a moment before it answers.
    pub fn start(root: &Path) -> Result<Self> {
        let jars = fetch(root)?;
        let data_dir = target_folder(root).join("xtask").join(format!("zookeeper-{}", std::process::id()));
        std::fs::create_dir_all(&data_dir)
            .with_context(|| format!("cannot make `{}`", data_dir.display()))?;
        // It cannot be asked which port it took, so that one is taken which was free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let config = data_dir.join("zoo.cfg");
        let lines = [
            "tickTime=2000".to_owned(),
            format!("dataDir={}", data_dir.join("data").display()),
            format!("clientPort={port}"),
            "clientPortAddress=127.0.0.1".to_owned(),
            "admin.enableServer=false".to_owned(),
        ];
        std::fs::write(&config, lines.join("\n"))?;
        let credentials = data_dir.join("credentials");
        std::fs::write(&credentials, "parhelion:of-the-suites\n")?;
        let child = Command::new("java")
            .args(["-Xmx64m", "-XX:+UseSerialGC", "-Dzookeeper.jmx.log4j.disable=true", "-cp"])
            .arg(jars.join("*"))
            .arg("org.apache.zookeeper.server.ZooKeeperServerMain")
            .arg(&config)
            .stdout(Stdio::null())
            .spawn()
            .context("cannot run java")?;
        Ok(Self { child, data_dir, address: format!("127.0.0.1:{port}"), credentials })
    }
}

/// The folder of its jars, filled where that was not done.
pub fn fetch(root: &Path) -> Result<PathBuf> {
    let jars = target_folder(root).join("clients").join("zookeeper");
    if !jars.join("fetched").exists() {
        let fetched = Command::new("mvn")
            .args(["--quiet", "--batch-mode", "--file"])
            .arg(root.join("clients/zookeeper/pom.xml"))
            .arg("org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies")
            .arg(format!("-DoutputDirectory={}", jars.display()))
            .status();
        ensure!(fetched.context("cannot run Maven")?.success(), "Maven cannot fetch ZooKeeper");
        std::fs::write(jars.join("fetched"), "")?;
    }
    Ok(jars)
}

impl ZooKeeper {
    /// Ends with it.
    pub fn folder(&self) -> &Path {
        &self.data_dir
    }
}

impl Drop for ZooKeeper {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.data_dir);
    }
}
