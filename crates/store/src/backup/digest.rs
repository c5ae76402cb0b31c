//! What a file's bytes come to: size, CRC-32 as a manifest names it, SHA-256 as a backup does. Fed piece by
//! piece while a file is copied, so that it is read once; a file that is not what its manifest says is never
//! backed up.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::{Error, Result};

#[derive(Default)]
pub(super) struct Digest {
    size: u64,
    crc: crc32fast::Hasher,
    sha: Sha256,
}

impl Digest {
    pub fn update(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.crc.update(bytes);
        self.sha.update(bytes);
    }

    /// The SHA-256 in hexadecimal, of bytes with this size and CRC. Errors: `Corrupt`.
    pub fn check(self, name: &str, size: u64, crc32: u32) -> Result<String> {
        if self.size != size {
            let what = format!("it has {} bytes instead of {size}", self.size);
            return Err(Error::corrupt(name, self.size.min(size), &what));
        }
        let found = self.crc.finalize();
        if found != crc32 {
            return Err(Error::corrupt(name, 0, &format!("its CRC is {found:08x} instead of {crc32:08x}")));
        }
        Ok(hexadecimal(&self.sha.finalize()))
    }
}

/// The SHA-256 of bytes, in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    /// From FIPS 180-2.
    #[test]
    fn hashes_are_sha_256() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(super::sha256(b"abc"), expected);
    }
}
