//! The order of a Java hash map, in which Solr shows and weighs what it keeps in one. Clients see it (fields
//! of a document, words of likes, parameters in headers), so it is reproduced where it shows, and nowhere
//! else.

/// Where a name stands in a Java hash map of `count` names: the table starts with 16 buckets and doubles when
/// it is three quarters full; the bucket is the string's hash folded once. Within a bucket names stand as
/// they came.
pub fn java_bucket(name: &str, count: usize) -> usize {
    let mut buckets: usize = 16;
    while count * 4 > buckets * 3 {
        buckets *= 2;
    }
    let hash = java_hash(name);
    (hash ^ (hash >> 16)) as usize & (buckets - 1)
}

/// `String.hashCode` of Java: over UTF-16 units, base 31.
fn java_hash(text: &str) -> u32 {
    text.encode_utf16().fold(0u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)))
}
