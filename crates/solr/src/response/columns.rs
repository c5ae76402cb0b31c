//! The columns of a table of documents: what `fl` asks for, in its order. Patterns stay patterns: which
//! fields they cover is known where the index is. For the formats that are tables (`csv.rs`) and have to know
//! their columns before the first document. In: the parsed `fl`; out: labels, and what is still to be found
//! out from the index.

use std::sync::Arc;

use plan::FieldSelection;

use crate::select::{FieldItem, FieldList};

/// What `fl` asks of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// In the order asked for, each once.
    pub labels: Vec<Arc<str>>,
    /// What patterns cover; nothing without patterns.
    pub patterns: FieldSelection,
}

impl Columns {
    pub fn of(list: &FieldList) -> Self {
        let mut columns = Self::default();
        list.items.iter().for_each(|item| columns.add(item));
        columns
    }

    fn add(&mut self, item: &FieldItem) {
        let label = match item {
            FieldItem::All => return self.patterns.all = true,
            FieldItem::Glob(pattern) => return self.patterns.globs.push(pattern.clone()),
            FieldItem::Children { .. } => return,
            FieldItem::Field { label, .. }
            | FieldItem::Score { label }
            | FieldItem::Constant { label, .. }
            | FieldItem::Function { label, .. }
            | FieldItem::Number { label }
            | FieldItem::Core { label }
            | FieldItem::Shard { label }
            | FieldItem::ByHand { label, .. }
            | FieldItem::Raw { label, .. }
            | FieldItem::Explain { label, .. }
            | FieldItem::Shape { label, .. } => label,
        };
        if !self.labels.contains(label) {
            self.labels.push(label.clone());
        }
    }
}
