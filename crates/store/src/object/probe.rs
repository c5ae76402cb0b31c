//! Whether a store keeps what a medium promises: create-only PUTs are not passed over and do not race, what
//! was created is read and listed at once, and what was deleted is gone. Some stores that speak S3's language
//! ignore `If-None-Match`; on those two owners would write over each other's log.
//!
//! Goes over single attempts, for whoever tries again would not see a race. What was found out is kept in the
//! store itself, under a key of the store's own name, so that a bucket that was copied elsewhere is probed
//! there.

use std::fmt::Write as _;

use super::medium::{Attempt, Failure, FailureKind, Medium, ObjectBytes};
use crate::{Error, ErrorKind, Result};

/// Names that writers race for, and writers for each of them.
const RACES: usize = 32;
const WRITERS: usize = 16;
/// Attempts at each step where the store does not answer.
const ATTEMPTS: usize = 4;
/// The format of the kept verdict, and which checks it speaks of: a higher number probes anew.
const CHECKS: &str = "checks 1";

/// What a store did that it must not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeFinding {
    /// What was tried.
    pub check: &'static str,
    /// What the store did.
    pub seen: String,
}

/// What a probe came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeVerdict {
    /// Found out now, or by an earlier probe.
    Trusted {
        was_known: bool,
    },
    Refused(Vec<ProbeFinding>),
}

impl ProbeVerdict {
    /// Errors: `Invalid` with a page of what was seen where the store was refused.
    pub fn check(&self, store: &str) -> Result<()> {
        let Self::Refused(findings) = self else { return Ok(()) };
        let mut page = format!(
            "the store {store} does not keep what a shard's home needs, and would lose acknowledged updates:\n"
        );
        for ProbeFinding { check, seen } in findings {
            // Writing to a string cannot fail.
            let _ = writeln!(page, "  {check}: {seen}");
        }
        page.push_str(
            "use a store whose PUT honours `If-None-Match: *` and whose reads and listings are consistent \
             (S3, GCS, Azure, MinIO), or ask its maker; nothing was written but below `probe/`",
        );
        Err(Error::new(ErrorKind::Invalid, page))
    }
}

/// Probes a store, unless it was found fit before. `nonce` makes this probe's names its own.
///
/// Errors: `Retry` where the store does not answer; `Failed` where it refuses what is asked.
pub fn probe(medium: &dyn Medium, nonce: [u8; 16]) -> Result<ProbeVerdict> {
    let verdict = format!("probe/{:08x}", crc32fast::hash(medium.name().as_bytes()));
    let text = format!("{CHECKS}\n{}\n", medium.name());
    match answered(|| medium.get(&verdict)) {
        Ok(found) if found == text.as_bytes() => return Ok(ProbeVerdict::Trusted { was_known: true }),
        Ok(_) => {}
        Err(failure) if failure.kind == FailureKind::Missing => {}
        Err(failure) => return Err(unanswered(&failure)),
    }
    let hex = nonce.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    let probe = Probe { medium, prefix: format!("probe/{hex}/"), nonce };
    let findings = probe.findings().map_err(|failure| unanswered(&failure))?;
    // Best effort: they are small, and nobody reads them again.
    let left = medium.list(&probe.prefix).unwrap_or_default();
    let _ = medium.delete_all(&left.into_iter().map(|(key, _)| key).collect::<Vec<_>>());
    if !findings.is_empty() {
        return Ok(ProbeVerdict::Refused(findings));
    }
    // Without it the next start probes once more.
    let _ = medium.delete(&verdict).and_then(|()| medium.create(&verdict, &text.into_bytes().into()));
    Ok(ProbeVerdict::Trusted { was_known: false })
}

fn unanswered(failure: &Failure) -> Error {
    let (kind, step) = match failure.kind {
        FailureKind::Refused => {
            (ErrorKind::Failed, "check its address, the credentials and what they may do")
        }
        FailureKind::Full => (ErrorKind::Full, "free space in it"),
        _ => (ErrorKind::Retry, "look whether it can be reached, and try again"),
    };
    Error::new(kind, format!("cannot probe the store: {failure}; {step}"))
}

/// Tries a few times for an answer.
fn answered<T>(mut attempt: impl FnMut() -> Attempt<T>) -> Attempt<T> {
    let mut result = attempt();
    for _ in 1..ATTEMPTS {
        match &result {
            Err(failure) if failure.kind == FailureKind::Unanswered => result = attempt(),
            _ => break,
        }
    }
    result
}

struct Probe<'a> {
    medium: &'a dyn Medium,
    prefix: String,
    nonce: [u8; 16],
}

impl Probe<'_> {
    fn bytes(&self, writer: usize) -> ObjectBytes {
        [&self.nonce[..], &writer.to_le_bytes()].concat().into()
    }

    fn findings(&self) -> Attempt<Vec<ProbeFinding>> {
        let mut findings = Vec::new();
        findings.extend(self.twice()?);
        findings.extend(self.races()?);
        findings.extend(self.listing()?);
        findings.extend(self.deletion()?);
        Ok(findings)
    }

    /// A second PUT under a name that is taken.
    fn twice(&self) -> Attempt<Option<ProbeFinding>> {
        let check = "a create-only PUT of a name that exists";
        let key = format!("{}twice", self.prefix);
        self.create(&key, 0)?;
        let second = self.create(&key, 1)?;
        let now = self.read(&key)?;
        let seen = match (second, now) {
            (false, Some(bytes)) if *bytes == *self.bytes(0) => return Ok(None),
            (true, _) => "it was answered with success, as if no condition had been asked for",
            (false, Some(_)) => "it was refused, and replaced what was there all the same",
            (false, None) => "it was refused, and what was there could not be read afterwards",
        };
        Ok(Some(ProbeFinding { check, seen: seen.to_owned() }))
    }

    /// Many PUTs of one name at once.
    fn races(&self) -> Attempt<Option<ProbeFinding>> {
        let check = "create-only PUTs of one name at the same time";
        for race in 0..RACES {
            let key = format!("{}race-{race}", self.prefix);
            let objects: Vec<_> = (0..WRITERS).map(|writer| (key.clone(), self.bytes(writer))).collect();
            let attempts = self.medium.create_all(&objects);
            let won: Vec<usize> =
                attempts.iter().enumerate().filter(|(_, it)| it.is_ok()).map(|(writer, _)| writer).collect();
            if let Some(failure) =
                attempts.iter().find_map(|it| it.as_ref().err().filter(|it| is_refusal(it)))
            {
                return Err(failure.clone());
            }
            let now = self.read(&key)?;
            let seen = match (won.as_slice(), now) {
                ([], _) => continue,
                ([_], None) => format!("one of {WRITERS} succeeded, and a read behind it found nothing"),
                ([winner], Some(bytes)) if *bytes == *self.bytes(*winner) => continue,
                ([_], Some(_)) => format!("one of {WRITERS} succeeded, and another's bytes are there"),
                (won, _) => format!("{} of {WRITERS} succeeded at name {} of {RACES}", won.len(), race + 1),
            };
            return Ok(Some(ProbeFinding { check, seen }));
        }
        Ok(None)
    }

    /// What was created is listed at once.
    fn listing(&self) -> Attempt<Option<ProbeFinding>> {
        let check = "listing behind a PUT";
        for number in 0..4 {
            let (prefix, key) = (format!("{}list/", self.prefix), format!("{}list/{number}", self.prefix));
            self.create(&key, 0)?;
            let listed = answered(|| self.medium.list(&prefix))?;
            if listed.iter().all(|(found, _)| *found != key) {
                let seen = "what had been created a moment ago was not listed".to_owned();
                return Ok(Some(ProbeFinding { check, seen }));
            }
        }
        Ok(None)
    }

    /// What was deleted is gone, and its name is free.
    fn deletion(&self) -> Attempt<Option<ProbeFinding>> {
        let check = "deleting";
        let (prefix, key) = (format!("{}gone/", self.prefix), format!("{}gone/1", self.prefix));
        self.create(&key, 0)?;
        answered(|| self.medium.delete(&key))?;
        let listed = answered(|| self.medium.list(&prefix))?;
        let seen = if self.read(&key)?.is_some() {
            "what had been deleted could still be read"
        } else if !listed.is_empty() {
            "what had been deleted was still listed"
        } else if !self.create(&key, 1)? {
            "the name of what had been deleted was not free"
        } else {
            return Ok(None);
        };
        Ok(Some(ProbeFinding { check, seen: seen.to_owned() }))
    }

    /// Whether a create-only PUT succeeded. One without an answer counts by what is there then.
    fn create(&self, key: &str, writer: usize) -> Attempt<bool> {
        let bytes = self.bytes(writer);
        let mut was_open = false;
        let created = answered(|| {
            let attempt = self.medium.create(key, &bytes);
            was_open |= attempt.as_ref().is_err_and(|failure| failure.kind == FailureKind::Unanswered);
            attempt
        });
        match created {
            Ok(()) => Ok(true),
            Err(failure) if failure.kind == FailureKind::Exists => {
                Ok(was_open && self.read(key)?.is_some_and(|found| *found == *bytes))
            }
            Err(failure) => Err(failure),
        }
    }

    fn read(&self, key: &str) -> Attempt<Option<Vec<u8>>> {
        match answered(|| self.medium.get(key)) {
            Err(failure) if failure.kind == FailureKind::Missing => Ok(None),
            found => found.map(Some),
        }
    }
}

fn is_refusal(failure: &Failure) -> bool {
    matches!(failure.kind, FailureKind::Refused | FailureKind::Full)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::object::faults::{Broken, BrokenMedium, FaultRates, FaultyMedium, MemoryMedium};
    use crate::object::folder::FolderMedium;

    #[test]
    fn a_store_that_keeps_its_promises_is_trusted_from_then_on() {
        let folder = tempfile::tempdir().unwrap();
        let media: [Box<dyn Medium>; 2] =
            [Box::new(MemoryMedium::default()), Box::new(FolderMedium::unsynced(folder.path()))];
        for medium in media {
            assert_eq!(probe(&*medium, [1; 16]).unwrap(), ProbeVerdict::Trusted { was_known: false });
            assert_eq!(probe(&*medium, [1; 16]).unwrap(), ProbeVerdict::Trusted { was_known: true });
            assert_eq!(medium.list("probe/").unwrap().len(), 1, "but for the verdict nothing is left");
        }
    }

    #[test]
    fn a_store_that_loses_answers_is_not_blamed() {
        let rates = FaultRates { lost: 60, landed_unanswered: 60, unread: 60, ..FaultRates::default() };
        for seed in 0..50 {
            let medium = FaultyMedium::new(Arc::new(MemoryMedium::default()));
            medium.set_rates(rates, seed);
            match probe(&medium, [1; 16]) {
                Ok(verdict) => assert_eq!(verdict, ProbeVerdict::Trusted { was_known: false }, "seed {seed}"),
                Err(error) => assert_eq!(error.kind(), &ErrorKind::Retry, "seed {seed}: {error}"),
            }
        }
    }

    #[test]
    fn a_store_that_breaks_a_promise_is_refused_with_what_was_seen() {
        let check = |how: Broken, checked: &str, seen: &str| {
            let medium = BrokenMedium::new(how);
            let verdict = probe(&medium, [1; 16]).unwrap();
            let error = verdict.check("`s3://films`").unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::Invalid);
            let page = error.message();
            assert!(page.starts_with("the store `s3://films` does not keep"), "{page}");
            assert!(page.contains(&format!("{checked}: ")) && page.contains(seen), "{how:?}: {page}");
            let again = probe(&medium, [2; 16]).unwrap();
            assert!(matches!(again, ProbeVerdict::Refused(_)), "{how:?}: no verdict is kept");
        };
        check(Broken::IgnoresCondition, "a create-only PUT of a name that exists", "with success");
        check(Broken::RacesCondition, "create-only PUTs of one name at the same time", "16 of 16 succeeded");
        check(Broken::ReadsLate, "a create-only PUT of a name that exists", "could not be read afterwards");
        check(Broken::ListsLate, "listing behind a PUT", "was not listed");
    }
}
