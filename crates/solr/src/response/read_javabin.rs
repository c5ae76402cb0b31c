//! An answer read back: javabin as another node of ours sent it, into the nodes it was written from, so that
//! what was asked of that node can be told in any format. Only what answers of the administration have.

use plan::{Error, Result};

use super::{Entries, Name, Node};
use crate::javabin::{JavabinReader, JavabinToken};

/// Deeper ones are nobody's answer.
const DEPTH_MAX: usize = 64;

/// Errors: bytes that are no such answer.
pub fn read_javabin(body: &[u8]) -> Result<Entries> {
    let mut reader = JavabinReader::new(body);
    reader.start()?;
    let token = reader.next()?;
    match read(&mut reader, token, DEPTH_MAX)? {
        Node::Map(entries) => Ok(entries),
        _ => Err(Error::internal("an answer of another node is no map")),
    }
}

fn read(reader: &mut JavabinReader<'_>, token: JavabinToken<'_>, depth: usize) -> Result<Node> {
    let below =
        depth.checked_sub(1).ok_or_else(|| Error::internal("an answer of another node is too deep"))?;
    Ok(match token {
        JavabinToken::Null => Node::Null,
        JavabinToken::Bool(value) => Node::Bool(value),
        JavabinToken::Int(value) => Node::Int(value),
        JavabinToken::Long(value) => Node::Long(value),
        JavabinToken::Float(value) => Node::Float(value),
        JavabinToken::Double(value) => Node::Double(value),
        JavabinToken::Date(value) => Node::Date(value),
        JavabinToken::Bytes(bytes) => Node::Bytes(bytes.to_vec()),
        JavabinToken::Text(text) => Node::Str(text.into_owned().into()),
        JavabinToken::Name(name) => Node::Str(name.to_string().into()),
        JavabinToken::List(count) => {
            let mut values = Vec::new();
            while count.is_none_or(|count| values.len() < count) {
                match reader.next()? {
                    JavabinToken::End if count.is_none() => break,
                    token => values.push(read(reader, token, below)?),
                }
            }
            Node::Array(values)
        }
        JavabinToken::Map(count) => {
            let mut entries = Entries::new();
            while count.is_none_or(|count| entries.len() < count) {
                let name = match reader.next()? {
                    JavabinToken::End if count.is_none() => break,
                    token => reader.as_name(token)?,
                };
                let token = reader.next()?;
                entries.push((Name::Owned(name.to_string()), read(reader, token, below)?));
            }
            Node::Map(entries)
        }
        JavabinToken::InputDocument(_) | JavabinToken::Entry | JavabinToken::End => {
            return Err(Error::internal("an answer of another node has what no answer has"));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::Format;

    #[test]
    fn what_is_written_is_read() {
        let answer: Entries = vec![
            ("responseHeader".into(), Node::map([("status", Node::Int(0)), ("QTime", Node::Long(1 << 40))])),
            (
                "success".into(),
                Node::Map(vec![("a:8983_solr".into(), Node::Map(vec![("x".into(), Node::Double(0.5))]))]),
            ),
            (
                "list".into(),
                Node::Array(vec![Node::str("a"), Node::Null, Node::Bool(true), Node::Int(-70_000)]),
            ),
        ];
        let mut body = Vec::new();
        Format::Javabin.write(&answer, &mut body);
        assert_eq!(read_javabin(&body), Ok(answer));
        for end in 0..body.len() {
            assert!(read_javabin(&body[..end]).is_err(), "{end}");
        }
    }
}
