//! `patternReplace`: replaces what a pattern matches in the whole text. Inside a replacement offsets fall on
//! the matched text from its start on, as in Lucene's filter. It sees the whole text, tags and line ends
//! included, before any tokenizer; the filter of the same name sees one token at a time
//! (`filter/pattern.rs`).

use crate::definition::CharFilterDefinition;
use crate::java_regex::{JavaRegex, Replacement};
use crate::offsets::{Filtered, Rewriter};
use crate::stage::CharFilter;

pub(crate) static PATTERN_REPLACE: CharFilterDefinition = CharFilterDefinition::new(
    "patternReplace",
    "pattern.PatternReplaceCharFilterFactory",
    &["pattern", "replacement"],
    "Replaces what a pattern matches.",
    |args| {
        let regex = args.pattern("pattern")?;
        let source = args.get("replacement").unwrap_or_default();
        let replacement =
            Replacement::parse(source, &regex).map_err(|reason| args.bad("replacement", source, &reason))?;
        Ok(Box::new(PatternReplace { regex, replacement }))
    },
)
.normalizing();

struct PatternReplace {
    regex: JavaRegex,
    replacement: Replacement,
}

impl CharFilter for PatternReplace {
    fn filter(&self, text: &str) -> Filtered {
        let mut out = Rewriter::default();
        let mut kept = 0;
        self.regex.each(text, |captures| {
            let Some(matched) = captures.get(0) else { return };
            out.keep(text.get(kept..matched.start()).unwrap_or_default());
            let mut replacement = String::new();
            self.replacement.expand(captures, &mut replacement);
            out.replace(matched.as_str(), &replacement);
            kept = matched.end();
        });
        out.keep(text.get(kept..).unwrap_or_default());
        out.finish()
    }
}
