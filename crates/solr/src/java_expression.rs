//! Java's regular expressions in the syntax of ours, where the two read the same text otherwise: classes of
//! ASCII characters, and brackets of angles. What neither can mean is refused by whoever compiles it.

/// A pattern of Java's. Its classes hold ASCII only, and `\<` is a character, where ours is the start of a
/// word.
pub(crate) fn java_expression(pattern: &str) -> String {
    let (mut out, mut inside) = (String::with_capacity(pattern.len()), false);
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            // Within brackets a class is spelled without brackets of its own.
            inside = (inside || c == '[') && c != ']';
            out.push(c);
            continue;
        }
        let escaped = chars.next();
        let class = CLASSES.iter().find(|(name, _)| Some(*name) == escaped).map(|(_, class)| *class);
        match (class, inside, escaped) {
            (Some(class), true, _) if !class.starts_with('^') => out.push_str(class),
            (Some(class), ..) => out.extend(["[", class, "]"]),
            (None, _, Some(angle @ ('<' | '>'))) => out.push(angle),
            (None, ..) => out.extend([Some(c), escaped].into_iter().flatten()),
        }
    }
    out
}

const CLASSES: [(char, &str); 6] = [
    ('w', "0-9A-Za-z_"),
    ('d', "0-9"),
    ('s', r" \t\n\x0B\f\r"),
    ('W', "^0-9A-Za-z_"),
    ('D', "^0-9"),
    ('S', r"^ \t\n\x0B\f\r"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_ascii_and_angles_characters() {
        let check =
            |pattern: &str, expected: &str| assert_eq!(java_expression(pattern), expected, "{pattern}");
        check("a.*", "a.*");
        check(r"\w+", "[0-9A-Za-z_]+");
        check(r"\W", "[^0-9A-Za-z_]");
        check(r"[\d.]\.\\w", r"[0-9.]\.\\w");
        check(r"[a\D]", "[a[^0-9]]");
        check(r"a\<b\>", "a<b>");
        check(r"a\", r"a\");
    }
}
