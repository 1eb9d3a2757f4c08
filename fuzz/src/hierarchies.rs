//! Hierarchies: objective and dual bound against the lattice written out.

use arbitrary::{Result, Unstructured};
use thresher::Control;
use thresher::data::bins::{BinRule, Feature};
use thresher::data::dataset::Dataset;
use thresher::families::hierarchy::{HierarchyLoss, Params, Strategy, fit, verify};
use thresher::families::rules::{Condition, Rule};

use crate::draw::{self, POOLS};
use crate::least::Losses;
use crate::tables;

/// Of each column the cut above which and the cut up to which it is.
type Conjunction = Vec<(Option<usize>, Option<usize>)>;

/// The lattice, the penalty and the losses of a problem.
struct Lattice<'a> {
    conjunctions: Vec<Conjunction>,
    /// Rows of each conjunction as 0 and 1.
    columns: Vec<Vec<f64>>,
    /// The conjunctions that contain each, itself among them.
    below: Vec<Vec<usize>>,
    losses: Losses<'a>,
    alpha: f64,
    rho: f64,
    depth_base: f64,
}

/// Draws a problem of one or two numeric columns and checks the points of a path.
pub fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let (d, n) = (draw::size(u, 1..=2)?, draw::size(u, 2..=10)?);
    let table = tables::table(draw::list(u, d, |u| tables::numeric(u, n, 3, false))?, n);
    let losses =
        [HierarchyLoss::Hinge, HierarchyLoss::SquaredHinge, HierarchyLoss::Logistic, HierarchyLoss::Squared];
    let loss = *u.choose(&losses)?;
    let y = [draw_responses(u, n, loss)?];
    let weights = draw::weights(u, n)?;
    let params = Params {
        loss,
        rho: *u.choose(&[1.1, 1.5, 2.0])?,
        depth_base: *u.choose(&[1.5, 2.0])?,
        alphas: Some(vec![draw::fraction(u)?.powi(2)]),
        bins: BinRule::Midpoints,
        strategy: if u.ratio(1, 6)? { Strategy::MirrorDescent } else { Strategy::Newton },
        max_hull: *u.choose(&[1, 3, 500])?,
        ..Params::default()
    };
    let data = Dataset::new(&table, &y).with_weights(&weights);
    let Ok(fitted) = POOLS[0].install(|| fit(&data, params.clone(), &Control::default())) else {
        return Ok(());
    };
    let document = fitted.model.document();
    let total: f64 = weights.iter().sum();
    let shares: Vec<f64> = weights.iter().map(|w| w / total).collect();
    let codes = document.features.encode(&table).expect("codes").columns;
    let cuts: Vec<Vec<f64>> = document.features.features().iter().map(cuts_of).collect();
    let output = &document.outputs[0];
    let point = output.points.last().expect("a point");
    let losses = Losses { loss: loss.kind(), y: &y[0], weights: &shares };
    let lattice = Lattice::new(&cuts, &codes, losses, point.alpha, &params);
    assert_eq!(document.n_candidates, Some(lattice.conjunctions.len().to_string()));
    let mut f = vec![0.0; lattice.conjunctions.len()];
    for &(term, coef) in &point.terms {
        f[lattice.place(&output.terms[term].pattern, &cuts)] += coef;
    }
    let primal = lattice.objective(&f, point.intercept);
    let margin = 1e-7 * primal + 1e-9 * losses_at_zero(&lattice);
    assert!(
        (primal - point.primal).abs() <= margin,
        "the objective is {primal}, the model claims {}",
        point.primal
    );
    assert!(!point.complete || point.relative_gap <= point.tol);
    let reached = lattice.descend(f, point.intercept);
    assert!(point.dual <= reached + margin, "the dual bound {} is above {reached}", point.dual);
    let last = [output.points.len() - 1];
    verify(&fitted.model, &data, &last, &params, &Control::default())
        .unwrap_or_else(|e| panic!("{e}: {y:?} {weights:?} {point:?}"));
    Ok(())
}

fn draw_responses(u: &mut Unstructured<'_>, n: usize, loss: HierarchyLoss) -> Result<Vec<f64>> {
    let values = if loss == HierarchyLoss::Squared { [-2.0, 0.0, 0.5, 3.0] } else { [-1.0, 1.0, -1.0, 1.0] };
    draw::list(u, n, |u| u.choose(&values).copied())
}

fn losses_at_zero(lattice: &Lattice<'_>) -> f64 {
    lattice.losses.at(&vec![0.0; lattice.losses.y.len()])
}

fn cuts_of(feature: &Feature) -> Vec<f64> {
    match feature {
        Feature::Numeric { cuts, .. } => cuts.clone(),
        Feature::Categorical { .. } => Vec::new(),
    }
}

/// The states of a column with `cuts` cut points.
fn states(cuts: usize) -> Vec<(Option<usize>, Option<usize>)> {
    let ends = || std::iter::once(None).chain((0..cuts).map(Some));
    let is_interval =
        |(a, b): &(Option<usize>, Option<usize>)| !matches!((a, b), (Some(a), Some(b)) if a >= b);
    ends().flat_map(|a| ends().map(move |b| (a, b))).filter(is_interval).collect()
}

impl<'a> Lattice<'a> {
    fn new(cuts: &[Vec<f64>], codes: &[Vec<u16>], losses: Losses<'a>, alpha: f64, params: &Params) -> Self {
        let mut conjunctions: Vec<Conjunction> = vec![Vec::new()];
        for cuts in cuts {
            let with =
                |c: Conjunction| states(cuts.len()).into_iter().map(move |s| [c.clone(), vec![s]].concat());
            conjunctions = conjunctions.into_iter().flat_map(with).collect();
        }
        let holds = |c: &Conjunction, row: usize| {
            c.iter().zip(codes).all(|((above, up_to), codes)| {
                let bin = codes[row] as usize;
                above.is_none_or(|cut| bin > cut) && up_to.is_none_or(|cut| bin <= cut)
            })
        };
        let n = losses.y.len();
        let column = |c: &Conjunction| (0..n).map(|row| f64::from(u8::from(holds(c, row)))).collect();
        let contains = |small: &Conjunction, large: &Conjunction| {
            small
                .iter()
                .zip(large)
                .all(|(s, l)| (s.0.is_none() || s.0 == l.0) && (s.1.is_none() || s.1 == l.1))
        };
        let below = conjunctions
            .iter()
            .map(|v| (0..conjunctions.len()).filter(|&w| contains(v, &conjunctions[w])).collect())
            .collect();
        let columns = conjunctions.iter().map(column).collect();
        Self { conjunctions, columns, below, losses, alpha, rho: params.rho, depth_base: params.depth_base }
    }

    /// The place of a rule of the model.
    fn place(&self, rule: &Rule, cuts: &[Vec<f64>]) -> usize {
        let mut wanted: Conjunction = vec![(None, None); cuts.len()];
        for condition in rule.conditions() {
            let Condition::Interval { feature, lower, upper } = condition else { panic!("{condition:?}") };
            let at = |end: &f64| cuts[*feature].iter().position(|cut| cut == end);
            wanted[*feature] = (at(lower), at(upper));
        }
        self.conjunctions.iter().position(|c| *c == wanted).expect("a conjunction of the lattice")
    }

    /// Omega by its definition.
    fn penalty(&self, f: &[f64]) -> f64 {
        let length =
            |c: &Conjunction| c.iter().map(|s| i32::from(s.0.is_some()) + i32::from(s.1.is_some())).sum();
        let norm = |below: &Vec<usize>| {
            below.iter().map(|&w| f[w].abs().powf(self.rho)).sum::<f64>().powf(1.0 / self.rho)
        };
        self.conjunctions
            .iter()
            .zip(&self.below)
            .map(|(c, below)| self.depth_base.powi(length(c)) * norm(below))
            .sum()
    }

    fn objective(&self, f: &[f64], intercept: f64) -> f64 {
        let mut predictions = vec![intercept; self.losses.y.len()];
        for (coef, column) in f.iter().zip(&self.columns).filter(|(coef, _)| **coef != 0.0) {
            predictions.iter_mut().zip(column).for_each(|(p, x)| *p += coef * x);
        }
        self.losses.at(&predictions) + 0.5 * self.alpha * self.penalty(f).powi(2)
    }

    /// The objective that steps along single coefficients reach.
    fn descend(&self, mut f: Vec<f64>, mut intercept: f64) -> f64 {
        let mut best = self.objective(&f, intercept);
        for _ in 0..2 {
            for size in [1.0, 0.1, 1e-2, 1e-3, 1e-5] {
                for k in 0..=f.len() {
                    for step in [size, -size] {
                        let coordinate = if k < f.len() { &mut f[k] } else { &mut intercept };
                        let before = *coordinate;
                        *coordinate += step;
                        let reached = self.objective(&f, intercept);
                        if reached < best {
                            best = reached;
                        } else if k < f.len() {
                            f[k] = before;
                        } else {
                            intercept = before;
                        }
                    }
                }
            }
        }
        best
    }
}
