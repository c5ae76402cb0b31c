//! A small Java project of ours: written to the cache folder, its libraries fetched from Maven Central by
//! their coordinates, its sources compiled. A machine needs a JDK (17 or newer) and Maven, nothing else; what
//! is built once is found again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::checksum::Checksum;
use crate::error::Error;
use crate::run::Watch;

/// The plugin that copies libraries, pinned so that a run today builds as one next year.
const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";

pub struct Project {
    pub name: &'static str,
    /// Name and content; one is `pom.xml`.
    pub files: &'static [(&'static str, &'static str)],
}

/// A project that is ready to run.
#[derive(Clone, Debug)]
pub struct Built {
    pub folder: PathBuf,
    java: PathBuf,
    /// The Java release, such as 21.
    pub release: u32,
}

impl Project {
    /// Builds below `cache`, in a folder named by its contents, unless that was done before.
    pub fn build(&self, cache: &Path, watch: &dyn Watch) -> Result<Built, Error> {
        let java = tool("java");
        let release = release(&java)?;
        let folder = cache.join(format!("{}-{}", self.name, self.checksum()));
        let stamp = folder.join(format!("built-{release}"));
        if !stamp.exists() {
            self.unpack(&folder)?;
            watch.note(&format!("fetching the libraries of {} from Maven Central (first use)", self.name));
            self.fetch(&folder)?;
            self.compile(&folder)?;
            write(&stamp, "")?;
        }
        Ok(Built { folder, java, release })
    }

    fn checksum(&self) -> Checksum {
        let mut sum = Checksum::default();
        for (name, content) in self.files {
            sum.add(name.as_bytes());
            sum.add(content.as_bytes());
        }
        sum
    }

    fn unpack(&self, folder: &Path) -> Result<(), Error> {
        fs::create_dir_all(folder)
            .map_err(|source| Error::File { path: folder.display().to_string(), source })?;
        self.files.iter().try_for_each(|(name, content)| write(&folder.join(name), content))
    }

    fn fetch(&self, folder: &Path) -> Result<(), Error> {
        let mut maven = Command::new("mvn");
        maven
            .args(["-q", "-B", COPY, "-DincludeScope=runtime", "-DoutputDirectory=jars"])
            .current_dir(folder);
        succeed(maven, "install Maven, and see that Maven Central can be reached")
    }

    fn compile(&self, folder: &Path) -> Result<(), Error> {
        let sources = self.files.iter().map(|(name, _)| *name).filter(|name| name.ends_with(".java"));
        let mut compiler = Command::new(tool("javac"));
        compiler
            .args(["-nowarn", "-proc:none", "-cp", "jars/*", "-d", "classes"])
            .args(sources)
            .current_dir(folder);
        succeed(compiler, "install a JDK (17 or newer), or set JAVA_HOME to one")
    }
}

impl Built {
    /// `java` with the project's classes and libraries; options and the main class are the caller's to add.
    pub fn java(&self) -> Command {
        let mut command = Command::new(&self.java);
        let classes = self.folder.join("classes").display().to_string();
        command.args(["-cp", &format!("{classes}:{}", self.folder.join("jars/*").display())]);
        command
    }
}

/// A program of the JDK that JAVA_HOME names, else the one on the path.
fn tool(name: &str) -> PathBuf {
    match std::env::var_os("JAVA_HOME") {
        Some(home) => Path::new(&home).join("bin").join(name),
        None => PathBuf::from(name),
    }
}

fn release(java: &Path) -> Result<u32, Error> {
    let output = Command::new(java).arg("-version").stdin(Stdio::null()).output();
    let output = output
        .map_err(|error| Error::Peer(format!("cannot run `java` ({error}); install a JDK, 17 or newer")))?;
    let text = String::from_utf8_lossy(&output.stderr);
    parse_release(&text).filter(|release| *release >= 17).ok_or_else(|| {
        let found = text.lines().next().unwrap_or("no version").to_owned();
        Error::Peer(format!("`java` is too old or unknown ({found}); set JAVA_HOME to a JDK, 17 or newer"))
    })
}

/// From `openjdk version "21.0.2" …`.
fn parse_release(text: &str) -> Option<u32> {
    let version = text.split('"').nth(1)?;
    version.split(['.', '-', '+']).next()?.parse().ok()
}

fn succeed(mut command: Command, advice: &str) -> Result<(), Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output =
        output.map_err(|error| Error::Peer(format!("cannot run `{program}` ({error}); {advice}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let first =
        said.lines().find(|line| line.contains("ERROR") || line.contains("error")).unwrap_or_default();
    Err(Error::Peer(format!("`{program}` failed ({}): {}; {advice}", output.status, first.trim())))
}

/// Writes a file; the error names it.
pub fn write(path: &Path, content: &str) -> Result<(), Error> {
    fs::write(path, content).map_err(|source| Error::File { path: path.display().to_string(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_tells_its_release() {
        let check = |text: &str, expected| assert_eq!(parse_release(text), expected, "{text}");
        check("openjdk version \"17.0.15\" 2025-04-15\nmore", Some(17));
        check("openjdk version \"25\" 2025-09-16", Some(25));
        check("java version \"1.8.0_392\"", Some(1));
        check("openjdk version \"26-ea\" 2026-03-17", Some(26));
        check("command not found", None);
    }

    #[test]
    fn failures_say_what_to_do() {
        let error = succeed(Command::new("no-such-program"), "install it").unwrap_err().to_string();
        assert!(
            error.starts_with("cannot run `no-such-program` (") && error.ends_with("; install it"),
            "{error}"
        );
        let error = succeed(Command::new("false"), "look").unwrap_err().to_string();
        assert!(error.starts_with("`false` failed (exit status: 1)"), "{error}");
    }
}
