//! The sentences of `docs/causes.md` are what the verdicts say: a process made of facts for each cause,
//! judged.

use super::*;
use crate::postgres::Backend;
use crate::stuck::Diagnosis;

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const NIGHT: u64 = 15_120_000;

#[test]
fn every_cause_says_what_its_page_shows() {
    let all = Cause::ALL.iter().filter(|cause| **cause != Cause::DatabaseLock);
    for cause in all {
        let verdict = judge(&example(*cause), PATIENCE_MS);
        assert_eq!((verdict.cause, verdict.sentence.as_str()), (*cause, cause.example()));
    }
}

/// Its sentence has two witnesses.
#[test]
fn a_database_says_what_its_page_shows() {
    let facts = example(Cause::AnswerOwed);
    let waiting = Backend {
        pid: 42,
        client: "10.0.0.4".parse().ok(),
        port: Some(51312),
        state: "active".to_owned(),
        wait: Some(("Lock".to_owned(), "transactionid".to_owned())),
        query: "update t set x = 3".to_owned(),
        blocked_by: vec![88],
        ..Backend::default()
    };
    let holder = Backend {
        pid: 88,
        application: "report".to_owned(),
        client: "10.0.0.9".parse().ok(),
        port: Some(40112),
        state: "idle in transaction".to_owned(),
        query: "select 1".to_owned(),
        transaction_ms: Some(5 * HOURS),
        ..Backend::default()
    };
    let found = Diagnosis { verdict: judge(&facts, PATIENCE_MS), facts }.with_database(&[waiting, holder]);
    assert_eq!(found.verdict.cause, Cause::DatabaseLock);
    assert_eq!(found.verdict.sentence, Cause::DatabaseLock.example());
}

fn example(cause: Cause) -> ProcessFacts {
    match cause {
        Cause::Dead | Cause::Stopped | Cause::Traced | Cause::Frozen => held(cause),
        Cause::Throttled | Cause::Starved | Cause::Thrash | Cause::Busy => worn(cause),
        Cause::Deadlock | Cause::LockHeld | Cause::SignalOnly => locked(cause),
        Cause::ServedFile | Cause::DiskWait | Cause::FileLock => at_file(cause),
        Cause::PipeOwn | Cause::PipeSilent | Cause::PipeFull => at_pipe(cause),
        Cause::AnswerOwed
        | Cause::Unreachable
        | Cause::NextMessage
        | Cause::SendBlocked
        | Cause::Connecting
        | Cause::Idle => at_connection(cause),
        Cause::LocalAnswer => single(5 * MINUTE, Wait::Read(4), Some(agent())),
        Cause::Terminal => {
            single(20 * MINUTE, Wait::Read(0), Some(Resource::Terminal { path: "/dev/pts/3".to_owned() }))
        }
        Cause::FifoOpen => {
            in_kernel(single(8 * MINUTE, Wait::Path("/run/feed".to_owned()), None), "wait_for_partner")
        }
        Cause::ChildWait => {
            let children = vec![Child { label: label(4711, "load.py"), state: ThreadState::Sleeping }];
            ProcessFacts { children, ..single(NIGHT, Wait::Child(None), None) }
        }
        Cause::Sleeps => {
            let mut facts = single(12 * SECOND, Wait::Timer, None);
            if let CallState::In(call) = &mut facts.threads[0].call {
                call.timeout_ms = Some(30 * SECOND);
            }
            facts
        }
        Cause::Unknown => {
            let mut facts = in_kernel(single(2 * MINUTE, Wait::Other, None), "some_function");
            facts.threads[0].call = CallState::Unreadable;
            facts
        }
        Cause::DatabaseLock => unreachable!("it needs a database's word"),
    }
}

/// One thread that has waited this long; the file is the one that the wait names.
fn single(waited_ms: u64, wait: Wait, resource: Option<Resource>) -> ProcessFacts {
    let fd = match &wait {
        Wait::Read(fd) | Wait::Write(fd) | Wait::Connect(fd) | Wait::Accept(fd) | Wait::FileLock(fd) => *fd,
        _ => 0,
    };
    let file = resource.map(|resource| Descriptor { fd, access: Access::Both, resource });
    let mut facts = process(vec![thread(1, wait)], Vec::new());
    facts.files = file.into_iter().collect();
    facts.threads[0].waited_ms = Some(waited_ms);
    facts
}

fn in_kernel(mut facts: ProcessFacts, function: &str) -> ProcessFacts {
    facts.threads[0].wchan = Some(function.to_owned());
    facts
}

fn agent() -> Resource {
    Resource::Unix(UnixFacts {
        path: Some("/run/agent.sock".to_owned()),
        peer: Some(label(321, "agent")),
        ..UnixFacts::default()
    })
}

fn held(cause: Cause) -> ProcessFacts {
    let (waited_ms, state) = match cause {
        Cause::Dead => (250 * SECOND, ThreadState::Zombie),
        Cause::Stopped => (123 * MINUTE, ThreadState::Stopped),
        Cause::Traced => (MINUTE, ThreadState::Traced),
        _ => (12 * MINUTE, ThreadState::Sleeping),
    };
    let mut facts = single(waited_ms, Wait::Timer, None);
    facts.threads[0].state = state;
    facts.frozen = cause == Cause::Frozen;
    (facts.parent, facts.tracer) = (Some(label(800, "make")), Some(label(912, "gdb")));
    facts
}

/// Ready all the time, and not always on a processor.
fn worn(cause: Cause) -> ProcessFacts {
    let mut facts = single(0, Wait::Other, None);
    let thread = &mut facts.threads[0];
    (thread.state, thread.states) = (ThreadState::Running, vec![ThreadState::Running; 3]);
    (thread.call, thread.waited_ms) = (CallState::Running, None);
    thread.cpu_us = match cause {
        Cause::Busy => 490_000,
        Cause::Throttled => 40_000,
        _ => 12_000,
    };
    thread.run_queue_us = 500_000 - thread.cpu_us;
    if cause == Cause::Thrash {
        thread.major_faults = 1500;
        facts.memory.swapped_bytes = 1229 << 20;
    }
    facts.throttled_ms = (cause == Cause::Throttled).then_some(410);
    facts
}

fn locked(cause: Cause) -> ProcessFacts {
    let lock = |owner: Option<i32>| {
        Wait::Futex(Futex { address: 0x55d0_c8a0, owner, private: true, ..Futex::default() })
    };
    let named = |tid: i32, name: &str, ms: u64, wait: Wait| ThreadFacts {
        name: name.to_owned(),
        waited_ms: Some(ms),
        ..thread(tid, wait)
    };
    let threads = match cause {
        Cause::Deadlock => {
            vec![named(4711, "main", NIGHT, lock(Some(4713))), named(4713, "worker", NIGHT, lock(Some(4711)))]
        }
        Cause::LockHeld => vec![
            named(4711, "main", 3 * MINUTE, lock(Some(4713))),
            named(4713, "worker", 3 * MINUTE, Wait::Read(4)),
        ],
        _ => (0..8).map(|at| named(4711 + at, "worker", 9 * HOURS, lock(None))).collect(),
    };
    let mut facts = process(threads, Vec::new());
    facts.label = label(4711, "batch");
    facts.files = vec![Descriptor { fd: 4, access: Access::Both, resource: agent() }];
    // SIGTERM's.
    facts.signals_caught = 1 << 14;
    facts
}

fn at_file(cause: Cause) -> ProcessFacts {
    let file = |path: &str, file_system: Option<FileSystem>| {
        let path = path.to_owned();
        Some(Resource::File { path, file_system, bytes: None, written_ms_ago: None })
    };
    let nfs = FileSystem {
        kind: "nfs4".to_owned(),
        source: "filer:/export".to_owned(),
        mount_point: "/data".to_owned(),
    };
    match cause {
        Cause::ServedFile => single(16 * MINUTE, Wait::Read(5), file("/data/in.csv", Some(nfs))),
        Cause::DiskWait => {
            let facts = single(40 * SECOND, Wait::Sync(Some(7)), file("/var/db/log", None));
            let mut facts = in_kernel(facts, "jbd2_log_wait_commit");
            facts.files[0].fd = 7;
            facts.threads[0].state = ThreadState::Uninterruptible;
            facts
        }
        _ => {
            let mut facts = single(3 * MINUTE, Wait::FileLock(3), file("/run/job.lock", None));
            let holders = vec![label(77, "backup")];
            let (kind, path) = ("flock".to_owned(), "/run/job.lock".to_owned());
            facts.lock_waits = vec![LockWait { kind, exclusive: true, file: path, holders }];
            facts
        }
    }
}

fn at_pipe(cause: Cause) -> ProcessFacts {
    let pipe = |pid: i32, name: &str, access: Access| {
        let holders = vec![Holder { process: label(pid, name), fd: 3, access }];
        Some(Resource::Pipe { inode: 5512, holders })
    };
    match cause {
        Cause::PipeOwn => single(HOURS, Wait::Read(3), pipe(1, "batch", Access::Write)),
        Cause::PipeSilent => single(8 * MINUTE, Wait::Read(0), pipe(61, "producer", Access::Write)),
        _ => single(8 * MINUTE, Wait::Write(1), pipe(62, "less", Access::Read)),
    }
}

fn at_connection(cause: Cause) -> ProcessFacts {
    let to = |remote: &str, facts: TcpFacts| {
        Some(Resource::Tcp(TcpFacts { remote: remote.parse().unwrap(), ..facts }))
    };
    let (ours, theirs) =
        (tcp(Side::Client, NIGHT, NIGHT + MINUTE), tcp(Side::Client, 4 * MINUTE, 3 * MINUTE));
    let postgres = "10.0.0.5:5432";
    match cause {
        Cause::AnswerOwed => single(NIGHT, Wait::Read(6), to(postgres, ours)),
        Cause::NextMessage => single(3 * MINUTE, Wait::Read(6), to(postgres, theirs)),
        Cause::Unreachable => {
            let facts = TcpFacts { send_queue: 120, retransmits: 9, ..ours };
            single(14 * MINUTE, Wait::Read(6), to(postgres, facts))
        }
        Cause::SendBlocked => {
            let facts = TcpFacts { send_queue: 5 << 19, ..ours };
            single(8 * MINUTE, Wait::Write(4), to("10.0.0.7:9000", facts))
        }
        Cause::Connecting => {
            let facts = TcpFacts { state: SocketState::SynSent, ..ours };
            single(32 * SECOND, Wait::Connect(9), to("10.0.0.8:8983", facts))
        }
        _ => {
            let local = "0.0.0.0:8983".parse().unwrap();
            let facts = TcpFacts { local, state: SocketState::Listen, ..ours };
            single(9 * HOURS, Wait::Accept(3), to("0.0.0.0:0", facts))
        }
    }
}
