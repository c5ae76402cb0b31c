//! `/admin/info/logging` and `/api/node/logging/…`: which parts of the program log how much, other levels for
//! them, and the last lines that were worth a warning. Solr differs: it only logs that a level is none
//! (`compat/admin/figures.yaml`).

use plan::{Error, Result};
use solr::admin::{body_params, level_changes};
use solr::params::admin::node as params;
use solr::response::{Entries, Node};
use tracing::level_filters::LevelFilter;

use crate::observe::logs::{LogRecord, Logger};
use crate::request::call::Call;

const LEVELS: [&str; 6] = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF"];

/// Solr's one path for all of it: `set=NAME:LEVEL`, `threshold=LEVEL`, `since=MILLISECONDS`.
pub(super) fn run(call: &Call<'_>) -> Result<Entries> {
    if let Some(text) = call.text(&params::THRESHOLD) {
        call.server.config.logs.set_threshold(level(text)?);
    }
    for change in params::SET.sent_all(&call.params) {
        let (name, level) = change.rsplit_once(':').ok_or_else(|| {
            Error::bad_request(format!("Invalid format, expected level:value, got {change}"))
        })?;
        set(call, name, level)?;
    }
    let mut entries: Entries = vec![watcher()];
    match call.text(&params::SINCE) {
        Some(since) => entries.extend(history(call, since)?),
        None => entries.extend(levels(call)),
    }
    Ok(entries)
}

/// `/api/node/logging/levels`: shown, or changed by a list of `{"logger": …, "level": …}`.
pub(super) fn of_levels(call: &Call<'_>) -> Result<Entries> {
    let Some(content) = &call.content else {
        return Ok(levels(call).into_iter().chain([watcher()]).collect());
    };
    for (logger, level) in level_changes(content.text()?)? {
        set(call, &logger, level.as_deref().unwrap_or("unset"))?;
    }
    Ok(vec![watcher()])
}

/// `/api/node/logging/messages`: the last lines, or from which level on they are kept.
pub(super) fn of_messages(call: &Call<'_>) -> Result<Entries> {
    if let Some(content) = &call.content {
        let body = body_params(content.text()?)?;
        let missing = || Error::bad_request("the body names no level; send `{\"level\": \"WARN\"}`");
        let text = params::LEVEL.sent(&body).or(params::THRESHOLD.sent(&body)).ok_or_else(missing)?;
        call.server.config.logs.set_threshold(level(text)?);
        return Ok(vec![watcher()]);
    }
    let missing = || Error::bad_request("Missing required parameter, 'since'.");
    let mut entries = history(call, call.text(&params::SINCE).ok_or_else(missing)?)?;
    entries.push(watcher());
    Ok(entries)
}

fn set(call: &Call<'_>, name: &str, text: &str) -> Result<()> {
    let chosen = match text {
        "unset" | "null" | "" => None,
        text => Some(level(text)?),
    };
    call.server.config.logs.set(name, chosen)
}

/// Java's names; of those that have no equal here, the next.
fn level(text: &str) -> Result<LevelFilter> {
    Ok(match text.to_ascii_uppercase().as_str() {
        "ALL" | "FINEST" | "TRACE" => LevelFilter::TRACE,
        "DEBUG" | "FINE" => LevelFilter::DEBUG,
        "INFO" => LevelFilter::INFO,
        "WARN" | "WARNING" => LevelFilter::WARN,
        "ERROR" | "SEVERE" | "FATAL" => LevelFilter::ERROR,
        "OFF" => LevelFilter::OFF,
        _ => {
            let known = LEVELS.join(", ");
            return Err(Error::bad_request(format!(
                "`{text}` is no level of the log; use one of {known}, or unset"
            )));
        }
    })
}

fn watcher() -> (solr::response::Name, Node) {
    ("watcher".into(), Node::str("Parhelion"))
}

fn known_levels() -> (solr::response::Name, Node) {
    ("levels".into(), Node::Array(LEVELS.map(Node::str).into()))
}

fn levels(call: &Call<'_>) -> Entries {
    let shown = |logger: Logger| {
        Node::map([
            ("name", Node::from(logger.name)),
            ("level", Node::from(logger.level.to_string().to_ascii_uppercase())),
            ("set", Node::Bool(logger.is_set)),
        ])
    };
    let loggers = call.server.config.logs.loggers().into_iter().map(shown).collect();
    vec![known_levels(), ("loggers".into(), Node::Array(loggers))]
}

/// Lines that are kept and came after a moment.
fn history(call: &Call<'_>, since: &str) -> Result<Entries> {
    let since: i64 = since.parse().map_err(|_| Error::bad_request(format!("invalid timestamp: {since}")))?;
    let logs = &call.server.config.logs;
    let records = logs.records();
    let found = records.iter().any(|record| record.time_ms == since);
    let last = records.last().map_or(-1, |record| record.time_ms);
    let docs: Vec<Node> = records.into_iter().filter(|record| record.time_ms > since).map(shown).collect();
    let buffer = Node::count(logs.kept_max() as u64);
    let mut info: Entries = if since > 0 {
        vec![("since".into(), Node::Long(since)), ("found".into(), Node::Bool(found))]
    } else {
        vec![known_levels()]
    };
    info.extend([("last".into(), Node::Long(last)), ("buffer".into(), buffer)]);
    let history = Node::map([
        ("numFound", Node::count(docs.len() as u64)),
        ("start", Node::Int(0)),
        ("numFoundExact", Node::Bool(true)),
        ("docs", Node::Array(docs)),
    ]);
    Ok(vec![("info".into(), Node::Map(info)), ("history".into(), history)])
}

fn shown(record: LogRecord) -> Node {
    Node::map([
        ("time", Node::Date(record.time_ms)),
        ("level", Node::from(record.level.to_string())),
        ("logger", Node::from(record.logger)),
        ("message", Node::from(record.message)),
    ])
}
