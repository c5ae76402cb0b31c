//! What the server tells of itself: how often and how long handlers are asked (`tally`), which requests were
//! slow (`slow`, kept in `slow_log`), which searches there were (`query_log`), the last lines of
//! the log, the machine it runs on, what is stuck in it at the moment (`watch`), and what it asked of the
//! store where its shards are at home (`store`).

pub(crate) mod host;
pub(crate) mod logs;
pub(crate) mod machine;
pub(crate) mod query_log;
pub(crate) mod slow;
pub(crate) mod slow_log;
pub(crate) mod store;
pub(crate) mod tally;
pub(crate) mod watch;
