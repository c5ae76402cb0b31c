//! Takes well-formed JSON apart without reading it: elements of an array, members of an object, each as its
//! own text, so that a part goes on byte by byte as it came. Whether a text is well-formed is not looked at
//! here: of one that is not, the parts are none.

/// The texts of an array's elements, in order. `None` for what is no array.
pub(crate) fn elements(text: &str) -> Option<Vec<&str>> {
    parts(text, '[', ']')
}

/// Names and texts of an object's members, in order; names may repeat. `None` for what is no object.
pub(crate) fn members(text: &str) -> Option<Vec<(String, &str)>> {
    let member = |part: &'_ str| {
        let colon = outside(part).find(|(_, byte)| *byte == b':')?.0;
        Some((serde_json::from_str(part.get(..colon)?).ok()?, colon))
    };
    let parts = parts(text, '{', '}')?.into_iter();
    parts
        .map(|part| {
            let (name, colon) = member(part)?;
            Some((name, part.get(colon + 1..)?.trim()))
        })
        .collect()
}

/// What stands between the commas of the outermost level.
fn parts(text: &str, open: char, close: char) -> Option<Vec<&str>> {
    let inner = text.trim().strip_prefix(open)?.strip_suffix(close)?;
    if inner.trim().is_empty() {
        return Some(Vec::new());
    }
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, byte) in outside(inner) {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                parts.push(inner.get(from..at)?.trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(inner.get(from..)?.trim());
    Some(parts)
}

/// The bytes that are not within strings, with their places.
fn outside(text: &str) -> impl Iterator<Item = (usize, u8)> + '_ {
    let (mut is_string, mut is_escaped) = (false, false);
    text.bytes().enumerate().filter(move |(_, byte)| {
        if is_escaped {
            is_escaped = false;
            return false;
        }
        match byte {
            b'"' => is_string = !is_string,
            b'\\' if is_string => is_escaped = true,
            _ => return !is_string,
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_where_commas_are_their_own() {
        let check = |text: &str, expected: Option<&[&str]>| {
            assert_eq!(elements(text).as_deref(), expected, "{text}");
        };
        check(r#" [1, "a,b" ,[2,3],{"c":[",]"]} ] "#, Some(&["1", "\"a,b\"", "[2,3]", r#"{"c":[",]"]}"#]));
        check(r#"["\\\"," , "ä]"]"#, Some(&[r#""\\\",""#, r#""ä]""#]));
        check("[]", Some(&[]));
        check("{}", None);
        check("[1]]", None);
        let members = |text| members(text).map(|it| it.into_iter().map(|(name, _)| name).collect::<Vec<_>>());
        assert_eq!(members(r#"{"a:b" : {"c":1}, "d\u0065":":", "a:b":2}"#).unwrap(), ["a:b", "de", "a:b"]);
        assert_eq!(members("{\"a\"}"), None);
        assert_eq!(members("[]"), None);
    }
}
