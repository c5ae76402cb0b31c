//! Which hits make the page, and how many there are. Score order prunes (`top_k`), any other order reads
//! columns (`sort`).

mod below;
pub(crate) mod best;
mod constant;
mod cursor;
mod key;
mod keys;
mod order;
mod scan;
mod sort;
mod source;
mod top_k;

pub(crate) use constant::first_and_count;
pub(crate) use cursor::column_number;
pub(crate) use key::Key;
pub(crate) use order::Order;
pub(crate) use sort::{offer, sorted};
pub(crate) use source::KeySource;
pub(crate) use top_k::{offer_segment, top_k};
