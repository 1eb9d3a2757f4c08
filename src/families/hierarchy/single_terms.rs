//! Single terms below conjunctions.
//!
//! The term of a conjunction w below a source t is `q_w`^2 / ( sum over v between t and w of `d_v` )^2, or with all v in w
//! outside the working set for rho near 1. All |`q_w`| below a conjunction are at most the larger of the sums of the positive
//! and of the negative u over its rows, which prunes the search for the largest term.

use super::bin_sums::BinSums;
use super::hull::Source;
use super::outside::Outside;
use super::signed_sums::SignedSums;
use super::sums::DescendantSums;

/// Terms of a lower bound below this fraction of the largest are left out.
const MIN_RATIO: f64 = 0.1;

impl DescendantSums<'_> {
    /// An upper bound of the largest term below a conjunction.
    pub fn largest_square(&self, conjunction: &[u32], rows: &[u32], u: &[f64]) -> f64 {
        let of_rows = SignedSums::of(rows, u);
        (of_rows.term().max(of_rows.largest() / (1.0 + self.a)) / self.a.powf(conjunction.len() as f64))
            .powi(2)
    }

    /// The first of the terms whose norm [`DescendantSums::bounds`] bounds, that of the conjunction itself.
    pub fn squared_term(&self, conjunction: &[u32], rows: &[u32], u: &[f64]) -> f64 {
        (SignedSums::of(rows, u).term() / self.a.powf(conjunction.len() as f64)).powi(2)
    }

    /// A lower bound of |beta|_r over the descendants of a source, from its own term and those with one proposition more.
    pub fn lower_bound(&self, outside: &Outside, source: &Source, u: &[f64]) -> f64 {
        let Source { conjunction, rows } = source;
        let contained = outside.of_source(conjunction);
        let mut terms = vec![SignedSums::of(rows, u).term() / contained.outer];
        let propositions = self.lattice().propositions();
        let mut joined = Vec::new();
        outside.joined(&contained, propositions.len(), &mut joined);
        let (mut feature, mut bins) = (u32::MAX, BinSums::default());
        for (k, proposition) in (0..).zip(propositions) {
            if !conjunction.iter().all(|&l| self.lattice().are_compatible(k, l)) {
                continue;
            }
            if proposition.feature != feature {
                feature = proposition.feature;
                bins = self.signed_sums(feature as usize, rows, u);
            }
            let outer = if self.uses_tree() {
                outside.outer_with(&contained, joined[k as usize])
            } else {
                outside.least_outer(&contained)
            };
            terms.push(bins.of(proposition.test).term() / outer);
        }
        let largest = terms.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return 0.0;
        }
        let power = 2.0 / self.inverse_r;
        let ratios = terms.iter().map(|x| x / largest).filter(|x| *x > MIN_RATIO);
        largest * largest * ratios.map(|x| x.powf(power)).sum::<f64>().powf(self.inverse_r)
    }

    /// Sums over the rows in each bin of a column.
    fn signed_sums(&self, column: usize, rows: &[u32], u: &[f64]) -> BinSums<SignedSums> {
        let (codes, kind) = (&self.codes().columns[column], self.lattice().columns()[column]);
        BinSums::over_rows(rows, codes, self.codes().n_bins[column], kind, |sums: &mut SignedSums, r| {
            sums.add(u[r]);
        })
    }

    /// The larger of `floor` squared and of the largest term below a source; `None` if the time is over first.
    pub fn greatest_square(&self, source: &Source, u: &[f64], floor: f64) -> Option<f64> {
        let Source { conjunction, rows } = source;
        let depth = self.a.powf(conjunction.len() as f64);
        let mut greatest = floor.max(SignedSums::of(rows, u).term() / depth);
        self.search_greatest_term(conjunction, &mut conjunction.clone(), 0, rows, u, depth, &mut greatest)
            .then_some(greatest * greatest)
    }

    /// Raises `greatest` to the largest square root of a term below the conjunction, if it is larger; false if the
    /// time is over first. Propositions of `t` are skipped, and those before `first`.
    #[allow(clippy::too_many_arguments)]
    fn search_greatest_term(
        &self,
        t: &[u32],
        conjunction: &mut Vec<u32>,
        first: u32,
        rows: &[u32],
        u: &[f64],
        depth: f64,
        greatest: &mut f64,
    ) -> bool {
        let (lattice, next_depth) = (self.lattice(), depth * (1.0 + self.a));
        let propositions = lattice.propositions();
        let (mut feature, mut bins) = (u32::MAX, BinSums::default());
        for k in first..propositions.len() as u32 {
            if t.contains(&k) || !conjunction.iter().all(|&l| lattice.are_compatible(k, l)) {
                continue;
            }
            let proposition = propositions[k as usize];
            let column = proposition.feature as usize;
            let (kind, codes) = (lattice.columns()[column], &self.codes().columns[column]);
            if proposition.feature != feature {
                if self.is_out_of_time() {
                    return false;
                }
                feature = proposition.feature;
                bins = self.signed_sums(column, rows, u);
            }
            let sums = bins.of(proposition.test);
            *greatest = greatest.max(sums.term() / next_depth);
            if sums.largest() / (next_depth * (1.0 + self.a)) > *greatest {
                let holds = |r: &u32| proposition.test.holds(codes[*r as usize], kind);
                let rows_below: Vec<u32> = rows.iter().copied().filter(holds).collect();
                conjunction.push(k);
                let is_complete =
                    self.search_greatest_term(t, conjunction, k + 1, &rows_below, u, next_depth, greatest);
                conjunction.pop();
                if !is_complete {
                    return false;
                }
            }
        }
        true
    }
}
