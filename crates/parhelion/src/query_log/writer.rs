//! Between requests and the disk: records wait in a queue of bounded size, and one thread writes what has
//! gathered. A request only takes the queue's lock; what does not fit is dropped and counted, and the count
//! becomes a line. The disk may be as slow or as full as it likes.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context as _;
use http::{QueryLog, QueryLogFigures, QueryRecord};
use meter::Clock;

use super::files::QueryLogFiles;
use super::line::{QueryLine, ShownSecond, write_search};

/// What waiting records may take of the memory.
const QUEUE_BYTES_MAX: usize = 4 << 20;

/// More than a line has beside its search and its user.
const LINE_BYTES: usize = 160;

/// Of a buffer that is empty again: memory taken anew costs more than the lines do.
const LINES_KEPT: usize = 256 << 10;

/// Records gather for this long before they are written. A thread woken for each would cost the processor
/// more than a short search does.
const GATHER: Duration = Duration::from_millis(200);

/// The query log of this process. Dropping it writes what waits.
pub struct QueryLogWriter {
    shared: Arc<SharedQueue>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct SharedQueue {
    queue: Mutex<RecordQueue>,
    /// The first record has come, the queue is half full, or it is closed.
    changed: Condvar,
    bytes: AtomicU64,
    written: AtomicU64,
    dropped: AtomicU64,
}

#[derive(Default)]
struct RecordQueue {
    /// Records as they are written: one buffer, which costs no allocation a record, and whose memory no
    /// other thread takes apart.
    lines: Vec<u8>,
    records: u64,
    shown: ShownSecond,
    is_closed: bool,
}

impl RecordQueue {
    fn is_pressing(&self) -> bool {
        self.is_closed || self.lines.len() > QUEUE_BYTES_MAX / 2
    }
}

impl QueryLogWriter {
    /// Writes below `folder`, `bytes_max` at most. Errors: there is no thread to be had.
    pub fn start(folder: PathBuf, bytes_max: u64, clock: Arc<dyn Clock>) -> anyhow::Result<Self> {
        let shared = Arc::<SharedQueue>::default();
        let files = QueryLogFiles::new(folder.clone(), bytes_max);
        let mut work = QueryLogWork::new(shared.clone(), files, folder, clock);
        let thread = std::thread::Builder::new().name("query-log".to_owned()).spawn(move || work.run());
        let thread = thread.context("cannot start the thread that writes the query log")?;
        Ok(Self { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Writes what waits; records that come later are dropped. Blocks.
    pub fn close(&self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_all();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // It has nobody to tell of a panic but the log.
            if thread.join().is_err() {
                tracing::error!("the thread that writes the query log has failed");
            }
        }
    }
}

impl Drop for QueryLogWriter {
    fn drop(&mut self) {
        self.close();
    }
}

impl QueryLog for QueryLogWriter {
    fn note(&self, record: &QueryRecord) {
        let bytes = record.search.members.len() + record.user.as_ref().map_or(0, String::len) + LINE_BYTES;
        let mut locked = self.shared.lock();
        let queue = &mut *locked;
        if queue.is_closed || queue.lines.len() + bytes > QUEUE_BYTES_MAX {
            self.shared.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let was = (queue.records == 0, queue.is_pressing());
        // Under the lock: some hundred nanoseconds, which a copy made outside would cost as well.
        write_search(record, &mut queue.shown, &mut queue.lines);
        queue.records += 1;
        let is_news = was != (false, queue.is_pressing());
        drop(locked);
        if is_news {
            self.shared.changed.notify_one();
        }
    }

    fn figures(&self) -> QueryLogFigures {
        let SharedQueue { bytes, written, dropped, .. } = &*self.shared;
        let [bytes, written, dropped] = [bytes, written, dropped].map(|count| count.load(Ordering::Relaxed));
        QueryLogFigures { bytes, written, dropped }
    }
}

impl SharedQueue {
    fn lock(&self) -> MutexGuard<'_, RecordQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for records, and lets them gather. Gives their lines in `lines`, which is empty and is filled
    /// next, how many they are, and whether there may be more.
    fn take(&self, lines: &mut Vec<u8>) -> (u64, bool) {
        let is_empty = |queue: &mut RecordQueue| queue.records == 0 && !queue.is_closed;
        let queue = self.changed.wait_while(self.lock(), is_empty).unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(queue, GATHER, |queue| !queue.is_pressing());
        let (mut queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut queue.lines, lines);
        (std::mem::take(&mut queue.records), !queue.is_closed)
    }
}

/// What the thread does.
struct QueryLogWork {
    shared: Arc<SharedQueue>,
    files: QueryLogFiles,
    folder: PathBuf,
    clock: Arc<dyn Clock>,
    /// Of the records that are written; else empty, with its memory kept.
    lines: Vec<u8>,
    /// How many dropped records lines have told of.
    told: u64,
    /// Whether the disk did not take the last lines: told once.
    is_failing: bool,
}

impl QueryLogWork {
    fn new(shared: Arc<SharedQueue>, files: QueryLogFiles, folder: PathBuf, clock: Arc<dyn Clock>) -> Self {
        Self { shared, files, folder, clock, lines: Vec::new(), told: 0, is_failing: false }
    }

    fn run(&mut self) {
        loop {
            let (records, goes_on) = self.shared.take(&mut self.lines);
            self.write(records);
            if !goes_on {
                return;
            }
        }
    }

    /// Writes `lines`, in which so many records are.
    fn write(&mut self, count: u64) {
        let dropped = self.shared.dropped.load(Ordering::Relaxed);
        if dropped > self.told {
            let told = QueryLine::dropped(self.clock.now_ms(), dropped - self.told).to_bytes();
            self.lines.splice(0..0, told);
        }
        let appended = self.files.append(&self.lines);
        self.lines.clear();
        self.lines.shrink_to(LINES_KEPT);
        match appended {
            Ok(()) => {
                self.told = dropped;
                self.shared.written.fetch_add(count, Ordering::Relaxed);
                self.is_failing = false;
            }
            Err(error) => {
                self.shared.dropped.fetch_add(count, Ordering::Relaxed);
                if !std::mem::replace(&mut self.is_failing, true) {
                    tracing::warn!(
                        %error,
                        "cannot write the query log in `{}`: searches go on and are not logged until it can be \
                         written again; make room or serve with `--query-log off`",
                        self.folder.display()
                    );
                }
            }
        }
        self.shared.bytes.store(self.files.bytes(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use http::LoggedSearch;

    use super::*;
    use crate::query_log::lines::{LogLines, log_files};

    /// Stands still.
    struct Still;

    impl Clock for Still {
        fn now_ms(&self) -> i64 {
            0
        }
    }

    fn record(q: &str) -> QueryRecord {
        let params = format!(r#"{{"q":["{q}"]}}"#);
        let members = format!(r#""collection":"films","handler":"/select","params":{params}"#);
        let search = LoggedSearch { members: members.into_bytes(), hits: Some(1) };
        QueryRecord {
            time_ms: 0,
            search: Arc::new(search),
            status: 200,
            was_kept: false,
            elapsed: Duration::from_millis(1),
            user: None,
        }
    }

    /// As it is read again.
    fn line(q: &str) -> QueryLine {
        let mut text = Vec::new();
        write_search(&record(q), &mut ShownSecond::default(), &mut text);
        serde_json::from_slice(&text).unwrap()
    }

    fn writer(folder: &Path) -> QueryLogWriter {
        QueryLogWriter::start(folder.to_owned(), 1 << 20, Arc::new(Still)).unwrap()
    }

    fn read(folder: &Path) -> Vec<QueryLine> {
        log_files(folder)
            .unwrap()
            .into_iter()
            .flat_map(|file| LogLines::open(&file).unwrap().map(Result::unwrap).collect::<Vec<_>>())
            .collect()
    }

    #[test]
    fn what_was_noted_is_there_after_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let log = writer(folder.path());
        ["a", "b", "c"].into_iter().for_each(|q| log.note(&record(q)));
        log.close();
        assert_eq!(read(folder.path()), ["a", "b", "c"].map(line));
        let on_disk = std::fs::metadata(&log_files(folder.path()).unwrap()[0]).unwrap().len();
        assert_eq!(log.figures(), QueryLogFigures { bytes: on_disk, written: 3, dropped: 0 });
        log.note(&record("late"));
        assert_eq!(log.figures().dropped, 1);
    }

    #[test]
    fn what_does_not_fit_is_dropped_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let shared = Arc::<SharedQueue>::default();
        let log = QueryLogWriter { shared: shared.clone(), thread: Mutex::default() };
        let long = "x".repeat(QUEUE_BYTES_MAX / 64);
        (0..100).for_each(|_| log.note(&record(&long)));
        assert_eq!((shared.lock().records, log.figures().dropped), (63, 37));
        assert!(shared.lock().lines.len() <= QUEUE_BYTES_MAX);
        let files = QueryLogFiles::new(folder.path().to_owned(), 64 << 20);
        let mut work = QueryLogWork::new(shared.clone(), files, folder.path().to_owned(), Arc::new(Still));
        let (records, goes_on) = shared.take(&mut work.lines);
        assert!(goes_on);
        work.write(records);
        log.note(&record("short"));
        log.close();
        work.run();
        let lines = read(folder.path());
        assert_eq!((lines.len(), &lines[0]), (65, &QueryLine::dropped(0, 37)));
        assert_eq!(lines[64], line("short"));
    }

    #[test]
    fn a_disk_that_takes_nothing_costs_records_alone() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("queries");
        std::fs::write(&place, "in the way").unwrap();
        let log = writer(&place);
        log.note(&record("a"));
        log.close();
        assert_eq!(log.figures(), QueryLogFigures { bytes: 0, written: 0, dropped: 1 });
    }
}
