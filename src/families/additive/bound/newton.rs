//! The Newton system of the relaxation, over the intercept and the values of all segmentations.
//!
//! Bins with the same piece in every segmentation of their column form an atom. The second derivatives are
//! sums over the cells for each pair of atoms, and then over atoms for each pair of pieces.

use std::collections::HashMap;

use super::super::bin_sums::sum_by_bin;
use super::super::descent::AdditiveProblem;
use super::relaxation::Candidate;
use crate::linalg::Cholesky;

/// Gradient and lower triangle of the Hessian.
pub struct NewtonSystem {
    gradient: Vec<f64>,
    hessian: Vec<Vec<f64>>,
}

/// The atoms of one column, and the parameter of each atom for each segmentation of the column.
struct ColumnAtoms {
    column: usize,
    atom_of_bin: Vec<u16>,
    n_atoms: usize,
    parameters: Vec<Vec<usize>>,
}

impl ColumnAtoms {
    /// The atoms of `column`; `first` is the first parameter of each candidate.
    fn new(column: usize, n_bins: usize, candidates: &[(usize, &Candidate)]) -> Self {
        let mut atom_of_bin = vec![0_u16; n_bins];
        let mut n_atoms = 1;
        for (_, candidate) in candidates {
            let mut atoms: HashMap<(u16, u16), u16> = HashMap::new();
            for (atom, &piece) in atom_of_bin.iter_mut().zip(&candidate.shape.piece_of_bin) {
                let next = atoms.len() as u16;
                *atom = *atoms.entry((*atom, piece)).or_insert(next);
            }
            n_atoms = atoms.len();
        }
        let parameters_of = |&(first, candidate): &(usize, &Candidate)| {
            let mut parameters = vec![0; n_atoms];
            for (&atom, &piece) in atom_of_bin.iter().zip(&candidate.shape.piece_of_bin) {
                parameters[atom as usize] = first + piece as usize;
            }
            parameters
        };
        let parameters = candidates.iter().map(parameters_of).collect();
        Self { column, atom_of_bin, n_atoms, parameters }
    }
}

impl NewtonSystem {
    /// The system at given slopes and curvatures of the cells.
    pub fn new(
        problem: &AdditiveProblem<'_>,
        candidates: &[Candidate],
        slope: &[f64],
        curvature: &[f64],
    ) -> Self {
        let mut n_parameters = 1;
        let mut by_column: Vec<Vec<(usize, &Candidate)>> = vec![Vec::new(); problem.columns.len()];
        for candidate in candidates {
            by_column[candidate.column].push((n_parameters, candidate));
            n_parameters += candidate.shape.values.len();
        }
        let atoms: Vec<ColumnAtoms> = (0..by_column.len())
            .filter(|&j| !by_column[j].is_empty())
            .map(|j| ColumnAtoms::new(j, problem.columns[j].n_bins, &by_column[j]))
            .collect();
        let mut new =
            Self { gradient: vec![0.0; n_parameters], hessian: vec![vec![0.0; n_parameters]; n_parameters] };
        new.gradient[0] = -slope.iter().sum::<f64>();
        new.hessian[0][0] = curvature.iter().sum();
        for (place, column) in atoms.iter().enumerate() {
            new.add_column(problem, column, slope, curvature);
            atoms[..place].iter().for_each(|other| new.add_pair(problem, column, other, curvature));
        }
        for &(first, candidate) in by_column.iter().flatten() {
            new.add_ridge(problem.ridge / candidate.proportion, first, candidate);
        }
        new
    }

    /// Slopes and curvatures of one column, alone and with the intercept.
    fn add_column(
        &mut self,
        problem: &AdditiveProblem<'_>,
        column: &ColumnAtoms,
        slope: &[f64],
        curvature: &[f64],
    ) {
        let codes = &problem.cells.codes[column.column];
        let sums = sum_by_bin(codes.len(), column.n_atoms, |i| {
            (column.atom_of_bin[codes[i] as usize] as usize, [slope[i], curvature[i]])
        });
        for (atom, [slope, curvature]) in sums.into_iter().enumerate() {
            for p in column.parameters.iter().map(|of_atom| of_atom[atom]) {
                self.gradient[p] -= slope;
                self.hessian[p][0] += curvature;
                for q in column.parameters.iter().map(|of_atom| of_atom[atom]).filter(|&q| q <= p) {
                    self.hessian[p][q] += curvature;
                }
            }
        }
    }

    /// Curvatures of a column with another one before it.
    fn add_pair(
        &mut self,
        problem: &AdditiveProblem<'_>,
        column: &ColumnAtoms,
        other: &ColumnAtoms,
        curvature: &[f64],
    ) {
        let (codes, others) = (&problem.cells.codes[column.column], &problem.cells.codes[other.column]);
        let width = other.n_atoms;
        let table = sum_by_bin(codes.len(), column.n_atoms * width, |i| {
            let atom = column.atom_of_bin[codes[i] as usize] as usize;
            (atom * width + other.atom_of_bin[others[i] as usize] as usize, [curvature[i]])
        });
        let mut of_parameter: HashMap<usize, Vec<f64>> = HashMap::new();
        for (atom, row) in table.chunks(width).enumerate() {
            for parameters in &column.parameters {
                let sums = of_parameter.entry(parameters[atom]).or_insert_with(|| vec![0.0; width]);
                sums.iter_mut().zip(row).for_each(|(sum, [value])| *sum += value);
            }
        }
        for (p, row) in of_parameter {
            for parameters in &other.parameters {
                parameters.iter().zip(&row).for_each(|(&q, value)| self.hessian[p.max(q)][p.min(q)] += value);
            }
        }
    }

    fn add_ridge(&mut self, ridge: f64, first: usize, candidate: &Candidate) {
        for (piece, (w, v)) in candidate.weights.iter().zip(&candidate.shape.values).enumerate() {
            self.gradient[first + piece] -= 2.0 * ridge * w * v;
            self.hessian[first + piece][first + piece] += 2.0 * ridge * w;
        }
    }

    /// The Newton step; `None` if the system is singular.
    pub fn solve(&self) -> Option<Vec<f64>> {
        let n = self.gradient.len();
        let mut matrix = Vec::with_capacity(n * n);
        for (k, row) in self.hessian.iter().enumerate() {
            matrix.extend(row);
            // A piece without rows has the value 0.
            matrix[k * n + k] += f64::MIN_POSITIVE;
        }
        Some(Cholesky::new(&matrix, n)?.solve(&self.gradient))
    }
}
