//! How many retries and hedges a client may make: a share of its requests, and a few saved up. Without it a
//! server that is in trouble would get a multiple of its load just then. Its numbers are the caller's
//! (`RetryOptions`); `transport/mod.rs` deposits for each request and withdraws before each attempt beyond
//! the first. It does not ask whether a retry is safe: that is known there.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::options::RetryOptions;

pub(super) struct Budget {
    share: f64,
    reserve: f64,
    tokens: Mutex<f64>,
}

impl Budget {
    pub fn new(options: &RetryOptions) -> Self {
        let reserve = f64::from(options.budget_reserve);
        Self { share: options.budget_share.max(0.0), reserve, tokens: Mutex::new(reserve) }
    }

    /// A request was made.
    pub fn deposit(&self) {
        let mut tokens = self.tokens();
        // Never less room than for one: a share without a reserve must still add up to a retry.
        *tokens = (*tokens + self.share).min(self.reserve.max(1.0));
    }

    /// Whether one more attempt may be made.
    pub fn withdraw(&self) -> bool {
        let mut tokens = self.tokens();
        let granted = *tokens >= 1.0;
        if granted {
            *tokens -= 1.0;
        }
        granted
    }

    fn tokens(&self) -> MutexGuard<'_, f64> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_are_a_share_of_requests_and_a_reserve() {
        let check = |share: f64, reserve: u32, requests: u32, expected: u32| {
            let options =
                RetryOptions { budget_share: share, budget_reserve: reserve, ..RetryOptions::default() };
            let budget = Budget::new(&options);
            let mut retries = 0;
            for _ in 0..requests {
                budget.deposit();
                retries += u32::from(budget.withdraw());
            }
            assert_eq!(retries, expected, "{share} {reserve} {requests}");
        };
        check(0.125, 10, 5, 5);
        check(0.125, 10, 1000, 10 + 125 - 1);
        check(0.25, 0, 1000, 250);
        check(0.0, 0, 1000, 0);
        check(0.0, 3, 1000, 3);
    }
}
