//! What a planted process can be: each kind is one real cause as it is met in the field, or healthy work
//! whose steps are counted. A kind says `ready` and then stands where it stands until its process is killed.
//! It is a program of its own, since what is looked at has to be another process: threads of the test would
//! be seen with the test's own. The tests that start it are in `tests/planted`, the table of times in
//! `examples/table`.

use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use rustix::fs::FlockOperation;

pub fn run(kind: &str, place: &str) -> io::Result<()> {
    match kind {
        "pipe-own" => pipe_own(),
        "read-stdin" => read(io::stdin()),
        "write-stdout" => write_for_ever(io::stdout()),
        "lock" => lock(place, |file| rustix::fs::flock(file, FlockOperation::LockExclusive)),
        "record-lock" => lock(place, |file| rustix::fs::fcntl_lock(file, FlockOperation::LockExclusive)),
        "ask" => ask(TcpStream::connect(place)?),
        "ask-with-log" => ask_with_log(place),
        "listen-to" => listen_to(place),
        "flood" => write_for_ever(TcpStream::connect(place)?),
        "ask-unix" => ask(UnixStream::connect(place)?),
        "parent" => parent(place),
        "deadlock" => deadlock(),
        "busy" => busy(),
        "sleep" => sleep(),
        "server" => server(),
        "unix-server" => unix_server(place),
        "pool" => pool(),
        "read-file" => read(File::open(place)?),
        "hostile" => hostile(Path::new(place)),
        "work-compute" => work(|step| {
            black_box(step.wrapping_mul(31).rotate_left(7));
        }),
        "work-calls" => work(|_| {
            black_box(rustix::process::getppid());
        }),
        "work-files" => work(|_| {
            black_box(File::open("/dev/null").is_ok());
        }),
        "work-memory" => work(|_| {
            // Above what an allocator keeps: each step maps pages, touches some, and gives them back.
            let mut pages = vec![0_u8; 1 << 20];
            pages.iter_mut().step_by(1 << 16).for_each(|byte| *byte = 1);
            black_box(pages);
        }),
        _ => Err(io::Error::other(format!("no kind `{kind}`"))),
    }
}

fn ready() {
    println!("ready");
}

fn read(mut from: impl io::Read) -> io::Result<()> {
    ready();
    from.read_exact(&mut [0; 1])
}

fn pipe_own() -> io::Result<()> {
    let (reader, writer) = io::pipe()?;
    let read = read(reader);
    drop(writer);
    read
}

fn write_for_ever(mut to: impl io::Write) -> io::Result<()> {
    to.write_all(b"ready\n")?;
    loop {
        to.write_all(&[0; 1 << 16])?;
    }
}

fn lock(path: &str, take: fn(&File) -> rustix::io::Result<()>) -> io::Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    ready();
    take(&file)?;
    println!("locked");
    sleep()
}

fn ask(mut peer: impl io::Read + io::Write) -> io::Result<()> {
    peer.write_all(b"a request\n")?;
    read(peer)
}

/// The batch of the field report: a log, a file on a mount, a database that owes an answer.
/// `ADDRESS,LOG,FILE`.
fn ask_with_log(places: &str) -> io::Result<()> {
    let mut places = places.split(',');
    let mut next = || places.next().unwrap_or_default();
    let peer = TcpStream::connect(next())?;
    let mut log = OpenOptions::new().append(true).open(next())?;
    let _out = OpenOptions::new().append(true).open(next())?;
    log.flush()?;
    ask(peer)
}

/// Gets a first message, and waits for more.
fn listen_to(place: &str) -> io::Result<()> {
    let mut peer = TcpStream::connect(place)?;
    peer.write_all(b"subscribe\n")?;
    peer.read_exact(&mut [0; 1])?;
    read(peer)
}

/// Starts this program as its child, with the kind and the place that stand behind a colon, and waits for it.
fn parent(what: &str) -> io::Result<()> {
    let (kind, place) = what.split_once(':').unwrap_or((what, ""));
    Command::new(std::env::current_exe()?).args([kind, place]).status().map(|_| ())
}

/// Two threads take two locks, each in its own order.
fn deadlock() -> io::Result<()> {
    let locks = Arc::new((Mutex::new(()), Mutex::new(()), Barrier::new(2)));
    let other = locks.clone();
    let second = thread::spawn(move || {
        let _second = other.1.lock();
        other.2.wait();
        let _first = other.0.lock();
    });
    ready();
    let _first = locks.0.lock();
    locks.2.wait();
    let _second = locks.1.lock();
    second.join().map_err(|_| io::Error::other("the other thread failed"))
}

fn busy() -> io::Result<()> {
    ready();
    let mut sum = 0_u64;
    loop {
        sum = black_box(sum.wrapping_mul(31).wrapping_add(7));
    }
}

fn sleep() -> io::Result<()> {
    ready();
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}

fn server() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    ready();
    listener.accept().map(|_| ())
}

fn unix_server(place: &str) -> io::Result<()> {
    let listener = UnixListener::bind(place)?;
    ready();
    let (stream, _) = listener.accept()?;
    read(stream)
}

/// Workers that wait for work at a channel, and a main thread that waits for connections.
fn pool() -> io::Result<()> {
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..4).map(|_| mpsc::channel::<()>()).unzip();
    let workers: Vec<_> = receivers.into_iter().map(|work| thread::spawn(move || work.recv())).collect();
    let done = server();
    drop((senders, workers));
    done
}

/// Names that would drive a terminal, forge a line or break a parser, wherever a process may choose its own:
/// its name, its arguments are the caller's, a file and a socket in `folder`.
fn hostile(folder: &Path) -> io::Result<()> {
    std::fs::write("/proc/self/comm", ") R 1\x1b[2J\n(x")?;
    let _file = File::create(folder.join("a\nlock:\t1: FLOCK\x1b]0;x\x07 (deleted)"))?;
    let _socket = UnixListener::bind(folder.join("s\n0000: 1 2\x1b[8m"))?;
    sleep()
}

/// A thread that does steps for ever. For each line that comes in the main thread says how many it has done,
/// and in how many nanoseconds on a processor, both read by the worker itself between two steps.
fn work(step: impl Fn(u64) + Send + 'static) -> io::Result<()> {
    const AT_ONCE: u64 = 64;
    let asked = Arc::new(AtomicBool::new(false));
    let (answer, answers) = mpsc::channel();
    let question = asked.clone();
    thread::Builder::new().name("work".to_owned()).spawn(move || {
        let mut done = 0_u64;
        loop {
            (done..done + AT_ONCE).for_each(&step);
            done += AT_ONCE;
            // Only tells that there is a question: the answer goes by the channel, which orders it.
            if question.swap(false, Ordering::Relaxed) && answer.send((done, processor_ns())).is_err() {
                return;
            }
        }
    })?;
    ready();
    for _line in io::stdin().lines() {
        asked.store(true, Ordering::Relaxed);
        let Ok((done, ns)) = answers.recv() else { break };
        println!("{done} {ns}");
    }
    Ok(())
}

fn processor_ns() -> i64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
