//! Verdicts and facts as text for a terminal. No judgement: everything said here was decided before. In:
//! facts and verdicts; out: text. JSON is the facts' own, and reports of clusters are `cluster.rs` beside.

use std::fmt::Write as _;

use crate::facts::{Descriptor, ProcessFacts, Resource, TcpFacts, ThreadFacts, Unseen};
use crate::host::{HostFacts, HostFinding};
use crate::jvm::{JavaDump, JavaThread};
use crate::slow::SlowVerdict;
use crate::slow_log::{OwnSlowLog, OwnSlowRequest};
use crate::stuck::Diagnosis;
use crate::verdict::words::{bytes, duration};
use crate::verdict::{Standing, ThreadVerdict};
use layout::{cut, list};

mod causes;
mod cluster;
mod layout;

pub use causes::{cause, cause_page, causes, causes_index};
pub use cluster::cluster;
pub use layout::table;

/// How much of a long list is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The first twenty.
    Short,
    Full,
}

const SHORT: usize = 20;

/// The verdict first, then what it rests on.
pub fn diagnosis(diagnosis: &Diagnosis, extent: Extent) -> String {
    let (verdict, facts) = (&diagnosis.verdict, &diagnosis.facts);
    let mut out = format!("{} {}\n", facts.label, verdict.sentence);
    let _ = writeln!(out, "  next: {}", verdict.next_step);
    for line in &verdict.evidence {
        let _ = writeln!(out, "  seen: {line}");
    }
    let mut reason = verdict.reason.as_deref();
    while let Some(one) = reason {
        let lines = one.evidence.iter().map(|line| format!("  seen of {}: {line}\n", one.process));
        out.extend(lines);
        reason = one.reason.as_deref();
    }
    out.push('\n');
    out += &process(facts);
    out += &threads(diagnosis, extent);
    out += &files(facts, extent);
    out += &stacks(facts);
    out += &unseen(&facts.unseen);
    out
}

/// The functions that each thread is in, innermost first; threads in the same ones together.
pub fn stacks(facts: &ProcessFacts) -> String {
    let mut by_frames: Vec<(&[String], Vec<String>)> = Vec::new();
    for thread in facts.threads.iter().filter(|thread| !thread.frames.is_empty()) {
        let name = format!("{} {}", thread.tid, thread.name);
        match by_frames.iter_mut().find(|(frames, _)| *frames == thread.frames.as_slice()) {
            Some((_, names)) => names.push(name),
            None => by_frames.push((&thread.frames, vec![name])),
        }
    }
    let mut out = String::new();
    for (at, (frames, names)) in by_frames.iter().enumerate() {
        if at == 0 {
            let _ = writeln!(out, "\nstacks of {}", facts.label);
        }
        let _ = writeln!(out, "  {}", names.join(", "));
        frames.iter().for_each(|frame| out.extend(["      ", frame, "\n"]));
    }
    out
}

/// One line a process, for `--all`.
pub fn line(diagnosis: &Diagnosis) -> String {
    let mark = match diagnosis.verdict.standing {
        Standing::Stuck => "STUCK",
        Standing::Waits => "waits",
        Standing::Fine => "fine ",
    };
    format!("{mark}  {} {}", diagnosis.facts.label, diagnosis.verdict.sentence)
}

/// The JVM's own stacks: deadlocks first, then the thread of the verdict, then the others that run programs.
pub fn java(dump: &JavaDump, diagnosis: &Diagnosis) -> String {
    let mut out = "\njava\n".to_owned();
    if let Some(deadlock) = &dump.deadlock {
        let _ = writeln!(out, "  deadlock: {deadlock}");
    }
    let mut threads: Vec<&JavaThread> =
        dump.threads.iter().filter(|thread| !thread.frames.is_empty()).collect();
    threads.sort_by_key(|thread| thread.tid != diagnosis.verdict.tid);
    for thread in threads {
        let _ = writeln!(out, "  {} \"{}\" {}", thread.tid, thread.name, thread.state);
        for frame in thread.frames.iter().take(SHORT) {
            let _ = writeln!(out, "      {frame}");
        }
    }
    out
}

/// What a server of ours tells of the same time, request by request.
pub fn own_slow_log(log: &OwnSlowLog) -> String {
    let title =
        format!("\nslow requests meanwhile, by its own log (http://{}/solr/admin/slow)\n", log.address);
    if let Some(why) = &log.refused {
        return format!("{title}  not told: {why}\n");
    }
    if log.requests.is_empty() {
        let bound = log.threshold_ms.map_or_else(String::new, |ms| format!(" (from {} on)", duration(ms)));
        return format!("{title}  none{bound}\n");
    }
    let row = |request: &OwnSlowRequest| {
        vec![
            request.at.clone(),
            format!("{:.0} ms", request.time_ms),
            cut(&request.path, 60),
            cut(&request.why, 120),
        ]
    };
    let rows: Vec<Vec<String>> = log.requests.iter().take(SHORT).map(row).collect();
    let more = log.requests.len().saturating_sub(rows.len());
    let more = if more > 0 { format!("  … {more} more: `parhelion slow`\n") } else { String::new() };
    title + &table(&["at", "took", "path", "why"], &rows) + &more
}

/// Where the time of a process went.
pub fn slow(facts: &ProcessFacts, verdict: &SlowVerdict) -> String {
    let mut out = format!("{} {}\n  next: {}\n", facts.label, verdict.sentence, verdict.next_step);
    for note in &verdict.notes {
        let _ = writeln!(out, "  {note}");
    }
    let rows: Vec<Vec<String>> = verdict
        .parts
        .iter()
        .map(|part| vec![part.name.clone(), duration(part.ms), format!("{:.0} %", part.share * 100.0)])
        .collect();
    let _ = write!(out, "\ntime of all threads\n{}", table(&["", "", ""], &rows));
    let mut threads: Vec<&ThreadFacts> = facts.threads.iter().collect();
    threads.sort_by_key(|thread| std::cmp::Reverse(thread.cpu_us.saturating_add(thread.run_queue_us)));
    let row = |thread: &&ThreadFacts| {
        let call =
            thread.calls_seen.first().map(|(name, count)| format!("{name} {count}/{}", thread.states.len()));
        vec![
            thread.tid.to_string(),
            thread.name.clone(),
            format!("{} ms", thread.cpu_us / 1000),
            format!("{} ms", thread.run_queue_us / 1000),
            thread.voluntary_switches.to_string(),
            thread.involuntary_switches.to_string(),
            format!("{}+{}", thread.minor_faults, thread.major_faults),
            call.unwrap_or_default(),
        ]
    };
    let rows: Vec<Vec<String>> = threads.iter().take(SHORT).map(row).collect();
    let head = ["tid", "name", "work", "run queue", "vol. sw.", "invol. sw.", "faults", "found in"];
    out + "\nthreads\n" + &table(&head, &rows) + &unseen(&facts.unseen)
}

/// Findings of a host, the surest first.
pub fn host(facts: &HostFacts, findings: &[HostFinding]) -> String {
    let mut out = list(findings);
    for server in &facts.zookeeper {
        let lines = server.unseen.iter().map(|what| format!("not seen of {}: {what}\n", server.server));
        out.extend(lines);
    }
    out.extend(facts.unmeasured.iter().map(|what| format!("not measured: {what}\n")));
    if facts.clock_offset.is_none() && facts.unmeasured.is_empty() {
        out += "not measured: the clock's skew (--time-server HOST)\n";
    }
    if facts.sync.is_none() {
        out += "not measured: the data folder's disk (--data-dir DIR)\n";
    }
    out
}

/// What could not be seen, why, and how to see it.
pub fn unseen(unseen: &[Unseen]) -> String {
    let mut out = String::new();
    for (at, one) in unseen.iter().enumerate() {
        if at == 0 {
            out += "\nnot seen\n";
        }
        let _ = writeln!(out, "  {}: {}; {}", one.what, one.why, one.remedy);
    }
    out
}

fn process(facts: &ProcessFacts) -> String {
    let mut out = format!(
        "process\n  {}\n  user {}, up {}, {} threads, {} open files, {} resident, {} swapped, {:.0} % of a processor\n",
        cut(&facts.command, 200),
        facts.uid,
        duration(facts.age_ms),
        facts.threads.len(),
        facts.files.len(),
        bytes(facts.memory.resident_bytes),
        bytes(facts.memory.swapped_bytes),
        facts.processor_share() * 100.0,
    );
    if let Some(parent) = &facts.parent {
        let _ = writeln!(out, "  parent: {parent}");
    }
    for child in facts.children.iter().take(SHORT) {
        let _ = writeln!(out, "  child: {} {}", child.label, child.state.in_words());
    }
    out
}

fn threads(diagnosis: &Diagnosis, extent: Extent) -> String {
    let facts = &diagnosis.facts;
    let mut verdicts: Vec<&ThreadVerdict> = diagnosis.verdict.threads.iter().collect();
    verdicts
        .sort_by_key(|verdict| (verdict.tid != diagnosis.verdict.tid, std::cmp::Reverse(verdict.standing)));
    let shown = limit(verdicts.len(), extent);
    let row = |verdict: &&ThreadVerdict| {
        let thread = facts.thread(verdict.tid)?;
        let call = thread
            .in_call()
            .map_or_else(|| thread.wchan.clone().unwrap_or_default(), |call| call.text.clone());
        Some(vec![
            verdict.tid.to_string(),
            verdict.name.clone(),
            thread.state.in_words().to_owned(),
            verdict.waits_ms.map(duration).unwrap_or_default(),
            verdict.cause.name().to_owned(),
            cut(&call, 100),
        ])
    };
    let rows: Vec<Vec<String>> = verdicts.iter().take(shown).filter_map(row).collect();
    let mut out = format!("\nthreads\n{}", table(&["tid", "name", "state", "since", "cause", "call"], &rows));
    if let Some(thread) = facts.thread(diagnosis.verdict.tid).filter(|thread| !thread.stack.is_empty()) {
        let _ = writeln!(out, "  kernel stack of {}: {}", thread.tid, thread.stack.join(" < "));
    }
    out + &more(verdicts.len(), shown)
}

fn files(facts: &ProcessFacts, extent: Extent) -> String {
    if facts.files.is_empty() {
        return String::new();
    }
    let shown = limit(facts.files.len(), extent);
    let rows: Vec<Vec<String>> = facts
        .files
        .iter()
        .take(shown)
        .map(|file| vec![file.fd.to_string(), access(file).to_owned(), resource(file)])
        .collect();
    format!("\nopen files\n{}{}", table(&["fd", "", "what"], &rows), more(facts.files.len(), shown))
}

fn limit(count: usize, extent: Extent) -> usize {
    if extent == Extent::Full { count } else { count.min(SHORT) }
}

fn more(count: usize, shown: usize) -> String {
    if count > shown { format!("  … {} more with --full\n", count - shown) } else { String::new() }
}

fn access(file: &Descriptor) -> &'static str {
    match (file.access.reads(), file.access.writes()) {
        (true, true) => "rw",
        (false, _) => "w",
        _ => "r",
    }
}

fn resource(file: &Descriptor) -> String {
    match &file.resource {
        Resource::File { path, file_system, written_ms_ago, .. } => {
            let system = file_system.as_ref().filter(|system| system.is_served());
            let system = system
                .map(|system| format!(" on {} from {}", system.kind, system.source))
                .unwrap_or_default();
            let written =
                written_ms_ago.map(|ms| format!(", written {} ago", duration(ms))).unwrap_or_default();
            format!("{path}{system}{written}")
        }
        Resource::Pipe { inode, holders } => {
            let others = holders.iter().filter(|holder| holder.process.pid != facts_pid(file, holders));
            let others: Vec<String> =
                others.map(|holder| format!("{} fd {}", holder.process, holder.fd)).collect();
            format!(
                "pipe {inode}: {}",
                if others.is_empty() { "nobody else".to_owned() } else { others.join(", ") }
            )
        }
        Resource::Tcp(tcp) => tcp_words(tcp),
        Resource::Udp { local, remote } => format!("UDP {local} -> {remote}"),
        Resource::Unix(unix) => {
            let name = unix.path.as_deref().unwrap_or("unnamed");
            let peer = unix.peer.as_ref().map(|peer| format!(" with {peer}")).unwrap_or_default();
            let queued = unix.receive_queue.filter(|bytes| *bytes > 0 && !unix.listening);
            let queued = queued.map(|count| format!(", {} unread", bytes(count))).unwrap_or_default();
            let listening = if unix.listening { " listening" } else { "" };
            format!("unix {name}{listening}{peer}{queued}")
        }
        Resource::Eventfd { count, holders } => {
            format!("eventfd, count {count}, {} holders", holders.len().max(1))
        }
        Resource::Epoll { watched } => format!("epoll of {} files", watched.len()),
        Resource::Timerfd => "timerfd".to_owned(),
        Resource::Signalfd => "signalfd".to_owned(),
        Resource::Inotify => "inotify".to_owned(),
        Resource::Process { pid } => format!("process {pid}"),
        Resource::Socket { inode } => format!("socket {inode}"),
        Resource::Fifo { path } => format!("named pipe {path}"),
        Resource::Terminal { path } | Resource::Device { path } => path.clone(),
        Resource::Other { name } => name.clone(),
    }
}

/// The process itself is among the holders: the one with this number of file and this access.
fn facts_pid(file: &Descriptor, holders: &[crate::facts::Holder]) -> i32 {
    let own = holders.iter().find(|holder| holder.fd == file.fd && holder.access == file.access);
    own.map_or(0, |holder| holder.process.pid)
}

fn tcp_words(tcp: &TcpFacts) -> String {
    let queued = format!("in {}, out {}", tcp.receive_queue, tcp.send_queue);
    let ago = |name: &str, ms: Option<u64>| {
        ms.map(|ms| format!(", {name} {} ago", duration(ms))).unwrap_or_default()
    };
    let peer = tcp.peer.as_ref().map(|peer| format!(", {peer}")).unwrap_or_default();
    if tcp.state == crate::facts::SocketState::Listen {
        return format!("TCP {} LISTEN, {} wait of {}", tcp.local, tcp.receive_queue, tcp.send_queue);
    }
    format!(
        "TCP {} -> {} {}, {queued}{}{}{peer}",
        tcp.local,
        tcp.remote,
        tcp.state.name(),
        ago("sent", tcp.sent_ms_ago),
        ago("received", tcp.received_ms_ago),
    )
}
