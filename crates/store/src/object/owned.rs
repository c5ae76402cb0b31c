//! What the parts of one opening share: the client, the names, who writes, and whether the opening has ended.
//! An opening ends once and for all parts: whichever of them meets another owner's object, or a medium that
//! refuses for good, says so here.

use std::sync::{Arc, Mutex, PoisonError};

use super::chain::ChainReader;
use super::client::Client;
use super::format::{Kind, Writer, decode, encode};
use super::keys::Keys;
use super::medium::ObjectBytes;
use super::shared_look::SharedLook;
use crate::{Error, ErrorKind, Result};

pub(crate) struct Owned {
    pub client: Arc<Client>,
    pub keys: Keys,
    pub writer: Writer,
    ended: Mutex<Option<Error>>,
    looks: SharedLook,
}

impl Owned {
    pub(crate) fn new(client: Arc<Client>, keys: Keys, writer: Writer) -> Self {
        Self { client, keys, writer, ended: Mutex::default(), looks: SharedLook::default() }
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.writer.epoch
    }

    /// An object of this opening's own epoch.
    pub(crate) fn encode(&self, kind: Kind, number: u64, body: &[u8]) -> ObjectBytes {
        encode(kind, &self.writer, self.writer.epoch, number, body).into()
    }

    /// Errors: `Deposed` or `Failed` once the opening has ended.
    pub(crate) fn check(&self) -> Result<()> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.as_ref().map_or(Ok(()), |error| Err(error.repeat()))
    }

    /// Ends the opening; the first reason counts.
    pub(crate) fn end(&self, error: &Error) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.get_or_insert_with(|| error.repeat());
    }

    /// Looks whether another has taken the shard over.
    ///
    /// Errors: `Deposed`, which ends the opening; `Retry` while the medium does not answer.
    pub(crate) fn look(&self) -> Result<()> {
        self.check()?;
        self.looks.share(|| self.look_alone())
    }

    /// Asks for the next epoch, which whoever opens the shard occupies first and nobody removes: a manifest's
    /// name may be free again by the time that an owner who was away asks for it. One who has begun and not
    /// published yet, or never will, owns nothing.
    fn look_alone(&self) -> Result<()> {
        let own = self.epoch();
        if self.client.get(&self.keys.epoch(own + 1))?.is_none() {
            return Ok(());
        }
        let reader = ChainReader { client: &self.client, keys: &self.keys, stream: &self.writer.stream };
        match reader.load()?.newest {
            Some(newest) if newest.epoch > own => {
                Err(self.deposed_by(&format!("epoch {} has taken it from epoch {own}", newest.epoch)))
            }
            _ => Ok(()),
        }
    }

    /// Ends the opening because `found` lies where one of its own objects was to be.
    pub(crate) fn depose(&self, key: &str, found: &[u8]) -> Error {
        let who = match decode(key, &self.writer.stream, found) {
            Ok(object) => format!("a {:?} of epoch {}", object.kind, object.epoch).to_lowercase(),
            Err(_) => "something else".to_owned(),
        };
        let own = self.epoch();
        self.deposed_by(&format!("`{key}` of epoch {own} holds {who}"))
    }

    fn deposed_by(&self, seen: &str) -> Error {
        let message = format!("the shard has another owner: {seen}; open it as a reader, or anew");
        let error = Error::new(ErrorKind::Deposed, message);
        self.end(&error);
        error
    }
}
