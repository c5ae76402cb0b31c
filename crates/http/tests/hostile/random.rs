//! Choices from a seed, and bytes that are changed by them.

/// SplitMix64: small, seeded, good enough to choose what to do next.
pub struct Random(u64);

/// What breaks readers when it stands in the wrong place.
const SPLINTERS: [&[u8]; 20] = [
    b"\0",
    b"\xff",
    b"\xc3\x28",
    b"\xf0\x9f",
    b"\xed\xa0\x80",
    b"\r",
    b"\n",
    b"\r\n\r\n",
    b"%",
    b"%zz",
    b"%00",
    b"\"",
    b"{",
    b"]",
    b"<",
    b"&",
    b"\\u",
    b"-1",
    b"9999999999999999999999",
    b"1e999",
];

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.word() % bound as u64).unwrap()
    }

    /// Once in this many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }

    /// Changes a few places: other bits, splinters put in, parts cut out, doubled, or cut off at the end.
    pub fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len() + 1);
            let end = bytes.len().min(at + self.below(40));
            match self.below(6) {
                0 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << self.below(8)),
                1 | 2 => drop(bytes.splice(at..at, self.of(&SPLINTERS).iter().copied())),
                3 => drop(bytes.drain(at..end)),
                4 => {
                    let part = bytes[at..end].to_vec();
                    bytes.splice(at..at, part);
                }
                _ => bytes.truncate(at),
            }
        }
    }
}
