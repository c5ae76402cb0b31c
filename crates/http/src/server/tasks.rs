//! What requests with `async` left to be done beside: which are under way, and how those that ended went.
//! Kept in memory and bounded; after a restart none is known.
//!
//! In: an id when a task begins and its outcome when it ends; out: its progress. Running the work is the
//! handlers' (`background`); cores and collections have a list each, as in Solr.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use plan::{Error, ErrorKind, Result};
use solr::response::Entries;

/// Tasks that are kept; the oldest that ended goes first.
const KEPT_MAX: usize = 1000;
/// Tasks at a time.
const RUNNING_MAX: usize = 64;

#[derive(Default)]
pub(crate) struct Tasks(Mutex<VecDeque<(String, Progress)>>);

#[derive(Clone, Debug)]
pub(crate) enum Progress {
    Running,
    Completed(Entries),
    /// With status and message.
    Failed(u16, String),
}

impl Tasks {
    /// Takes a new task up. Errors: `BadRequest` with `taken` for an id that is known, `Unavailable` when too
    /// many run.
    pub fn begin(&self, id: &str, taken: &str) -> Result<()> {
        let mut tasks = self.lock();
        if tasks.iter().any(|(known, _)| known == id) {
            return Err(Error::bad_request(taken));
        }
        let running = tasks.iter().filter(|(_, progress)| matches!(progress, Progress::Running)).count();
        if running >= RUNNING_MAX {
            let message =
                format!("cannot take up `{id}`: `{running}` tasks are running; wait for one to end");
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        let ended = |(_, progress): &(String, Progress)| !matches!(progress, Progress::Running);
        while tasks.len() >= KEPT_MAX
            && let Some(oldest) = tasks.iter().position(ended)
        {
            tasks.remove(oldest);
        }
        tasks.push_back((id.to_owned(), Progress::Running));
        Ok(())
    }

    pub fn end(&self, id: &str, outcome: Progress) {
        if let Some((_, progress)) = self.lock().iter_mut().find(|(known, _)| known == id) {
            *progress = outcome;
        }
    }

    /// `None` where there is no such task.
    pub fn progress(&self, id: &str) -> Option<Progress> {
        self.lock().iter().find(|(known, _)| known == id).map(|(_, progress)| progress.clone())
    }

    /// Whether there was such a task, and it has ended.
    pub fn forget(&self, id: &str) -> bool {
        let mut tasks = self.lock();
        let before = tasks.len();
        tasks.retain(|(known, progress)| known != id || matches!(progress, Progress::Running));
        tasks.len() < before
    }

    pub fn forget_all(&self) {
        self.lock().retain(|(_, progress)| matches!(progress, Progress::Running));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<(String, Progress)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_kept_within_bounds() {
        let tasks = Tasks::default();
        for number in 0..KEPT_MAX + 10 {
            let id = number.to_string();
            tasks.begin(&id, "").unwrap();
            tasks.end(&id, Progress::Completed(vec![]));
        }
        assert!(tasks.progress("9").is_none() && tasks.progress("10").is_some());
        assert_eq!(tasks.begin("10", "taken").unwrap_err().message, "taken");
        assert!(tasks.forget("10") && !tasks.forget("10"));
        (0..RUNNING_MAX).for_each(|number| tasks.begin(&format!("r{number}"), "").unwrap());
        assert_eq!(tasks.begin("more", "").unwrap_err().kind, ErrorKind::Unavailable);
        tasks.forget_all();
        assert!(!tasks.forget("r0") && tasks.progress("11").is_none() && tasks.progress("r0").is_some());
    }
}
