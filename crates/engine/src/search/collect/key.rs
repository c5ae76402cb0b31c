//! A sort key as a number: present values as numbers that are ordered as they are, missing ones before or
//! behind them. Bits only: no column is read and no document known here. Merging over shards compares values
//! and not keys, since a key may depend on a segment.

/// A key of one document: smaller comes first. The upper half places missing values.
pub(crate) type Key = u128;

pub(super) const PRESENT: u128 = 1 << 64;
pub(super) const BEFORE: u128 = 0;
pub(super) const BEHIND: u128 = 2 << 64;

/// Whether it is of a value.
#[inline]
pub(super) fn is_present(key: Key) -> bool {
    key & !u128::from(u64::MAX) == PRESENT
}

pub(super) fn present(raw: u64, descending: bool) -> Key {
    PRESENT | u128::from(if descending { !raw } else { raw })
}

/// The bits of a float in an order that is the float's.
pub(super) fn ordered(score: f32) -> u32 {
    let bits = score.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The same of a double, as Java compares them: what is no number is above all others, and -0 below 0.
pub(super) fn ordered_double(value: f64) -> u64 {
    let bits = if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() };
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The float that [`ordered`] made these bits of.
pub(super) fn float_of(bits: u32) -> f32 {
    f32::from_bits(if bits >> 31 == 1 { bits & !(1 << 31) } else { !bits })
}

/// The double that [`ordered_double`] made these bits of.
pub(super) fn double_of(bits: u64) -> f64 {
    f64::from_bits(if bits >> 63 == 1 { bits & !(1 << 63) } else { !bits })
}

/// A bijection that spreads its input over all bits (the finaliser of SplitMix64).
pub(super) fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
