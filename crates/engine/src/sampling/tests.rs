//! A segment of which one document was indexed otherwise than it is stored, in each way there is: the very
//! field is named.

use plan::{Document, Value};

use super::*;
use crate::indexing::builder::Builder;
use crate::indexing::index_document::Leaf;
use crate::indexing::prepare::Preparer;
use crate::indexing::prepare::prepared::Prepared;
use crate::indexing::term_table::FieldTerm;
use crate::layout::analyzers::Analyzers;
use crate::segment::alive::Dead;
use crate::segment::id_filter;
use crate::testing::{document, schema, text};

/// Changes what goes into the index, by the names that fields have in the layout.
type Tamper = fn(&mut Prepared, &Preparer, &Layout);

const DOCUMENTS: u32 = 20;
/// Which of them is indexed otherwise.
const WRONG: u32 = 13;

fn film(number: u32) -> Document {
    let number = number as i32;
    document(&[
        ("id", vec![text(&format!("{number:02}"))]),
        ("title_t", vec![text("red roses red"), text(&format!("of {}", number % 3))]),
        ("name_s", vec![text(&format!("name {}", number % 4))]),
        ("tags_ss", vec![text("a"), text("b")]),
        ("year_i", vec![Value::Int(1900 + number)]),
        ("years_is", vec![Value::Int(number), Value::Int(7)]),
        ("real_d", vec![Value::Double(f64::from(number))]),
        ("is_b", vec![Value::Bool(true)]),
        ("words_dpf", vec![text("a|1.5 b")]),
    ])
}

fn snapshot(tamper: Tamper) -> Snapshot {
    let schema = Arc::new(schema());
    let names = film(0).fields.into_iter().map(|(name, _)| name);
    let mut names: Vec<Arc<str>> = names.collect();
    names.push("other_s".into());
    let layout = Arc::new(Layout::new(&schema).grown(&names, &schema).unwrap());
    let mut preparer = Preparer::new(layout.clone(), schema, Arc::new(Analyzers::of(&layout)));
    let mut builder = Builder::new(layout.clone()).unwrap();
    for number in 0..DOCUMENTS {
        let document = film(number);
        let id = document.first("id").unwrap().to_text();
        let mut prepared = preparer.prepare(&id, &document).unwrap();
        if number == WRONG {
            tamper(&mut prepared, &preparer, &layout);
        }
        prepared.document.set_version(i64::from(number) + 1);
        builder.add(&prepared, id_filter::hash(&id)).unwrap();
    }
    builder.end_group(&preparer);
    let segment = builder.seal().unwrap().unwrap();
    Snapshot::build(None, layout, &[(segment, Dead::default())]).unwrap()
}

fn sampled(tamper: Tamper) -> IndexSample {
    let snapshot = snapshot(tamper);
    sample(&snapshot, &snapshot.segments()[0], DOCUMENTS, 0)
}

/// The token of this field that is this word for the first time.
fn token(prepared: &Prepared, preparer: &Preparer, field: &FieldLayout, word: &str) -> usize {
    let is_it = |it: FieldTerm<'_>| Some(it.field) == field.inverted && it.bytes == word.as_bytes();
    let at = prepared.tokens.iter().position(|token| preparer.terms().term(token.term).is_some_and(is_it));
    at.unwrap()
}

fn leaf<'p>(prepared: &'p mut Prepared, layout: &Layout, name: &str) -> &'p mut Leaf {
    let column = layout.field(name).unwrap().column.as_ref().unwrap().field;
    prepared.document.leaves.iter_mut().find(|(field, _)| *field == column).map(|(_, leaf)| leaf).unwrap()
}

#[test]
fn an_index_as_it_should_be_is_not_called_wrong() {
    let found = sampled(|_, _, _| {});
    assert_eq!((found.differences, found.documents, found.unknown_segments), (vec![], 20, 0));
    assert!(found.terms > 5, "{}", found.terms);
}

#[test]
fn what_is_indexed_otherwise_is_named_with_its_field() {
    let check = |field: &str, why: &str, tamper: Tamper| {
        let found = sampled(tamper).differences;
        let told = found.iter().find(|it| it.document == "13").unwrap_or_else(|| panic!("{why}: not found"));
        assert!(told.field == field && told.why.contains(why), "{field}, {why}: {told}");
        assert!(found.iter().all(|it| it.document == "13"), "{found:?}");
    };
    check("title_t", "its term `roses` stands at [1], and at [9]", |it, preparer, layout| {
        let at = token(it, preparer, layout.field("title_t").unwrap(), "roses");
        it.tokens[at].position = 9;
    });
    check("title_t", "the postings of its term `roses` lack it", |it, preparer, layout| {
        let at = token(it, preparer, layout.field("title_t").unwrap(), "roses");
        it.tokens =
            it.tokens.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, it)| *it).collect();
    });
    check("title_t", "its term `red` is there 2 times, and 1 times", |it, preparer, layout| {
        let at = token(it, preparer, layout.field("title_t").unwrap(), "red");
        it.tokens =
            it.tokens.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, it)| *it).collect();
    });
    check("title_t", "it has 5 tokens, and about 3 in the index", |it, _, layout| {
        let title = layout.field("title_t").unwrap().inverted;
        it.lengths.iter_mut().filter(|(field, _)| Some(*field) == title).for_each(|(_, length)| *length = 3);
    });
    // Known only as far as fields are copied there.
    check("everything", "the postings of its term `roses` lack it", |it, preparer, layout| {
        let at = token(it, preparer, layout.field("everything").unwrap(), "roses");
        it.tokens =
            it.tokens.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, it)| *it).collect();
    });
    check("year_i", "it has 1913, and 1914 in its column", |it, _, layout| {
        *leaf(it, layout, "year_i") = Leaf::I64(1914);
    });
    check("years_is", "it has 7, 13, and 7, 13, 13 in its column", |it, _, layout| {
        let column = layout.field("years_is").unwrap().column.as_ref().unwrap().field;
        it.document.leaves.push((column, Leaf::I64(13)));
    });
    check("real_d", "it has 13, and -0 in its column", |it, _, layout| {
        *leaf(it, layout, "real_d") = Leaf::F64(-0.0);
    });
    check("is_b", "it has true, and false in its column", |it, _, layout| {
        *leaf(it, layout, "is_b") = Leaf::Bool(false);
    });
    check("tags_ss", "it has `a`, `b`, and `b` in its column", |it, _, layout| {
        let column = layout.field("tags_ss").unwrap().column.as_ref().unwrap().field;
        let at = it.document.leaves.iter().position(|(field, _)| *field == column).unwrap();
        it.document.leaves.remove(at);
    });
    check("words_dpf", "in its column", |it, _, layout| {
        let column = layout.field("words_dpf").unwrap().payloads.as_ref().unwrap().field;
        it.document.leaves.retain(|(field, _)| *field != column);
    });
    check("other_s", "it has no value, and `name 1` in its column", |it, _, layout| {
        let column = layout.field("other_s").unwrap().column.as_ref().unwrap().field;
        let name = leaf(it, layout, "name_s").clone();
        it.document.leaves.push((column, name));
    });
    check("", "the postings of its term `13` lack it", |it, preparer, _| {
        let is_id = |token: u32| preparer.terms().term(token).is_some_and(|it| it.field == ID_FIELD);
        it.tokens = it.tokens.iter().filter(|token| !is_id(token.term)).copied().collect();
    });
}

/// Which no document says: found from the side of the terms.
#[test]
fn a_term_that_names_a_document_without_it_is_found() {
    let snapshot = snapshot(|it, preparer, layout| {
        // The tag of another term, in the field of names.
        let tag = token(it, preparer, layout.field("name_s").unwrap(), "name 1");
        let other = (0..preparer.terms().len() as u32).find(|number| {
            preparer.terms().term(*number).is_some_and(|term| {
                Some(term.field) == layout.field("name_s").unwrap().inverted && term.bytes == b"name 0"
            })
        });
        let mut tokens = it.tokens.to_vec();
        let extra = crate::indexing::tokens::Token { term: other.unwrap(), ..tokens[tag] };
        tokens.insert(tag + 1, crate::indexing::tokens::Token { position: extra.position + 1, ..extra });
        it.tokens = tokens.into();
    });
    let found = sample(&snapshot, &snapshot.segments()[0], 2_000, 0);
    let why = "the postings of `name 0` name it, and it does not have that";
    assert!(!found.differences.is_empty());
    for told in found.differences {
        assert_eq!((&*told.field, &*told.document, &*told.why), ("name_s", "13", why));
    }
}
