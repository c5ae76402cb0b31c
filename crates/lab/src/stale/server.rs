//! A server of one small answer that closes connections which are idle for long, as every server does; the
//! experiment needs one whose patience is a fraction of a second. One thread serves all. It is not Parhelion,
//! whose shortest time-out would make a run of a million requests last for days; what is measured here is the
//! client's pool.

use std::io;
use std::net::SocketAddr;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::timeout;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 27\r\n\r\n{\"response\":{\"numFound\":0}}";

/// A head that is longer is no request of ours.
const HEAD_BYTES_MAX: usize = 8 << 10;

pub(super) struct IdleServer {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl IdleServer {
    /// Closes a connection that has asked nothing for `patience`.
    pub fn start(patience: Duration) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = thread::spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                tokio::select! {
                    () = accept_all(&listener, patience) => {}
                    _ = stopped => {}
                }
            });
        });
        Ok(Self { address, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for IdleServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn accept_all(listener: &TcpListener, patience: Duration) {
    while let Ok((stream, _)) = listener.accept().await {
        // A client that goes away ends only its own connection.
        tokio::spawn(async move { drop(serve(stream, patience).await) });
    }
}

async fn serve(mut stream: TcpStream, patience: Duration) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut head = Vec::with_capacity(1 << 10);
    while let Ok(read) = timeout(patience, stream.read_buf(&mut head)).await {
        if read? == 0 || head.len() > HEAD_BYTES_MAX {
            break;
        }
        if head.ends_with(b"\r\n\r\n") {
            head.clear();
            stream.write_all(ANSWER).await?;
        }
    }
    Ok(())
}
