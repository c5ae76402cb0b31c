//! A digest of a document's fields, written into one of them; documents of one digest can give way to the
//! newest. In: a draft and settings; out: the draft with its signature and, where wanted, a query of what
//! gives way. The digests themselves are `digest.rs`; what gives way is deleted with the add itself.

use std::sync::Arc;

use plan::{Error, Result, SignatureKind, Signing};

use super::digest::{Lookup3, md5, text_profile};
use super::draft::{DocumentStep, Draft, ProcessorContext};
use super::whole::append;
use crate::update::atomic::{Shape, shape_of};
use crate::update::command::RawValue;
use crate::update::document::Field;

impl DocumentStep for Signing {
    /// Solr differs: an edit of what is signed is its own failure, an error 500
    /// (`compat/update/signatures.yaml`).
    fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()> {
        let schema = passing.targets.schema().clone();
        let signed =
            |field: &&Field| self.fields.is_empty() || self.fields.iter().any(|it| **it == *field.name);
        if shape_of(&draft.fields, &schema) == Shape::Atomic
            && let Some(field) = draft
                .fields
                .iter()
                .filter(signed)
                .find(|field| schema.unique_key.as_ref() != Some(&field.name))
        {
            return Err(Error::bad_request(format!(
                "Can't use SignatureUpdateProcessor with partial update request containing signature field: {}",
                field.name
            )));
        }
        let mut fields: Vec<&Field> = draft.fields.iter().filter(signed).collect();
        fields.sort_by(|left, right| left.name.encode_utf16().cmp(right.name.encode_utf16()));
        let texts = fields.iter().flat_map(|field| {
            [field.name.to_string()].into_iter().chain(field.values.iter().map(RawValue::to_text))
        });
        let signature = signature(self.kind, texts);
        let name: Arc<str> = Arc::from(self.field.as_str());
        let is_key = schema.unique_key.as_ref() == Some(&name);
        if self.overwrite && draft.overwrite && !is_key {
            draft.conditions.replaced =
                Some((passing.parse_query)(&alike(&name, &signature, draft, passing))?);
        }
        append(draft, &name, vec![RawValue::Str(signature)]);
        Ok(())
    }
}

fn signature(kind: SignatureKind, texts: impl Iterator<Item = String>) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    match kind {
        SignatureKind::Lookup3 => {
            let mut hash = Lookup3::default();
            texts.for_each(|text| hash.add(&text));
            hex(&hash.finish().to_be_bytes())
        }
        SignatureKind::Md5 => hex(&md5(texts.collect::<String>().as_bytes())),
        SignatureKind::TextProfile { quantum_rate, token_chars_min } => {
            let profiles = texts.map(|text| text_profile(&text, quantum_rate, token_chars_min));
            hex(&md5(profiles.collect::<String>().as_bytes()))
        }
    }
}

/// The query of the other documents of this signature.
fn alike(name: &str, signature: &str, draft: &Draft, passing: &ProcessorContext<'_>) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let key = passing.targets.schema().unique_key.clone();
    let own = key.and_then(|key| {
        let id = draft.fields.iter().find(|field| field.name == key)?.shown();
        Some(format!(" -{key}:{}", quoted(&id)))
    });
    format!("+{name}:{}{}", quoted(signature), own.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_solrs() {
        let check = |kind, texts: &[&str], expected: &str| {
            let found = signature(kind, texts.iter().map(|text| (*text).to_owned()));
            assert_eq!(found, expected, "{kind:?} {texts:?}");
        };
        let (lookup3, md5) = (SignatureKind::Lookup3, SignatureKind::Md5);
        let profile = SignatureKind::TextProfile { quantum_rate: 0.01, token_chars_min: 2 };
        let fine = SignatureKind::TextProfile { quantum_rate: 0.5, token_chars_min: 4 };
        let fox = ["name_s", "The quick brown fox jumps over the lazy dog the fox the dog the the fox"];
        let umlauts = ["feature_ss", "a b c", "name_s", "Grüße 😀"];
        check(lookup3, &[], "0000000000000000");
        check(lookup3, &["name_s", "x"], "37c870a818fae29e");
        check(lookup3, &["n_i", "5"], "1c94776c8c7697cd");
        check(lookup3, &umlauts, "966cfb26fcbf1341");
        check(lookup3, &fox, "345228143da3084b");
        check(md5, &[], "d41d8cd98f00b204e9800998ecf8427e");
        check(md5, &["name_s", "x"], "e03fa34188169b98b9d0a22e9e403b3a");
        check(md5, &umlauts, "0208ed692a0a39f0bf62bcf87ec090b6");
        check(md5, &fox, "62990feae2453799fabf2497a5d442a5");
        check(profile, &["name_s", "x"], "e1576def4efe47bf8f3cb0231281dde4");
        check(
            profile,
            &["feature_ss", "p", "q", "n_i", "5", "name_s", "x"],
            "2a0c3884fe0050c672882e777bca5bbb",
        );
        check(profile, &umlauts, "ebc1239a0f91f549af875db8e79d9ef1");
        check(profile, &fox, "961ef8b665ac6c716fd3685e28a59ec5");
        check(fine, &["feature_ss", "name_s", "only"], "8a3debf46c45cca194d41d26755560bb");
        check(fine, &fox, "9e9342a089b3dcde6c583fd80554d6b1");
    }
}
