//! Keeps the view in ZooKeeper as its source says, for as long as the node lives: connects, compares, claims,
//! repairs, waits for a hint, for another member or for the end of the session, and begins again. After every
//! reconnect all is read again; between, now and then, since others may write where they should not.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::claim;
use crate::members::{Found, Member};
use crate::repair::{Known, Shown};
use crate::tree::{Tree, TreeError, TreeEvent, Trees};
use crate::view::View;

/// Between tries.
const PAUSE_MIN: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// What others changed in our folders is mended after this time at the latest.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// As often another member may come in between before that is told.
const ROUNDS: usize = 10;

/// For ZooKeeper to hear that the node leaves; where it does not, it finds out by its silence.
const LEAVING: Duration = Duration::from_secs(2);
/// Instead of a count of requests.
const STOP: u64 = u64::MAX;

/// What is published, and who hears of it.
pub trait Source: Send + Sync + 'static {
    /// Takes up what other members changed of the truth. Errors: why it cannot be read now.
    fn refresh(&self) -> impl Future<Output = Result<(), String>> + Send;

    /// What is to be shown, as of the last refresh and the own changes since. Let it not wait.
    fn view(&self) -> View;

    /// Hears what is shown, before anyone who waits for it does.
    fn shown(&self, shown: &Shown);

    /// Hears who lives, itself among them, when that may be others than before.
    fn living(&self, members: Vec<Member>);
}

/// Runs until it is dropped or stopped.
pub struct Publisher {
    wanted: watch::Sender<u64>,
    progress: watch::Receiver<Progress>,
    task: Mutex<Option<JoinHandle<()>>>,
}

/// Why what was asked for is not shown.
pub type Unpublished = TreeError;

#[derive(Clone, Debug)]
struct Progress {
    /// The last request that is shown.
    shown: u64,
    /// Why the next ones are not, at present.
    trouble: Option<TreeError>,
}

impl Publisher {
    /// Begins to publish. Wait for [`Publisher::published`] before clients are to find the node.
    pub fn start<T: Trees>(trees: T, cluster: String, own: Member, source: Arc<impl Source>) -> Self {
        let (wanted, wants) = watch::channel(1);
        let (tell, progress) = watch::channel(Progress { shown: 0, trouble: None });
        let work = Work { trees, cluster, own, source, wants, tell };
        Self { wanted, progress, task: Mutex::new(Some(tokio::spawn(work.run()))) }
    }

    /// The source may say something else now.
    pub fn hint(&self) {
        self.wanted.send_modify(|wanted| *wanted = wanted.saturating_add(1));
    }

    /// Whether a change would be shown, as far as is known.
    pub fn check(&self) -> Result<(), Unpublished> {
        self.progress.borrow().trouble.clone().map_or(Ok(()), Err)
    }

    /// Waits until what the source says now is shown. Errors: why it is not, after `patience`, or at once
    /// where it will never be.
    pub async fn published(&self, patience: Duration) -> Result<(), Unpublished> {
        self.hint();
        let (mine, mut progress) = (*self.wanted.borrow(), self.progress.clone());
        let is_over = |now: &Progress| now.shown >= mine || now.trouble.as_ref().is_some_and(is_final);
        // What it returns holds a lock that the publisher needs: only how it ended counts.
        let waited = timeout(patience, progress.wait_for(is_over)).await.map(|found| found.is_ok());
        let now = self.progress.borrow().clone();
        match (waited, now.trouble) {
            _ if now.shown >= mine => Ok(()),
            (_, Some(trouble)) => Err(trouble),
            (Ok(_), None) => Err(TreeError::Lost("nothing is published any more".to_owned())),
            (Err(_), None) => Err(TreeError::Lost(format!("no answer within {} s", patience.as_secs_f64()))),
        }
    }

    /// Takes off the list what lives as long as the session, and ends that; nothing is published any more.
    pub async fn stop(&self) {
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut task) = task else { return };
        self.wanted.send_replace(STOP);
        if timeout(LEAVING, &mut task).await.is_err() {
            task.abort();
        }
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        let task = self.task.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        task.into_iter().for_each(|task| task.abort());
    }
}

/// Nothing this node does changes it.
fn is_final(trouble: &TreeError) -> bool {
    matches!(trouble, TreeError::Refused(_))
}

/// What a session does next.
enum Next {
    Compare,
    /// All of it is read before.
    ReadAgain,
    Connect,
    End,
}

struct Work<T, S> {
    trees: T,
    cluster: String,
    own: Member,
    source: Arc<S>,
    wants: watch::Receiver<u64>,
    tell: watch::Sender<Progress>,
}

impl<T: Trees, S: Source> Work<T, S> {
    async fn run(mut self) {
        let mut pause = PAUSE_MIN;
        loop {
            let before = self.tell.borrow().shown;
            let Err(trouble) = self.session().await else { return };
            let over = is_final(&trouble);
            self.complain(trouble, over);
            if over || *self.wants.borrow() == STOP {
                return;
            }
            pause = if self.tell.borrow().shown > before { PAUSE_MIN } else { (pause * 2).min(PAUSE_MAX) };
            sleep(pause).await;
        }
    }

    fn complain(&self, trouble: TreeError, over: bool) {
        tracing::warn!(%trouble, over, "the view in ZooKeeper is not kept");
        self.tell.send_modify(|progress| progress.trouble = Some(trouble));
    }

    /// One session, until it fails; `Ok` once nobody asks any more.
    async fn session(&mut self) -> Result<(), TreeError> {
        let tree = self.trees.connect().await?;
        let (mut known, mut has_joined) = (Known::default(), false);
        let mut looked_at = Instant::now();
        let mut pause = PAUSE_MIN;
        loop {
            if looked_at.elapsed() >= LOOK_EVERY {
                known.forget();
                looked_at = Instant::now();
            }
            let wanted = *self.wants.borrow_and_update();
            if wanted == STOP {
                return known.leave(&tree, &self.own.id).await;
            }
            let until = match self.round(&tree, &mut known, &mut has_joined).await {
                Ok(shown) => {
                    self.source.shown(&shown);
                    self.tell.send_replace(Progress { shown: wanted, trouble: None });
                    pause = PAUSE_MIN;
                    looked_at + LOOK_EVERY
                }
                // The session is well, and what lives by it stays.
                Err(trouble @ (TreeError::Changed | TreeError::Unread(_) | TreeError::Taken(_))) => {
                    self.complain(trouble, false);
                    known.forget();
                    pause = (pause * 2).min(PAUSE_MAX);
                    Instant::now() + pause
                }
                Err(trouble) => return Err(trouble),
            };
            match self.next(&tree, until).await {
                Next::Compare => {}
                Next::ReadAgain => known.forget(),
                Next::Connect => return Err(TreeError::Lost("the session is over".to_owned())),
                Next::End => return known.leave(&tree, &self.own.id).await,
            }
        }
    }

    /// Waits for a reason to do anything. While the connection is lost there is none: what is asked for
    /// waits.
    async fn next(&mut self, tree: &T::Tree, until: Instant) -> Next {
        let mut is_lost = false;
        loop {
            tokio::select! {
                event = tree.event() => match event {
                    TreeEvent::Over => return Next::Connect,
                    TreeEvent::Back => return Next::ReadAgain,
                    TreeEvent::Stirred => return Next::Compare,
                    TreeEvent::Lost => {
                        is_lost = true;
                        let trouble = TreeError::Lost("the connection is lost".to_owned());
                        self.tell.send_modify(|progress| progress.trouble = Some(trouble));
                    }
                },
                asked = timeout_at(until, self.wants.changed()), if !is_lost => return match asked {
                    // Whoever asked is gone.
                    Ok(Err(_)) => Next::End,
                    Ok(Ok(())) | Err(_) => Next::Compare,
                },
            }
        }
    }

    /// Shows what is to be shown, then the member itself, and tells who lives.
    async fn round(
        &self,
        tree: &T::Tree,
        known: &mut Known,
        has_joined: &mut bool,
    ) -> Result<Shown, TreeError> {
        // First: two of one name would write each other's live node anew at each claim of the other.
        let found = Found::read(tree).await?;
        found.check_free(&self.own)?;
        let left_out = self.repaired(tree, known).await?;
        // Behind what it serves: whoever sees it live may send it requests.
        self.source.living(found.join(tree, &self.own, has_joined).await?);
        Ok(Shown { versions: known.versions(), left_out })
    }

    /// What is found otherwise than it was known is read once more. Returns the nodes that are too large.
    async fn repaired(&self, tree: &T::Tree, known: &mut Known) -> Result<Vec<String>, TreeError> {
        for _ in 0..ROUNDS {
            match self.repair(tree, known).await {
                Err(TreeError::Changed) => known.forget(),
                result => return result,
            }
        }
        Err(TreeError::Changed)
    }

    async fn repair(&self, tree: &T::Tree, known: &mut Known) -> Result<Vec<String>, TreeError> {
        let seen = claim::look(tree, &self.cluster).await?;
        if !known.is_of(seen) {
            // Another member wrote, so that the truth may be another too.
            self.refresh().await?;
            known.read(tree, seen).await?;
        }
        let mut view = self.source.view();
        let left_out = view.take_oversized();
        // Not claimed for nothing: each claim makes all members read the documents again.
        if known.shows(&view, tree.session()) {
            return Ok(left_out);
        }
        let claim = claim::take(tree, &self.cluster, seen).await?;
        // Invariant: what is written under a claim was read behind it.
        self.refresh().await?;
        let mut view = self.source.view();
        let left_out = view.take_oversized();
        known.write(tree, claim, &view).await?;
        Ok(left_out)
    }

    async fn refresh(&self) -> Result<(), TreeError> {
        self.source.refresh().await.map_err(TreeError::Unread)
    }
}
