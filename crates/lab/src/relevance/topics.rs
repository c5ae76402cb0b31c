//! Queries from a file, in one of three forms that its first character tells apart: lines of `id TAB query`;
//! JSON objects, one a line, with `id` (or `query_id`, `qid`) and `query` (or `text`, `title`); TREC's
//! topics, `<top>` with `<num>` and `<title>`.

use std::collections::HashSet;

use serde_json::Value;

use super::fault::Fault;

/// A query that judgments name by its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    pub id: String,
    pub query: String,
}

pub fn parse_topics(text: &str) -> Result<Vec<Topic>, Fault> {
    let text = text.trim_start_matches('\u{feff}');
    let topics = match text.trim_start().chars().next() {
        Some('{') => lines(text).map(|(line, text)| json(line, text)).collect::<Result<_, _>>()?,
        Some('<') => trec(text)?,
        _ => lines(text).map(|(line, text)| tabbed(line, text)).collect::<Result<Vec<_>, _>>()?,
    };
    let mut seen = HashSet::new();
    match topics.iter().find(|topic| !seen.insert(&topic.id)) {
        Some(topic) => Err(Fault(format!("the query `{}` is there twice", topic.id))),
        None if topics.is_empty() => Err(Fault("there are no queries; a line is `id TAB query`".to_owned())),
        None => Ok(topics),
    }
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    lines.filter(|(_, line)| !line.trim().is_empty())
}

fn tabbed(line: usize, text: &str) -> Result<Topic, Fault> {
    let (id, query) = text
        .split_once('\t')
        .ok_or_else(|| Fault::at(line, format!("`{text}` has no tab; a line is `id TAB query`")))?;
    Ok(Topic { id: id.trim().to_owned(), query: query.trim().to_owned() })
}

fn json(line: usize, text: &str) -> Result<Topic, Fault> {
    let object: Value =
        serde_json::from_str(text).map_err(|error| Fault::at(line, format!("not JSON: {error}")))?;
    let named = |names: [&str; 3]| names.into_iter().find_map(|name| object.get(name));
    let id = match named(["id", "query_id", "qid"]) {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => return Err(Fault::at(line, "the query has no `id`")),
    };
    let query = named(["query", "text", "title"]).and_then(Value::as_str);
    let query = query.ok_or_else(|| Fault::at(line, format!("the query `{id}` has no text in `query`")))?;
    Ok(Topic { id, query: query.to_owned() })
}

/// A tag's text ends at the next tag: TREC's files often do not close theirs.
fn trec(text: &str) -> Result<Vec<Topic>, Fault> {
    let tops = text.split("<top>").skip(1);
    tops.map(|top| {
        let tag = |name: &str| {
            let rest = top.split_once(name)?.1;
            rest.split('<').next().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        let id = tag("<num>").ok_or_else(|| Fault("a topic has no `<num>`".to_owned()))?;
        let id = id.strip_prefix("Number:").unwrap_or(&id).trim().to_owned();
        let query = tag("<title>").ok_or_else(|| Fault(format!("the topic `{id}` has no `<title>`")))?;
        Ok(Topic { query: query.strip_prefix("Topic:").unwrap_or(&query).trim().to_owned(), id })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_forms_say_the_same() {
        let check = |text: &str| {
            let expected = [("1", "red shirt"), ("b-2", "müde <am> Tag")]
                .map(|(id, query)| Topic { id: id.to_owned(), query: query.to_owned() });
            assert_eq!(parse_topics(text).unwrap(), expected, "{text}");
        };
        check("1\tred shirt\n\nb-2\tmüde <am> Tag\n");
        check("{\"id\":1,\"query\":\"red shirt\"}\n{\"query_id\":\"b-2\",\"text\":\"müde <am> Tag\"}\n");
        let trec = "<top>\n<num> Number: 1\n<title> red\n shirt\n<desc> x\n</top>\n<top><num>7</num><title>y</title></top>";
        let topics = parse_topics(trec).unwrap();
        assert_eq!(
            (topics[0].id.as_str(), topics[0].query.as_str(), topics[1].id.as_str()),
            ("1", "red shirt", "7")
        );
    }

    #[test]
    fn faults_name_the_line() {
        let rows = [
            ("", "there are no queries"),
            ("1 red", "line 1: `1 red` has no tab"),
            ("1\ta\n1\tb", "the query `1` is there twice"),
            ("{\"id\":1}", "line 1: the query `1` has no text"),
            ("{\"query\":\"x\"}", "has no `id`"),
            ("{", "line 1: not JSON"),
            ("<top><title>x", "has no `<num>`"),
        ];
        for (text, expected) in rows {
            let fault = parse_topics(text).unwrap_err().to_string();
            assert!(fault.contains(expected), "{fault}");
        }
    }
}
