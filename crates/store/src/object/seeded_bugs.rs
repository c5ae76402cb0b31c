//! Rules of the home that a test takes away, one at a time: histories that do not notice test nothing.
//! Planted on the test's own thread; outside of tests none can be. Each names a rule of `docs/protocol.md`;
//! the histories in the tests beside must find each of them.

#[cfg(test)]
use std::cell::Cell;

/// A rule that is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeededBug {
    /// A new owner puts no fences.
    NoFences,
    /// A new owner fences the newest epoch alone.
    NewestFenceOnly,
    /// Fences begin one slot behind the first free one.
    SealedTooHigh,
    /// A group that lands while its log is fenced is forgotten.
    ForgottenLanding,
    /// A name that is taken is believed to hold one's own bytes.
    TakenIsOurs,
    /// What has no answer is acknowledged.
    UnknownIsDurable,
    /// What is appended is acknowledged.
    EarlyAck,
    /// What has no answer is given up, and others take its slot.
    DroppedOffer,
    /// Fences are collected as groups are.
    FencesCollected,
}

#[cfg(test)]
impl SeededBug {
    pub(crate) const ALL: [Self; 9] = [
        Self::NoFences,
        Self::NewestFenceOnly,
        Self::SealedTooHigh,
        Self::ForgottenLanding,
        Self::TakenIsOurs,
        Self::UnknownIsDurable,
        Self::EarlyAck,
        Self::DroppedOffer,
        Self::FencesCollected,
    ];

    pub(crate) fn plant(bug: Option<Self>) {
        PLANTED.set(bug);
    }
}

#[cfg(test)]
thread_local! {
    static PLANTED: Cell<Option<SeededBug>> = const { Cell::new(None) };
}

impl SeededBug {
    #[cfg(test)]
    pub(crate) fn is_planted(self) -> bool {
        PLANTED.get() == Some(self)
    }

    #[cfg(not(test))]
    pub(crate) const fn is_planted(self) -> bool {
        false
    }
}
