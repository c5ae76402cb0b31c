//! Functions against a plain model: random documents in random segments, random functions, computed one
//! document at a time by rules written down once more. Values, orders, ranges and scores of whole searches
//! must be the model's.

use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

use plan::{
    Comparison, FieldClass, FieldSelection, Filter, Function, FunctionRange, Kind, Occur, Operator, Page,
    Query, SearchPlan, SortBy, SortKey, Value,
};
use proptest::prelude::*;

use super::build::{any, boolean, plan, search, term};
use crate::search::SearchCaches;
use crate::testing::{document, schema, snapshot, text};

/// One document's fields.
#[derive(Clone, Debug)]
struct Row {
    int: Option<i32>,
    long: Option<i64>,
    double: Option<f64>,
    flag: Option<bool>,
    name: Option<&'static str>,
}

/// A function's value read every way.
#[derive(Clone, Debug, PartialEq)]
struct Cell {
    float: f32,
    double: f64,
    whole: i64,
    flag: bool,
    present: bool,
    /// What lists show.
    value: Option<Value>,
}

fn of_double(double: f64, present: bool) -> Cell {
    let value = present.then_some(Value::Double(double));
    Cell { float: double as f32, double, whole: double as i64, flag: double != 0.0, present, value }
}

fn of_float(float: f32, present: bool) -> Cell {
    let value = present.then_some(Value::Float(float));
    Cell { float, value, ..of_double(f64::from(float), present) }
}

fn of_whole(whole: i64, value: Option<Value>) -> Cell {
    let present = value.is_some();
    Cell { float: whole as f32, double: whole as f64, whole, flag: whole != 0, present, value }
}

fn of_flag(flag: bool, present: bool) -> Cell {
    of_whole(i64::from(flag), present.then_some(Value::Bool(flag)))
}

fn field(row: &Row, name: &str) -> Cell {
    match name {
        "n_i" => of_whole(row.int.unwrap_or(0).into(), row.int.map(Value::Int)),
        "n_l" => of_whole(row.long.unwrap_or(0), row.long.map(Value::Long)),
        "n_d" => of_double(row.double.unwrap_or(0.0), row.double.is_some()),
        _ => of_whole(i64::from(row.flag.unwrap_or(false)), row.flag.map(Value::Bool)),
    }
}

fn model(function: &Function, row: &Row) -> Cell {
    match function {
        Function::Constant(Value::Long(number)) => of_whole(*number, Some(Value::Long(*number))),
        Function::Constant(Value::Double(number)) => of_double(*number, true),
        Function::Constant(Value::Bool(flag)) => of_flag(*flag, true),
        Function::Field { field: name, .. } => field(row, name),
        // Shown where it does not match as well, though it is not there.
        Function::Score { missing, .. } => match row.name {
            Some("a") => of_float(2.0, true),
            _ => Cell { present: false, ..of_float(*missing, true) },
        },
        Function::Call { operator, arguments } => {
            let cells: Vec<Cell> = arguments.iter().map(|argument| model(argument, row)).collect();
            call(operator, arguments, &cells)
        }
        other => panic!("{other} has no model"),
    }
}

fn call(operator: &Operator, arguments: &[Function], cells: &[Cell]) -> Cell {
    let all = cells.iter().all(|cell| cell.present);
    let present = || cells.iter().filter(|cell| cell.present).map(|cell| cell.float);
    let one = &cells[0];
    let two = cells.get(1).unwrap_or(one);
    match operator {
        Operator::Sum => of_float(cells.iter().fold(0.0, |sum, cell| sum + cell.float), all),
        Operator::Product => of_float(cells.iter().fold(1.0, |product, cell| product * cell.float), all),
        Operator::Max => extreme(present(), Ordering::Greater),
        Operator::Min => extreme(present(), Ordering::Less),
        Operator::Subtract => of_float(one.float - two.float, all),
        Operator::Divide => of_float(one.float / two.float, all),
        Operator::Absolute => of_float(one.float.abs(), true),
        Operator::Linear { slope, intercept } => of_float(one.float * slope + intercept, all),
        Operator::Map { min, max } => {
            let inside = (*min..=*max).contains(&one.float);
            of_float(if inside { two.float } else { cells.get(2).unwrap_or(one).float }, true)
        }
        Operator::SquareRoot => of_double(one.double.sqrt(), true),
        Operator::Modulo => of_double(one.double % two.double, all),
        Operator::Exists => of_flag(one.present, true),
        Operator::Not => of_flag(!one.flag, true),
        Operator::And => of_flag(cells.iter().all(|cell| cell.flag), true),
        Operator::Or => of_flag(cells.iter().any(|cell| cell.flag), true),
        Operator::Compare(comparison) => {
            let whole = |function: &Function| matches!(function.kind(), Kind::Int | Kind::Long);
            let order = match arguments.iter().all(whole) {
                true => one.whole.cmp(&two.whole),
                false => java_order(one.double, two.double),
            };
            of_flag(holds(*comparison, order), all)
        }
        Operator::Equal => of_flag(equal(one.value.as_ref(), two.value.as_ref()), all),
        Operator::If => cells[if one.flag { 1 } else { 2 }].clone(),
        Operator::Default => {
            cells.iter().find(|cell| cell.present).unwrap_or(&cells[cells.len() - 1]).clone()
        }
        other => panic!("{} has no model", other.name()),
    }
}

fn extreme(values: impl Iterator<Item = f32>, wins: Ordering) -> Cell {
    let best = values.reduce(|best, value| {
        if best.is_nan() || value.is_nan() {
            f32::NAN
        } else if value.total_cmp(&best) == wins {
            value
        } else {
            best
        }
    });
    of_float(best.unwrap_or(0.0), best.is_some())
}

/// Numbers by their size, all else by kind and value.
fn equal(one: Option<&Value>, other: Option<&Value>) -> bool {
    let whole = |value: Option<&Value>| match value? {
        Value::Int(number) => Some(i64::from(*number)),
        Value::Long(number) => Some(*number),
        _ => None,
    };
    let real = |value: Option<&Value>| match value? {
        Value::Float(number) => Some(f64::from(*number)),
        Value::Double(number) => Some(*number),
        _ => whole(value).map(|number| number as f64),
    };
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => one == other,
        _ => match (real(one), real(other)) {
            (Some(one), Some(other)) => java_order(one, other) == Ordering::Equal,
            _ => one == other,
        },
    }
}

fn holds(comparison: Comparison, order: Ordering) -> bool {
    match comparison {
        Comparison::Greater => order == Ordering::Greater,
        Comparison::GreaterOrEqual => order != Ordering::Less,
        Comparison::Less => order == Ordering::Less,
        Comparison::LessOrEqual => order != Ordering::Greater,
    }
}

fn java_order(one: f64, other: f64) -> Ordering {
    match (one.is_nan(), other.is_nan()) {
        (false, false) => one.total_cmp(&other),
        (one, other) => one.cmp(&other),
    }
}

fn leaf() -> impl Strategy<Value = Function> {
    let of = |field: &str, class| Function::Field { field: field.into(), class, pick: None };
    let score = Query::ConstantScore { query: Box::new(term("name_s", "a")), score: 2.0 };
    let score =
        |missing| Function::Score { query: Box::new(score.clone()), missing, label: "name_s:a".into() };
    prop_oneof![
        Just(of("n_i", FieldClass::Int)),
        Just(of("n_l", FieldClass::Long)),
        Just(of("n_d", FieldClass::Double)),
        Just(of("n_b", FieldClass::Bool)),
        Just(score(0.0)),
        Just(score(-1.5)),
        (-3i64..4).prop_map(|number| Function::Constant(Value::Long(number))),
        Just(Function::Constant(Value::Double(0.3))),
        proptest::bool::ANY.prop_map(|flag| Function::Constant(Value::Bool(flag))),
    ]
}

fn function() -> impl Strategy<Value = Function> {
    leaf().prop_recursive(4, 24, 3, |inner| {
        let one = [
            Operator::Absolute,
            Operator::Linear { slope: 0.5, intercept: -1.0 },
            Operator::SquareRoot,
            Operator::Exists,
            Operator::Not,
        ];
        let two = [
            Operator::Subtract,
            Operator::Divide,
            Operator::Modulo,
            Operator::Map { min: -1.0, max: 2.0 },
            Operator::Compare(Comparison::Greater),
            Operator::Compare(Comparison::GreaterOrEqual),
            Operator::Compare(Comparison::Less),
            Operator::Compare(Comparison::LessOrEqual),
            Operator::Equal,
            Operator::Equal,
        ];
        let three = [
            Operator::Sum,
            Operator::Product,
            Operator::Max,
            Operator::Min,
            Operator::And,
            Operator::Or,
            Operator::If,
            Operator::Default,
            Operator::Map { min: 0.0, max: 40.0 },
        ];
        let calls = |operators: Vec<Operator>, count: usize| {
            let arguments = proptest::collection::vec(inner.clone(), count);
            (proptest::sample::select(operators), arguments)
                .prop_map(|(operator, arguments)| Function::call(operator, arguments))
        };
        prop_oneof![calls(one.to_vec(), 1), calls(two.to_vec(), 2), calls(three.to_vec(), 3)]
    })
}

fn row() -> impl Strategy<Value = Row> {
    let int = proptest::option::of(prop_oneof![-5i32..50, Just(i32::MAX)]);
    let long = proptest::option::of(prop_oneof![-5i64..5, Just((1 << 53) + 1)]);
    let double = proptest::option::of(proptest::sample::select(vec![0.0, -0.0, 0.1, -2.5, 1e10, 1e300]));
    let name = proptest::option::of(proptest::sample::select(vec!["a", "b"]));
    (int, long, double, proptest::option::of(proptest::bool::ANY), name)
        .prop_map(|(int, long, double, flag, name)| Row { int, long, double, flag, name })
}

fn fields(number: usize, row: &Row) -> plan::Document {
    let mut fields = vec![("id", vec![text(&number.to_string())])];
    fields.extend(row.int.map(|int| ("n_i", vec![Value::Int(int)])));
    fields.extend(row.long.map(|long| ("n_l", vec![Value::Long(long)])));
    fields.extend(row.double.map(|double| ("n_d", vec![Value::Double(double)])));
    fields.extend(row.flag.map(|flag| ("n_b", vec![Value::Bool(flag)])));
    fields.extend(row.name.map(|name| ("name_s", vec![text(name)])));
    document(&fields)
}

/// As deep as a request may nest them, on the small stack that tests and requests have.
#[test]
fn deep_functions_are_computed() {
    let schema = Arc::new(schema());
    let shard =
        snapshot(&schema, &[vec![document(&[("id", vec![text("1")]), ("n_i", vec![Value::Int(4)])])]]);
    let field = || Function::Field { field: "n_i".into(), class: FieldClass::Int, pick: None };
    let check = |name: &str, wrap: &dyn Fn(Function) -> Function| {
        let function = (0..64).fold(field(), |inner, _| wrap(inner));
        let functions = vec![function.clone()];
        let query = if function.is_number() { Query::Function(Box::new(function)) } else { Query::All };
        let result =
            search(&shard, &SearchPlan { functions, explain: true, ..plan(query) }, &SearchCaches::default());
        assert_eq!(result.unwrap().hits.len(), 1, "{name}");
    };
    let call = |operator: Operator, arguments| Function::call(operator, arguments);
    check("abs", &|inner| call(Operator::Absolute, vec![inner]));
    check("sqrt", &|inner| call(Operator::SquareRoot, vec![inner]));
    check("if", &|inner| call(Operator::If, vec![field(), inner, field()]));
    check("def", &|inner| call(Operator::Default, vec![inner, field()]));
    check("max", &|inner| call(Operator::Max, vec![field(), inner]));
    check("eq", &|inner| call(Operator::Equal, vec![inner, field()]));
    check("gt", &|inner| call(Operator::Compare(Comparison::Greater), vec![inner, field()]));
    check("concat", &|inner| call(Operator::Concatenate, vec![inner, field()]));
    check("ms", &|inner| call(Operator::Milliseconds, vec![inner, field()]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn searches_agree_with_a_plain_model(
        rows in proptest::collection::vec(row(), 1..300),
        functions in proptest::collection::vec(function(), 1..6),
        cut in 0usize..300,
    ) {
        let schema = Arc::new(schema());
        let documents: Vec<_> = rows.iter().enumerate().map(|(number, row)| fields(number, row)).collect();
        let (left, right) = documents.split_at(cut.min(documents.len()));
        let shard = snapshot(&schema, &[left.to_vec(), right.to_vec()]);
        let caches = SearchCaches::default();
        let base = SearchPlan {
            page: Page { start: 0, rows: 1000 },
            fields: FieldSelection::default(),
            sort: vec![SortKey { by: SortBy::IndexOrder, descending: false }],
            ..plan(Query::All)
        };
        let run = |plan: &SearchPlan| search(&shard, plan, &caches).unwrap().hits;
        let numbers = |plan: &SearchPlan| -> Vec<usize> {
            run(plan).iter().map(|hit| hit.id.parse().unwrap()).collect()
        };
        let hits = run(&SearchPlan { functions: functions.clone(), ..base.clone() });
        for (at, function) in functions.iter().enumerate() {
            let cells: Vec<Cell> = rows.iter().map(|row| model(function, row)).collect();
            for (hit, cell) in hits.iter().zip(&cells) {
                let text = |value: &Option<Value>| value.as_ref().map(Value::to_text);
                prop_assert_eq!(text(&hit.values[at]), text(&cell.value), "{} of {}", function, hit.id);
            }
            let sort = SortKey { by: SortBy::Function(function.clone()), descending: false };
            let mut expected: Vec<usize> = (0..rows.len()).collect();
            expected.sort_by(|one, other| java_order(cells[*one].double, cells[*other].double));
            prop_assert_eq!(numbers(&SearchPlan { sort: vec![sort], ..base.clone() }), expected, "{}", function);

            let query = Query::Function(Box::new(function.clone()));
            let scored = run(&SearchPlan { query, scores: true, ..base.clone() });
            for (hit, cell) in scored.iter().zip(&cells) {
                let expected = if cell.float > 0.0 { cell.float } else { 0.0 };
                prop_assert_eq!(hit.score, Some(expected), "{} of {}", function, hit.id);
            }

            let number = |number: i32| match function.kind() {
                Kind::Int | Kind::Long => Value::Long(number.into()),
                Kind::Double => Value::Double(number.into()),
                _ => Value::Float(number as f32),
            };
            let range = FunctionRange {
                function: function.clone(),
                lower: Bound::Included(number(0)),
                upper: Bound::Excluded(number(3)),
            };
            let query = Query::FunctionRange(Box::new(range));
            let expected: Vec<usize> = (0..rows.len())
                .filter(|at| {
                    let cell = &cells[*at];
                    let inside = match function.kind() {
                        Kind::Double => (0.0..3.0).contains(&cell.double),
                        _ => (0.0..3.0).contains(&cell.float),
                    };
                    inside && cell.present
                })
                .collect();
            for cache in [true, false] {
                let filter = Filter { query: query.clone(), cache, cost: 100, tags: Vec::new() };
                let found = numbers(&SearchPlan { filters: vec![filter], ..base.clone() });
                prop_assert_eq!(&found, &expected, "{} between 0 and 3", function);
            }
        }
    }
}

/// A page found block by block holds what documents score one by one.
#[test]
fn combinations_score_as_their_parts() {
    let schema = Arc::new(schema());
    let row = |number: usize| {
        let mut fields = vec![("id", vec![text(&number.to_string())])];
        fields.push(("title_t", vec![text(["red bolt", "blue nut", "red nut red"][number % 3])]));
        fields.extend((!number.is_multiple_of(4)).then(|| ("n_i", vec![Value::Int(number as i32 % 17 - 3)])));
        document(&fields)
    };
    let rows: Vec<_> = (0..300).map(row).collect();
    let shard = snapshot(&schema, &[rows[..100].to_vec(), rows[100..].to_vec()]);
    let field = || Function::Field { field: "n_i".into(), class: FieldClass::Int, pick: None };
    let function = || Query::Function(Box::new(field()));
    let boosted = |query: Query| Query::FunctionBoost { query: Box::new(query), function: Box::new(field()) };
    let (red, nut) = (|| term("title_t", "red"), || term("title_t", "nut"));
    let must = |one, other| boolean([(Occur::Must, one), (Occur::Should, other)]);
    for query in [
        function(),
        boosted(red()),
        any([red(), function()]),
        must(red(), function()),
        must(function(), nut()),
        must(must(red(), function()), must(nut(), function())),
        any([must(nut(), red()), boosted(red()), function()]),
        boosted(must(red(), nut())),
        boolean([(Occur::Must, boosted(nut())), (Occur::MustNot, red()), (Occur::Should, function())]),
        Query::DisjunctionMax { queries: vec![boosted(nut()), function(), red()], tie_breaker: 0.5 },
        Query::Boost { query: Box::new(any([boosted(red()), function()])), boost: 3.0 },
    ] {
        let caches = SearchCaches::default();
        let all = Page { start: 0, rows: 1000 };
        let in_order = vec![SortKey { by: SortBy::IndexOrder, descending: false }];
        let one_by_one = SearchPlan { sort: in_order, page: all, ..plan(query.clone()) };
        let mut expected: Vec<_> = search(&shard, &one_by_one, &caches)
            .unwrap()
            .hits
            .iter()
            .map(|hit| (hit.score, hit.place))
            .collect();
        expected.sort_by(|one, other| {
            other.0.partial_cmp(&one.0).unwrap_or(Ordering::Equal).then(one.1.cmp(&other.1))
        });
        let found = search(&shard, &SearchPlan { page: all, ..plan(query.clone()) }, &caches).unwrap();
        assert_eq!(found.total, expected.len() as u64, "{query:?}");
        let found: Vec<_> = found.hits.iter().map(|hit| (hit.score, hit.place)).collect();
        assert_eq!(found, expected, "{query:?}");
    }
}
