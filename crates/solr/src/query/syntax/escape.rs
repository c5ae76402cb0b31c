//! Backslashes in terms and phrases: `\x` is `x`, `\uXXXX` a UTF-16 unit, as Solr's parser reads them.
//! Patterns keep theirs: there they say which characters are meant literally (`leaf.rs`). In: a piece of a
//! token; out: the text it means, or Solr's syntax error for what ends too early. Texts of local parameters
//! have escapes of their own (`local_params.rs`).

use super::error::SyntaxError;

/// The text without its escapes.
pub(crate) fn unescape(text: &str) -> Result<String, SyntaxError> {
    if !text.contains('\\') {
        return Ok(text.to_owned());
    }
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let plain = match c {
            '\\' => {
                chars.next().ok_or_else(|| SyntaxError::plain("Term can not end with escape character."))?
            }
            other => other,
        };
        if c == '\\' && plain == 'u' {
            units.push(code_unit(&mut chars)?);
        } else {
            units.extend_from_slice(plain.encode_utf16(&mut [0; 2]));
        }
    }
    // By units: a character beyond the basic plane is two escapes, which only together are one.
    Ok(String::from_utf16_lossy(&units))
}

fn code_unit(chars: &mut std::str::Chars<'_>) -> Result<u16, SyntaxError> {
    let mut unit = 0;
    for _ in 0..4 {
        let digit = chars.next().ok_or_else(|| SyntaxError::plain("Truncated unicode escape sequence."))?;
        let value = digit.to_digit(16).ok_or_else(|| {
            SyntaxError::plain(format!("Non-hex character in Unicode escape sequence: {digit}"))
        })?;
        unit = unit << 4 | value as u16;
    }
    Ok(unit)
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn escapes_fall_away() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(unescape(text).ok().as_deref(), expected, "{text}");
        };
        check("plain", Some("plain"));
        check("a\\ b\\:c\\\\", Some("a b:c\\"));
        check("\\u0041\\u00e9", Some("Aé"));
        check("\\uD83D\\uDE00", Some("\u{1F600}"));
        check("\\u004", None);
        check("\\u00zz", None);
        check("a\\", None);
    }
}
