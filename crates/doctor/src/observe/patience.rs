//! Reads of another process that may not come back. Its command line, its mappings, its memory and its
//! program file lie behind a lock or a page that a disk or a server may keep for as long as it likes: whoever
//! asks why it hangs must not hang with it. They are done on a thread that is left behind when it is kept.

use std::cell::{Cell, OnceCell};
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use crate::facts::Unseen;

/// A process that has not let itself be read by then is not asked again.
pub const READ_PATIENCE: Duration = Duration::from_millis(500);

type Read = Box<dyn FnOnce() + Send>;

/// Of one process; its thread starts with the first read and ends with this, or with this program at the
/// latest.
#[derive(Default)]
pub struct PatientReader {
    reads: OnceCell<Sender<Read>>,
    gave_up: Cell<bool>,
}

impl PatientReader {
    /// Errors: those of `read`; `TimedOut` where it takes too long, and from then on.
    pub fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        if self.gave_up.get() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let (answer, answered) = channel();
        let read = Box::new(move || drop(answer.send(read())));
        self.thread()?.send(read).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        answered.recv_timeout(READ_PATIENCE).unwrap_or_else(|_| {
            self.gave_up.set(true);
            Err(io::ErrorKind::TimedOut.into())
        })
    }

    pub fn has_given_up(&self) -> bool {
        self.gave_up.get()
    }

    fn thread(&self) -> io::Result<&Sender<Read>> {
        if let Some(reads) = self.reads.get() {
            return Ok(reads);
        }
        let (reads, to_read) = channel::<Read>();
        let work = move || to_read.into_iter().for_each(|read| read());
        std::thread::Builder::new().name("doctor-read".to_owned()).spawn(work)?;
        Ok(self.reads.get_or_init(|| reads))
    }
}

/// What is said of a process that could not be read.
pub fn given_up(what: &str) -> Unseen {
    Unseen {
        what: what.to_owned(),
        why: format!("a read of it did not come back in {} ms", READ_PATIENCE.as_millis()),
        remedy: "that itself is a finding: its memory, or its program's file, waits for a disk or a server"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_read_that_does_not_come_back_is_given_up_once() {
        let reader = PatientReader::default();
        assert_eq!(reader.read(|| Ok(7)).unwrap(), 7);
        assert_eq!(
            reader.read(|| Err::<(), _>(io::ErrorKind::NotFound.into())).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        assert!(!reader.has_given_up());
        let (let_go, held) = channel::<()>();
        let began = Instant::now();
        let kept = reader.read(move || held.recv().map_err(io::Error::other));
        assert_eq!(kept.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(reader.has_given_up() && began.elapsed() >= READ_PATIENCE);
        // Not waited for again, though it could be read now.
        drop(let_go);
        assert_eq!(reader.read(|| Ok(7)).unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
