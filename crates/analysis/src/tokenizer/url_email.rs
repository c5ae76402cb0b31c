//! `uax29UrlEmail`: the standard tokenizer that also keeps web addresses and mail addresses whole. The rules
//! are those of the RFCs as Lucene's tokenizer has them: a host without a scheme ends in a top-level domain
//! of the list `data/top_level_domains.txt`, and if it is all of the address, no letter, digit or hyphen may
//! follow.

use std::sync::LazyLock;

use crate::chars::{category, is_letter};
use crate::definition::TokenizerDefinition;
use crate::stage::Tokenizer;
use crate::token::Token;
use crate::tokenizer::grammar::{Grammar, Match};
use crate::tokenizer::standard::{ALPHANUM, ScannedToken, next_limited_piece, units_prefix};

pub(crate) static UAX29_URL_EMAIL: TokenizerDefinition = TokenizerDefinition::new(
    "uax29UrlEmail",
    "email.UAX29URLEmailTokenizerFactory",
    &["maxTokenLength"],
    "As `standard`, but web and mail addresses are one token each.",
    |args| {
        let units_max = args.count("maxTokenLength", 255, 1)?;
        Ok(Box::new(UrlEmail { grammar: RULES.as_ref().map(Grammar::fresh), units_max, at: 0 }))
    },
);

const URL: &str = "<URL>";
const EMAIL: &str = "<EMAIL>";

/// What a link to a mail address starts with; it is a word of its own.
const SCHEME: &str = "mailto:";

/// The rules, in the order of `rules`.
const RULE_HOST: usize = 1;
const RULE_EMAIL: usize = 2;

static RULES: LazyLock<Option<Grammar>> = LazyLock::new(|| Grammar::compile(&rules()).ok());

/// Addresses with a scheme, a port, a path or a query; hosts alone; mail addresses.
fn rules() -> Vec<String> {
    let top_level =
        include_str!("../../data/top_level_domains.txt").lines().filter(|line| !line.starts_with('#'));
    // Without a scheme only the last label tells `example.com` from `end.Next`, so the list must be known.
    let top_level: Vec<&str> = top_level.flat_map(|line| line.split(' ')).collect();
    let label = "[A-Za-z0-9](?:-*[A-Za-z0-9])*";
    let domain = format!(r"(?:{label}(?:\.{label})*)");
    let public_domain = format!(r"(?:{domain}\.(?i:{})\.?)", top_level.join("|"));
    let (v4, v6) = (ip_v4(), ip_v6());
    let host = format!(r"(?:\[{v6}\]|{v4}|{public_domain})");
    let any_host = format!(r"(?:\[{v6}\]|{v4}|{domain})");
    let plain = "[-._~A-Za-z0-9]|%[0-9A-Fa-f]{2}";
    let login_part = format!("(?:{plain}|[!$&'()*+,;=])*");
    let login = format!("(?:{login_part}(?::{login_part})?@)");
    let port = "(?::[0-9]{1,5})";
    let tail = format!("(?:{plain}|[!$&'()*+,;=:@/?])*");
    let (query, fragment) = (format!(r"(?:\?{tail})"), format!("(?:#{tail})"));
    let path = format!("(?:(?:/(?:{plain}|[;:@&=])*)+)");
    let file_path = format!("(?:(?:/(?:{plain}|[?:@&=])*)+)");
    let web = format!("(?i:https?)://{login}?{any_host}{port}?{path}?{query}?{fragment}?");
    let web_without_scheme = [
        format!("{host}{port}{path}?{query}?{fragment}?"),
        format!("{host}{path}{query}?{fragment}?"),
        format!("{host}{query}{fragment}?"),
        format!("{host}{fragment}"),
    ];
    let ftp = format!("(?i:ftp)://{login}?{any_host}{port}?{file_path}(?:;(?i:type)=[aAiIdD])?{fragment}?");
    let file = format!("(?i:file)://{any_host}?{file_path}{fragment}?");
    let quoted = r#""(?:[\x01-\x08\x0b\x0c\x0e-\x21\x23-\x5b\x5d-\x7e]|\\[\x00-\x7f])*""#;
    let local_part = format!(r"(?:[A-Za-z0-9!#$%&'*+,\-./=?\^_`{{|}}~]+|{quoted})");
    let literal = r"(?:[\x01-\x08\x0b\x0c\x0e-\x5a\x5e-\x7f]|\\[\x00-\x7f])*";
    vec![
        format!("{web}|{}|{ftp}|{file}", web_without_scheme.join("|")),
        host,
        format!(r"{local_part}(?:\.{local_part})*@(?:{public_domain}|\[{literal}\])"),
    ]
}

fn ip_v4() -> String {
    let number = "(?:0{0,2}[0-9]|0?[1-9][0-9]|1[0-9]{2}|2(?:[0-4][0-9]|5[0-5]))";
    format!(r"(?:{number}(?:\.{number}){{3}})")
}

/// Eight groups, of which one run of zeroes may be left out; the last two may be written as IPv4.
fn ip_v6() -> String {
    let group = "[0-9A-Fa-f]{1,4}";
    let last_two = format!("(?:{}|{group}:{group})", ip_v4());
    let mut forms = vec![format!("(?:{group}:){{6}}{last_two}"), format!("::(?:{group}:){{5}}{last_two}")];
    for before in 1..=5 {
        let (more, after) = (before - 1, 5 - before);
        forms.push(format!("(?:(?:{group}:){{0,{more}}}{group})?::(?:{group}:){{{after}}}{last_two}"));
    }
    forms.push(format!("(?:(?:{group}:){{0,5}}{group})?::{group}"));
    forms.push(format!("(?:(?:{group}:){{0,6}}{group})?::"));
    format!("(?:{})", forms.join("|"))
}

struct UrlEmail {
    /// Always there: a test compiles the rules.
    grammar: Option<Grammar>,
    units_max: usize,
    at: usize,
}

impl Tokenizer for UrlEmail {
    fn reset(&mut self) {
        self.at = 0;
    }

    fn next(&mut self, text: &str, token: &mut Token) -> bool {
        while let Some(byte) = text.as_bytes().get(self.at) {
            if *byte <= b' ' {
                self.at += 1;
                continue;
            }
            let start = self.at;
            let word = next_limited_piece(text, start, self.units_max);
            // `mailto:` stands before an address and is no part of it: its word ends before the colon.
            let word = self.before_mail_address(text, start).unwrap_or(word);
            let piece = self.address(text, start, word.end).unwrap_or(word);
            self.at = piece.end;
            if let Some(kind) = piece.kind {
                token.set(text, start, piece.end, kind);
                return true;
            }
        }
        false
    }

    fn fresh(&self) -> Box<dyn Tokenizer> {
        let grammar = self.grammar.as_ref().map(Grammar::fresh);
        Box::new(UrlEmail { grammar, units_max: self.units_max, at: 0 })
    }
}

impl UrlEmail {
    /// The word `mailto` of a link to a mail address.
    fn before_mail_address(&mut self, text: &str, start: usize) -> Option<ScannedToken> {
        let scheme =
            text.get(start..start + SCHEME.len()).filter(|scheme| scheme.eq_ignore_ascii_case(SCHEME))?;
        let address = self.address(text, start + scheme.len(), 0)?;
        (address.kind == Some(EMAIL))
            .then_some(ScannedToken { end: start + scheme.len() - 1, kind: Some(ALPHANUM) })
    }

    /// The address at `start`, if it is no shorter than the word there.
    fn address(&mut self, text: &str, start: usize, word_end: usize) -> Option<ScannedToken> {
        let rest = text.get(start..)?;
        let bytes_max = units_prefix(rest, self.units_max);
        let found = self.grammar.as_mut()?.longest(text, start, bytes_max)?;
        let found = if found.rule == RULE_HOST { host_alone(text, start, found)? } else { found };
        let kind = if found.rule == RULE_EMAIL { EMAIL } else { URL };
        // The longest match wins between grammar and word breaks too, as if they were one grammar.
        (found.end >= word_end).then_some(ScannedToken { end: found.end, kind: Some(kind) })
    }
}

/// A host without anything else is one if no word goes on behind it. Its final dot belongs to it if something
/// follows.
fn host_alone(text: &str, start: usize, found: Match) -> Option<Match> {
    let next = text.get(found.end..)?.chars().next();
    let dotted = text.get(start..found.end).is_some_and(|host| host.ends_with('.'));
    match next {
        None if dotted => Some(Match { end: found.end - 1, ..found }),
        Some(c) if goes_on(c) => dotted.then(|| Match { end: found.end - 1, ..found }),
        _ => Some(found),
    }
}

fn goes_on(c: char) -> bool {
    use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
    c == '-'
        || is_letter(c)
        || GeneralCategoryGroup::Mark.contains(category(c))
        || matches!(category(c), GeneralCategory::DecimalNumber | GeneralCategory::ConnectorPunctuation)
        || matches!(c, '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_rules_compile() {
        assert!(super::RULES.is_some());
    }
}
