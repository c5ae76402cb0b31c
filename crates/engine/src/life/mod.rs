//! What becomes of a shard by itself, without anybody's update: opened (`opening`, `recovery`), shown
//! (`refresh`), moved from log to segments (`flush`, which publishes a `manifest`), merged (`merge`, by a
//! `merge_policy`), cleared of what has ended (`expire`), read again for damage (`scrub`), mended before it
//! is opened (`repair`), read whole for another schema (`rebuild`), taken up from an owner (`follow`), as
//! an `image` of what that shows or by its manifests.
//! `schedule` says when each is due.

pub(crate) mod expire;
pub(crate) mod flush;
pub(crate) mod follow;
pub(crate) mod image;
pub(crate) mod manifest;
pub(crate) mod merge;
pub(crate) mod opening;
pub(crate) mod rebuild;
pub(crate) mod recovery;
pub(crate) mod refresh;
pub(crate) mod repair;
pub(crate) mod schedule;
pub(crate) mod scrub;
