//! Builds a dictionary of `dictionaries/` from the source of a MeCab dictionary: the word lists (`*.csv`),
//! the connection costs (`matrix.def`) and the unknown words (`char.def`, `unk.def`), all in UTF-8. Writes
//! the sections that `src/morphology/sections.rs` reads, not compressed; `dictionaries/README.md` names the
//! sources and the commands. Entries of one surface keep the order of the files' names and of the lines, as
//! Lucene's builders do.
//!
//! `cargo run --release -p analysis --example build_dictionary -- japanese|korean SOURCE_FOLDER OUTPUT_FILE`

mod classes;

use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::fs;
use std::path::Path;

use classes::{Classes, NGRAM};

type Fallible<T> = Result<T, Box<dyn Error>>;

fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [language, source, output] = arguments.as_slice() else {
        return Err("give a language (japanese or korean), a source folder and an output file".into());
    };
    let language = match language.as_str() {
        "japanese" => Language::Japanese,
        "korean" => Language::Korean,
        other => return Err(format!("unknown language `{other}`; use japanese or korean").into()),
    };
    let mut builder = Builder { language, ..Builder::default() };
    let source = Path::new(source);
    builder.read_words(source)?;
    builder.read_unknown(source)?;
    builder.read_user_contexts(source)?;
    builder.read_costs(source)?;
    fs::write(output, builder.out.0)?;
    Ok(())
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Language {
    #[default]
    Japanese,
    Korean,
}

/// The sections written so far: each a length in four bytes, least significant first, and that many bytes.
#[derive(Default)]
struct Sections(Vec<u8>);

impl Sections {
    fn bytes(&mut self, content: &[u8]) -> Fallible<()> {
        self.0.extend(u32::try_from(content.len())?.to_le_bytes());
        self.0.extend(content);
        Ok(())
    }

    /// Numbers as two planes, all low bytes before all high bytes: they compress better so.
    fn numbers(&mut self, numbers: &[u16]) -> Fallible<()> {
        let low = numbers.iter().map(|number| number.to_le_bytes()[0]);
        let high = numbers.iter().map(|number| number.to_le_bytes()[1]);
        self.bytes(&low.chain(high).collect::<Vec<u8>>())
    }
}

/// What is kept of a word.
#[derive(Clone, Default)]
struct Word {
    left: u16,
    right: u16,
    cost: i16,
    form: u16,
    detail: Vec<u8>,
}

#[derive(Default)]
struct Builder {
    language: Language,
    out: Sections,
    words: Vec<Word>,
    /// Part of speech by left context.
    tags: BTreeMap<u16, String>,
    /// Ways from a surface to its base form: characters to drop at the end, text to add.
    rules: Vec<(usize, String)>,
}

impl Builder {
    fn read_words(&mut self, source: &Path) -> Fallible<()> {
        let mut files: Vec<_> =
            fs::read_dir(source)?.map(|entry| Ok(entry?.path())).collect::<Fallible<_>>()?;
        files.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
        files.sort();
        let mut by_surface: BTreeMap<Vec<u16>, Vec<Word>> = BTreeMap::new();
        for file in files {
            for line in fs::read_to_string(&file)?.lines() {
                let columns = split_csv(line);
                let surface = columns[0].trim_matches(|c| c <= ' ');
                if !surface.is_empty() {
                    let word = self.word(&columns)?;
                    by_surface.entry(surface.encode_utf16().collect()).or_default().push(word);
                }
            }
        }
        self.write_trie(&by_surface.into_iter().collect::<Vec<_>>())
    }

    /// The surfaces as a trie in level order. A node is its character, how many children it has and how many
    /// words end there; the words are numbered in the same order.
    fn write_trie(&mut self, surfaces: &[(Vec<u16>, Vec<Word>)]) -> Fallible<()> {
        let (mut labels, mut children, mut ends) = (vec![0], Vec::new(), Vec::new());
        let mut queue = VecDeque::from([(surfaces, 0)]);
        while let Some((range, depth)) = queue.pop_front() {
            let (here, below) = match range.first() {
                Some((surface, words)) if surface.len() == depth => (words.as_slice(), &range[1..]),
                _ => (&[][..], range),
            };
            self.words.extend_from_slice(here);
            ends.push(u8::try_from(here.len())?);
            let groups: Vec<_> = below.chunk_by(|one, next| one.0[depth] == next.0[depth]).collect();
            children.push(u16::try_from(groups.len())?);
            for group in groups {
                labels.push(group[0].0[depth]);
                queue.push_back((group, depth + 1));
            }
        }
        self.out.numbers(&labels)?;
        self.out.numbers(&children)?;
        self.out.bytes(&ends)
    }

    fn word(&mut self, columns: &[String]) -> Fallible<Word> {
        let (left, right, cost) = (columns[1].parse()?, columns[2].parse()?, columns[3].parse()?);
        let word = Word { left, right, cost, ..Word::default() };
        Ok(match self.language {
            Language::Japanese => self.japanese(word, columns),
            Language::Korean => self.korean(word, columns)?,
        })
    }

    fn japanese(&mut self, mut word: Word, columns: &[String]) -> Word {
        let parts: Vec<&str> = columns[4..8].iter().map(String::as_str).filter(|part| *part != "*").collect();
        self.tags.insert(word.left, parts.join("-"));
        let base = columns.get(10).map_or("*", String::as_str);
        if base != "*" && base != columns[0] {
            word.form = self.rule(&columns[0], base);
        }
        let reading = columns.get(11).map_or("*", String::as_str);
        if reading != "*" && reading != katakana(&columns[0]) {
            word.detail = pack_kana(reading);
        }
        word
    }

    /// The number of the rule that leads from a surface to its base form, from 1.
    fn rule(&mut self, surface: &str, base: &str) -> u16 {
        let shared = surface.chars().zip(base.chars()).take_while(|(one, other)| one == other).count();
        let rule = (surface.chars().count() - shared, base.chars().skip(shared).collect());
        let known = self.rules.iter().position(|one| *one == rule).unwrap_or_else(|| {
            self.rules.push(rule);
            self.rules.len() - 1
        });
        u16::try_from(known + 1).expect("there are few rules")
    }

    fn korean(&mut self, mut word: Word, columns: &[String]) -> Fallible<Word> {
        word.form = match columns[8].as_str() {
            "Compound" => 1,
            "Inflect" => 2,
            "Preanalysis" => 3,
            _ => 0,
        };
        let first = if word.form < 2 || columns[9] == "*" { &columns[4] } else { &columns[9] };
        self.tags.entry(word.left).or_insert_with(|| first.clone());
        if word.form == 0 {
            if columns[7] != "*" && columns[7] != columns[0] {
                word.detail = columns[7].clone().into_bytes();
            }
        } else if columns[11] != "*" {
            word.detail = pack_parts(&columns[11], word.form == 2)?;
        }
        Ok(word)
    }

    /// Unknown words by class, the classes of characters, and then all words, known and unknown.
    fn read_unknown(&mut self, source: &Path) -> Fallible<()> {
        let classes = Classes::read(&fs::read_to_string(source.join("char.def"))?)?;
        let definitions = fs::read_to_string(source.join("unk.def"))?;
        let lines: Vec<Vec<String>> = definitions.lines().map(split_csv).collect();
        let mut counts = Vec::new();
        for class in &classes.names {
            let mut own: Vec<Vec<String>> = lines.iter().filter(|line| line[0] == *class).cloned().collect();
            if class == NGRAM {
                own.push(
                    lines.iter().find(|line| line[0] == "DEFAULT").ok_or("no DEFAULT in unk.def")?.clone(),
                );
            }
            counts.push(u8::try_from(own.len())?);
            for mut columns in own {
                columns.resize(13, "*".to_owned());
                let word = self.word(&columns)?;
                self.words.push(Word { detail: Vec::new(), form: 0, ..word });
            }
        }
        self.write_words()?;
        self.out.bytes(&counts)?;
        self.out.bytes(&classes.runs())
    }

    fn write_words(&mut self) -> Fallible<()> {
        let column = |of: fn(&Word) -> u16| self.words.iter().map(of).collect::<Vec<u16>>();
        let (left, right) = (column(|word| word.left), column(|word| word.right));
        self.out.numbers(&left)?;
        self.out.numbers(if left == right { &[] } else { &right })?;
        self.out.numbers(&column(|word| word.cost.cast_unsigned()))?;
        self.out.numbers(&column(|word| word.form))?;
        let lengths: Result<Vec<u8>, _> =
            self.words.iter().map(|word| u8::try_from(word.detail.len())).collect();
        self.out.bytes(&lengths?)?;
        let details: Vec<u8> = self.words.iter().flat_map(|word| word.detail.iter().copied()).collect();
        self.out.bytes(&details)?;
        let last = self.tags.keys().next_back().copied().unwrap_or(0);
        let tags: Vec<&str> =
            (0..=last).map(|left| self.tags.get(&left).map_or("", String::as_str)).collect();
        self.out.bytes(tags.join("\n").as_bytes())?;
        let rules: Vec<String> = self.rules.iter().map(|(drop, add)| format!("{drop}\t{add}")).collect();
        self.out.bytes(rules.join("\n").as_bytes())
    }

    /// The contexts of a user's words: Lucene takes those of a symbol for Japanese, and for Korean those of a
    /// common noun: left, right, right without and right with a final consonant.
    fn read_user_contexts(&mut self, source: &Path) -> Fallible<()> {
        let contexts = match self.language {
            Language::Japanese => [5; 4],
            Language::Korean => {
                let left = fs::read_to_string(source.join("left-id.def"))?;
                let right = fs::read_to_string(source.join("right-id.def"))?;
                let context = |text: &str, features: &str| -> Fallible<u16> {
                    let found = text.lines().find_map(|line| line.strip_suffix(features));
                    Ok(found.ok_or_else(|| format!("no context `{features}`"))?.trim().parse()?)
                };
                [
                    context(&left, " NNG,*,*,*,*,*,*,*")?,
                    context(&right, " NNG,*,*,*,*,*,*,*")?,
                    context(&right, " NNG,*,F,*,*,*,*,*")?,
                    context(&right, " NNG,*,T,*,*,*,*,*")?,
                ]
            }
        };
        self.out.numbers(&contexts)
    }

    /// Connection costs, a row for each left context of the next word, in it one for each right context of
    /// the word before, as its difference to the one before it: half the size of the costs themselves.
    fn read_costs(&mut self, source: &Path) -> Fallible<()> {
        let text = fs::read_to_string(source.join("matrix.def"))?;
        let mut lines = text.lines().map(|line| line.split_whitespace());
        let mut sizes = lines.next().ok_or("an empty matrix.def")?;
        let mut size = || -> Fallible<usize> { Ok(sizes.next().ok_or("no size in matrix.def")?.parse()?) };
        let (rights, lefts) = (size()?, size()?);
        let mut costs = vec![0_u16; rights * lefts];
        for mut line in lines {
            let mut number = || line.next().map(str::parse::<i32>).transpose();
            if let (Some(right), Some(left), Some(cost)) = (number()?, number()?, number()?) {
                let at = usize::try_from(left)? * rights + usize::try_from(right)?;
                costs[at] = i16::try_from(cost)?.cast_unsigned();
            }
        }
        for row in costs.chunks_mut(rights.max(1)) {
            (1..row.len()).rev().for_each(|at| row[at] = row[at].wrapping_sub(row[at - 1]));
        }
        self.out.numbers(&[u16::try_from(rights)?, u16::try_from(lefts)?])?;
        self.out.numbers(&costs)
    }
}

/// Columns of a line of which some are in quotes.
fn split_csv(line: &str) -> Vec<String> {
    let mut columns = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let column = columns.last_mut().expect("never empty");
        match c {
            '"' if quoted && chars.next_if_eq(&'"').is_some() => column.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => columns.push(String::new()),
            other => column.push(other),
        }
    }
    columns
}

/// Hiragana as katakana, everything else as it is.
fn katakana(text: &str) -> String {
    let shifted = |c| char::from_u32(u32::from(c) + 0x60).unwrap_or(c);
    text.chars().map(|c| if ('\u{3041}'..='\u{3096}').contains(&c) { shifted(c) } else { c }).collect()
}

/// Kana in one byte each, their distance to U+3040; other characters after a byte 255 and one with their
/// length.
fn pack_kana(text: &str) -> Vec<u8> {
    let mut packed = Vec::new();
    for c in text.chars() {
        match u32::from(c).checked_sub(0x3040).and_then(|distance| u8::try_from(distance).ok()) {
            Some(distance) if distance < 0xc0 => packed.push(distance),
            _ => {
                let mut buffer = [0; 4];
                let bytes = c.encode_utf8(&mut buffer).as_bytes();
                packed.extend([255, u8::try_from(bytes.len()).unwrap_or(0)]);
                packed.extend(bytes);
            }
        }
    }
    packed
}

/// The parts of a word: of each the part of speech, with its length before it, and its text, likewise, or for
/// words that are only cut its number of characters.
fn pack_parts(expression: &str, inflected: bool) -> Fallible<Vec<u8>> {
    let mut packed = Vec::new();
    for part in expression.split('+') {
        let mut fields = part.split('/');
        let (text, tag) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        if text.trim().is_empty() {
            continue;
        }
        packed.push(u8::try_from(tag.len())?);
        packed.extend(tag.as_bytes());
        if inflected {
            packed.push(u8::try_from(text.len())?);
            packed.extend(text.as_bytes());
        } else {
            packed.push(u8::try_from(text.chars().count())?);
        }
    }
    Ok(packed)
}
