//! Update processors by their classes: a table from Solr's class to the reader of its settings. What a class
//! does not know is refused, and so is what could only be found out when documents come, such as a pattern
//! that does not parse.

mod fields;
mod mutators;
mod types;
mod whole;

use plan::{Processor, Result};

use crate::config::refusal::wrong;
use crate::xml_tree::Element;

/// A class and how its element becomes a processor.
struct Class {
    name: &'static str,
    read: fn(&Element) -> Result<Processor>,
}

const fn class(name: &'static str, read: fn(&Element) -> Result<Processor>) -> Class {
    Class { name, read }
}

const CLASSES: &[Class] = &[
    class("AddSchemaFieldsUpdateProcessorFactory", types::add_fields),
    class("AtomicUpdateProcessorFactory", |it| by_request(it, Processor::EditByParameters)),
    class("CloneFieldUpdateProcessorFactory", whole::clone_field),
    class("ConcatFieldUpdateProcessorFactory", mutators::concat),
    class("CountFieldValuesUpdateProcessorFactory", mutators::count),
    class("DefaultValueUpdateProcessorFactory", whole::default_value),
    class("DistributedUpdateProcessorFactory", |_| Ok(Processor::Distribute)),
    class("DocBasedVersionConstraintsProcessorFactory", whole::revisions),
    class("DocExpirationUpdateProcessorFactory", whole::expiration),
    class("FieldLengthUpdateProcessorFactory", mutators::length),
    class("FieldNameMutatingUpdateProcessorFactory", mutators::rename),
    class("FirstFieldValueUpdateProcessorFactory", mutators::first),
    class("HTMLStripFieldUpdateProcessorFactory", mutators::strip_html),
    class("IgnoreCommitOptimizeUpdateProcessorFactory", whole::ignore_commits),
    class("IgnoreFieldUpdateProcessorFactory", mutators::ignore),
    class("LastFieldValueUpdateProcessorFactory", mutators::last),
    class("LogUpdateProcessorFactory", |_| Ok(Processor::Nothing)),
    class("MaxFieldValueUpdateProcessorFactory", mutators::greatest),
    class("MinFieldValueUpdateProcessorFactory", mutators::least),
    class("NestedUpdateProcessorFactory", |_| Ok(Processor::Nothing)),
    class("NoOpDistributingUpdateProcessorFactory", |_| Ok(Processor::Distribute)),
    class("NumFieldLimitingUpdateRequestProcessorFactory", whole::limit_fields),
    class("ParseBooleanFieldUpdateProcessorFactory", types::parse_bool),
    class("ParseDateFieldUpdateProcessorFactory", types::parse_date),
    class("ParseDoubleFieldUpdateProcessorFactory", types::parse_double),
    class("ParseFloatFieldUpdateProcessorFactory", types::parse_float),
    class("ParseIntFieldUpdateProcessorFactory", types::parse_int),
    class("ParseLongFieldUpdateProcessorFactory", types::parse_long),
    class("RegexReplaceProcessorFactory", mutators::replace),
    class("RemoveBlankFieldUpdateProcessorFactory", mutators::remove_blank),
    class("RunUpdateProcessorFactory", |_| Ok(Processor::Run)),
    class("SignatureUpdateProcessorFactory", whole::signature),
    class("SkipExistingDocumentsProcessorFactory", whole::skip_existing),
    class("TemplateUpdateProcessorFactory", |it| by_request(it, Processor::Templates)),
    class("TimestampUpdateProcessorFactory", whole::timestamp),
    class("TolerantUpdateProcessorFactory", whole::tolerant),
    class("TrimFieldUpdateProcessorFactory", mutators::trim),
    class("TruncateFieldUpdateProcessorFactory", mutators::truncate),
    class("UniqFieldsUpdateProcessorFactory", mutators::unique),
    class("UUIDUpdateProcessorFactory", whole::uuid),
];

/// Classes of Solr that are not served, and not meant to be: they run code, call models or other servers.
const NOT_SERVED: &[&str] = &[
    "ClassificationUpdateProcessorFactory",
    "LangDetectLanguageIdentifierUpdateProcessorFactory",
    "OpenNLPExtractNamedEntitiesUpdateProcessorFactory",
    "OpenNLPLangDetectUpdateProcessorFactory",
    "PreAnalyzedUpdateProcessorFactory",
    "RegexpBoostProcessorFactory",
    "ScriptUpdateProcessorFactory",
    "StatelessScriptUpdateProcessorFactory",
    "TextToVectorUpdateProcessorFactory",
    "TikaLanguageIdentifierUpdateProcessorFactory",
    "URLClassifyProcessorFactory",
];

/// One that goes by what a request says. Solr differs: it takes settings of these for parameters that no
/// request names.
fn by_request(element: &Element, processor: Processor) -> Result<Processor> {
    match element.children.first() {
        None => Ok(processor),
        Some(setting) => Err(wrong(&format!(
            "the setting `{}` is not supported; send it with updates, or preset it in the handler's `defaults`",
            setting.attribute("name").unwrap_or(&setting.name)
        ))),
    }
}

/// Whether there is a class of this short name.
pub(super) fn serves(class: &str) -> bool {
    CLASSES.iter().any(|known| known.name == class)
}

/// Reads a `<processor>` or `<updateProcessor>`.
pub(super) fn read(element: &Element) -> Result<Processor> {
    let class = element.attribute("class").ok_or_else(|| wrong("an update processor has no `class`"))?;
    if element.attribute("runtimeLib").is_some() {
        return Err(wrong(&format!("`{class}`: code from other places is not loaded; remove `runtimeLib`")));
    }
    let short = class.rsplit('.').next().unwrap_or(class);
    match CLASSES.iter().find(|known| known.name == short) {
        Some(known) => (known.read)(element).map_err(|error| error.context(format!("`{class}`: "))),
        None if NOT_SERVED.contains(&short) => Err(wrong(&format!(
            "update processor `{class}` is not supported; take it out of the chain, and do its work before you send documents"
        ))),
        None => Err(wrong(&format!("there is no update processor `{class}`; take it out of the chain"))),
    }
}
