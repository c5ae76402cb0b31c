//! `doctor bundle`: one archive for support, and reading it again on another machine. A gzipped tar of text:
//! facts of every process and of the host as JSON, the kernel's own figures, the last hour of logs, what a
//! server of ours tells of itself. Secrets are taken out before anything is written
//! ([`redact`](crate::redact)), hosts where that is asked for ([`Pseudonyms`]).
//!
//! Reading takes an archive for hostile: it writes no file, believes no size that the archive claims, bounds
//! what it unpacks, and makes all text printable before anybody sees it.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cluster::{ClusterFacts, LogLine};
use crate::facts::ProcessFacts;
use crate::host::{HostFacts, HostFinding};
use crate::pseudonyms::Pseudonyms;
use crate::recent_log;
use crate::redact::redact;
use crate::verdict::words::printable;

/// What an archive holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bundle {
    pub processes: Vec<ProcessFacts>,
    pub host: HostFacts,
    /// Names within the archive, such as `proc/meminfo` and `logs/solr.log`, with their text.
    pub texts: Vec<(String, String)>,
}

/// Of the kernel's own figures; none of them names a user or a secret.
const FIGURES: [&str; 9] = [
    "meminfo",
    "vmstat",
    "loadavg",
    "stat",
    "diskstats",
    "pressure/cpu",
    "pressure/io",
    "pressure/memory",
    "net/snmp",
];
/// Of each log at most, however long the hour was.
const LOG_BYTES: u64 = 32 << 20;
const LOG_MINUTES: i64 = 60;
/// Of an archive, unpacked, and of one file in it.
const BYTES_MAX: u64 = 512 << 20;
const FILE_BYTES_MAX: u64 = 64 << 20;
const FILES_MAX: usize = 1000;

impl Bundle {
    /// Adds the kernel's figures. One that is missing on this kernel is left out.
    pub fn add_figures(&mut self) {
        for name in FIGURES {
            if let Ok(text) = std::fs::read_to_string(format!("/proc/{name}")) {
                self.texts.push((format!("proc/{name}"), text));
            }
        }
    }

    /// Adds the last hour of a log by the times of its lines; its end where they have none.
    ///
    /// Errors: when it cannot be read.
    pub fn add_log(&mut self, path: &Path) -> io::Result<()> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LOG_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(LOG_BYTES).read_to_end(&mut bytes)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // The number keeps logs of one name in several folders apart.
        let name = format!("logs/{}-{name}", self.texts.len());
        let text = String::from_utf8_lossy(&bytes);
        self.texts.push((name, recent_log::last_minutes(&text, LOG_MINUTES).to_owned()));
        Ok(())
    }

    /// Writes the archive, without secrets, and without hosts where they have pseudonyms.
    pub fn write(&self, out: impl Write, mut hosts: Option<Pseudonyms>) -> io::Result<()> {
        let mut archive = tar::Builder::new(GzEncoder::new(out, Compression::default()));
        let mut processes = self.processes.clone();
        processes.iter_mut().for_each(redact_process);
        let mut hide = |text: String| match &mut hosts {
            Some(pseudonyms) => pseudonyms.hide(&text),
            None => text,
        };
        append(&mut archive, "processes.json", &hide(serde_json::to_string(&processes)?))?;
        append(&mut archive, "host.json", &hide(serde_json::to_string(&self.host)?))?;
        for (name, text) in &self.texts {
            append(&mut archive, &hide(name.clone()), &hide(redact(text)))?;
        }
        archive.into_inner()?.finish()?.flush()
    }

    /// Reads an archive. What it does not know it leaves out.
    ///
    /// Errors: what is no such archive, or unpacks to more than is believed of one.
    pub fn read(from: impl Read) -> io::Result<Self> {
        let mut archive = tar::Archive::new(Bounded { inner: GzDecoder::new(from), left: BYTES_MAX });
        let mut bundle = Self::default();
        let mut held = 0;
        for (count, entry) in archive.entries()?.enumerate() {
            let entry = entry?;
            let name = printable(&entry.path()?.to_string_lossy());
            // What is packed as holes takes no room in the archive: it is bounded here, not by what was read.
            let left = FILE_BYTES_MAX.min(BYTES_MAX - held);
            let mut bytes = Vec::new();
            entry.take(left + 1).read_to_end(&mut bytes)?;
            held += bytes.len() as u64;
            if bytes.len() as u64 > left || count >= FILES_MAX {
                return Err(invalid(format!("`{name}` is more than a bundle has: this is none of ours")));
            }
            match name.as_str() {
                "processes.json" => bundle.processes = from_json(&name, &bytes)?,
                "host.json" => bundle.host = from_json(&name, &bytes)?,
                _ => bundle.texts.push((name, printable_lines(&String::from_utf8_lossy(&bytes)))),
            }
        }
        if bundle.processes.is_empty() {
            return Err(invalid(
                "it holds no `processes.json`; `parhelion doctor bundle` writes one".to_owned(),
            ));
        }
        Ok(bundle)
    }

    /// What its logs say, in kinds; and what a server of ours had found stuck in itself.
    pub fn findings(&self) -> Vec<HostFinding> {
        let logs = self.texts.iter().filter(|(name, _)| name.starts_with("logs/"));
        let log: Vec<LogLine> = logs.flat_map(|(name, text)| recent_log::errors(name, text)).collect();
        let mut found = crate::cluster::lint(&ClusterFacts { log, ..ClusterFacts::default() });
        let health = self.texts.iter().find(|(name, _)| name == "server/health.json");
        let health =
            health.and_then(|(_, text)| serde_json::from_str::<Value>(text).ok()).unwrap_or_default();
        found.extend(crate::cluster::signs(&health));
        found
    }
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Lines stay lines.
fn printable_lines(text: &str) -> String {
    text.split('\n').map(|line| printable(&line.replace('\t', "  "))).collect::<Vec<_>>().join("\n")
}

/// Its texts made printable: they are shown on a terminal as facts are that were seen here.
fn from_json<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> io::Result<T> {
    let wrong = |error: serde_json::Error| invalid(format!("`{name}`: {error}"));
    let mut value: Value = serde_json::from_slice(bytes).map_err(wrong)?;
    make_printable(&mut value);
    serde_json::from_value(value).map_err(wrong)
}

fn make_printable(value: &mut Value) {
    match value {
        Value::String(text) => *text = printable(text),
        Value::Array(items) => items.iter_mut().for_each(make_printable),
        Value::Object(members) => members.values_mut().for_each(make_printable),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Reads no more than it may: what goes on behind that is an error, not an end.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            invalid(format!("it unpacks to more than {} MiB: this is no bundle of ours", BYTES_MAX >> 20))
        })?;
        Ok(count)
    }
}

fn append(archive: &mut tar::Builder<impl Write>, name: &str, text: &str) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(text.len() as u64);
    header.set_mode(0o600);
    archive.append_data(&mut header, name, text.as_bytes())
}

/// Command lines, and names that calls are given, may have secrets in them. Stacks are names of functions.
fn redact_process(process: &mut ProcessFacts) {
    process.command = redact(&process.command);
    for thread in &mut process.threads {
        if let crate::facts::CallState::In(call) = &mut thread.call {
            call.text = redact(&call.text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{ThreadFacts, ThreadState};

    fn bundle() -> Bundle {
        let command = "java -Dpassword=hunter2 Main".to_owned();
        let log = ("logs/0-a.log".to_owned(), "token=hunter2 ok\n".to_owned());
        Bundle {
            processes: vec![ProcessFacts { command, ..ProcessFacts::default() }],
            host: HostFacts { swappiness: Some(7), ..HostFacts::default() },
            texts: vec![log],
        }
    }

    #[test]
    fn what_is_read_is_what_was_written_without_secrets() {
        let mut bytes = Vec::new();
        bundle().write(&mut bytes, None).unwrap();
        let read = Bundle::read(&*bytes).unwrap();
        assert_eq!(read.host.swappiness, Some(7));
        assert_eq!(read.processes[0].command, "java -Dpassword=[redacted] Main");
        assert_eq!(read.texts, [("logs/0-a.log".to_owned(), "token=[redacted] ok\n".to_owned())]);
    }

    #[test]
    fn the_end_of_a_log_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("big.log");
        let text = "0123456789\n".repeat(4 << 20);
        std::fs::write(&path, &text).unwrap();
        let mut bundle = Bundle::default();
        bundle.add_log(&path).unwrap();
        assert_eq!(
            (bundle.texts[0].0.as_str(), bundle.texts[0].1.len() as u64),
            ("logs/0-big.log", LOG_BYTES)
        );
        assert!(text.ends_with(&bundle.texts[0].1));
        assert!(bundle.add_log(folder.path()).is_err());
    }

    #[test]
    fn what_is_no_bundle_is_refused() {
        let mut whole = Vec::new();
        bundle().write(&mut whole, None).unwrap();
        for bytes in [&b""[..], b"\x1f\x8b", b"hello", &whole[..whole.len() / 2]] {
            assert!(Bundle::read(bytes).is_err());
        }
    }

    /// A gzipped tar with one file of this header and content.
    fn archive(change: impl FnOnce(&mut tar::Header), content: &[u8]) -> Vec<u8> {
        let mut header = tar::Header::new_gnu();
        header.set_path("processes.json").unwrap();
        header.set_size(content.len() as u64);
        change(&mut header);
        header.set_cksum();
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(header.as_bytes()).unwrap();
        packed.write_all(content).unwrap();
        packed.write_all(&vec![0; 1024 + 512 - content.len() % 512]).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn bombs_are_refused_before_they_go_off() {
        let big = vec![b' '; usize::try_from(FILE_BYTES_MAX).unwrap() + 1];
        let message = |bytes: &[u8]| Bundle::read(bytes).unwrap_err().to_string();
        assert!(message(&archive(|_| (), &big)).contains("more than a bundle has"));
        // Holes that claim to be a petabyte.
        let sparse = archive(
            |header| {
                header.set_entry_type(tar::EntryType::GNUSparse);
                let gnu = header.as_gnu_mut().unwrap();
                gnu.realsize = *b"77777777777\0";
                gnu.sparse[0].offset = *b"77777777777\0";
                gnu.sparse[0].numbytes = *b"00000000000\0";
            },
            b"",
        );
        let refused = message(&sparse);
        assert!(refused.contains("more than a bundle has"), "{refused}");
        // As deep as the stack would be.
        let deep = "[".repeat(100_000);
        assert!(message(&archive(|_| (), deep.as_bytes())).contains("recursion limit"));
    }

    #[test]
    fn what_a_hostile_bundle_says_drives_no_terminal() {
        let label = crate::facts::ProcessLabel { pid: 1, name: "a\u{1b}]0;x\u{7}\nSTUCK".to_owned() };
        let process = ProcessFacts { label, ..ProcessFacts::default() };
        let texts = vec![("logs/0-\u{1b}c".to_owned(), "ERROR \u{1b}[2J\nb".to_owned())];
        let mut bytes = Vec::new();
        Bundle { processes: vec![process], texts, ..Bundle::default() }.write(&mut bytes, None).unwrap();
        let read = Bundle::read(&*bytes).unwrap();
        assert_eq!(read.processes[0].label.name, "a\u{fffd}]0;x\u{fffd}\u{fffd}STUCK");
        assert_eq!(read.texts, [("logs/0-\u{fffd}c".to_owned(), "ERROR \u{fffd}[2J\nb".to_owned())]);
        assert!(!read.findings()[0].measured.contains('\u{1b}'));
    }

    /// Whoever made the archive chose every number in it.
    #[test]
    fn numbers_without_bounds_are_judged_without_harm() {
        let thread = |tid: i32| ThreadFacts {
            tid,
            states: vec![ThreadState::Running, ThreadState::Uninterruptible],
            cpu_us: u64::MAX,
            run_queue_us: u64::MAX,
            major_faults: u64::MAX,
            voluntary_switches: u64::MAX,
            waited_ms: Some(u64::MAX),
            ..ThreadFacts::default()
        };
        let mut process = ProcessFacts { threads: vec![thread(1), thread(2)], ..ProcessFacts::default() };
        for (sampled_ms, throttled_ms) in [(0, None), (1, Some(u64::MAX)), (u64::MAX, Some(0))] {
            (process.sampled_ms, process.throttled_ms, process.age_ms) = (sampled_ms, throttled_ms, u64::MAX);
            process.memory.major_faults = u64::MAX;
            let (facts, verdict) = (process.clone(), crate::verdict::judge(&process, 60_000));
            let _ = crate::render::slow(&facts, &crate::judge_slow(&facts));
            let _ =
                crate::render::diagnosis(&crate::Diagnosis { verdict, facts }, crate::render::Extent::Full);
        }
        let java = crate::host::JavaProcess {
            heap_max_bytes: Some(u64::MAX),
            cgroup_memory_bytes: Some(u64::MAX),
            ..Default::default()
        };
        let most = Some(u64::MAX);
        let zookeeper = crate::host::ZooKeeperFacts {
            tick_ms: most,
            sync_limit: most,
            client_connections_max: most,
            connections: most,
            latency_ms: Some((f64::NAN, u64::MAX)),
            slow_syncs: Some((u64::MAX, u64::MAX)),
            ..Default::default()
        };
        let host = HostFacts {
            memory_bytes: most,
            threads: most,
            threads_max: most,
            keepalive_seconds: most,
            ports: Some((9, 1)),
            ports_used: Some((u64::MAX, String::new())),
            java: vec![java],
            zookeeper: vec![zookeeper],
            ..HostFacts::default()
        };
        let _ = crate::render::host(&host, &crate::host::lint(&host));
    }

    #[test]
    fn hosts_are_hidden_and_facts_stay_facts() {
        let resource = crate::facts::Resource::Udp {
            local: "10.9.8.6:1".parse().unwrap(),
            remote: "10.9.8.7:2".parse().unwrap(),
        };
        let process = ProcessFacts {
            command: "psql -h 10.9.8.7".to_owned(),
            files: vec![crate::facts::Descriptor { fd: 3, access: crate::facts::Access::Both, resource }],
            ..ProcessFacts::default()
        };
        let mut bytes = Vec::new();
        let bundle = Bundle { processes: vec![process], ..Bundle::default() };
        bundle.write(&mut bytes, Some(Pseudonyms::default())).unwrap();
        let read = Bundle::read(&*bytes).unwrap();
        let text = serde_json::to_string(&read.processes).unwrap();
        assert!(!text.contains("10.9.8") && text.contains("192.0.2.1:"), "{text}");
        assert_eq!(read.processes[0].command, "psql -h 192.0.2.1");
    }

    #[test]
    fn errors_in_its_logs_are_grouped() {
        let log = "2026-11-25T08:00:00Z ERROR http: boom 7\n2026-11-25T08:00:01Z ERROR http: boom 8\n";
        let texts = vec![("logs/0-a.log".to_owned(), log.to_owned())];
        let found = Bundle { texts, ..bundle() }.findings();
        assert_eq!(found.len(), 1);
        assert!(
            found[0].measured.starts_with("2 errors in the log of logs/0-a.log"),
            "{}",
            found[0].measured
        );
    }

    proptest::proptest! {
        #[test]
        fn no_archive_panics(at in 0..400_usize, byte in proptest::num::u8::ANY) {
            let mut bytes = Vec::new();
            bundle().write(&mut bytes, None).unwrap();
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = Bundle::read(&*bytes);
        }
    }
}
