//! Solr's own clients against a node of this checkout, those of searches and updates also against a
//! collection of several shards and through another node than the one that has the collection, one of them
//! also through a relay before it, and other people's measures
//! beside ours: the suites below `clients/`, with what they need from their registries installed below the
//! target folder.
//!
//! A machine without Python or Maven skips that suite and says so, unless `CI` is set: there a missing tool
//! is a failure.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use crate::server::{Relay, Server, target_folder};
use crate::zookeeper::ZooKeeper;

const CORE: &str = "clients";
/// A collection of as many shards as make a difference to who believes that there is one.
const SHARDED: &str = "clients_sharded";
const SHARDS: usize = 3;
/// A collection that another node has than the one that is asked.
const MEMBERS: &str = "clients_members";
const MEMBERS_SUITES: [&str; 2] = ["pysolr over members", "SolrJ 9 over members"];

/// (name, folder below `clients/`, what it needs). The measures come with trec_eval for what trec_eval
/// measures.
const PYTHON_SUITES: [(&str, &str, &[&str]); 4] = [
    ("pysolr", RELAYED.0, RELAYED.1),
    ("javapyn", "javapyn", &["javapyn==0.2.0"]),
    ("schemathesis", "schemathesis", &["schemathesis==4.32.5", "openapi-spec-validator==0.9.0"]),
    ("ir-measures", "ir_measures", &["ir-measures==0.4.3", "pytrec_eval-terrier==0.5.11"]),
];

/// The suite that runs a second time, through `parhelion relay`: its client knows nothing of that.
const RELAYED: (&str, &[&str]) = ("pysolr", &["pysolr==3.11.0", "kazoo==2.11.0"]);

/// (name, folder below `clients/`): one for each generation of Solr's own client.
const SOLRJ_SUITES: [(&str, &str); 2] = [("SolrJ 9", "solrj"), ("SolrJ 10", "solrj10")];

/// The Python suites that run over shards too: the others measure or read what a collection has no part in.
const SHARDED_PYTHON_SUITES: [(&str, &str, &[&str]); 2] =
    [("pysolr over shards", RELAYED.0, RELAYED.1), ("javapyn over shards", "javapyn", PYTHON_SUITES[1].2)];
const SHARDED_SOLRJ_SUITES: [(&str, &str); 2] =
    [("SolrJ 9 over shards", SOLRJ_SUITES[0].1), ("SolrJ 10 over shards", SOLRJ_SUITES[1].1)];

/// What became of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    /// With the tool that is missing.
    Skipped(&'static str),
}

/// (suite, outcome) of each.
pub fn run(root: &Path) -> Result<Vec<(&'static str, Outcome)>> {
    let zookeeper = ZooKeeper::wanted(root)?;
    let place = zookeeper.as_ref().map(|it| format!("{}/{CORE}", it.address)).unwrap_or_default();
    let shown = zookeeper.iter().flat_map(|it| {
        let credentials = [OsStr::new("--zk-credentials"), it.credentials.as_os_str()];
        [OsStr::new("--zk"), OsStr::new(&place)].into_iter().chain(credentials)
    });
    let server = Server::start_with(root, "clients", false, &shown.collect::<Vec<_>>())?;
    let at = |url: &str, collection: &'static str| SuiteTarget {
        url: url.to_owned(),
        owner: url.to_owned(),
        zookeeper: place.clone(),
        collection,
    };
    create(&server.url, &format!("cores?action=CREATE&name={CORE}&configSet=_default"))?;
    create(&server.url, &format!("collections?action=CREATE&name={SHARDED}&numShards={SHARDS}"))?;
    let mut outcomes = Vec::new();
    for (collection, suites) in [(CORE, &PYTHON_SUITES[..]), (SHARDED, &SHARDED_PYTHON_SUITES[..])] {
        for (name, folder, packages) in suites {
            let suite = || python(root, &server.binary, &at(&server.url, collection), (folder, packages));
            outcomes.push((*name, guarded("python3", suite)?));
        }
    }
    let relay = Relay::start(&server)?;
    let suite = || python(root, &server.binary, &at(&relay.url, CORE), RELAYED);
    outcomes.push(("pysolr through the relay", guarded("python3", suite)?));
    for (collection, suites) in [(CORE, &SOLRJ_SUITES), (SHARDED, &SHARDED_SOLRJ_SUITES)] {
        for (name, folder) in suites {
            outcomes.push((*name, guarded("mvn", || solrj(root, &at(&server.url, collection), folder))?));
        }
    }
    drop(server);
    match &zookeeper {
        Some(zookeeper) => outcomes.extend(over_members(root, zookeeper)?),
        None => outcomes.extend(MEMBERS_SUITES.map(|name| (name, Outcome::Skipped("java")))),
    }
    Ok(outcomes)
}

/// Two nodes share a store: the one that is asked is not the one that has the collection.
fn over_members(root: &Path, zookeeper: &ZooKeeper) -> Result<Vec<(&'static str, Outcome)>> {
    let place = format!("{}/{MEMBERS}", zookeeper.address);
    let store = format!("file://{}", zookeeper.folder().join("store").display());
    let arguments = ["--zk", &place, "--store", &store, "--zk-credentials"].map(OsStr::new);
    let arguments: Vec<&OsStr> = arguments.into_iter().chain([zookeeper.credentials.as_os_str()]).collect();
    let owner = Server::start_with(root, "clients-owner", false, &arguments)?;
    create(&owner.url, &format!("collections?action=CREATE&name={MEMBERS}&numShards=2"))?;
    let asked = Server::start_with(root, "clients-asked", false, &arguments)?;
    let at = SuiteTarget {
        url: asked.url.clone(),
        owner: owner.url.clone(),
        zookeeper: place.clone(),
        collection: MEMBERS,
    };
    let [of_python, of_java] = MEMBERS_SUITES;
    let python_suite = || python(root, &asked.binary, &at, RELAYED);
    let java_suite = || solrj(root, &at, SOLRJ_SUITES[0].1);
    Ok(vec![(of_python, guarded("python3", python_suite)?), (of_java, guarded("mvn", java_suite)?)])
}

/// What a suite asks.
struct SuiteTarget {
    url: String,
    /// The node that has the collection.
    owner: String,
    /// With the chroot; empty where there is none.
    zookeeper: String,
    collection: &'static str,
}

impl ZooKeeper {
    /// Where clients look for nodes, if what runs it is here.
    fn wanted(root: &Path) -> Result<Option<Self>> {
        match is_present("java")? && is_present("mvn")? {
            true => Self::start(root).map(Some),
            false => Ok(None),
        }
    }
}

/// Runs a suite when its tool is there.
fn guarded(tool: &'static str, suite: impl FnOnce() -> Result<bool>) -> Result<Outcome> {
    if !is_present(tool)? {
        return Ok(Outcome::Skipped(tool));
    }
    Ok(if suite()? { Outcome::Passed } else { Outcome::Failed })
}

/// Errors: where `CI` is set and it is not.
pub fn is_present(tool: &str) -> Result<bool> {
    let is_present = present(tool);
    ensure!(
        is_present || std::env::var_os("CI").is_none(),
        "`{tool}` is not installed, and CI must not skip its suite"
    );
    Ok(is_present)
}

fn present(tool: &str) -> bool {
    let probe = Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    probe.is_ok_and(|status| status.success())
}

/// `what` is a path below the administration's.
fn create(url: &str, what: &str) -> Result<()> {
    let answer = minreq::get(format!("{url}/admin/{what}")).send().context("the server does not answer")?;
    if answer.status_code != 200 {
        bail!("cannot create the collection: {}", answer.as_str().unwrap_or_default());
    }
    Ok(())
}

/// Runs the Python suite in a folder below `clients/` against a collection at the URL, in an environment that
/// has the packages.
fn python(
    root: &Path,
    binary: &Path,
    asked: &SuiteTarget,
    (folder, packages): (&str, &[&str]),
) -> Result<bool> {
    let environment = target_folder(root).join("clients").join("python");
    let python = environment.join("bin").join("python");
    if !python.exists() {
        command("python3").args(["-m", "venv"]).arg(&environment).status().context("cannot run python3")?;
    }
    let install = command(&python).args(["-m", "pip", "install", "--quiet"]).args(packages).status();
    ensure!(install.context("cannot run pip")?.success(), "pip cannot install {}", packages.join(" "));
    let suite = command(&python)
        .args(["-m", "unittest", "discover", "-s"])
        .arg(root.join("clients").join(folder))
        .envs([("SOLR_URL", &*asked.url), ("SOLR_CORE", asked.collection), ("SOLR_ZK", &asked.zookeeper)])
        .env("SOLR_OWNER", &asked.owner)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PARHELION", binary)
        .status();
    Ok(suite.context("cannot run the suite")?.success())
}

fn solrj(root: &Path, asked: &SuiteTarget, folder: &str) -> Result<bool> {
    let suite = command("mvn")
        .args(["--quiet", "--batch-mode", "--file"])
        .arg(root.join("clients").join(folder).join("pom.xml"))
        .args(["test", &format!("-Dsolr.url={}", asked.url), &format!("-Dsolr.core={}", asked.collection)])
        .arg(format!("-Dsolr.zk={}", asked.zookeeper))
        .arg(format!("-Dsolr.owner={}", asked.owner))
        .status();
    Ok(suite.context("cannot run Maven")?.success())
}

fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(program)
}
