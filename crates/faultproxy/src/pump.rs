//! Carries one direction of one connection through its link: reads, waits until the bytes are due, writes.
//! Reading goes on while earlier bytes wait, as they would under way, up to a bound. In: a reader, a writer
//! and the link between them; out: an end or a reset. How late bytes are due, and what is dropped, is the
//! link's.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, sleep_until};

use crate::link::Link;

const READ_BYTES: usize = 16 << 10;
/// What may be under way on a connection: enough for 40 MB/s at 100 ms.
const UNDER_WAY_BYTES: usize = 4 << 20;

/// The connection is to be reset, at both ends.
#[derive(Debug)]
pub(crate) struct Reset;

enum Parcel {
    Bytes(Bytes, OwnedSemaphorePermit),
    End,
    Reset,
}

/// Until the end of the stream has been passed on.
pub(crate) async fn pump<R, W>(reader: R, writer: W, link: &Link, dice: fastrand::Rng) -> Result<(), Reset>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::try_join!(take_in(reader, link, dice, sender), give_out(writer, link, receiver))?;
    Ok(())
}

async fn take_in<R: AsyncRead + Unpin>(
    mut reader: R,
    link: &Link,
    mut dice: fastrand::Rng,
    sender: mpsc::UnboundedSender<(Instant, Parcel)>,
) -> Result<(), Reset> {
    let room = Arc::new(Semaphore::new(UNDER_WAY_BYTES));
    let (mut passed, mut last_due) = (0, Instant::now());
    loop {
        link.passable(passed).await;
        let mut buffer = BytesMut::with_capacity(READ_BYTES);
        let read = reader.read_buf(&mut buffer).await.map_err(|_| Reset)?;
        let faults = link.faults();
        if dice.f64() < faults.loss {
            return Err(Reset);
        }
        // Later bytes never overtake earlier ones, however the dice fall.
        last_due = last_due.max(link.due(read, &mut dice));
        let send = |parcel| sender.send((last_due, parcel)).map_err(|_| Reset);
        if read == 0 {
            return send(Parcel::End);
        }
        let limit = faults.reset_after.map_or(u64::MAX, |limit| limit.saturating_sub(passed));
        let kept = usize::try_from(limit).map_or(read, |limit| limit.min(read));
        if kept > 0 {
            let permit = room.clone().acquire_many_owned(kept as u32).await.map_err(|_| Reset)?;
            send(Parcel::Bytes(buffer.split_to(kept).freeze(), permit))?;
        }
        if limit <= read as u64 {
            return send(Parcel::Reset);
        }
        passed += read as u64;
    }
}

async fn give_out<W: AsyncWrite + Unpin>(
    mut writer: W,
    link: &Link,
    mut receiver: mpsc::UnboundedReceiver<(Instant, Parcel)>,
) -> Result<(), Reset> {
    let mut passed = 0;
    while let Some((due, parcel)) = receiver.recv().await {
        sleep_until(due).await;
        match parcel {
            Parcel::Bytes(bytes, _permit) => {
                give_out_bytes(&mut writer, link, bytes, &mut passed).await?;
            }
            Parcel::End => {
                link.passable(passed).await;
                return writer.shutdown().await.map_err(|_| Reset);
            }
            Parcel::Reset => return Err(Reset),
        }
    }
    Ok(())
}

/// In parts where a cut falls within them.
async fn give_out_bytes<W: AsyncWrite + Unpin>(
    writer: &mut W,
    link: &Link,
    mut bytes: Bytes,
    passed: &mut u64,
) -> Result<(), Reset> {
    while !bytes.is_empty() {
        link.passable(*passed).await;
        let limit = link.faults().cut_after.map_or(u64::MAX, |limit| limit.saturating_sub(*passed));
        let part = bytes.split_to(usize::try_from(limit).map_or(bytes.len(), |limit| limit.min(bytes.len())));
        writer.write_all(&part).await.map_err(|_| Reset)?;
        *passed += part.len() as u64;
        link.count(part.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{DuplexStream, duplex};

    use super::*;

    const AMPLE: usize = 64 << 20;

    /// A pump with `faults`, its two ends, and its link.
    fn pumped(
        faults: &str,
    ) -> (DuplexStream, DuplexStream, Arc<Link>, tokio::task::JoinHandle<Result<(), Reset>>) {
        let (source, reader) = duplex(AMPLE);
        let (writer, sink) = duplex(AMPLE);
        let link = Arc::new(Link::new());
        link.set(faults.parse().unwrap());
        let through = link.clone();
        let task =
            tokio::spawn(async move { pump(reader, writer, &through, fastrand::Rng::with_seed(7)).await });
        (source, sink, link, task)
    }

    async fn read_all(mut sink: DuplexStream) -> Vec<u8> {
        let mut all = Vec::new();
        sink.read_to_end(&mut all).await.unwrap();
        all
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_and_the_end_are_late_by_the_delay() {
        let (mut source, sink, _, task) = pumped("delay=250ms");
        let started = Instant::now();
        source.write_all(b"abc").await.unwrap();
        drop(source);
        assert_eq!(read_all(sink).await, b"abc");
        assert_eq!(started.elapsed(), Duration::from_millis(250));
        task.await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_is_kept_by_all_connections_together() {
        let (mut first, first_sink, link, _) = pumped("rate=1m");
        let (second_reader, second_writer) = duplex(AMPLE);
        let (second_out, second_sink) = duplex(AMPLE);
        let shared = link.clone();
        tokio::spawn(async move {
            pump(second_writer, second_out, &shared, fastrand::Rng::with_seed(8)).await.unwrap();
        });
        let (started, mut second) = (Instant::now(), second_reader);
        first.write_all(&vec![1; 500_000]).await.unwrap();
        second.write_all(&vec![2; 500_000]).await.unwrap();
        drop((first, second));
        let (a, b) = tokio::join!(read_all(first_sink), read_all(second_sink));
        assert_eq!((a.len(), b.len(), link.bytes()), (500_000, 500_000, 1_000_000));
        // The clock of tokio goes by whole milliseconds.
        let took = started.elapsed();
        assert!((1000..=1002).contains(&took.as_millis()), "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn jitter_keeps_the_order() {
        let (mut source, sink, _, _) = pumped("jitter=50ms");
        let sent: Vec<u8> = (0..200).collect();
        for byte in &sent {
            source.write_all(&[*byte]).await.unwrap();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        drop(source);
        assert_eq!(read_all(sink).await, sent);
    }

    #[tokio::test(start_paused = true)]
    async fn a_cut_holds_everything_until_it_heals() {
        let (mut source, mut sink, link, task) = pumped("cut");
        source.write_all(b"abc").await.unwrap();
        drop(source);
        let nothing = tokio::time::timeout(Duration::from_secs(3600), sink.read_u8()).await;
        assert!(nothing.is_err() && !task.is_finished());
        link.set(crate::Faults::default());
        assert_eq!(read_all(sink).await, b"abc");
    }

    #[tokio::test(start_paused = true)]
    async fn a_stall_comes_after_exactly_so_many_bytes() {
        let (mut source, mut sink, link, _) = pumped("cut-after=2");
        source.write_all(b"abcd").await.unwrap();
        let mut two = [0; 2];
        sink.read_exact(&mut two).await.unwrap();
        assert_eq!(&two, b"ab");
        assert!(tokio::time::timeout(Duration::from_secs(3600), sink.read_u8()).await.is_err());
        drop(source);
        link.set(crate::Faults::default());
        assert_eq!(read_all(sink).await, b"cd");
    }

    #[tokio::test(start_paused = true)]
    async fn a_reset_comes_after_exactly_so_many_bytes() {
        let (mut source, sink, _, task) = pumped("reset-after=2 delay=1ms");
        source.write_all(b"abcd").await.unwrap();
        assert_eq!(read_all(sink).await, b"ab");
        assert!(task.await.unwrap().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn loss_is_a_reset_and_follows_from_the_seed() {
        let mut survived = Vec::new();
        for _ in 0..2 {
            let (mut source, _sink, link, task) = pumped("loss=0.1");
            while !task.is_finished() {
                let _ = source.write_all(b"x").await;
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            survived.push(link.bytes());
        }
        assert_eq!(survived[0], survived[1]);
        assert!((1..200).contains(&survived[0]), "{survived:?}");
    }
}
