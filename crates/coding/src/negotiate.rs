//! What one side takes, by its `Accept-Encoding` (RFC 9110, 12.5.3; of a server about requests, RFC 7694),
//! and which coding the other chooses by that.
//!
//! In: the header's values; out: a coding, or none where the body goes as it is. What cannot be read is not
//! taken.

use crate::Coding;

/// The coding that the header's values weigh most, of equal ones the first of [`Coding::ALL`]. `None` where
/// they take none, or weigh an unpacked body more.
pub fn negotiate<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<Coding> {
    let weights = Weights::read(values);
    let mut best: Option<(Coding, f32)> = None;
    for coding in Coding::ALL {
        let weight = weights.of(coding);
        if weight > 0.0 && weight >= weights.identity && best.is_none_or(|(_, known)| weight > known) {
            best = Some((coding, weight));
        }
    }
    best.map(|(coding, _)| coding)
}

/// The header's value of who takes all of them alike.
pub const fn accepted() -> &'static str {
    "zstd, br, gzip"
}

/// The first of [`Coding::ALL`] that the header's values name: for requests, whose body is packed only where
/// it was said that this may be.
pub fn first_known<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<Coding> {
    let weights = Weights::read(values);
    Coding::ALL.into_iter().find(|coding| weights.named(*coding).is_some_and(|weight| weight > 0.0))
}

/// From 0, not taken, to 1.
#[derive(Default)]
struct Weights {
    codings: [Option<f32>; Coding::ALL.len()],
    /// Of all that are not named.
    others: f32,
    /// Of a body that is not packed, where it is named.
    identity: f32,
}

impl Weights {
    fn read<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut weights = Self::default();
        for item in values.into_iter().flat_map(|value| value.split(',')) {
            let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
            let (name, weight) = (name.trim(), weight(parameters));
            match Coding::named(name).and_then(position) {
                Some(at) => weights.codings[at] = Some(weight),
                None if name == "*" => weights.others = weight,
                None if name.eq_ignore_ascii_case("identity") => weights.identity = weight,
                None => {}
            }
        }
        weights
    }

    fn named(&self, coding: Coding) -> Option<f32> {
        position(coding).and_then(|at| self.codings[at])
    }

    fn of(&self, coding: Coding) -> f32 {
        self.named(coding).unwrap_or(self.others)
    }
}

fn position(coding: Coding) -> Option<usize> {
    Coding::ALL.iter().position(|known| *known == coding)
}

/// 1 where nothing is given, 0 where it cannot be read.
fn weight(parameters: &str) -> f32 {
    let parameters = parameters.trim();
    let text = parameters.strip_prefix("q=").or_else(|| parameters.strip_prefix("Q="));
    match text {
        None if parameters.is_empty() => 1.0,
        None => 0.0,
        Some(text) => text.trim().parse().ok().filter(|weight| (0.0..=1.0).contains(weight)).unwrap_or(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_coding_is_chosen() {
        let check = |values: &[&str], expected: Option<Coding>| {
            assert_eq!(negotiate(values.iter().copied()), expected, "{values:?}");
        };
        check(&[], None);
        check(&["gzip"], Some(Coding::Gzip));
        check(&["X-Gzip"], Some(Coding::Gzip));
        check(&["gzip, deflate, br, zstd"], Some(Coding::Zstd));
        check(&["br, GZIP;q=0.5"], Some(Coding::Brotli));
        check(&["br;q=0.2, gzip; q=0.5"], Some(Coding::Gzip));
        check(&["gzip", "br"], Some(Coding::Brotli));
        check(&["gzip;q=0"], None);
        check(&["zstd;q=0, *"], Some(Coding::Brotli));
        check(&["zstd; q=0.0, br;q=0, *;q=0.1"], Some(Coding::Gzip));
        check(&["*;q=0"], None);
        check(&["identity, deflate"], None);
        // Named above the codings, an unpacked body is what is asked for.
        check(&["identity, gzip;q=0.5"], None);
        check(&["identity;q=0.5, gzip"], Some(Coding::Gzip));
        check(&["identity;q=0, *;q=0.3"], Some(Coding::Zstd));
        for nonsense in ["gzip;q=nonsense", "gzip;q=2", "gzip;q=NaN", "gzip;level=9", ";;,,"] {
            check(&[nonsense], None);
        }
    }

    #[test]
    fn requests_are_packed_only_as_was_said() {
        let check = |value: &str, expected: Option<Coding>| {
            assert_eq!(first_known([value]), expected, "{value}");
        };
        check(accepted(), Some(Coding::Zstd));
        check("gzip;q=0.5, br;q=0", Some(Coding::Gzip));
        check("*", None);
        check("", None);
    }
}
