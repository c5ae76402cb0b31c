//! Statistics as they are shown: the number is made here, once, of what all shards counted together, since an
//! average of averages or a percentile of percentiles is another number. The parts and how they merge are
//! `plan::partial`'s; facets' statistics come here as well as the stats component's, so that both divide and
//! round alike.

use plan::partial::{DistinctValues, Extreme, Moments, Samples, StatPartial};
use plan::{Stat, StatFunction, StatValue, Value};

/// What a statistic shows of what all shards have for it.
pub(super) fn finish_stat(stat: &Stat, merged: StatPartial) -> StatValue {
    let long = |number: u64| StatValue::One(Value::Long(i64::try_from(number).unwrap_or(i64::MAX)));
    match (&stat.function, merged) {
        (_, StatPartial::Count(count)) => long(count),
        (_, StatPartial::Extreme(end)) => end.value.map_or(StatValue::Nothing, StatValue::One),
        (StatFunction::DistinctValues, StatPartial::Distinct(distinct)) => {
            StatValue::Many(distinct.into_values())
        }
        (_, StatPartial::Distinct(distinct)) => long(distinct.count()),
        (StatFunction::Percentiles(shares), StatPartial::Samples(samples)) => {
            let values = shares.iter().map(|share| (*share, samples.at_share(*share)));
            StatValue::Percentiles(values.collect())
        }
        (StatFunction::Relatedness { popularity_min }, StatPartial::Related(Some(counts))) => {
            let (foreground, background) = counts.popularities();
            let relatedness = counts.relatedness(*popularity_min);
            StatValue::Relatedness { relatedness, foreground, background }
        }
        (function, StatPartial::Moments(moments)) => of_moments(function, &moments),
        _ => StatValue::Nothing,
    }
}

fn of_moments(function: &StatFunction, moments: &Moments) -> StatValue {
    let Some(number) = moments.number(function) else { return StatValue::Nothing };
    match *function == StatFunction::Mean && moments.dates {
        true if number.is_nan() => StatValue::Nothing,
        true => StatValue::One(Value::Date(number as i64)),
        false => StatValue::One(Value::Double(number)),
    }
}

/// The statistic of no documents.
pub(super) fn nothing(stat: &Stat) -> StatValue {
    let least = stat.function == StatFunction::Min;
    let merged = match &stat.function {
        StatFunction::Min | StatFunction::Max => {
            StatPartial::Extreme(Extreme { least, value: None, reals: false })
        }
        StatFunction::Distinct | StatFunction::DistinctValues => {
            StatPartial::Distinct(DistinctValues::default())
        }
        StatFunction::CountValues | StatFunction::Missing => StatPartial::Count(0),
        StatFunction::Percentiles(_) => StatPartial::Samples(Samples::default()),
        StatFunction::Relatedness { .. } => StatPartial::Related(None),
        _ => StatPartial::Moments(Moments::default()),
    };
    finish_stat(stat, merged)
}
