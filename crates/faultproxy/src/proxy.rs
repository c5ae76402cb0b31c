//! The proxy itself: accepts, connects to the server, runs both directions of each connection, resets what is
//! to be reset. What is done to bytes on their way is `link.rs` and `faults.rs`; what a script or a person
//! commands arrives here as settings, for connections that are open as well as for new ones.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep, sleep_until};

use crate::faults::{Direction, Faults};
use crate::link::Link;
use crate::pump::{Reset, pump};
use crate::script::{Command, Script};

/// A running proxy. Dropped, it stops and all its connections with it.
pub struct FaultProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

/// What has gone through so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub connections: u64,
    /// Of them, those that were reset: by a fault, or by one side and so at the other.
    pub resets: u64,
    pub bytes_to_server: u64,
    pub bytes_to_client: u64,
}

struct Shared {
    upstream: String,
    seed: u64,
    to_server: Link,
    to_client: Link,
    refuse: AtomicBool,
    /// Counts the commands to reset; connections watch it.
    reset_commands: watch::Sender<u64>,
    connections: AtomicU64,
    resets: AtomicU64,
}

impl FaultProxy {
    /// Listens at `listen` (port 0 for a free one) and connects each connection to `upstream`, a `host:port`
    /// that is looked up anew each time. The dice of connection number n follow from `seed` and n.
    pub async fn start(listen: SocketAddr, upstream: &str, seed: u64) -> io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        let shared = Arc::new(Shared {
            upstream: upstream.to_owned(),
            seed,
            to_server: Link::new(),
            to_client: Link::new(),
            refuse: AtomicBool::new(false),
            reset_commands: watch::Sender::new(0),
            connections: AtomicU64::new(0),
            resets: AtomicU64::new(0),
        });
        let address = listener.local_addr()?;
        let accepting = tokio::spawn(accept_all(listener, shared.clone()));
        Ok(Self { address, shared, accepting })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Replaces the faults of a direction, for open connections too.
    pub fn set(&self, direction: Direction, faults: Faults) {
        self.shared.link(direction).set(faults);
    }

    pub fn faults(&self, direction: Direction) -> Faults {
        self.shared.link(direction).faults()
    }

    /// Resets every open connection.
    pub fn reset_all(&self) {
        self.shared.reset_commands.send_modify(|count| *count += 1);
    }

    /// Whether new connections are reset at once. (A proxy cannot leave them unanswered: the kernel accepts.)
    pub fn refuse(&self, refuse: bool) {
        self.shared.refuse.store(refuse, Ordering::Relaxed);
    }

    pub fn apply(&self, command: &Command) {
        match command {
            Command::Set(directions, faults) => {
                directions.iter().for_each(|direction| self.set(*direction, *faults));
            }
            Command::Reset => self.reset_all(),
            Command::Refuse(refuse) => self.refuse(*refuse),
        }
    }

    /// Does what the script says when it says so; without a `repeat`, ends after the last command.
    pub async fn play(&self, script: &Script) {
        let mut started = Instant::now();
        loop {
            for (time, command) in &script.steps {
                sleep_until(started + *time).await;
                self.apply(command);
            }
            let Some(period) = script.repeat else { return };
            started += period;
            sleep_until(started).await;
        }
    }

    pub fn traffic(&self) -> Traffic {
        Traffic {
            connections: self.shared.connections.load(Ordering::Relaxed),
            resets: self.shared.resets.load(Ordering::Relaxed),
            bytes_to_server: self.shared.to_server.bytes(),
            bytes_to_client: self.shared.to_client.bytes(),
        }
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Shared {
    fn link(&self, direction: Direction) -> &Link {
        match direction {
            Direction::ToServer => &self.to_server,
            Direction::ToClient => &self.to_client,
        }
    }

    async fn serve(&self, mut client: TcpStream, number: u64) {
        let mut dice = fastrand::Rng::with_seed(self.seed.wrapping_add(number));
        if self.refuse.load(Ordering::Relaxed) || self.carry(&mut client, &mut dice).await.is_err() {
            self.resets.fetch_add(1, Ordering::Relaxed);
            let _ = client.set_zero_linger();
        }
    }

    /// Until both directions have ended.
    async fn carry(&self, client: &mut TcpStream, dice: &mut fastrand::Rng) -> Result<(), Reset> {
        let mut reset = self.reset_commands.subscribe();
        // A server that is cut off cannot be connected to; our client believes that it is, for the kernel has
        // accepted.
        tokio::select! {
            () = self.to_server.passable(0) => {}
            _ = reset.changed() => return Err(Reset),
        }
        let mut server = TcpStream::connect(&self.upstream).await.map_err(|_| Reset)?;
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let ((client_reader, client_writer), (server_reader, server_writer)) =
            (client.split(), server.split());
        let forth = pump(client_reader, server_writer, &self.to_server, dice.fork());
        let back = pump(server_reader, client_writer, &self.to_client, dice.fork());
        let ended = tokio::select! {
            ended = async { tokio::try_join!(forth, back) } => ended.map(|_| ()),
            _ = reset.changed() => Err(Reset),
        };
        if ended.is_err() {
            let _ = server.set_zero_linger();
        }
        ended
    }
}

async fn accept_all(listener: TcpListener, shared: Arc<Shared>) {
    let mut open = JoinSet::new();
    loop {
        let Ok((client, _)) = listener.accept().await else {
            // Out of file descriptors, mostly: those that end give some back.
            sleep(Duration::from_millis(10)).await;
            continue;
        };
        let number = shared.connections.fetch_add(1, Ordering::Relaxed);
        let shared = shared.clone();
        open.spawn(async move { shared.serve(client, number).await });
        while open.try_join_next().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// A proxy before a server that sends back whatever it gets, and ends when its client ends.
    async fn before_an_echo() -> FaultProxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let upstream = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let (mut reader, mut writer) = stream.split();
                    let _ = tokio::io::copy(&mut reader, &mut writer).await;
                });
            }
        });
        FaultProxy::start("127.0.0.1:0".parse().unwrap(), &upstream, 1).await.unwrap()
    }

    async fn echo(stream: &mut TcpStream, sent: &[u8]) -> io::Result<Vec<u8>> {
        stream.write_all(sent).await?;
        let mut back = vec![0; sent.len()];
        stream.read_exact(&mut back).await.map(|_| back)
    }

    #[tokio::test]
    async fn bytes_go_both_ways_and_ends_are_passed_on() {
        let proxy = before_an_echo().await;
        let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
        let sent = vec![7; 300_000];
        assert_eq!(echo(&mut stream, &sent).await.unwrap(), sent);
        stream.shutdown().await.unwrap();
        assert_eq!(stream.read(&mut [0]).await.unwrap(), 0);
        let expected =
            Traffic { connections: 1, resets: 0, bytes_to_server: 300_000, bytes_to_client: 300_000 };
        assert_eq!(proxy.traffic(), expected);
    }

    #[tokio::test]
    async fn commands_reset_and_refuse() {
        let proxy = before_an_echo().await;
        let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
        echo(&mut stream, b"x").await.unwrap();
        proxy.apply(&"reset".parse().unwrap());
        let error = stream.read(&mut [0]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);

        proxy.apply(&"refuse".parse().unwrap());
        let mut refused = TcpStream::connect(proxy.address()).await.unwrap();
        assert!(echo(&mut refused, b"x").await.is_err());
        proxy.apply(&"admit".parse().unwrap());
        let mut admitted = TcpStream::connect(proxy.address()).await.unwrap();
        echo(&mut admitted, b"x").await.unwrap();
        assert_eq!((proxy.traffic().connections, proxy.traffic().resets), (3, 2));
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_is_a_reset() {
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let listen = "127.0.0.1:0".parse().unwrap();
        let proxy = FaultProxy::start(listen, &free.to_string(), 1).await.unwrap();
        let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
        assert!(stream.read(&mut [0]).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn scripts_run_by_the_clock() {
        let proxy = before_an_echo().await;
        let script = "1s to-client cut\n3s both clear\n5s repeat".parse().unwrap();
        let cut = || proxy.faults(Direction::ToClient).cut;
        let look = async {
            let mut seen = Vec::new();
            for _ in 0..9 {
                tokio::time::sleep(Duration::from_secs(1)).await;
                tokio::task::yield_now().await;
                seen.push(cut());
            }
            seen
        };
        let seen = tokio::select! {
            () = proxy.play(&script) => unreachable!("it repeats"),
            seen = look => seen,
        };
        assert_eq!(seen, [true, true, false, false, false, true, true, false, false]);
        assert!(!proxy.faults(Direction::ToServer).cut);
    }
}
