//! One function after another from its text: constants, fields, calls, `$param`. Arguments are read as each
//! function asks for them, as in Solr, for which a word may be a field, a number or a text by where it
//! stands.

use plan::{Error, Function, JavaReal, Operator, Query, Result, Value};

use super::check::check_arguments;
use super::cursor::Cursor;
use super::failure::Failure;
use super::field_value::value_of;
use super::of_query::{parse_function, score_of};
use crate::query::syntax::SyntaxError;
use crate::query::{LocalParams, QueryContext, java_float, known_name, split_local_params};

/// How deep functions may nest in one another, queries between them counted too. Solr differs: it has no
/// bound, and answers 500 when its stack is full (`compat/query/function_syntax.yaml`).
const NESTING_MAX: usize = 64;

/// How much one function may be made of: functions, and texts by [`Function::TEXT_UNIT`]. Parameters may
/// stand for others more than once, so that a short request could ask for anything.
const SIZE_MAX: usize = 10_000;

type Read = fn(&mut FunctionSource<'_>) -> Result<Function, Failure>;

/// How a function reads its arguments.
pub(super) enum Call {
    One(Operator),
    Two(Operator),
    Three(Operator),
    Many(Operator),
    Constant(Value),
    Own(Read),
    Unsupported(&'static str),
}

/// What reads functions from one text.
pub(crate) struct FunctionSource<'a> {
    pub(super) context: &'a QueryContext<'a>,
    local: &'a LocalParams,
    pub(super) cursor: Cursor<'a>,
    pub(super) depth: usize,
    /// The functions by name.
    find: fn(&str) -> Option<&'static Call>,
    /// What it is made of so far, see [`SIZE_MAX`].
    size: usize,
}

/// An argument that is no function.
pub(super) struct Argument {
    /// `None` where there is none, or the parameter it refers to is not sent.
    pub text: Option<String>,
    pub quoted: bool,
}

impl<'a> FunctionSource<'a> {
    pub(super) fn new(
        context: &'a QueryContext<'a>,
        local: &'a LocalParams,
        text: &'a str,
        depth: usize,
        find: fn(&str) -> Option<&'static Call>,
    ) -> Self {
        Self { context, local, cursor: Cursor::new(text), depth, find, size: 0 }
    }

    /// The function that the text is.
    pub(super) fn whole(&mut self) -> Result<Function, Failure> {
        let function = self.checked()?;
        self.cursor.peek();
        match self.cursor.rest() {
            "" => Ok(function),
            rest => Err(SyntaxError::plain(format!("Unexpected text after function: {rest}")).into()),
        }
    }

    /// The function that the text begins with, and the spaces behind it.
    pub(super) fn leading(&mut self) -> Result<Function, Failure> {
        let function = self.checked()?;
        self.cursor.peek();
        Ok(function)
    }

    /// Bytes read so far.
    pub(super) fn consumed(&self) -> usize {
        self.cursor.at()
    }

    fn checked(&mut self) -> Result<Function, Failure> {
        let function = self.value()?;
        check_arguments(&function)?;
        Ok(function)
    }

    /// Takes so much more into the function.
    fn grow(&mut self, by: usize) -> Result<()> {
        self.size = self.size.saturating_add(by);
        if self.size <= SIZE_MAX {
            return Ok(());
        }
        Err(Error::bad_request(format!(
            "a function is made of more than {SIZE_MAX} others, or of as much text; use less, or fewer `$` parameters"
        )))
    }

    /// A local parameter, else the request's.
    pub(super) fn param(&self, name: &str) -> Option<&'a str> {
        self.local.get(name).or_else(|| self.context.params.by_name(name))
    }

    /// The next argument, as a function.
    pub(super) fn function(&mut self) -> Result<Function, Failure> {
        let function = self.value()?;
        self.cursor.delimiter()?;
        Ok(function)
    }

    /// The rest of the arguments, as functions.
    pub(super) fn functions(&mut self) -> Result<Vec<Function>, Failure> {
        let mut functions = Vec::new();
        while self.cursor.has_more() {
            functions.push(self.function()?);
        }
        Ok(functions)
    }

    fn value(&mut self) -> Result<Function, Failure> {
        if self.depth > NESTING_MAX {
            return Err(Error::bad_request(format!(
                "functions nest deeper than {NESTING_MAX} levels; use fewer in one another"
            ))
            .into());
        }
        self.grow(1)?;
        match self.cursor.peek() {
            Some('0'..='9' | '.' | '+' | '-') => Ok(Function::Constant(self.cursor.number()?)),
            Some('"' | '\'') => {
                let text = self.cursor.quoted()?;
                self.grow(text.len() / Function::TEXT_UNIT)?;
                Ok(Function::Constant(Value::Str(text)))
            }
            Some('$') => self.dereferenced(),
            _ => self.named(),
        }
    }

    fn dereferenced(&mut self) -> Result<Function, Failure> {
        self.cursor.take('$');
        let name = self.cursor.identifier()?;
        let text = self.param(name).ok_or_else(|| self.missing_param(name))?;
        let function = parse_function(self.context, text, self.depth + 1)?;
        // What a parameter stands for counts each time it is named: that is how short requests grow.
        self.grow(function.as_ref().map_or(0, Function::size))?;
        // A query that analysis leaves empty scores nothing.
        Ok(function.unwrap_or(Function::Constant(Value::Float(0.0))))
    }

    fn missing_param(&self, name: &str) -> SyntaxError {
        let text = self.cursor.text();
        SyntaxError::plain(format!("Missing param {name} while parsing function '{text}'"))
    }

    fn named(&mut self) -> Result<Function, Failure> {
        let name = self.cursor.identifier()?;
        if self.cursor.take('(') {
            return self.call(name);
        }
        match name {
            "true" => Ok(Function::Constant(Value::Bool(true))),
            "false" => Ok(Function::Constant(Value::Bool(false))),
            _ => Ok(value_of(self.context, name)?),
        }
    }

    /// The call of `name`, whose parenthesis is open.
    pub(super) fn call(&mut self, name: &str) -> Result<Function, Failure> {
        let Some(call) = (self.find)(known_name(&self.context.names.own.functions, name)) else {
            let shown = self.cursor.shown();
            return Err(
                SyntaxError::plain(format!("Unknown function {name} in FunctionQuery({shown})")).into()
            );
        };
        self.depth += 1;
        let function = self.arguments(call)?;
        self.depth -= 1;
        self.cursor.expect(')')?;
        Ok(function)
    }

    fn arguments(&mut self, call: &Call) -> Result<Function, Failure> {
        let fixed = |operator: &Operator, arguments| Function::call(operator.clone(), arguments);
        Ok(match call {
            Call::One(operator) => fixed(operator, vec![self.function()?]),
            Call::Two(operator) => fixed(operator, vec![self.function()?, self.function()?]),
            Call::Three(operator) => {
                fixed(operator, vec![self.function()?, self.function()?, self.function()?])
            }
            Call::Many(operator) => fixed(operator, self.functions()?),
            Call::Constant(value) => Function::Constant(value.clone()),
            Call::Own(read) => read(self)?,
            Call::Unsupported(name) => {
                return Err(Error::bad_request(format!(
                    "function `{name}` is not supported yet; leave it out"
                ))
                .into());
            }
        })
    }

    /// The next argument as text.
    pub(super) fn argument(&mut self) -> Result<Argument, Failure> {
        let mut quoted = false;
        let text = match self.cursor.peek() {
            // No argument and no error yet: what a missing one means is the function's.
            Some(')') => return Ok(Argument { text: None, quoted }),
            Some('$') => {
                self.cursor.take('$');
                let name = self.cursor.identifier()?;
                self.param(name).map(str::to_owned)
            }
            Some('"' | '\'') => {
                quoted = true;
                Some(self.cursor.quoted()?)
            }
            _ => Some(self.cursor.word()?.to_owned()),
        };
        self.cursor.delimiter()?;
        self.grow(text.as_ref().map_or(0, String::len) / Function::TEXT_UNIT)?;
        Ok(Argument { text, quoted })
    }

    /// The next argument, which has to be there. Solr differs: one that is missing where a text belongs is an
    /// error 500 there; here it is the client's (`compat/query/function_syntax.yaml`).
    pub(super) fn text(&mut self, what: &str) -> Result<String, Failure> {
        let argument = self.argument()?.text;
        argument.ok_or_else(|| {
            let shown = self.cursor.shown();
            Error::bad_request(format!("expected {what} in function {shown}; give one more argument")).into()
        })
    }

    /// The next argument as a number of kind `T`, which Solr calls `name`.
    pub(super) fn number<T: JavaReal>(&mut self, name: &str) -> Result<T, Failure> {
        let Argument { text, quoted } = self.argument()?;
        let shown = text.as_deref().unwrap_or("null");
        if quoted {
            return Err(
                SyntaxError::plain(format!("Expected {name} instead of quoted string:{shown}")).into()
            );
        }
        text.as_deref().and_then(java_float).ok_or_else(|| {
            let place = self.cursor.shown();
            SyntaxError::plain(format!("Expected {name} instead of '{shown}' for function {place}")).into()
        })
    }

    pub(super) fn float(&mut self) -> Result<f32, Failure> {
        self.number("float")
    }

    /// The next argument as a field's name, which is no quoted text.
    pub(super) fn name(&mut self) -> Result<String, Failure> {
        let Argument { text, quoted } = self.argument()?;
        let shown = text.as_deref().unwrap_or("null");
        if quoted {
            let message = format!("Expected identifier instead of quoted string:{shown}");
            return Err(SyntaxError::plain(message).into());
        }
        text.ok_or_else(|| {
            let place = self.cursor.shown();
            SyntaxError::plain(format!("Expected identifier instead of 'null' for function {place}")).into()
        })
    }

    /// The next argument as a query: `$param` or `{!… v=…}`.
    pub(super) fn query(&mut self) -> Result<Query, Failure> {
        let query = if self.cursor.take('$') {
            let name = self.cursor.identifier()?;
            let text = self.param(name).unwrap_or_default();
            self.subquery(text)?.ok_or_else(|| self.missing_param(name))?
        } else {
            self.query_in_place()?
        };
        self.cursor.delimiter()?;
        Ok(query)
    }

    fn query_in_place(&mut self) -> Result<Query, Failure> {
        let (whole, rest) = (self.cursor.text(), self.cursor.rest());
        let (local, behind) = split_local_params(rest, self.context.params)?;
        if behind.len() == rest.len() {
            let message =
                format!("Nested function query must use $param or {{!v=value}} forms. got '{whole}'");
            return Err(SyntaxError::plain(message).into());
        }
        if local.get("v").is_none() {
            let message = format!("Nested local params must have value in v parameter.  got '{whole}'");
            return Err(SyntaxError::plain(message).into());
        }
        let length = rest.len() - behind.len();
        self.cursor.skip(length);
        let query = self.subquery(rest.get(..length).unwrap_or(rest))?;
        let none = || SyntaxError::plain(format!("Nested function query returned null for '{whole}'"));
        Ok(query.ok_or_else(none)?)
    }

    fn subquery(&mut self, text: &str) -> Result<Option<Query>> {
        self.grow(text.len() / Function::TEXT_UNIT)?;
        self.context.subquery(text, None, self.depth + 1)
    }

    /// `query(q,missing)`.
    pub(super) fn score(&mut self) -> Result<Function, Failure> {
        let query = self.query()?;
        let missing = if self.cursor.has_more() { self.float()? } else { 0.0 };
        Ok(score_of(self.context, query, missing))
    }

    /// `boost(q,function)`.
    pub(super) fn boosted(&mut self) -> Result<Function, Failure> {
        let (query, function) = (Box::new(self.query()?), Box::new(self.function()?));
        Ok(score_of(self.context, Query::FunctionBoost { query, function }, 0.0))
    }
}
