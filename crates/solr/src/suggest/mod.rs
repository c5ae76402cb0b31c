//! Suggestions: parameters become a plan for each suggester asked, with the text analysed as its entries
//! were; what they find becomes the response. The handler builds suggesters and asks them in between.

mod contexts;
mod highlight;
mod request;

pub use request::{ResolvedSuggest, SuggestRequest};
