//! `doctor stuck`: facts of a process, the verdict on it, and the verdict on whom it waits for, and on whom
//! that one waits for. What is seen is `observe/`'s, what it means `verdict/`'s; here is only whom to look at
//! next: a parent waits for its child, and the child for a database, and the sentence should name the
//! database.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::facts::ProcessFacts;
use crate::observe::{Error, Machine, ObserveOptions};
use crate::verdict::{Standing, Verdict, judge};

#[derive(Clone, Copy, Debug)]
pub struct StuckOptions {
    pub observe: ObserveOptions,
    /// A wait for somebody that lasts longer is called stuck.
    pub patience: Duration,
}

impl StuckOptions {
    fn patience_ms(&self) -> u64 {
        u64::try_from(self.patience.as_millis()).unwrap_or(u64::MAX)
    }
}

/// All that is known of one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    pub verdict: Verdict,
    pub facts: ProcessFacts,
}

/// Processes that are followed from one to the next.
const HOPS_MAX: usize = 4;
/// Those further on are looked at for a shorter time: their facts are as old as the question.
const HOP_PERIOD: Duration = Duration::from_millis(100);

/// Errors: when it ended meanwhile.
pub fn diagnose(machine: &Machine, pid: i32, options: &StuckOptions) -> Result<Diagnosis, Error> {
    let facts = machine.process(pid, &options.observe)?;
    let verdict = judge(&facts, options.patience_ms());
    Ok(Diagnosis { verdict: follow(machine, verdict, options, &mut vec![pid]), facts })
}

/// Every process of the machine, those that stand worst first.
pub fn diagnose_all(machine: &Machine, options: &StuckOptions) -> Vec<Diagnosis> {
    let pids: Vec<i32> = machine.processes().iter().map(|label| label.pid).collect();
    let mut found: Vec<Diagnosis> = Vec::new();
    for facts in machine.all(&pids, &options.observe) {
        let mut verdict = judge(&facts, options.patience_ms());
        if verdict.standing == Standing::Stuck {
            verdict = follow(machine, verdict, options, &mut vec![facts.label.pid]);
        }
        found.push(Diagnosis { verdict, facts });
    }
    found.sort_by_key(|one| {
        (std::cmp::Reverse(one.verdict.standing), std::cmp::Reverse(one.verdict.waits_ms))
    });
    found
}

/// Looks at whom a verdict blames, as far as that leads to processes that were not seen yet.
fn follow(machine: &Machine, verdict: Verdict, options: &StuckOptions, seen: &mut Vec<i32>) -> Verdict {
    let next = verdict.blames.as_ref().filter(|_| verdict.standing >= Standing::Waits).map(|label| label.pid);
    let Some(pid) = next.filter(|pid| !seen.contains(pid) && seen.len() < HOPS_MAX) else { return verdict };
    seen.push(pid);
    let observe = ObserveOptions { period: HOP_PERIOD, ..options.observe };
    let Ok(facts) = machine.process(pid, &observe) else { return verdict };
    let reason = judge(&facts, options.patience_ms());
    verdict.because_of(follow(machine, reason, options, seen))
}
