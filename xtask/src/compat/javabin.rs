//! Javabin, Solr's binary notation, as JSON that shows each value's type: `{"int":5}`, `{"long":5}`; texts,
//! booleans and nulls are themselves, lists are lists, and of what has names names and values alternate below
//! the kind: `{"NamedList":["a",{"int":1}]}`. Written apart from the product's reader, so that a mistake of
//! one shows in the other.

use serde_json::{Value, json};

/// The whole message; `None` where it is none.
pub fn decode(bytes: &[u8]) -> Option<Value> {
    let (2, rest) = (*bytes.first()?, bytes.get(1..)?) else { return None };
    let mut reader = JavabinReader { rest, names: Vec::new() };
    let value = reader.value()?;
    reader.rest.is_empty().then_some(value)
}

struct JavabinReader<'a> {
    rest: &'a [u8],
    names: Vec<String>,
}

const END: u8 = 15;

impl JavabinReader<'_> {
    fn value(&mut self) -> Option<Value> {
        let tag = self.byte()?;
        self.tagged(tag)
    }

    fn tagged(&mut self, tag: u8) -> Option<Value> {
        Some(match tag >> 5 {
            1 => {
                let len = self.size(tag)?;
                Value::String(self.text(len)?)
            }
            2 => json!({"int": self.small(tag)?}),
            3 => json!({"long": self.small(tag)?}),
            4 => {
                let len = self.size(tag)?;
                self.values(len)?
            }
            5 => {
                let len = self.size(tag)?;
                json!({"SimpleOrderedMap": self.values(2 * len)?})
            }
            6 => {
                let len = self.size(tag)?;
                json!({"NamedList": self.values(2 * len)?})
            }
            7 => Value::String(self.name(tag)?),
            _ => return self.plain(tag),
        })
    }

    fn plain(&mut self, tag: u8) -> Option<Value> {
        Some(match tag {
            0 => Value::Null,
            1 => Value::Bool(true),
            2 => Value::Bool(false),
            3 => json!({"byte": self.fixed::<1>()?[0]}),
            4 => json!({"short": i16::from_be_bytes(self.fixed()?)}),
            5 => json!({"double": f64::from_be_bytes(self.fixed()?).to_string()}),
            6 => json!({"int": i32::from_be_bytes(self.fixed()?)}),
            7 => json!({"long": i64::from_be_bytes(self.fixed()?)}),
            8 => json!({"float": f32::from_be_bytes(self.fixed()?).to_string()}),
            9 => json!({"date": i64::from_be_bytes(self.fixed()?)}),
            10 => {
                let len = self.variable()?;
                json!({"Map": self.values(2 * usize::try_from(len).ok()?)?})
            }
            11 => json!({"SolrDocument": self.value()?}),
            12 => json!({"SolrDocumentList": self.values(2)?}),
            13 => {
                let len = usize::try_from(self.variable()?).ok()?;
                let hex: String = self.take(len)?.iter().map(|byte| format!("{byte:02x}")).collect();
                json!({"bytes": hex})
            }
            14 => json!({"Iterator": self.up_to_end()?}),
            17 => json!({"MapWriter": self.up_to_end()?}),
            18 => json!({"enum": self.values(2)?}),
            19 => json!({"entry": self.values(2)?}),
            _ => return None,
        })
    }

    fn values(&mut self, count: usize) -> Option<Value> {
        (0..count).map(|_| self.value()).collect::<Option<Vec<_>>>().map(Value::from)
    }

    fn up_to_end(&mut self) -> Option<Value> {
        let mut values = Vec::new();
        loop {
            match self.byte()? {
                END => return Some(Value::from(values)),
                tag => values.push(self.tagged(tag)?),
            }
        }
    }

    fn name(&mut self, tag: u8) -> Option<String> {
        match self.size(tag)? {
            0 => {
                let Value::String(name) = self.value()? else { return None };
                self.names.push(name.clone());
                Some(name)
            }
            number => self.names.get(number - 1).cloned(),
        }
    }

    fn byte(&mut self) -> Option<u8> {
        self.fixed::<1>().map(|[byte]| byte)
    }

    fn fixed<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*taken)
    }

    fn take(&mut self, len: usize) -> Option<&[u8]> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }

    fn text(&mut self, len: usize) -> Option<String> {
        self.take(len).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    fn size(&mut self, tag: u8) -> Option<usize> {
        match usize::from(tag & 0x1f) {
            0x1f => Some(0x1f + usize::try_from(self.variable()?).ok()?),
            size => Some(size),
        }
    }

    fn small(&mut self, tag: u8) -> Option<u64> {
        let low = u64::from(tag & 0x0f);
        Some(if tag & 0x10 == 0 { low } else { self.variable()? << 4 | low })
    }

    fn variable(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes are of Solr 9.10.1.
    #[test]
    fn a_message_is_shown_with_its_types() {
        let message = b"\x02\xa1\xe0\x28response\x0c\x84\x60\x60\x00\x01\x80";
        let expected = json!({"SimpleOrderedMap": ["response", {"SolrDocumentList": [[{"long": 0}, {"long": 0}, null, true], []]}]});
        assert_eq!(decode(message), Some(expected));
        assert_eq!(decode(b"{\"a\":1}"), None);
        assert_eq!(decode(b"\x02\x9f\xff\xff\xff\xff\x0f"), None);
    }
}
