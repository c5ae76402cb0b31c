//! Every planted cause as something that can be set up anywhere: the process in trouble, with all that must
//! live as long as its trouble does. The tests look at each for its sentence; the table (`examples/table`)
//! measures what looking takes and costs.

use std::any::Any;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::time::Duration;

use doctor::verdict::Cause;
use doctor::{Diagnosis, StuckOptions, ask_postgres, thread_dump};
use rustix::process::Signal;

use super::planting::{Planted, eventually_by, look_with, options};
use super::{frozen, fuse, jvm, postgres, report, thrash};

pub struct Fixture {
    pub cause: Cause,
    /// The file, address or name that the trouble is about.
    pub place: String,
    /// Goes before the process does: until a frozen disk is thawed, no signal ends whoever waits for it.
    pub held: Vec<Box<dyn Any>>,
    pub planted: Planted,
    /// Goes after the process.
    pub ground: Vec<Box<dyn Any>>,
    pub witness: Witness,
}

/// Who is asked beside the kernel.
pub enum Witness {
    None,
    Postgres(String),
    Jvm,
}

/// Sets one up.
///
/// Errors: why that is not possible here.
pub type Plant = fn() -> Result<Fixture, String>;

/// All of them, in the order of `docs/doctor.md`.
#[allow(dead_code, reason = "the tests name theirs; the table takes them all")]
pub const ALL: [(&str, Plant); 25] = [
    ("a peer that owes an answer", || Ok(answer_owed())),
    ("a peer that spoke last", || Ok(next_message())),
    ("a peer that does not read", || Ok(send_blocked())),
    ("a row lock in PostgreSQL", postgres::row_lock),
    ("a pipe that nobody can write to", || Ok(pipe_own())),
    ("a pipe whose writer is silent", || Ok(pipe_silent())),
    ("a pipe whose reader is silent", || Ok(pipe_full())),
    ("a Unix socket whose server is silent", || Ok(local_answer())),
    ("flock held by a third", || Ok(file_lock("lock"))),
    ("an fcntl lock held by a third", || Ok(file_lock("record-lock"))),
    ("two mutexes in two orders (Rust)", || Ok(deadlock())),
    ("two mutexes in two orders (pthread)", || Ok(mutexes())),
    ("two monitors in two orders (JVM)", jvm::deadlock),
    ("a FUSE file, read", fuse::read),
    ("a FUSE file, looked up", fuse::look_up),
    ("a frozen file system", frozen::plant),
    ("a parent after vfork, state D", || Ok(vfork())),
    ("SIGSTOP", || Ok(stopped())),
    ("a dead child", || Ok(dead())),
    ("the report of 2012, whole", || Ok(report::plant())),
    ("pages that do not stay", thrash::plant),
    ("a heap that is swapped out", thrash::swapped),
    ("a busy loop", || Ok(plain("busy", Cause::Busy))),
    ("a sleeper", || Ok(plain("sleep", Cause::Sleeps))),
    ("a server without requests", || Ok(plain("server", Cause::Idle))),
];

impl Fixture {
    pub fn new(cause: Cause, planted: Planted) -> Self {
        let (place, held, ground) = (String::new(), Vec::new(), Vec::new());
        Self { cause, place, held, planted, ground, witness: Witness::None }
    }

    pub fn at(mut self, place: &impl ToString) -> Self {
        self.place = place.to_string();
        self
    }

    pub fn holding(mut self, held: impl Any) -> Self {
        self.held.push(Box::new(held));
        self
    }

    pub fn upon(mut self, ground: impl Any) -> Self {
        self.ground.push(Box::new(ground));
        self
    }

    /// As `parhelion doctor stuck` looks at it.
    pub fn look(&self, options: &StuckOptions) -> Diagnosis {
        let found = look_with(self.planted.pid(), options);
        match &self.witness {
            Witness::None => found,
            Witness::Postgres(url) => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                let asked = runtime.expect("a runtime").block_on(ask_postgres(url, Duration::from_secs(5)));
                found.with_database(&asked.expect("the server answers"))
            }
            Witness::Jvm => {
                let dump = thread_dump(&found.facts, Duration::from_secs(20)).expect("the JVM answers");
                found.with_java(&dump)
            }
        }
    }

    /// The verdict once it is the one that was planted.
    pub fn eventually(&self) -> Diagnosis {
        eventually_by(self.cause, || self.look(&options()))
    }
}

fn plain(kind: &str, cause: Cause) -> Fixture {
    Fixture::new(cause, Planted::start(kind, ""))
}

pub fn pipe_own() -> Fixture {
    plain("pipe-own", Cause::PipeOwn)
}

pub fn pipe_silent() -> Fixture {
    plain("read-stdin", Cause::PipeSilent)
}

pub fn pipe_full() -> Fixture {
    plain("write-stdout", Cause::PipeFull)
}

pub fn deadlock() -> Fixture {
    plain("deadlock", Cause::Deadlock)
}

pub fn mutexes() -> Fixture {
    Fixture::new(Cause::Deadlock, Planted::start_c("mutexes", &[]))
}

pub fn vfork() -> Fixture {
    Fixture::new(Cause::ChildWait, Planted::start_c("vfork", &[]))
}

/// Of the kind of lock that this kind of process takes. The place is the lock's path; the first that is held
/// is its holder.
pub fn file_lock(kind: &str) -> Fixture {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lock").display().to_string();
    let holder = Planted::start(kind, &path);
    holder.eventually(Cause::Sleeps);
    Fixture::new(Cause::FileLock, Planted::start(kind, &path)).at(&path).holding(holder).upon(folder)
}

fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound").to_string();
    (listener, address)
}

pub fn answer_owed() -> Fixture {
    let (listener, address) = listener();
    let planted = Planted::start("ask", &address);
    let silent = listener.accept().expect("it connects");
    Fixture::new(Cause::AnswerOwed, planted).at(&address).holding(silent)
}

pub fn next_message() -> Fixture {
    use std::io::{Read as _, Write as _};
    let (listener, address) = listener();
    let planted = Planted::start_unready("listen-to", &address);
    let (mut peer, _) = listener.accept().expect("it connects");
    peer.read_exact(&mut [0; 10]).expect("it speaks first");
    // The kernel counts in ticks: what falls into one has no order.
    std::thread::sleep(Duration::from_millis(20));
    peer.write_all(b"!").expect("it listens");
    Fixture::new(Cause::NextMessage, planted).at(&address).holding(peer)
}

pub fn send_blocked() -> Fixture {
    let (listener, address) = listener();
    let planted = Planted::start_unready("flood", &address);
    let silent = listener.accept().expect("it connects");
    Fixture::new(Cause::SendBlocked, planted).at(&address).holding(silent)
}

pub fn local_answer() -> Fixture {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("socket").display().to_string();
    let listener = UnixListener::bind(&path).expect("a socket");
    let planted = Planted::start("ask-unix", &path);
    let silent = listener.accept().expect("it connects");
    Fixture::new(Cause::LocalAnswer, planted).at(&path).holding(silent).upon(folder)
}

pub fn stopped() -> Fixture {
    let planted = Planted::start("sleep", "");
    planted.signal(Signal::STOP);
    Fixture::new(Cause::Stopped, planted)
}

/// A child of this process, which does not ask for its exit code until the fixture goes.
pub fn dead() -> Fixture {
    let mut planted = Planted::start("read-stdin", "");
    drop(planted.stdin.take());
    Fixture::new(Cause::Dead, planted)
}
