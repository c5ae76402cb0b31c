//! What the values of a spatial field are in an index: points as their codes, for the column, and other
//! shapes in well-known text, as terms. Shapes are read by `plan::Area`; `prepare` puts both in their places,
//! `search/spatial` finds them.
//!
//! Solr differs: to a point that is one of several shapes it knows no distance
//! (`compat/query/spatial_shapes.yaml`).

use plan::{Area, Result};

#[derive(Debug, Default, PartialEq)]
pub(crate) struct SpatialValues {
    pub(crate) codes: Vec<i64>,
    pub(crate) shapes: Vec<String>,
}

impl SpatialValues {
    /// Adds what a text says; an empty one is no place.
    pub(crate) fn add_text(&mut self, text: &str) -> Result<()> {
        if !text.is_empty() {
            self.add(Area::parse(text)?);
        }
        Ok(())
    }

    fn add(&mut self, area: Area) {
        match area {
            Area::Point(place) => self.codes.push(place.code()),
            Area::Many(areas) => areas.into_iter().for_each(|area| self.add(area)),
            shape => self.shapes.push(shape.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_codes_and_shapes_are_terms() {
        let check = |text: &str, codes: usize, shapes: &[&str]| {
            let mut places = SpatialValues::default();
            places.add_text(text).unwrap();
            assert_eq!(
                (places.codes.len(), places.shapes.as_slice()),
                (codes, &shapes.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()[..])
            );
        };
        check("", 0, &[]);
        check("1,2", 1, &[]);
        check("ENVELOPE(1,2,4,3)", 0, &["ENVELOPE (1, 2, 4, 3)"]);
        check("GEOMETRYCOLLECTION(POINT(1 2),BUFFER(POINT(1 2),3))", 1, &["BUFFER (POINT (1 2), 3)"]);
        assert!(SpatialValues::default().add_text("nowhere").is_err());
    }
}
