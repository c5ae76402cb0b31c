//! Lucene's expressions, `sold * 10 + ln(1 + views)`: text to `plan::Expression`, with JavaScript's operators
//! in their order of precedence and the functions of Lucene's `JavascriptCompiler`, whose names and numbers
//! of arguments stand here.

use plan::{Arithmetic, Error, Expression, Result};

/// How deep an expression may nest, signs and brackets counted, and how long it may be.
const DEPTH_MAX: usize = 64;
const BYTES_MAX: usize = 10_000;

/// Operators between two values, loosest first; of one level the longest first, so that `<=` is not read as
/// `<`.
const LEVELS: &[&[(&str, Arithmetic)]] = &[
    &[("||", Arithmetic::Or)],
    &[("&&", Arithmetic::And)],
    &[("|", Arithmetic::BitOr)],
    &[("^", Arithmetic::BitXor)],
    &[("&", Arithmetic::BitAnd)],
    &[("==", Arithmetic::Equal), ("!=", Arithmetic::NotEqual)],
    &[
        ("<=", Arithmetic::LessOrEqual),
        (">=", Arithmetic::GreaterOrEqual),
        ("<", Arithmetic::Less),
        (">", Arithmetic::Greater),
    ],
    &[(">>>", Arithmetic::ShiftRightUnsigned), ("<<", Arithmetic::ShiftLeft), (">>", Arithmetic::ShiftRight)],
    &[("+", Arithmetic::Add), ("-", Arithmetic::Subtract)],
    &[("*", Arithmetic::Multiply), ("/", Arithmetic::Divide), ("%", Arithmetic::Remainder)],
];

/// What an operator is not read from, since a longer one begins so.
const LONGER: &[&str] = &["||", "&&", "<<", ">>", "<=", ">=", "==", "!="];

/// (name, what it does, number of arguments).
const FUNCTIONS: &[(&str, Arithmetic, usize)] = &[
    ("abs", Arithmetic::Absolute, 1),
    ("acos", Arithmetic::ArcCosine, 1),
    ("acosh", Arithmetic::HyperbolicArcCosine, 1),
    ("asin", Arithmetic::ArcSine, 1),
    ("asinh", Arithmetic::HyperbolicArcSine, 1),
    ("atan", Arithmetic::ArcTangent, 1),
    ("atan2", Arithmetic::ArcTangent2, 2),
    ("atanh", Arithmetic::HyperbolicArcTangent, 1),
    ("ceil", Arithmetic::Ceiling, 1),
    ("cos", Arithmetic::Cosine, 1),
    ("cosh", Arithmetic::HyperbolicCosine, 1),
    ("exp", Arithmetic::Exponential, 1),
    ("floor", Arithmetic::Floor, 1),
    ("haversinKilometers", Arithmetic::HaversineKilometres, 4),
    ("haversinMeters", Arithmetic::HaversineMetres, 4),
    ("ln", Arithmetic::NaturalLog, 1),
    ("log10", Arithmetic::Log10, 1),
    ("logn", Arithmetic::Log, 2),
    ("max", Arithmetic::Max, 2),
    ("min", Arithmetic::Min, 2),
    ("pow", Arithmetic::Power, 2),
    ("sin", Arithmetic::Sine, 1),
    ("sinh", Arithmetic::HyperbolicSine, 1),
    ("sqrt", Arithmetic::SquareRoot, 1),
    ("tan", Arithmetic::Tangent, 1),
    ("tanh", Arithmetic::HyperbolicTangent, 1),
];

/// Reads an expression. Errors: `BadRequest`, with the place.
pub(super) fn parse(text: &str) -> Result<Expression> {
    let mut reader = ExpressionReader { text, at: 0 };
    if text.len() > BYTES_MAX {
        return Err(reader.wrong(&format!("it is longer than {BYTES_MAX} bytes")));
    }
    let expression = reader.choice(0)?;
    match reader.rest() {
        "" => Ok(expression),
        _ => Err(reader.wrong("an operator is missing")),
    }
}

/// An expression from left to right.
struct ExpressionReader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> ExpressionReader<'a> {
    fn rest(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn wrong(&self, why: &str) -> Error {
        let (text, at) = (self.text.chars().take(200).collect::<String>(), self.at);
        Error::bad_request(format!("cannot read the expression `{text}` at character {at}: {why}"))
    }

    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest();
        let longer = |longer: &&str| longer.len() > token.len() && rest.starts_with(*longer);
        if !rest.starts_with(token) || LONGER.iter().any(longer) {
            return false;
        }
        self.at += token.len();
        true
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.takes(token) { Ok(()) } else { Err(self.wrong(&format!("`{token}` is missing"))) }
    }

    fn choice(&mut self, depth: usize) -> Result<Expression> {
        let condition = self.level(0, depth)?;
        if !self.takes("?") {
            return Ok(condition);
        }
        let depth = self.deeper(depth)?;
        let then = self.choice(depth)?;
        self.expect(":")?;
        Ok(Expression::call(Arithmetic::Choose, vec![condition, then, self.choice(depth)?]))
    }

    fn deeper(&self, depth: usize) -> Result<usize> {
        if depth < DEPTH_MAX { Ok(depth + 1) } else { Err(self.wrong("it nests too deep")) }
    }

    /// Operators of one level, from left to right. A chain of them is a tree as deep, so its length is
    /// bounded too.
    fn level(&mut self, level: usize, depth: usize) -> Result<Expression> {
        let Some(operators) = LEVELS.get(level) else { return self.signed(depth) };
        let (mut left, mut deep) = (self.level(level + 1, depth)?, depth);
        while let Some((_, operation)) = operators.iter().find(|(token, _)| self.takes(token)) {
            deep = self.deeper(deep)?;
            left = Expression::call(*operation, vec![left, self.level(level + 1, deep)?]);
        }
        Ok(left)
    }

    fn signed(&mut self, depth: usize) -> Result<Expression> {
        let depth = self.deeper(depth)?;
        for (token, operation) in
            [("-", Arithmetic::Negate), ("!", Arithmetic::Not), ("~", Arithmetic::Complement)]
        {
            if self.takes(token) {
                return Ok(Expression::call(operation, vec![self.signed(depth)?]));
            }
        }
        if self.takes("+") { self.signed(depth) } else { self.value(depth) }
    }

    fn value(&mut self, depth: usize) -> Result<Expression> {
        if self.takes("(") {
            let inner = self.choice(depth)?;
            self.expect(")")?;
            return Ok(inner);
        }
        match self.rest().chars().next() {
            Some(first) if first.is_ascii_digit() || first == '.' => self.number(),
            Some(first) if first.is_alphabetic() || matches!(first, '_' | '$') => self.named(depth),
            _ => Err(self.wrong("a number, a field, a function or `(` is missing")),
        }
    }

    fn number(&mut self) -> Result<Expression> {
        let rest = self.rest();
        let mut before = ' ';
        let ends = |c: char| {
            let exponent_sign = matches!(c, '+' | '-') && matches!(before, 'e' | 'E');
            before = c;
            !(c.is_ascii_alphanumeric() || c == '.' || exponent_sign)
        };
        let hexadecimal = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"));
        let (text, number) = match hexadecimal {
            Some(digits) => {
                let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
                let digits = digits.get(..end).unwrap_or_default();
                (rest.get(..end + 2), u64::from_str_radix(digits, 16).ok().map(|number| number as f64))
            }
            None => {
                let text = rest.get(..rest.find(ends).unwrap_or(rest.len()));
                (text, text.and_then(|text| text.parse().ok()).filter(|it: &f64| it.is_finite()))
            }
        };
        self.at += text.map_or(0, str::len);
        number.map(Expression::Number).ok_or_else(|| self.wrong("this is not a number"))
    }

    fn named(&mut self, depth: usize) -> Result<Expression> {
        let rest = self.rest();
        let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
        let name = rest.get(..rest.find(ends).unwrap_or(rest.len())).unwrap_or_default();
        self.at += name.len();
        if !self.takes("(") {
            return Ok(Expression::Field(name.into()));
        }
        let mut arguments = Vec::new();
        if !self.takes(")") {
            arguments.push(self.choice(depth)?);
            while self.takes(",") {
                arguments.push(self.choice(depth)?);
            }
            self.expect(")")?;
        }
        let Some((_, operation, count)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) else {
            return Err(self.wrong(&format!("there is no function `{name}`")));
        };
        if arguments.len() != *count {
            return Err(self.wrong(&format!("`{name}` takes {count} arguments, not {}", arguments.len())));
        }
        Ok(Expression::call(*operation, arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_worked_out() {
        let check = |text: &str, expected: f64| {
            let field = |name: &str| if name == "two" { 2.0 } else { 0.0 };
            let value = parse(text).unwrap().value(&field);
            assert!((value - expected).abs() < 1e-9, "{text}: {value}");
        };
        check("1 + 2 * 3", 7.0);
        check("(1 + two) * -3", -9.0);
        check("10 - 2 - 3", 5.0);
        check("7 % 4 + none", 3.0);
        check("1.5e2 + .5", 150.5);
        check("0x1F", 31.0);
        check("two > 1 ? 10 : 20", 10.0);
        check("two >= 3 ? 10 : two == 2 ? 5 : 6", 5.0);
        check("!two || 1 && 0", 0.0);
        check("6 & 3 | 8 ^ 1", 11.0);
        check("1 << 4 >> 1", 8.0);
        check("-1 >>> 60", 15.0);
        check("~0", -1.0);
        check("max(1, two) + min(3, 4) + pow(2, 3)", 13.0);
        check("ln(exp(1)) + log10(100) + logn(2, 8) + sqrt(9) + abs(-1)", 10.0);
        check("floor(haversinKilometers(0, 0, 0, 1))", 111.0);
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        let check = |text: &str, expected: &str| {
            let message = parse(text).unwrap_err().message;
            assert!(message.contains(expected), "{text}: {message}");
        };
        check("", "a number, a field, a function or `(` is missing");
        check("1 +", "at character 3");
        check("(1", "`)` is missing");
        check("1 2", "an operator is missing");
        check("1x", "not a number");
        check("1 ? 2", "`:` is missing");
        check("nosuch(1)", "no function `nosuch`");
        check("max(1)", "`max` takes 2 arguments, not 1");
        check(&"(".repeat(1000), "nests too deep");
        check(&"-".repeat(1000), "nests too deep");
        check(&format!("1{}", "+1".repeat(1000)), "nests too deep");
        check(&"1?".repeat(1000), "nests too deep");
        check(&" ".repeat(20_000), "longer than");
    }
}
