//! A text with its offsets in UTF-16 units, which Solr's lengths count: the values of a field joined as the
//! unified method joins them, or a single value. Where a text is ASCII, units are bytes.
//!
//! All methods address texts by these units (`hl.fragsize`, `hl.maxAnalyzedChars`, offsets of tokens); bytes
//! appear only here and where a text is analysed.

/// What stands between the values of a field.
pub(super) const VALUE_SEPARATOR: char = '\0';

#[derive(Debug)]
pub(super) struct Text {
    text: String,
    /// `None` where units are bytes.
    units: Option<Units>,
}

#[derive(Debug)]
struct Units {
    /// The unit at each byte and at the end; of bytes inside a character, its first.
    of_bytes: Vec<u32>,
    /// The byte of each unit and of the end; the second unit of a pair has the byte of the first.
    bytes: Vec<u32>,
}

impl Text {
    pub(super) fn new(text: String) -> Self {
        let units = (!text.is_ascii()).then(|| Units::of(&text));
        Self { text, units }
    }

    /// Values with separators between, at most `units_max` in all.
    pub(super) fn joined<'v>(values: impl Iterator<Item = &'v str>, units_max: usize) -> Self {
        let mut joined = String::new();
        let mut left = units_max;
        for (number, value) in values.enumerate() {
            if number > 0 {
                if left == 0 {
                    break;
                }
                joined.push(VALUE_SEPARATOR);
                left -= 1;
            }
            let taken = prefix(value, left);
            left -= utf16_len(taken);
            joined.push_str(taken);
        }
        Self::new(joined)
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// How long it is in units.
    pub(super) fn len(&self) -> usize {
        self.units.as_ref().map_or(self.text.len(), |units| units.bytes.len() - 1)
    }

    /// The unit at a byte.
    pub(super) fn unit(&self, byte: usize) -> usize {
        match &self.units {
            None => byte.min(self.text.len()),
            Some(units) => units.of_bytes.get(byte).map_or(self.len(), |unit| *unit as usize),
        }
    }

    /// The byte of a unit; within a pair, of what follows it.
    pub(super) fn byte_from(&self, unit: usize) -> usize {
        let byte = self.byte(unit);
        let within = unit > 0 && unit < self.len() && self.byte(unit - 1) == byte;
        if within { self.byte(unit + 1) } else { byte }
    }

    /// The byte of a unit; within a pair, of the pair.
    pub(super) fn byte(&self, unit: usize) -> usize {
        match &self.units {
            None => unit.min(self.text.len()),
            Some(units) => units.bytes.get(unit).map_or(self.text.len(), |byte| *byte as usize),
        }
    }

    /// What stands between two units, as far as there is text.
    pub(super) fn slice(&self, from: usize, to: usize) -> &str {
        let (from, to) = (self.byte(from), self.byte(to));
        self.text.get(from..to.max(from)).unwrap_or_default()
    }
}

impl Units {
    fn of(text: &str) -> Self {
        let mut of_bytes = Vec::with_capacity(text.len() + 1);
        let mut bytes = Vec::with_capacity(text.len() + 1);
        for (byte, c) in text.char_indices() {
            of_bytes.resize(byte + c.len_utf8(), bytes.len() as u32);
            bytes.resize(bytes.len() + c.len_utf16(), byte as u32);
        }
        of_bytes.push(bytes.len() as u32);
        bytes.push(text.len() as u32);
        Self { of_bytes, bytes }
    }
}

pub(super) fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// The longest beginning of at most `units_max` units.
pub(super) fn prefix(text: &str, units_max: usize) -> &str {
    if text.len() <= units_max {
        return text;
    }
    let mut units = 0;
    let end = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > units_max
    });
    text.get(..end.map_or(text.len(), |(byte, _)| byte)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_utf16() {
        let text = Text::joined(["aé", "🚢b", "c"].into_iter(), 6);
        assert_eq!(text.as_str(), "aé\0🚢b");
        assert_eq!(text.len(), 6);
        assert_eq!([0, 1, 3, 4, 8, 9].map(|byte| text.unit(byte)), [0, 1, 2, 3, 5, 6]);
        assert_eq!(text.slice(1, 5), "é\0🚢");
        assert_eq!([3, 4, 5].map(|unit| (text.byte(unit), text.byte_from(unit))), [(4, 4), (4, 8), (8, 8)]);
        assert_eq!(Text::new("ab".to_owned()).slice(1, 9), "b");
        assert_eq!(prefix("🚢", 1), "");
    }
}
