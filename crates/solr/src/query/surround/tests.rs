//! What `surround` reads from a text, and what it refuses. Recorded answers are `compat/query/surround.yaml`.

use super::grammar::{Operator, Tree, parse};

/// Operators before their parts.
fn shown(tree: &Tree) -> String {
    match tree {
        Tree::Word(word) => word.clone(),
        Tree::Prefix(word) => format!("{word}*"),
        Tree::Truncated(word) => word.clone(),
        Tree::Weighted(tree, weight) => format!("{}^{weight}", shown(tree)),
        Tree::Fields(names, tree) => format!("{}:{}", names.join(":"), shown(tree)),
        Tree::Joined { operator, parts, .. } => {
            let name = match operator {
                Operator::Or => "or".to_owned(),
                Operator::And => "and".to_owned(),
                Operator::Not => "not".to_owned(),
                Operator::Near(near) => near.name.clone(),
            };
            let parts: Vec<_> = parts.iter().map(shown).collect();
            format!("{name}({})", parts.join(","))
        }
    }
}

#[test]
fn operators_bind_as_they_do() {
    let check = |text: &str, expected: &str| match parse(text) {
        Ok(tree) => assert_eq!(shown(&tree), expected, "{text}"),
        Err(error) => assert!(error.message.contains(expected), "{text}: {error}"),
    };
    check("a", "a");
    check("a or b OR c", "or(a,b,c)");
    check("a and b or c", "or(and(a,b),c)");
    check("a not b not c", "not(a,b,c)");
    check("a 2w b 3w c", "3w(2w(a,b),c)");
    check("a n b w c", "n(a,w(b,c))");
    check("5n(a, b or c)", "5n(a,or(b,c))");
    check("and(a,b,c)^2.5", "and(a,b,c)^2.5");
    check("f:g:a and b", "f:g:and(a,b)");
    check("\"a b\" w abc*", "w(a b,abc*)");
    check("a?cd*", "a?cd*");
    check("1w", "1w");
    check("ab*", "Too unrestrictive truncation: ab*");
    check("*a", "Encountered");
    check("", "Encountered \"<EOF>\" at line 1, column 0.");
    check("ä b", "Encountered \" <TERM> \"b \"\" at line 1, column 2.");
    check("a^x", "Encountered");
    check("\"a", "Encountered");
}

#[test]
fn nesting_is_bounded() {
    let deep = |levels: usize| format!("{}a{}", "(".repeat(levels), ")".repeat(levels));
    assert!(parse(&deep(60)).is_ok());
    assert!(parse(&deep(100_000)).is_err());
    let long = |words: usize| vec!["a"; words].join(" w ");
    assert!(parse(&long(60)).is_ok());
    assert!(parse(&long(100_000)).is_err());
    assert!(parse(&vec!["a"; 10_000].join(" or ")).is_ok());
}
