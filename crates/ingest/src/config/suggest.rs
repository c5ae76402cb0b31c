//! What was probably meant, where a name is not one that is known: for keys of the file, and for columns and
//! children that its fields name. It only adds to an error that is one anyway: nothing is ever corrected. Two
//! edits let a transposition through, a third of the length keeps short names from being taken for each
//! other.

/// The one of `known` that differs from `text` by a slip: two edits, or a third of its length.
pub fn nearest<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |name: &str| strsim::damerau_levenshtein(&text.to_lowercase(), &name.to_lowercase());
    let edits_max = (text.chars().count() / 3).max(2);
    known
        .into_iter()
        .map(|name| (distance(name), name))
        .filter(|(edits, _)| *edits <= edits_max)
        .min()
        .map(|(_, name)| name)
}

/// Serde's words for an unknown key, with what was probably meant before the list of all that could be.
pub fn with_suggestion(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let (true, Some(key)) = (unknown, quoted.next()) else { return message.to_owned() };
    match nearest(key, quoted) {
        Some(name) => format!("unknown key `{key}`; did you mean `{name}`?"),
        None => message.replacen("unknown field", "unknown key", 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let known = ["collection", "url", "configset"];
        for (text, expected) in [
            ("colection", Some("collection")),
            ("Collection", Some("collection")),
            ("ulr", Some("url")),
            ("config_set", Some("configset")),
            ("password", None),
        ] {
            assert_eq!(nearest(text, known), expected, "{text}");
        }
    }
}
