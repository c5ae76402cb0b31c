//! `japaneseNumber` and `koreanNumber`: numbers of several tokens as one Arabic number. `三千2百２十三` becomes
//! 3223 and `１．２万` 12000. Tokens on top of others and keywords are left alone. The tokenizer has to keep
//! punctuation, or points are lost. Solr differs: of a number over 1,024 characters nothing is computed, it
//! stays as written.

use crate::definition::FilterDefinition;
use crate::filter::decimal::Decimal;
use crate::stage::{Filter, Input};
use crate::token::Token;

pub(crate) static JAPANESE_NUMBER: FilterDefinition = FilterDefinition::new(
    "japaneseNumber",
    "ja.JapaneseNumberFilterFactory",
    &[],
    "Numbers in Japanese numerals as Arabic ones.",
    |_| {
        Ok(Box::new(Numbers::new(Numerals {
            digits: "〇一二三四五六七八九", powers: "十百千万億兆京垓"
        })))
    },
);

pub(crate) static KOREAN_NUMBER: FilterDefinition = FilterDefinition::new(
    "koreanNumber",
    "ko.KoreanNumberFilterFactory",
    &[],
    "Numbers in Korean numerals as Arabic ones.",
    |_| {
        Ok(Box::new(Numbers::new(Numerals {
            digits: "영일이삼사오육칠팔구", powers: "십백천만억조경해"
        })))
    },
);

/// The longest number that is computed, in characters.
const NUMBER_LEN_MAX: usize = 1024;

/// Exponents of ten, in the order of `Numerals::powers`.
const EXPONENTS: [u32; 8] = [1, 2, 3, 4, 8, 12, 16, 20];

/// The numerals of a language.
#[derive(Clone, Copy)]
struct Numerals {
    /// Zero to nine.
    digits: &'static str,
    powers: &'static str,
}

impl Numerals {
    /// The value of a digit, Arabic of either width or of the language.
    fn digit(self, c: char) -> Option<u8> {
        let value = match c {
            '0'..='9' => u32::from(c) - u32::from('0'),
            '０'..='９' => u32::from(c) - u32::from('０'),
            _ => u32::try_from(self.digits.chars().position(|digit| digit == c)?).ok()?,
        };
        u8::try_from(value).ok()
    }

    fn exponent(self, c: char) -> Option<u32> {
        let at = self.powers.chars().position(|power| power == c)?;
        EXPONENTS.get(at).copied()
    }

    fn is_numeral(self, text: &str) -> bool {
        text.chars().all(|c| self.digit(c).is_some() || self.exponent(c).is_some())
    }

    /// The number as written with Arabic digits; none if it cannot be read.
    fn read(self, text: &str) -> Option<String> {
        // Sums take time quadratic in the length here, and a document must not be able to make use of that.
        if text.chars().count() > NUMBER_LEN_MAX {
            return None;
        }
        let mut reader = NumeralReader { numerals: self, chars: text.chars().peekable() };
        Some(reader.sum(NumeralReader::large)??.to_string())
    }
}

fn is_point(c: char) -> bool {
    matches!(c, '.' | '．')
}

fn is_separator(c: char) -> bool {
    matches!(c, ',' | '，')
}

/// Reads a number from left to right. `None` is a malformed number, `Some(None)` the end of it.
struct NumeralReader<'a> {
    numerals: Numerals,
    chars: std::iter::Peekable<std::str::Chars<'a>>,
}

impl NumeralReader<'_> {
    /// The sum of all that `part` reads.
    fn sum(&mut self, part: fn(&mut Self) -> Option<Option<Decimal>>) -> Option<Option<Decimal>> {
        let mut sum = part(self)?;
        while sum.is_some() {
            let Some(next) = part(self)? else { break };
            sum = sum.map(|sum| sum.plus(&next));
        }
        Some(sum)
    }

    /// A number with a power from ten thousand on.
    fn large(&mut self) -> Option<Option<Decimal>> {
        let factor = self.sum(Self::medium)?;
        Some(self.times_power(factor, |exponent| exponent > 3))
    }

    /// A number with a power up to a thousand.
    fn medium(&mut self) -> Option<Option<Decimal>> {
        let factor = self.basic()?;
        Some(self.times_power(factor, |exponent| exponent <= 3))
    }

    /// The product of a number and the power that follows it; one of them may be missing.
    fn times_power(&mut self, factor: Option<Decimal>, fits: fn(u32) -> bool) -> Option<Decimal> {
        let exponent = self.chars.peek().and_then(|c| self.numerals.exponent(*c)).filter(|one| fits(*one));
        let Some(exponent) = exponent else { return factor };
        self.chars.next();
        Some(factor.unwrap_or_else(Decimal::one).shifted(exponent))
    }

    /// Digits with points and separators.
    fn basic(&mut self) -> Option<Option<Decimal>> {
        let mut plain = String::new();
        while let Some(&c) = self.chars.peek() {
            match self.numerals.digit(c) {
                Some(digit) => plain.push(char::from(b'0' + digit)),
                None if is_point(c) => plain.push('.'),
                None if is_separator(c) => {}
                None => break,
            }
            self.chars.next();
        }
        if plain.is_empty() { Some(None) } else { Decimal::parse(&plain).map(Some) }
    }
}

struct Numbers {
    numerals: Numerals,
    /// The token after a number, read already.
    held: Option<Token>,
    /// The number so far.
    number: String,
    /// Tokens under a token on top of others, which go through as they are.
    passing: u32,
    ended: bool,
}

impl Numbers {
    fn new(numerals: Numerals) -> Self {
        Numbers { numerals, held: None, number: String::new(), passing: 0, ended: false }
    }

    /// Joins the tokens of a number. Its last attributes but the text and the place are those of the token
    /// after it, as in Lucene.
    fn compose(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        let first = token.clone();
        let start = token.start;
        let mut end = token.end;
        let mut term = token.text.clone();
        let mut is_part = self.numerals.is_numeral(&term);
        if !is_part {
            return true;
        }
        while is_part && !self.ended {
            end = token.end;
            self.ended = !input.next(token);
            if !self.ended && token.position_increment == 0 {
                self.passing = token.position_length.saturating_sub(1);
                self.held = Some(std::mem::replace(token, first));
                return true;
            }
            self.number.push_str(&term);
            if !self.ended {
                term.clone_from(&token.text);
                is_part = self.numerals.is_numeral(&term) || term.chars().all(is_point_or_separator);
            }
        }
        if !self.ended {
            self.held = Some(token.clone());
        }
        let number = std::mem::take(&mut self.number);
        token.text = self.numerals.read(&number).unwrap_or(number);
        (token.start, token.end) = (start, end);
        true
    }
}

fn is_point_or_separator(c: char) -> bool {
    is_point(c) || is_separator(c)
}

impl Filter for Numbers {
    fn reset(&mut self) {
        *self = Numbers::new(self.numerals);
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        if let Some(held) = self.held.take() {
            *token = held;
            return true;
        }
        if self.ended || !input.next(token) {
            self.ended = true;
            return false;
        }
        if token.keyword {
            return true;
        }
        if self.passing > 0 {
            self.passing -= 1;
            return true;
        }
        if token.position_increment == 0 {
            self.passing = token.position_length.saturating_sub(1);
            return true;
        }
        self.compose(input, token)
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(Numbers::new(self.numerals))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_written() {
        let rows = [
            ("〇〇七", "7"),
            ("三千2百２十三", "3223"),
            ("兆六百万五千一", "1000006005001"),
            ("１．２万３４５．６７", "12345.67"),
            ("4,647.100", "4647.1"),
            ("垓京", "100010000000000000000"),
            ("百百", "200"),
            ("0.0", "0"),
            (".05", "0.05"),
            ("1.", "1"),
            ("9.9百1", "991"),
        ];
        let numerals =
            Numerals { digits: "〇一二三四五六七八九", powers: "十百千万億兆京垓" };
        for (text, expected) in rows {
            assert_eq!(numerals.read(text).as_deref(), Some(expected), "{text}");
        }
        for malformed in ["1..2", ".", ",", "", &"1".repeat(2000)] {
            assert_eq!(numerals.read(malformed), None, "{malformed}");
        }
    }
}
