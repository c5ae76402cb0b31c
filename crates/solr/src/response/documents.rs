//! Documents as the response shows them: a multi-valued field is always a list, any other its one value;
//! labels, scores and constants as `fl` asks. Values are moved out of the engine's result, not copied. In:
//! hits and documents as the shards gave them, `fl`, and the schema; out: document nodes, which every writer
//! of `response/` spells in its own notation. Which fields are read from an index was decided with the plan.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use plan::{ChildHit, Document, FieldClass, FieldSelection, Hit, Schema, SearchResult, Value, java_bucket};

use super::columns::Columns;
use super::explain;
use super::node::{DocList, DocumentNode, FieldNode, Node};
use super::shapes;
use crate::real_time_get::Fetched;
use crate::select::{FieldItem, FieldList, ShapeForm, ShardNames};
use crate::update::ANONYMOUS;

/// A document's selected fields. Order as Solr's: stored fields, then what is computed, then what is
/// relabelled.
pub fn document(found: Fetched, list: &FieldList, schema: &Schema) -> DocumentNode {
    Shape::of_fetched(list, schema).fetched(found)
}

/// Documents that were fetched, not searched for: what `/get` answers for several ids. `schemas` are those of
/// the collections that they are from.
pub fn found(documents: Vec<Fetched>, list: &FieldList, schemas: &[&Schema]) -> DocList {
    let mut shapes: Vec<_> = schemas.iter().map(|schema| Shape::of_fetched(list, schema)).collect();
    let shown = |found: Fetched| Some(shapes.get_mut(found.collection)?.fetched(found));
    DocList {
        num_found: documents.len() as u64,
        start: 0,
        max_score: None,
        num_found_exact: true,
        docs: documents.into_iter().filter_map(shown).collect(),
        columns: Box::new(Columns::of(list)),
    }
}

/// Hits without the facts of their query.
pub fn list(hits: Vec<Hit>, list: &FieldList, schema: &Schema) -> Vec<DocumentNode> {
    let mut shape = Shape::of_hits(list, schema, &hits);
    hits.into_iter().map(|hit| shape.hit(hit)).collect()
}

/// The page of a search.
pub fn doc_list(result: &mut SearchResult, start: usize, list: &FieldList, schema: &Schema) -> DocList {
    let hits = std::mem::take(&mut result.hits);
    let mut shape = Shape::of_hits(list, schema, &hits);
    DocList {
        num_found: result.total,
        start: start as u64,
        max_score: if list.scores() || !result.by_shard.is_empty() { result.score_max } else { None },
        num_found_exact: result.total_exact,
        docs: hits.into_iter().map(|hit| shape.hit(hit)).collect(),
        columns: Box::new(Columns::of(list)),
    }
}

/// How each document of a page is shown: worked out once for each field, not once for each document.
struct Shape<'a> {
    schema: &'a Schema,
    items: &'a [FieldItem],
    names: &'a [ShardNames],
    /// The fields shown under their own names.
    plain: FieldSelection,
    known: HashMap<Arc<str>, Shown<'a>>,
    /// How many names of fields Solr would have in a set, where it reads all from columns, one by one, in the
    /// order of that set.
    from_columns: Option<usize>,
}

/// Of a document what its shard or its core is called, if that is the item.
fn shard_name(item: &FieldItem, names: &[ShardNames], shard: u32) -> Option<Node> {
    let name =
        |of: fn(&ShardNames) -> &String| Some(Node::Str(of(names.get(shard as usize)?).clone().into()));
    match item {
        FieldItem::Shard { .. } => name(|names| &names.shard),
        FieldItem::Core { .. } => name(|names| &names.core),
        _ => None,
    }
}

#[derive(Clone)]
struct Shown<'a> {
    plain: bool,
    many: bool,
    /// Other labels, and the form if it is a shape that is shown.
    labels: Vec<(&'a Arc<str>, Option<ShapeForm>)>,
}

impl<'a> Shape<'a> {
    fn of_hits(list: &'a FieldList, schema: &'a Schema, hits: &[Hit]) -> Self {
        Self { from_columns: from_columns(list, schema, hits), ..Self::of_fetched(list, schema) }
    }

    /// Those that were not searched for come from the store.
    fn of_fetched(list: &'a FieldList, schema: &'a Schema) -> Self {
        let mut plain = list.selection();
        plain.names = list.items.iter().filter_map(same_label).cloned().collect();
        let (items, names) = (&list.items, &list.shards);
        Self { schema, items, names, plain, known: HashMap::new(), from_columns: None }
    }

    fn fetched(&mut self, found: Fetched) -> DocumentNode {
        let Fetched { document, children, collection: _, shard, values, place } = found;
        let names = self.names;
        let mut shown = self.document(document, |item| match item {
            FieldItem::Number { .. } => place.map(Node::count),
            FieldItem::Function { at, .. } => values.get(*at).cloned().flatten().map(Node::from),
            item => shard_name(item, names, shard),
        });
        self.add_children(children, &mut shown);
        shown
    }

    fn hit(&mut self, hit: Hit) -> DocumentNode {
        let Hit { id: _, document, shard, place, score, children, values, explanation } = hit;
        let names = self.names;
        let mut shown = self.document(document, |item| match item {
            FieldItem::Number { .. } => Some(Node::count(place)),
            FieldItem::Shard { .. } | FieldItem::Core { .. } => shard_name(item, names, shard),
            FieldItem::Score { .. } => score.map(Node::Float),
            FieldItem::Function { at, .. } => values.get(*at).cloned().flatten().map(Node::from),
            FieldItem::Explain { style, .. } => {
                explanation.as_ref().map(|found| explain::styled(found, *style))
            }
            _ => None,
        });
        self.add_children(children, &mut shown);
        shown
    }

    /// Documents below another are fields of it, of which those are shown that are asked for, at every level.
    fn add_children(&mut self, children: Vec<ChildHit>, above: &mut DocumentNode) {
        for ChildHit { name, listed, document, children } in children {
            let name = name.unwrap_or_else(|| Arc::from(ANONYMOUS));
            if *name != *ANONYMOUS && !self.shown(&name).plain {
                continue;
            }
            let mut shown = self.document(document, |item| match item {
                FieldItem::Score { .. } => Some(Node::Float(0.0)),
                _ => None,
            });
            self.add_children(children, &mut shown);
            let node = Node::Document(shown);
            match above.fields.iter_mut().find(|(known, _)| *known == name) {
                Some((_, FieldNode::Computed(Node::Array(documents)))) => documents.push(node),
                Some((_, present)) => *present = FieldNode::Computed(node),
                None => {
                    let node = if listed { Node::Array(vec![node]) } else { node };
                    above.fields.push((name, FieldNode::Computed(node)));
                }
            }
        }
    }

    /// `compute` gives what belongs to the hit rather than to its document.
    fn document(&mut self, document: Document, compute: impl Fn(&FieldItem) -> Option<Node>) -> DocumentNode {
        let mut fields = Vec::with_capacity(document.fields.len() + 1);
        let mut relabelled = Vec::new();
        let raw = self.raw(&document);
        for (name, values) in document.fields {
            let shown = self.shown(&name);
            for (label, form) in &shown.labels {
                let node = match form {
                    Some(form) => FieldNode::Computed(shapes::shown(&values, shown.many, *form)),
                    None => field(values.clone(), shown.many),
                };
                relabelled.push((Arc::clone(label), node));
            }
            if shown.plain {
                let node = field(values, shown.many);
                fields.push((name, node));
            }
        }
        if let Some(names) = self.from_columns {
            let items = self.items;
            let by_pattern = items.iter().any(|item| matches!(item, FieldItem::Glob(_)));
            // Within a bucket as they were asked for; those that a pattern finds are as the index has them.
            let asked =
                |wanted: &str| items.iter().position(|item| is_field(item, wanted)).filter(|_| !by_pattern);
            fields.sort_by(|(one, _), (other, _)| {
                let by_bucket = java_bucket(one, names).cmp(&java_bucket(other, names));
                by_bucket.then_with(|| asked(one).cmp(&asked(other)))
            });
        }
        for item in self.items {
            let (label, node) = match item {
                FieldItem::Constant { label, value } => (label, Some(Node::from(value.clone()))),
                FieldItem::Score { label }
                | FieldItem::Function { label, .. }
                | FieldItem::Number { label }
                | FieldItem::Core { label }
                | FieldItem::Shard { label }
                | FieldItem::Explain { label, .. } => (label, compute(item)),
                FieldItem::Children { .. } | FieldItem::ByHand { .. } | FieldItem::Raw { .. } => continue,
                FieldItem::All | FieldItem::Glob(_) | FieldItem::Field { .. } | FieldItem::Shape { .. } => {
                    continue;
                }
            };
            let Some(node) = node else { continue };
            fields.retain(|(known, _)| known != label);
            fields.push((label.clone(), FieldNode::Computed(node)));
        }
        for (label, node) in raw {
            fields.retain(|(known, _)| *known != label);
            fields.push((label, node));
        }
        fields.extend(relabelled);
        DocumentNode { fields }
    }

    /// The fields that are shown in the answer's own notation.
    fn raw(&self, document: &Document) -> Vec<(Arc<str>, FieldNode)> {
        let wanted = self.items.iter().filter_map(|item| match item {
            FieldItem::Raw { name, label } => Some((label, document.get(name)?)),
            _ => None,
        });
        let shown = wanted.map(|(label, values)| {
            let mut texts: Vec<_> = values.iter().map(|value| Node::Raw(value.to_text())).collect();
            let many = texts.len() != 1;
            let node = if many { Node::Array(texts) } else { texts.pop().unwrap_or(Node::Null) };
            (label.clone(), FieldNode::Computed(node))
        });
        shown.collect()
    }

    fn shown(&mut self, name: &Arc<str>) -> &Shown<'a> {
        let (plain, items, schema) = (&self.plain, self.items, self.schema);
        self.known.entry(name.clone()).or_insert_with(|| {
            let labels: Vec<_> = items.iter().filter_map(|item| other_label(item, name)).collect();
            // What has another label shows under its own name only where that is asked for.
            let by_name = plain.names.contains(name);
            Shown {
                plain: by_name || (labels.is_empty() && plain.contains(name)),
                many: schema.field(name).is_some_and(|spec| {
                    spec.properties.multi_valued || spec.class() == FieldClass::DenseVector
                }),
                labels,
            }
        })
    }
}

/// The number of fields asked for, where every one has a column with one value a document. For a name that
/// the
/// schema does not know Solr looks into the stored fields, and so shows all of them in the document's order;
/// but beside a pattern names are looked for among the fields of the index, and one that is none of them is
/// nothing.
///
/// Solr differs: it knows of fields that no document of the page has (`compat/select/field_order.yaml`).
fn from_columns(list: &FieldList, schema: &Schema, hits: &[Hit]) -> Option<usize> {
    let has = |wanted: fn(&FieldItem) -> bool| list.items.iter().any(wanted);
    if has(|item| matches!(item, FieldItem::All | FieldItem::Raw { .. })) {
        return None;
    }
    let names: HashSet<&str> = if has(|item| matches!(item, FieldItem::Glob(_))) {
        hits.iter().flat_map(|hit| &hit.document.fields).map(|(name, _)| &**name).collect()
    } else {
        let named = list.items.iter().filter_map(|item| match item {
            FieldItem::Field { name, .. } | FieldItem::Shape { field: name, .. } => Some(&**name),
            _ => None,
        });
        named.collect()
    };
    let in_column = |name: &&str| {
        schema.field(name).is_some_and(|spec| {
            let properties = &spec.properties;
            let has_one = properties.doc_values && !properties.multi_valued && !spec.class().is_place();
            // What is not stored is no reason to look into the stored fields.
            has_one || !properties.stored
        })
    };
    names.iter().all(in_column).then_some(names.len())
}

fn is_field(item: &FieldItem, wanted: &str) -> bool {
    matches!(item, FieldItem::Field { name, .. } if **name == *wanted)
}

fn same_label(item: &FieldItem) -> Option<&Arc<str>> {
    match item {
        FieldItem::Field { name, label } if name == label => Some(name),
        // The name before `[child]` counts as one that is asked for.
        FieldItem::Children { label, .. } => label.as_ref(),
        _ => None,
    }
}

fn other_label<'a>(item: &'a FieldItem, name: &str) -> Option<(&'a Arc<str>, Option<ShapeForm>)> {
    match item {
        FieldItem::Field { name: own, label } if **own == *name && own != label => Some((label, None)),
        FieldItem::Shape { field, label, form } if **field == *name => Some((label, Some(*form))),
        _ => None,
    }
}

fn field(mut values: Vec<Value>, many: bool) -> FieldNode {
    if many || values.len() != 1 {
        return FieldNode::Many(values);
    }
    values.pop().map_or_else(|| FieldNode::Many(vec![]), FieldNode::One)
}

#[cfg(test)]
mod tests {
    use plan::{FieldSource, SchemaSource, TypeSource};

    use super::*;
    use crate::Params;
    use crate::date_math::DateMath;
    use crate::query::tests::Fixture;
    use crate::response::{Format, JsonStyle};

    fn schema() -> Schema {
        let kind =
            TypeSource { name: "string".into(), class: "solr.StrField".into(), ..TypeSource::default() };
        let many = vec![("multiValued".to_owned(), "true".to_owned())];
        let field = |name: &str, attributes| FieldSource {
            name: name.into(),
            type_name: "string".into(),
            attributes,
        };
        let (fields, dynamic_fields) =
            (vec![field("id", vec![])], vec![field("*_s", vec![]), field("*_ss", many)]);
        let source = SchemaSource {
            version: 1.7,
            types: vec![kind],
            fields,
            dynamic_fields,
            ..SchemaSource::default()
        };
        Schema::build(source).unwrap()
    }

    fn hit() -> Hit {
        let value = |text: &str| vec![Value::Str(text.into())];
        let fields = vec![("id".into(), value("1")), ("a_s".into(), value("x")), ("b_ss".into(), value("y"))];
        let document = Document { fields };
        Hit {
            shard: 0,
            id: "1".into(),
            document,
            place: 7,
            score: Some(0.5),
            children: vec![],
            values: vec![],
            explanation: None,
        }
    }

    /// Orders recorded from Solr 9.10.1.
    #[test]
    fn fields_are_shown_as_asked() {
        let schema = schema();
        let check = |fl: &str, expected: &str| {
            let params = Params::new(vec![("fl".into(), fl.into())]);
            let (fixture, dates) = (Fixture::new(), DateMath::new(0));
            let list = FieldList::parse(&params, &fixture.context(&params, &dates)).unwrap();
            let mut result = SearchResult { hits: vec![hit()], ..SearchResult::default() };
            let docs = doc_list(&mut result, 0, &list, &schema).docs;
            let mut out = Vec::new();
            let entries = docs.into_iter().map(|doc| ("d".into(), Node::Document(doc))).collect();
            Format::Json(JsonStyle::default()).write(&entries, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), format!("{{\"d\":{{{expected}}}}}"), "{fl}");
        };
        check("*", "\"id\":\"1\",\"a_s\":\"x\",\"b_ss\":[\"y\"]");
        check("score", "\"score\":0.5");
        check("*,score", "\"id\":\"1\",\"a_s\":\"x\",\"b_ss\":[\"y\"],\"score\":0.5");
        check("a*,b_s?", "\"a_s\":\"x\",\"b_ss\":[\"y\"]");
        check("n:id,b_ss,c:[value v=5],score", "\"b_ss\":[\"y\"],\"c\":\"5\",\"score\":0.5,\"n\":\"1\"");
        check("id,[docid]", "\"id\":\"1\",\"[docid]\":7");
        check("id,a_s", "\"a_s\":\"x\",\"id\":\"1\"");
        check("*,n:id", "\"a_s\":\"x\",\"b_ss\":[\"y\"],\"n\":\"1\"");
        check("n:id,id", "\"id\":\"1\",\"n\":\"1\"");
        check("nope", "");
    }
}
