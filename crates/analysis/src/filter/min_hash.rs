//! `minHash`: a text's tokens, shingles as a rule, become the least of their hashes, so that texts with many
//! hashes in common are near-duplicates. Hashes are MurmurHash3's of 128 bits over UTF-16, and each is a term
//! of eight UTF-16 units (two for the number of the hash function and six, if there are several); units that
//! are no character become U+FFFD, as they do in an index of Lucene's.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::stage::{Filter, Input};
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&MIN_HASH];

static MIN_HASH: FilterDefinition = FilterDefinition::new(
    "minHash",
    "minhash.MinHashFilterFactory",
    &["hashCount", "bucketCount", "hashSetSize", "withRotation"],
    "Replaces the tokens of a text by the least of their hashes, to find near-duplicates.",
    build,
);

fn build(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let buckets = args.count("bucketCount", 512, 1)? as u64;
    let settings = Settings {
        functions: args.count("hashCount", 1, 1)?,
        buckets,
        kept: args.count("hashSetSize", 1, 1)?,
        rotates: args.flag("withRotation", buckets > 1),
    };
    Ok(Box::new(MinHash { settings, read: None }))
}

#[derive(Clone, Copy)]
struct Settings {
    /// How many hash functions.
    functions: usize,
    /// Into how many parts the range of hashes falls.
    buckets: u64,
    /// How many hashes a bucket keeps.
    kept: usize,
    /// Whether an empty bucket shows the hash of the next one that has any.
    rotates: bool,
}

/// A hash, upper half first: so they are ordered.
type Hash = (u64, u64);

/// The hashes of one function by bucket; buckets without any are left out.
type Buckets = BTreeMap<u64, BTreeSet<Hash>>;

struct MinHash {
    settings: Settings,
    read: Option<Sketch>,
}

/// What was made of a text, and how far it has been given out.
struct Sketch {
    functions: Vec<Buckets>,
    end: u32,
    function: usize,
    bucket: u64,
    rest: Vec<Hash>,
    is_first: bool,
}

impl Filter for MinHash {
    fn reset(&mut self) {
        self.read = None;
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        let settings = self.settings;
        let sketch = self.read.get_or_insert_with(|| Sketch::read(settings, input));
        let Some((function, hash)) = sketch.next(settings) else { return false };
        *token = Token {
            text: term(function, hash, settings.functions > 1),
            end: sketch.end,
            // All hashes of a text stand at one position: order means nothing to a set.
            position_increment: u32::from(std::mem::take(&mut sketch.is_first)),
            kind: Cow::Borrowed("MIN_HASH"),
            ..Token::default()
        };
        true
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(MinHash { settings: self.settings, read: None })
    }
}

impl Sketch {
    fn read(settings: Settings, input: &mut Input<'_>) -> Self {
        let mut functions = vec![Buckets::new(); settings.functions];
        // Buckets divide the upper 32 bits alone, as in Lucene: another division gives other sketches.
        let bucket_size = (1u64 << 32).div_ceil(settings.buckets);
        let mut token = Token::default();
        let mut end = 0;
        while input.next(&mut token) {
            // Over UTF-16, little-endian: Lucene hashes the characters in memory, and a sketch must equal
            // that of its index.
            let units: Vec<u8> = token.text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let hash = murmur3(&units);
            for (number, buckets) in (0u32..).zip(&mut functions) {
                let own = murmur3(&number.to_be_bytes());
                let combine = |hash: u64, own: u64| hash.wrapping_mul(37).wrapping_add(own);
                let hash = (combine(hash.0, own.0), combine(hash.1, own.1));
                keep_least(buckets.entry((hash.0 >> 32) / bucket_size).or_default(), hash, settings.kept);
            }
            end = token.end;
        }
        Sketch { functions, end, function: 0, bucket: 0, rest: Vec::new(), is_first: true }
    }

    /// The next hash with the number of its function.
    fn next(&mut self, settings: Settings) -> Option<(usize, Hash)> {
        loop {
            if let Some(hash) = self.rest.pop() {
                return Some((self.function, hash));
            }
            if self.bucket == settings.buckets {
                self.bucket = 0;
                self.function += 1;
            }
            let buckets = self.functions.get(self.function)?;
            if settings.rotates && settings.kept == 1 {
                let next = buckets.range(self.bucket..).next().or_else(|| buckets.iter().next());
                self.rest.extend(next.iter().flat_map(|(_, hashes)| hashes.iter()));
                self.bucket = if next.is_some() { self.bucket + 1 } else { settings.buckets };
            } else if let Some((bucket, hashes)) = buckets.range(self.bucket..).next() {
                self.rest.extend(hashes.iter().rev());
                self.bucket = bucket + 1;
            } else {
                self.bucket = settings.buckets;
            }
        }
    }
}

/// Lucene's bounded set: a hash that is smaller than the greatest takes its place, even one that is in the
/// set already.
fn keep_least(set: &mut BTreeSet<Hash>, hash: Hash, size: usize) {
    if set.len() >= size {
        if set.last().is_some_and(|last| hash >= *last) {
            return;
        }
        // Before it is known whether the new one is a repeat, so that a repeat shrinks the set; kept as
        // Lucene does it, or sketches would differ.
        set.pop_last();
    }
    set.insert(hash);
}

/// The hash as a term: the upper half, then the lower one, which is cut if the function is named.
fn term(function: usize, (high, low): Hash, is_one_of_many: bool) -> String {
    let units = |number: u64| [48, 32, 16, 0].map(|shift| (number >> shift) as u16);
    let mut all = Vec::with_capacity(8);
    if is_one_of_many {
        all.extend(units(function as u64).into_iter().skip(2));
    }
    all.extend(units(high));
    all.extend(units(low).into_iter().take(if is_one_of_many { 2 } else { 4 }));
    String::from_utf16_lossy(&all)
}

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

/// MurmurHash3 (x64, 128 bits, seed 0); its second half comes first.
fn murmur3(bytes: &[u8]) -> Hash {
    let (mut h1, mut h2) = (0u64, 0u64);
    let mix1 = |k: u64| k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let mix2 = |k: u64| k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);
    let mut blocks = bytes.chunks_exact(16);
    for block in &mut blocks {
        let (k1, k2) = halves(block);
        h1 = (h1 ^ mix1(k1)).rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 = (h2 ^ mix2(k2)).rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let (k1, k2) = halves(blocks.remainder());
    let length = bytes.len() as u64;
    h1 ^= mix1(k1) ^ length;
    h2 ^= mix2(k2) ^ length;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2) = (finish(h1), finish(h2));
    h1 = h1.wrapping_add(h2);
    // Lucene's pairs compare by their second half first, so that half is the upper one here.
    (h2.wrapping_add(h1), h1)
}

/// Up to sixteen bytes as two little-endian numbers.
fn halves(bytes: &[u8]) -> (u64, u64) {
    let number = |part: &[u8]| part.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let (low, high) = bytes.split_at(bytes.len().min(8));
    (number(low), number(high))
}

fn finish(mut k: u64) -> u64 {
    k = (k ^ k >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    k = (k ^ k >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ k >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the reference implementation.
    #[test]
    fn hashes_are_murmur3s() {
        let rows = [("", (0, 0)), ("hello", (0x5b1e_906a_48ae_1d19, 0xcbd8_a7b3_41bd_9b02))];
        for (text, expected) in rows {
            assert_eq!(murmur3(text.as_bytes()), expected, "{text}");
        }
    }
}
