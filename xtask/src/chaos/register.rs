//! A document as a register: every value that was tried on it, in order, with what the writer heard, and what
//! it may hold by that. Nothing here knows of servers or threads; one document is written by one writer at a
//! time, so that the order of its tries is a fact.
//!
//! Three promises are checked. What was acknowledged is there, or something later is; what was refused is
//! not; what nobody wrote is not. A try without an answer may be there or not, as long as nothing later was
//! acknowledged: then it is over.

use std::fmt;

/// What a writer heard of a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Durable.
    Acknowledged,
    /// Can never be there.
    Refused,
    /// No answer yet, none at all, or one that leaves it open.
    Unknown,
}

impl Outcome {
    /// By the status of an answer to an update of one document.
    pub fn of_status(status: u16) -> Self {
        match status {
            200 => Self::Acknowledged,
            400..=499 => Self::Refused,
            _ => Self::Unknown,
        }
    }
}

/// Why a document may not hold what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breach {
    /// There is no document, though a value of it was acknowledged.
    LostDocument,
    /// It holds what was there before the acknowledged value.
    LostWrite,
    /// It holds a value that was refused.
    Refused,
    /// It holds a value that nobody tried.
    Nowhere,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LostDocument => "an acknowledged document is lost",
            Self::LostWrite => "an acknowledged write is lost",
            Self::Refused => "a write that was refused is there",
            Self::Nowhere => "a value that nobody wrote is there",
        })
    }
}

/// All that was tried on one document.
#[derive(Clone, Debug, Default)]
pub struct Register {
    tries: Vec<(u64, Outcome)>,
}

impl Register {
    /// Unknown until it is answered.
    pub fn begin(&mut self, value: u64) {
        self.tries.push((value, Outcome::Unknown));
    }

    /// Of the try that was begun last.
    pub fn answer(&mut self, outcome: Outcome) {
        if let Some((_, last)) = self.tries.last_mut() {
            *last = outcome;
        }
    }

    /// What was acknowledged last.
    pub fn acknowledged(&self) -> Option<u64> {
        let last = self.tries.iter().rev().find(|(_, outcome)| *outcome == Outcome::Acknowledged);
        last.map(|(value, _)| *value)
    }

    /// What was tried behind a value and may be there.
    pub fn open_behind(&self, floor: Option<u64>) -> Vec<u64> {
        let open = self.tries.iter().filter(|(value, outcome)| {
            *outcome == Outcome::Unknown && floor.is_none_or(|floor| *value > floor)
        });
        open.map(|(value, _)| *value).collect()
    }

    /// Whether a reader may find that, who began when `floor` had been acknowledged, and no more.
    pub fn judge(&self, found: Option<u64>, floor: Option<u64>) -> Result<(), Breach> {
        let Some(found) = found else {
            return if floor.is_some() { Err(Breach::LostDocument) } else { Ok(()) };
        };
        match self.tries.iter().find(|(value, _)| *value == found) {
            None => Err(Breach::Nowhere),
            Some((_, Outcome::Refused)) => Err(Breach::Refused),
            // Values grow with each try.
            Some(_) if floor.is_some_and(|floor| found < floor) => Err(Breach::LostWrite),
            Some(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(tries: &[(u64, Outcome)]) -> Register {
        let mut register = Register::default();
        for (value, outcome) in tries {
            register.begin(*value);
            register.answer(*outcome);
        }
        register
    }

    #[track_caller]
    fn check(tries: &[(u64, Outcome)], found: Option<u64>, expected: Result<(), Breach>) {
        let register = register(tries);
        assert_eq!(register.judge(found, register.acknowledged()), expected, "{tries:?} {found:?}");
    }

    use Outcome::{Acknowledged, Refused, Unknown};

    #[test]
    fn the_last_acknowledged_value_is_right() {
        check(&[(1, Acknowledged), (4, Acknowledged)], Some(4), Ok(()));
        check(&[], None, Ok(()));
        check(&[(1, Refused)], None, Ok(()));
    }

    #[test]
    fn what_was_tried_later_without_an_answer_may_be_there_or_not() {
        let tries = [(1, Acknowledged), (4, Unknown), (6, Refused), (9, Unknown)];
        for found in [1, 4, 9] {
            check(&tries, Some(found), Ok(()));
        }
        for found in [None, Some(2)] {
            check(&[(2, Unknown)], found, Ok(()));
        }
    }

    #[test]
    fn a_lost_write_is_found() {
        let lost = Err(Breach::LostWrite);
        check(&[(1, Acknowledged), (4, Acknowledged)], Some(1), lost);
        check(&[(1, Acknowledged), (4, Acknowledged), (7, Unknown)], Some(1), lost);
        // It had no answer, and came back over what was acknowledged behind it.
        check(&[(1, Unknown), (4, Acknowledged)], Some(1), lost);
    }

    #[test]
    fn a_lost_document_is_found() {
        check(&[(1, Acknowledged)], None, Err(Breach::LostDocument));
        check(&[(1, Acknowledged), (4, Unknown)], None, Err(Breach::LostDocument));
    }

    #[test]
    fn values_from_nowhere_and_refused_ones_are_found() {
        check(&[(1, Acknowledged)], Some(2), Err(Breach::Nowhere));
        check(&[], Some(2), Err(Breach::Nowhere));
        check(&[(1, Acknowledged), (4, Refused)], Some(4), Err(Breach::Refused));
    }

    #[test]
    fn a_reader_knows_what_was_acknowledged_before_it_began() {
        let register = register(&[(1, Acknowledged), (4, Acknowledged), (6, Unknown)]);
        for found in [1, 4, 6] {
            assert_eq!(register.judge(Some(found), Some(1)), Ok(()), "4 came while it read");
        }
        assert_eq!(register.judge(Some(1), Some(4)), Err(Breach::LostWrite));
        assert_eq!((register.open_behind(Some(4)), register.open_behind(Some(6))), (vec![6], vec![]));
    }

    #[test]
    fn only_what_says_so_is_acknowledged_or_refused() {
        let check = |status, expected| assert_eq!(Outcome::of_status(status), expected, "{status}");
        check(200, Acknowledged);
        check(404, Refused);
        check(409, Refused);
        check(500, Unknown);
        check(503, Unknown);
    }
}
