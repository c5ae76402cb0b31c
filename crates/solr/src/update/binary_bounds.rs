//! What a body in a binary format may make of itself: there a value can be one byte, a long text can be told
//! once and meant a million times, and lists can hold lists without end. One is made for each piece of a
//! body; decoders of javabin and CBOR take from it before they allocate. Texts of JSON, XML and CSV are
//! bounded by their own length.

use plan::{Error, Result};

/// Deepest nesting of values.
const DEPTH_MAX: usize = 64;

/// Values that any body may hold. Beyond, there may be one for two bytes of it, which is how dense JSON gets.
const VALUES_MIN: usize = 4 << 20;

/// What texts that are sent once may add up to as values, beyond the length of the body.
const REPEATED_BYTES_MIN: usize = 16 << 20;

/// Counts down while a body is read.
pub struct Bounds {
    values_left: usize,
    repeated_left: usize,
}

impl Bounds {
    pub fn of(body: &[u8]) -> Self {
        Self {
            // A value takes memory however short it is on the wire, where one byte may do.
            values_left: VALUES_MIN + body.len() / 2,
            repeated_left: REPEATED_BYTES_MIN.saturating_add(body.len()),
        }
    }

    /// One more value, inside this many others.
    pub fn value(&mut self, depth: usize) -> Result<()> {
        if depth > DEPTH_MAX {
            return Err(Error::bad_request(format!("values nest deeper than {DEPTH_MAX}; flatten them")));
        }
        let left = self.values_left.checked_sub(1);
        self.values_left =
            left.ok_or_else(|| Error::bad_request("there are too many values; send the body in parts"))?;
        Ok(())
    }

    /// The text of a value that stands elsewhere.
    pub fn repeated(&mut self, text: &str) -> Result<String> {
        let left = self.repeated_left.checked_sub(text.len());
        self.repeated_left =
            left.ok_or_else(|| Error::bad_request("texts repeat too much; send the body in parts"))?;
        Ok(text.to_owned())
    }
}
