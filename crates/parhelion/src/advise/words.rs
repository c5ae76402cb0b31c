//! The words of a parameter's text that could be names of fields, found without knowing the syntax that they
//! stand in. It judges nothing: whoever asks knows which words are names, and what the parameter is.

/// All runs of characters that names of fields have.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !is_of_name(it)).map(bare).filter(|word| !word.is_empty())
}

/// The words that stand before a colon, as `name:` does in queries.
pub fn words_before_colons(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(':').filter_map(|(at, _)| {
        let before = text.get(..at)?;
        let begin = before
            .rfind(|it: char| !is_of_name(it))
            .map_or(0, |found| found + before[found..].chars().next().map_or(1, char::len_utf8));
        Some(bare(&before[begin..])).filter(|word| !word.is_empty())
    })
}

/// Whether a name can be found so at all.
pub fn is_word(name: &str) -> bool {
    bare(name) == name && !name.is_empty() && name.chars().all(is_of_name)
}

fn is_of_name(it: char) -> bool {
    // Of any language: Solr takes what Java takes for an identifier, and more.
    it.is_alphanumeric() || matches!(it, '_' | '.' | '-' | '$')
}

/// Without what operators leave at its ends.
fn bare(word: &str) -> &str {
    word.trim_matches(['-', '.', '$'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_syntax() {
        let check = |text: &str, expected: &[&str]| assert_eq!(words(text).collect::<Vec<_>>(), expected);
        check("title_t^2.5 body_t", &["title_t", "2.5", "body_t"]);
        check("sum(a_i,mul(b_d,3))", &["sum", "a_i", "mul", "b_d", "3"]);
        check("{!term f=cat}x", &["term", "f", "cat", "x"]);
        check("-größe_s:[1 TO *]", &["größe_s", "1", "TO"]);
        check("", &[]);
    }

    #[test]
    fn names_before_colons() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(words_before_colons(text).collect::<Vec<_>>(), expected, "{text}");
        };
        check("title_t:x AND -(cat:y)", &["title_t", "cat"]);
        check("ö:x “price:3", &["ö", "price"]);
        check("::a", &[]);
    }
}
