//! The other members, as those that may have a copy of a segment file which is damaged in the store and here:
//! whoever follows the shard, followed it or led it has its files in a cache or open. In: a file as the
//! manifest names it; out: its bytes, whole, from the first member that has them so. Putting them where they
//! belong is the home's (`SegmentStore::mend`).

use std::borrow::Cow;
use std::sync::Arc;

use meter::Clock;
use plan::Result;
use serde_bytes::ByteBuf;
use store::{FileCopies, SegmentFile};

use super::link::{Exchange, Link, Watch, shortly};
use super::message::{Question, ShardAddress};

pub(crate) struct MemberCopies {
    pub exchange: Arc<Exchange>,
    /// Of the member that asks.
    pub own_id: String,
    pub address: ShardAddress,
    pub clock: Arc<dyn Clock>,
}

impl FileCopies for MemberCopies {
    fn find(&self, file: &SegmentFile) -> Option<Vec<u8>> {
        // Whoever lives, not who follows by the documents alone: a member that led the shard before has its
        // files too, and one that has none says so at once.
        let others =
            self.exchange.living().list().into_iter().map(|it| it.member).filter(|it| it.id != self.own_id);
        others
            .map(|member| Link { exchange: self.exchange.clone(), member, address: self.address.clone() })
            // One that does not answer, or is of a release that has no such question, is passed over too.
            .filter_map(|link| self.whole_file(&link, file).ok().flatten())
            .find(|bytes| file.check(bytes).is_ok())
    }
}

impl MemberCopies {
    /// As the member has it; `None` where it has none.
    fn whole_file(&self, link: &Link, file: &SegmentFile) -> Result<Option<Vec<u8>>> {
        let size = usize::try_from(file.size).unwrap_or(usize::MAX);
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            let name = Cow::Borrowed(&*file.name);
            let offset = bytes.len() as u64;
            let question = Question::FileCopy { name, size: file.size, crc32: file.crc32, offset };
            // Whoever says nothing is left at once: an opening may wait for this.
            let piece: Option<ByteBuf> = link.ask_watched(&question, &shortly(&self.clock), Watch::Leave)?;
            let Some(piece) = piece else { return Ok(None) };
            bytes.extend_from_slice(&piece);
            // What came to an end too early is not the file, as its size says.
            if bytes.len() >= size || piece.is_empty() {
                return Ok(Some(bytes));
            }
        }
    }
}
