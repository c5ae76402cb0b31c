//! One chart as inline SVG: axes with ticks and names, lines with markers, and words in place of a legend.
//! Ours and the peer's differ in colour, in dash and in marker, so that no reader depends on colour. Colours
//! are the page's classes.

use std::fmt::Write as _;

use super::scale::{Kind, Scale};
use super::text::escape;
use crate::run::Whose;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 300.0;
/// Left, right, top, bottom.
const MARGIN: (f64, f64, f64, f64) = (64.0, 110.0, 14.0, 44.0);

/// A line of points, ascending in x.
pub struct Line {
    pub whose: Whose,
    pub label: String,
    pub points: Vec<(f64, f64)>,
    /// Whether each point gets a marker.
    pub marked: bool,
    /// Thinner and lighter than its sibling.
    pub faint: bool,
}

pub struct Axis {
    pub name: &'static str,
    pub kind: Kind,
    pub tick: fn(f64) -> String,
}

pub struct Chart {
    /// Read aloud, and shown when pointed at.
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub labels: Labels,
    pub lines: Vec<Line>,
}

/// Where a line bears its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    End,
    Peak,
}

impl Chart {
    /// Empty when there is no point to draw.
    pub fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let (Some(xs), Some(ys)) =
            (bounds(points().map(|point| point.0)), bounds(points().map(|point| point.1)))
        else {
            return String::new();
        };
        let (left, right, top, bottom) = MARGIN;
        let from_zero =
            |kind: Kind, (low, high): (f64, f64)| if kind == Kind::Log { (low, high) } else { (0.0, high) };
        let x = Scale::new(self.x.kind, from_zero(self.x.kind, xs), (left, WIDTH - right));
        let y = Scale::new(self.y.kind, from_zero(self.y.kind, ys), (HEIGHT - bottom, top));
        let mut svg = open(WIDTH, HEIGHT, &self.title);
        self.write_axes(&mut svg, &x, &y);
        let mut labels: Vec<f64> = Vec::new();
        for line in &self.lines {
            write_line(&mut svg, line, self.labels, (&x, &y), &mut labels);
        }
        svg.push_str("</svg>");
        svg
    }

    fn write_axes(&self, svg: &mut String, x: &Scale, y: &Scale) {
        let (left, right, top, bottom) = MARGIN;
        let (base, end) = (HEIGHT - bottom, WIDTH - right);
        for tick in y.ticks() {
            let (at, text) = (y.at(tick), (self.y.tick)(tick));
            let _ = write!(svg, r#"<path class="grid" d="M{left} {at:.1}H{end}"/>"#);
            let _ = write!(
                svg,
                r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{text}</text>"#,
                left - 6.0,
                at + 4.0
            );
        }
        for tick in x.ticks() {
            let (at, text) = (x.at(tick), (self.x.tick)(tick));
            let _ = write!(svg, r#"<path class="grid" d="M{at:.1} {top}V{base}"/>"#);
            let _ =
                write!(svg, r#"<text x="{at:.1}" y="{:.1}" text-anchor="middle">{text}</text>"#, base + 16.0);
        }
        let _ = write!(svg, r#"<path class="axis" d="M{left} {top}V{base}H{end}"/>"#);
        let middle = f64::midpoint(left, end);
        let _ = write!(
            svg,
            r#"<text x="{middle}" y="{:.1}" text-anchor="middle">{}</text>"#,
            base + 34.0,
            self.x.name
        );
        let middle = f64::midpoint(top, base);
        let _ = write!(
            svg,
            r#"<text transform="translate(13 {middle}) rotate(-90)" text-anchor="middle">{}</text>"#,
            self.y.name
        );
    }
}

/// The opening of a drawing with its name.
pub fn open(width: f64, height: f64, title: &str) -> String {
    let title = escape(title);
    format!(r#"<svg viewBox="0 0 {width} {height}" role="img" aria-label="{title}"><title>{title}</title>"#)
}

/// A point of ours is a disc, one of the peer's a square.
pub fn marker(whose: Whose, x: f64, y: f64) -> String {
    match whose {
        Whose::Ours => format!(r#"<circle class="ours dot" cx="{x:.1}" cy="{y:.1}" r="3.5"/>"#),
        Whose::Peer => format!(r#"<path class="peer dot" d="M{:.1} {:.1}h7v7h-7z"/>"#, x - 3.5, y - 3.5),
    }
}

pub fn class(whose: Whose) -> &'static str {
    match whose {
        Whose::Ours => "ours",
        Whose::Peer => "peer",
    }
}

fn write_line(svg: &mut String, line: &Line, labels: Labels, (x, y): (&Scale, &Scale), taken: &mut Vec<f64>) {
    let (class, faint) = (class(line.whose), if line.faint { " faint" } else { "" });
    let places: Vec<(f64, f64)> = line.points.iter().map(|point| (x.at(point.0), y.at(point.1))).collect();
    let end = match labels {
        Labels::End => places.last(),
        Labels::Peak => places.iter().min_by(|a, b| a.1.total_cmp(&b.1)),
    };
    let Some(end) = end else { return };
    let mut path = String::new();
    for (index, (x, y)) in places.iter().enumerate() {
        let _ = write!(path, "{}{x:.1} {y:.1}", if index == 0 { 'M' } else { 'L' });
    }
    let _ = write!(svg, r#"<path class="{class} line{faint}" d="{path}"/>"#);
    if line.marked {
        places.iter().for_each(|(x, y)| svg.push_str(&marker(line.whose, *x, *y)));
    }
    let y = free_place(end.1, taken);
    taken.push(y);
    let label = escape(&line.label);
    let _ = write!(
        svg,
        r#"<text class="{class} label" x="{:.1}" y="{:.1}">{label}</text>"#,
        end.0 + 7.0,
        y + 4.0
    );
}

/// Near `wanted`, a line of text away from all labels so far.
fn free_place(wanted: f64, taken: &[f64]) -> f64 {
    let free = |place: f64| taken.iter().all(|other| (other - place).abs() >= 12.0);
    let steps = (0..40).flat_map(|step| [f64::from(step), -f64::from(step)]);
    steps.map(|step| wanted + step * 3.0).find(|place| free(*place)).unwrap_or(wanted)
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |bounds: Option<(f64, f64)>, value| {
        Some(bounds.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    })
}
