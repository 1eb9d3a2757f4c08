//! The linear forms that are coefficients of models over columns that depend on each other, found anew for
//! [`crate::verify`].
//!
//! They are those of the fit (`families::subset::bound::dependence`) by other means: the coordinates of columns are those of
//! their orthogonal parts, and the bases of a component come from one another by the exchange of two columns. The
//! coefficients of a basis are the rows of an inverse.

use std::collections::BTreeSet;

use super::check_time;
use super::level_set::inverse;
use crate::control::Control;
use crate::error::Result;

/// Rounding of a column, relative to its largest value and its mean; twice that of a fit.
const COLUMN_ROUNDING: f64 = 128.0 * f64::EPSILON;
/// Part of the squared length of a column that may be rounding.
const OWN_PART: f64 = 1e-9;
/// Coordinate, relative to the largest, that is rounding.
const ZERO: f64 = 1e-10;

/// A linear form of the coefficients of a basis, and the columns of whose coefficients it is a multiple, with the factor.
pub(crate) struct Form {
    pub factors: Vec<f64>,
    pub columns: Vec<(usize, f64)>,
}

/// Some columns, those of a basis, and each column as a combination of them.
pub(crate) struct Dependence {
    pub basis: Vec<usize>,
    pub coordinates: Vec<Vec<f64>>,
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn subtract(from: &mut [f64], factor: f64, x: &[f64]) {
    from.iter_mut().zip(x).for_each(|(f, x)| *f -= factor * x);
}

impl Dependence {
    /// That of centred columns whose largest value is 1, each with the size of its mean; `None` if one is nearly a
    /// combination of others.
    pub fn new(columns: &[Vec<f64>], means: &[f64], control: &Control) -> Result<Option<Self>> {
        let (mut basis, mut orthogonal) = (Vec::new(), Vec::<Vec<f64>>::new());
        // The factors of the orthogonal parts in each column.
        let mut parts: Vec<Vec<f64>> = Vec::new();
        for (j, x) in columns.iter().enumerate() {
            check_time(control)?;
            let (mut rest, mut part) = (x.clone(), vec![0.0; orthogonal.len()]);
            for _ in 0..2 {
                for (part, q) in part.iter_mut().zip(&orthogonal) {
                    let along = product(&rest, q);
                    *part += along;
                    subtract(&mut rest, along, q);
                }
            }
            let (length, own) = (product(x, x), product(&rest, &rest));
            if own > OWN_PART * length {
                let size = own.sqrt();
                part.push(size);
                basis.push(j);
                orthogonal.push(rest.into_iter().map(|x| x / size).collect());
            }
            parts.push(part);
        }
        let r = basis.len();
        let mut coordinates = Vec::with_capacity(columns.len());
        for (j, mut left) in parts.iter().cloned().enumerate() {
            left.resize(r, 0.0);
            let mut of_column = vec![0.0; r];
            for k in (0..r).rev() {
                let pivot = &parts[basis[k]];
                of_column[k] = left[k] / pivot[k];
                subtract(&mut left[..=k], of_column[k], pivot);
            }
            let largest = of_column.iter().fold(0.0_f64, |most, t| most.max(t.abs()));
            of_column.iter_mut().filter(|t| t.abs() <= ZERO * largest).for_each(|t| *t = 0.0);
            let (mut rest, mut rounding) = (columns[j].clone(), 1.0 + means[j]);
            for (&b, t) in basis.iter().zip(&of_column) {
                subtract(&mut rest, *t, &columns[b]);
                rounding += t.abs() * (1.0 + means[b]);
            }
            if rest.iter().any(|x| x.abs() > COLUMN_ROUNDING * rounding) {
                return Ok(None);
            }
            coordinates.push(of_column);
        }
        Ok(Some(Self { basis, coordinates }))
    }

    /// Whether a column is in a combination that is 0.
    pub fn is_dependent(&self, column: usize) -> bool {
        let others = || (0..self.coordinates.len()).filter(|j| *j != column);
        match self.basis.iter().position(|b| *b == column) {
            Some(k) => others().any(|j| self.coordinates[j][k] != 0.0),
            None => true,
        }
    }

    /// The coefficients of all bases, each form once.
    pub fn forms(&self, control: &Control) -> Result<Vec<Form>> {
        let mut forms = Vec::new();
        let mut is_done = vec![false; self.basis.len()];
        for first in 0..self.basis.len() {
            if !std::mem::replace(&mut is_done[first], true) {
                let (places, columns) = self.component(first);
                places.iter().for_each(|&k| is_done[k] = true);
                self.add_forms(&places, &columns, &mut forms, control)?;
            }
        }
        Ok(forms)
    }

    /// The places in the basis and the columns that are connected with a place.
    fn component(&self, first: usize) -> (Vec<usize>, Vec<usize>) {
        let mut places = vec![first];
        loop {
            let has_any = |j: &usize| places.iter().any(|&k| self.coordinates[*j][k] != 0.0);
            let columns: Vec<usize> = (0..self.coordinates.len()).filter(has_any).collect();
            let is_in = |k: &usize| columns.iter().any(|&j| self.coordinates[j][*k] != 0.0);
            let more: Vec<usize> = (0..self.basis.len()).filter(is_in).collect();
            if more.len() == places.len() {
                return (places, columns);
            }
            places = more;
        }
    }

    /// Adds the forms of a component, its bases one after another.
    fn add_forms(
        &self,
        places: &[usize],
        columns: &[usize],
        forms: &mut Vec<Form>,
        control: &Control,
    ) -> Result<()> {
        let column = |j: usize| -> Vec<f64> { places.iter().map(|&k| self.coordinates[j][k]).collect() };
        let start: Vec<usize> = columns.iter().copied().filter(|j| self.basis.contains(j)).collect();
        let mut known = BTreeSet::from([start.clone()]);
        let (mut open, mut seen) = (vec![start], BTreeSet::new());
        while let Some(basis) = open.pop() {
            check_time(control)?;
            let members: Vec<Vec<f64>> = basis.iter().map(|&j| column(j)).collect();
            let rows = (0..places.len()).map(|k| members.iter().map(|member| member[k]).collect()).collect();
            // The basis of a basis is never singular.
            let Some(rows) = inverse(rows) else { continue };
            for (leaving, row) in rows.iter().enumerate() {
                let largest = row.iter().fold(0.0_f64, |most, a| most.max(a.abs()));
                let value = |&j: &usize| {
                    let of_column = column(j);
                    let size: f64 = of_column.iter().map(|t| (largest * t).abs()).sum();
                    let value = product(row, &of_column);
                    (value.abs() > ZERO * size).then_some((j, value))
                };
                let outside: Vec<(usize, f64)> = columns.iter().filter_map(value).collect();
                for &(entering, _) in &outside {
                    let mut next = basis.clone();
                    next[leaving] = entering;
                    next.sort_unstable();
                    if entering != basis[leaving] && known.insert(next.clone()) {
                        open.push(next);
                    }
                }
                if seen.insert(outside.iter().map(|(j, _)| *j).collect::<Vec<_>>()) {
                    let mut factors = vec![0.0; self.basis.len()];
                    places.iter().zip(row).for_each(|(&k, a)| factors[k] = *a);
                    forms.push(Form { factors, columns: outside });
                }
            }
        }
        Ok(())
    }
}
