//! Filters that index how words sound: `phonetic` with an encoder of choice, `doubleMetaphone`,
//! `beiderMorse`, `daitchMokotoffSoundex`. The encoders are those of commons-codec in the port `rphonetic`.
//! Here stand the arguments, which codes go beside the word or instead of it, and in which order, about which
//! Lucene's filters disagree. Codes have the offsets of their word.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

use rphonetic::{
    BeiderMorseBuilder, Caverphone1, Caverphone2, Cologne, ConfigFiles, DaitchMokotoffSoundex,
    DaitchMokotoffSoundexBuilder, DoubleMetaphone, Encoder, Metaphone, NameType, Nysiis, RefinedSoundex,
    RuleType, Soundex,
};

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::stage::{Filter, Input};
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] =
    &[&PHONETIC, &DOUBLE_METAPHONE, &BEIDER_MORSE, &DAITCH_MOKOTOFF_SOUNDEX];

static PHONETIC: FilterDefinition = FilterDefinition::new(
    "phonetic",
    "phonetic.PhoneticFilterFactory",
    &["encoder", "inject", "maxCodeLength"],
    "Adds the code of a phonetic encoder, or replaces the word by it (`inject=false`).",
    build_phonetic,
);

static DOUBLE_METAPHONE: FilterDefinition = FilterDefinition::new(
    "doubleMetaphone",
    "phonetic.DoubleMetaphoneFilterFactory",
    &["inject", "maxCodeLength"],
    "Adds both Double Metaphone codes, or replaces the word by them (`inject=false`).",
    |args| {
        let encoder = DoubleMetaphone::new(Some(args.count("maxCodeLength", 4, 1)?));
        let encode = move |word: &str| {
            let both = encoder.double_metaphone(&english(word));
            let mut codes = vec![both.primary()];
            codes.extend(Some(both.alternate()).filter(|alternate| *alternate != both.primary()));
            codes
        };
        Ok(Codes::boxed(
            Arc::new(encode),
            if args.flag("inject", true) { CodePosition::After } else { CodePosition::Instead },
        ))
    },
);

static BEIDER_MORSE: FilterDefinition = FilterDefinition::new(
    "beiderMorse",
    "phonetic.BeiderMorseFilterFactory",
    &["nameType", "ruleType", "concat", "languageSet"],
    "Replaces the word by its Beider-Morse codes.",
    build_beider_morse,
);

static DAITCH_MOKOTOFF_SOUNDEX: FilterDefinition = FilterDefinition::new(
    "daitchMokotoffSoundex",
    "phonetic.DaitchMokotoffSoundexFilterFactory",
    &["inject"],
    "Adds the Daitch-Mokotoff codes, or replaces the word by them (`inject=false`).",
    |args| {
        let encoder: DaitchMokotoffSoundex = DaitchMokotoffSoundexBuilder::default()
            .build()
            .map_err(|reason| Error::unsupported(format!("daitchMokotoffSoundex has no rules: {reason}")))?;
        let encode = move |word: &str| encoder.soundex(word).split('|').map(str::to_owned).collect();
        Ok(Codes::boxed(
            Arc::new(encode),
            if args.flag("inject", true) { CodePosition::After } else { CodePosition::Instead },
        ))
    },
);

/// The word as the English encoders can read it: they know Ç and Ñ besides ASCII and step over all else.
fn english(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let letter = |c: char| match c {
        'Ç' | 'ç' => 'S',
        'Ñ' | 'ñ' => 'N',
        other if other.is_ascii() => other,
        _ => '_',
    };
    Cow::Owned(word.chars().map(letter).collect())
}

type Encode = Arc<dyn Fn(&str) -> Vec<String> + Send + Sync>;

fn build_phonetic(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let name = args.required("encoder")?;
    let length = args.get("maxCodeLength").map(|_| args.count("maxCodeLength", 4, 1)).transpose()?;
    let simple = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let encode = encoder(&simple, length).ok_or_else(|| {
        args.bad(
            "encoder",
            name,
            "is unknown; use DoubleMetaphone, Metaphone, Soundex, \
            RefinedSoundex, Caverphone, ColognePhonetic, Nysiis",
        )
    })?;
    Ok(Codes::boxed(
        encode,
        if args.flag("inject", true) { CodePosition::Before } else { CodePosition::Instead },
    ))
}

fn encoder(name: &str, length: Option<usize>) -> Option<Encode> {
    fn of(encoder: impl Encoder + Send + Sync + 'static) -> Encode {
        Arc::new(move |word: &str| if word.is_ascii() { vec![encoder.encode(word)] } else { Vec::new() })
    }
    Some(match name {
        "doublemetaphone" => {
            let encoder = DoubleMetaphone::new(Some(length.unwrap_or(4)));
            Arc::new(move |word: &str| vec![encoder.encode(&english(word))])
        }
        "metaphone" => of(Metaphone::new(Some(length.unwrap_or(4)))),
        "soundex" => of(Soundex::default()),
        "refinedsoundex" => of(RefinedSoundex::default()),
        "caverphone" | "caverphone2" => of(Caverphone2),
        "caverphone1" => of(Caverphone1),
        "colognephonetic" => Arc::new(|word: &str| vec![Cologne.encode(word)]),
        "nysiis" => of(Nysiis::default()),
        _ => return None,
    })
}

/// Rules of all languages, read on first use.
static BEIDER_MORSE_RULES: LazyLock<ConfigFiles> = LazyLock::new(ConfigFiles::default);

fn build_beider_morse(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let name_type = match args.choice("nameType", "GENERIC", &["GENERIC", "ASHKENAZI", "SEPHARDIC"])? {
        "ASHKENAZI" => NameType::Ashkenazi,
        "SEPHARDIC" => NameType::Sephardic,
        _ => NameType::Generic,
    };
    let rule_type = match args.choice("ruleType", "APPROX", &["APPROX", "EXACT"])? {
        "EXACT" => RuleType::Exact,
        _ => RuleType::Approx,
    };
    if let Some(languages) = args.get("languageSet").filter(|languages| *languages != "auto") {
        return Err(args.bad("languageSet", languages, "is not supported; use auto"));
    }
    let encoder = BeiderMorseBuilder::new(&BEIDER_MORSE_RULES)
        .name_type(name_type)
        .rule_type(rule_type)
        .concat(args.flag("concat", true))
        .build();
    let encode = move |word: &str| {
        let codes = encoder.encode(word);
        // A name of several words is encoded as `(a|b)-(c|d)`; each alternative becomes a token of its own.
        codes.split(['(', ')', '|', '-']).filter(|code| !code.is_empty()).map(str::to_owned).collect()
    };
    Ok(Codes::boxed(Arc::new(encode), CodePosition::InsteadOfAll))
}

/// Where the codes go. Lucene's two filters that add codes disagree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CodePosition {
    Instead,
    /// Instead of the word even where a code is the word.
    InsteadOfAll,
    Before,
    After,
}

/// Replaces tokens by codes, or adds the codes.
struct Codes {
    encode: Encode,
    place: CodePosition,
    ready: VecDeque<Token>,
}

impl Codes {
    fn boxed(encode: Encode, place: CodePosition) -> Box<dyn Filter> {
        Box::new(Codes { encode, place, ready: VecDeque::new() })
    }
}

impl Filter for Codes {
    fn reset(&mut self) {
        self.ready.clear();
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        if let Some(ready) = self.ready.pop_front() {
            *token = ready;
            return true;
        }
        if !input.next(token) {
            return false;
        }
        let mut codes = (self.encode)(&token.text);
        let keeps_word = self.place == CodePosition::InsteadOfAll;
        // A code that is the word itself would be the same term twice at one position.
        codes.retain(|code| !code.is_empty() && (keeps_word || *code != token.text));
        let mut codes = codes.into_iter();
        let place = self.place;
        let first = if place == CodePosition::After { None } else { codes.next() };
        let word = first.map(|first| std::mem::replace(&mut token.text, first));
        let word = word.filter(|_| place == CodePosition::Before);
        for text in codes.chain(word) {
            self.ready.push_back(Token { text, position_increment: 0, ..token.clone() });
        }
        true
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Codes::boxed(self.encode.clone(), self.place)
    }
}
