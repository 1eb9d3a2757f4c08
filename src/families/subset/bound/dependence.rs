//! Linear forms that are the coefficients of models over columns that depend on each other.
//!
//! Where a combination of columns is 0, the coefficients of a model without a ridge penalty change along it, and its
//! predictions do not, until one of them is 0; none changes its sign on the way. So some best subset is independent, and its
//! coefficients alone need ends. It is part of a *basis*, independent columns that span the others, and all predictions
//! are those of coefficients z of one basis. A coefficient of another basis is a linear form of z that is 0 at all the other
//! columns of that. Up to a factor there is one form for each *hyperplane*: the columns that all but one of a basis span.
//! The columns of independent sets have one each.
//!
//! Columns are apart (in other *components*) if no combination of 0 has both: 5 categories of 5 levels, a column a level,
//! have 5 times 10 hyperplanes, not the 5^5 of their bases.
//!
//! Reference: Oxley, "Matroid theory", second edition, 2011, chapters 1, 2 and 4.

use std::collections::{BTreeMap, BTreeSet};

use super::super::design::Design;
use super::super::vectors::{axpy, products};
use crate::control::Control;
use crate::linalg::{UpdatableCholesky, dot};

/// Rounding of a standardised column, relative to its largest value and its mean.
const COLUMN_ROUNDING: f64 = 64.0 * f64::EPSILON;
/// Coordinate, relative to the largest, that is 0 but for rounding: coordinates have about twelve digits where the least
/// part of a column that the others leave is a thousandth.
const ZERO: f64 = 1e-10;
/// Maximum number of products of the elimination of columns for hyperplanes: a tenth of a second.
const MAX_PRODUCTS: usize = 100_000_000;
/// Maximum number of hyperplanes: the ends of each take a tenth of a millisecond and more.
const MAX_HYPERPLANES: usize = 10_000;

/// A linear form of the coefficients of a basis.
#[derive(Debug)]
pub struct Form {
    /// Its factors other than 0, each with its place in the basis.
    pub factors: Vec<(usize, f64)>,
    /// The columns whose coefficient is the form over some factor, with that factor.
    pub columns: Vec<(usize, f64)>,
}

/// Some columns of a design as combinations of independent ones.
#[derive(Debug)]
pub struct Dependence {
    /// The columns of the basis.
    pub basis: Vec<usize>,
    /// For each of the columns its factors of those of the basis.
    pub coordinates: BTreeMap<usize, Vec<f64>>,
    /// Factor of the products of the columns of the basis.
    pub factor: UpdatableCholesky,
}

impl Dependence {
    /// That of some columns that are not constant; `None` if one of them is nearly a combination of others, or the time is
    /// over.
    pub fn new(design: &Design, columns: &[usize], control: &Control) -> Option<Self> {
        let values: Vec<_> = columns.iter().map(|&j| design.columns[j].to_dense()).collect();
        let mut factor = UpdatableCholesky::default();
        // Places among the columns.
        let (mut basis, mut dependent) = (Vec::new(), Vec::new());
        for (a, (_, row)) in products(&values, &design.weights).enumerate() {
            if control.should_stop() {
                return None;
            }
            let cross: Vec<f64> = basis.iter().map(|&b: &usize| row[b]).collect();
            match factor.push(&cross, row[a]) {
                Ok(()) => basis.push(a),
                Err(combination) => dependent.push((a, combination)),
            }
        }
        let r = basis.len();
        let unit = |k: usize| (0..r).map(|b| f64::from(u8::from(b == k))).collect();
        let mut coordinates: BTreeMap<usize, Vec<f64>> =
            basis.iter().enumerate().map(|(k, &a)| (columns[a], unit(k))).collect();
        let rounding = |a: usize| {
            let j = columns[a];
            COLUMN_ROUNDING * (design.max_abs[j] + design.mean[j].abs() / design.scale[j])
        };
        for (a, mut of_column) in dependent {
            of_column.resize(r, 0.0);
            let rest = |of_column: &[f64]| {
                let mut rest = values[a].to_vec();
                basis.iter().zip(of_column).for_each(|(&b, t)| axpy(&mut rest, -t, &values[b]));
                rest
            };
            let weighted: Vec<f64> =
                rest(&of_column).iter().zip(&design.weights).map(|(x, v)| x * v).collect();
            let right: Vec<f64> = basis.iter().map(|&b| dot(&values[b], &weighted)).collect();
            of_column.iter_mut().zip(factor.solve(&right)).for_each(|(t, more)| *t += more);
            let largest = of_column.iter().fold(0.0_f64, |most, t| most.max(t.abs()));
            of_column.iter_mut().filter(|t| t.abs() <= ZERO * largest).for_each(|t| *t = 0.0);
            let rounded =
                rounding(a) + basis.iter().zip(&of_column).map(|(&b, t)| t.abs() * rounding(b)).sum::<f64>();
            if rest(&of_column).iter().any(|x| x.abs() > rounded) {
                return None;
            }
            coordinates.insert(columns[a], of_column);
        }
        let basis = basis.into_iter().map(|a| columns[a]).collect();
        Some(Self { basis, coordinates, factor })
    }

    /// Whether a column is in a combination that is 0.
    pub fn is_dependent(&self, column: usize) -> bool {
        self.basis
            .iter()
            .position(|b| *b == column)
            .is_none_or(|k| self.coordinates.iter().any(|(j, of_column)| *j != column && of_column[k] != 0.0))
    }

    /// The forms of all hyperplanes; `None` if there are too many.
    pub fn forms(&self) -> Option<Vec<Form>> {
        let mut n_left = MAX_PRODUCTS;
        let mut forms = Vec::new();
        for component in self.components() {
            let columns: Vec<(usize, Vec<f64>)> = self
                .coordinates
                .iter()
                .filter(|(_, of_column)| component.iter().any(|&k| of_column[k] != 0.0))
                .map(|(&j, of_column)| (j, component.iter().map(|&k| of_column[k]).collect()))
                .collect();
            let echelon = Echelon { n: component.len(), rows: Vec::new() };
            let seen = BTreeSet::new();
            let mut search = Hyperplanes { columns: &columns, echelon, seen, forms: Vec::new(), n_left };
            search.extend(0)?;
            n_left = search.n_left;
            for mut form in search.forms {
                form.factors.iter_mut().for_each(|(k, _)| *k = component[*k]);
                forms.push(form);
            }
            if forms.len() > MAX_HYPERPLANES {
                return None;
            }
        }
        Some(forms)
    }

    /// The places in the basis of each component.
    fn components(&self) -> Vec<Vec<usize>> {
        let mut component: Vec<usize> = (0..self.basis.len()).collect();
        for of_column in self.coordinates.values() {
            let joined: BTreeSet<usize> =
                (0..component.len()).filter(|&k| of_column[k] != 0.0).map(|k| component[k]).collect();
            if let Some(&first) = joined.first() {
                component.iter_mut().filter(|c| joined.contains(c)).for_each(|c| *c = first);
            }
        }
        let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        component.iter().enumerate().for_each(|(k, &c)| places.entry(c).or_default().push(k));
        places.into_values().collect()
    }
}

/// Rows of an elimination: each is 1 at its pivot and 0 at those of the rows before it.
#[derive(Debug)]
struct Echelon {
    n: usize,
    rows: Vec<(usize, Vec<f64>)>,
}

impl Echelon {
    /// Adds a row; false if it depends on the others.
    fn push(&mut self, row: &[f64]) -> bool {
        let largest = row.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let mut rest = row.to_vec();
        for (pivot, row) in &self.rows {
            let factor = rest[*pivot];
            axpy(&mut rest, -factor, row);
            rest[*pivot] = 0.0;
        }
        let pivot = (0..self.n).max_by(|&a, &b| rest[a].abs().total_cmp(&rest[b].abs()));
        let Some(pivot) = pivot.filter(|&pivot| rest[pivot].abs() > ZERO * largest) else { return false };
        let size = rest[pivot];
        rest.iter_mut().for_each(|x| *x /= size);
        self.rows.push((pivot, rest));
        true
    }

    /// The form that is 0 at all rows, one fewer than columns.
    fn form(&self) -> Vec<f64> {
        let mut form = vec![1.0; self.n];
        self.rows.iter().for_each(|(pivot, _)| form[*pivot] = 0.0);
        for (pivot, row) in self.rows.iter().rev() {
            form[*pivot] = -dot(row, &form);
        }
        form
    }
}

/// The search for the hyperplanes of one component.
struct Hyperplanes<'a> {
    /// The columns of the component with their coordinates.
    columns: &'a [(usize, Vec<f64>)],
    /// The independent columns that are chosen.
    echelon: Echelon,
    /// For each hyperplane the columns outside it.
    seen: BTreeSet<Vec<usize>>,
    forms: Vec<Form>,
    n_left: usize,
}

impl Hyperplanes<'_> {
    /// Adds the hyperplanes of the chosen columns and further ones from a place on; `None` if there are too many.
    fn extend(&mut self, first: usize) -> Option<()> {
        let n_missing = self.echelon.n - 1 - self.echelon.rows.len();
        if n_missing == 0 {
            self.add();
            return (self.forms.len() <= MAX_HYPERPLANES).then_some(());
        }
        for place in first..=self.columns.len().saturating_sub(n_missing) {
            let Some((_, column)) = self.columns.get(place) else { break };
            self.n_left = self.n_left.checked_sub(self.echelon.n * (self.echelon.rows.len() + 1))?;
            if self.echelon.push(column) {
                self.extend(place + 1)?;
                self.echelon.rows.pop();
            }
        }
        Some(())
    }

    fn add(&mut self) {
        let factors = self.echelon.form();
        let largest = factors.iter().fold(0.0_f64, |most, a| most.max(a.abs()));
        let value = |(j, of_column): &(usize, Vec<f64>)| {
            let size: f64 = of_column.iter().map(|t| (largest * t).abs()).sum();
            let value = dot(&factors, of_column);
            (value.abs() > ZERO * size).then_some((*j, value))
        };
        let columns: Vec<(usize, f64)> = self.columns.iter().filter_map(value).collect();
        if self.seen.insert(columns.iter().map(|(j, _)| *j).collect()) {
            let factors = factors.into_iter().enumerate().filter(|(_, a)| *a != 0.0).collect();
            self.forms.push(Form { factors, columns });
        }
    }
}
