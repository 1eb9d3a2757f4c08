//! What a search is to find, as plain numbers.

use super::collect::Limits;
use crate::data::bytes::{Reader, Writer};
use crate::space::ReportMode;

/// What a search is to find.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Goal {
    /// The best among the best `each` of every subtree.
    Best { each: usize, limit: usize },
    /// All patterns above the threshold.
    All(Limits, ReportMode),
}

const MODES: [ReportMode; 3] = [ReportMode::Best, ReportMode::Distinct, ReportMode::All];

impl Goal {
    /// The numbers that determine it.
    pub fn numbers(self) -> Vec<u64> {
        match self {
            Self::Best { each, limit } => vec![each as u64, limit as u64],
            Self::All(Limits { nodes, patterns, rows }, mode) => {
                vec![nodes, patterns as u64, rows as u64, mode as u64]
            }
        }
    }

    pub fn write(self, to: &mut Writer) {
        to.numbers(self.numbers().into_iter());
    }

    pub fn read(from: &mut Reader<'_>) -> Option<Self> {
        let size = |number| usize::try_from(number).ok();
        match from.numbers::<u64>()?[..] {
            [each, limit] => Some(Self::Best { each: size(each)?, limit: size(limit)? }),
            [nodes, patterns, rows, mode] => {
                let limits = Limits { nodes, patterns: size(patterns)?, rows: size(rows)? };
                Some(Self::All(limits, *MODES.get(size(mode)?)?))
            }
            _ => None,
        }
    }
}
