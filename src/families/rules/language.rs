//! Which rules a model was chosen from.

use serde::{Deserialize, Serialize};

use super::condition::Rule;
use crate::document::OutputDoc;

/// The rules that were candidates of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleLanguage {
    /// Maximum number of features of a rule; `None`: no limit.
    pub max_features: Option<usize>,
}

impl RuleLanguage {
    /// The rules are of the language; the largest rule with the same rows may be longer.
    pub(super) fn check(&self, outputs: &[OutputDoc<Rule>]) -> Result<(), String> {
        let Some(most) = self.max_features else { return Ok(()) };
        for (o, output) in outputs.iter().enumerate() {
            for (k, term) in output.terms.iter().enumerate() {
                let length = term.pattern.conditions().len();
                if length > most {
                    return Err(format!(
                        "outputs[{o}].terms[{k}].pattern: {length} conditions; the language of the model has at most {most}"
                    ));
                }
            }
        }
        Ok(())
    }
}
