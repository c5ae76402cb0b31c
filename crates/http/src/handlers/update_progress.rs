//! How far an update has come: what of it was done, what is known of that, and how a part that is refused is
//! told to the client, which has to know whether to send all of it again. The walk through the pieces is
//! `update.rs`'s.

use plan::{Error, ErrorKind, UpdateOutcome};

use crate::admission::Refused;

/// What was done so far.
#[derive(Default)]
pub(super) struct UpdateProgress {
    pub outcome: UpdateOutcome,
    /// Whether the log could still lose some of it.
    pub is_unsettled: bool,
    /// Whether the log was waited for, and has no answer.
    pub is_unknown: bool,
    /// How many commands the pieces had that are done.
    pub commands: usize,
    /// When who was refused may come again: 0 where the header is to say nothing, `None` where the error's
    /// kind decides.
    pub retry_after_s: Option<u64>,
}

impl UpdateProgress {
    /// How a refusal is answered. `Busy` says that nothing was done, and clients send all of it again:
    /// behind pieces that are done it would be a lie.
    pub fn refuse(&mut self, refused: Refused) -> Error {
        let Refused { error, retry_after_s } = refused;
        if error.kind != ErrorKind::Busy || self.commands == 0 {
            self.retry_after_s = Some(retry_after_s).filter(|wait_s| *wait_s > 0);
            return error;
        }
        self.retry_after_s = Some(0);
        let why = error.message.split(';').next().unwrap_or_default();
        let done = match self.commands {
            1 => "the first command of this update is".to_owned(),
            count => format!("the first {count} commands of this update are"),
        };
        let message = format!(
            "only {done} done: {why}; send those behind after a second, or all if doing some twice does no harm"
        );
        Error::new(ErrorKind::Unavailable, message)
    }
}

/// Where more errors than `errors_max` end an update, it fails with the first of them, whichever piece that
/// was in.
pub(super) fn first_refusal(outcome: &UpdateOutcome, errors_max: Option<u64>) -> Option<Error> {
    errors_max.filter(|most| (outcome.refused.len() as u64) > *most)?;
    let first = &outcome.refused.first()?.error;
    let mut error = Error::new(first.kind, first.message.clone());
    error.root = first.root;
    Some(error)
}
