//! Unicode normalisation, by ICU4X: `icuNormalizer2` (a form of one's choice) and `icuFolding` (search
//! folding: case, marks, width). Solr differs: ICU's folding also maps some digits and punctuation that have
//! no decomposition.

use icu_casemap::CaseMapper;
use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};
use icu_properties::CodePointSetData;
use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory};

use crate::args::Args;
use crate::chars::{category, digit_value};
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::filter::shape::{Rewrite, Rewriting};
use crate::stage::Filter;
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&ICU_NORMALIZER, &ICU_FOLDING];

static ICU_NORMALIZER: FilterDefinition = FilterDefinition::new(
    "icuNormalizer2",
    "icu.ICUNormalizer2FilterFactory",
    &["form", "name", "mode"],
    "Unicode normalisation: nfkc_cf (the default), nfc or nfkc, composing or decomposing (`mode`).",
    build_normalizer,
)
.normalizing();

static ICU_FOLDING: FilterDefinition = FilterDefinition::new(
    "icuFolding",
    "icu.ICUFoldingFilterFactory",
    &[],
    "Folds case, marks, width and digits away.",
    |_| Ok(rewriting(fold)),
)
.normalizing();

/// A filter that maps each term.
#[derive(Clone)]
struct Mapped(fn(&str) -> String);

impl Rewrite for Mapped {
    fn rewrite(&mut self, token: &mut Token) {
        token.text = (self.0)(&token.text);
    }
}

fn rewriting(map: fn(&str) -> String) -> Box<dyn Filter> {
    Box::new(Rewriting(Mapped(map)))
}

/// The form that the arguments name, as a function.
pub(crate) fn form(args: &Args<'_>) -> Result<fn(&str) -> String, Error> {
    let named = args.get("form").map_or("name", |_| "form");
    let form = args.choice(named, "nfkc_cf", &["nfc", "nfkc", "nfkc_cf"])?;
    let mode = args.choice("mode", "compose", &["compose", "decompose"])?;
    Ok(match (form, mode) {
        ("nfc", "compose") => |text| ComposingNormalizer::new_nfc().normalize(text).into_owned(),
        ("nfc", _) => |text| DecomposingNormalizer::new_nfd().normalize(text).into_owned(),
        ("nfkc", "compose") => |text| ComposingNormalizer::new_nfkc().normalize(text).into_owned(),
        ("nfkc", _) => |text| DecomposingNormalizer::new_nfkd().normalize(text).into_owned(),
        (_, "compose") => case_folded,
        _ => |text| DecomposingNormalizer::new_nfkd().normalize(&case_folded(text)).into_owned(),
    })
}

fn build_normalizer(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    Ok(rewriting(form(args)?))
}

/// NFKC_Casefold: folded and composed until nothing changes, without default ignorables.
fn case_folded(text: &str) -> String {
    let nfkc = ComposingNormalizer::new_nfkc();
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    // Before folding: a soft hyphen or joiner between two characters would keep them from composing.
    let visible: String = text.chars().filter(|c| !ignorable.contains(*c)).collect();
    let once = nfkc.normalize(&CaseMapper::new().fold_string(&visible)).into_owned();
    // Twice: normalising can bring forth capitals (`℻` becomes `FAX`), and folding can bring forth what
    // decomposes.
    nfkc.normalize(&CaseMapper::new().fold_string(&once)).into_owned()
}

fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let decomposed = DecomposingNormalizer::new_nfkd().normalize(&case_folded(text)).into_owned();
    let is_mark = |c: &char| {
        // Spacing marks stay: in scripts of India they are vowels, without which words would be others.
        matches!(category(*c), GeneralCategory::NonspacingMark | GeneralCategory::ModifierSymbol)
            && !c.is_ascii()
    };
    let digit = |c: char| digit_value(c).map_or(c, |value| char::from(b'0' + value));
    let folded: String = decomposed.chars().filter(|c| !is_mark(c)).map(digit).collect();
    ComposingNormalizer::new_nfc().normalize(&folded).into_owned()
}
