//! `/get`: documents by id, as last updated, whether a commit made them visible or not. One `id` answers with `doc`, more
//! of them, or `ids`, with a list.

use plan::{Document, Error, FieldSelection, Result, Schema};

use crate::params::Params;
use crate::response::{self, Entries, Node};
use crate::select::FieldList;

/// What to fetch, and how to show it.
#[derive(Clone, Debug)]
pub struct GetRequest {
    pub ids: Vec<String>,
    fields: FieldList,
    single: bool,
}

impl GetRequest {
    /// `id` may repeat, `ids` holds several between commas. `fq` would hide documents, so it is refused while it is not
    /// heeded.
    pub fn parse(params: &Params) -> Result<Self> {
        if params.get("fq").is_some() {
            return Err(Error::bad_request(
                "parameter `fq` is not supported by /get yet; leave it out or use /select",
            ));
        }
        let listed = params.all("ids").flat_map(|list| list.split(',')).map(str::trim);
        let listed = listed.filter(|id| !id.is_empty());
        let ids: Vec<String> = params.all("id").chain(listed).map(str::to_owned).collect();
        let single = ids.len() == 1 && params.get("ids").is_none();
        Ok(Self { ids, fields: FieldList::parse(params)?, single })
    }

    /// What the engine has to load.
    pub fn selection(&self) -> FieldSelection {
        self.fields.selection()
    }

    /// The body of the answer. Ids that are not there are left out of a list, and `null` alone.
    pub fn respond(&self, found: Vec<Option<Document>>, schema: &Schema) -> Entries {
        if self.ids.is_empty() {
            return vec![];
        }
        let mut found = found.into_iter().flatten();
        if self.single {
            let document = found.next();
            let node = document.map(|found| Node::Document(response::document(found, &self.fields, schema)));
            return vec![("doc".into(), node.unwrap_or(Node::Null))];
        }
        let list = response::found(found.collect(), &self.fields, schema);
        vec![("response".into(), Node::DocList(list))]
    }
}

#[cfg(test)]
mod tests {
    use plan::{SchemaSource, Value};

    use super::*;
    use crate::response::{Format, JsonStyle};

    /// Bytes recorded from Solr 9.10.1.
    #[test]
    fn one_id_answers_otherwise_than_several() {
        let schema = Schema::build(SchemaSource::default()).unwrap();
        let document = || Document { fields: vec![("id".into(), vec![Value::Str("2".into())])] };
        let check = |pairs: &[(&str, &str)], found: Vec<Option<Document>>, expected: &str| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let request = GetRequest::parse(&Params::new(pairs.collect())).unwrap();
            let mut out = Vec::new();
            Format::Json(JsonStyle::default()).write(&request.respond(found, &schema), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        };
        let list =
            "{\"response\":{\"numFound\":1,\"start\":0,\"numFoundExact\":true,\"docs\":[{\"id\":\"2\"}]}}";
        check(&[("id", "2")], vec![Some(document())], "{\"doc\":{\"id\":\"2\"}}");
        check(&[("id", "9")], vec![None], "{\"doc\":null}");
        check(&[("id", "")], vec![None], "{\"doc\":null}");
        check(&[("id", "2"), ("id", "9")], vec![Some(document()), None], list);
        check(&[("ids", "9,2")], vec![None, Some(document())], list);
        check(&[("ids", "2")], vec![Some(document())], list);
        check(&[], vec![], "{}");
        assert!(GetRequest::parse(&Params::new(vec![("fq".into(), "a:b".into())])).is_err());
    }
}
