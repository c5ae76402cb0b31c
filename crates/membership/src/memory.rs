//! ZooKeeper in memory, for tests: as much of it as [`Tree`] asks for, with connections that break, sessions
//! that end, and writes that are made though nobody hears of it, on command.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use tokio::sync::{Mutex, watch};

use crate::claim::CLAIM;
use crate::tree::{Change, Lifetime, Present, Tree, TreeError, TreeEvent, Trees};

/// Clones are the same ZooKeeper; each connection is a session.
#[derive(Clone, Default)]
pub struct MemoryTree(Arc<std::sync::Mutex<Nodes>>);

#[derive(Default)]
struct Nodes {
    nodes: BTreeMap<String, Present>,
    sessions: i64,
    is_down: bool,
    /// Writes that go through before one is made and answered as lost.
    until_lost: Option<usize>,
    /// Put as soon as the next read is answered.
    behind_read: Option<(String, Present)>,
    connections: BTreeMap<i64, watch::Sender<TreeEvent>>,
    writes: usize,
    /// Counts what happened to the claim and to members.
    stirs: watch::Sender<u64>,
}

pub struct MemorySession {
    tree: MemoryTree,
    session: i64,
    events: Mutex<(watch::Receiver<TreeEvent>, watch::Receiver<u64>)>,
}

impl MemoryTree {
    /// Nobody connects and every call fails, until it is up again.
    pub fn set_down(&self, is_down: bool) {
        self.lock().is_down = is_down;
    }

    /// The write behind the next `writes` is made, and its sender told that the connection was lost.
    pub fn lose_answer_after(&self, writes: usize) {
        self.lock().until_lost = Some(writes);
    }

    /// Ends every session, as ZooKeeper does with those that are silent.
    pub fn end_sessions(&self) {
        let sessions: Vec<i64> = self.lock().connections.keys().copied().collect();
        sessions.into_iter().for_each(|session| self.end(session));
    }

    /// Connections are lost, or are back, with their sessions.
    pub fn set_connected(&self, is_connected: bool) {
        let mut nodes = self.lock();
        nodes.is_down = !is_connected;
        let connection = if is_connected { TreeEvent::Back } else { TreeEvent::Lost };
        nodes.connections.values().for_each(|it| {
            it.send_replace(connection);
        });
    }

    /// Puts a node as a stranger would.
    pub fn put(&self, path: &str, bytes: &[u8]) {
        let mut nodes = self.lock();
        let version = nodes.nodes.get(path).map_or(0, |known| known.version + 1);
        nodes.nodes.insert(path.to_owned(), Present { bytes: bytes.to_vec(), version, session: 0 });
    }

    /// Another member puts a new node between this one's next read and what it does then.
    pub fn put_behind_next_read(&self, path: &str, bytes: &[u8]) {
        let present = Present { bytes: bytes.to_vec(), version: 0, session: 0 };
        self.lock().behind_read = Some((path.to_owned(), present));
    }

    pub fn get(&self, path: &str) -> Option<Present> {
        self.lock().nodes.get(path).cloned()
    }

    pub fn paths(&self) -> Vec<String> {
        self.lock().nodes.keys().cloned().collect()
    }

    /// Requests that changed something.
    pub fn writes(&self) -> usize {
        self.lock().writes
    }

    fn end(&self, session: i64) {
        let mut nodes = self.lock();
        nodes.nodes.retain(|_, node| node.session != session);
        nodes.stirs.send_modify(|stirs| *stirs += 1);
        if let Some(connection) = nodes.connections.remove(&session) {
            connection.send_replace(TreeEvent::Over);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Nodes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for MemorySession {
    fn drop(&mut self) {
        self.tree.end(self.session);
    }
}

impl Trees for MemoryTree {
    type Tree = MemorySession;

    async fn connect(&self) -> Result<MemorySession, TreeError> {
        let mut nodes = self.lock();
        nodes.check(None)?;
        nodes.sessions += 1;
        let (session, (tell, connection)) = (nodes.sessions, watch::channel(TreeEvent::Back));
        nodes.connections.insert(session, tell);
        let stirs = nodes.stirs.subscribe();
        Ok(MemorySession { tree: self.clone(), session, events: (connection, stirs).into() })
    }
}

impl Nodes {
    fn check(&self, session: Option<i64>) -> Result<(), TreeError> {
        if self.is_down || session.is_some_and(|it| !self.connections.contains_key(&it)) {
            return Err(TreeError::Lost("as told".to_owned()));
        }
        Ok(())
    }

    fn apply(&mut self, change: &Change, session: i64) -> Result<(), TreeError> {
        let at = |nodes: &BTreeMap<String, Present>, path: &str, version: i32| match nodes.get(path) {
            Some(known) if known.version == version => Ok(()),
            _ => Err(TreeError::Changed),
        };
        match change {
            Change::Check { path, version } => at(&self.nodes, path, *version),
            Change::Create { path, bytes, lifetime } => {
                let above = path.rfind('/').filter(|at| *at > 0).map(|at| &path[..at]);
                let is_homeless = above.is_some_and(|above| !self.nodes.contains_key(above));
                if is_homeless || self.nodes.contains_key(path) {
                    return Err(TreeError::Changed);
                }
                let session = if *lifetime == Lifetime::Session { session } else { 0 };
                self.nodes.insert(path.clone(), Present { bytes: bytes.clone(), version: 0, session });
                Ok(())
            }
            Change::Set { path, bytes, version } => {
                at(&self.nodes, path, *version)?;
                if let Some(known) = self.nodes.get_mut(path) {
                    known.bytes.clone_from(bytes);
                    known.version += 1;
                }
                Ok(())
            }
            Change::Delete { path, version } => {
                at(&self.nodes, path, *version)?;
                let below = format!("{path}/");
                if self.nodes.keys().any(|known| known.starts_with(&below)) {
                    return Err(TreeError::Changed);
                }
                self.nodes.remove(path);
                Ok(())
            }
        }
    }
}

impl Tree for MemorySession {
    fn session(&self) -> i64 {
        self.session
    }

    async fn read(&self, path: &str) -> Result<Option<Present>, TreeError> {
        let mut nodes = self.tree.lock();
        nodes.check(Some(self.session))?;
        let found = nodes.nodes.get(path).cloned();
        if let Some((path, present)) = nodes.behind_read.take() {
            nodes.nodes.insert(path, present);
        }
        Ok(found)
    }

    async fn children(&self, path: &str) -> Result<Vec<String>, TreeError> {
        let nodes = self.tree.lock();
        nodes.check(Some(self.session))?;
        let below = if path == "/" { path.to_owned() } else { format!("{path}/") };
        let names = nodes.nodes.keys().filter_map(|known| known.strip_prefix(&below));
        Ok(names.filter(|name| !name.contains('/')).map(str::to_owned).collect())
    }

    async fn write(&self, changes: &[Change]) -> Result<(), TreeError> {
        let mut nodes = self.tree.lock();
        nodes.check(Some(self.session))?;
        let before = nodes.nodes.clone();
        for change in changes {
            if let Err(error) = nodes.apply(change, self.session) {
                nodes.nodes = before;
                return Err(error);
            }
        }
        nodes.writes += 1;
        if changes.iter().any(|change| change.changed_path().is_some_and(|path| path.starts_with(CLAIM))) {
            nodes.stirs.send_modify(|stirs| *stirs += 1);
        }
        match nodes.until_lost.as_mut() {
            Some(0) => {
                nodes.until_lost = None;
                return Err(TreeError::Lost("the answer was lost, as told".to_owned()));
            }
            Some(left) => *left -= 1,
            None => {}
        }
        Ok(())
    }

    /// Here everybody may change everything.
    async fn protect(&self, _: &[&str]) -> Result<(), TreeError> {
        self.tree.lock().check(Some(self.session))
    }

    async fn event(&self) -> TreeEvent {
        let (connection, stirs) = &mut *self.events.lock().await;
        tokio::select! {
            biased;
            changed = connection.changed() => match changed {
                Ok(()) => *connection.borrow_and_update(),
                Err(_) => TreeEvent::Over,
            },
            Ok(()) = stirs.changed() => TreeEvent::Stirred,
        }
    }
}
