//! A cluster's folder: where what lies, the lock that keeps two commands from changing one cluster at once,
//! and its end. In: `--dir`; out: paths, the record, and messages that say what is wrong with the folder.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};

use super::record::ClusterRecord;

const RECORD: &str = "cluster.json";
const LOCK: &str = "cluster.lock";

pub struct ClusterFolder {
    /// Absolute.
    dir: PathBuf,
    /// As the record and the URL of the store have it.
    text: String,
    /// Until the end of the command. `None` where it only looks.
    lock: Option<File>,
}

impl ClusterFolder {
    /// For `up`: makes it where it is missing. Errors: a folder with other things in it, since
    /// `down --remove` could not tell them from the cluster's.
    pub fn make(dir: &Path) -> anyhow::Result<Self> {
        let advice = "name a folder that you may write to with --dir";
        let unmade = || format!("cannot make the cluster's folder `{}`; {advice}", dir.display());
        fs::create_dir_all(dir).with_context(unmade)?;
        let folder = Self::at(dir)?;
        if !folder.record_file().exists() {
            let others = folder.strangers(&[LOCK])?;
            ensure!(
                others.is_empty(),
                "`{}` has no {RECORD}, but `{}`; a cluster wants a folder of its own: name a new or an empty one",
                dir.display(),
                others.join("`, `")
            );
        }
        folder.locked()
    }

    /// For commands that change a cluster which is there.
    pub fn existing(dir: &Path) -> anyhow::Result<(Self, ClusterRecord)> {
        // Looked at before it is locked: the lock is a file, and nothing is left where there is no cluster.
        let folder = Self::look(dir)?.0.locked()?;
        let record = folder.read()?.with_context(|| none_there(dir))?;
        Ok((folder, record))
    }

    /// For commands that only look.
    pub fn look(dir: &Path) -> anyhow::Result<(Self, ClusterRecord)> {
        if !dir.join(RECORD).exists() {
            bail!(none_there(dir));
        }
        let folder = Self::at(dir)?;
        let record = folder.read()?.with_context(|| none_there(dir))?;
        Ok((folder, record))
    }

    fn at(dir: &Path) -> anyhow::Result<Self> {
        let dir = dir.canonicalize().with_context(|| format!("cannot find `{}`", dir.display()))?;
        let text = dir.to_str().map(str::to_owned);
        let text = text.with_context(|| format!("the path `{}` is not in UTF-8", dir.display()))?;
        Ok(Self { dir, text, lock: None })
    }

    fn locked(mut self) -> anyhow::Result<Self> {
        let path = self.dir.join(LOCK);
        let lock = File::options().create(true).append(true).open(&path);
        let unwritten = || {
            format!("cannot write to `{}`; name a folder that you may write to with --dir", path.display())
        };
        let lock = lock.with_context(unwritten)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("another `parhelion cluster` is at work on `{}`; wait for its end", self.text)
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(unwritten),
        }
        self.lock = Some(lock);
        Ok(self)
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn store_url(&self) -> String {
        format!("file://{}/store", self.text)
    }

    pub fn node(&self, number: u32) -> PathBuf {
        self.dir.join(format!("node{number}"))
    }

    pub fn node_log(&self, number: u32) -> PathBuf {
        self.node(number).join("log")
    }

    pub fn zookeeper(&self) -> PathBuf {
        self.dir.join("zookeeper")
    }

    pub fn zookeeper_log(&self) -> PathBuf {
        self.zookeeper().join("log")
    }

    fn record_file(&self) -> PathBuf {
        self.dir.join(RECORD)
    }

    /// `None` where there is none yet.
    pub fn read(&self) -> anyhow::Result<Option<ClusterRecord>> {
        let path = self.record_file();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read `{}`", path.display())),
        };
        let unread = || format!("`{}` is no cluster's that this program can work on", path.display());
        ClusterRecord::parse(&text, &self.text).with_context(unread).map(Some)
    }

    /// Whole or not at all: a record that is cut off would lose processes.
    pub fn save(&self, record: &ClusterRecord) -> anyhow::Result<()> {
        debug_assert!(self.lock.is_some(), "who changes a record has the lock");
        let (path, next) = (self.record_file(), self.dir.join("cluster.json.new"));
        let text = serde_json::to_string_pretty(record)? + "\n";
        fs::write(&next, text)
            .and_then(|()| fs::rename(&next, &path))
            .with_context(|| format!("cannot write `{}`", path.display()))
    }

    /// Deletes what the cluster has here, and the folder if nothing else is in it. Out: what stays.
    pub fn remove(self) -> anyhow::Result<Vec<String>> {
        let nodes =
            self.strangers(&[])?.into_iter().filter(|name| is_node(name)).map(|name| self.dir.join(name));
        // The record goes last: what breaks off can be called again.
        for path in nodes.chain([self.dir.join("store"), self.zookeeper()]) {
            absent_or(fs::remove_dir_all(&path))
                .with_context(|| format!("cannot delete `{}`", path.display()))?;
        }
        for name in [RECORD, LOCK] {
            let path = self.dir.join(name);
            absent_or(fs::remove_file(&path))
                .with_context(|| format!("cannot delete `{}`", path.display()))?;
        }
        let stays = self.strangers(&[])?;
        if stays.is_empty() {
            fs::remove_dir(&self.dir).with_context(|| format!("cannot delete `{}`", self.text))?;
        }
        Ok(stays)
    }

    fn strangers(&self, known: &[&str]) -> anyhow::Result<Vec<String>> {
        let unread = || format!("cannot read the folder `{}`", self.text);
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.dir).with_context(unread)? {
            let name = entry.with_context(unread)?.file_name().to_string_lossy().into_owned();
            if !known.contains(&name.as_str()) {
                found.push(name);
            }
        }
        found.sort();
        Ok(found)
    }
}

/// One that a call which failed had made is in no record any more.
fn is_node(name: &str) -> bool {
    name.strip_prefix("node").is_some_and(|number| number.parse::<u32>().is_ok())
}

/// As a shell takes it, for commands that messages name.
pub fn shell_word(dir: &Path) -> String {
    let text = dir.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,=@".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn none_there(dir: &Path) -> String {
    let (dir, word) = (dir.display(), shell_word(dir));
    format!(
        "there is no cluster in `{dir}`: it has no {RECORD}; start one with `parhelion cluster up --dir {word}`"
    )
}

fn absent_or(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::ZooKeeperRecord;
    use super::*;

    fn made(dir: &Path) -> (ClusterFolder, ClusterRecord) {
        let folder = ClusterFolder::make(dir).unwrap();
        let zookeeper = ZooKeeperRecord { at: "zk:2181".to_owned(), own: None };
        let mut record = ClusterRecord::new(folder.text(), zookeeper, folder.store_url());
        record.add_node(8983);
        folder.save(&record).unwrap();
        (folder, record)
    }

    #[test]
    fn folders_are_named_as_a_shell_takes_them() {
        let check = |dir: &str, expected: &str| assert_eq!(shell_word(Path::new(dir)), expected);
        check("./c-1", "./c-1");
        check("my c", "'my c'");
        check("it's", r"'it'\''s'");
        check("", "''");
    }

    #[test]
    fn one_command_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, record) = made(dir.path());
        let refused = ClusterFolder::existing(dir.path()).err().unwrap().to_string();
        assert!(refused.contains("is at work"), "{refused}");
        assert_eq!(ClusterFolder::look(dir.path()).unwrap().1, record);
        drop(folder);
        assert_eq!(ClusterFolder::existing(dir.path()).unwrap().1, record);
    }

    #[test]
    fn only_what_the_cluster_made_is_deleted() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, _) = made(dir.path());
        for name in ["node1/collections", "node2", "nodes", "store/films", "zookeeper/data"] {
            fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        fs::write(dir.path().join("notes"), "mine").unwrap();
        assert_eq!(folder.remove().unwrap(), ["nodes", "notes"]);
        assert_eq!(fs::read_to_string(dir.path().join("notes")).unwrap(), "mine");
        let inner = dir.path().join("inner");
        let (folder, _) = made(&inner);
        assert!(folder.remove().unwrap().is_empty() && !inner.exists());
    }

    #[test]
    fn a_folder_with_other_things_in_it_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let refused = ClusterFolder::existing(dir.path()).err().unwrap().to_string();
        assert!(refused.contains("there is no cluster in"), "{refused}");
        fs::create_dir(dir.path().join("store")).unwrap();
        let refused = ClusterFolder::make(dir.path()).err().unwrap().to_string();
        assert!(refused.contains("but `store`"), "{refused}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no lock is left behind");
    }
}
