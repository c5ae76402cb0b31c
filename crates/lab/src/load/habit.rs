//! How a client treats its connections: what the `keepalive` workload compares. A worker does it before each
//! request; every other workload keeps its connections.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Habit {
    /// Keeps its connections and trusts them: idle ones are closed, by a sweeper, before the server would.
    #[default]
    KeptAlive,
    /// Keeps its connections, and asks before each request whether the server has closed them.
    StaleCheck,
    /// Connects anew for each request.
    NewEachTime,
}
