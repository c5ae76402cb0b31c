//! Processes made of facts, and the sentence on each.

use super::*;
use crate::facts::{
    Call, CallState, Child, Descriptor, FileSystem, Futex, Holder, LockWait, PolledFile, ProcessLabel, Side,
    SocketState, TcpFacts, ThreadFacts, UnixFacts, Wait,
};

mod examples;

const HOURS: u64 = 3_600_000;
const PATIENCE_MS: u64 = 60_000;

fn label(pid: i32, name: &str) -> ProcessLabel {
    ProcessLabel { pid, name: name.to_owned() }
}

fn thread(tid: i32, wait: Wait) -> ThreadFacts {
    let call = Call { name: "call".to_owned(), text: "call()".to_owned(), wait, ..Call::default() };
    ThreadFacts {
        tid,
        name: format!("t{tid}"),
        call: CallState::In(call),
        states: vec![ThreadState::Sleeping; 3],
        same_call: true,
        waited_ms: Some(15_120_000),
        ..ThreadFacts::default()
    }
}

fn process(threads: Vec<ThreadFacts>, resources: Vec<Resource>) -> ProcessFacts {
    let file =
        |(at, resource): (usize, Resource)| Descriptor { fd: at as i32, access: Access::Both, resource };
    ProcessFacts {
        label: label(1, "batch"),
        threads,
        files: resources.into_iter().enumerate().map(file).collect(),
        sampled_ms: 500,
        ..ProcessFacts::default()
    }
}

fn tcp(side: Side, sent_ms_ago: u64, received_ms_ago: u64) -> TcpFacts {
    TcpFacts {
        local: "10.0.0.4:51312".parse().unwrap(),
        remote: "10.0.0.5:5432".parse().unwrap(),
        state: SocketState::Established,
        receive_queue: 0,
        send_queue: 0,
        side,
        sent_ms_ago: Some(sent_ms_ago),
        received_ms_ago: Some(received_ms_ago),
        acknowledged_ms_ago: None,
        bytes_sent: Some(100),
        bytes_received: Some(100),
        retransmits: 0,
        keepalive: Some(false),
        peer: None,
    }
}

fn check(facts: &ProcessFacts, cause: Cause, standing: Standing, sentence: &str) {
    let verdict = judge(facts, PATIENCE_MS);
    assert_eq!((verdict.cause, verdict.standing, verdict.sentence.as_str()), (cause, standing, sentence));
}

fn read(resource: Resource) -> ProcessFacts {
    process(vec![thread(1, Wait::Read(0))], vec![resource])
}

#[test]
fn connections() {
    let owed = tcp(Side::Client, 15_120_000, 15_130_000);
    let sentence = "waits since 4 h 12 min for PostgreSQL at 10.0.0.5:5432 (fd 0, ESTABLISHED, nothing queued): the peer owes an answer";
    check(&read(Resource::Tcp(owed.clone())), Cause::AnswerOwed, Standing::Stuck, sentence);
    let polled = process(
        vec![thread(1, Wait::Events(vec![PolledFile { fd: 0, read: true, write: false }]))],
        vec![Resource::Tcp(owed.clone())],
    );
    check(&polled, Cause::AnswerOwed, Standing::Stuck, sentence);

    let fresh = read(Resource::Tcp(tcp(Side::Client, 30, 40)));
    assert_eq!(judge(&fresh, PATIENCE_MS).standing, Standing::Waits, "a request of 30 ms is in order");
    let listener = read(Resource::Tcp(tcp(Side::Client, 9 * HOURS, 20_000)));
    assert_eq!(judge(&listener, PATIENCE_MS).cause, Cause::NextMessage);
    let server = read(Resource::Tcp(tcp(Side::Server, 9 * HOURS, 10 * HOURS)));
    assert_eq!(judge(&server, PATIENCE_MS).cause, Cause::Idle);

    let gone = TcpFacts { send_queue: 300, retransmits: 5, ..owed.clone() };
    let sentence = "waits since 4 h 12 min for PostgreSQL at 10.0.0.5:5432 (fd 0, ESTABLISHED, 300 bytes to send): 300 bytes were sent again and again and nobody acknowledged them";
    check(&read(Resource::Tcp(gone)), Cause::Unreachable, Standing::Stuck, sentence);
    let full = process(
        vec![thread(1, Wait::Write(0))],
        vec![Resource::Tcp(TcpFacts { send_queue: 4 << 20, ..owed.clone() })],
    );
    let sentence = "waits since 4 h 12 min for room to send to PostgreSQL at 10.0.0.5:5432 (fd 0, ESTABLISHED, 4.0 MiB to send): the peer does not read";
    check(&full, Cause::SendBlocked, Standing::Stuck, sentence);
    let opening = TcpFacts { state: SocketState::SynSent, ..owed };
    let connecting = process(vec![thread(1, Wait::Connect(0))], vec![Resource::Tcp(opening)]);
    let sentence = "waits since 4 h 12 min for PostgreSQL at 10.0.0.5:5432 to accept a connection (fd 0, SYN_SENT): nothing has come back";
    check(&connecting, Cause::Connecting, Standing::Stuck, sentence);
}

/// Seen at an ensemble of three that was in order (3.9.5, 2026-11-27): each server but one had a vote's
/// reader whose own word was the last, hours ago.
#[test]
fn servers_of_an_ensemble_owe_one_another_nothing() {
    let said_last =
        TcpFacts { remote: "10.0.0.5:3888".parse().unwrap(), ..tcp(Side::Client, HOURS, 2 * HOURS) };
    let read_by = |name: &str, facts: &TcpFacts| {
        let polled = Wait::Events(vec![PolledFile { fd: 0, read: true, write: false }]);
        let reader = ThreadFacts { name: name.to_owned(), ..thread(1, polled) };
        ProcessFacts { jvm: true, ..process(vec![reader], vec![Resource::Tcp(facts.clone())]) }
    };
    let sentence = "is not stuck: it waits since 4 h 12 min for 10.0.0.5:3888 (fd 0, ESTABLISHED, nothing queued): \
                    ZooKeeper's servers speak when they have something to say, and nothing was asked";
    for name in ["RecvWorker:2", "QuorumPeer[myid", "LearnerHandler-"] {
        check(&read_by(name, &said_last), Cause::NextMessage, Standing::Fine, sentence);
    }
    let doubtful = TcpFacts { received_ms_ago: Some(HOURS), ..said_last.clone() };
    check(&read_by("RecvWorker:2", &doubtful), Cause::NextMessage, Standing::Fine, sentence);
    let gone = TcpFacts { send_queue: 300, retransmits: 5, ..said_last.clone() };
    assert_eq!(judge(&read_by("RecvWorker:2", &gone), PATIENCE_MS).standing, Standing::Stuck);
    // By the name alone nobody is at rest: another program's, and another thread's.
    let other = ProcessFacts { jvm: false, ..read_by("RecvWorker:2", &said_last) };
    assert_eq!(judge(&other, PATIENCE_MS).cause, Cause::AnswerOwed);
    assert_eq!(judge(&read_by("main", &said_last), PATIENCE_MS).cause, Cause::AnswerOwed);
}

#[test]
fn who_spoke_last() {
    let facts = tcp(Side::Client, 50, 10);
    assert_eq!(facts.we_spoke_last(), Some(false));
    let tie = TcpFacts { sent_ms_ago: Some(10), ..facts.clone() };
    assert_eq!(tie.we_spoke_last(), None);
    let acknowledged = TcpFacts { acknowledged_ms_ago: Some(2), ..tie.clone() };
    assert_eq!(acknowledged.we_spoke_last(), Some(true));
    assert_eq!(TcpFacts { keepalive: Some(true), ..acknowledged }.we_spoke_last(), None);
    let doubtful = judge(
        &read(Resource::Tcp(TcpFacts { sent_ms_ago: Some(HOURS), received_ms_ago: Some(HOURS), ..tie })),
        0,
    );
    assert_eq!((doubtful.cause, doubtful.standing), (Cause::AnswerOwed, Standing::Waits));
    assert_eq!(TcpFacts { bytes_received: Some(0), ..facts.clone() }.we_spoke_last(), Some(true));
    assert_eq!(
        TcpFacts { bytes_sent: Some(0), sent_ms_ago: Some(1), ..facts.clone() }.we_spoke_last(),
        Some(false)
    );
    assert_eq!(TcpFacts { sent_ms_ago: None, bytes_sent: None, ..facts }.we_spoke_last(), None);
}

#[test]
fn event_loops_are_at_rest() {
    let polled = |fd: i32| PolledFile { fd, read: true, write: false };
    let owed = Resource::Tcp(tcp(Side::Client, 20 * HOURS, 21 * HOURS));
    let event = Resource::Eventfd { count: 0, holders: Vec::new() };
    let files = vec![polled(0), polled(1)];
    let looping = process(vec![thread(1, Wait::Events(files.clone()))], vec![owed.clone(), event]);
    assert_eq!(judge(&looping, PATIENCE_MS).cause, Cause::Idle);
    let two = process(
        vec![thread(1, Wait::Events(files))],
        vec![owed, Resource::Terminal { path: "/dev/pts/0".to_owned() }],
    );
    assert_eq!(judge(&two, PATIENCE_MS).cause, Cause::AnswerOwed);
    assert_eq!(
        judge(&process(vec![thread(1, Wait::Events(vec![]))], vec![]), PATIENCE_MS).cause,
        Cause::Idle
    );
}

#[test]
fn pipes() {
    let holder = |pid: i32, access: Access| Holder { process: label(pid, "gen"), fd: 3, access };
    let pipe = |holders: Vec<Holder>| Resource::Pipe { inode: 9, holders };
    let silent = read(pipe(vec![holder(1, Access::Read), holder(2, Access::Write)]));
    let sentence =
        "waits since 4 h 12 min for pipe 9 (fd 0) from gen (pid 2): whoever has the write end does not write";
    check(&silent, Cause::PipeSilent, Standing::Waits, sentence);
    assert_eq!(judge(&silent, PATIENCE_MS).blames, Some(label(2, "gen")));
    let own = read(pipe(vec![holder(1, Access::Read), holder(1, Access::Write)]));
    let sentence =
        "waits since 4 h 12 min for pipe 9 (fd 0): only it has the write end: nobody will ever write";
    check(&own, Cause::PipeOwn, Standing::Stuck, sentence);
    let mut threads = own;
    threads.threads.push(thread(2, Wait::Timer));
    assert_eq!(judge(&threads, PATIENCE_MS).standing, Standing::Fine, "another thread may write");
    let full = process(vec![thread(1, Wait::Write(0))], vec![pipe(vec![holder(2, Access::Read)])]);
    assert_eq!(judge(&full, PATIENCE_MS).cause, Cause::PipeFull);
}

#[test]
fn files_and_locks() {
    let nfs = FileSystem {
        kind: "nfs4".to_owned(),
        source: "filer:/out".to_owned(),
        mount_point: "/mnt/out".to_owned(),
    };
    let file = |file_system: Option<FileSystem>| Resource::File {
        path: "/mnt/out/a".to_owned(),
        file_system,
        bytes: None,
        written_ms_ago: None,
    };
    let sentence = "waits since 4 h 12 min for /mnt/out/a (fd 0) on nfs4 /mnt/out from filer:/out: its server does not answer";
    check(&read(file(Some(nfs.clone()))), Cause::ServedFile, Standing::Stuck, sentence);
    let mut look_up = process(vec![thread(1, Wait::Path("/mnt/out/b/c".to_owned()))], vec![]);
    look_up.served_mounts = vec![nfs];
    assert_eq!(judge(&look_up, PATIENCE_MS).cause, Cause::ServedFile);
    let mut disk = read(file(None));
    disk.threads[0].state = ThreadState::Uninterruptible;
    assert_eq!(judge(&disk, PATIENCE_MS).cause, Cause::DiskWait);

    let mut locked = process(vec![thread(1, Wait::FileLock(0))], vec![file(None)]);
    locked.lock_waits = vec![LockWait {
        kind: "flock".to_owned(),
        exclusive: true,
        file: "/mnt/out/a".to_owned(),
        holders: vec![label(5, "cron")],
    }];
    let sentence =
        "waits since 4 h 12 min for an exclusive flock lock on /mnt/out/a (fd 0): cron (pid 5) has it";
    check(&locked, Cause::FileLock, Standing::Stuck, sentence);
}

#[test]
fn threads_that_wait_for_one_another() {
    let lock = |owner: i32| {
        Wait::Futex(Futex { address: 0x10, owner: Some(owner), private: true, ..Futex::default() })
    };
    let circle = process(vec![thread(1, lock(2)), thread(2, lock(1)), thread(3, Wait::Timer)], vec![]);
    let sentence =
        "waits since 4 h 12 min for a lock at 0x10: they wait for one another: 1 (t1) → 2 (t2) → 1 (t1)";
    check(&circle, Cause::Deadlock, Standing::Stuck, sentence);

    let owed = Resource::Tcp(tcp(Side::Client, 5 * HOURS, 6 * HOURS));
    let held = process(vec![thread(1, lock(2)), thread(2, Wait::Read(0))], vec![owed]);
    let verdict = judge(&held, PATIENCE_MS);
    assert_eq!((verdict.cause, verdict.tid), (Cause::AnswerOwed, 2), "the owner of the lock is the cause");

    let parked = || Wait::Futex(Futex { address: 0x10, owner: None, private: true, ..Futex::default() });
    let mut lost = process(vec![thread(1, parked()), thread(2, parked())], vec![]);
    let sentence =
        "waits since 4 h 12 min for wake-ups that its 2 threads owe one another: nobody is left to wake them";
    check(&lost, Cause::Deadlock, Standing::Stuck, sentence);
    lost.signals_caught = 1 << 14;
    assert_eq!(judge(&lost, PATIENCE_MS).cause, Cause::SignalOnly, "SIGTERM has a handler");
    lost.threads.push(thread(3, Wait::Timer));
    assert_eq!(judge(&lost, PATIENCE_MS).standing, Standing::Fine, "a pool of workers");
}

#[test]
fn states() {
    let mut facts = process(vec![thread(1, Wait::Timer)], vec![]);
    check(
        &facts,
        Cause::Sleeps,
        Standing::Fine,
        "is not stuck: it waits since 4 h 12 min for a point in time",
    );
    facts.threads[0].state = ThreadState::Stopped;
    check(
        &facts,
        Cause::Stopped,
        Standing::Stuck,
        "is stopped since 4 h 12 min by a signal and waits for SIGCONT",
    );
    facts.threads[0].state = ThreadState::Zombie;
    assert_eq!(judge(&facts, PATIENCE_MS).cause, Cause::Dead);
    facts.threads.push(thread(2, Wait::Timer));
    assert_eq!(judge(&facts, PATIENCE_MS).standing, Standing::Fine, "only the main thread has ended");

    let mut busy = process(vec![thread(1, Wait::Other)], vec![]);
    let runs = &mut busy.threads[0];
    (runs.state, runs.states, runs.call) =
        (ThreadState::Running, vec![ThreadState::Running; 3], CallState::Running);
    (runs.cpu_us, runs.waited_ms) = (490_000, None);
    check(
        &busy,
        Cause::Busy,
        Standing::Fine,
        "is not stuck: it works, with 98 % of a processor, without a pause",
    );
    (busy.threads[0].cpu_us, busy.threads[0].run_queue_us) = (4_000, 490_000);
    check(
        &busy,
        Cause::Starved,
        Standing::Waits,
        "waits for a processor: others have them all: 4 of 500 ms on one",
    );
    busy.throttled_ms = Some(480);
    assert_eq!(judge(&busy, PATIENCE_MS).cause, Cause::Throttled);
    busy.threads[0].major_faults = 400;
    assert_eq!(judge(&busy, PATIENCE_MS).cause, Cause::Thrash);
    busy.frozen = true;
    assert_eq!(judge(&busy, PATIENCE_MS).cause, Cause::Frozen);
    assert_eq!(judge(&ProcessFacts::default(), PATIENCE_MS).cause, Cause::Unknown);
}

#[test]
fn chains_end_at_their_root() {
    let mut parent = process(vec![thread(1, Wait::Child(None))], vec![]);
    parent.children = vec![Child { label: label(2, "load"), state: ThreadState::Sleeping }];
    let mut child = read(Resource::Tcp(tcp(Side::Client, 5 * HOURS, 6 * HOURS)));
    child.label = label(2, "load");
    let verdict = judge(&parent, PATIENCE_MS);
    assert_eq!((verdict.standing, &verdict.blames), (Standing::Waits, &Some(label(2, "load"))));
    let joined = verdict.because_of(judge(&child, PATIENCE_MS));
    assert_eq!((joined.standing, joined.root().cause), (Standing::Stuck, Cause::AnswerOwed));
    let expected = "waits since 4 h 12 min for its child load (pid 2): it has not ended; load (pid 2) waits since 5 h for PostgreSQL";
    assert!(joined.sentence.starts_with(expected), "{}", joined.sentence);
}

#[test]
fn silence_of_logs_is_evidence() {
    let log = |ms: u64| Resource::File {
        path: "/var/log/batch.log".to_owned(),
        file_system: None,
        bytes: Some(1),
        written_ms_ago: Some(ms),
    };
    let evidence =
        |ms: u64| judge(&process(vec![thread(1, Wait::Timer)], vec![log(ms)]), PATIENCE_MS).evidence;
    assert!(evidence(16 * HOURS).contains(&"/var/log/batch.log has been silent for 16 h".to_owned()));
    assert!(!evidence(1000).iter().any(|line| line.contains("silent")));
}

#[test]
fn local_peers() {
    let unix = |accepted: bool| {
        Resource::Unix(UnixFacts { peer: Some(label(8, "agent")), accepted, ..UnixFacts::default() })
    };
    assert_eq!(judge(&read(unix(false)), PATIENCE_MS).blames, Some(label(8, "agent")));
    assert_eq!(judge(&read(unix(true)), PATIENCE_MS).cause, Cause::Idle);
}
