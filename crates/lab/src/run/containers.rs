//! The `containers` workload, after Ahouansou's comparison of Java REST containers: an empty answer and a
//! constant JSON one, from our server and from Tomcat, Jetty, Grizzly and Undertow, each started in turn as a
//! small program of its own. What they answer is equal to the byte, else the case is void; heads differ by
//! what each server adds.

use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use client::SolrUrl;

use super::host::host;
use super::measure::{Contender, Method, measure};
use super::options::RunOptions;
use super::record::{Agreement, CaseRecord, Run};
use super::setup::{Setup, finish, manifest};
use super::watch::Watch;
use crate::error::Error;
use crate::load::{Connection, Habit, Processes, Requests, Shape, get, get_as};
use crate::peer::{Built, Project, cache, write};
use crate::side::Side;
use crate::workload::{Claim, ClaimTest};

const PROJECT: Project = Project {
    name: "containers",
    files: &[
        ("pom.xml", include_str!("../../assets/containers/pom.xml")),
        ("Endpoints.java", include_str!("../../assets/containers/Endpoints.java")),
        ("TomcatMain.java", include_str!("../../assets/containers/TomcatMain.java")),
        ("JettyMain.java", include_str!("../../assets/containers/JettyMain.java")),
        ("GrizzlyMain.java", include_str!("../../assets/containers/GrizzlyMain.java")),
        ("UndertowMain.java", include_str!("../../assets/containers/UndertowMain.java")),
    ],
};

const CONTAINERS: [&str; 4] = ["Tomcat", "Jetty", "Grizzly", "Undertow"];
/// Served at `/json` when there is no endpoint of ours to equal.
const JSON: &[u8] = b"{\"status\":\"OK\"}";
const JSON_TYPE: &str = "application/json;charset=utf-8";
const START_MAX: Duration = Duration::from_secs(60);

/// One thing that all servers answer.
struct Endpoint {
    name: &'static str,
    /// On the containers.
    path: &'static str,
    /// On our server.
    ours: Option<String>,
    body: Vec<u8>,
}

pub async fn run(setup: Setup, watch: Arc<dyn Watch>) -> Result<Run, Error> {
    let Setup { options, ours, origin, .. } = setup;
    let host = host();
    let (timed_options, side, cores) = (options.clone(), ours.clone(), host.cores);
    let timed = tokio::task::spawn_blocking(move || time_all(&timed_options, &side, cores, &*watch));
    let cases = timed.await.map_err(|error| Error::Task(error.to_string()))??;
    let measured = options.paths.noop.is_some() || options.paths.json.is_some();
    let manifest = manifest(options, origin, host, None, [Some(&ours).filter(|_| measured), None]).await;
    Ok(finish(manifest, None, cases, Vec::new(), &claims()))
}

fn claims() -> Vec<Claim> {
    let then =
        "containers (Ahouansou): Grizzly 27,654 requests/s at 128 users; ahead of all four in the same run"
            .to_owned();
    vec![Claim { then, test: ClaimTest::AheadEverywhere }]
}

fn time_all(
    options: &RunOptions,
    ours: &Side,
    cores: usize,
    watch: &dyn Watch,
) -> Result<Vec<CaseRecord>, Error> {
    let cache = cache()?;
    let built = PROJECT.build(&cache, watch)?;
    let endpoints = endpoints(options, ours)?;
    let json = &endpoints[1].body;
    let body_file = built.folder.join("body.json");
    write(&body_file, &String::from_utf8_lossy(json))?;
    let method = Method::of(options, cores);
    let mut cases = Vec::new();
    for container in CONTAINERS {
        let wanted: Vec<&Endpoint> =
            endpoints.iter().filter(|endpoint| options.wants(&name(endpoint, container))).collect();
        if wanted.is_empty() {
            continue;
        }
        watch.note(&format!("timing {container}"));
        let running = Container::start(&built, container)?;
        for endpoint in wanted {
            cases.push(case(options, ours, endpoint, &running, &method)?);
        }
    }
    Ok(cases)
}

/// The empty answer and the constant one, with the bytes that ours gives where it has such an endpoint.
fn endpoints(options: &RunOptions, ours: &Side) -> Result<[Endpoint; 2], Error> {
    let (noop, json) = (options.paths.noop.clone(), options.paths.json.clone());
    let body = match &json {
        Some(path) => constant(ours, path)?,
        None => JSON.to_vec(),
    };
    Ok([
        Endpoint { name: "noop", path: "/noop", ours: noop, body: Vec::new() },
        Endpoint { name: "json", path: "/json", ours: json, body },
    ])
}

/// What ours answers at `path`, which must not change from one request to the next.
fn constant(ours: &Side, path: &str) -> Result<Vec<u8>, Error> {
    let authority = ours.url().authority();
    let wrong = |reason: String| Error::Load { url: format!("{authority}{path}"), reason };
    let first = ask(authority, path).map_err(wrong)?;
    let second = ask(authority, path).map_err(wrong)?;
    if first != second {
        return Err(wrong("its answer changes from one request to the next; name a constant one".to_owned()));
    }
    Ok(first)
}

fn ask(authority: &str, path: &str) -> Result<Vec<u8>, String> {
    let mut connection = Connection::open(authority).map_err(|error| error.to_string())?;
    let answer = connection.exchange(&get(authority, path)).map_err(|error| error.to_string())?;
    match answer.status {
        200 => Ok(answer.body.to_vec()),
        status => Err(format!("status {status}")),
    }
}

fn case(
    options: &RunOptions,
    ours: &Side,
    endpoint: &Endpoint,
    container: &Container,
    method: &Method,
) -> Result<CaseRecord, Error> {
    let authority = container.side.url().authority();
    let our_requests = endpoint.ours.as_ref().map(|path| Requests::new(vec![get_as(ours.url(), path)]));
    let requests = Requests::new(vec![get(authority, endpoint.path)]);
    let agreement = agree(ours, endpoint, authority);
    let mut arms = Vec::new();
    if matches!(agreement, Agreement::Equal { .. }) {
        let habit = Habit::KeptAlive;
        let our = our_requests.as_ref().map(|requests| Contender { side: ours, requests, habit });
        let their = Contender { side: &container.side, requests: &requests, habit };
        for connections in &options.connections {
            arms.push(measure(our, Some(their), Shape::Closed { connections: *connections }, method)?);
        }
    }
    let ours = endpoint.ours.as_deref().unwrap_or("no endpoint of ours");
    Ok(CaseRecord {
        name: name(endpoint, container.name),
        about: format!("{ours} against {} of {}", endpoint.path, container.name),
        hits: None,
        questions: 1,
        agreement,
        arms,
    })
}

fn agree(ours: &Side, endpoint: &Endpoint, authority: &str) -> Agreement {
    let mut asked = vec![(authority, endpoint.path)];
    asked.extend(endpoint.ours.as_deref().map(|path| (ours.url().authority(), path)));
    for (authority, path) in asked {
        match ask(authority, path) {
            Ok(body) if body == endpoint.body => {}
            Ok(body) => {
                let (found, expected) = (body.len(), endpoint.body.len());
                let reason = format!(
                    "{authority}{path} answers {found} bytes that differ from the {expected} agreed on"
                );
                return Agreement::Void { reason };
            }
            Err(reason) => return Agreement::Void { reason: format!("{authority}{path}: {reason}") },
        }
    }
    Agreement::Equal { questions: 1, hits: true }
}

fn name(endpoint: &Endpoint, container: &str) -> String {
    format!("{}-{}", endpoint.name, container.to_lowercase())
}

/// A container that runs for as long as this lives.
struct Container {
    name: &'static str,
    side: Side,
    child: Child,
}

impl Container {
    fn start(built: &Built, name: &'static str) -> Result<Self, Error> {
        let port = free_port().map_err(|error| Error::Peer(format!("no free port: {error}")))?;
        let mut java = built.java();
        java.arg(format!("-Dlab.port={port}"))
            .arg("-Dlab.json=body.json")
            .arg(format!("-Dlab.type={JSON_TYPE}"))
            .arg(format!("{name}Main"))
            .current_dir(&built.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = java.spawn().map_err(|error| Error::Peer(format!("cannot run `java`: {error}")))?;
        let url: SolrUrl = format!("http://127.0.0.1:{port}/").parse()?;
        let mut side = Side::new(url, "");
        side.processes = Processes::new(vec![child.id()]);
        let mut container = Self { name, side, child };
        container.answering()?;
        Ok(container)
    }

    fn answering(&mut self) -> Result<(), Error> {
        let started = Instant::now();
        while ask(self.side.url().authority(), "/noop").is_err() {
            let ended = self.child.try_wait().ok().flatten().is_some();
            if ended || started.elapsed() > START_MAX {
                return Err(Error::Peer(format!(
                    "{} did not start; run its main class by hand to see why",
                    self.name
                )));
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;

    /// Gives each of `bodies` to one connection.
    fn serving(bodies: &'static [&'static str]) -> Side {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = listener.local_addr().unwrap().to_string().parse().unwrap();
        thread::spawn(move || {
            for body in bodies {
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.read(&mut [0; 1024]).unwrap();
                write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
            }
        });
        Side::new(url, "")
    }

    #[test]
    fn only_a_constant_answer_can_be_equalled() {
        assert_eq!(constant(&serving(&["same", "same"]), "/x").unwrap(), b"same");
        let error = constant(&serving(&["one", "two"]), "/x").unwrap_err().to_string();
        assert!(error.contains("changes from one request to the next"), "{error}");
    }

    #[test]
    fn other_bytes_void_the_case() {
        let side = serving(&["same", "other"]);
        let endpoint = Endpoint { name: "json", path: "/json", ours: None, body: b"same".to_vec() };
        let authority = side.url().authority();
        assert_eq!(agree(&side, &endpoint, authority), Agreement::Equal { questions: 1, hits: true });
        let Agreement::Void { reason } = agree(&side, &endpoint, authority) else {
            panic!("other bytes agree")
        };
        assert!(reason.ends_with("/json answers 5 bytes that differ from the 4 agreed on"), "{reason}");
    }
}
