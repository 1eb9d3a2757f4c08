use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::bound::{Bound, Source, sources};
use super::pairs::Pairs;
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
        extension in prop::collection::vec(0usize..10_000, 0..40),
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
            extension: extension.iter().map(|at| all[at % all.len()].clone()).collect(),
            intercept: 0.0,
            terms: Vec::new(),
        };
        let control = Control::default();
        let bound = Bound { rows: &rows, witness: &witness, control: &control };
        let mut cells = vec![0.0; lattice.n_cells()];
        (0..n).for_each(|i| cells[lattice.cell_of[i] as usize] += multipliers[i]);
        let norm = bound.squared_norm(&cells, f64::NEG_INFINITY).unwrap().0.sqrt();
        let mut terms: BTreeMap<Conjunction, f64> = BTreeMap::new();
        f.iter().for_each(|&(at, w)| *terms.entry(all[at % all.len()].clone()).or_default() += w);
        let product: f64 = terms
            .iter()
            .map(|(v, w)| {
                let rows = (0..n).filter(|&i| lattice.satisfies(v, lattice.cell_of[i]));
                w * rows.map(|i| multipliers[i]).sum::<f64>()
            })
            .sum();
        let omega = penalty.value(&terms.into_iter().collect::<Vec<_>>());
        prop_assert!(product <= norm * omega * (1.0 + 1e-7) + 1e-7, "{} {}", product, norm * omega);
    }

    /// Sums in closed form are those over all conjunctions that contain another.
    #[test]
    fn sums_over_pairs_are_those_of_an_enumeration(
        numbers in prop::collection::vec(any::<u8>(), 9),
        labels in prop::collection::vec(any::<u8>(), 9),
        n in 2usize..9,
        cuts in 1usize..4,
        rho in 1.4..2.0f64,
        depth_base in 1.1..4.0f64,
        phi in prop::collection::vec(-2.0..2.0f64, 9),
    ) {
        let table = table(&numbers, &labels, n);
        let binning = bins(&table, cuts);
        let lattice = Lattice::new(&binning, &table, &Control::default()).unwrap();
        let mut cells = vec![0.0; lattice.n_cells()];
        (0..n).for_each(|i| cells[lattice.cell_of[i] as usize] += phi[i]);
        let all = conjunctions(&lattice);
        let control = Control::default();
        let pairs = Pairs::new(&lattice, Penalty { rho, depth_base }, &cells, &control).unwrap();
        let fast = pairs.sums(&all).unwrap();
        for (t, fast) in all.iter().zip(fast) {
            let term = |w: &Conjunction| {
                let q: f64 = (0..cells.len() as u32).filter(|&c| lattice.satisfies(w, c)).map(|c| cells[c as usize]).sum();
                let between = depth_base.powi(exponent(t.len())) * (1.0 + depth_base).powi(exponent(w.len() - t.len()));
                (q / between).powi(2)
            };
            let slow: f64 = all.iter().filter(|w| t.iter().all(|k| w.contains(k))).map(term).sum();
            prop_assert!((slow - fast).abs() <= 1e-9 * (1.0 + slow), "{} {}", slow, fast);
        }
    }

    /// A walk bounds the norm over all conjunctions that contain a minimal one outside some members, by its definition.
    #[test]
    fn walks_are_bounded_by_an_enumeration(
        numbers in prop::collection::vec(any::<u8>(), 12),
        labels in prop::collection::vec(any::<u8>(), 12),
        n in 2usize..12,
        cuts in 1usize..4,
        rho in 1.05..1.3f64,
        depth_base in 1.1..4.0f64,
        phi in prop::collection::vec(-2.0..2.0f64, 12),
        picks in prop::collection::vec(0usize..10_000, 0..8),
    ) {
        let table = table(&numbers, &labels, n);
        let binning = bins(&table, cuts);
        let lattice = Lattice::new(&binning, &table, &Control::default()).unwrap();
        let mut cells = vec![0.0; lattice.n_cells()];
        (0..n).for_each(|i| cells[lattice.cell_of[i] as usize] += phi[i]);
        let (all, penalty, control) = (conjunctions(&lattice), Penalty { rho, depth_base }, Control::default());
        let mut members: BTreeSet<Conjunction> = picks.iter().flat_map(|at| subsets(&all[at % all.len()])).collect();
        members.insert(Conjunction::new());
        for t in sources(&lattice, &members) {
            let source = Source { lattice: &lattice, penalty, members: &members, t: &t, cells: &cells, control: &control };
            let inside: Vec<u32> = (0..cells.len() as u32).filter(|&c| lattice.satisfies(&t, c)).collect();
            let term = |w: &Conjunction| {
                let outer: f64 = subsets(w).iter().filter(|v| !members.contains(*v)).map(|v| penalty.weight(v)).sum();
                let q: f64 = (0..cells.len() as u32).filter(|&c| lattice.satisfies(w, c)).map(|c| cells[c as usize]).sum();
                (q / outer).powi(2)
            };
            let terms: Vec<f64> = all.iter().filter(|w| t.iter().all(|k| w.contains(k))).map(term).collect();
            let greatest = terms.iter().copied().fold(0.0, f64::max);
            let r = 0.5 * penalty.dual_order();
            let scaled: f64 = terms.iter().map(|x| (x / greatest).powf(r)).sum();
            let slow = if greatest > 0.0 { greatest * scaled.powf(1.0 / r) } else { 0.0 };
            for limit in [0.0, 0.5 * slow, slow, 2.0 * slow] {
                let (bound, _) = walk::norm(&source, &inside, limit, 1).unwrap();
                prop_assert!(bound >= slow * (1.0 - 1e-9), "{} {}", bound, slow);
                prop_assert!(bound <= limit.max(1.1 * slow), "{} {} {}", bound, slow, limit);
            }
        }
    }

    /// The closed form of the ways to go on is the sum over them.
    #[test]
    fn additions_are_those_of_an_enumeration(
        numbers in prop::collection::vec(any::<u8>(), 8),
        labels in prop::collection::vec(any::<u8>(), 8),
        cuts in 1usize..4,
        pick in 0usize..10_000,
        b in 0.05..0.9f64,
    ) {
        let table = table(&numbers, &labels, 8);
        let binning = bins(&table, cuts);
        let lattice = Lattice::new(&binning, &table, &Control::default()).unwrap();
        let all = conjunctions(&lattice);
        let t = &all[pick % all.len()];
        let cells: Vec<u32> = (0..lattice.n_cells() as u32).filter(|&c| lattice.satisfies(t, c)).collect();
        for &x in &cells {
            for &y in &cells {
                let holds = |w: &&Conjunction| {
                    t.iter().all(|k| w.contains(k)) && lattice.satisfies(w, x) && lattice.satisfies(w, y)
                };
                let slow: f64 = all.iter().filter(holds).map(|w| b.powi(exponent(w.len() - t.len()))).sum();
                let fast = lattice.additions(t, [x, y], b);
                prop_assert!((slow - fast).abs() <= 1e-9 * slow, "{} {}", slow, fast);
            }
        }
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
        let proved = &verify(&model, &data, &[0], params.clone(), &control).unwrap()[0];
        let size = proved.primal.abs().max(1e-9);
        prop_assert!(proved.complete && proved.relative_gap <= 1.1e-4);
        prop_assert!(proved.gap >= proved.primal - best.primal - 1e-9 * size);
        prop_assert!(proved.dual <= best.primal + 1e-9 * size);
        let mut document = model.into_document();
        prop_assume!(edited(&mut document, edit));
        let model = HierarchyModel::try_from(document).unwrap();
        prop_assert!(verify(&model, &data, &[0], params, &control).is_err(), "edit {}", edit);
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
