//! Which of several services is active: a row in the database that runs out unless it is renewed, with a
//! number that grows each time it is taken. The holder trusts only its own clock that never goes back,
//! counted from before it asked: it stops by itself before the database lets another have it, even when it
//! was stopped in between.

use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::database::PipelineDatabase;
use crate::sources::SourceError;

/// A standby looks again this often at least, should the holder give it up early.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// Held until dropped, given up, or lost.
pub struct Lease {
    token: i64,
    database: PipelineDatabase,
    valid_until: watch::Receiver<Instant>,
    renewing: JoinHandle<()>,
}

impl Lease {
    /// Waits until the lease is free, then holds it. Errors: a database without our tables; one that is away
    /// is waited for.
    pub async fn take(
        database: &PipelineDatabase,
        holder: &str,
        seconds: u32,
        mut on_standby: impl FnMut(&str),
    ) -> Result<Self, SourceError> {
        let length = Duration::from_secs(u64::from(seconds));
        loop {
            let asked = Instant::now();
            if let Some(row) = database.take_lease(holder, seconds).await? {
                return Ok(Self::hold(database.clone(), row.token, seconds, asked + length));
            }
            let Some((other, row)) = database.lease().await? else { continue };
            on_standby(&other);
            let left = Duration::from_millis(u64::try_from(row.left_ms).unwrap_or(0));
            tokio::time::sleep(left.clamp(Duration::from_millis(10), LOOK_AGAIN)).await;
        }
    }

    fn hold(database: PipelineDatabase, token: i64, seconds: u32, until: Instant) -> Self {
        let (sender, valid_until) = watch::channel(until);
        let renewing = tokio::spawn(renew(database.clone(), token, seconds, sender));
        Self { token, database, valid_until, renewing }
    }

    pub fn token(&self) -> i64 {
        self.token
    }

    /// Whether nobody else can have it yet.
    pub fn is_held(&self) -> bool {
        Instant::now() < *self.valid_until.borrow()
    }

    /// Lets another have it at once.
    pub async fn give_up(&self) -> Result<(), SourceError> {
        self.renewing.abort();
        self.database.give_up_lease(self.token).await
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.renewing.abort();
    }
}

/// Three times in a lease's length; ends when it is somebody else's.
async fn renew(database: PipelineDatabase, token: i64, seconds: u32, until: watch::Sender<Instant>) {
    let length = Duration::from_secs(u64::from(seconds));
    loop {
        tokio::time::sleep(length / 3).await;
        let asked = Instant::now();
        match database.renew_lease(token, seconds).await {
            Ok(true) => {
                // Renewed too late, another may have had it in between: the token says no in that case.
                until.send_replace(asked + length);
            }
            Ok(false) => {
                until.send_replace(asked);
                return;
            }
            // A database that is away may be back before the lease runs out.
            Err(_) => {}
        }
    }
}
