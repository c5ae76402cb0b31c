//! From values to places in a drawing, and the ticks between: linear, logarithmic, or by how many nines a
//! percentile has. Used by the charts alone. Latencies want a logarithmic axis, and percentiles one by nines:
//! on a linear one everything that matters lies in the last pixel.

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Linear,
    Log,
    /// Of shares below 1: 0, 0.9, 0.99 … are equally far apart.
    Nines,
}

/// Maps `from..=to` onto `start..=end` of a drawing.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    kind: Kind,
    from: f64,
    to: f64,
    start: f64,
    end: f64,
}

impl Scale {
    /// Bounds are widened where they would be empty.
    pub fn new(kind: Kind, (from, to): (f64, f64), (start, end): (f64, f64)) -> Self {
        let (from, to) = match kind {
            Kind::Log => (from.max(1e-9), to.max(from.max(1e-9) * 1.01)),
            Kind::Linear => (from, if to > from { to } else { from + 1.0 }),
            Kind::Nines => (from, to),
        };
        Self { kind, from, to, start, end }
    }

    pub fn at(&self, value: f64) -> f64 {
        let (from, to, value) = (self.bend(self.from), self.bend(self.to), self.bend(value));
        let share = ((value - from) / (to - from)).clamp(0.0, 1.0);
        self.start + share * (self.end - self.start)
    }

    pub fn ticks(&self) -> Vec<f64> {
        let candidates: Vec<f64> = match self.kind {
            Kind::Nines => vec![0.0, 0.5, 0.9, 0.99, 0.999, 0.9999],
            Kind::Log => log_ticks(self.from, self.to),
            Kind::Linear => linear_ticks(self.from, self.to),
        };
        let slack = (self.to - self.from) * 1e-9;
        candidates.into_iter().filter(|tick| *tick >= self.from - slack && *tick <= self.to + slack).collect()
    }

    fn bend(&self, value: f64) -> f64 {
        match self.kind {
            Kind::Linear => value,
            Kind::Log => value.max(1e-9).log10(),
            Kind::Nines => -(1.0 - value.min(0.999_999)).log10(),
        }
    }
}

/// Powers of ten, with 2 and 5 between them where there are few.
fn log_ticks(from: f64, to: f64) -> Vec<f64> {
    let decades = from.log10().floor() as i32..=to.log10().ceil() as i32;
    let few = (to / from).log10() < 3.0;
    let steps: &[f64] = if few { &[1.0, 2.0, 5.0] } else { &[1.0] };
    decades.flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade))).collect()
}

fn linear_ticks(from: f64, to: f64) -> Vec<f64> {
    let raw = (to - from) / 5.0;
    let decade = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * decade).into_iter().find(|step| *step >= raw);
    let step = step.unwrap_or(raw);
    (0..=12).map(|count| (from / step).ceil() * step + f64::from(count) * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_ticks() {
        let check = |kind, bounds, value, place: f64, ticks: &[f64]| {
            let scale = Scale::new(kind, bounds, (0.0, 100.0));
            assert!((scale.at(value) - place).abs() < 1e-6, "{kind:?}: {}", scale.at(value));
            assert_eq!(scale.ticks(), ticks, "{kind:?}");
        };
        check(Kind::Linear, (0.0, 10.0), 5.0, 50.0, &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        check(Kind::Log, (1.0, 100.0), 10.0, 50.0, &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        check(Kind::Log, (1.0, 1e4), 1e5, 100.0, &[1.0, 10.0, 100.0, 1000.0, 10_000.0]);
        check(Kind::Nines, (0.0, 0.999), 0.9, 100.0 / 3.0, &[0.0, 0.5, 0.9, 0.99, 0.999]);
        check(Kind::Linear, (3.0, 3.0), 3.0, 0.0, &[3.0, 3.2, 3.4, 3.6, 3.8, 4.0]);
    }
}
