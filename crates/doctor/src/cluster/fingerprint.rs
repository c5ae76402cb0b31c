//! What is alike in messages of a log: the words, without the numbers, names and addresses that differ each
//! time. Two messages are of one kind when their fingerprints are equal; `lints/log.rs` counts kinds by it.
//! It may join two causes that differ in a number only, which is better than a hundred kinds with one message
//! each.

/// A message's fixed part; what varies is `#`. At most 160 characters.
pub fn fingerprint(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let mut out = String::new();
    let mut quoted: Option<char> = None;
    let mut word = String::new();
    for c in first.chars().chain([' ']) {
        match quoted {
            Some(end) if c == end => quoted = None,
            Some(_) => {}
            None if c == '"' || c == '`' || (c == '\'' && word.is_empty()) => {
                push_word(&mut out, &mut word);
                out.push('#');
                quoted = Some(c);
            }
            None if c.is_whitespace() || ",;()[]{}=".contains(c) => {
                push_word(&mut out, &mut word);
                out.push(c);
            }
            None => word.push(c),
        }
    }
    out.trim().chars().take(160).collect()
}

/// A word with a digit or a slash in it is a number, a path, an address or a name of this once.
fn push_word(out: &mut String, word: &mut String) {
    let inner = word.trim_end_matches(['.', ':', '!']);
    if inner.contains(|c: char| c.is_ascii_digit() || c == '/') {
        out.push('#');
        out.push_str(word.get(inner.len()..).unwrap_or_default());
    } else {
        out.push_str(word);
    }
    word.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_one_kind_are_alike() {
        for (message, expected) in [
            ("undefined field: \"author_x\"", "undefined field: #"),
            ("ERROR: [doc=17] Error adding field 'price'='abc'", "ERROR: [doc=#] Error adding field #=#"),
            ("Timeout after 15000 ms at http://10.0.0.1:8983/solr.\nat x", "Timeout after # ms at #."),
            ("can't open", "can't open"),
            ("a\"open quote", "a#"),
            ("", ""),
        ] {
            assert_eq!(fingerprint(message), expected, "{message}");
        }
    }

    proptest::proptest! {
        #[test]
        fn numbers_make_no_difference(one in 0..u64::MAX, other in 0..u64::MAX) {
            let of = |number: u64| fingerprint(&format!("shard {number} of x_{number} failed"));
            proptest::prop_assert_eq!(of(one), of(other));
        }
    }
}
