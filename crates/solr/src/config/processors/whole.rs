//! Processors of whole documents and of requests: defaults, copies, signatures, times to live, revisions,
//! errors. In: the XML of a processor; out: settings of the plan (`plan::Processor`), checked by name. What
//! is done with them is `crates/solr/src/update/processors/whole.rs`.

use plan::{
    CloneDest, DefaultValue, Expiry, FieldChoice, FieldConditions, FieldDefault, Processor, Result, Revising,
    SignatureKind, Signing,
};

use super::fields::{self, pattern};
use crate::config::refusal::wrong;
use crate::config::settings::{Settings, check_known, required};
use crate::xml_tree::Element;

pub(super) fn default_value(element: &Element) -> Result<Processor> {
    let settings = Settings::of(element);
    check_known(&settings, &["fieldName", "value"])?;
    let field = required(&settings, "fieldName")?.to_owned();
    let value = settings.raw("value").ok_or_else(|| wrong("Init param is missing: `value`"))?;
    Ok(Processor::Default { field: Some(field), value: DefaultValue::Text(value.to_owned()) })
}

pub(super) fn timestamp(element: &Element) -> Result<Processor> {
    let settings = Settings::of(element);
    check_known(&settings, &["fieldName"])?;
    let field = required(&settings, "fieldName")?.to_owned();
    Ok(Processor::Default { field: Some(field), value: DefaultValue::Now })
}

pub(super) fn uuid(element: &Element) -> Result<Processor> {
    let settings = Settings::of(element);
    check_known(&settings, &["fieldName"])?;
    Ok(Processor::Default { field: settings.text("fieldName"), value: DefaultValue::Uuid })
}

pub(super) fn limit_fields(element: &Element) -> Result<Processor> {
    let settings = Settings::of(element);
    required(&settings, "maxFields")?;
    let fields_max = settings.number("maxFields")?.unwrap_or_default();
    Ok(Processor::LimitFields { fields_max, warn_only: settings.switch("warnOnly", false) })
}

pub(super) fn tolerant(element: &Element) -> Result<Processor> {
    let errors_max = match Settings::of(element).get("maxErrors") {
        None | Some("-1") => None,
        Some(text) => Some(
            text.parse()
                .map_err(|_| wrong(&format!("`maxErrors` is `{text}`; write a whole number from -1 up")))?,
        ),
    };
    Ok(Processor::Tolerate { errors_max })
}

pub(super) fn skip_existing(element: &Element) -> Result<Processor> {
    let settings = Settings::of(element);
    check_known(&settings, &["skipInsertIfExists", "skipUpdateIfMissing"])?;
    Ok(Processor::SkipExisting {
        inserts: settings.switch("skipInsertIfExists", true),
        updates: settings.switch("skipUpdateIfMissing", true),
    })
}

pub(super) fn ignore_commits(element: &Element) -> Result<Processor> {
    const STATUS: u16 = 403;
    let settings = Settings::of(element);
    check_known(&settings, &["statusCode", "responseMessage", "ignoreOptimizeOnly"])?;
    let status = settings.number("statusCode")?.unwrap_or(STATUS);
    if status != 200 && !(400..600).contains(&status) {
        return Err(wrong(&format!("`statusCode` is `{status}`; use 200 or the code of an error")));
    }
    Ok(Processor::IgnoreCommits {
        status,
        message: settings.text("responseMessage"),
        optimize_only: settings.switch("ignoreOptimizeOnly", false),
    })
}

pub(super) fn signature(element: &Element) -> Result<Processor> {
    let settings = Settings::of(element);
    if !settings.switch("enabled", true) {
        return Ok(Processor::Nothing);
    }
    let names = settings.get("fields").unwrap_or_default().split(',').map(str::trim);
    let mut fields: Vec<String> = names.filter(|name| !name.is_empty()).map(str::to_owned).collect();
    fields.sort_unstable();
    let class = settings.get("signatureClass").unwrap_or("Lookup3Signature");
    let kind = match class.rsplit('.').next().unwrap_or(class) {
        "Lookup3Signature" => SignatureKind::Lookup3,
        "MD5Signature" => SignatureKind::Md5,
        "TextProfileSignature" => SignatureKind::TextProfile {
            quantum_rate: settings.number("quantRate")?.unwrap_or(0.01),
            token_chars_min: settings.number("minTokenLen")?.unwrap_or(2),
        },
        _ => {
            return Err(wrong(&format!(
                "there is no signatureClass `{class}`; use Lookup3Signature, MD5Signature or TextProfileSignature"
            )));
        }
    };
    let field = settings.get("signatureField").unwrap_or("signatureField").to_owned();
    Ok(Processor::Sign(Signing { field, fields, kind, overwrite: settings.switch("overwriteDupes", true) }))
}

pub(super) fn expiration(element: &Element) -> Result<Processor> {
    const TTL: &str = "_ttl_";
    let settings = Settings::of(element);
    check_known(
        &settings,
        &[
            "expirationFieldName",
            "ttlFieldName",
            "ttlParamName",
            "autoDeletePeriodSeconds",
            "autoDeleteChainName",
        ],
    )?;
    let field =
        settings.text("expirationFieldName").ok_or_else(|| wrong("Must specify `expirationFieldName`"))?;
    let or_standard = |name: &str| match element.children.iter().any(|it| it.attribute("name") == Some(name))
    {
        true => settings.text(name),
        false => Some(TTL.to_owned()),
    };
    let delete_every_s: Option<u64> = settings.number("autoDeletePeriodSeconds")?;
    if delete_every_s == Some(0) {
        return Err(wrong("`autoDeletePeriodSeconds` is `0`; use 1 or more"));
    }
    Ok(Processor::Expire(Expiry {
        field,
        ttl_field: or_standard("ttlFieldName"),
        ttl_param: or_standard("ttlParamName"),
        delete_every_s,
    }))
}

pub(super) fn revisions(element: &Element) -> Result<Processor> {
    let settings = Settings::of(element);
    check_known(
        &settings,
        &[
            "versionField",
            "ignoreOldUpdates",
            "deleteVersionParam",
            "supportMissingVersionOnOldDocs",
            "tombstoneConfig",
        ],
    )?;
    let listed = |name: &str| -> Vec<String> {
        let names = settings.get(name).unwrap_or_default().split(',').map(str::trim);
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    let (fields, delete_params) = (listed("versionField"), listed("deleteVersionParam"));
    if fields.is_empty() {
        return Err(wrong("Please specify at least one `versionField`"));
    }
    if !delete_params.is_empty() && delete_params.len() != fields.len() {
        return Err(wrong("`versionField` and `deleteVersionParam` name a different number of things"));
    }
    let marks = element.children.iter().find(|it| it.attribute("name") == Some("tombstoneConfig"));
    let mark_fields = marks.into_iter().flat_map(|it| &it.children);
    let mark_fields =
        mark_fields.filter_map(|it| Some((it.attribute("name")?.to_owned(), it.trimmed().to_owned())));
    Ok(Processor::Revise(Revising {
        fields,
        ignore_old: settings.switch("ignoreOldUpdates", false),
        delete_params,
        missing_allowed: settings.switch("supportMissingVersionOnOldDocs", false),
        mark_fields: mark_fields.collect(),
    }))
}

/// `source` is one or more names, a list of them, or conditions; `dest` a name, or a pattern of the source's
/// with its replacement; or both at once as `pattern` and `replacement`.
pub(super) fn clone_field(element: &Element) -> Result<Processor> {
    let settings = Settings::of(element);
    check_known(&settings, &["source", "dest", "pattern", "replacement"])?;
    let renamed = |settings: &Settings<'_>| {
        let source = pattern(required(settings, "pattern")?)?;
        let replacement = settings.raw("replacement").unwrap_or_default().to_owned();
        crate::update::compile_replacement(&source, &replacement, false).map_err(|it| wrong(&it.message))?;
        Ok::<_, plan::Error>(CloneDest::Renamed { pattern: source, replacement })
    };
    if settings.get("pattern").is_some() {
        let dest = renamed(&settings)?;
        let all = FieldChoice { otherwise: FieldDefault::All, ..FieldChoice::default() };
        return Ok(Processor::Clone { fields: all, dest });
    }
    let child = |name: &str| element.children.iter().find(|it| it.attribute("name") == Some(name));
    let fields = match child("source") {
        None => return Err(wrong("Init param is missing: `source`")),
        Some(list) if list.name == "lst" => fields::read(list, FieldDefault::All)?,
        Some(_) => {
            let names = fields::texts(element, "source");
            let wanted = Some(FieldConditions { names, ..FieldConditions::default() });
            FieldChoice { wanted, ..FieldChoice::default() }
        }
    };
    let dest = match child("dest") {
        None => return Err(wrong("Init param is missing: `dest`")),
        Some(list) if list.name == "lst" => renamed(&Settings::of(list))?,
        Some(name) => CloneDest::Field(name.trimmed().to_owned()),
    };
    Ok(Processor::Clone { fields, dest })
}
