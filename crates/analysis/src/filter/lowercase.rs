//! Case: `lowercase`, `uppercase`, and the lower cases of Turkish, Greek and Irish, whose letters need more
//! than the simple mapping. Those three are with their languages (`normalize.rs`); here each character is
//! mapped by itself, as Java's `Character` does, so no word changes its number of characters.

use crate::chars::{lower_in_place, to_upper};
use crate::definition::FilterDefinition;
use crate::filter::shape::{Plain, Rewriting};
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&LOWERCASE, &UPPERCASE];

static LOWERCASE: FilterDefinition = FilterDefinition::new(
    "lowercase",
    "core.LowerCaseFilterFactory",
    &[],
    "Puts letters into lower case, one by one.",
    |_| Ok(Box::new(Rewriting(Plain(|token: &mut Token| lower_in_place(&mut token.text))))),
)
.normalizing();

static UPPERCASE: FilterDefinition = FilterDefinition::new(
    "uppercase",
    "core.UpperCaseFilterFactory",
    &[],
    "Puts letters into upper case, one by one.",
    |_| Ok(Box::new(Rewriting(Plain(uppercase)))),
)
.normalizing();

fn uppercase(token: &mut Token) {
    if token.text.is_ascii() {
        token.text.make_ascii_uppercase();
    } else {
        token.text = token.text.chars().map(to_upper).collect();
    }
}
