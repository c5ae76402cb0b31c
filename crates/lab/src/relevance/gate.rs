//! Gates: what a measure's mean must reach, as in `nDCG@10>=0.8`. Read off the command line; a mean below
//! makes `parhelion relevance test` fail, which is what CI looks at. The measures and their names are
//! `measure.rs`'s; the means come from `score.rs`.

use std::str::FromStr;

use super::Measure;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    pub measure: Measure,
    /// From 0 to 1.
    pub at_least: f64,
}

impl FromStr for Gate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no gate; write it as `nDCG@10>=0.8`");
        let (measure, bound) = text.split_once(">=").ok_or_else(wrong)?;
        let at_least =
            bound.trim().parse().ok().filter(|bound| (0.0..=1.0).contains(bound)).ok_or_else(wrong)?;
        Ok(Gate { measure: measure.trim().parse()?, at_least })
    }
}

impl Gate {
    /// A mean that is short of the gate by no more than the noise of summing passes.
    pub fn passes(&self, mean: f64) -> bool {
        mean + 1e-9 >= self.at_least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_name_a_measure_and_a_bound() {
        let gate: Gate = "nDCG@10 >= 0.8".parse().unwrap();
        assert_eq!((gate.measure.to_string().as_str(), gate.at_least), ("nDCG@10", 0.8));
        assert!(gate.passes(0.8) && gate.passes(0.1 + 0.7) && !gate.passes(0.79));
        for text in ["nDCG@10", "nDCG@10>0.8", "nDCG@10>=2", "nDCG@10>=x", "x>=0.5", "P@5>=NaN"] {
            assert!(text.parse::<Gate>().is_err(), "{text}");
        }
    }
}
