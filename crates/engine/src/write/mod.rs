//! The path of an update, from a batch to its record in the log: `writer` walks a batch, `group` cuts it and
//! prepares each part outside the lock (`atomic`, `block`), `apply` judges it (`conditions`) and gives it its
//! place, `delete_by_query` does so for queries. `progress` knows how far a named batch has come; `applied`
//! waits until the log holds it. What a record says is in `log_codec`. When what was written is shown or
//! moved to segments is `life`'s.

pub(crate) mod applied;
pub(crate) mod apply;
pub(crate) mod atomic;
pub(crate) mod block;
pub(crate) mod conditions;
pub(crate) mod delete_by_query;
pub(crate) mod group;
pub(crate) mod log_codec;
pub(crate) mod progress;
pub(crate) mod update_context;
pub(crate) mod writer;
