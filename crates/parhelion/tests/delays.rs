//! Delays that are injected into a real server, and whom it blames: a client that stops in the middle of its
//! request, a disk that stands still, processors that others have. The slow log must lay nine tenths of each
//! to the right phase and cause; what is stuck must be reported by the server itself, in the doctor's words.
//!
//! A delay is a lower bound by its nature, and is measured from when the server was seen in it: a busy
//! machine adds to both sides, or to neither.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr, reason = "what could not be tested here is said, never silent")]

#[allow(dead_code, reason = "each test file uses its own part")]
mod support;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_setaffinity};
use serde_json::{Value, json};
use support::{Blocking, Server};

/// How long a client or a disk stands still.
const DELAY: Duration = Duration::from_millis(600);
/// Of an injected delay.
const SHARE_MIN: f64 = 0.9;

/// The last request of this path that took as long. Waited for: an answer is there before its line is.
fn slow(client: &Blocking, path: &str, longer_than: Duration) -> Value {
    let of =
        |request: &&Value| request["path"] == path && ms(&request["time"]) >= longer_than.as_secs_f64() * 1e3;
    eventually(|| client.json("admin/slow", &[])["requests"].as_array()?.iter().find(of).cloned())
}

fn ms(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

/// At least nine tenths of what was injected, and in the first words of the diagnosis.
fn blamed(request: &Value, attributed_ms: f64, injected: Duration, words: &str) {
    let injected_ms = injected.as_secs_f64() * 1e3;
    assert!(attributed_ms >= SHARE_MIN * injected_ms, "{attributed_ms} of {injected_ms} ms: {request}");
    let why = request["why"].as_str().unwrap();
    assert!(why.split("; ").next().unwrap().contains(words), "{request}");
    eprintln!("injected {injected_ms:.0} ms, attributed {attributed_ms:.0} ms: {why}");
}

#[test]
fn a_client_that_stops_in_its_request() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start_with(data.path(), &["--slow-ms", "100"]);
    let client = server.client();
    client.create_collection("films", 1);
    let authority = server.url.trim_start_matches("http://").trim_end_matches("/solr");
    let mut stream = TcpStream::connect(authority).unwrap();
    let body = r#"[{"id":"1"},{"id":"2"}]"#;
    let (first, rest) = body.split_at(8);
    let length = body.len();
    let head = format!(
        "POST /solr/films/update HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    // It asks for the rest when it begins to read.
    let asked = "HTTP/1.1 100 Continue\r\n\r\n";
    let mut interim = vec![0; asked.len()];
    stream.read_exact(&mut interim).unwrap();
    assert_eq!(String::from_utf8_lossy(&interim), asked);
    let began = Instant::now();
    stream.write_all(first.as_bytes()).unwrap();
    thread::sleep(DELAY);
    let injected = began.elapsed();
    stream.write_all(rest.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let request = slow(&client, "/solr/films/update", injected);
    blamed(&request, ms(&request["phases"]["read"]["time"]), injected, "for the client to send its request");
}

/// A small ext4 in a file that can stand still, as when a volume's snapshot is made.
struct Disk {
    folder: PathBuf,
    frozen: AtomicBool,
    _image: tempfile::TempDir,
}

impl Disk {
    /// `None` where this may not mount.
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().ok()?;
        let (image, mount_point) = (folder.path().join("image"), folder.path().join("disk"));
        std::fs::File::create(&image).and_then(|file| file.set_len(512 << 20)).ok()?;
        std::fs::create_dir(&mount_point).ok()?;
        run("mkfs.ext4", &["-q", image.to_str()?])?;
        run("mount", &["-o", "loop", image.to_str()?, mount_point.to_str()?])?;
        Some(Self { folder: mount_point, frozen: AtomicBool::new(false), _image: folder })
    }

    fn stand_still(&self) {
        self.frozen.store(true, Ordering::Relaxed);
        run("fsfreeze", &["-f", self.folder.to_str().unwrap()]).expect("it can be frozen");
    }

    fn go_on(&self) {
        if self.frozen.swap(false, Ordering::Relaxed) {
            run("fsfreeze", &["-u", self.folder.to_str().unwrap()]).expect("it can be thawed");
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.go_on();
        let _ = run("umount", &["-l", self.folder.to_str().unwrap_or_default()]);
    }
}

fn run(program: &str, arguments: &[&str]) -> Option<()> {
    let done = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    done.ok()?.success().then_some(())
}

fn update(url: &str, id: usize) {
    let client = Blocking::new(url);
    let answer = client.post_json("films/update", &[], json!([{ "id": id.to_string() }]).to_string());
    answer.and_then(client::Response::ok).expect("it is taken");
}

#[test]
fn a_disk_that_stands_still() {
    let Some(disk) = Disk::mount() else {
        return eprintln!("not tested: a disk that stands still needs root, a loop device and mkfs.ext4");
    };
    let server = Server::start_with(&disk.folder, &["--slow-ms", "100"]);
    let client = server.client();
    client.create_collection("films", 1);
    update(&server.url, 0);
    disk.stand_still();
    thread::scope(|scope| {
        scope.spawn(|| update(&server.url, 1));
        eventually(|| waits_for_disk(&server).then_some(()));
        let began = Instant::now();
        thread::sleep(DELAY);
        let injected = began.elapsed();
        disk.go_on();
        // From here on it can only become longer.
        let request = slow(&client, "/solr/films/update", injected);
        blamed(&request, ms(&request["phases"]["sync"]["time"]), injected, "for the log's sync");
    });

    let before = signs(&client);
    assert_eq!(before, [""; 0], "nothing is stuck yet");
    disk.stand_still();
    thread::scope(|scope| {
        scope.spawn(|| update(&server.url, 2));
        let health = eventually(|| {
            let health = client.json("admin/info/health", &[]);
            (!health["signs"].is_null()).then_some(health)
        });
        let sign = &health["signs"][0];
        assert_eq!(
            (&health["status"], &sign["name"], &sign["collection"]),
            (&json!("OK"), &json!("log-stuck"), &json!("films"))
        );
        assert!(sign["forMs"].as_u64().is_some_and(|ms| ms >= 2000), "{sign}");
        let doctor = sign["doctor"].as_str().unwrap_or_default();
        assert!(doctor.contains("waits since") && doctor.contains("no signal wakes it"), "{sign}");
        eprintln!("{}\n  {doctor}", sign["seen"].as_str().unwrap());
        let metrics = client.json("admin/metrics", &[("group", "node"), ("prefix", "CONTAINER.watch")]);
        let metrics = &metrics["metrics"]["solr.node"];
        assert_eq!(
            (&metrics["CONTAINER.watch.logsStuck"], &metrics["CONTAINER.watch.locksHeld"]),
            (&json!(1), &json!(0))
        );
        let log = client.json("admin/info/logging", &[("since", "0")]).to_string();
        assert!(log.contains("parhelion::watch") && log.contains("no signal wakes it"), "{log}");
        disk.go_on();
    });
    eventually(|| signs(&client).is_empty().then_some(()));
}

/// Whether a thread of it is in state D, which no signal ends.
fn waits_for_disk(server: &Server) -> bool {
    let is_in_disk = |thread: Pid| {
        let path = format!("/proc/{}/task/{}/stat", server.pid(), thread.as_raw_nonzero());
        let stat = std::fs::read_to_string(path).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('D'))
    };
    threads(server).into_iter().any(is_in_disk)
}

fn signs(client: &Blocking) -> Vec<String> {
    let health = client.json("admin/info/health", &[]);
    let signs = health["signs"].as_array().into_iter().flatten();
    signs.filter_map(|sign| Some(sign["name"].as_str()?.to_owned())).collect()
}

/// What is there in the end, asked for again and again for a minute at most.
fn eventually<T>(look: impl Fn() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "it does not come");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Threads that only compute, on one processor, until they are dropped.
fn beside_hogs<T>(processor: usize, work: impl FnOnce() -> T) -> T {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                pin(None, processor);
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let done = work();
        over.store(true, Ordering::Relaxed);
        done
    })
}

fn pin(thread: Option<Pid>, processor: usize) {
    let mut only = CpuSet::new();
    only.set(processor);
    sched_setaffinity(thread, &only).expect("a thread of ours may be pinned");
}

fn threads(server: &Server) -> Vec<Pid> {
    let found = std::fs::read_dir(format!("/proc/{}/task", server.pid())).unwrap();
    found.filter_map(|entry| Pid::from_raw(entry.ok()?.file_name().to_str()?.parse().ok()?)).collect()
}

#[test]
fn processors_that_others_have() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start_with(data.path(), &["--slow-ms", "50", "--no-cache"]);
    let client = server.client();
    client.create_collection("films", 1);
    let docs: Vec<Value> =
        (0..3000).map(|id| json!({"id": id.to_string(), "title_t": "a b c d e f g"})).collect();
    let added = client.post_json("films/update", &[("commit", "true")], Value::from(docs).to_string());
    added.and_then(client::Response::ok).unwrap();
    let processor = rustix::thread::sched_getcpu();
    // Work of the processor alone: each document is explained, and nobody else asks.
    let query = [("q", "title_t:(a b c d e f)"), ("rows", "1000"), ("debug", "results")];
    client.json("films/select", &query);
    for thread in threads(&server) {
        pin(Some(thread), processor);
    }
    beside_hogs(processor, || client.json("films/query", &query));
    let request = slow(&client, "/solr/films/query", Duration::ZERO);
    // What is injected is what the clock has beside work and waits for somebody else: within phases, until a
    // thread takes it up, and on the way from one to the next.
    let phases = request["phases"].as_object().unwrap();
    let of = |name: &str| phases.values().map(|phase| ms(&phase[name])).sum::<f64>();
    let for_others_ms = of("wait") - ms(&phases["thread"]["wait"]);
    let injected_ms = ms(&request["time"]) - of("cpu") - for_others_ms;
    assert!(injected_ms > of("cpu"), "four others want it as well: {request}");
    let attributed_ms = of("runQueue");
    assert!(attributed_ms >= SHARE_MIN * injected_ms, "{attributed_ms} of {injected_ms} ms: {request}");
    let why = request["why"].as_str().unwrap();
    assert!(why.contains(" for a processor"), "{request}");
    eprintln!("injected {injected_ms:.0} ms, attributed {attributed_ms:.0} ms: {why}");
}
