use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::bound::Bound;
use super::outside::Outside;
use super::*;
use crate::data::bins::{BinRule, Binning};
use crate::data::dataset::Dataset;
use crate::data::table::{Column, Level, MISSING, Table};
use crate::document::Document;
use crate::families::hierarchy::{Hierarchies, HierarchyLoss, HierarchyModel, Params, fit, verify};

/// Small numbers and categories, with gaps; both columns of `n` rows.
fn table(numbers: &[u8], labels: &[u8], n: usize) -> Table {
    let number = |v: &u8| if v % 7 == 6 { f64::NAN } else { f64::from(v % 7) };
    let label = |v: &u8| if v % 5 == 4 { MISSING } else { u32::from(v % 4) };
    let levels = (0..4).map(Level::Int).collect();
    let columns = vec![
        Column::Numeric(numbers[..n].iter().map(number).collect()),
        Column::Categorical { codes: labels[..n].iter().map(label).collect(), levels },
    ];
    Table::new(vec!["a".into(), "b".into()], columns, n).unwrap()
}

/// Every conjunction.
fn conjunctions(lattice: &Lattice<'_>) -> Vec<Conjunction> {
    let mut all = vec![Conjunction::new()];
    for k in 0..lattice.len() {
        let longer: Vec<Conjunction> =
            all.iter().filter(|v| lattice.joins(v, k)).map(|v| [v.as_slice(), &[k]].concat()).collect();
        all.extend(longer);
    }
    all
}

fn bins(table: &Table, cuts: usize) -> Binning {
    Binning::learn(
        table,
        &[],
        &vec![1.0; table.n_rows()],
        &BinRule::Uniform { n: cuts + 1 },
        &Control::default(),
    )
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// For any multipliers and kernel weights, q . f <= N Omega(f) for every f over the lattice.
    #[test]
    fn the_norm_of_a_witness_bounds_every_direction(
        numbers in prop::collection::vec(any::<u8>(), 12),
        labels in prop::collection::vec(any::<u8>(), 12),
        n in 3usize..12,
        cuts in 1usize..3,
        rho in prop_oneof![Just(1.1), Just(2.0), 1.05..2.0f64],
        depth_base in 1.1..4.0f64,
        phi in prop::collection::vec(-2.0..2.0f64, 12),
        f in prop::collection::vec((0usize..10_000, -1.0..1.0f64), 1..8),
        kernel_weights in prop::collection::vec((0usize..10_000, 0.0..1.0f64), 0..12),
        allowed in prop_oneof![Just(f64::NEG_INFINITY), 0.01..9.0f64],
    ) {
        let table = table(&numbers, &labels, n);
        let binning = bins(&table, cuts);
        let lattice = Lattice::new(&binning, &table, &Control::default()).unwrap();
        let all = conjunctions(&lattice);
        let penalty = Penalty { rho, depth_base };
        let mean = phi[..n].iter().sum::<f64>() / n as f64;
        let multipliers: Vec<f64> = phi[..n].iter().map(|p| p - mean).collect();
        let weights = vec![1.0; n];
        let rows = WeightedRows { lattice: &lattice, y: &multipliers, weights: &weights, penalty, class_counts: &|_| Vec::new() };
        let members = kernel_weights.iter().flat_map(|&(at, weight)| {
            subsets(&all[at % all.len()]).into_iter().map(move |v| (v, weight))
        });
        let witness = Witness {
            multipliers: multipliers.clone(),
            kernel_weights: members.collect(),
            intercept: 0.0,
            terms: Vec::new(),
        };
        let control = Control::default();
        let bound = Bound { rows: &rows, witness: &witness, control: &control };
        let mut cells = vec![0.0; lattice.n_cells()];
        (0..n).for_each(|i| cells[lattice.cell_of[i] as usize] += multipliers[i]);
        let norm = bound.squared_norm(&cells, allowed).unwrap().0.sqrt();
        let q = |v: &Conjunction| -> f64 {
            let rows = (0..n).filter(|&i| lattice.satisfies(v, lattice.cell_of[i]));
            rows.map(|i| multipliers[i]).sum()
        };
        // Drawn ones, and those of which each would be the steepest if only one group counted.
        let drawn = f.iter().map(|&(at, w)| (all[at % all.len()].clone(), w)).collect();
        let order = penalty.dual_order();
        let steep = f.iter().map(|&(at, _)| {
            let t = &all[at % all.len()];
            let below = all.iter().filter(|w| t.iter().all(|k| w.contains(k)));
            below.map(|w| (w.clone(), q(w).signum() * q(w).abs().powf(order - 1.0))).collect()
        });
        for f in steep.chain([drawn]) {
            let f: Vec<(Conjunction, f64)> = f;
            let mut terms: BTreeMap<Conjunction, f64> = BTreeMap::new();
            f.into_iter().for_each(|(v, w)| *terms.entry(v).or_default() += w);
            let product: f64 = terms.iter().map(|(v, w)| w * q(v)).sum();
            let omega = penalty.value(&terms.into_iter().collect::<Vec<_>>());
            prop_assert!(product <= norm * omega * (1.0 + 1e-7) + 1e-7, "{} {}", product, norm * omega);
        }
    }

    /// The bound is the limit if nothing is above it by itself, and at most the largest of what is.
    #[test]
    fn the_norm_outside_is_between_the_limit_and_the_largest_conjunction(
        numbers in prop::collection::vec(any::<u8>(), 12),
        labels in prop::collection::vec(any::<u8>(), 12),
        n in 2usize..12,
        cuts in 1usize..4,
        rho in prop_oneof![1.05..2.0f64, Just(2.0)],
        depth_base in prop_oneof![4 => 1.1..4.0f64, 1 => Just(1.0 + 1e-10)],
        phi in prop::collection::vec(-2.0..2.0f64, 12),
        picks in prop::collection::vec(0usize..10_000, 0..8),
        share in 0.01..1.5f64,
    ) {
        let table = table(&numbers, &labels, n);
        let binning = bins(&table, cuts);
        let lattice = Lattice::new(&binning, &table, &Control::default()).unwrap();
        let mut cells = vec![0.0; lattice.n_cells()];
        (0..n).for_each(|i| cells[lattice.cell_of[i] as usize] += phi[i]);
        let (all, penalty, control) = (conjunctions(&lattice), Penalty { rho, depth_base }, Control::default());
        let mut members: BTreeSet<Conjunction> = picks.iter().flat_map(|at| subsets(&all[at % all.len()])).collect();
        members.insert(Conjunction::new());
        let outside = Outside { lattice: &lattice, penalty, members: &members, cells: &cells, control: &control };
        let size = |w: &Conjunction| {
            let inside = (0..cells.len() as u32).filter(|&c| lattice.satisfies(w, c));
            inside.map(|c| cells[c as usize]).sum::<f64>().abs() / penalty.weight(w)
        };
        let largest = all.iter().filter(|w| !members.contains(*w)).map(size).fold(0.0, f64::max);
        let minimal = all.iter().filter(|w| !members.contains(*w) && subsets(w).iter().all(|v| v == *w || members.contains(v)));
        let least = minimal.map(size).fold(0.0, f64::max);
        let limit = share * largest + 1e-6;
        let (norm, _) = outside.norm(limit).unwrap();
        prop_assert!(norm >= limit && norm >= least * (1.0 - 1e-9), "{} {} {}", norm, limit, least);
        prop_assert!(norm <= limit.max(largest) * (1.0 + 1e-9), "{} {} {}", norm, limit, largest);
    }
}

const LOSSES: [HierarchyLoss; 4] =
    [HierarchyLoss::Hinge, HierarchyLoss::SquaredHinge, HierarchyLoss::Logistic, HierarchyLoss::Squared];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The gap proved is at most what a fit to a far smaller gap leaves open, and never less than that.
    #[test]
    fn a_fitted_model_is_proved_and_edits_are_noticed(
        numbers in prop::collection::vec(any::<u8>(), 20),
        labels in prop::collection::vec(any::<u8>(), 20),
        responses in prop::collection::vec(-2.0..2.0f64, 20),
        weights in prop::collection::vec(prop::sample::select(vec![0.5, 1.0, 2.0]), 20),
        n in 4usize..20,
        loss in prop::sample::select(LOSSES.to_vec()),
        rho in prop_oneof![Just(1.1), Just(1.5), Just(2.0)],
        depth_base in 1.5..3.0f64,
        log_alpha in -3.0..0.0f64,
        edit in 0usize..6,
    ) {
        let table = table(&numbers, &labels, n);
        let mut y = responses[..n].to_vec();
        if loss != HierarchyLoss::Squared {
            y.iter_mut().for_each(|y| *y = if *y > 0.0 { 1.0 } else { -1.0 });
            (y[0], y[1]) = (1.0, -1.0);
        }
        let y = [y];
        let data = Dataset::new(&table, &y).with_weights(&weights[..n]);
        let alphas = Some(vec![10f64.powf(log_alpha)]);
        let params = Params { loss, rho, depth_base, alphas, bins: BinRule::Uniform { n: 3 }, tol: 1e-4, ..Params::default() };
        let control = Control::default();
        let model = fit(&data, params.clone(), &control).unwrap().model;
        let exact = Params { tol: 1e-9, ..params.clone() };
        let best = fit(&data, exact, &control).unwrap().model.document().outputs[0].points[0].clone();
        let proved = &verify(&model, &data, &[0], &params, &control).unwrap()[0];
        let size = proved.primal.abs().max(1e-9);
        prop_assert!(proved.complete && proved.relative_gap <= 1.1e-4);
        prop_assert!(proved.gap >= proved.primal - best.primal - 1e-9 * size);
        prop_assert!(proved.dual <= best.primal + 1e-9 * size);
        let mut document = model.into_document();
        prop_assume!(edited(&mut document, edit));
        let model = HierarchyModel::try_from(document).unwrap();
        prop_assert!(verify(&model, &data, &[0], &params, &control).is_err(), "edit {}", edit);
    }
}

/// Changes one number of a model; whether there was one to change.
fn edited(document: &mut Document<Hierarchies>, edit: usize) -> bool {
    let output = &mut document.outputs[0];
    let (terms, point) = (&mut output.terms, &mut output.points[0]);
    match edit {
        0 => point.terms.first_mut().map(|term| term.1 = 2.0 * term.1 + 0.1f64.copysign(term.1)).is_some(),
        1 => terms.first_mut().map(|term| term.n_rows += 1).is_some(),
        2 => terms.first_mut().map(|term| term.support *= 0.5).is_some_and(|()| terms[0].support > 0.0),
        3 => {
            point.gap *= 0.5;
            point.gap > 0.0
        }
        4 => {
            point.relative_gap *= 0.5;
            point.relative_gap > 0.0
        }
        _ => {
            point.intercept += 10.0;
            true
        }
    }
}
