//! The number of propositions of a pattern, chosen on the folds that compare the strengths.
//!
//! Models of patterns of one proposition, of at most two, and so on are compared by their held-out loss, each with its own
//! path of strengths. The more propositions, the more models noise offers; and a search of three takes as long as tens of
//! two. So it is two, unless one is clearly better or three are; and before a path of more than two propositions
//! each fold adds, at the strength chosen for the last length, the worst violators among the longer patterns
//! to its solution there: one search in place of a path. Where that does not lower the held-out loss, the path is left
//! out. What may be missed is an effect of three features that no pair of them shows.
//!
//! Models that explain nothing say nothing of longer patterns: the next length is then compared in full.
//!
//! Measurements: benches/record/2026-11-29-number-of-conditions.md.

use super::fold::HeldOutFold;
use super::paths::{Compared, Paths};
use super::prepared::Prepared;
use super::{Family, FamilyParams, PatternOf};
use crate::control::Control;
use crate::data::rows::{Fold, Rows};
use crate::error::Result;
use crate::select::cross_validation::PART_OF_TIME;
use crate::select::{PenaltyKind, Split, TrainingView, longer};
use crate::space::{PatternSpace, Sign};

/// The fraction of the held-out loss by which models of one proposition, or of more than two, must be better than those of
/// two on their own paths: less is chance. From .003 to .006 the mean loss of 48 drawn tables on new rows is the same; with
/// 0 one proposition is chosen too often.
const MIN_GAIN: f64 = 0.004;

/// The fraction of the loss of the empty model that models explain which show something: the least loss of many strengths
/// is some thousandths lower on noise too.
const MIN_EXPLAINED: f64 = 0.01;

/// The rows of a fit, and its folds.
pub(super) struct Lengths<'a, F: Family> {
    pub rows: &'a Rows<F::Records>,
    pub prepared: &'a Prepared<F>,
    pub folds: &'a [Fold],
    /// `None` where the time was over before they were prepared.
    pub splits: Option<&'a [HeldOutFold<F>]>,
    pub params: &'a F::Params,
    pub control: &'a Control,
}

impl<F: Family> Lengths<'_, F> {
    /// The number of propositions, at most `longest`, and the comparison of its strengths.
    pub fn choose(&self, longest: usize) -> Result<(usize, Vec<Compared>)> {
        let mut best = self.compare(1)?;
        for length in 2..=longest {
            if length > 2 && !best.explains_nothing() && !self.is_promising(&best, length)? {
                best.mark_cut_short(self.control.until(PART_OF_TIME).is_out_of_time());
                break;
            }
            let next = self.compare(length)?;
            let is_cut_short = next.is_cut_short();
            let is_preferred =
                if length == 2 { !best.is_better(next.loss) } else { next.is_better(best.loss) };
            // Where neither explains anything an empty model is one of all patterns.
            let is_taken = is_preferred || best.explains_nothing() && next.explains_nothing();
            if is_taken {
                best = next;
            }
            best.mark_cut_short(is_cut_short);
            if !is_taken {
                break;
            }
        }
        Ok((best.length, best.strengths))
    }

    fn compare(&self, length: usize) -> Result<OfLength<'_, F>> {
        let Self { rows, prepared, folds, params, .. } = *self;
        let space = of_length(&prepared.space, length);
        let view = TrainingView { space: &space, ..prepared.view() };
        let control = &self.control.within(length);
        let paths = Paths { rows, view, folds, options: params.options(), control };
        let splits = self.shortened(length);
        let strengths = paths.compare(splits.as_deref())?;
        let loss = strengths.iter().map(|output| relative(&output.comparison.best(false).scores.mean)).sum();
        Ok(OfLength { length, splits, strengths, loss })
    }

    /// The folds with the patterns of a length.
    fn shortened(&self, length: usize) -> Option<Vec<Shortened<'_, F>>> {
        let one = |split| Shortened { split, space: of_length(&split.prepared.space, length) };
        self.splits.map(|splits| splits.iter().map(one).collect())
    }

    /// Whether longer patterns lower the held-out loss of the chosen strengths at all: a search gains a tenth to a half of
    /// what a path does that is worth its time. Best subsets and groups, which do not go on from a solution over a part of
    /// the space, are compared in full.
    fn is_promising(&self, best: &OfLength<'_, F>, length: usize) -> Result<bool> {
        let options = self.params.options();
        let (Some(short), Some(long)) = (&best.splits, self.shortened(length)) else { return Ok(false) };
        if options.penalty == PenaltyKind::L0 || options.groups.is_some() {
            return Ok(true);
        }
        let control = self.control.until(PART_OF_TIME).within(0).within(length);
        let mut loss = 0.0;
        for (output, Compared { alphas, comparison }) in best.strengths.iter().enumerate() {
            let chosen = comparison.best(false);
            let at = (alphas[chosen.at], chosen.relaxation);
            let found = longer::loss_from(short, &long, output, at, options, &control.within(output))?;
            loss += relative(&[chosen.scores.mean[0], found]);
        }
        Ok(loss < best.loss)
    }
}

/// The patterns of at most so many propositions.
pub(super) fn of_length<S: PatternSpace>(space: &S, length: usize) -> S {
    space.of_length(length).expect("patterns whose length is chosen have a space of each length")
}

/// The least of some losses in units of the first, of the empty model.
fn relative(losses: &[f64]) -> f64 {
    let Some(&empty) = losses.first() else { return f64::INFINITY };
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    if empty <= 0.0 { 0.0 } else { least / empty }
}

/// A length that was compared.
struct OfLength<'a, F: Family> {
    length: usize,
    splits: Option<Vec<Shortened<'a, F>>>,
    strengths: Vec<Compared>,
    /// The least held-out loss in units of that of the empty model, added over the outputs.
    loss: f64,
}

impl<F: Family> OfLength<'_, F> {
    fn is_better(&self, loss: f64) -> bool {
        self.loss < (1.0 - MIN_GAIN) * loss
    }

    /// Whether the models are as good as the empty one.
    fn explains_nothing(&self) -> bool {
        self.loss.is_finite() && self.loss > (1.0 - MIN_EXPLAINED) * self.strengths.len() as f64
    }

    fn is_cut_short(&self) -> bool {
        self.strengths.iter().any(|compared| compared.comparison.is_cut_short)
    }

    fn mark_cut_short(&mut self, is_cut_short: bool) {
        self.strengths.iter_mut().for_each(|compared| compared.comparison.is_cut_short |= is_cut_short);
    }
}

/// A fold with the patterns of a length.
struct Shortened<'a, F: Family> {
    split: &'a HeldOutFold<F>,
    space: F::Space,
}

impl<F: Family> Split for Shortened<'_, F> {
    type Space = F::Space;

    fn view(&self) -> TrainingView<'_, F::Space> {
        TrainingView { space: &self.space, ..self.split.view() }
    }

    fn y(&self, output: usize) -> &[f64] {
        self.split.y(output)
    }

    fn held_out(&self, output: usize) -> (&[f64], &[f64]) {
        self.split.held_out(output)
    }

    fn weight(&self) -> f64 {
        self.split.weight()
    }

    fn rows(&self, pattern: &PatternOf<F>, sign: Sign) -> Vec<u32> {
        self.split.rows(pattern, sign)
    }

    fn dense(&self) -> &[Vec<f64>] {
        self.split.dense()
    }
}
