//! Digests that signatures are made of: Bob Jenkins' lookup3 over code points, MD5 (RFC 1321), and the
//! profile of a text by its frequent words. The last two are compared between documents, nothing is protected
//! by them.

use std::collections::HashMap;

use plan::java_bucket;

/// Hashes texts one after another, each beginning with what came of those before.
#[derive(Default)]
pub struct Lookup3(u64);

impl Lookup3 {
    pub fn add(&mut self, text: &str) {
        let low = 0xdead_beef_u32.wrapping_add(self.0 as u32);
        let (mut a, mut b, mut c) = (low, low, low.wrapping_add((self.0 >> 32) as u32));
        let points: Vec<u32> = text.chars().map(u32::from).collect();
        let mut blocks = points.chunks(3).peekable();
        while let Some(block) = blocks.next() {
            let at = |place: usize| block.get(place).copied().unwrap_or_default();
            a = a.wrapping_add(at(0));
            b = b.wrapping_add(at(1));
            c = c.wrapping_add(at(2));
            if blocks.peek().is_some() {
                (a, b, c) = mixed(a, b, c);
            } else {
                (b, c) = finished(a, b, c);
            }
        }
        // Java adds the low half as a signed number.
        self.0 = (u64::from(b) << 32).wrapping_add_signed(i64::from(c as i32));
    }

    pub fn finish(self) -> u64 {
        self.0
    }
}

fn mixed(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    let step = |x: &mut u32, y: &mut u32, z: &mut u32, turn: u32| {
        *x = x.wrapping_sub(*z);
        *x ^= z.rotate_left(turn);
        *z = z.wrapping_add(*y);
    };
    step(&mut a, &mut b, &mut c, 4);
    step(&mut b, &mut c, &mut a, 6);
    step(&mut c, &mut a, &mut b, 8);
    step(&mut a, &mut b, &mut c, 16);
    step(&mut b, &mut c, &mut a, 19);
    step(&mut c, &mut a, &mut b, 4);
    (a, b, c)
}

fn finished(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32) {
    let step = |x: &mut u32, y: u32, turn: u32| *x = (*x ^ y).wrapping_sub(y.rotate_left(turn));
    step(&mut c, b, 14);
    step(&mut a, c, 11);
    step(&mut b, a, 25);
    step(&mut c, b, 16);
    step(&mut a, c, 4);
    step(&mut b, a, 14);
    step(&mut c, b, 24);
    (b, c)
}

/// How far each step of MD5 turns, by round.
const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// The MD5 digest of RFC 1321.
pub fn md5(bytes: &[u8]) -> [u8; 16] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64), 0);
    let length = (bytes.len() as u64).wrapping_mul(8).to_le_bytes();
    let end = padded.len() - length.len();
    padded.splice(end.., length);
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in padded.chunks_exact(64) {
        let mut words = [0_u32; 16];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        md5_block(&mut state, &words);
    }
    let mut digest = [0; 16];
    for (place, word) in digest.chunks_exact_mut(4).zip(state) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    digest
}

fn md5_block(state: &mut [u32; 4], words: &[u32; 16]) {
    let [mut a, mut b, mut c, mut d] = *state;
    for at in 0..64_usize {
        let (mixed, place) = match at / 16 {
            0 => ((b & c) | (!b & d), at),
            1 => ((d & b) | (!d & c), 5 * at + 1),
            2 => (b ^ c ^ d, 3 * at + 5),
            _ => (c ^ (b | !d), 7 * at),
        };
        // The constants are the sines of 1, 2, 3 and so on, as 32 bits of a fraction.
        let sine = (((at + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
        let sum = a.wrapping_add(mixed).wrapping_add(sine).wrapping_add(words[place % 16]);
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(TURNS[at / 16][at % 4]));
    }
    for (word, added) in state.iter_mut().zip([a, b, c, d]) {
        *word = word.wrapping_add(added);
    }
}

/// The frequent words of a text, with their counts rounded down to multiples of a quantum that depends on the
/// most frequent; in the order of a Java hash map where counts are equal.
pub fn text_profile(text: &str, quantum_rate: f32, token_chars_min: usize) -> String {
    let words = counted(text, token_chars_min);
    let most = words.iter().map(|(_, count)| *count).max().unwrap_or_default();
    let quantum = match (most as f32 * quantum_rate).round() as u32 {
        0 | 1 if most > 1 => 2,
        0 => 1,
        other => other,
    };
    let all = words.len();
    let rounded = words.into_iter().map(|(word, count)| (word, count / quantum * quantum));
    let mut kept: Vec<(String, u32)> = rounded.filter(|(_, count)| *count >= quantum).collect();
    kept.sort_by_key(|(word, count)| (std::cmp::Reverse(*count), java_bucket(word, all)));
    let lines: Vec<_> = kept.iter().map(|(word, count)| format!("{word} {count}")).collect();
    lines.join("\n")
}

/// The words that are longer than this, how often each comes, in the order in which they first come.
fn counted(text: &str, token_chars_min: usize) -> Vec<(String, u32)> {
    let mut words: Vec<(String, u32)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for word in text.split(|it: char| !it.is_alphanumeric()).map(str::to_lowercase) {
        if word.encode_utf16().count() <= token_chars_min {
            continue;
        }
        let at = *places.entry(word).or_insert_with_key(|word| {
            words.push((word.clone(), 0));
            words.len() - 1
        });
        if let Some((_, count)) = words.get_mut(at) {
            *count += 1;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_filled_up() {
        let check = |count: usize, expected: &str| {
            let found: String = md5(&vec![b'a'; count]).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(found, expected, "{count}");
        };
        check(0, "d41d8cd98f00b204e9800998ecf8427e");
        check(1, "0cc175b9c0f1b6a831c399e269772661");
        check(55, "ef1772b6dff9a122358552954ad0df65");
        check(56, "3b0c8ac703f828b04c6c197006d17218");
        check(63, "b06521f39153d618550606be297466d5");
        check(64, "014842d480b571495a4a0363793f7367");
        check(119, "8a7bd0732ed6a28ce75f6dabc90e1613");
    }
}
