//! A line of the query log: a search, or how many records were dropped before it. Writer and readers share
//! its definition; a reader takes no offence at members that it does not know.

use std::collections::BTreeMap;
use std::time::Duration;

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

impl From<QueryRecord> for QueryLine {
    fn from(record: QueryRecord) -> Self {
        let QueryRecord { time_ms, search, status, was_kept, elapsed, user } = record;
        Self::Search(SearchLine {
            time: shown_time(time_ms),
            collection: search.collection.clone(),
            handler: search.handler.clone(),
            params: search.params.clone(),
            status,
            hits: search.hits,
            elapsed_ms: millis(elapsed),
            kept: was_kept,
            user,
        })
    }
}

fn millis(elapsed: Duration) -> f64 {
    elapsed.as_micros() as f64 / 1e3
}

fn shown_time(time_ms: i64) -> String {
    let time = Timestamp::from_millisecond(time_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{time:.3}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http::LoggedSearch;

    use super::*;

    #[test]
    fn a_record_becomes_a_line_and_is_read_again() {
        let search = LoggedSearch {
            collection: "films".to_owned(),
            handler: "/select".to_owned(),
            params: BTreeMap::from([("q".to_owned(), vec!["a\nb".to_owned()])]),
            hits: Some(0),
        };
        let record = QueryRecord {
            time_ms: 1_795_255_200_007,
            search: Arc::new(search),
            status: 200,
            was_kept: false,
            elapsed: Duration::from_nanos(1_234_567),
            user: None,
        };
        let line = QueryLine::from(record);
        let bytes = line.to_bytes();
        assert_eq!(
            String::from_utf8_lossy(&bytes),
            "{\"time\":\"2026-11-21T10:00:00.007Z\",\"collection\":\"films\",\"handler\":\"/select\",\
             \"params\":{\"q\":[\"a\\nb\"]},\"status\":200,\"hits\":0,\"elapsed_ms\":1.234}\n"
        );
        assert_eq!(serde_json::from_slice::<QueryLine>(&bytes).unwrap(), line);
        let dropped = QueryLine::dropped(0, 7);
        assert_eq!(serde_json::from_slice::<QueryLine>(&dropped.to_bytes()).unwrap(), dropped);
    }
}
