//! Reading one's own writes: which updates a read must show, and what is done so that it does. Who asks for
//! it gets a token with the answer to an update, and brings it along with a read; or the relay is set to do
//! so for all. A read then waits for a soft commit that began after those updates were acknowledged, unless
//! one has ended already: one commit serves all who wait.
//!
//! In: tokens of headers, acknowledgements, commits as they end; out: tokens, and leave to read. Moments are
//! counted, not clocked: each acknowledged update is one, and a commit shows all before its own. Tokens of
//! another relay, or of this one before it was configured anew, say nothing of commits here, and count as
//! updates of this moment: too late, never too early. How a commit is sent is `upstream`'s.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Name of the header of requests and answers.
pub(crate) const TOKEN: &str = "x-relay-token";
/// Says that a token is wanted where there is none yet.
const NEW: &str = "new";
/// What a token may tell of at most: it travels in a header.
const TOKEN_COLLECTIONS_MAX: usize = 32;
const TOKEN_BYTES_MAX: usize = 4096;
/// Beyond this many all are forgotten, which costs each a commit.
const COLLECTIONS_MAX: usize = 10_000;
/// Of a collection's name in a token or a path: none of it is taken for a part of either.
pub(crate) const ESCAPED: AsciiSet = NON_ALPHANUMERIC.remove(b'_').remove(b'-');

/// Updates that whoever has it must see: the last of each collection, by the name under which it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Token(Vec<Written>);

/// The last update of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    instance: u64,
    moment: u64,
    collection: String,
}

/// An update that a read must show; the moment is one of this relay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    pub collection: String,
    pub moment: u64,
}

pub(crate) struct Writes {
    /// Tells this one's moments from those of others.
    instance: u64,
    /// For every read, whether it brings a token or not.
    is_always: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    moment: u64,
    collections: HashMap<String, Known>,
}

#[derive(Default)]
struct Known {
    /// Of its last update through this relay.
    written: u64,
    /// Updates up to this moment are shown.
    shown: u64,
    /// Held by who commits.
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl Token {
    /// Errors: what is wrong with it, for people.
    pub fn parse(text: &str) -> Result<Self, String> {
        let malformed = || format!("`{TOKEN}` is no token of a relay; send one back as it came, or `{NEW}`");
        if text.len() > TOKEN_BYTES_MAX {
            return Err(malformed());
        }
        if text.trim() == NEW {
            return Ok(Self::default());
        }
        let parts: Option<Vec<_>> = text.split(',').map(|part| Written::parse(part.trim())).collect();
        parts.filter(|parts| parts.len() <= TOKEN_COLLECTIONS_MAX).map(Self).ok_or_else(malformed)
    }

    /// With this instead of what it had of the collection. Errors: what it would tell is too much.
    pub fn add(&mut self, written: Written) -> Result<(), String> {
        self.0.retain(|known| known.collection != written.collection);
        if self.0.len() == TOKEN_COLLECTIONS_MAX {
            return Err(format!(
                "a token tells of {TOKEN_COLLECTIONS_MAX} collections at most; begin with `{TOKEN}: {NEW}` again"
            ));
        }
        self.0.push(written);
        Ok(())
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(NEW);
        }
        for (at, Written { instance, moment, collection }) in self.0.iter().enumerate() {
            let (comma, name) = (if at == 0 { "" } else { "," }, utf8_percent_encode(collection, &ESCAPED));
            write!(f, "{comma}{instance:x}.{moment:x}.{name}")?;
        }
        Ok(())
    }
}

impl Written {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '.');
        let mut number = || parts.next().and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let (instance, moment) = (number()?, number()?);
        let collection = percent_decode_str(parts.next()?).decode_utf8().ok()?.into_owned();
        (!collection.is_empty()).then_some(Self { instance, moment, collection })
    }
}

impl Writes {
    /// `instance`: no other relay's, and no earlier one of this.
    pub fn new(instance: u64, is_always: bool) -> Self {
        Self { instance, is_always, state: Mutex::default() }
    }

    pub fn now(&self) -> u64 {
        self.state().moment
    }

    /// An update was answered that began at `begun` and may have done something. `shows_itself`: it was a
    /// commit besides, and what was written before it began is shown too.
    pub fn acknowledge(&self, collection: &str, begun: u64, shows_itself: bool) -> Written {
        let mut state = self.state();
        let moment = if shows_itself {
            // Others may have been acknowledged meanwhile that it does not show. Its own needs no commit any
            // more, so it is as old as what it shows.
            begun
        } else {
            state.moment += 1;
            state.moment
        };
        let known = state.known(collection);
        if shows_itself {
            known.shown = known.shown.max(begun);
        } else {
            known.written = moment;
        }
        Written { instance: self.instance, moment, collection: collection.to_owned() }
    }

    /// What a read of `collection` must show, and its token's as they are known here.
    pub fn needs(&self, collection: Option<&str>, token: Option<&mut Token>) -> Vec<Need> {
        let mut state = self.state();
        let mut needs = Vec::new();
        for written in token.into_iter().flat_map(|token| &mut token.0) {
            if written.instance != self.instance || written.moment > state.moment {
                state.moment += 1;
                (written.instance, written.moment) = (self.instance, state.moment);
            }
            needs.push(Need { collection: written.collection.clone(), moment: written.moment });
        }
        let is_named = |needs: &[Need], name: &str| needs.iter().any(|need| need.collection == name);
        if let Some(name) = collection.filter(|name| self.is_always && !is_named(&needs, name)) {
            // What was written before this relay began, or while it knew more collections than it may, it
            // cannot know: the first read of each commits.
            let known = state.collections.get(name).map(|known| known.written);
            let moment = known.unwrap_or_else(|| {
                state.moment += 1;
                state.moment
            });
            needs.push(Need { collection: name.to_owned(), moment });
        }
        needs.retain(|need| !state.is_shown(need));
        needs
    }

    /// Returns once the update is shown; `commit` is called where that has to be seen to, by one at a time.
    pub async fn show<E>(&self, need: &Need, commit: impl AsyncFnOnce() -> Result<(), E>) -> Result<(), E> {
        let turn = {
            let mut state = self.state();
            let known = state.known(&need.collection);
            // Should the commit fail, the next read is to need it too.
            known.written = known.written.max(need.moment);
            known.turn.clone()
        };
        let _turn = turn.lock().await;
        let begun = {
            let state = self.state();
            if state.is_shown(need) {
                return Ok(());
            }
            state.moment
        };
        commit().await?;
        let mut state = self.state();
        let known = state.known(&need.collection);
        known.shown = known.shown.max(begun);
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn known(&mut self, collection: &str) -> &mut Known {
        if self.collections.len() >= COLLECTIONS_MAX && !self.collections.contains_key(collection) {
            self.collections.clear();
        }
        self.collections.entry(collection.to_owned()).or_default()
    }

    fn is_shown(&self, need: &Need) -> bool {
        self.collections.get(&need.collection).is_some_and(|known| known.shown >= need.moment)
    }
}

impl fmt::Debug for Writes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writes").field("instance", &self.instance).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(writes: &Writes, token: &str) -> usize {
        writes.needs(Some("c"), Some(&mut Token::parse(token).unwrap())).len()
    }

    async fn commit(writes: &Writes, token: &str) -> usize {
        let mut commits = 0;
        for need in writes.needs(Some("c"), Some(&mut Token::parse(token).unwrap())) {
            let commit = async || {
                commits += 1;
                Ok::<_, ()>(())
            };
            writes.show(&need, commit).await.unwrap();
        }
        commits
    }

    #[test]
    fn tokens_are_read_as_they_are_written() {
        let written =
            |moment, collection: &str| Written { instance: 0xab, moment, collection: collection.into() };
        let mut token = Token::default();
        assert_eq!(token.to_string(), "new");
        for part in [written(1, "films"), written(2, "a.b, c/ä"), written(0xff, "films")] {
            token.add(part).unwrap();
        }
        assert_eq!(token.to_string(), "ab.2.a%2Eb%2C%20c%2F%C3%A4,ab.ff.films");
        assert_eq!(Token::parse(&token.to_string()), Ok(token));
        for wrong in ["", "old", "1.2", "1.2.", "x.2.films", "1.-2.films", "1.2.%ff", "1.2.films,"] {
            assert!(Token::parse(wrong).unwrap_err().contains("is no token"), "{wrong}");
        }
        let many: Vec<_> = (0..33).map(|number| format!("1.2.c{number}")).collect();
        assert!(Token::parse(&many.join(",")).is_err());
        let mut full = Token::parse(&many[..32].join(",")).unwrap();
        assert!(full.add(written(1, "c31")).is_ok() && full.add(written(1, "c32")).is_err());
    }

    #[tokio::test]
    async fn one_commit_shows_what_was_acknowledged_before_it_began() {
        let writes = Writes::new(7, false);
        let token = |written: Written| Token(vec![written]).to_string();
        let first = token(writes.acknowledge("c", 0, false));
        assert_eq!((needs(&writes, "new"), needs(&writes, &first)), (0, 1));
        let (second, other) =
            (token(writes.acknowledge("c", 1, false)), token(writes.acknowledge("d", 2, false)));
        assert_eq!(commit(&writes, &first).await, 1);
        assert_eq!((needs(&writes, &second), needs(&writes, &other)), (0, 1));
        let third = token(writes.acknowledge("c", 3, false));
        assert_eq!((needs(&writes, &second), needs(&writes, &third)), (0, 1));
    }

    #[tokio::test]
    async fn what_is_acknowledged_while_a_commit_runs_waits_for_the_next() {
        let writes = Writes::new(7, false);
        let first = writes.acknowledge("c", 0, false);
        let need = writes.needs(None, Some(&mut Token(vec![first]))).remove(0);
        let mut second = None;
        let commit = async || {
            second = Some(writes.acknowledge("c", 1, false));
            Ok::<_, ()>(())
        };
        writes.show(&need, commit).await.unwrap();
        assert_eq!(needs(&writes, &Token(vec![second.unwrap()]).to_string()), 1);
        // Nor does one that failed show anything.
        let need = Need { collection: "d".to_owned(), moment: writes.acknowledge("d", 2, false).moment };
        let failed = writes.show(&need, async || Err("no room")).await;
        assert_eq!((failed, writes.state().is_shown(&need)), (Err("no room"), false));
        assert_eq!(writes.show(&need, async || Ok::<_, ()>(())).await, Ok(()));
    }

    #[tokio::test]
    async fn an_update_that_commits_needs_none_and_shows_what_was_before_it() {
        let writes = Writes::new(7, false);
        let before = Token(vec![writes.acknowledge("c", 0, false)]);
        let begun = writes.now();
        let beside = Token(vec![writes.acknowledge("c", begun, false)]);
        let own = Token(vec![writes.acknowledge("c", begun, true)]);
        let found = [before, beside, own].map(|token| needs(&writes, &token.to_string()));
        assert_eq!(found, [0, 1, 0]);
    }

    #[tokio::test]
    async fn tokens_of_others_count_as_updates_of_now() {
        let (one, other) = (Writes::new(7, false), Writes::new(8, false));
        let token = Token(vec![one.acknowledge("c", 0, false)]).to_string();
        assert_eq!(commit(&one, &token).await, 1);
        // Each time anew, but for who sends back what he got.
        assert_eq!((commit(&other, &token).await, commit(&other, &token).await), (1, 1));
        let mut known = Token::parse(&token).unwrap();
        other.needs(None, Some(&mut known));
        assert_eq!((commit(&other, &known.to_string()).await, needs(&other, &known.to_string())), (1, 0));
        // A moment that is not yet is nobody's.
        assert_eq!(commit(&one, "7.ffffffffffffffff.c").await, 1);
    }

    #[tokio::test]
    async fn always_is_without_tokens() {
        let writes = Writes::new(7, true);
        let commits = async |collection: &str| {
            let mut commits = 0;
            for need in writes.needs(Some(collection), None) {
                let commit = async || {
                    commits += 1;
                    Ok::<_, ()>(())
                };
                writes.show(&need, commit).await.unwrap();
            }
            commits
        };
        assert_eq!((commits("c").await, commits("c").await), (1, 0));
        writes.acknowledge("c", 0, false);
        assert_eq!((commits("c").await, commits("c").await, commits("d").await), (1, 0, 1));
        let failed = &writes.needs(Some("e"), None)[0];
        assert_eq!(writes.show(failed, async || Err(())).await, Err(()));
        assert_eq!(commits("e").await, 1);
        assert_eq!(writes.needs(None, None), []);
    }
}
