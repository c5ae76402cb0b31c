//! Which group each document belongs to. Groups are numbered as they are met, the same in every segment:
//! numbers of a field by themselves, strings by their place among those of the snapshot, values of functions
//! by what they show.

use std::collections::HashMap;

use plan::{Error, FieldClass, GroupBy, Result, Value};
use tantivy::columnar::{Column, ColumnIndex, MonotonicallyMappableToU64, StrColumn};
use tantivy::schema::Field;
use tantivy::{DocId, Term};

use crate::layout::{ColumnKind, ColumnRef, InvertedKind};
use crate::search::collect::column_number;
use crate::search::context::{SearchContext, SearchSegment};
use crate::search::facet::Strings;
use crate::search::function::{DOC_BATCH, FunctionReader, LoweredFunction, SingleValues as _, lower};
use crate::segment::columns::AnyColumn;
use crate::segment::columns::{integer_value, real_value};

/// The groups met so far.
pub(in crate::search) struct Groups {
    by: By,
    met: Met,
}

enum By {
    /// With the field of its terms, where each value is one.
    Strings(Strings, Option<Field>),
    Column {
        column: ColumnRef,
        class: FieldClass,
    },
    Function(LoweredFunction),
    /// All in one.
    Nothing,
}

impl By {
    fn open(context: &SearchContext<'_>, by: &GroupBy) -> Result<Self> {
        Ok(match by {
            GroupBy::Query(_) => By::Nothing,
            GroupBy::Function(function) => By::Function(lower(context, function)?),
            GroupBy::Field(name) => Self::of_field(context, name)?,
        })
    }

    fn of_field(context: &SearchContext<'_>, name: &str) -> Result<Self> {
        let Some(layout) = context.layout.field(name) else { return Ok(By::Nothing) };
        let column = layout.single().ok_or_else(|| {
            Error::bad_request(format!("cannot group by `{name}`: it has no column; give it docValues"))
        })?;
        Ok(match column.kind {
            ColumnKind::Str => {
                let is_term = matches!(layout.inverted_kind, Some(InvertedKind::Term { .. }));
                By::Strings(Strings::open(context, &column)?, layout.inverted.filter(|_| is_term))
            }
            _ => By::Column { class: layout.class(), column },
        })
    }
}

impl Groups {
    /// A query makes one group of the documents it is asked for.
    pub(in crate::search) fn open(context: &SearchContext<'_>, by: &GroupBy) -> Result<Self> {
        let by = By::open(context, by)?;
        let cardinality = if let By::Strings(strings, _) = &by { Some(strings.cardinality()) } else { None };
        Ok(Self { by, met: Met::new(cardinality) })
    }

    /// For a page of documents: without room for all texts that there are, four bytes each.
    pub(super) fn of_few(context: &SearchContext<'_>, by: &GroupBy) -> Result<Self> {
        Ok(Self { by: By::open(context, by)?, met: Met::new(None) })
    }

    /// The documents of a segment by group.
    pub(in crate::search) fn segment<'g>(
        &'g mut self,
        segment: &SearchSegment<'_>,
    ) -> Result<SegmentGroups<'g>> {
        let column = match &self.by {
            By::Nothing => Numbers::Nothing,
            By::Function(function) => {
                Numbers::Function(Box::new(FunctionReader::open(function, segment.reader)?))
            }
            By::Strings(strings, _) => match strings.column(segment.number) {
                Some(column) => Numbers::Str(column, Box::new(strings.common(segment.number))),
                None => Numbers::Nothing,
            },
            By::Column { column, .. } => match segment.view.column(column)? {
                Some(AnyColumn::I64(column)) => Numbers::I64(column),
                Some(AnyColumn::F64(column)) => Numbers::F64(column),
                Some(AnyColumn::Bool(column)) => Numbers::Bool(column),
                Some(AnyColumn::Str(_)) | None => Numbers::Nothing,
            },
        };
        Ok(SegmentGroups { column, met: &mut self.met })
    }

    /// The term that all of a group have and no others; `None` where the field has none for its values, or
    /// they have no value.
    pub(super) fn term(&self, group: u32) -> Result<Option<Term>> {
        let By::Strings(strings, Some(field)) = &self.by else { return Ok(None) };
        let Some(Some(number)) = self.met.numbers.get(group as usize) else { return Ok(None) };
        Ok(Some(Term::from_field_text(*field, &strings.text(*number as usize)?)))
    }

    /// How many groups were met.
    pub(in crate::search) fn len(&self) -> usize {
        self.met.numbers.len()
    }

    /// The group of the documents with a value, or of those without; `None` where the snapshot has no such
    /// text.
    pub(super) fn find(&mut self, value: Option<&Value>) -> Result<Option<u32>> {
        let number = match (&self.by, value) {
            (_, None) => None,
            (By::Nothing, Some(_)) => return Ok(None),
            (By::Strings(strings, _), Some(value)) => match strings.find(&value.to_text())? {
                Some(number) => Some(number),
                None => return Ok(None),
            },
            (By::Function(_), Some(value)) => Some(self.met.number(value.clone())),
            (By::Column { column, .. }, Some(value)) => Some(column_number(column.kind, value)),
        };
        Ok(Some(self.met.group(number)))
    }

    /// What the documents of a group have in common; `None` if it is that they have no value.
    pub(in crate::search) fn value(&self, group: u32) -> Result<Option<Value>> {
        let Some(Some(number)) = self.met.numbers.get(group as usize) else { return Ok(None) };
        let number = *number;
        Ok(match &self.by {
            By::Nothing => None,
            By::Strings(strings, _) => Some(Value::Str(strings.text(number as usize)?)),
            By::Function(_) => self.met.values.get(number as usize).cloned(),
            By::Column { column, class } => Some(match column.kind {
                ColumnKind::I64 | ColumnKind::Place | ColumnKind::DateSpans | ColumnKind::Vector => {
                    integer_value(*class, i64::from_u64(number))
                }
                ColumnKind::F64 => real_value(*class, f64::from_u64(number)),
                ColumnKind::Bool => Value::Bool(number != 0),
                ColumnKind::Str => return Ok(None),
            }),
        })
    }
}

/// The groups of one segment's documents, which are to be asked for in ascending order.
pub(in crate::search) struct SegmentGroups<'g> {
    column: Numbers<'g>,
    met: &'g mut Met,
}

enum Numbers<'g> {
    Str(&'g StrColumn, Box<dyn Fn(u64) -> usize + 'g>),
    I64(Column<i64>),
    F64(Column<f64>),
    Bool(Column<bool>),
    Function(Box<FunctionReader>),
    Nothing,
}

impl SegmentGroups<'_> {
    pub(in crate::search) fn of(&mut self, doc: DocId) -> u32 {
        let mut group = [0];
        self.of_block(&[doc], &mut group);
        group[0]
    }

    /// The groups of documents, at most [`DOC_BATCH`] of them.
    pub(super) fn of_block(&mut self, docs: &[DocId], groups: &mut [u32]) {
        let met = &mut *self.met;
        match &mut self.column {
            Numbers::Str(column, common) => {
                each(column.ords(), docs, groups, |ord| met.group(ord.map(|ord| common(ord) as u64)));
            }
            Numbers::I64(column) => each(column, docs, groups, |number| met.group(number.map(to_u64))),
            Numbers::F64(column) => each(column, docs, groups, |number| met.group(number.map(to_u64))),
            Numbers::Bool(column) => each(column, docs, groups, |flag| met.group(flag.map(u64::from))),
            Numbers::Function(reader) => groups.iter_mut().zip(docs).for_each(|(group, doc)| {
                let number = reader.value(*doc).map(|value| met.number(value));
                *group = met.group(number);
            }),
            Numbers::Nothing => groups.fill(met.group(None)),
        }
    }
}

fn to_u64<T: MonotonicallyMappableToU64>(value: T) -> u64 {
    value.to_u64()
}

/// The groups of documents by their first values; a column with one for each document is read as a block.
fn each<T>(column: &Column<T>, docs: &[DocId], groups: &mut [u32], mut group: impl FnMut(Option<T>) -> u32)
where
    T: PartialOrd + Copy + Default + std::fmt::Debug + Send + Sync + 'static,
{
    if let ColumnIndex::Full = column.index {
        let mut values = [T::default(); DOC_BATCH];
        let values = values.get_mut(..docs.len()).unwrap_or_default();
        column.values.get_vals(docs, values);
        groups.iter_mut().zip(values).for_each(|(to, value)| *to = group(Some(*value)));
    } else {
        groups.iter_mut().zip(docs).for_each(|(to, doc)| *to = group(column.first(*doc)));
    }
}

const UNMET: u32 = u32::MAX;

struct Met {
    table: Table,
    without: Option<u32>,
    /// By group.
    numbers: Vec<Option<u64>>,
    /// Values of functions: what they show to their place in `values`.
    shown: HashMap<String, u64>,
    values: Vec<Value>,
}

/// Number to group.
enum Table {
    Dense(Vec<u32>),
    Hashed(HashMap<u64, u32>),
}

impl Met {
    /// `cardinality` is how many numbers there are, where they are dense.
    fn new(cardinality: Option<usize>) -> Self {
        let table = match cardinality {
            Some(cardinality) => Table::Dense(vec![UNMET; cardinality]),
            None => Table::Hashed(HashMap::new()),
        };
        Self { table, without: None, numbers: Vec::new(), shown: HashMap::new(), values: Vec::new() }
    }

    fn number(&mut self, value: Value) -> u64 {
        let values = &mut self.values;
        *self.shown.entry(value.to_text()).or_insert_with(|| {
            values.push(value);
            values.len() as u64 - 1
        })
    }

    #[inline]
    fn group(&mut self, number: Option<u64>) -> u32 {
        let next = self.numbers.len() as u32;
        let group = match (number, &mut self.table) {
            (None, _) => *self.without.get_or_insert(next),
            (Some(number), Table::Hashed(groups)) => *groups.entry(number).or_insert(next),
            (Some(number), Table::Dense(groups)) => match groups.get_mut(number as usize) {
                Some(group) => {
                    if *group == UNMET {
                        *group = next;
                    }
                    *group
                }
                None => *self.without.get_or_insert(next),
            },
        };
        if group == next {
            self.numbers.push(number);
        }
        group
    }
}
