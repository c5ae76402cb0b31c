//! Amounts of money: `amount,CODE` as written, whole amounts in the smallest unit of the currency as kept,
//! and exchange by rates. The rules, down to where an amount is cut, are those of Solr's `CurrencyFieldType`
//! (9.10.1).

use std::fmt::{Display, Formatter};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, RootCause};
use crate::schema::class::FieldClass;
use crate::schema::field::FieldType;

/// An amount of one currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Money {
    /// In the currency's smallest unit.
    pub amount: i64,
    pub code: String,
}

/// Currencies whose smallest unit is not the hundredth part (ISO 4217), with its decimal places.
const FRACTIONS: &[(i32, &str)] = &[
    (
        0,
        "ADP BIF BYB BYR CLP DJF ESP GNF GWP ISK ITL JPY KMF KRW LUF MGF PYG RWF TPE TRL UGX UYI VND VUV XAF XOF XPF",
    ),
    (3, "BHD IQD JOD KWD LYD OMR TND"),
    (4, "CLF UYW"),
    (-1, "XAG XAU XBA XBB XBC XBD XDR XFO XFU XPD XPT XSU XTS XUA XXX"),
];

/// Decimal places of a currency.
pub fn fraction_digits(code: &str) -> i32 {
    let found = FRACTIONS.iter().find(|(_, codes)| codes.split(' ').any(|known| known == code));
    found.map_or(2, |(digits, _)| *digits)
}

impl Money {
    /// Reads `amount,CODE`, or an amount in the default currency. Messages are Solr's.
    pub fn parse(text: &str, default: &str) -> Result<Self> {
        let (amount, code) = text.split_once(',').unwrap_or((text, default));
        let code = code.split(',').next().unwrap_or(code);
        if code.is_empty() {
            return Err(Error::bad_request("Index 1 out of bounds for length 1"));
        }
        check_currency_code(code)?;
        let number =
            crate::schema::coerce::coerce(&crate::value::Value::Str(amount.to_owned()), FieldClass::Double);
        let Ok(crate::value::Value::Double(number)) = number else {
            let class = "java.lang.NumberFormatException";
            let message = match amount.trim() {
                "" => format!("{class}: empty String"),
                _ => format!("{class}: For input string: \"{amount}\""),
            };
            return Err(Error::bad_request(message).with_root(RootCause::NumberFormat));
        };
        let amount = (number * 10f64.powi(fraction_digits(code)) + 0.5).floor() as i64;
        Ok(Self { amount, code: code.to_owned() })
    }

    /// As `text`, with its currency. Solr differs: an atomic update of a price can find no column for its
    /// amount, an error 400 (`compat/query/currency.yaml`).
    pub fn complete(text: &str, default: &str) -> String {
        let text = text.trim();
        if text.contains(',') { text.to_owned() } else { format!("{text},{default}") }
    }
}

/// As Solr writes it, with a point also where the currency has no smaller unit.
impl Display for Money {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        let digits = usize::try_from(fraction_digits(&self.code)).unwrap_or(0);
        let text = format!("{:0width$}", self.amount.unsigned_abs(), width = digits + 1);
        let (whole, fraction) =
            text.split_at_checked(text.len().saturating_sub(digits)).unwrap_or((&text, ""));
        let sign = if self.amount < 0 { "-" } else { "" };
        write!(out, "{sign}{whole}.{fraction},{}", self.code)
    }
}

/// In order: the codes of ISO 4217, past ones too, as `java.util.Currency` of JDK 25 lists them.
const CODES: &str = "ADP AED AFA AFN ALL AMD ANG AOA ARS ATS AUD AWG AYM AZM AZN BAM BBD BDT BEF BGL BGN BHD BIF BMD \
     BND BOB BOV BRL BSD BTN BWP BYB BYN BYR BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CSD CUC \
     CUP CVE CYP CZK DEM DJF DKK DOP DZD EEK EGP ERN ESP ETB EUR FIM FJD FKP FRF GBP GEL GHC GHS GIP \
     GMD GNF GRD GTQ GWP GYD HKD HNL HRK HTG HUF IDR IEP ILS INR IQD IRR ISK ITL JMD JOD JPY KES KGS \
     KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LTL LUF LVL LYD MAD MDL MGA MGF MKD MMK MNT MOP \
     MRO MRU MTL MUR MVR MWK MXN MXV MYR MZM MZN NAD NGN NIO NLG NOK NPR NZD OMR PAB PEN PGK PHP PKR \
     PLN PTE PYG QAR ROL RON RSD RUB RUR RWF SAR SBD SCR SDD SDG SEK SGD SHP SIT SKK SLE SLL SOS SRD \
     SRG SSP STD STN SVC SYP SZL THB TJS TMM TMT TND TOP TPE TRL TRY TTD TWD TZS UAH UGX USD USN USS \
     UYI UYU UZS VEB VED VEF VES VND VUV WST XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XFO XFU XOF XPD \
     XPF XPT XSU XTS XUA XXX YER YUM ZAR ZMK ZMW ZWD ZWG ZWL ZWN ZWR";

/// Whether it is a currency's. Errors: `BadRequest`, in Solr's words.
pub fn check_currency_code(code: &str) -> Result<()> {
    match is_currency_code(code) {
        true => Ok(()),
        false => Err(Error::bad_request(format!("Currency code not supported by this JVM: {code}"))),
    }
}

pub fn is_currency_code(code: &str) -> bool {
    let place = |at: usize| CODES.get(at * 4..at * 4 + 3).unwrap_or_default();
    let (mut low, mut high) = (0, CODES.len().div_ceil(4));
    while low < high {
        let middle = low + (high - low) / 2;
        if place(middle) < code {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    !code.is_empty() && place(low) == code
}

/// How much of one currency another is worth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurrencyRates {
    /// From, to, and how much of the latter one of the former is.
    pub rates: Vec<(String, String, f64)>,
}

impl CurrencyRates {
    /// As given, or the other way around; never by way of a third.
    pub fn rate(&self, from: &str, to: &str) -> Result<f64> {
        let given = |from: &str, to: &str| {
            self.rates.iter().rev().find(|(one, other, _)| one == from && other == to).map(|(.., rate)| *rate)
        };
        if from == to {
            return Ok(1.0);
        }
        given(from, to)
            .or_else(|| given(to, from).map(|rate| 1.0 / rate))
            .ok_or_else(|| Error::bad_request(format!("No available conversion rate between {from} to {to}")))
    }

    /// The amount in another currency.
    pub fn convert(&self, money: &Money, to: &str) -> Result<i64> {
        let rate = self.rate(&money.code, to)?;
        Ok(exchanged(money.amount, rate, fraction_digits(to) - fraction_digits(&money.code)))
    }
}

/// An amount at a rate, in a currency with this many more decimal places; what is left of the smallest unit
/// is lost.
pub fn exchanged(amount: i64, rate: f64, more_digits: i32) -> i64 {
    let factor = if more_digits < 0 { 0.1 } else { 10.0 };
    (0..more_digits.abs()).fold(amount as f64 * rate, |value, _| value * factor) as i64
}

impl FieldType {
    /// The fields that hold the amount and the code of a field of this type, if it is a currency's and names
    /// them.
    pub fn money_fields(&self, name: &str) -> Option<(String, String)> {
        let part = |argument: &str| Some(format!("{name}___{}", self.argument(argument)?));
        if self.class != FieldClass::Currency {
            return None;
        }
        Some((part("amountLongSuffix")?, part("codeStrSuffix")?))
    }

    /// The currency of amounts that name none.
    pub fn default_currency(&self) -> &str {
        self.argument("defaultCurrency").unwrap_or("USD")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_reads_as_in_solr() {
        let check = |text: &str, expected: Option<(i64, &str)>| {
            let found = Money::parse(text, "USD").ok();
            assert_eq!(found.as_ref().map(|money| (money.amount, money.code.as_str())), expected, "{text}");
        };
        check("10.00,EUR", Some((1000, "EUR")));
        check("7.5", Some((750, "USD")));
        check("1000,JPY", Some((1000, "JPY")));
        check("0.005", Some((1, "USD")));
        check("-2,USD", Some((-200, "USD")));
        check("1e30,USD", Some((i64::MAX, "USD")));
        check("x,USD", None);
        check("5,", None);
        check(",USD", None);
        check("5,usd", None);
        check("5,ZZZ", None);
        check("5,ADP", Some((5, "ADP")));
        check("5,ZWR", Some((500, "ZWR")));
        check("5,DP ", None);
    }

    #[test]
    fn money_is_written_as_in_solr() {
        let check = |amount, code: &str, expected: &str| {
            assert_eq!(Money { amount, code: code.to_owned() }.to_string(), expected);
        };
        check(1000, "USD", "10.00,USD");
        check(0, "EUR", "0.00,EUR");
        check(-5, "USD", "-0.05,USD");
        check(1000, "JPY", "1000.,JPY");
        check(1, "XXX", "1.,XXX");
    }

    #[test]
    fn rates_lead_both_ways_but_no_further() {
        let rate = |from: &str, to: &str, rate| (from.to_owned(), to.to_owned(), rate);
        let rates = CurrencyRates { rates: vec![rate("USD", "EUR", 0.5), rate("USD", "JPY", 100.0)] };
        let money = |amount, code: &str| Money { amount, code: code.into() };
        assert_eq!(rates.convert(&money(1000, "USD"), "EUR").ok(), Some(500));
        assert_eq!(rates.convert(&money(1000, "EUR"), "USD").ok(), Some(2000));
        assert_eq!(rates.convert(&money(1000, "USD"), "JPY").ok(), Some(1000));
        assert!(rates.convert(&money(1, "EUR"), "JPY").is_err());
    }
}
