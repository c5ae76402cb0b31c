//! Tokenizers whose words are given by a grammar of regular expressions: at each place the longest match of
//! any rule is a token of the rule's type, the first rule winning ties; where none matches, one character is
//! passed over. Rules run as one automaton that is built state by state while texts pass it.

use std::sync::Arc;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input as Haystack, MatchKind};

/// A compiled grammar with the working memory of one thread.
pub(crate) struct Grammar {
    rules: Arc<DFA>,
    cache: Cache,
}

/// Room for the states of an automaton; when it is full the automaton starts over.
const CACHE_BYTES: usize = 8 << 20;

/// A match: where it ends, and which rule it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) end: usize,
    pub(crate) rule: usize,
}

impl Grammar {
    /// Compiles the rules of a grammar.
    pub(crate) fn compile(rules: &[String]) -> Result<Self, String> {
        let rules = DFA::builder()
            // All matches, not the leftmost-first one: JFlex takes the longest of any rule, and the first
            // rule only at equal length.
            .configure(
                DFA::config()
                    .match_kind(MatchKind::All)
                    .cache_capacity(CACHE_BYTES)
                    .skip_cache_capacity_check(true),
            )
            .thompson(thompson::Config::new().shrink(false))
            .build_many(rules)
            .map_err(|reason| reason.to_string())?;
        let cache = rules.create_cache();
        Ok(Grammar { rules: Arc::new(rules), cache })
    }

    /// The longest match that starts at `start` of the text and has at most `bytes_max` bytes. Callers set a
    /// limit, since a rule may look far ahead in vain, again at each place.
    pub(crate) fn longest(&mut self, text: &str, start: usize, bytes_max: usize) -> Option<Match> {
        let end = text.len().min(start.saturating_add(bytes_max));
        let end = (start..=end).rev().find(|at| text.is_char_boundary(*at))?;
        let haystack = Haystack::new(text).range(start..end).anchored(Anchored::Yes);
        let found = self.rules.try_search_fwd(&mut self.cache, &haystack).ok()??;
        Some(Match { end: found.offset(), rule: found.pattern().as_usize() })
    }

    /// The same rules for another thread.
    pub(crate) fn fresh(&self) -> Self {
        Grammar { rules: self.rules.clone(), cache: self.rules.create_cache() }
    }
}
