//! The slot by which the database keeps its log for one source: whether it is still whole, and how much it
//! holds back. A slot that is lost has forgotten changes for good. Reading what is in it is `changes`'.

use super::database::PipelineDatabase;
use crate::sources::SourceError;

/// What to do about a slot that is lost.
pub const LOST_NEXT_STEP: &str =
    "run `parhelion ingest install FILE`, then `parhelion ingest run FILE --fresh`";

/// How a slot stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlotState {
    /// It holds back `held` bytes of the log, which ends at `end`.
    Whole {
        held: u64,
        end: String,
    },
    /// It holds back more than it may, and is to be dropped.
    OverBound {
        held: u64,
    },
    Missing,
    /// By the database, which keeps no more than `max_slot_wal_keep_size` for a slot.
    GivenUp,
}

impl SlotState {
    /// Changes nothing.
    pub async fn ask(database: &PipelineDatabase, slot: &str, bytes_max: u64) -> Result<Self, SourceError> {
        let row: Result<Option<(String, i64, String)>, _> = sqlx::query_as(
            "SELECT coalesce(wal_status, ''), coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::bigint, \
             pg_current_wal_flush_lsn()::text FROM pg_replication_slots WHERE slot_name = $1",
        )
        .bind(slot)
        .fetch_optional(database.pool())
        .await;
        let Some((wal_status, held, end)) = row.map_err(|error| database.error(&error))? else {
            return Ok(Self::Missing);
        };
        let held = u64::try_from(held).unwrap_or_default();
        Ok(match wal_status.as_str() {
            "lost" => Self::GivenUp,
            _ if held > bytes_max => Self::OverBound { held },
            _ => Self::Whole { held, end },
        })
    }

    /// Why changes are lost, or will be; `None` of a whole slot.
    pub fn loss(&self, slot: &str) -> Option<String> {
        match self {
            Self::Whole { .. } => None,
            Self::Missing => Some(format!("the slot `{slot}` is not there")),
            Self::GivenUp => Some(format!("the database gave up the slot `{slot}`")),
            Self::OverBound { held } => {
                Some(format!("the slot `{slot}` holds back {held} bytes, more than `slot_bytes_max`"))
            }
        }
    }
}

/// Drops the slot where there is one.
pub async fn drop_slot(database: &PipelineDatabase, slot: &str) -> Result<(), SourceError> {
    let gone = sqlx::query(
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1",
    );
    gone.bind(slot).execute(database.pool()).await.map(drop).map_err(|error| database.error(&error))
}
