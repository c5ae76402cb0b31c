//! A Parhelion of this checkout, built and started on a free port with an empty folder, for the tasks that
//! ask one, and a relay before it. Each ends with its value. Used by `compat`, `clients` and the random
//! requests, so that none of them needs a server that somebody started by hand, and two can run at once.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

pub struct Server {
    child: Child,
    data_dir: PathBuf,
    /// What was built.
    pub binary: PathBuf,
    /// Such as `http://127.0.0.1:40123/solr`.
    pub url: String,
}

impl Server {
    /// Builds the binary (in release when `release`), then starts it on data of its own below the target
    /// folder.
    pub fn start(root: &Path, name: &str, release: bool) -> Result<Self> {
        Self::start_with(root, name, release, &[])
    }

    /// The same, with more arguments.
    pub fn start_with(root: &Path, name: &str, release: bool, arguments: &[&OsStr]) -> Result<Self> {
        let binary = build(root, release)?;
        let data_dir = target_folder(root).join("xtask").join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&data_dir)
            .with_context(|| format!("cannot make `{}`", data_dir.display()))?;
        let child = Command::new(&binary)
            .args(["serve", "--port", "0", "--data-dir"])
            .arg(&data_dir)
            .arg("--configset-dir")
            .arg(root.join("configsets"))
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start `{}`", binary.display()))?;
        let mut server = Self { child, data_dir, binary, url: String::new() };
        server.url = read_url(&mut server.child)?;
        Ok(server)
    }
}

/// The binary of this checkout, in release when `release`.
pub fn build(root: &Path, release: bool) -> Result<PathBuf> {
    let mut build = crate::cargo::command(root);
    build.args(["build", "--quiet", "--package", "parhelion"]);
    if release {
        build.arg("--release");
    }
    ensure!(build.status().context("cannot run cargo")?.success(), "the binary does not build");
    Ok(target_folder(root).join(if release { "release" } else { "debug" }).join("parhelion"))
}

/// The first line that a server or relay prints names the address.
fn read_url(child: &mut Child) -> Result<String> {
    let stdout = child.stdout.take().context("standard output is not a pipe")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    match line.split_whitespace().nth(1) {
        Some(url) if url.starts_with("http://") => Ok(url.to_owned()),
        _ => bail!("it did not say where it listens: {line:?}"),
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.data_dir);
    }
}

/// `parhelion relay` on a free port.
pub struct Relay {
    child: Child,
    /// Such as `http://127.0.0.1:40124/solr`.
    pub url: String,
}

impl Relay {
    pub fn start(server: &Server) -> Result<Self> {
        let child = Command::new(&server.binary)
            .args(["relay", "--listen", "127.0.0.1:0", "--upstream", &server.url])
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start `{}`", server.binary.display()))?;
        let mut relay = Self { child, url: String::new() };
        relay.url = read_url(&mut relay.child)?;
        Ok(relay)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where cargo builds: `CARGO_TARGET_DIR`, or `target` in the checkout.
pub fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}
