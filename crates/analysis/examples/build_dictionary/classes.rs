//! Classes of characters, from `char.def`: which unknown words a text may have, and how far they go. In:
//! MeCab's file; out: the part of the compiled dictionary that the tokenizer asks for words it does not know.
//! Two classes are Lucene's and not in the file.

use super::Fallible;

/// The class of single characters, which Lucene gives a word of its own; MeCab does not know it.
pub const NGRAM: &str = "NGRAM";

/// The classes of characters by which unknown words are cut.
#[derive(Default)]
pub struct Classes {
    pub names: Vec<String>,
    /// Bit 0: a run of the class makes one word; bit 1: unknown words are tried beside known ones.
    flags: Vec<u8>,
    of_unit: Vec<u8>,
}

impl Classes {
    pub fn read(text: &str) -> Fallible<Classes> {
        let mut classes =
            Classes { names: vec![NGRAM.to_owned()], flags: vec![0], of_unit: vec![1; 0x1_0000] };
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>())
            .filter(|words| words.len() > 1)
            .collect();
        for words in lines.iter().filter(|words| !words[0].starts_with("0x")) {
            classes.names.push(words[0].to_owned());
            classes.flags.push(u8::from(words[2] == "1") | u8::from(words[1] == "1") << 1);
        }
        for words in lines.iter().filter(|words| words[0].starts_with("0x")) {
            classes.assign(words[0], words[1])?;
        }
        // Lucene: the middle dot cuts katakana words.
        classes.assign("0x30FB", "SYMBOL")?;
        Ok(classes)
    }

    fn assign(&mut self, range: &str, name: &str) -> Fallible<()> {
        let class =
            self.names.iter().position(|one| one == name).ok_or_else(|| format!("no class `{name}`"))?;
        let (from, to) = range.split_once("..").unwrap_or((range, range));
        let code = |hex: &str| usize::from_str_radix(hex.trim_start_matches("0x"), 16);
        self.of_unit[code(from)?..=code(to)?].fill(u8::try_from(class)?);
        Ok(())
    }

    /// The flags of all classes, then runs of UTF-16 units of one class: a class and the run's length in two
    /// bytes.
    pub fn runs(&self) -> Vec<u8> {
        let mut out = vec![u8::try_from(self.flags.len()).expect("there are few classes")];
        out.extend(&self.flags);
        for run in self.of_unit.chunk_by(|one, next| one == next) {
            out.push(run[0]);
            out.extend(u16::try_from(run.len()).expect("no run is so long").to_le_bytes());
        }
        out
    }
}
