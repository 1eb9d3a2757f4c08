use super::complement::Outside;
use super::hull::*;
use super::inner_hessian::InnerHessian;
use super::lattice::*;
use super::newton::*;
use super::norm::*;
use super::own_terms::{MAX_CELLS, Search};
use super::solver::*;
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
    /// A search finds what is above a limit by itself, outside any working set.
    #[test]
    fn own_terms_are_those_of_brute_force(
        columns_of in prop::collection::vec(column(), 1..5),
        rows in prop::collection::vec(prop::collection::vec(0u16..60, 5), 1..12),
        u in prop::collection::vec(prop_oneof![-2.0..2.0f64, Just(0.0)], 12),
        a in prop_oneof![4 => 1.1..4.0f64, 1 => Just(1.0 + 1e-10)],
        added in prop::collection::vec(0usize..1000, 0..8),
        share in 0.02..1.0f64,
    ) {
        let lattice = Lattice::from_columns(columns_of.clone());
        let codes = codes(&columns_of, &rows);
        let control = Control::default();
        let hull = drawn_hull(&lattice, &codes, &added);
        let all = conjunctions(&lattice);
        prop_assert_eq!(lattice.size().to_string(), all.len().to_string());
        let u = &u[..rows.len()];
        let size = |w: &Vec<u32>| {
            hull.rows_of(w).iter().map(|&r| u[r as usize]).sum::<f64>().abs() / a.powf(w.len() as f64)
        };
        let outside: Vec<(&Vec<u32>, f64)> = all.iter().filter(|w| !hull.contains(w)).map(|w| (w, size(w))).collect();
        let limit = share * outside.iter().fold(0.0, |most: f64, (_, size)| most.max(*size)) + 1e-9;
        let norm = NormParams { rho: 2.0, depth_base: a };
        let (hull, control) = (&hull, &control);
        let search = Search { lattice: &lattice, codes: &codes, norm, hull, u, max_cells: MAX_CELLS, control };
        let found = search.above(limit);
        for (w, size) in outside {
            let is_found = found.above.iter().any(|term| term.conjunction == *w);
            prop_assert!(is_found || size <= limit, "{:?} {} {}", w, size, limit);
            prop_assert!(!is_found || size >= limit * (1.0 - 1e-9), "{:?} {} {}", w, size, limit);
        }
        let most: f64 = u.iter().map(|u| u.abs()).sum();
        prop_assert!(found.rest <= limit.max(1e-9 * most));
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

/// Coefficients whose product with q is largest beside their penalty if only the group of v counts.
fn steepest(all: &Hull<'_>, q: &[f64], v: usize, order: f64, is_counted: impl Fn(usize) -> bool) -> Vec<f64> {
    let below = |w: usize| all.nodes()[w].ancestors.contains(&(v as u32)) && is_counted(w);
    (0..q.len()).map(|w| if below(w) { q[w].signum() * q[w].abs().powf(order - 1.0) } else { 0.0 }).collect()
}

proptest! {
    /// q . f is at most the larger of the norm over the working set and of the bound times the penalty of f, whatever f.
    #[test]
    fn the_complement_is_bounded(
        columns_of in prop::collection::vec(column(), 1..4),
        rows in prop::collection::vec(prop::collection::vec(0u16..60, 4), 1..9),
        u in prop::collection::vec(-2.0..2.0f64, 9),
        rho in prop_oneof![1.05..=2.0f64, Just(2.0)],
        a in prop_oneof![4 => 1.1..4.0f64, 1 => Just(1.0 + 1e-10)],
        added in prop::collection::vec(0usize..1000, 0..12),
        f in prop::collection::vec(-1.0..1.0f64, 1..40),
        limit in 0.05..4.0f64,
        enough in 0.0..4.0f64,
        max_added in 1usize..20,
    ) {
        let lattice = Lattice::from_columns(columns_of.clone());
        let codes = codes(&columns_of, &rows);
        let (control, norm) = (Control::default(), NormParams { rho, depth_base: a });
        let hull = drawn_hull(&lattice, &codes, &added);
        let u = &u[..rows.len()];
        let complement = Outside { lattice: &lattice, codes: &codes, norm, control: &control }.bound(&hull, u, enough * enough, limit * limit, max_added);
        let all = full_lattice(&lattice, &codes);
        let q = all.correlations(u);
        let eta = vec![1.0 / hull.len() as f64; hull.len()];
        let own = hull.correlations(u);
        let within = DualNorm::new(&hull, norm, &own, &eta).dual_norm_bound(&hull, norm, &own);
        let bound = complement.square.sqrt().max(within);
        let is_outside: Vec<bool> = all.nodes().iter().map(|node| !hull.contains(&node.conjunction)).collect();
        let order = norm.dual_order();
        let drawn = (0..all.len()).map(|w| f[w % f.len()]).collect();
        let steep = (0..all.len()).flat_map(|v| [true, false].map(|all_count| {
            steepest(&all, &q, v, order, |w| all_count || is_outside[w])
        }));
        for f in steep.chain([drawn]) {
            let product: f64 = q.iter().zip(&f).map(|(q, f)| q * f).sum();
            let penalty = norm.penalty(&all, &f);
            prop_assert!(product <= bound * penalty * (1.0 + 1e-9), "{} {} {}", product, bound, penalty);
        }
        // What is listed may join the working set one after another.
        let mut extended = hull.clone();
        for source in complement.violating {
            prop_assert_eq!(&extended.rows_of(&source.conjunction), &source.rows);
            prop_assert!(!extended.contains(&source.conjunction));
            extended.add(source);
        }
        prop_assert!(extended.len() > hull.len() || complement.square <= limit.max(enough).powi(2) * (1.0 + 1e-9));
    }

    /// The bound over the working set is the largest norm of a group by its definition, in logarithms, also where rho* is 10,000.
    #[test]
    fn the_norm_over_the_working_set_is_that_of_its_definition(
        columns_of in prop::collection::vec(column(), 1..4),
        rows in prop::collection::vec(prop::collection::vec(0u16..60, 4), 1..9),
        u in prop::collection::vec(-2.0..2.0f64, 9),
        rho in prop_oneof![Just(1.0001), Just(1.001), Just(1.1), Just(2.0)],
        a in 1.1..4.0f64,
        added in prop::collection::vec(0usize..1000, 0..12),
        logs in prop::collection::vec(-20.0..0.0f64, 20),
    ) {
        let lattice = Lattice::from_columns(columns_of.clone());
        let codes = codes(&columns_of, &rows);
        let (norm, hull) = (NormParams { rho, depth_base: a }, drawn_hull(&lattice, &codes, &added));
        let (nodes, q) = (hull.nodes(), hull.correlations(&u[..rows.len()]));
        let eta: Vec<f64> = logs[..hull.len()].iter().map(|log| log.exp()).collect();
        let fast = DualNorm::new(&hull, norm, &q, &eta).dual_norm_bound(&hull, norm, &q);
        let log_k = |v: usize| rho * nodes[v].conjunction.len() as f64 * a.ln() + (1.0 - rho) * logs[v];
        let log_sum = |logs: &[f64]| {
            let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if most.is_finite() { most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln() } else { most }
        };
        let log_part = |v: usize, w: usize| {
            let of_ancestors: Vec<f64> = nodes[w].ancestors.iter().map(|&t| log_k(t as usize)).collect();
            log_k(v) - log_sum(&of_ancestors) + q[w].abs().ln()
        };
        let group = |v: usize| {
            let below = (0..q.len()).filter(|&w| nodes[w].ancestors.contains(&(v as u32)));
            let powers: Vec<f64> = below.map(|w| norm.dual_order() * log_part(v, w)).collect();
            log_sum(&powers) / norm.dual_order() - nodes[v].conjunction.len() as f64 * a.ln()
        };
        let slow = (0..q.len()).map(group).fold(f64::NEG_INFINITY, f64::max).exp();
        prop_assert!((fast - slow).abs() <= 1e-9 * slow, "{} {}", fast, slow);
    }

    /// A source is likely to be needed by its own term, and by those with one proposition more.
    #[test]
    fn likely_sizes_are_those_of_brute_force(
        columns_of in prop::collection::vec(column(), 1..4),
        rows in prop::collection::vec(prop::collection::vec(0u16..60, 4), 1..9),
        u in prop::collection::vec(-2.0..2.0f64, 9),
        a in 1.1..4.0f64,
        added in prop::collection::vec(0usize..1000, 0..6),
    ) {
        let lattice = Lattice::from_columns(columns_of.clone());
        let codes = codes(&columns_of, &rows);
        let (hull, all) = (drawn_hull(&lattice, &codes, &added), conjunctions(&lattice));
        let (norm, control) = (NormParams { rho: 1.1, depth_base: a }, Control::default());
        let outside = Outside { lattice: &lattice, codes: &codes, norm, control: &control };
        for source in hull.sources() {
            let t = &source.conjunction;
            let is_next = |w: &&Vec<u32>| w.len() == t.len() + 1 && t.iter().all(|k| w.contains(k));
            let size = |w: &Vec<u32>| hull.rows_of(w).iter().map(|&r| u[r as usize]).sum::<f64>().abs();
            let weight = a.powf(t.len() as f64);
            let next = all.iter().filter(is_next).map(|w| size(w) / (weight * (1.0 + a)));
            let slow = next.fold(size(t) / weight, f64::max);
            let fast = outside.likely_size(&source, &u, 0.0);
            prop_assert!((slow - fast).abs() <= 1e-9 * (1.0 + slow), "{} {}", slow, fast);
        }
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

/// The lattice and the bins of some rows of an ordered and a nominal column.
fn of_two_columns(n_rows: u16) -> (Lattice, Codes) {
    let columns_of =
        vec![LatticeColumn::Ordered { cuts: 2, missing: false }, LatticeColumn::Nominal { levels: 3 }];
    let rows: Vec<Vec<u16>> = (0..n_rows).map(|i| vec![i * 7 % 3, i * 5 % 4]).collect();
    let codes = codes(&columns_of, &rows);
    (Lattice::from_columns(columns_of), codes)
}

#[test]
fn derivatives_are_finite_differences() {
    let (lattice, codes) = of_two_columns(12);
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

/// Along the tangent, kernel weights are as near the next minimiser as second-order terms allow.
#[test]
fn the_tangent_leads_to_the_next_minimiser() {
    let (lattice, codes) = of_two_columns(30);
    let hull = full_lattice(&lattice, &codes);
    let numbers: Vec<f64> = (0..30).map(|i| f64::from(i * 29 % 13) / 6.0 - 1.1).collect();
    let control = Control::default();
    for (loss, rho) in [HierarchyLoss::Logistic, HierarchyLoss::Squared].into_iter().zip([1.1, 1.6]) {
        let y = responses(loss, &numbers);
        let terms = DualTerms { loss, y: &y, weights: vec![2.0; y.len()] };
        let problem = SaddleProblem { terms, norm: NormParams { rho, depth_base: 2.0 }, control: &control };
        let centre = |mu: f64, point: &mut SaddlePoint| {
            run_centring(&problem, &hull, point, BarrierLevel { mu, decrement_tol: 1e-16 }).unwrap()
        };
        let mut point = initial_point(&problem, &hull);
        let centred = centre(0.05, &mut point);
        let error = |times: f64| {
            let mut followed = point.clone();
            centred.follow(times, &problem.terms, &mut followed);
            let mut next = point.clone();
            centre(0.05 * times.exp(), &mut next);
            let distance = |of: &SaddlePoint| {
                of.eta.iter().zip(&next.eta).map(|(a, b)| (a / b).ln().abs()).fold(0.0, f64::max)
            };
            (distance(&followed), distance(&point))
        };
        let ((near, near_still), (far, _)) = (error(-0.1), error(-0.4));
        assert!(near < 0.1 * near_still && near < far / 8.0, "{near} {near_still} {far}");
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
        let norm = NormParams { rho, depth_base: 2.0 };
        let problem = SaddleProblem { terms, norm, control: &control };
        let outside = Outside { lattice: &lattice, codes: &codes, norm, control: &control };
        let limits = SolverLimits { tol: 1e-7, max_hull: 100_000, needs_proof: true };
        let mut full_hull = full_lattice(&lattice, &codes);
        let slow = solve(&problem, &mut full_hull, outside, limits).unwrap();
        let mut hull = Hull::new(&lattice, &codes);
        let fast = solve(&problem, &mut hull, outside, limits).unwrap();
        prop_assert!(slow.complete, "{:?}", (slow.primal, slow.dual, slow.n_newton_steps));
        prop_assert!(fast.complete, "{:?}", (fast.primal, fast.dual, fast.n_newton_steps));
        prop_assert!((slow.primal - fast.primal).abs() <= 2e-7 * slow.primal.abs().max(1e-9), "{} {}", slow.primal, fast.primal);
    }
}

/// Predictions of six rows of two classes leave the intercept of the hinge loss an interval; exchanged classes mirror it.
#[test]
fn of_several_best_intercepts_the_middle_is_taken() {
    let y = [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0];
    let f = [-0.3, -0.2, 0.1, -0.1, 0.2, 0.3];
    let intercept = |loss, y: &[f64], f: &[f64]| {
        let b = DualTerms { loss, y, weights: vec![0.7; y.len()] }.intercept(f);
        let primal = |b| DualTerms { loss, y, weights: vec![0.7; y.len()] }.primal(f, b);
        assert!(primal(b) <= primal(b + 1e-3).min(primal(b - 1e-3)) + 1e-12);
        b
    };
    // Each row costs 1 - y (f + b) as long as that is positive: any b in [-.7, .7].
    assert!(intercept(HierarchyLoss::Hinge, &y, &f).abs() < 1e-9);
    for loss in [HierarchyLoss::Hinge, HierarchyLoss::SquaredHinge, HierarchyLoss::Logistic] {
        let flipped = intercept(loss, &y.map(|y| -y), &f.map(|f| -f));
        assert!((intercept(loss, &y, &f) + flipped).abs() < 1e-9, "{loss:?}");
    }
    // Of one class the intercept that is just enough.
    assert!((intercept(HierarchyLoss::Hinge, &[1.0; 3], &[0.0, 0.25, 0.5]) - 1.0).abs() < 1e-9);
}
