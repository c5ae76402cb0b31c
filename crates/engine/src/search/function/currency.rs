//! Amounts of money in one currency: `currency()`, and what prices are compared and sorted by. Rates are
//! looked up once for each currency that a segment knows.
//!
//! In: the columns of amounts (in the smallest units) and of codes, and the rates that came with the plan;
//! out: amounts in the target currency. Reading rates from files and providers is done above the engine.

use plan::{CurrencyOf, Result, exchanged, fraction_digits};
use tantivy::columnar::Column;
use tantivy::{DocId, SegmentReader};

use crate::errors::from_tantivy;
use crate::search::columns::SegmentColumns;
use crate::segment::columns::AnyColumn;

/// Ready for any segment.
pub(crate) struct LoweredCurrency {
    pub(super) money: CurrencyOf,
    pub(super) amounts: Option<SegmentColumns>,
    pub(super) codes: Option<SegmentColumns>,
}

/// The same in one segment.
pub(crate) struct Currency {
    amounts: Option<Column<i64>>,
    codes: Option<Column<u64>>,
    /// By the number of the currency: rate, and how many decimal places the target has more. `None` is the
    /// target.
    exchanges: Vec<Option<(f64, i32)>>,
    /// How amounts are shown: at a rate, with this many more decimal places, this many smallest units to one.
    shown: Option<(f64, i32, f64)>,
    label: String,
}

impl Currency {
    pub(super) fn open(lowered: &LoweredCurrency, label: &str, segment: &SegmentReader) -> Result<Self> {
        let values = |columns: &Option<SegmentColumns>| {
            columns.as_ref().and_then(|columns| columns.values(segment.segment_id())).cloned()
        };
        let amounts = match values(&lowered.amounts) {
            Some(AnyColumn::I64(amounts)) => Some(amounts),
            _ => None,
        };
        let money = &lowered.money;
        let (mut exchanges, mut refused, mut codes) = (Vec::new(), Vec::new(), None);
        if let Some(AnyColumn::Str(column)) = values(&lowered.codes) {
            let mut known = column.dictionary().stream().map_err(from_tantivy)?;
            while known.advance() {
                let code = String::from_utf8_lossy(known.key()).into_owned();
                let exchange = exchange(money, &code);
                refused.push(exchange.is_err().then_some(code));
                exchanges.push(exchange.unwrap_or(None));
            }
            check(money, column.ords(), &refused, segment)?;
            codes = Some(column.ords().clone());
        }
        let shown = money.shown.as_ref().map(|(code, rate)| {
            let digits = fraction_digits(code);
            (*rate, digits - fraction_digits(&money.target), 10f64.powi(digits))
        });
        Ok(Self { amounts, codes, exchanges, shown, label: label.to_owned() })
    }

    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn doubles(&self, docs: &[DocId], out: &mut [f64]) {
        for (out, doc) in out.iter_mut().zip(docs) {
            let amount = self.amount(*doc).unwrap_or(0);
            *out = match self.shown {
                Some((rate, more_digits, units)) => exchanged(amount, rate, more_digits) as f64 / units,
                None => amount as f64,
            };
        }
    }

    pub(super) fn present(&self, docs: &[DocId], out: &mut [bool]) {
        out.iter_mut().zip(docs).for_each(|(out, doc)| *out = self.amount(*doc).is_some());
    }

    fn amount(&self, doc: DocId) -> Option<i64> {
        let amount = self.amounts.as_ref()?.first(doc)?;
        let code = self.codes.as_ref()?.first(doc)?;
        Some(match self.exchanges.get(usize::try_from(code).ok()?)? {
            Some((rate, more_digits)) => exchanged(amount, *rate, *more_digits),
            None => amount,
        })
    }
}

fn exchange(money: &CurrencyOf, code: &str) -> Result<Option<(f64, i32)>> {
    if code == money.target {
        return Ok(None);
    }
    let more_digits = fraction_digits(&money.target) - fraction_digits(code);
    Ok(Some((money.rates.rate(code, &money.target)?, more_digits)))
}

/// Fails as the first document does whose currency has no rate.
fn check(
    money: &CurrencyOf,
    codes: &Column<u64>,
    refused: &[Option<String>],
    segment: &SegmentReader,
) -> Result<()> {
    if refused.iter().all(Option::is_none) {
        return Ok(());
    }
    let of = |doc: DocId| refused.get(usize::try_from(codes.first(doc)?).ok()?)?.as_ref();
    let first = (0..segment.max_doc()).find_map(of);
    first.map_or(Ok(()), |code| money.rates.rate(code, &money.target).map(drop))
}
