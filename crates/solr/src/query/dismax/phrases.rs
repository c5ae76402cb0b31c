//! `pf`, `pf2`, `pf3`: the words of the query as phrases, which add to the score where they stand near each
//! other. In: the parts of the text as `split.rs` cut them; out: optional clauses beside the main query,
//! which find nothing that it does not. They are read by the same grammar, with leaves that keep only what
//! becomes several words.

use plan::{Clause, Occur, Result};

use super::field_list::{PhraseField, Weighted, put};
use super::fields::ManyFields;
use super::split::Part;
use crate::query::lucene::Grammar;
use crate::query::request::Request;

/// A clause for each number of words and each slop, in the order in which fields name them. Of `fields` only
/// what has to do with operators and scores counts.
pub(super) fn phrase_clauses(
    request: &Request<'_>,
    parts: &[Part],
    phrase_fields: &[PhraseField],
    fields: &ManyFields<'_>,
) -> Result<Vec<Clause>> {
    // What names a field or is a phrase already says for itself where it has to stand.
    let bare = |part: &&Part| part.field.is_none() && !part.quoted && !part.is_keyword();
    let words: Vec<&str> = parts.iter().filter(bare).map(|part| part.value.as_str()).collect();
    let mut clauses = Vec::new();
    for group in groups(phrase_fields) {
        let size = if group.words == 0 { words.len() } else { group.words };
        // Of too few words no shingle can be cut; `pf` itself takes all words there are.
        if words.len() < size {
            continue;
        }
        let leaves = ManyFields { fields: &group.fields, slop: group.slop, ..phrase_leaves(fields) };
        let all_required = fields.all_required;
        let grammar =
            Grammar { context: request.context, leaves: &leaves, all_required, split: fields.split };
        let query = grammar.query(&shingles(&words, size), request.depth)?;
        clauses.push(Clause { occur: Occur::Should, query });
    }
    Ok(clauses)
}

/// Stop words count in phrases, aliases do not.
fn phrase_leaves<'a>(fields: &ManyFields<'a>) -> ManyFields<'a> {
    ManyFields { aliases: &[], stop_words: true, phrases_only: true, nested: false, strict: false, ..*fields }
}

/// Fields that share a number of words and a slop. A field with several slops adds once for each.
struct Group {
    words: usize,
    slop: u32,
    fields: Vec<Weighted>,
}

fn groups(phrase_fields: &[PhraseField]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for PhraseField { field, words, slop } in phrase_fields {
        let known = groups.iter_mut().find(|group| (group.words, group.slop) == (*words, *slop));
        match known {
            Some(group) => put(&mut group.fields, field.clone()),
            None => groups.push(Group { words: *words, slop: *slop, fields: vec![field.clone()] }),
        }
    }
    groups
}

/// `"a b " "b c " ` of the words a, b, c; of no words the empty phrase.
fn shingles(words: &[&str], size: usize) -> String {
    if size == 0 {
        return "\"\"".to_owned();
    }
    words.windows(size).map(|words| format!("\"{} \" ", words.join(" "))).collect()
}
