use super::complement::bound_complement;
use super::hull::*;
use super::inner_hessian::InnerHessian;
use super::lattice::*;
use super::newton::*;
use super::norm::*;
use super::outside::Outside;
use super::solver::*;
use super::sums::*;
use super::terms::*;
use crate::Control;
use crate::data::bins::Codes;
use proptest::prelude::*;

fn codes(columns_of: &[LatticeColumn], rows: &[Vec<u16>]) -> Codes {
    let bins = |column: &LatticeColumn| match *column {
        LatticeColumn::Ordered { cuts, missing } => cuts as usize + 1 + usize::from(missing),
        LatticeColumn::Nominal { levels } => levels as usize,
    };
    let n_bins: Vec<usize> = columns_of.iter().map(bins).collect();
    let columns =
        (0..columns_of.len()).map(|j| rows.iter().map(|r| r[j] % n_bins[j] as u16).collect()).collect();
    Codes { n_rows: rows.len(), columns, n_bins }
}

/// Every conjunction that the lattice allows.
fn conjunctions(lattice: &Lattice) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for k in 0..lattice.propositions().len() as u32 {
        let longer: Vec<Vec<u32>> = all
            .iter()
            .filter(|c| c.iter().all(|&l| lattice.are_compatible(k, l)))
            .map(|c| c.iter().copied().chain([k]).collect())
            .collect();
        all.extend(longer);
    }
    all
}

fn column() -> impl Strategy<Value = LatticeColumn> {
    prop_oneof![
        (0u16..4, any::<bool>()).prop_map(|(cuts, missing)| LatticeColumn::Ordered { cuts, missing }),
        (0u16..5).prop_map(|levels| LatticeColumn::Nominal { levels: levels.max(1) }),
    ]
}

proptest! {
    #[test]
    fn sums_are_those_of_brute_force(
        columns_of in prop::collection::vec(column(), 1..4),
        rows in prop::collection::vec(prop::collection::vec(0u16..60, 4), 1..9),
        u in prop::collection::vec(-2.0..2.0f64, 9),
        a in 1.1..4.0f64,
        rho in 1.002..2.0f64,
        pick in 0usize..1000,
    ) {
        let lattice = Lattice::from_columns(columns_of.clone());
        let codes = codes(&columns_of, &rows);
        let all = conjunctions(&lattice);
        prop_assert_eq!(lattice.size().to_string(), all.len().to_string());
        let holds: Vec<Vec<bool>> = (0..lattice.propositions().len() as u32).map(|k| lattice.satisfied_rows(k, &codes)).collect();
        let rows_of = |c: &[u32]| -> Vec<u32> {
            (0..rows.len() as u32).filter(|&r| c.iter().all(|&k| holds[k as usize][r as usize])).collect()
        };
        let control = Control::default();
        let sums = DescendantSums::new(&lattice, &codes, a, rho, &control);
        let t = &all[pick % all.len()];
        let mut parts = Vec::new();
        for w in all.iter().filter(|w| t.iter().all(|k| w.contains(k))) {
            let between: f64 = all
                .iter()
                .filter(|v| t.iter().all(|k| v.contains(k)) && v.iter().all(|k| w.contains(k)))
                .map(|v| a.powf(v.len() as f64))
                .sum();
            let q: f64 = rows_of(w).iter().map(|&r| u[r as usize]).sum();
            parts.push((q / between).powi(2));
        }
        let slow: f64 = parts.iter().sum();
        // With all other conjunctions, so that those that test the same columns are summed together.
        let sources: Vec<Source> =
            all.iter().map(|c| Source { conjunction: c.clone(), rows: rows_of(c) }).collect();
        let at = pick % all.len();
        let fast = sums.descendant_sums(&sources, &u)[at];
        prop_assert!((slow - fast).abs() <= 1e-9 * (1.0 + slow), "{} {}", slow, fast);
    }

    /// Of a source, over the conjunctions that contain it: terms are divided by the weight of their subsets outside the working set.
    #[test]
    fn bounds_of_sources_are_those_of_brute_force(
        columns_of in prop::collection::vec(column(), 1..4),
        rows in prop::collection::vec(prop::collection::vec(0u16..60, 4), 1..9),
        u in prop::collection::vec(-2.0..2.0f64, 9),
        a in 1.1..4.0f64,
        rho in prop_oneof![1.002..1.3f64, 1.3..2.0f64],
        added in prop::collection::vec(0usize..1000, 0..20),
    ) {
        let lattice = Lattice::from_columns(columns_of.clone());
        let codes = codes(&columns_of, &rows);
        let control = Control::default();
        let sums = DescendantSums::new(&lattice, &codes, a, rho, &control);
        let hull = drawn_hull(&lattice, &codes, &added);
        let satisfied: Vec<Vec<bool>> =
            (0..lattice.propositions().len() as u32).map(|k| lattice.satisfied_rows(k, &codes)).collect();
        let holds = |w: &Vec<u32>, r: usize| w.iter().all(|&k| satisfied[k as usize][r]);
        let (all, sources, outside) = (conjunctions(&lattice), hull.sources(), Outside::new(&hull, a));
        let is_member = |v: &Vec<u32>| hull.nodes().iter().any(|node| node.conjunction == *v);
        let is_within = |v: &Vec<u32>, w: &Vec<u32>| v.iter().all(|k| w.contains(k));
        let weight = |v: &Vec<u32>| a.powf(v.len() as f64);
        let r = rho / (2.0 * (rho - 1.0));
        for (at, t) in sources.iter().enumerate() {
            // r above 2 by all subsets outside, else by those that contain t.
            let is_counted = |v: &Vec<u32>| if r >= 2.0 { !is_member(v) } else { is_within(&t.conjunction, v) };
            let term = |w: &Vec<u32>| {
                let outer: f64 = all.iter().filter(|v| is_within(v, w) && is_counted(v)).map(weight).sum();
                let q: f64 = (0..rows.len()).filter(|&r| holds(w, r)).map(|r| u[r]).sum();
                (q / outer).powi(2)
            };
            let parts: Vec<f64> = all.iter().filter(|w| is_within(&t.conjunction, w)).map(term).collect();
            let greatest = parts.iter().copied().fold(0.0, f64::max);
            // Divided by the largest, so that no power underflows.
            let scaled: f64 = parts.iter().map(|b| (b / greatest).powf(r)).sum();
            let norm = if greatest > 0.0 { greatest * scaled.powf(1.0 / r) } else { 0.0 };
            let hoelder = parts.iter().sum::<f64>().powf(1.0 / r) * greatest.powf(1.0 - 1.0 / r);
            let lower = sums.lower_bound(&outside, t, &u);
            prop_assert!(sums.squared_term(&t.conjunction, &t.rows, &u) <= lower * (1.0 + 1e-9));
            prop_assert!(lower <= norm * (1.0 + 1e-9), "{} {}", lower, norm);
            for limit in [0.0, 0.5 * norm, norm, 2.0 * norm] {
                let bound = sums.bounds(&hull, &sources, &u, limit)[at];
                prop_assert!(bound >= norm * (1.0 - 1e-9), "{} {}", bound, norm);
                // Beyond r = 2 the walk visits all conjunctions of a small lattice that matter.
                let best = if r >= 2.0 { 1.1 * norm } else { hoelder };
                prop_assert!(bound <= limit.max(best) * (1.0 + 1e-9), "{} {} {}", bound, limit, best);
            }
        }
    }
}

/// A working set to which some sources were added, one after another.
fn drawn_hull<'a>(lattice: &'a Lattice, codes: &Codes, added: &[usize]) -> Hull<'a> {
    let mut hull = Hull::new(lattice, codes);
    for pick in added {
        let sources = hull.sources();
        if let Some(source) = sources.get(pick % sources.len().max(1)) {
            hull.add(source.clone());
        }
    }
    hull
}

/// The lattice as a working set.
fn full_lattice<'a>(lattice: &'a Lattice, codes: &Codes) -> Hull<'a> {
    let mut hull = Hull::new(lattice, codes);
    loop {
        let sources = hull.sources();
        if sources.is_empty() {
            return hull;
        }
        sources.into_iter().for_each(|s| hull.add(s));
    }
}

proptest! {
    /// The bound is at least the largest norm of a group outside the working set, by its definition.
    #[test]
    fn the_complement_is_bounded(
        columns_of in prop::collection::vec(column(), 1..4),
        rows in prop::collection::vec(prop::collection::vec(0u16..60, 4), 1..9),
        u in prop::collection::vec(-2.0..2.0f64, 9),
        rho in 1.05..=2.0f64,
        a in 1.1..4.0f64,
        added in prop::collection::vec(0usize..1000, 0..6),
        share in 0.0..1.2f64,
        max_hull in 1usize..20,
    ) {
        let lattice = Lattice::from_columns(columns_of.clone());
        let codes = codes(&columns_of, &rows);
        let control = Control::default();
        let sums = DescendantSums::new(&lattice, &codes, a, rho, &control);
        let hull = drawn_hull(&lattice, &codes, &added);
        let (u, sources) = (&u[..rows.len()], hull.sources());
        let most = sums.bounds(&hull, &sources, u, 0.0).into_iter().fold(0.0, f64::max);
        let complement = bound_complement(&hull, sources, &sums, u, share * most, max_hull);
        let all = full_lattice(&lattice, &codes);
        let q = all.correlations(u);
        let is_in = |set: &[Vec<u32>], v: usize| set.contains(&all.nodes()[v].conjunction);
        let inside: Vec<Vec<u32>> = hull.nodes().iter().map(|node| node.conjunction.clone()).collect();
        let is_own = |v: usize| is_in(&complement.extension, v);
        let is_outside = |v: usize| !is_own(v) && !is_in(&inside, v);
        let d = |v: usize| a.powf(all.nodes()[v].conjunction.len() as f64);
        // The part of the dual norm that each w gives to each group v outside, divided by d_v.
        let mut parts: Vec<Vec<f64>> = vec![Vec::new(); all.len()];
        for (w, node) in all.nodes().iter().enumerate() {
            if is_own(w) {
                parts[w].push(q[w].abs() / d(w));
            } else if is_outside(w) {
                let groups: Vec<usize> = node.ancestors.iter().map(|&v| v as usize).filter(|&v| is_outside(v)).collect();
                let total: f64 = groups.iter().map(|&v| d(v)).sum();
                groups.iter().for_each(|&v| parts[v].push(q[w].abs() / total));
            }
        }
        let order = rho / (rho - 1.0);
        let norm = |parts: &Vec<f64>| {
            let largest = parts.iter().copied().fold(0.0, f64::max);
            let sum: f64 = parts.iter().map(|x| (x / largest).powf(order)).sum();
            if largest > 0.0 { largest * sum.powf(1.0 / order) } else { 0.0 }
        };
        let square = parts.iter().map(norm).fold(0.0, f64::max).powi(2);
        prop_assert!(square <= complement.square * (1.0 + 1e-9), "{} {}", square, complement.square);
    }
}

const LOSSES: [HierarchyLoss; 4] =
    [HierarchyLoss::Hinge, HierarchyLoss::SquaredHinge, HierarchyLoss::Logistic, HierarchyLoss::Squared];

fn responses(loss: HierarchyLoss, numbers: &[f64]) -> Vec<f64> {
    let mut y: Vec<f64> = numbers.to_vec();
    if loss != HierarchyLoss::Squared {
        y.iter_mut().for_each(|y| *y = if *y > 0.0 { 1.0 } else { -1.0 });
        y[0] = 1.0;
        y[1] = -1.0;
    }
    y
}

#[test]
fn derivatives_are_finite_differences() {
    let columns_of =
        vec![LatticeColumn::Ordered { cuts: 2, missing: false }, LatticeColumn::Nominal { levels: 3 }];
    let lattice = Lattice::from_columns(columns_of.clone());
    let rows: Vec<Vec<u16>> = (0..12).map(|i| vec![i * 7 % 3, i * 5 % 4]).collect();
    let codes = codes(&columns_of, &rows);
    let hull = full_lattice(&lattice, &codes);
    for rho in [1.1, 1.5, 2.0] {
        let shape = NormParams { rho, depth_base: 2.0 };
        let eta: Vec<f64> = (0..hull.len()).map(|v| 0.01 + ((v * 37 % 11) as f64) / 50.0).collect();
        let u: Vec<f64> = (0..12).map(|i| (f64::from(i * 29 % 13) - 6.0) / 5.0).collect();
        let q = hull.correlations(&u);
        let h = |eta: &[f64], q: &[f64]| 0.5 * DualNorm::new(&hull, shape, q, eta).norm.powi(2);
        let dual = DualNorm::new(&hull, shape, &q, &eta);
        for v in 0..hull.len() {
            let bump = |x: &[f64], by: f64| -> Vec<f64> {
                let mut x = x.to_vec();
                x[v] += by;
                x
            };
            let slow = (h(&bump(&eta, 1e-6), &q) - h(&bump(&eta, -1e-6), &q)) / 2e-6;
            let fast = dual.norm.powi(2) * (rho - 1.0) / rho * dual.t[v] / eta[v];
            assert!((slow - fast).abs() < 1e-6 * (1.0 + fast.abs()), "{rho} {v} {slow} {fast}");
            let slow = (h(&eta, &bump(&q, 1e-6)) - h(&eta, &bump(&q, -1e-6))) / 2e-6;
            assert!((slow - dual.f[v]).abs() < 1e-6 * (1.0 + slow.abs()), "{rho} {v} {slow}");
        }
        assert!(dual.dual_norm_bound(&hull, shape, &q) >= 0.0);
    }
}

proptest! {
    #[test]
    fn kernels_solve_with_few_and_with_many_rows(
        rows in prop_oneof![3usize..12, 30usize..50],
        seed in 0u64..1000,
        rho in 1.1..=2.0f64,
    ) {
        let columns_of = vec![LatticeColumn::Ordered { cuts: 1, missing: false }, LatticeColumn::Nominal { levels: 3 }];
        let lattice = Lattice::from_columns(columns_of.clone());
        let bins = |r: usize| vec![(r as u64 * 31 + seed) as u16 % 2, (r as u64 * 17 + seed / 7) as u16 % 3];
        let codes = codes(&columns_of, &(0..rows).map(bins).collect::<Vec<_>>());
        let mut hull = Hull::new(&lattice, &codes);
        hull.sources().into_iter().for_each(|s| hull.add(s));
        let shape = NormParams { rho, depth_base: 2.0 };
        let u: Vec<f64> = (0..rows).map(|r| ((r as u64 * 7 + seed) % 11) as f64 - 4.9).collect();
        let q = hull.correlations(&u);
        let dual = DualNorm::new(&hull, shape, &q, &vec![1.0 / hull.len() as f64; hull.len()]);
        let g: Vec<f64> = (0..rows).map(|r| 0.1 + (r % 5) as f64).collect();
        let hessian = InnerHessian::new(&hull, shape, &dual, &q, &g, None).unwrap();
        let x = hessian.solve(&hull, &u);
        let r = (shape.dual_order() - 2.0) / dual.norm.powi(2);
        let f = hull.predictions(&dual.f, rows);
        let along: f64 = f.iter().zip(&x).map(|(f, x)| f * x).sum();
        let inside: Vec<f64> =
            hull.correlations(&x).iter().zip(dual.curvature(shape, &q)).map(|(q, h)| q * h).collect();
        let back = hull.predictions(&inside, rows);
        for i in 0..rows {
            let sum = g[i] * x[i] + back[i] - r * f[i] * along;
            prop_assert!((sum - u[i]).abs() < 1e-7 * (1.0 + x[i].abs()), "{} {}", sum, u[i]);
        }
        let level = hessian.solve(&hull, &vec![1.0; rows]);
        let reduced = hessian.reduced(&hull, &level);
        for (v, node) in hull.nodes().iter().enumerate() {
            let mut column = vec![0.0; rows];
            node.rows.iter().for_each(|&i| column[i as usize] = 1.0);
            let mut solved = hessian.solve(&hull, &column);
            remove_sum(&mut solved, &level, 0.0);
            let slow = hull.correlations(&solved);
            for (w, &slow) in slow[..=v].iter().enumerate() {
                let fast = reduced[v * hull.len() + w];
                prop_assert!((fast - slow).abs() < 1e-7 * (1.0 + slow.abs()), "{} {}", fast, slow);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn the_working_set_finds_the_optimum_of_the_whole_lattice(
        columns_of in prop::collection::vec(column(), 1..4),
        rows in prop::collection::vec(prop::collection::vec(0u16..60, 4), 2..14),
        numbers in prop::collection::vec(-2.0..2.0f64, 14),
        rho in prop_oneof![Just(1.1), Just(1.5), Just(2.0), 1.05..2.0f64],
        loss in prop::sample::select(LOSSES.to_vec()),
        log_c in -2.0..2.0f64,
    ) {
        let lattice = Lattice::from_columns(columns_of.clone());
        let codes = codes(&columns_of, &rows);
        let y = responses(loss, &numbers[..rows.len()]);
        let terms = DualTerms { loss, y: &y, weights: vec![10f64.powf(log_c); y.len()] };
        let control = Control::default();
        let problem = SaddleProblem { terms, norm: NormParams { rho, depth_base: 2.0 }, control: &control };
        let sums = DescendantSums::new(&lattice, &codes, 2.0, rho, &control);
        let limits = SolverLimits { tol: 1e-7, max_hull: 100_000, needs_proof: true };
        let mut full_hull = full_lattice(&lattice, &codes);
        let slow = solve(&problem, &mut full_hull, &sums, limits, &control).unwrap();
        let mut hull = Hull::new(&lattice, &codes);
        let fast = solve(&problem, &mut hull, &sums, limits, &control).unwrap();
        prop_assert!(slow.complete, "{:?}", (slow.primal, slow.dual, slow.n_newton_steps));
        prop_assert!(fast.complete, "{:?}", (fast.primal, fast.dual, fast.n_newton_steps));
        prop_assert!((slow.primal - fast.primal).abs() <= 2e-7 * slow.primal.abs().max(1e-9), "{} {}", slow.primal, fast.primal);
    }
}
