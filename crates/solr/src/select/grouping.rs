//! `group.*`: what the hits are grouped by, and which form the response gives to groups. Messages are Solr's,
//! recorded from 9.10.1. In: parameters, the page and the sort; out: `plan::GroupPlan` for the engine and
//! `GroupView` for the response. Over several shards nothing is different here: heads are chosen below (ADR
//! 17).

use plan::{Error, FieldClass, GroupBy, GroupPlan, Grouping, Page, Result, SortKey};

use super::sort::parse_sort;
use crate::function::{check_class, check_column, check_number, parse_function};
use crate::params::grouping;
use crate::query::{QueryContext, parse_query};

/// How the response shows groups.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupView {
    pub form: GroupForm,
    /// `start` and `rows` of the request.
    pub page: Page,
    /// As the plan's groupings.
    pub titles: Vec<GroupTitle>,
}

/// What stands over one grouping.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupTitle {
    pub key: String,
    /// A single group, which has no value of its own.
    pub is_query: bool,
    /// The first hit's place within its group.
    pub start: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupForm {
    /// Each group with its hits.
    Grouped,
    /// The hits of all groups in one list.
    Simple,
    /// The same, in the place of the response.
    Main,
}

/// What the request groups by; `None` when it does not.
pub(super) fn resolve_groups(
    context: &QueryContext<'_>,
    page: Page,
    sort: &[SortKey],
) -> Result<Option<(GroupPlan, GroupView)>> {
    let params = context.params;
    if !grouping::GROUP.read(params)? {
        return Ok(None);
    }
    let form = form(context)?;
    let flat = form != GroupForm::Grouped;
    let within = within(context)?;
    // Solr skips none of a group's hits in one list.
    let of_groups = if flat { Page { start: 0, ..within } } else { within };
    // A query's list is a page of its own where all are one list.
    let of_query = if flat { Page { start: 0, rows: page.end() } } else { within };
    let mut by = Vec::new();
    for name in grouping::FIELD.sent_all(params) {
        by.push(Grouping::new(name, field(context, name)?, of_groups));
    }
    for text in grouping::FUNC.sent_all(params) {
        by.push(Grouping::new(text, function(context, text)?, of_groups));
    }
    for text in grouping::QUERY.sent_all(params) {
        let query = parse_query(context, text, "lucene")?.executable();
        by.push(Grouping::new(text, GroupBy::Query(query), of_query));
    }
    if by.is_empty() {
        return Err(Error::bad_request("Specify at least one field, function or query to group by."));
    }
    let view = GroupView { form, page, titles: by.iter().map(title).collect() };
    let own_sort = parse_sort(context, grouping::SORT.sent(params).unwrap_or_default())?;
    let plan = GroupPlan {
        by,
        groups: if flat { Page { start: 0, rows: page.end() } } else { page },
        sort: if own_sort.is_empty() { sort.to_vec() } else { own_sort },
        count_groups: grouping::COUNT.read(params)?,
        truncate: grouping::TRUNCATE.read(params)?,
    };
    Ok(Some((plan, view)))
}

fn title(grouping: &Grouping) -> GroupTitle {
    let is_query = matches!(grouping.by, GroupBy::Query(_));
    GroupTitle { key: grouping.key.clone(), is_query, start: grouping.within.start }
}

fn form(context: &QueryContext<'_>) -> Result<GroupForm> {
    let main = grouping::MAIN.read(context.params)?;
    match grouping::FORMAT.text(context.params) {
        _ if main => Ok(GroupForm::Main),
        "grouped" => Ok(GroupForm::Grouped),
        "simple" => Ok(GroupForm::Simple),
        _ => Err(Error::bad_request("Illegal group.format parameter")),
    }
}

/// Which hits of a group.
fn within(context: &QueryContext<'_>) -> Result<Page> {
    let offset = grouping::OFFSET.read(context.params)?;
    let start = usize::try_from(offset)
        .map_err(|_| Error::bad_request("'group.offset' parameter cannot be negative"))?;
    let limit = grouping::LIMIT.read(context.params)?;
    // Below zero means all of a group, as Solr's reference has it.
    Ok(Page { start, rows: usize::try_from(limit).unwrap_or(usize::MAX) })
}

/// Prices are grouped by their amounts in the field's own currency.
fn field(context: &QueryContext<'_>, name: &str) -> Result<GroupBy> {
    let field = context.field_quoted(name)?;
    // A document with several values would stand in several groups; Solr's words for it are those of the
    // cache it used to read.
    if field.spec.properties.multi_valued {
        return Err(Error::bad_request(format!("can not use FieldCache on multivalued field: {name}")));
    }
    match field.spec.class() {
        FieldClass::Currency => Ok(GroupBy::Function(context.currency_raw(&field)?)),
        // Solr's words, recorded from 9.10.1; that it is no value of a function is why it is none of a group.
        FieldClass::DateRange => check_class(&field).map(|()| GroupBy::Field(field.name)),
        class if class.has_number_column() => check_column(&field).map(|()| GroupBy::Field(field.name)),
        _ => Ok(GroupBy::Field(field.name)),
    }
}

/// A field's name among functions is its value.
fn function(context: &QueryContext<'_>, text: &str) -> Result<GroupBy> {
    let function = parse_function(context, text, 0)?;
    let function =
        function.ok_or_else(|| Error::bad_request(format!("cannot group by `{text}`: it is no function")))?;
    match function {
        plan::Function::Field { .. } => {}
        _ => check_number(&function)?,
    }
    Ok(GroupBy::Function(function))
}
