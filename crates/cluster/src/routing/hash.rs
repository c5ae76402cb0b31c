//! Where an id falls among 32 bits of hash, as Solr's `compositeId` router has it (facts of Solr 9.10.1):
//! MurmurHash3 (x86, 32 bits, seed 0) of the UTF-8 bytes, compared as signed numbers. `tenant!id` takes the
//! upper bits of its tenant, `a!b!id` those of two.

use std::fmt;

use plan::{Error, Result};
use serde::{Deserialize, Serialize};

/// A share of all hashes, both ends included; written as Solr spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HashRange {
    pub first: i32,
    pub last: i32,
}

impl HashRange {
    pub const ALL: Self = Self { first: i32::MIN, last: i32::MAX };

    /// Solr's spelling: both ends in hexadecimal, such as `80000000-ffffffff`. Errors: `BadRequest`.
    pub fn parse(text: &str) -> Result<Self> {
        let hex = |text: &str| u32::from_str_radix(text.trim(), 16).ok().map(u32::cast_signed);
        let ends = text.split_once('-').and_then(|(first, last)| Some((hex(first)?, hex(last)?)));
        match ends {
            Some((first, last)) if first <= last => Ok(Self { first, last }),
            _ => Err(Error::bad_request(format!(
                "Exception parsing hexadecimal hash range: {text}; write it as `80000000-ffffffff`"
            ))),
        }
    }

    /// Parts of the same size, but for what is rounded to 16 bits where parts are large, as Solr cuts shards.
    pub fn cut(self, parts: u32) -> Vec<Self> {
        const ROUNDED_FROM: i64 = 1 << 20;
        let parts = i64::from(parts.max(1));
        let (first, last) = (i64::from(self.first), i64::from(self.last));
        let step = ((last - first) / parts).max(1);
        let rounds = step >= ROUNDED_FROM && first & 0xffff == 0;
        let (mut start, mut target, mut ranges) = (first, first, Vec::new());
        while ranges.len() < usize::try_from(parts).unwrap_or(1) && start <= last {
            let target_end = target + step;
            let mut end = if rounds { rounded(target_end, start) } else { target_end };
            if ranges.len() as i64 == parts - 1 {
                end = last;
            }
            let clamp = |end: i64| i32::try_from(end.clamp(first, last)).unwrap_or(self.last);
            ranges.push(Self { first: clamp(start), last: clamp(end) });
            (start, target) = (end + 1, target_end + 1);
        }
        ranges
    }

    pub fn has(self, id: &str) -> bool {
        self.contains(hash_of_id(id))
    }

    pub(super) fn contains(self, hash: i32) -> bool {
        self.first <= hash && hash <= self.last
    }

    pub(super) fn overlaps(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    /// Where documents with this route are: all that share its keys, where it has a separator, else the place
    /// of an id.
    pub(super) fn of_route(route: &str) -> Self {
        let parts = KeyParts::of(route);
        match (parts.has_keys, parts.key_mask) {
            (false, _) => Self { first: parts.hash(), last: parts.hash() },
            (true, 0) => Self::ALL,
            (true, mask) => {
                let first = parts.key_hash & mask;
                Self { first: first.cast_signed(), last: (first | !mask).cast_signed() }
            }
        }
    }
}

impl fmt::Display for HashRange {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{:x}-{:x}", self.first, self.last)
    }
}

impl From<HashRange> for String {
    fn from(range: HashRange) -> Self {
        range.to_string()
    }
}

impl TryFrom<String> for HashRange {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

/// An end of 16 bits near one that is none, as Solr chooses it: mostly the one below.
fn rounded(end: i64, start: i64) -> i64 {
    if end & 0xffff == 0xffff {
        return end;
    }
    let (down, up) = ((end | 0xffff) - 0x1_0000, (end | 0xffff) + 0x1_0000);
    if end - down < up - end && down > start { down } else { up }
}

/// The part before the first `!`, without its count of bits; `None` where there is none.
pub fn route_key(id: &str) -> Option<&str> {
    let (key, _) = id.split_once('!').filter(|(key, _)| !key.is_empty())?;
    match key.split_once('/') {
        Some((name, bits)) if !name.is_empty() && bits.starts_with(|digit: char| digit.is_ascii_digit()) => {
            Some(name)
        }
        _ => Some(key),
    }
}

/// What decides which shard has a document of this id, or of this route.
pub(super) fn hash_of_id(id: &str) -> i32 {
    KeyParts::of(id).hash()
}

/// An id taken apart: what its keys decide, and the hash of what they leave open.
struct KeyParts {
    has_keys: bool,
    key_hash: u32,
    /// The bits that the keys decide.
    key_mask: u32,
    rest: u32,
}

impl KeyParts {
    fn of(id: &str) -> Self {
        let mut parts: Vec<&str> = id.splitn(3, '!').collect();
        // Two separators at the end, and nothing between them, are one.
        if let [_, "", ""] = &parts[..] {
            parts.pop();
        }
        let [keys @ .., rest] = &parts[..] else {
            return Self { has_keys: false, key_hash: 0, key_mask: 0, rest: murmur3(id.as_bytes()) };
        };
        let own = if keys.len() == 2 { [8, 8] } else { [16, 0] };
        let (mut key_hash, mut taken, mut key_mask) = (0, 0_i32, 0);
        for (key, own) in keys.iter().zip(own) {
            let (name, bits) = with_bits(key, own);
            taken = taken.wrapping_add(bits);
            let upper = upper_bits(taken);
            key_hash |= murmur3(name.as_bytes()) & (upper ^ key_mask);
            key_mask |= upper;
        }
        Self { has_keys: !keys.is_empty(), key_hash, key_mask, rest: murmur3(rest.as_bytes()) }
    }

    fn hash(&self) -> i32 {
        (self.key_hash | self.rest & !self.key_mask).cast_signed()
    }
}

/// `name/bits`; a count that is none, or above 32, is -1, which Java's shifts make 31.
fn with_bits(part: &str, own: i32) -> (&str, i32) {
    match part.split_once('/') {
        Some((name, bits)) if !name.is_empty() => {
            let digits = bits.bytes().all(|byte| byte.is_ascii_digit());
            let count = if bits.is_empty() {
                Some(0)
            } else {
                bits.parse().ok().filter(|count| digits && *count <= 32)
            };
            (name, count.unwrap_or(-1))
        }
        _ => (part, own),
    }
}

fn upper_bits(count: i32) -> u32 {
    if count == 0 { 0 } else { u32::MAX.wrapping_shl(32_i32.wrapping_sub(count).cast_unsigned()) }
}

/// MurmurHash3, x86, 32 bits, seed 0 (Austin Appleby, in the public domain).
fn murmur3(bytes: &[u8]) -> u32 {
    const C1: u32 = 0xcc9e_2d51;
    const C2: u32 = 0x1b87_3593;
    let mix = |word: u32| word.wrapping_mul(C1).rotate_left(15).wrapping_mul(C2);
    let (words, tail) = bytes.as_chunks::<4>();
    let mut hash = 0_u32;
    for word in words {
        hash =
            (hash ^ mix(u32::from_le_bytes(*word))).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    if !tail.is_empty() {
        let word = tail.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        hash ^= mix(word);
    }
    hash ^= u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_fall_where_solr_has_them() {
        let check = |id: &str, expected: u32| assert_eq!(hash_of_id(id).cast_unsigned(), expected, "{id}");
        check("", 0);
        check("contact", (-541_354_036_i32).cast_unsigned());
        check("0000000KISS", 2_099_700_320);
        check("contact!0000000KISS", 0xdfbb_e260);
        check("contact/16!0000000KISS", 0xdfbb_e260);
        let (contact, kiss) = (murmur3(b"contact"), murmur3(b"0000000KISS"));
        check("contact/4!0000000KISS", contact & 0xf000_0000 | kiss & 0x0fff_ffff);
        check("contact/0!0000000KISS", kiss);
        check("contact/32!0000000KISS", contact);
        check("contact!", contact & 0xffff_0000);
        check("contact!contact!0000000KISS", contact & 0xffff_0000 | kiss & 0xffff);
        // Asked of Solr's own router.
        for (id, hash) in [
            ("a!b!", 0x3cde_0000),
            ("a!b!c", 0x3cde_d65f),
            ("a!b!c!d", 0x3cde_7073),
            ("a!!", 0x3c25_0000),
            ("a!!b", 0x3c00_7e03),
            ("!a", 0x69b2),
            ("!!", 0),
            ("a/4!b/3!c", 0x3532_d65f),
            ("a/33!b", 0x3c25_69b3),
            ("a/x!b", 0x3c25_69b3),
            ("/4!b", 0x8623_7e03),
            ("a/!b", 0x95de_7e03),
            ("a/4!b/2!", 0x3400_0000),
            ("a/32!b/0!c", 0x3c25_69b2),
            ("a!b/4!c", 0x3cd2_d65f),
        ] {
            check(id, hash);
        }
        assert_eq!([murmur3(b"hello"), murmur3(b"hello, world")], [0x248b_fa47, 0x149b_bb7f]);
    }

    #[test]
    fn a_route_is_the_place_of_an_id_or_of_all_with_its_keys() {
        let check = |route: &str, expected: &str| {
            assert_eq!(HashRange::of_route(route).to_string(), expected, "{route}");
        };
        check("contact", "dfbb97cc-dfbb97cc");
        check("contact!", "dfbb0000-dfbbffff");
        check("contact!0000000KISS", "dfbb0000-dfbbffff");
        check("a!b!", "3cde0000-3cdeffff");
        check("a!!b", "3c000000-3c00ffff");
        check("a/4!", "30000000-3fffffff");
        check("a/4!b/2!", "34000000-37ffffff");
        check("a/0!b", "80000000-7fffffff");
        check("a/0!b/0!c", "80000000-7fffffff");
        check("a/32!b", "3c2569b2-3c2569b2");
        check("a/33!b", "3c2569b2-3c2569b3");
        check("a!b/4!c", "3cd00000-3cdfffff");
    }

    #[test]
    fn ranges_are_cut_as_shards_are() {
        let check = |parts: u32, expected: &str| {
            let cut = HashRange::ALL.cut(parts);
            let shown: Vec<_> = cut.iter().map(|it| format!("{:x}-{:x}", it.first, it.last)).collect();
            assert_eq!(shown.join(","), expected);
        };
        check(1, "80000000-7fffffff");
        check(2, "80000000-ffffffff,0-7fffffff");
        check(3, "80000000-d554ffff,d5550000-2aa9ffff,2aaa0000-7fffffff");
        check(5, "80000000-b332ffff,b3330000-e665ffff,e6660000-1998ffff,19990000-4ccbffff,4ccc0000-7fffffff");
        for text in ["0-7fffffff", "80000000-ffffffff"] {
            assert!(HashRange::ALL.cut(2).contains(&HashRange::parse(text).unwrap()), "{text}");
        }
        for text in ["abc", "1-0", "-", "0-ffffffffff", "0"] {
            assert!(HashRange::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn route_keys_are_before_the_separator() {
        let check = |id: &str, expected: Option<&str>| assert_eq!(route_key(id), expected, "{id}");
        check("a!b", Some("a"));
        check("a/4!b", Some("a"));
        check("a/x!b", Some("a/x"));
        check("a", None);
        check("!a", None);
    }
}
