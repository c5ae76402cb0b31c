//! The form of a dictionary file: zstd, in it sections one after the other, each a length in four bytes
//! (least significant first) and its content. `examples/build_dictionary` writes it and says what each
//! section holds. The files are compiled in, so a damaged one is a defect of the build: reading panics rather
//! than guess.

use std::io::Read;

use ruzstd::decoding::StreamingDecoder;

/// A dictionary file, read from front to back.
pub(super) struct Sections {
    content: Vec<u8>,
    at: usize,
}

impl Sections {
    pub(super) fn open(compressed: &[u8]) -> Self {
        let mut content = Vec::new();
        let mut decoder = StreamingDecoder::new(compressed).expect("a built-in dictionary is zstd");
        decoder.read_to_end(&mut content).expect("a built-in dictionary is whole");
        Sections { content, at: 0 }
    }

    /// The next section.
    pub(super) fn bytes(&mut self) -> &[u8] {
        let mut length = [0; 4];
        length.copy_from_slice(&self.content[self.at..self.at + 4]);
        let start = self.at + 4;
        self.at = start + u32::from_le_bytes(length) as usize;
        &self.content[start..self.at]
    }

    /// The next section as numbers of two bytes, which lie in two planes: first all low bytes, then all high
    /// ones.
    pub(super) fn numbers(&mut self) -> Vec<u16> {
        let (low, high) = halves(self.bytes());
        low.iter().zip(high).map(|(low, high)| u16::from_le_bytes([*low, *high])).collect()
    }

    /// As `numbers`, signed.
    pub(super) fn signed(&mut self) -> Vec<i16> {
        let (low, high) = halves(self.bytes());
        low.iter().zip(high).map(|(low, high)| i16::from_le_bytes([*low, *high])).collect()
    }

    /// The next section as lines of text.
    pub(super) fn lines(&mut self) -> Vec<String> {
        let text = std::str::from_utf8(self.bytes()).expect("a built-in dictionary is UTF-8");
        text.split('\n').map(str::to_owned).collect()
    }
}

fn halves(planes: &[u8]) -> (&[u8], &[u8]) {
    planes.split_at(planes.len() / 2)
}
