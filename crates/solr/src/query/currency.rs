//! Prices in queries: `price:[5 TO 12,EUR]` compares in the currency that it names, an exact price in the
//! field's own; both by the rates of a file of the configset (`currencyConfig`). Messages are Solr's,
//! recorded from 9.10.1.

use std::ops::Bound;
use std::sync::Arc;

use plan::{CurrencyOf, CurrencyRates, Error, FieldClass, Function, Money, Query, Result, Value};

use super::context::{Field, QueryContext};
use super::field::RangeText;
use crate::xml_tree;

/// A currency field's parts.
struct Prices<'a> {
    field: &'a Field,
    amount: Arc<str>,
    code: Arc<str>,
    rates: Arc<CurrencyRates>,
}

impl QueryContext<'_> {
    /// The field's amounts in the smallest unit of its own currency, by which it sorts.
    pub(crate) fn currency_raw(&self, field: &Field) -> Result<Function> {
        let default = field.spec.field_type.default_currency();
        Ok(Function::Currency(Box::new(self.prices(field)?.in_currency(default, None))))
    }

    /// The field's amounts in a currency, by default its own: by way of its own.
    pub(crate) fn currency(&self, field: &Field, shown: Option<&str>) -> Result<Function> {
        let (prices, default) = (self.prices(field)?, field.spec.field_type.default_currency());
        let shown = shown.unwrap_or(default);
        plan::check_currency_code(shown)?;
        let rate = prices.rates.rate(default, shown)?;
        Ok(Function::Currency(Box::new(prices.in_currency(default, Some((shown.to_owned(), rate))))))
    }

    /// Documents with that very amount, when exchanged into the field's own currency.
    pub(super) fn price_query(&self, field: &Field, text: &str) -> Result<Query> {
        let prices = self.prices(field)?;
        let default = field.spec.field_type.default_currency();
        let amount = prices.rates.convert(&Money::parse(text, default)?, default)?;
        let bound = || Bound::Included(Value::Double(amount as f64));
        Ok(prices.between(default, bound(), bound()))
    }

    /// The field's amounts in the smallest unit of a currency, by which ranges count them.
    pub(crate) fn amounts_in(&self, field: &Field, code: &str) -> Result<CurrencyOf> {
        Ok(self.prices(field)?.in_currency(code, None))
    }

    pub(super) fn price_range(&self, field: &Field, range: &RangeText<'_>) -> Result<Query> {
        let prices = self.prices(field)?;
        let default = field.spec.field_type.default_currency();
        let money = |text: Option<&str>| text.map(|text| Money::parse(text, default)).transpose();
        let (lower, upper) = (money(range.lower)?, money(range.upper)?);
        // An open range names no currency to compare in; any price then lies in it.
        let Some(code) = lower.as_ref().or(upper.as_ref()).map(|money| money.code.clone()) else {
            return self.any_price(field);
        };
        if upper.as_ref().is_some_and(|upper| upper.code != code) {
            return Err(Error::bad_request(format!(
                "Cannot parse range query {} to {}: range queries only supported when upper and lower bound have same currency.",
                range.lower.unwrap_or("*"),
                range.upper.unwrap_or("*")
            )));
        }
        let bound = |money: Option<Money>, inclusive: bool| match money {
            None => Bound::Unbounded,
            Some(money) if inclusive => Bound::Included(Value::Double(money.amount as f64)),
            Some(money) => Bound::Excluded(Value::Double(money.amount as f64)),
        };
        Ok(prices.between(&code, bound(lower, range.lower_inclusive), bound(upper, range.upper_inclusive)))
    }

    pub(super) fn any_price(&self, field: &Field) -> Result<Query> {
        Ok(Query::Exists { field: self.prices(field)?.amount })
    }

    fn prices<'f>(&self, field: &'f Field) -> Result<Prices<'f>> {
        let kind = &field.spec.field_type;
        let incomplete = || {
            Error::bad_request(format!(
                "field type `{}` needs `amountLongSuffix` and `codeStrSuffix`, of fields with columns; declare them",
                kind.name
            ))
        };
        let (amount, code) = kind.money_fields(&field.name).ok_or_else(incomplete)?;
        let (amount, code) = (self.field(&amount)?, self.field(&code)?);
        if amount.spec.class() != FieldClass::Long || code.spec.class() != FieldClass::Str {
            return Err(incomplete());
        }
        let rates = Arc::new(self.rates(field)?);
        Ok(Prices { field, amount: amount.name, code: code.name, rates })
    }

    fn rates(&self, field: &Field) -> Result<CurrencyRates> {
        let kind = &field.spec.field_type;
        let missing = || {
            Error::bad_request(format!(
                "field type `{}` has no `currencyConfig`; name a file of rates, other providers are not supported",
                kind.name
            ))
        };
        let name = kind.argument("currencyConfig").ok_or_else(missing)?;
        let text = self.schema.source.resources.get(name).ok_or_else(missing)?;
        let root = xml_tree::parse(name, text, &|_| None)?;
        let rates = root.all("rates").flat_map(|rates| rates.all("rate")).map(|rate| {
            let part = |part: &str| rate.attribute(part).map(str::to_owned);
            let read = || Some((part("from")?, part("to")?, part("rate")?.parse::<f64>().ok()?));
            let wrong =
                || Error::bad_request(format!("`{name}` holds a rate without `from`, `to` or a number"));
            // A rate of zero or less would turn prices round or make them all alike.
            read().filter(|(.., rate)| rate.is_finite() && *rate > 0.0).ok_or_else(wrong)
        });
        Ok(CurrencyRates { rates: rates.collect::<Result<_>>()? })
    }
}

impl Prices<'_> {
    fn in_currency(&self, target: &str, shown: Option<(String, f64)>) -> CurrencyOf {
        CurrencyOf {
            field: self.field.name.clone(),
            amount: self.amount.clone(),
            code: self.code.clone(),
            rates: self.rates.clone(),
            target: target.to_owned(),
            shown,
        }
    }

    /// Solr differs: its debug output tells the range (`compat/query/currency.yaml`).
    fn between(&self, target: &str, lower: Bound<Value>, upper: Bound<Value>) -> Query {
        self.in_currency(target, None).between(lower, upper)
    }
}
