//! The linear forms that are coefficients of models over columns that depend on each other, found anew for
//! [`crate::verify`].
//!
//! They are those of the fit (`families::subset::bound::dependence`) by other means: the coordinates of columns are those of
//! their orthogonal parts, and every choice of one column fewer than a basis has is eliminated by itself, with pivots from all
//! rows and columns.

use std::collections::BTreeSet;

use super::check_time;
use crate::control::Control;
use crate::error::Result;

/// Rounding of a column, relative to its largest value and its mean; twice that of a fit.
const COLUMN_ROUNDING: f64 = 128.0 * f64::EPSILON;
/// Part of the squared length of a column that may be rounding.
const OWN_PART: f64 = 1e-9;
/// Coordinate, relative to the largest, that is rounding.
const ZERO: f64 = 1e-10;

/// Maximum number of forms, above that of a fit.
const MAX_FORMS: usize = 20_000;

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

    /// The coefficients of all bases, each form once; `None` if they are too many.
    pub fn forms(&self, control: &Control) -> Result<Option<Vec<Form>>> {
        let mut forms = Vec::new();
        let mut is_done = vec![false; self.basis.len()];
        for first in 0..self.basis.len() {
            if std::mem::replace(&mut is_done[first], true) {
                continue;
            }
            let (places, columns) = self.component(first);
            places.iter().for_each(|&k| is_done[k] = true);
            let mut component =
                Component { of: self, places, columns, seen: BTreeSet::new(), forms: &mut forms };
            if !component.add_forms(0, &mut Vec::new(), control)? {
                return Ok(None);
            }
        }
        Ok(Some(forms))
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
}

/// Columns that are connected by combinations, and the places of those of the basis.
struct Component<'a> {
    of: &'a Dependence,
    places: Vec<usize>,
    columns: Vec<usize>,
    /// For each form the columns at which it is not 0.
    seen: BTreeSet<Vec<usize>>,
    forms: &'a mut Vec<Form>,
}

impl Component<'_> {
    fn coordinates(&self, j: usize) -> Vec<f64> {
        self.places.iter().map(|&k| self.of.coordinates[j][k]).collect()
    }

    /// Adds the forms that are 0 at some columns and further ones from a place on; false if they are too many.
    fn add_forms(&mut self, first: usize, chosen: &mut Vec<usize>, control: &Control) -> Result<bool> {
        check_time(control)?;
        let n_missing = self.places.len() - 1 - chosen.len();
        if n_missing == 0 {
            let rows = chosen.iter().map(|&j| self.coordinates(j)).collect();
            if let Some(form) = null_form(rows, self.places.len()) {
                self.add(&form);
            }
            return Ok(self.forms.len() <= MAX_FORMS);
        }
        for place in first..(self.columns.len() + 1).saturating_sub(n_missing) {
            chosen.push(self.columns[place]);
            if !self.add_forms(place + 1, chosen, control)? {
                return Ok(false);
            }
            chosen.pop();
        }
        Ok(true)
    }

    fn add(&mut self, form: &[f64]) {
        let largest = form.iter().fold(0.0_f64, |most, a| most.max(a.abs()));
        let value = |&j: &usize| {
            let of_column = self.coordinates(j);
            let size: f64 = of_column.iter().map(|t| (largest * t).abs()).sum();
            let value = product(form, &of_column);
            (value.abs() > ZERO * size).then_some((j, value))
        };
        let columns: Vec<(usize, f64)> = self.columns.iter().filter_map(value).collect();
        if self.seen.insert(columns.iter().map(|(j, _)| *j).collect()) {
            let mut factors = vec![0.0; self.of.basis.len()];
            self.places.iter().zip(form).for_each(|(&k, a)| factors[k] = *a);
            self.forms.push(Form { factors, columns });
        }
    }
}

/// The form that is 0 at some rows, one fewer than columns; `None` if they depend on each other.
fn null_form(mut rows: Vec<Vec<f64>>, n: usize) -> Option<Vec<f64>> {
    let largest = rows.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
    let mut pivots = Vec::with_capacity(n);
    for k in 0..rows.len() {
        let places = (k..rows.len()).flat_map(|i| (0..n).map(move |c| (i, c)));
        let (i, c) = places.max_by(|&(a, b), &(i, c)| rows[a][b].abs().total_cmp(&rows[i][c].abs()))?;
        rows.swap(k, i);
        let size = rows[k][c];
        if size.abs() <= ZERO * largest {
            return None;
        }
        rows[k].iter_mut().for_each(|x| *x /= size);
        let row = rows[k].clone();
        for (_, other) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = other[c];
            subtract(other, factor, &row);
        }
        pivots.push(c);
    }
    let free = (0..n).find(|c| !pivots.contains(c))?;
    let mut form = vec![0.0; n];
    form[free] = 1.0;
    pivots.iter().zip(&rows).for_each(|(&c, row)| form[c] = -row[free]);
    Some(form)
}
