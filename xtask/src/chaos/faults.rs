//! Which member is broken how, and for how long: drawn from a seed before anything is started, so that a
//! seed is a plan. Whom it meets depends on who leads the drawn collection then.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::args::Misuse;
use crate::random::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// SIGKILL, started again when its session is over.
    Kill,
    /// SIGSTOP for less than the session or for more, then SIGCONT.
    Stop,
    /// SIGKILL, started again at once: its session still lives.
    Fast,
    /// SIGTERM, away for some seconds.
    Term,
}

impl FaultKind {
    pub const ALL: [Self; 4] = [Self::Kill, Self::Stop, Self::Fast, Self::Term];

    pub fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Stop => "stop",
            Self::Fast => "fast",
            Self::Term => "term",
        }
    }

    pub fn parse(name: &str) -> Result<Self> {
        let all = || Self::ALL.map(Self::name).join("`, `");
        match Self::ALL.into_iter().find(|kind| kind.name() == name) {
            Some(kind) => Ok(kind),
            None => bail!(Misuse(format!("there is no fault `{name}`; there are `{}`", all()))),
        }
    }

    /// How long the member is away, or silent; `part` is from 0 to 1.
    fn away(self, session: Duration, part: f64) -> Duration {
        let seconds = Duration::from_secs_f64;
        match self {
            Self::Kill => session + seconds(2.0 + 3.0 * part),
            Self::Stop => session.mul_f64(0.7 + 1.3 * part),
            Self::Fast => Duration::ZERO,
            Self::Term => session.mul_f64(0.5 + 0.5 * part),
        }
    }
}

/// One round.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub kind: FaultKind,
    /// The number of the collection whose leader it meets.
    pub collection: usize,
    /// Of ordinary traffic before it.
    pub calm: Duration,
    pub away: Duration,
    /// How long before it a rebuild of that collection is begun, where one is.
    pub behind_rebuild: Option<Duration>,
}

/// Small collections are rebuilt in about as long.
const REBUILD: Duration = Duration::from_millis(400);

/// Each kind comes once before any comes again.
pub fn draw_faults(
    (seed, rounds): (u64, usize),
    kinds: &[FaultKind],
    collections: usize,
    session: Duration,
) -> Vec<Fault> {
    let mut random = Random::new(seed);
    let mut deck: Vec<FaultKind> = Vec::new();
    let draw = |_| {
        if deck.is_empty() {
            deck.extend(kinds);
        }
        let kind = deck.swap_remove(random.below(deck.len()));
        let collection = random.below(collections);
        let calm = Duration::from_secs_f64(0.5 + 1.5 * random.chance());
        let away = kind.away(session, random.chance());
        let behind_rebuild = (random.chance() < 0.5).then(|| REBUILD.mul_f64(random.chance()));
        Fault { kind, collection, calm, away, behind_rebuild }
    };
    (0..rounds).map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: Duration = Duration::from_secs(6);

    fn drawn(seed: u64, rounds: usize) -> Vec<Fault> {
        draw_faults((seed, rounds), &FaultKind::ALL, 4, SESSION)
    }

    #[test]
    fn a_seed_is_a_plan() {
        assert_eq!(drawn(7, 12), drawn(7, 12));
        assert_eq!(drawn(7, 12)[..5], drawn(7, 5));
        assert_ne!(drawn(7, 12), drawn(8, 12));
    }

    #[test]
    fn each_kind_comes_before_any_comes_again() {
        for seed in 0..20 {
            for four in drawn(seed, 40).chunks(4) {
                let mut kinds: Vec<FaultKind> = four.iter().map(|fault| fault.kind).collect();
                kinds.sort();
                assert_eq!(kinds, FaultKind::ALL);
            }
        }
    }

    #[test]
    fn who_is_killed_stays_away_beyond_its_session_and_who_is_stopped_perhaps() {
        let all = drawn(3, 400);
        let of = |kind| all.iter().filter(move |fault| fault.kind == kind);
        let rebuilds = all.iter().filter(|fault| fault.behind_rebuild.is_some()).count();
        assert!((150..250).contains(&rebuilds), "{rebuilds}");
        assert!(of(FaultKind::Kill).all(|fault| fault.away > SESSION));
        assert!(of(FaultKind::Fast).all(|fault| fault.away.is_zero()));
        let (short, long): (Vec<_>, Vec<_>) = of(FaultKind::Stop).partition(|fault| fault.away < SESSION);
        assert!(!short.is_empty() && !long.is_empty());
        let met: std::collections::BTreeSet<usize> = all.iter().map(|fault| fault.collection).collect();
        assert_eq!(met.len(), 4);
    }
}
