//! The member that leads a shard, as a follower of it looks at it: what it shows is pinned there as for a
//! search, and files that are in its memory alone come from that pin.

use std::sync::Arc;

use arc_swap::ArcSwap;
use meter::Clock;
use plan::Result;

use super::link::{Exchange, Link, shortly};
use super::message::{Moment, ShardAddress};
use super::pin::RemotePin;
use crate::owners::Member;
use crate::shard::{FilePiece, FollowerHas, ImageRead, Leader, Shown, SnapshotImage, SnapshotRead};

pub(crate) struct RemoteLeader {
    /// Another leads the shard when this one is gone; what was taken up of the one before stays.
    link: ArcSwap<Link>,
    clock: Arc<dyn Clock>,
}

struct RemoteShown {
    pin: RemotePin,
    image: SnapshotImage,
    clock: Arc<dyn Clock>,
}

impl RemoteLeader {
    pub fn new(
        (exchange, clock): (Arc<Exchange>, Arc<dyn Clock>),
        member: Member,
        address: ShardAddress,
    ) -> Self {
        Self { link: ArcSwap::from_pointee(Link { exchange, member, address }), clock }
    }

    /// From now on this member is asked.
    pub fn set(&self, exchange: Arc<Exchange>, member: Member, address: ShardAddress) {
        self.link.store(Arc::new(Link { exchange, member, address }));
    }
}

impl Leader for RemoteLeader {
    fn look(&self, has: &FollowerHas) -> Result<Option<Box<dyn Shown>>> {
        let pin = RemotePin::of(self.link.load_full(), Moment::Led);
        let image = ImageRead { has }.ask_pinned(&pin, &shortly(&self.clock))?;
        let clock = self.clock.clone();
        Ok(image.map(|image| Box::new(RemoteShown { pin, image, clock }) as _))
    }
}

impl Shown for RemoteShown {
    fn image(&self) -> &SnapshotImage {
        &self.image
    }

    fn piece(&self, piece: FilePiece<'_>) -> Result<Vec<u8>> {
        piece.ask_pinned(&self.pin, &shortly(&self.clock))
    }
}
