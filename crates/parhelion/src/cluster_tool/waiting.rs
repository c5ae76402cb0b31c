//! What the command is waiting for, told on standard error: at once when it changes, and again from time to
//! time, so that nobody wonders whether it hangs.

use std::time::{Duration, Instant};

use crate::output;

/// Between two looks at processes.
pub const LOOK: Duration = Duration::from_millis(100);
/// Between two lines that say the same.
const AGAIN: Duration = Duration::from_secs(5);
/// What is over within that time is not told of.
const QUIET: Duration = Duration::from_millis(300);

/// One wait, until its bound.
pub struct BoundedWait {
    began: Instant,
    bound: Duration,
    told: Option<(String, Instant)>,
}

impl BoundedWait {
    pub fn new(bound: Duration) -> Self {
        Self { began: Instant::now(), bound, told: None }
    }

    pub fn is_over(&self) -> bool {
        self.began.elapsed() >= self.bound
    }

    pub fn seconds(&self) -> u64 {
        self.bound.as_secs()
    }

    /// Says what is waited for, where that is worth a line.
    pub fn tell(&mut self, what: &str) {
        let now = Instant::now();
        let is_due = match &self.told {
            None => self.began.elapsed() >= QUIET,
            Some((last, at)) => last != what || now.duration_since(*at) >= AGAIN,
        };
        if is_due {
            let seconds = self.began.elapsed().as_secs();
            let since = if seconds == 0 { String::new() } else { format!(" ({seconds} s)") };
            output::note(&format!("waiting for {what}{since}"));
            self.told = Some((what.to_owned(), now));
        }
    }
}

/// `node 1`, `nodes 1 and 3`, `nodes 1, 2 and 3`.
pub fn name_nodes(numbers: &[u32]) -> String {
    let texts: Vec<String> = numbers.iter().map(u32::to_string).collect();
    match texts.split_last() {
        None => "no node".to_owned(),
        Some((one, [])) => format!("node {one}"),
        Some((last, others)) => format!("nodes {} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_named() {
        let check = |numbers: &[u32], expected| assert_eq!(name_nodes(numbers), expected);
        check(&[], "no node");
        check(&[2], "node 2");
        check(&[1, 3], "nodes 1 and 3");
        check(&[1, 2, 3], "nodes 1, 2 and 3");
    }
}
