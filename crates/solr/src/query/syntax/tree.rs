//! The query as written: clauses, operators, pieces of text. Fields are names, values are unread. `parse.rs`
//! makes it, `lucene.rs` gives it meaning against a schema. It borrows from the text and keeps escapes, since
//! only the reader of a leaf knows whether a backslash guards a letter or a wildcard. Nothing is dropped that
//! debug output or an error would need.

/// What stands between a clause and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conjunction {
    None,
    And,
    Or,
}

/// What stands before a clause: nothing, `+`, or `-`, `!`, `NOT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Modifier {
    None,
    Required,
    Prohibited,
}

/// One member of a query.
#[derive(Clone, Debug)]
pub(crate) struct ConjoinedClause<'a> {
    pub conjunction: Conjunction,
    pub modifier: Modifier,
    pub clause: Clause<'a>,
}

/// A body, perhaps with a field (still escaped; `*` of `*:`) and a boost.
#[derive(Clone, Debug)]
pub(crate) struct Clause<'a> {
    pub field: Option<&'a str>,
    pub body: Body<'a>,
    pub boost: Option<Boost<'a>>,
}

/// `^number`, or `^=number` for a constant score.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boost<'a> {
    pub constant: bool,
    pub number: &'a str,
}

/// Texts are as written: escaped, without their delimiters.
#[derive(Clone, Debug)]
pub(crate) enum Body<'a> {
    /// One term, or several in a row that go to the analyzer as one text.
    Terms(Vec<&'a str>),
    /// A term without its final `*`.
    Prefix(&'a str),
    Wildcard(&'a str),
    Regex(&'a str),
    Fuzzy {
        term: &'a str,
        /// The number behind `~`, perhaps empty.
        distance: &'a str,
    },
    Quoted {
        text: &'a str,
        /// The number behind `~`.
        slop: Option<&'a str>,
    },
    Range(Range<'a>),
    Group(Vec<ConjoinedClause<'a>>),
    /// What was whole of parentheses in which an error came; `ended`: they could have ended there.
    Unfinished {
        items: Vec<ConjoinedClause<'a>>,
        ended: bool,
    },
    /// `filter(…)`.
    Filter(Vec<ConjoinedClause<'a>>),
    LocalParams(&'a str),
}

#[derive(Clone, Debug)]
pub(crate) struct Range<'a> {
    pub lower: Endpoint<'a>,
    pub upper: Endpoint<'a>,
    pub lower_inclusive: bool,
    pub upper_inclusive: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Endpoint<'a> {
    pub text: &'a str,
    pub quoted: bool,
}
