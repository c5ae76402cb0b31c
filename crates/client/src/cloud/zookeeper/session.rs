//! One connection to one server of ZooKeeper, with its session: questions go out together and are answered in
//! order. It sends no pings: a session that nobody uses for longer than its time ends by itself, and who asks
//! next has to open another.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::failure::ZooKeeperError;
use super::wire::{self, Answered, Ask, FRAME_BYTES_MAX};

/// As many questions go out together.
pub(super) const AT_ONCE: usize = 100;
/// Longer than a state may be old before it is fetched anew, so that who asks all the time keeps the session.
const SESSION_MS: i32 = 40_000;

pub(super) struct Session {
    server: String,
    stream: TcpStream,
    /// Of the last question.
    number: i32,
    buffer: BytesMut,
}

impl Session {
    pub async fn open(server: &str, patience: Duration) -> Result<Self, ZooKeeperError> {
        let opening = async {
            let stream = TcpStream::connect(server).await?;
            stream.set_nodelay(true)?;
            std::io::Result::Ok(stream)
        };
        let away = |reason: String| ZooKeeperError::Away { server: server.to_owned(), reason };
        let stream = timeout(patience, opening).await.map_err(|_| away(late(patience)))?;
        let stream = stream.map_err(|error| away(error.to_string()))?;
        let mut session = Self { server: server.to_owned(), stream, number: 0, buffer: BytesMut::new() };
        session.write(&wire::connect(SESSION_MS), patience).await?;
        wire::read_connected(session.read_frame(patience).await?)?;
        Ok(session)
    }

    pub async fn ask<'a, const N: usize>(
        &mut self,
        asks: &'a [Ask; N],
        patience: Duration,
    ) -> Result<[Answered<'a>; N], ZooKeeperError> {
        let answers = self.ask_all(asks, patience).await?;
        answers.try_into().map_err(|_| ZooKeeperError::Malformed("answers are missing".to_owned()))
    }

    /// An answer for each. So few that neither side waits with sending for the other to read: see
    /// [`AT_ONCE`]. Errors: the session is of no use any more.
    pub async fn ask_all<'a>(
        &mut self,
        asks: &'a [Ask],
        patience: Duration,
    ) -> Result<Vec<Answered<'a>>, ZooKeeperError> {
        let first = self.number;
        let mut out = BytesMut::new();
        for ask in asks {
            self.number = self.number.wrapping_add(1).max(1);
            out.extend_from_slice(&ask.frame(self.number));
        }
        self.write(&out, patience).await?;
        let (mut answers, mut number) = (Vec::with_capacity(asks.len()), first);
        for ask in asks {
            number = number.wrapping_add(1).max(1);
            let answer = loop {
                let body = self.read_frame(patience).await?;
                if let Some(answer) = ask.answer(number, body)? {
                    break answer;
                }
            };
            answers.push(answer);
        }
        Ok(answers)
    }

    async fn write(&mut self, bytes: &[u8], patience: Duration) -> Result<(), ZooKeeperError> {
        let written = timeout(patience, self.stream.write_all(bytes)).await;
        written.map_err(|_| self.away(late(patience)))?.map_err(|error| self.away(error.to_string()))
    }

    /// The body of the next one.
    async fn read_frame(&mut self, patience: Duration) -> Result<Bytes, ZooKeeperError> {
        loop {
            if let Some(head) = self.buffer.first_chunk::<4>() {
                let length = usize::try_from(i32::from_be_bytes(*head)).unwrap_or(usize::MAX);
                if length > FRAME_BYTES_MAX {
                    return Err(self.away("what answers there is no ZooKeeper".to_owned()));
                }
                if self.buffer.len() >= 4 + length {
                    let mut frame = self.buffer.split_to(4 + length).freeze();
                    return Ok(frame.split_off(4));
                }
            }
            match timeout(patience, self.stream.read_buf(&mut self.buffer)).await {
                Ok(Ok(0)) => return Err(self.away("it has closed the connection".to_owned())),
                Ok(Ok(_)) => {}
                Ok(Err(error)) => return Err(self.away(error.to_string())),
                Err(_) => return Err(self.away(late(patience))),
            }
        }
    }

    fn away(&self, reason: String) -> ZooKeeperError {
        ZooKeeperError::Away { server: self.server.clone(), reason }
    }
}

/// Tells the server that the session is over, where that can be done without waiting: else it keeps it for
/// its time.
impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.stream.try_write(&wire::close(self.number.wrapping_add(1).max(1)));
    }
}

fn late(patience: Duration) -> String {
    format!("it does not answer within {} s", patience.as_secs())
}
