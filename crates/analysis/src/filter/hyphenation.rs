//! Where words may be hyphenated, by Liang's patterns (1983) in the XML files of Apache FOP: `classes` say
//! which characters count as one letter, `patterns` score the gaps between letters, `exceptions` are words
//! with their hyphens. Of the XML only these three elements are read, as text; everything else in the file is
//! passed over.

use rustc_hash::FxHashMap;

/// The patterns of a language.
#[derive(Debug, Default)]
pub(crate) struct Hyphenation {
    /// Each character's letter.
    letters: FxHashMap<char, char>,
    /// Scores of the gaps before, within and after a sequence of letters; `.` stands for the bounds of a
    /// word.
    patterns: FxHashMap<String, Vec<u8>>,
    /// Hyphenation points of words that patterns get wrong.
    exceptions: FxHashMap<String, Vec<usize>>,
    pattern_letters_max: usize,
}

impl Hyphenation {
    /// Reads a file; what is wrong with it otherwise.
    pub(crate) fn read(xml: &str) -> Result<Self, String> {
        let xml = without_comments(xml);
        let mut hyphenation = Hyphenation::default();
        for class in element(&xml, "classes").unwrap_or_default().split_whitespace() {
            let letter = class.chars().next().unwrap_or_default();
            hyphenation.letters.extend(class.chars().map(|c| (c, letter)));
        }
        for word in element(&xml, "exceptions").unwrap_or_default().split_whitespace() {
            hyphenation.add_exception(word);
        }
        let patterns = element(&xml, "patterns").ok_or("it has no element `patterns`")?;
        patterns.split_whitespace().for_each(|pattern| hyphenation.add_pattern(pattern));
        Ok(hyphenation)
    }

    fn add_pattern(&mut self, pattern: &str) {
        let mut letters = String::new();
        let mut scores = vec![0];
        for c in pattern.chars() {
            match c.to_digit(10) {
                Some(score) => scores.last_mut().into_iter().for_each(|last| *last = score as u8),
                None => {
                    letters.push(c);
                    scores.push(0);
                }
            }
        }
        self.pattern_letters_max = self.pattern_letters_max.max(scores.len() - 1);
        self.patterns.insert(letters, scores);
    }

    fn add_exception(&mut self, word: &str) {
        let mut points = Vec::new();
        let mut letters = String::new();
        for (number, part) in word.split('-').enumerate() {
            if number > 0 {
                points.push(letters.chars().count());
            }
            letters.push_str(part);
        }
        self.exceptions.insert(letters, points);
    }

    /// The points of a word in characters, its bounds included; none if it has no others or is no word.
    pub(crate) fn points(&self, word: &[char]) -> Option<Vec<usize>> {
        let known = |c: &char| self.letters.contains_key(c);
        let start = word.iter().position(known)?;
        let end = word.iter().rposition(known)? + 1;
        let letters: Option<Vec<char>> =
            word.get(start..end)?.iter().map(|c| self.letters.get(c).copied()).collect();
        let letters = letters?;
        let found = match self.exceptions.get(&letters.iter().collect::<String>()) {
            Some(points) => points.iter().copied().filter(|at| *at >= 1 && *at < letters.len() - 1).collect(),
            None => self.scored_points(&letters),
        };
        if found.is_empty() {
            return None;
        }
        let shifted = found.into_iter().map(|at| at + start);
        // Lucene's bounds are asymmetric where signs stand before the word: the end counts letters alone.
        // Kept, since it decides which parts are found.
        Some(std::iter::once(0).chain(shifted).chain([letters.len()]).collect())
    }

    /// Gaps whose greatest score is odd.
    fn scored_points(&self, letters: &[char]) -> Vec<usize> {
        let bounded: Vec<char> =
            std::iter::once('.').chain(letters.iter().copied()).chain(std::iter::once('.')).collect();
        let mut scores = vec![0u8; bounded.len() + 1];
        let mut key = String::new();
        for start in 0..bounded.len() {
            key.clear();
            for c in bounded.iter().skip(start).take(self.pattern_letters_max) {
                key.push(*c);
                let found = self.patterns.get(key.as_str()).into_iter().flatten();
                for (score, own) in scores.iter_mut().skip(start).zip(found) {
                    *score = (*score).max(*own);
                }
            }
        }
        // Liang: odd scores allow a hyphen, even ones forbid it, and the highest of all patterns that match
        // decides.
        let gaps = scores.iter().skip(1).take(letters.len()).enumerate().skip(1);
        gaps.filter(|(_, score)| **score % 2 == 1).map(|(at, _)| at).collect()
    }
}

fn without_comments(xml: &str) -> String {
    let mut pieces = xml.split("<!--");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    pieces.for_each(|piece| text.push_str(piece.split_once("-->").map_or("", |(_, after)| after)));
    text
}

/// What stands between the tags of an element.
fn element<'a>(xml: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = xml.split_once(&format!("<{name}>"))?;
    after.split_once(&format!("</{name}>")).map(|(content, _)| content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_where_scores_are_odd() {
        let xml = "<classes>aA dD fF hH mM nN oO pP rR tT uU</classes> <!-- <patterns>a1</patterns> -->
            <exceptions>ta-art</exceptions> <patterns>1fa 2fahr. u1dam p1fa .do1n</patterns>";
        let hyphenation = Hyphenation::read(xml).expect("the patterns are right");
        let rows: [(&str, Option<&[usize]>); 6] = [
            ("DonauDampf", Some(&[0, 2, 5, 10])),
            ("dampffahrt", Some(&[0, 5, 10])),
            ("taart", Some(&[0, 2, 5])),
            ("fahr", None),
            ("don-dam", None),
            ("", None),
        ];
        for (word, expected) in rows {
            let letters: Vec<char> = word.chars().collect();
            assert_eq!(hyphenation.points(&letters).as_deref(), expected, "{word}");
        }
        assert!(Hyphenation::read("<classes>a</classes>").is_err());
    }
}
