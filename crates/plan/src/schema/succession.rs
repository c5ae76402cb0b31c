//! What a version of a schema makes of the version before: whether it only adds, so that plans go on
//! (`lineage.rs`). In: two schemas as resolved; out: the later one with its version and lineage. Anything
//! that could change what an older plan means ends the lineage: it is refused by shards and the request runs
//! again (ADR 16).

use super::lineage::SchemaLineage;
use super::{Schema, SchemaSource};

impl Schema {
    /// As the version of a collection's schema of which nobody has seen an earlier one.
    #[must_use]
    pub fn at_version(mut self, version: u64) -> Self {
        self.lineage = SchemaLineage { version, since: version };
        self
    }

    /// As the version that follows `before`: plans that were resolved against that one go on where this only
    /// adds to it.
    #[must_use]
    pub fn succeeding(mut self, before: &Schema, version: u64) -> Self {
        let same = version == before.lineage.version && self.source == before.source;
        // Of a version that was skipped nobody here knows what it said.
        let adds = version == before.lineage.version + 1 && self.only_adds_to(before);
        let since = if same || adds { before.lineage.since } else { version };
        self.lineage = SchemaLineage { version, since };
        self
    }

    /// Whether every name, and every text of every field, means under this schema what it meant under
    /// `before`, if it meant anything. Additions stand behind what was there, as edits put them; any other
    /// order is taken for a change.
    fn only_adds_to(&self, before: &Schema) -> bool {
        let SchemaSource {
            name: _,
            version,
            unique_key,
            types,
            fields,
            dynamic_fields,
            copy_fields,
            similarity,
            resources,
        } = &self.source;
        let known = &before.source;
        let kept = *version == known.version
            && *unique_key == known.unique_key
            && *similarity == known.similarity
            && types.starts_with(&known.types)
            && fields.starts_with(&known.fields)
            // A new pattern may come before an old one for a name that both cover; types of boxes bring
            // patterns with them.
            && *dynamic_fields == known.dynamic_fields
            && self.dynamic.len() == before.dynamic.len()
            // The shard copies, by its own schema: what was resolved before says nothing of copies.
            && copy_fields.starts_with(&known.copy_fields)
            && known.resources.iter().all(|(name, text)| resources.get(name) == Some(text));
        // A name that fell under a pattern, and is declared now, may be of another type.
        let added = fields.get(known.fields.len()..).unwrap_or_default();
        kept && added.iter().all(|field| before.field(&field.name).is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::schema::CopyField;
    use crate::schema::field::{FieldSource, TypeSource};

    fn field(name: &str, type_name: &str) -> FieldSource {
        FieldSource { name: name.into(), type_name: type_name.into(), attributes: vec![] }
    }

    fn source() -> SchemaSource {
        let kind = |name: &str, class: &str| TypeSource {
            name: name.into(),
            class: class.into(),
            ..TypeSource::default()
        };
        SchemaSource {
            version: 1.7,
            unique_key: Some("id".into()),
            types: vec![kind("string", "solr.StrField"), kind("text", "solr.TextField")],
            fields: vec![field("id", "string"), field("title", "text")],
            dynamic_fields: vec![field("*_s", "string")],
            resources: [("stopwords.txt".to_owned(), "the".into())].into_iter().collect(),
            ..SchemaSource::default()
        }
    }

    /// The lineage of version 8, made of version 7, which only added to 5.
    fn after(edit: impl FnOnce(&mut SchemaSource)) -> SchemaLineage {
        let mut before = Schema::build(source()).unwrap();
        before.lineage = SchemaLineage { version: 7, since: 5 };
        let mut edited = source();
        edit(&mut edited);
        Schema::build(edited).unwrap().succeeding(&before, 8).lineage
    }

    #[test]
    fn additions_go_on_and_changes_begin_anew() {
        let check = |adds: bool, edit: fn(&mut SchemaSource)| {
            let since = if adds { 5 } else { 8 };
            assert_eq!(after(edit), SchemaLineage { version: 8, since });
        };
        check(true, |_| {});
        check(true, |it| it.name = "other".into());
        check(true, |it| it.fields.push(field("year", "string")));
        check(true, |it| it.types.push(TypeSource { name: "t".into(), ..it.types[0].clone() }));
        check(true, |it| {
            it.resources.insert("more.txt".into(), "a".into());
        });
        check(true, |it| {
            let (source, dest) = ("title".into(), "a_s".into());
            it.copy_fields.push(CopyField { source, dest, max_chars: 0 });
        });
        check(false, |it| it.fields.push(field("kind_s", "text")));
        check(false, |it| it.fields[1].type_name = "string".into());
        check(false, |it| {
            it.fields.pop();
        });
        check(false, |it| it.fields.insert(0, field("year", "string")));
        check(false, |it| it.types[1].class = "solr.StrField".into());
        check(false, |it| it.dynamic_fields.push(field("*_long_s", "text")));
        check(false, |it| {
            let boxes = [("numberType", "string"), ("storeSubFields", "false")];
            let attributes = boxes.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
            it.types.push(TypeSource {
                name: "b".into(),
                class: "solr.BBoxField".into(),
                attributes,
                ..TypeSource::default()
            });
        });
        check(false, |it| {
            it.resources.insert("stopwords.txt".into(), "a".into());
        });
        check(false, |it| it.unique_key = None);
        check(false, |it| it.version = 1.6);
    }

    #[test]
    fn a_version_that_is_taken_up_again_is_the_same_only_with_the_same_source() {
        let before = Schema::build(source()).unwrap().at_version(7);
        let again = Schema::build(source()).unwrap().succeeding(&before, 7);
        assert_eq!(again.lineage, before.lineage);
        let mut edited = source();
        edited.fields.pop();
        let back = Schema::build(edited).unwrap().succeeding(&before, 6);
        assert_eq!(back.lineage, SchemaLineage { version: 6, since: 6 });
        let skipped = Schema::build(source()).unwrap().succeeding(&before, 9);
        assert_eq!(skipped.lineage, SchemaLineage { version: 9, since: 9 });
    }

    #[test]
    fn what_was_resolved_too_early_or_too_late_is_refused() {
        let lineage = SchemaLineage { version: 7, since: 5 };
        let check = |resolved: Option<u64>, admitted: bool| {
            let result = lineage.check(resolved).map_err(|error| error.kind);
            let expected = if admitted { Ok(()) } else { Err(ErrorKind::SchemaChanged) };
            assert_eq!(result, expected, "{resolved:?}");
        };
        check(None, true);
        check(Some(4), false);
        check(Some(5), true);
        check(Some(7), true);
        check(Some(8), false);
    }
}
