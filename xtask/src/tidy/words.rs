//! Names that can be searched for: no type bears a bare noun that says nothing outside its own function, and
//! that several unrelated types would bear. Owns the list of such nouns. In: sources; out: findings. What a
//! trait of another library calls its parts (`type Item` of an iterator) is not ours to name.

use super::finding::Finding;

/// On 2026-11-23 these were the names of 70 types: 15 `Place`, 15 `Reader`, 11 `Entry`.
const BARE: [&str; 13] = [
    "Asked", "Beside", "Entry", "Given", "Item", "Made", "Meaning", "Passing", "Piece", "Place", "Reader",
    "Said", "Told",
];

const KINDS: [&str; 5] = ["struct ", "enum ", "trait ", "type ", "union "];

pub fn check(path: &str, text: &str) -> Vec<Finding> {
    let named = text.lines().enumerate().filter_map(|(at, line)| Some((at, bare(line)?)));
    let finding = |(at, name)| Finding {
        path: path.to_owned(),
        line: at + 1,
        message: format!("`{name}` cannot be searched for: say of what, or use the field's own term"),
    };
    named.map(finding).collect()
}

/// The bare noun that the line makes the name of a type.
fn bare(line: &str) -> Option<&str> {
    let item = visible(line.trim_start());
    let (kind, rest) = KINDS.iter().find_map(|kind| Some((*kind, item.strip_prefix(kind)?)))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (name, behind) = rest.split_at(end);
    let is_of_a_trait = kind == "type " && name == "Item" && behind.trim_start().starts_with(['=', ':', ';']);
    (BARE.contains(&name) && !is_of_a_trait).then_some(name)
}

/// The item behind `pub` and `pub(...)`.
fn visible(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else { return line };
    match rest.strip_prefix('(').and_then(|scope| scope.split_once(')')) {
        Some((_, item)) => item.trim_start(),
        None => rest.trim_start(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_says_what_it_is() {
        let check = |text: &str, lines: &[usize]| {
            let found: Vec<usize> = check("a.rs", text).iter().map(|finding| finding.line).collect();
            assert_eq!(found, lines, "{text}");
        };
        check("struct Reader<'a> {\n}\n    pub(crate) enum Item {", &[1, 3]);
        check("pub struct Entry;\npub trait Place {}\ntype Piece = u8;", &[1, 2, 3]);
        check("struct LogReader;\nenum Entries {}\nuse std::io::Read;\n// struct Place", &[]);
        check("impl Iterator for A {\n    type Item = u8;\n}\npublic(Place);", &[]);
    }
}
