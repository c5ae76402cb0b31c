//! The log: to standard error, with levels that can be changed while it is written, and the last warnings and
//! errors kept for those who ask over HTTP. In: events of all crates; out: lines, and a bounded list of the
//! last that matter, which `http` shows at `/solr/admin/info/logging`. What is worth a line is each crate's
//! to say.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{LogRecord, Logger, Logs, ROOT_LOGGER};
use meter::Clock as _;
use plan::Error;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Registry, reload};

use crate::ambient::SystemClock;

/// Lines that are kept, as many as Solr keeps.
const KEPT_MAX: usize = 50;
/// What is longer is cut.
const MESSAGE_BYTES_MAX: usize = 4 << 10;
/// Loggers that may have a level of their own.
const SET_MAX: usize = 100;
/// The parts of the program, by the names that their lines bear.
const PARTS: [&str; 8] = ["analysis", "cluster", "engine", "http", "parhelion", "plan", "solr", "store"];

/// The one log of this process.
pub struct ProcessLogs {
    levels: Mutex<Levels>,
    filter: reload::Handle<Targets, Registry>,
    kept: Arc<Kept>,
}

struct Levels {
    root: LevelFilter,
    own: BTreeMap<String, LevelFilter>,
}

impl Levels {
    fn targets(&self) -> Targets {
        Targets::new().with_default(self.root).with_targets(self.own.clone())
    }

    /// That of the longest name that it begins with.
    fn of(&self, name: &str) -> LevelFilter {
        let above = self.own.iter().filter(|(known, _)| name.starts_with(known.as_str()));
        above.max_by_key(|(known, _)| known.len()).map_or(self.root, |(_, level)| *level)
    }
}

/// Begins to log what is at least of this level. Called once.
pub fn start(level: LevelFilter) -> Arc<ProcessLogs> {
    let levels = Levels { root: level, own: BTreeMap::new() };
    let (filter, handle) = reload::Layer::new(levels.targets());
    let kept = Arc::new(Kept::default());
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    tracing_subscriber::registry().with(filter).with(lines).with(Keeping(kept.clone())).init();
    Arc::new(ProcessLogs { levels: Mutex::new(levels), filter: handle, kept })
}

impl Logs for ProcessLogs {
    fn loggers(&self) -> Vec<Logger> {
        let levels = lock(&self.levels);
        let mut names: Vec<&str> = PARTS.into_iter().chain(levels.own.keys().map(String::as_str)).collect();
        names.sort_unstable();
        names.dedup();
        let root = Logger { name: ROOT_LOGGER.to_owned(), level: levels.root, is_set: true };
        let others = names.into_iter().map(|name| Logger {
            name: name.to_owned(),
            level: levels.of(name),
            is_set: levels.own.contains_key(name),
        });
        std::iter::once(root).chain(others).collect()
    }

    fn set(&self, logger: &str, level: Option<LevelFilter>) -> plan::Result<()> {
        check_name(logger)?;
        let mut levels = lock(&self.levels);
        match (logger, level) {
            (ROOT_LOGGER, Some(level)) => levels.root = level,
            (ROOT_LOGGER, None) => {
                return Err(Error::bad_request("`root` always has a level; choose another"));
            }
            (_, Some(_)) if levels.own.len() >= SET_MAX && !levels.own.contains_key(logger) => {
                return Err(Error::bad_request(format!(
                    "{SET_MAX} loggers have a level of their own; unset one before `{logger}` gets one"
                )));
            }
            (_, Some(level)) => drop(levels.own.insert(logger.to_owned(), level)),
            (_, None) => drop(levels.own.remove(logger)),
        }
        self.filter
            .reload(levels.targets())
            .map_err(|failure| Error::internal(format!("cannot change the level of `{logger}`: {failure}")))
    }

    fn records(&self) -> Vec<LogRecord> {
        lock(&self.kept.records).iter().cloned().collect()
    }

    fn set_threshold(&self, level: LevelFilter) {
        self.kept.threshold.store(rank(level.into_level()), Ordering::Relaxed);
    }

    fn kept_max(&self) -> usize {
        KEPT_MAX
    }
}

fn check_name(logger: &str) -> plan::Result<()> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.' | b'-' | b'$');
    if !logger.is_empty() && logger.len() <= 200 && logger.bytes().all(allowed) {
        return Ok(());
    }
    Err(Error::bad_request(format!(
        "`{logger}` is no logger; use `root` or the name of a part, such as `http`"
    )))
}

/// The last lines from a level on.
struct Kept {
    records: Mutex<VecDeque<LogRecord>>,
    /// By [`rank`].
    threshold: AtomicU8,
}

impl Default for Kept {
    fn default() -> Self {
        Self { records: Mutex::default(), threshold: AtomicU8::new(rank(Some(Level::WARN))) }
    }
}

/// 0 for nothing, 1 for errors, and so on.
fn rank(level: Option<Level>) -> u8 {
    match level {
        None => 0,
        Some(Level::ERROR) => 1,
        Some(Level::WARN) => 2,
        Some(Level::INFO) => 3,
        Some(Level::DEBUG) => 4,
        Some(Level::TRACE) => 5,
    }
}

impl Kept {
    fn push(&self, record: LogRecord) {
        let mut records = lock(&self.records);
        while records.len() >= KEPT_MAX {
            records.pop_front();
        }
        records.push_back(record);
    }
}

/// Where the log's lines pass.
struct Keeping(Arc<Kept>);

impl<S: Subscriber> Layer<S> for Keeping {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = *event.metadata().level();
        if rank(Some(level)) > self.0.threshold.load(Ordering::Relaxed) {
            return;
        }
        let mut message = Message::default();
        event.record(&mut message);
        let logger = event.metadata().target().to_owned();
        self.0.push(LogRecord { time_ms: SystemClock.now_ms(), level, logger, message: message.text() });
    }
}

/// A line's message and then its fields.
#[derive(Default)]
struct Message {
    message: String,
    fields: String,
}

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

impl Message {
    fn text(self) -> String {
        let mut text = self.message + &self.fields;
        if text.len() > MESSAGE_BYTES_MAX {
            let end = (0..=MESSAGE_BYTES_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
            text.truncate(end);
        }
        text
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, since a process has one log.
    #[test]
    fn levels_change_while_it_is_written() {
        let logs = start(LevelFilter::WARN);
        let kept = || logs.records().into_iter().map(|record| record.message).collect::<Vec<_>>();
        tracing::info!(target: "http::service", "not yet");
        tracing::warn!(target: "http::service", code = 7, "first");
        logs.set("http", Some(LevelFilter::INFO)).unwrap();
        logs.set_threshold(LevelFilter::INFO);
        tracing::info!(target: "http::service", "second");
        tracing::info!(target: "engine::merge", "not at all");
        logs.set("http", None).unwrap();
        tracing::info!(target: "http::service", "no more");
        assert_eq!(kept(), ["first code=7", "second"]);
        logs.set("root", Some(LevelFilter::OFF)).unwrap();
        tracing::error!("silence");
        assert_eq!(kept().len(), 2);
        let shown = logs.loggers();
        assert!(shown.iter().all(|logger| logger.level == LevelFilter::OFF), "{shown:?}");
        logs.set("root", Some(LevelFilter::WARN)).unwrap();
        (0..KEPT_MAX + 5).for_each(|number| tracing::warn!(number, "many"));
        assert_eq!((kept().len(), kept().last().unwrap().as_str()), (KEPT_MAX, "many number=54"));
        for name in ["", "a b", "a/b", &"x".repeat(201)] {
            assert!(logs.set(name, Some(LevelFilter::INFO)).is_err(), "{name}");
        }
        assert!(logs.set("root", None).is_err());
        (0..SET_MAX).for_each(|number| logs.set(&format!("n{number}"), Some(LevelFilter::INFO)).unwrap());
        assert!(logs.set("more", Some(LevelFilter::INFO)).is_err());
    }
}
