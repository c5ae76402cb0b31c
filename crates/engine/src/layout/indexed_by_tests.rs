//! Which edits of a schema mean that documents are indexed otherwise than before.

use std::sync::Arc;

use plan::{ComponentSpec, CopyField, FieldSource, Schema, SchemaSource, TypeSource};

use super::*;
use crate::testing::source;

fn layout(edit: impl FnOnce(&mut SchemaSource)) -> Arc<Schema> {
    let mut edited = source();
    edit(&mut edited);
    Arc::new(Schema::build(edited).unwrap())
}

fn text_type(source: &mut SchemaSource) -> &mut TypeSource {
    source.types.iter_mut().find(|it| it.name == "text").unwrap()
}

#[test]
fn what_changes_terms_or_columns_is_told_from_what_only_adds() {
    let before = layout(|_| {});
    let layout_before = Layout::new(&before).grown(&["a_t".into(), "name_s".into()], &before).unwrap();
    let known = layout_before.indexed_by();
    let check = |alike: bool, edit: fn(&mut SchemaSource)| {
        let after = layout_before.rebound(&layout(edit));
        assert_eq!(after.indexes_alike(known), alike, "{:?}", after.schema.source);
    };
    check(true, |_| {});
    check(true, |it| it.name = "other".into());
    check(true, |it| {
        it.fields.push(FieldSource {
            name: "year".into(),
            type_name: "pint".into(),
            ..FieldSource::default()
        });
    });
    check(true, |it| text_type(it).query_analyzer = text_type(it).analyzer.clone());
    check(false, |it| {
        let stemmer = ComponentSpec { name: "porterStem".into(), ..ComponentSpec::default() };
        text_type(it).analyzer.iter_mut().for_each(|analyzer| analyzer.filters.push(stemmer.clone()));
    });
    check(false, |it| {
        it.resources.insert("stopwords.txt".into(), "the".into());
    });
    check(false, |it| {
        it.copy_fields.push(CopyField { source: "name_s".into(), dest: "b_s".into(), max_chars: 0 });
    });
    check(false, |it| it.copy_fields[1].max_chars = 4);
    check(false, |it| {
        let field = it.fields.iter_mut().find(|it| it.name == "copied").unwrap();
        field.attributes = vec![("stored".into(), "false".into())];
    });
    // A name that has another slot now.
    check(false, |it| {
        it.dynamic_fields.iter_mut().find(|it| it.name == "*_t").unwrap().type_name = "string".into();
    });
}

#[test]
fn slots_that_come_leave_those_before_alike() {
    let schema = layout(|_| {});
    let first = Layout::new(&schema);
    let grown = first.grown(&["b_t".into()], &schema).unwrap();
    assert!(grown.indexes_alike(first.indexed_by()) && grown.indexes_alike(grown.indexed_by()));
    assert!(!first.indexes_alike(grown.indexed_by()), "it does not know all of these fields");
    assert_ne!(first.indexed_by(), grown.indexed_by());
}
