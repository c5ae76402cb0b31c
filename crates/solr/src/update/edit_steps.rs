//! The steps behind the shard for documents that edits have made: the shard hands each over when it has
//! merged it, the steps see it whole, and it is typed anew. In: the merged document as the shard has it, with
//! typed values; out: another, typed under the schema that the request began with. No step can ask for a
//! field that is not there: the request is over by then.

use std::sync::Arc;

use plan::{Conditions, Document, Error, Result, Schema, Value};

use crate::date_math::DateMath;
use crate::params::Params;
use crate::update::chain_choice::Route;
use crate::update::command::RawValue;
use crate::update::convert::{Conversion, NewUuid};
use crate::update::document::{Field, Targets, Typing};
use crate::update::processors::{Draft, ProcessorContext, Renamed};

/// What an edited document passes, with what the request said of it.
pub struct EditSteps {
    pub(super) route: Arc<Route>,
    pub(super) schema: Arc<Schema>,
    pub(super) params: Params,
    pub(super) dates: DateMath,
    pub(super) new_uuid: NewUuid,
}

impl std::fmt::Debug for EditSteps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EditSteps({})", self.route.after.len())
    }
}

impl EditSteps {
    /// The document to index instead.
    pub fn take(&self, id: &str, document: Document) -> Result<Document> {
        let fields = document.fields.into_iter().map(|(name, values)| {
            let listed = values.len() != 1;
            Field { name, values: values.into_iter().map(raw).collect(), listed }
        });
        let mut draft =
            Draft { fields: fields.collect(), overwrite: true, conditions: Conditions::default() };
        let mut targets = Targets::new(self.schema.clone());
        let conversion = Conversion { dates: &self.dates, new_uuid: &self.new_uuid };
        let (mut grown, mut renamed) = (false, Renamed::new());
        for step in &self.route.after {
            let mut passing = ProcessorContext {
                targets: &mut targets,
                conversion,
                params: &self.params,
                // No limit of fields is checked here: an edit that would grow the schema is refused below.
                count_fields: &|| 0,
                grown: &mut grown,
                renamed: &mut renamed,
                parse_query: &|_| {
                    Err(Error::bad_request(
                        "duplicates of an edited document cannot be replaced; sign documents before DistributedUpdateProcessorFactory",
                    ))
                },
            };
            step.add(&mut draft, &mut passing)?;
        }
        // The shard holds the document already; a schema can only be proposed before that.
        if grown {
            return Err(Error::bad_request(
                "an edited document cannot add fields to the schema; put AddSchemaFieldsUpdateProcessorFactory before DistributedUpdateProcessorFactory",
            ));
        }
        Typing { conversion, targets: &mut targets }.document(id, draft.fields)
    }
}

fn raw(value: Value) -> RawValue {
    match value {
        Value::Str(text) => RawValue::Str(text),
        Value::Int(number) => RawValue::Long(number.into()),
        Value::Long(number) => RawValue::Long(number),
        Value::Float(number) => RawValue::Float(number),
        Value::Double(number) => RawValue::Double(number),
        Value::Bool(flag) => RawValue::Bool(flag),
        Value::Date(ms) => RawValue::Date(ms),
        Value::Bytes(bytes) => RawValue::Bytes(bytes),
        Value::Enum(value) => RawValue::Str(value.name.to_string()),
    }
}
