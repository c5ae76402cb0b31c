//! The reader against what Solr 9.10.1 reads and against its messages.

use super::*;

fn events(text: &str) -> Result<String> {
    let mut reader = JsonReader::new(text);
    let mut shown = Vec::new();
    loop {
        shown.push(match reader.next_event()? {
            Event::End => return Ok(shown.join(" ")),
            Event::ObjectStart => "{".to_owned(),
            Event::ObjectEnd => "}".to_owned(),
            Event::ArrayStart => "[".to_owned(),
            Event::ArrayEnd => "]".to_owned(),
            Event::Key(key) => format!("{key}:"),
            Event::Str(text) => format!("'{text}'"),
            Event::Long(number) => number.to_string(),
            Event::Real(number) => format!("{number:?}"),
            Event::Big(text) => format!("big {text}"),
            Event::Bool(flag) => flag.to_string(),
            Event::Null => "null".to_owned(),
        });
    }
}

#[test]
fn what_solr_reads_is_read() {
    let check = |text: &str, expected: &str| assert_eq!(events(text).unwrap(), expected, "{text}");
    check("", "");
    check(r#"[{"a":1,"a":[true,null]}]"#, "[ { a: 1 a: [ true null ] } ]");
    check(r#"{"a":1}{"b":2} [3]"#, "{ a: 1 } { b: 2 } [ 3 ]");
    check("/*c*/[{'a':\"b\"}]// x", "[ { a: 'b' } ]");
    check("# c\n[{id:a-b/c.d, x-y:$z,é:ü}]", "[ { id: 'a-b/c.d' x-y: '$z' é: 'ü' } ]");
    check(r#"[{"a":1 "b":2,}, ,]"#, "[ { a: 1 b: 2 } ]");
    check(r#"[{"a":"x" b:2}]"#, "[ { a: 'x' b: 2 } ]");
    check(r#"["a\q\n\u00e9\ud83d\ude00\ud83d", 'it"s']"#, "[ 'aq\né😀\u{fffd}' 'it\"s' ]");
    check("[1.,-1.5,1e5,1E+2,-0]", "[ 1.0 -1.5 100000.0 100.0 0 ]");
    check("[9223372036854775807,9223372036854775808]", "[ 9223372036854775807 big 9223372036854775808 ]");
    check("[1.12345678901234567890123456789]", "[ big 1.12345678901234567890123456789 ]");
    check("[NaN,truex,nullx,tru]", "[ 'NaN' 'truex' 'nullx' 'tru' ]");
    check("/* never closed [", "");
    check("[\"tab\there\nline\"]", "[ 'tab\there\nline' ]");
}

#[test]
fn errors_are_in_solrs_words() {
    let check = |text: &str, expected: &str| {
        let message = events(text).unwrap_err().message;
        assert_eq!(message.strip_prefix("Cannot parse provided JSON: "), Some(expected), "{text}");
    };
    check("{", "Expected quoted string: char=(EOF),position=1 AFTER=''");
    check("[", "Premature EOF: char=(EOF),position=1 AFTER=''");
    check("[{\"id\":", "Premature EOF: char=(EOF),position=7 AFTER=''");
    check("[{\"id\":1", "Expected ',' or '}': char=(EOF),position=8 AFTER=''");
    check("[{\"id\":1}", "Expected ',' or ']': char=(EOF),position=9 AFTER=''");
    check("[{\"id\":\"abc", "Unexpected EOF: char=(EOF),position=11 AFTER=''");
    check("[\"\\u12\"}]", "invalid hex digit: char=\",position=6 AFTER='[\"\\u12\"' BEFORE='}]'");
    check(
        "[{\"id\":\"é€😀\",\"x\":01}]",
        "Leading zeros not allowed: char=1,position=19 AFTER='[{\"id\":\"é€😀\",\"x\":01' BEFORE='}]'",
    );
    check("[+1]", "JSON Parse Error: char=+,position=1 AFTER='[+' BEFORE='1]'");
    check("[-}]", "expected digit after '-': char=},position=2 AFTER='[-}' BEFORE=']'");
    check("[1e}]", "missing exponent number: char=},position=3 AFTER='[1e}' BEFORE=']'");
    check("[1 2]", "Expected ',' or ']': char=2,position=3 AFTER='[1 2' BEFORE=']'");
    check("[{}{}]", "Expected ',' or ']': char={,position=3 AFTER='[{}{' BEFORE='}]'");
    check("[{\"a\":1]", "Expected ',' or '}': char=],position=7 AFTER='[{\"a\":1]' BEFORE=''");
    check("[{1:2}]", "JSON Parse Error: char=1,position=2 AFTER='[{1' BEFORE=':2}]'");
    check(
        "[{\"id\" \"a\"}]",
        "Expected key,value separator ':': char=\",position=7 AFTER='[{\"id\" \"' BEFORE='a\"}]'",
    );
    check("}", "Unexpected object closer }: char=},position=0 AFTER='}' BEFORE=''");
    check("]", "Unexpected array closer ]: char=],position=0 AFTER=']' BEFORE=''");
    check(",", "Unexpected comma: char=,,position=0 AFTER=',' BEFORE=''");
    check("/ [", "Invalid comment: expected //, /*, or #: char= ,position=1 AFTER='/ ' BEFORE='['");
    check("\u{feff}[]", "JSON Parse Error: char=\u{feff},position=0 AFTER='\u{feff}' BEFORE='[]'");
}

#[test]
fn context_is_sixty_characters_before_and_forty_after() {
    let filler = "abcdefghij".repeat(10);
    let message = events(&format!("[\"{filler}\",01,\"{filler}\"]")).unwrap_err().message;
    let before = format!("AFTER='{}\",01'", &filler[44..]);
    let after = format!("BEFORE=',\"{}'", &filler[..38]);
    assert!(message.contains(&before) && message.contains(&after), "{message}");
}

#[test]
fn nesting_is_bounded() {
    assert!(events(&"[".repeat(100_000)).unwrap_err().message.contains("Nested"));
    assert!(events(&"{a:".repeat(100_000)).is_err());
}
