//! What the parts of one opening share: the client, the names, who writes, and whether the opening has ended.
//! An opening ends once and for all parts: whichever of them meets another owner's object, or a medium that
//! refuses for good, says so here.

use std::sync::{Arc, Mutex, PoisonError};

use super::client::Client;
use super::format::{Kind, Writer, decode, encode};
use super::keys::Keys;
use super::medium::ObjectBytes;
use crate::{Error, ErrorKind, Result};

pub(crate) struct Owned {
    pub client: Arc<Client>,
    pub keys: Keys,
    pub writer: Writer,
    ended: Mutex<Option<Error>>,
}

impl Owned {
    pub(crate) fn new(client: Arc<Client>, keys: Keys, writer: Writer) -> Self {
        Self { client, keys, writer, ended: Mutex::default() }
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

    /// Ends the opening because `found` lies where one of its own objects was to be.
    pub(crate) fn depose(&self, key: &str, found: &[u8]) -> Error {
        let who = match decode(key, &self.writer.stream, found) {
            Ok(object) => format!("a {:?} of epoch {}", object.kind, object.epoch).to_lowercase(),
            Err(_) => "something else".to_owned(),
        };
        let own = self.epoch();
        let message = format!(
            "the shard has another owner: `{key}` of epoch {own} holds {who}; open it as a reader, or anew"
        );
        let error = Error::new(ErrorKind::Deposed, message);
        self.end(&error);
        error
    }
}
