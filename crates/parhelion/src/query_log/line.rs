//! A line of the query log: a search, or how many records were dropped before it. Writer and readers share
//! its definition; a reader takes no offence at members that it does not know.

use std::collections::BTreeMap;
use std::io::Write as _;

use http::QueryRecord;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum QueryLine {
    Search(SearchLine),
    Dropped(DroppedLine),
}

/// A search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchLine {
    /// When it came in, to the millisecond.
    pub time: String,
    /// Several are separated by commas.
    pub collection: String,
    pub handler: String,
    pub params: BTreeMap<String, Vec<String>>,
    /// HTTP's, of the answer.
    pub status: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hits: Option<u64>,
    /// To the microsecond.
    pub elapsed_ms: f64,
    /// Whether the answer was kept from an earlier request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
}

/// Records that were too many, or that the disk did not take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DroppedLine {
    pub time: String,
    pub dropped: u64,
}

impl QueryLine {
    pub fn dropped(time_ms: i64, dropped: u64) -> Self {
        Self::Dropped(DroppedLine { time: shown_time(time_ms), dropped })
    }

    /// As it stands in a file, its end among it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

/// A second, as lines show it: most lines are of the same as the one before.
#[derive(Debug, Default)]
pub struct ShownSecond {
    second: i64,
    text: String,
}

impl ShownSecond {
    /// Such as `2026-11-21T10:00:00`.
    fn of(&mut self, second: i64) -> &str {
        if self.second != second || self.text.is_empty() {
            let time = Timestamp::from_second(second).unwrap_or(Timestamp::UNIX_EPOCH);
            self.second = second;
            self.text = time.strftime("%Y-%m-%dT%H:%M:%S").to_string();
        }
        &self.text
    }
}

/// Appends the line of a search, as a [`SearchLine`] is written, its end among it. By hand: what a search
/// was is JSON already.
pub fn write_search(record: &QueryRecord, shown: &mut ShownSecond, out: &mut Vec<u8>) {
    let QueryRecord { time_ms, search, status, was_kept, elapsed, user } = record;
    out.extend_from_slice(b"{\"time\":\"");
    out.extend_from_slice(shown.of(time_ms.div_euclid(1000)).as_bytes());
    // Writing to a vector cannot fail.
    let _ = write!(out, ".{:03}Z\",", time_ms.rem_euclid(1000));
    out.extend_from_slice(&search.members);
    let _ = write!(out, ",\"status\":{status}");
    if let Some(hits) = search.hits {
        let _ = write!(out, ",\"hits\":{hits}");
    }
    let micros = elapsed.as_micros();
    let _ = write!(out, ",\"elapsed_ms\":{}.{:03}", micros / 1000, micros % 1000);
    if *was_kept {
        out.extend_from_slice(b",\"kept\":true");
    }
    if let Some(user) = user {
        out.extend_from_slice(b",\"user\":");
        let _ = serde_json::to_writer(&mut *out, user);
    }
    out.extend_from_slice(b"}\n");
}

fn shown_time(time_ms: i64) -> String {
    let time = Timestamp::from_millisecond(time_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{time:.3}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use http::LoggedSearch;

    use super::*;

    #[test]
    fn a_record_becomes_a_line_and_is_read_again() {
        let members = br#""collection":"films","handler":"/select","params":{"q":["a\nb"]}"#.to_vec();
        let mut record = QueryRecord {
            time_ms: 1_795_255_200_007,
            search: Arc::new(LoggedSearch { members, hits: Some(0) }),
            status: 200,
            was_kept: false,
            elapsed: Duration::from_nanos(1_234_567),
            user: None,
        };
        let mut shown = ShownSecond::default();
        let mut line = |record: &QueryRecord| {
            let mut out = Vec::new();
            write_search(record, &mut shown, &mut out);
            String::from_utf8(out).unwrap()
        };
        let text = line(&record);
        assert_eq!(
            text,
            "{\"time\":\"2026-11-21T10:00:00.007Z\",\"collection\":\"films\",\"handler\":\"/select\",\
             \"params\":{\"q\":[\"a\\nb\"]},\"status\":200,\"hits\":0,\"elapsed_ms\":1.234}\n"
        );
        let read: QueryLine = serde_json::from_str(&text).unwrap();
        assert_eq!(String::from_utf8(read.to_bytes()).unwrap(), text, "as its readers would write it");

        record.time_ms += 60_000;
        record.was_kept = true;
        record.user = Some("a\"b".to_owned());
        record.elapsed = Duration::from_micros(20_005);
        let text = line(&record);
        assert!(text.starts_with("{\"time\":\"2026-11-21T10:01:00.007Z\","), "{text}");
        let read: QueryLine = serde_json::from_str(&text).unwrap();
        assert_eq!(String::from_utf8(read.to_bytes()).unwrap(), text);
        record.time_ms = -1;
        assert!(line(&record).starts_with("{\"time\":\"1969-12-31T23:59:59.999Z\""), "before 1970");

        let dropped = QueryLine::dropped(0, 7);
        assert_eq!(serde_json::from_slice::<QueryLine>(&dropped.to_bytes()).unwrap(), dropped);
    }
}
