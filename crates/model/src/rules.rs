//! How a model writes its rules down: one line each, with the promise that breaks without it. The macro makes
//! the struct of switches, the list of removals and a test for each rule, so that a rule without a test
//! cannot be written.

use crate::Promise;

/// The switches of one model's rules.
pub trait RuleSet: Copy + 'static {
    /// What the protocol demands: every rule kept.
    const ALL: Self;
    /// Each rule taken away alone.
    const REMOVALS: &'static [Removal<Self>];
}

/// One rule taken away.
#[derive(Clone, Copy, Debug)]
pub struct Removal<R: 'static> {
    pub rule: &'static str,
    /// All rules but this.
    pub rules: R,
    /// The promise that then breaks.
    pub breaks: Promise,
}

/// Declares `Rules`: `rules! { Model { /// why name => PROMISE, … } }`.
macro_rules! rules {
    ($model:ty { $($(#[$doc:meta])* $rule:ident => $breaks:expr,)* }) => {
        /// What the protocol demands of this model, one switch a rule.
        #[derive(Clone, Copy, Debug)]
        #[allow(clippy::struct_excessive_bools)]
        pub struct Rules {
            $($(#[$doc])* pub $rule: bool,)*
        }

        impl $crate::RuleSet for Rules {
            const ALL: Self = Self { $($rule: true,)* };
            const REMOVALS: &'static [$crate::Removal<Self>] = &[$($crate::Removal {
                rule: stringify!($rule),
                rules: Self { $rule: false, ..<Self as $crate::RuleSet>::ALL },
                breaks: $breaks,
            },)*];
        }

        #[cfg(test)]
        mod tests {
            use super::*;

            #[test]
            fn every_rule_kept_every_promise_holds() {
                $crate::check::assert_promises_hold::<$model>();
            }

            mod without {
                use super::*;

                $(#[test]
                fn $rule() {
                    let rules = Rules { $rule: false, ..<Rules as $crate::RuleSet>::ALL };
                    $crate::check::assert_breaks::<$model>(rules, $breaks);
                })*
            }
        }
    };
}

pub(crate) use rules;
