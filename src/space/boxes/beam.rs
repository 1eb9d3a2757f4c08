//! A beam search for a rule of a large score: the threshold that the search for the largest one starts from.

use super::siblings::accumulate;
use super::{BoxSpace, Proposition};
use crate::space::{Bound, NodeStats, RowWeights, Sign};

/// Number of rules that are extended: more find no better ones on a few hundred rows.
const WIDTH: usize = 32;

/// A rule that is extended.
struct Partial {
    /// Search positions of its features.
    features: Vec<usize>,
    rows: Vec<u32>,
    sign: Sign,
}

/// A rule with one proposition more.
struct Extension {
    score: f64,
    partial: usize,
    feature: usize,
    proposition: Proposition,
    sign: Sign,
}

impl BoxSpace {
    /// The largest score that a beam search finds; 0 if it finds no rule.
    pub(super) fn beam_score(&self, weights: &RowWeights, bound: &impl Bound) -> f64 {
        let mut partials =
            vec![Partial { features: Vec::new(), rows: self.all_rows.clone(), sign: self.sign }];
        let mut best = 0.0;
        for _ in 0..self.max_features {
            let mut extensions: Vec<Extension> = Vec::new();
            for (at, partial) in partials.iter().enumerate() {
                let others = (0..self.features.len()).filter(|f| !partial.features.contains(f));
                others.for_each(|f| self.extensions(weights, bound, (at, partial), f, &mut extensions));
            }
            extensions.sort_by(|a, b| b.score.total_cmp(&a.score));
            extensions.truncate(WIDTH);
            match extensions.first() {
                Some(first) if first.score > best => best = first.score,
                _ => break,
            }
            partials = extensions.iter().map(|extension| self.extended(&partials, extension)).collect();
        }
        best
    }

    /// The best rules of either sign that extend a rule by a proposition on `f`.
    fn extensions(
        &self,
        weights: &RowWeights,
        bound: &impl Bound,
        (at, partial): (usize, &Partial),
        f: usize,
        out: &mut Vec<Extension>,
    ) {
        let (feature, codes) = (&self.features[f], &self.codes[f]);
        let mut prefix = vec![NodeStats::default(); feature.cells() + 1];
        for &r in &partial.rows {
            prefix[usize::from(codes[r as usize]) + 1] += weights.stats[r as usize];
        }
        accumulate(&mut prefix);
        let whole = prefix[prefix.len() - 1];
        let mut best: [Option<Extension>; 2] = [None, None];
        feature.propositions(|proposition, sign| {
            let Some(sign) = partial.sign.and(sign) else { return };
            let inside = prefix[usize::from(proposition.hi) + 1] - prefix[usize::from(proposition.lo)];
            let sums = if proposition.negated { whole - inside } else { inside };
            if sums.count + 0.5 < self.min_support as f64 || sums.count + 0.5 > whole.count {
                return;
            }
            let correlation = sums.correlation();
            let score = bound.score(correlation, sums.weight, sign, partial.features.len() + 1);
            let side = &mut best[usize::from(correlation < 0.0)];
            if score > side.as_ref().map_or(0.0, |best| best.score) {
                *side = Some(Extension { score, partial: at, feature: f, proposition, sign });
            }
        });
        out.extend(best.into_iter().flatten());
    }

    fn extended(&self, partials: &[Partial], extension: &Extension) -> Partial {
        let &Extension { partial, feature, proposition, sign, .. } = extension;
        let Partial { features, rows, .. } = &partials[partial];
        let codes = &self.codes[feature];
        let features = features.iter().copied().chain([feature]).collect();
        let rows = rows.iter().copied().filter(|&r| proposition.holds(codes[r as usize])).collect();
        Partial { features, rows, sign }
    }
}
