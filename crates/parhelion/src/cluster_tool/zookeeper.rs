//! A ZooKeeper of the cluster's own: where Java and its jars come from, and how it is started. In: the
//! environment and the cluster's folder; out: a command, or a message that says what to install.
//!
//! Its paths are relative to its folder, which it is started in: a path of the user's may have what the
//! class path or its configuration would read otherwise, such as `:` or letters beyond Latin-1.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, bail, ensure};

use super::launch::last_lines;
use super::waiting::{BoundedWait, LOOK};

/// Where Debian and those that follow it put jars; ZooKeeper's names those that it needs.
const SYSTEM_JARS: &str = "/usr/share/java";
const POM: &str = include_str!("zookeeper.xml");
const COPY_JARS: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
/// For the log that Maven fetches and Debian has. Clients that leave without saying so are none of its
/// business, since each look at the cluster is one; nor that it cannot close one which asks while it starts.
const LOG_SETTINGS: [&str; 5] = [
    "defaultLogLevel=warn",
    "log.org.apache.zookeeper.server.ServerCnxn=off",
    "log.org.apache.zookeeper.server.NIOServerCnxn=error",
    "showDateTime=true",
    "dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
];
const OR_GIVEN: &str = "or name a ZooKeeper that runs with --zk HOST:PORT";

/// What runs a server.
#[derive(Debug, PartialEq, Eq)]
pub struct ZooKeeperProgram {
    java: PathBuf,
    class_path: String,
}

impl ZooKeeperProgram {
    /// Looks for it on this machine, and fetches what is missing into `folder`.
    pub async fn find(folder: &Path, wait: &mut BoundedWait) -> anyhow::Result<Self> {
        let [path, java_home, home] = ["PATH", "JAVA_HOME", "ZOOKEEPER_HOME"].map(std::env::var_os);
        let path = path.unwrap_or_default();
        let java = find_java(java_home.as_deref(), &path)?;
        let home = home.filter(|it| !it.is_empty()).map(PathBuf::from);
        let class_path = match find_jars(home.as_deref(), Path::new(SYSTEM_JARS))? {
            Some(found) => found,
            None => fetch_jars(folder, &path, wait).await?,
        };
        Ok(Self { java, class_path })
    }

    /// Writes its configuration into `folder`, which is to be there.
    pub fn command(&self, folder: &Path, port: u16) -> anyhow::Result<Command> {
        let lines = [
            "tickTime=2000".to_owned(),
            "dataDir=./data".to_owned(),
            format!("clientPort={port}"),
            "clientPortAddress=127.0.0.1".to_owned(),
            // All nodes and clients come from one address.
            "maxClientCnxns=0".to_owned(),
            "admin.enableServer=false".to_owned(),
            "4lw.commands.whitelist=srvr".to_owned(),
            "autopurge.purgeInterval=24".to_owned(),
        ];
        let config = folder.join("zoo.cfg");
        fs::write(&config, lines.join("\n") + "\n")
            .with_context(|| format!("cannot write `{}`", config.display()))?;
        let mut command = Command::new(&self.java);
        command
            .args(["-Xmx128m", "-XX:+UseSerialGC", "-Dzookeeper.jmx.log4j.disable=true"])
            .args(LOG_SETTINGS.map(|it| format!("-Dorg.slf4j.simpleLogger.{it}")))
            .args(["-cp", &self.class_path, "org.apache.zookeeper.server.quorum.QuorumPeerMain", "./zoo.cfg"])
            .current_dir(folder);
        Ok(command)
    }
}

fn find_java(home: Option<&OsStr>, path: &OsStr) -> anyhow::Result<PathBuf> {
    if let Some(home) = home.filter(|it| !it.is_empty()) {
        let java = Path::new(home).join("bin/java");
        ensure!(
            java.is_file(),
            "JAVA_HOME is `{}`, which has no bin/java; set it to a Java that is there, or unset it",
            home.display()
        );
        return Ok(java);
    }
    find_program("java", path).with_context(|| {
        format!(
            "ZooKeeper needs Java, and there is no `java` on the PATH; install one (Debian: `apt-get install \
             default-jre-headless`), set JAVA_HOME, {OR_GIVEN}"
        )
    })
}

fn find_program(name: &str, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// The class path of a ZooKeeper that is installed. Errors: a `ZOOKEEPER_HOME` that is none.
fn find_jars(home: Option<&Path>, system: &Path) -> anyhow::Result<Option<String>> {
    let has_jar = |folder: &Path| {
        let is_jar = |name: &str| name.starts_with("zookeeper-") && name.ends_with(".jar");
        let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.into_iter().any(|name| name.to_str().is_some_and(is_jar))
    };
    if let Some(home) = home {
        // Since 3.5 in `lib`, before beside it; what it logs stands in `conf`.
        let lib = home.join("lib");
        let jars =
            if has_jar(&lib) { Some(vec![lib]) } else { has_jar(home).then(|| vec![home.to_owned(), lib]) };
        let Some(jars) = jars else {
            bail!(
                "ZOOKEEPER_HOME is `{}`, which has no lib/zookeeper-*.jar; set it to an unpacked ZooKeeper, or \
                 unset it",
                home.display()
            );
        };
        let jars = jars.iter().map(|folder| format!("{}/*", folder.display()));
        return Ok(Some(jars.chain([home.join("conf").display().to_string()]).collect::<Vec<_>>().join(":")));
    }
    // Without the last it runs as well, and logs nothing.
    let system = ["zookeeper.jar", "slf4j-simple.jar"].map(|name| system.join(name));
    let [zookeeper, log] = &system;
    Ok(zookeeper.is_file().then(|| format!("{}:{}", zookeeper.display(), log.display())))
}

/// Out: the class path, as seen from `folder`.
async fn fetch_jars(folder: &Path, path: &OsStr, wait: &mut BoundedWait) -> anyhow::Result<String> {
    let class_path = "jars/*".to_owned();
    // Written when all are there: what broke off is fetched again.
    let (jars, fetched) = (folder.join("jars"), folder.join("jars/fetched"));
    if fs::read_to_string(&fetched).is_ok_and(|pom| pom == POM) {
        return Ok(class_path);
    }
    let maven = find_program("mvn", path).with_context(|| {
        format!(
            "there is no ZooKeeper on this machine, and no `mvn` on the PATH to fetch it; install either (Debian: \
             `apt-get install zookeeper`, or `maven`), set ZOOKEEPER_HOME to an unpacked one, {OR_GIVEN}"
        )
    })?;
    let (pom, log) = (folder.join("pom.xml"), folder.join("mvn.log"));
    let unwritten = || format!("cannot write to `{}`", folder.display());
    fs::create_dir_all(&jars).and_then(|()| fs::write(&pom, POM)).with_context(unwritten)?;
    let out = File::create(&log).with_context(unwritten)?;
    let mut command = Command::new(maven);
    command.args(["--batch-mode", "--file"]).arg(&pom).arg(COPY_JARS);
    command.arg(format!("-DoutputDirectory={}", jars.display()));
    command.stdin(Stdio::null()).stderr(out.try_clone().with_context(unwritten)?).stdout(out);
    let mut child = KilledOnDrop(command.spawn().context("cannot run `mvn`")?);
    let status = loop {
        if let Some(status) = child.0.try_wait()? {
            break status;
        }
        ensure!(
            !wait.is_over(),
            "Maven has not fetched ZooKeeper within {} s; see `{}`, raise the bound with --timeout, {OR_GIVEN}",
            wait.seconds(),
            log.display()
        );
        wait.tell("Maven to fetch ZooKeeper");
        tokio::time::sleep(LOOK).await;
    };
    ensure!(
        status.success(),
        "Maven cannot fetch ZooKeeper ({status}); install it (Debian: `apt-get install zookeeper`), {OR_GIVEN}; the \
         last lines of `{}`:\n{}",
        log.display(),
        last_lines(&log, 0)
    );
    fs::write(&fetched, POM).with_context(unwritten)?;
    Ok(class_path)
}

/// A command that is interrupted leaves no Maven behind.
struct KilledOnDrop(Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, name: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    #[test]
    fn java_is_that_of_its_home_or_of_the_path() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "jdk/bin/java");
        put(folder.path(), "bin/java");
        let [home, none] = ["jdk", "none"].map(|name| folder.path().join(name));
        let path = std::env::join_paths([&none, &folder.path().join("bin")]).unwrap();
        let find = |home: Option<&Path>, path: &OsStr| {
            find_java(home.map(Path::as_os_str), path).map_err(|error| error.to_string())
        };
        assert_eq!(find(Some(&home), &path), Ok(home.join("bin/java")));
        assert_eq!(find(None, &path), Ok(folder.path().join("bin/java")));
        assert_eq!(find(Some(Path::new("")), &path), Ok(folder.path().join("bin/java")));
        assert!(find(Some(&none), &path).unwrap_err().contains("JAVA_HOME is `"));
        let missing = find(None, none.as_os_str()).unwrap_err();
        assert!(missing.contains("apt-get install") && missing.contains("--zk HOST:PORT"), "{missing}");
    }

    #[test]
    fn jars_are_those_of_its_home_or_of_the_system() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        put(folder.path(), "new/lib/zookeeper-3.9.5.jar");
        put(folder.path(), "old/zookeeper-3.4.14.jar");
        put(folder.path(), "java/zookeeper.jar");
        let shown = |text: &str| text.replace('@', &folder.path().display().to_string());
        let check = |home: Option<&str>, system: &str, expected: Option<&str>| {
            let found = find_jars(home.map(at).as_deref(), &at(system)).unwrap();
            assert_eq!(found, expected.map(shown), "{home:?} {system}");
        };
        check(Some("new"), "java", Some("@/new/lib/*:@/new/conf"));
        check(Some("old"), "java", Some("@/old/*:@/old/lib/*:@/old/conf"));
        check(None, "java", Some("@/java/zookeeper.jar:@/java/slf4j-simple.jar"));
        check(None, "none", None);
        let refused = find_jars(Some(&at("none")), &at("java")).unwrap_err().to_string();
        assert!(refused.contains("ZOOKEEPER_HOME is `"), "{refused}");
    }

    #[tokio::test]
    async fn without_maven_it_is_said_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let mut wait = BoundedWait::new(std::time::Duration::ZERO);
        let refused = fetch_jars(folder.path(), folder.path().as_os_str(), &mut wait).await.unwrap_err();
        let refused = refused.to_string();
        assert!(
            ["mvn", "apt-get", "ZOOKEEPER_HOME", "--zk"].iter().all(|it| refused.contains(it)),
            "{refused}"
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn its_configuration_is_of_loopback_and_relative() {
        let folder = tempfile::tempdir().unwrap();
        let program = ZooKeeperProgram { java: "java".into(), class_path: "jars/*".to_owned() };
        let command = program.command(folder.path(), 9983).unwrap();
        assert_eq!(command.get_current_dir(), Some(folder.path()));
        let config = fs::read_to_string(folder.path().join("zoo.cfg")).unwrap();
        for line in ["clientPort=9983", "clientPortAddress=127.0.0.1", "dataDir=./data"] {
            assert!(config.lines().any(|it| it == line), "{config}");
        }
    }

    /// The suites' own names a log that says nothing.
    #[test]
    fn it_is_the_version_that_the_suites_run() {
        let suites = include_str!("../../../../clients/zookeeper/pom.xml");
        let version = |pom: &str| {
            let behind = pom.split_once("<artifactId>zookeeper</artifactId>").unwrap().1;
            behind.split_once("<version>").unwrap().1.split_once('<').unwrap().0.to_owned()
        };
        assert_eq!(version(POM), version(suites));
    }
}
