//! The `solrj` workload: documents of 1 KB through SolrJ's concurrent client, whose few requests stay open
//! and stream, into both servers in turn. One Java program feeds both, so that what it costs is the same; it
//! makes the documents before its clock starts and stops it when the commit is answered. What the collections
//! hold afterwards has to be what was sent.

use std::io::{BufRead as _, BufReader, Write as _};
use std::ops::Range;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use super::host::host;
use super::index::{Fed, Feed, index};
use super::record::{Run, Whose};
use super::setup::{Setup, finish, manifest};
use super::watch::Watch;
use crate::checksum::Checksum;
use crate::error::Error;
use crate::peer::{Project, cache};
use crate::side::Side;

const PROJECT: Project = Project {
    name: "solrj",
    files: &[
        ("pom.xml", include_str!("../../assets/solrj/pom.xml")),
        ("Feeder.java", include_str!("../../assets/solrj/Feeder.java")),
    ],
};

/// Fields that the documents have.
const FIELDS: [(&str, &str); 7] = [
    ("title_t", "text_general"),
    ("body_t", "text_general"),
    ("kind_s", "string"),
    ("stock_i", "pint"),
    ("price_d", "pdouble"),
    ("made_dt", "pdate"),
    ("new_b", "boolean"),
];

pub async fn run(setup: Setup, watch: Arc<dyn Watch>) -> Result<Run, Error> {
    let Setup { options, ours, peer, origin } = setup;
    let host = host();
    let noted = watch.clone();
    let built = tokio::task::spawn_blocking(move || PROJECT.build(&cache()?, &*noted));
    let built = built.await.map_err(|error| Error::Task(error.to_string()))??;
    let mut java = built.java();
    // A busy machine is no reason to give up.
    java.arg("-Dsolr.cloud.client.stallTime=600000");
    java.arg("Feeder").current_dir(&built.folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let child = java.spawn().map_err(|error| Error::Peer(format!("cannot run `java`: {error}")))?;
    let threads = options.connections.last().copied().unwrap_or(1);
    let feeder = Feeder { program: Program::of(child)?, docs: options.docs, threads, seed: options.seed };
    let feed: Arc<dyn Feed> = Arc::new(feeder);
    let indexed = index([Some(&ours), peer.as_ref()], &feed, (options.pairs, options.seed), &watch).await?;
    let checksum = Some(indexed.checksum);
    let manifest = manifest(options, origin, host, checksum, [Some(&ours), peer.as_ref()]).await;
    Ok(finish(manifest, Some(indexed), Vec::new(), Vec::new(), &[]))
}

/// The Java program, and what it is asked for.
struct Feeder {
    program: Mutex<Program>,
    docs: u64,
    threads: usize,
    seed: u64,
}

struct Program {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Program {
    fn of(mut child: Child) -> Result<Mutex<Self>, Error> {
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (orders, answers) = pipes.ok_or_else(|| Error::Peer("`java` has no pipes".to_owned()))?;
        Ok(Mutex::new(Self { child, orders, answers: BufReader::new(answers) }))
    }

    fn order(&mut self, order: &str) -> std::io::Result<String> {
        writeln!(self.orders, "{order}")?;
        self.orders.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Feed for Feeder {
    fn docs(&self) -> u64 {
        self.docs
    }

    fn configset(&self) -> &'static str {
        "_default"
    }

    fn fields(&self) -> &'static [(&'static str, &'static str)] {
        &FIELDS
    }

    fn feed(
        &self,
        (_, side): (Whose, &Side),
        part: Range<u64>,
        mut checksum: Checksum,
    ) -> Result<Fed, Error> {
        let url = format!("http://{}/solr/{}", side.url().authority(), side.collection);
        let order = format!("{url} {} {} {} {}", part.start, part.end, self.threads, self.seed);
        let answer = self.program.lock().unwrap_or_else(PoisonError::into_inner).order(&order);
        let answer = answer.map_err(|error| Error::Peer(format!("the program in Java ended: {error}")))?;
        let answer = Answered::parse(&answer)
            .ok_or_else(|| Error::Peer(format!("feeding {url} failed; the program in Java says why")))?;
        if answer.found != part.end {
            let (found, sent) = (answer.found, part.end);
            return Err(Error::Peer(format!("{url} holds {found} documents of {sent} that were sent")));
        }
        checksum.add(answer.sum.as_bytes());
        Ok(Fed { checksum, seconds: answer.seconds, generator_cpu_seconds: Some(answer.cpu_seconds) })
    }
}

/// A line of the program.
#[derive(Debug, PartialEq)]
struct Answered {
    seconds: f64,
    found: u64,
    cpu_seconds: f64,
    sum: String,
}

impl Answered {
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        Some(Self {
            seconds: words.next()?.parse().ok()?,
            found: words.next()?.parse().ok()?,
            cpu_seconds: words.next()?.parse().ok()?,
            sum: words.next()?.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let check = |line: &str, found: Option<u64>| {
            assert_eq!(Answered::parse(line).map(|answer| answer.found), found, "{line}");
        };
        check("1.5 1000 0.7 3735928559\n", Some(1000));
        check("1.5 1000 0.7", None);
        check("", None);
        check("Exception in thread", None);
    }
}
