//! From the slices of one side to the figures of its row: totals, quantiles of the merged histogram (never
//! means of quantiles), shares. Pure. In: the slices that `measure.rs` timed; out: the row of a side, and the
//! intervals of ratios between pairs. Whether a row counts at all is `conclude.rs`'s to decide.

use hdrhistogram::Histogram;

use super::record::{Figures, Slice, WarmUp};
use crate::load::{self, Load};
use crate::statistics::{Interval, median_interval};

/// `None` when the side was left out.
pub fn figures(loads: &[Load], warm_up: WarmUp, cores: usize) -> Option<Figures> {
    if loads.is_empty() {
        return None;
    }
    let (mut latency_ns, mut lag_ns) = (load::histogram(), load::histogram());
    for load in loads {
        load::merge(&mut latency_ns, &load.latency_ns);
        load::merge(&mut lag_ns, &load.lag_ns);
    }
    let seconds: f64 = loads.iter().map(|load| load.elapsed.as_secs_f64()).sum();
    let requests = latency_ns.len();
    let server: Option<f64> = loads.iter().map(|load| load.server_cpu_seconds).sum();
    let generator: Option<f64> = loads.iter().map(|load| load.generator_cpu_seconds).sum();
    let at = |quantile| micros(&latency_ns, quantile);
    Some(Figures {
        requests,
        errors: loads.iter().map(|load| load.errors).sum(),
        per_second: requests as f64 / seconds.max(1e-9),
        p50_us: at(0.5),
        p90_us: at(0.9),
        p99_us: at(0.99),
        p999_us: at(0.999),
        max_us: at(1.0),
        cpu_us_per_request: server.map(|cpu| cpu * 1e6 / requests.max(1) as f64),
        generator_cpu_share: generator.map(|cpu| cpu / (seconds.max(1e-9) * cores.max(1) as f64)),
        lag_p999_us: (!lag_ns.is_empty()).then(|| micros(&lag_ns, 0.999)),
        warm_up,
        slices: loads.iter().map(slice).collect(),
        histogram: buckets(&latency_ns),
    })
}

/// The interval of the median of `numerator / denominator`; pairs where either is not above 0 are left out.
pub fn interval_of(pairs: impl Iterator<Item = (f64, f64)>, seed: u64) -> Option<Interval> {
    let sound = pairs.filter(|(numerator, denominator)| *numerator > 0.0 && *denominator > 0.0);
    let ratios: Vec<f64> = sound.map(|(numerator, denominator)| numerator / denominator).collect();
    median_interval(&ratios, seed)
}

fn slice(load: &Load) -> Slice {
    Slice {
        seconds: load.elapsed.as_secs_f64(),
        requests: load.answered(),
        p50_us: micros(&load.latency_ns, 0.5),
        p99_us: micros(&load.latency_ns, 0.99),
        server_cpu_seconds: load.server_cpu_seconds,
        generator_cpu_seconds: load.generator_cpu_seconds,
    }
}

fn micros(latency_ns: &Histogram<u64>, quantile: f64) -> f64 {
    latency_ns.value_at_quantile(quantile) as f64 / 1e3
}

/// How many of each latency, in steps of a hundredth of a decade.
pub fn buckets(latency_ns: &Histogram<u64>) -> Vec<(f64, u64)> {
    let mut buckets: Vec<(i32, u64)> = Vec::new();
    for value in latency_ns.iter_recorded() {
        let micros = value.value_iterated_to() as f64 / 1e3;
        let step = (micros.max(1e-3).log10() * 100.0).ceil() as i32;
        match buckets.last_mut() {
            Some((last, count)) if *last == step => *count += value.count_since_last_iteration(),
            _ => buckets.push((step, value.count_since_last_iteration())),
        }
    }
    let bound = |step: i32| (10f64.powf(f64::from(step) / 100.0) * 100.0).round() / 100.0;
    buckets.into_iter().map(|(step, count)| (bound(step), count)).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn load_of(latencies_us: &[u64], cpu: Option<f64>) -> Load {
        let mut latency_ns = load::histogram();
        latencies_us.iter().for_each(|us| latency_ns.saturating_record(us * 1000));
        Load {
            latency_ns,
            lag_ns: load::histogram(),
            elapsed: Duration::from_secs(1),
            errors: 0,
            error: None,
            server_cpu_seconds: cpu,
            generator_cpu_seconds: Some(0.5),
        }
    }

    #[test]
    fn slices_are_merged_not_averaged() {
        // The median of slice medians would be 100 or 1000; of all answers it is 100.
        let loads = [load_of(&[100; 99], Some(0.1)), load_of(&[1000], Some(0.1))];
        let figures = figures(&loads, WarmUp::default(), 2).unwrap();
        assert_eq!((figures.requests, figures.per_second), (100, 50.0));
        assert!((figures.p50_us - 100.0).abs() < 1.0 && (figures.max_us - 1000.0).abs() < 1.0);
        assert!((figures.cpu_us_per_request.unwrap() - 2000.0).abs() < 1e-6);
        assert_eq!(figures.generator_cpu_share, Some(0.25));
        assert_eq!(figures.lag_p999_us, None);
        let counts: Vec<u64> = figures.histogram.iter().map(|bucket| bucket.1).collect();
        assert_eq!(counts, [99, 1]);
        assert!(figures.histogram[0].0 >= 100.0 && figures.histogram[0].0 < 103.0);
    }

    #[test]
    fn without_slices_or_processes_there_is_nothing() {
        assert!(figures(&[], WarmUp::default(), 2).is_none());
        let figures = figures(&[load_of(&[1], None)], WarmUp::default(), 2).unwrap();
        assert_eq!(figures.cpu_us_per_request, None);
    }

    #[test]
    fn ratios_leave_out_what_cannot_be_divided() {
        let pairs = [(2.0, 1.0), (1.0, 0.0), (4.0, 1.0)].into_iter();
        assert_eq!(interval_of(pairs, 1).unwrap().median, 3.0);
        assert_eq!(interval_of(std::iter::empty(), 1), None);
    }
}
