//! The schema that this module's tests share: one dynamic field for each kind of value, in few lines.

use std::sync::Arc;

use plan::Schema;

use crate::schema;

const SCHEMA: &str = r#"<schema name="test" version="1.7"><uniqueKey>id</uniqueKey>
  <fieldType name="string" class="solr.StrField"/>
  <fieldType name="strings" class="solr.StrField" multiValued="true"/>
  <fieldType name="text_general" class="solr.TextField" multiValued="true">
    <analyzer><tokenizer name="standard"/></analyzer></fieldType>
  <fieldType name="booleans" class="solr.BoolField" multiValued="true"/>
  <fieldType name="boolean" class="solr.BoolField"/>
  <fieldType name="pint" class="solr.IntPointField"/>
  <fieldType name="plong" class="solr.LongPointField"/>
  <fieldType name="plongs" class="solr.LongPointField" multiValued="true"/>
  <fieldType name="pfloat" class="solr.FloatPointField"/>
  <fieldType name="pdouble" class="solr.DoublePointField"/>
  <fieldType name="pdoubles" class="solr.DoublePointField" multiValued="true"/>
  <fieldType name="pdate" class="solr.DatePointField"/>
  <fieldType name="pdates" class="solr.DatePointField" multiValued="true"/>
  <fieldType name="binary" class="solr.BinaryField"/>
  <fieldType name="uuid" class="solr.UUIDField"/>
  <fieldType name="location" class="solr.LatLonPointSpatialField"/>
  <field name="id" type="string" required="true"/>
  <field name="_version_" type="plong" indexed="false" stored="false"/>
  <field name="req" type="string" required="true" default="filled"/>
  <field name="day" type="pdate" default="NOW/DAY"/>
  <field name="src" type="string"/><field name="cpi" type="pint"/><copyField source="src" dest="cpi"/>
  <dynamicField name="*_s" type="string"/><dynamicField name="*_ss" type="strings"/>
  <dynamicField name="*_str" type="strings" indexed="false" stored="false"/>
  <dynamicField name="*_t" type="text_general" multiValued="false"/>
  <dynamicField name="*_b" type="boolean"/><dynamicField name="*_i" type="pint"/>
  <dynamicField name="*_is" type="pint" multiValued="true"/><dynamicField name="*_l" type="plong"/>
  <dynamicField name="*_f" type="pfloat"/><dynamicField name="*_d" type="pdouble"/>
  <dynamicField name="*_dt" type="pdate"/><dynamicField name="*_bin" type="binary"/>
  <dynamicField name="*_uuid" type="uuid"/><dynamicField name="*_p" type="location"/>
</schema>"#;

pub fn schema() -> Arc<Schema> {
    Arc::new(schema::validate(&schema::load(SCHEMA, &|_| None).unwrap()).unwrap())
}
