//! A partition of the rows that gets finer, column by column, and what its parts hold.

use std::collections::HashMap;

use super::design::Design;

/// The weights of the rows of each of so many parts.
pub(super) fn weights(
    n_parts: usize,
    of_row: impl IntoIterator<Item = usize>,
    weight: impl Fn(usize) -> f64,
) -> Vec<f64> {
    let mut weights = vec![0.0; n_parts];
    of_row.into_iter().enumerate().for_each(|(row, part)| weights[part] += weight(row));
    weights
}

/// Rows in parts, numbered as they came up.
pub(super) struct Split {
    of_row: Vec<u32>,
    /// Parts that it began with.
    known: usize,
    /// How each of the others came up.
    made: Vec<Made>,
    /// Rows of each part.
    sizes: Vec<u32>,
    /// Parts before the last column.
    before: usize,
}

/// Rows that hold the same in one column, of the same part before.
struct Made {
    parent: u32,
    column: u32,
    x: f64,
}

impl Split {
    /// Begins with parts; `known` of them.
    pub(super) fn new(of_row: Vec<u32>, known: usize) -> Self {
        let known = known.max(1);
        let mut sizes = vec![0; known];
        of_row.iter().for_each(|&part| sizes[part as usize] += 1);
        Self { of_row, known, made: Vec::new(), sizes, before: known }
    }

    /// Whether a row is in one of the parts it began with.
    pub(super) fn is_whole(&self, row: u32) -> bool {
        (self.of_row[row as usize] as usize) < self.known
    }

    /// Rows of one part that differ in a column part. Whether there are no more than `most` parts then.
    pub(super) fn by(&mut self, column: u32, (rows, x): (&[u32], &[f64]), most: usize) -> bool {
        self.before = self.sizes.len();
        // The last value seen in a part and where its rows went: mostly the next has it too.
        let alike = x.windows(2).all(|pair| pair[0].to_bits() == pair[1].to_bits());
        let mut last = vec![0u64; if alike { 0 } else { self.before }];
        let mut went = vec![u32::MAX; self.before];
        let mut others: HashMap<(u32, u64), u32> = HashMap::new();
        for (&r, &x) in rows.iter().zip(x) {
            let (part, bits) = (self.of_row[r as usize], x.to_bits());
            let to = &mut went[part as usize];
            if *to == u32::MAX || !alike && last[part as usize] != bits {
                if *to != u32::MAX {
                    others.insert((part, last[part as usize]), *to);
                }
                let count = self.sizes.len() as u32;
                *to = others.get(&(part, bits)).copied().unwrap_or(count);
                if *to == count {
                    self.made.push(Made { parent: part, column, x });
                    self.sizes.push(0);
                    if self.sizes.len() - self.before > most {
                        return false;
                    }
                }
                if !alike {
                    last[part as usize] = bits;
                }
            }
            self.sizes[part as usize] -= 1;
            self.sizes[*to as usize] += 1;
            self.of_row[r as usize] = *to;
        }
        self.count() <= most
    }

    /// Parts that have rows.
    fn count(&self) -> usize {
        self.sizes.iter().filter(|size| **size > 0).count()
    }

    /// Takes the last column back, whose entries were in these rows.
    pub(super) fn undo(&mut self, rows: &[u32]) {
        for &r in rows {
            let part = &mut self.of_row[r as usize];
            if *part as usize >= self.before {
                self.sizes[*part as usize] -= 1;
                *part = self.made[*part as usize - self.known].parent;
                self.sizes[*part as usize] += 1;
            }
        }
        self.sizes.truncate(self.before);
        self.made.truncate(self.before - self.known);
    }

    /// The parts that have rows, numbered by their first, and what these hold: in `width` columns, of
    /// which `known` are where the parts at the beginning held what `held` says.
    pub(super) fn finish(mut self, width: usize, known: &[u32], held: &Design) -> (Vec<u32>, Design) {
        let parts = self.number();
        let held = held.transposed();
        let mut entries: Vec<Vec<(u32, f64)>> = vec![Vec::new(); width];
        for (number, &part) in (0..).zip(&parts) {
            let mut part = part as usize;
            while part >= self.known {
                let Made { parent, column, x } = self.made[part - self.known];
                entries[column as usize].push((number, x));
                part = parent as usize;
            }
            if !known.is_empty() {
                let (columns, x) = held.column(part);
                let held = columns.iter().zip(x);
                held.for_each(|(&k, &x)| entries[known[k as usize] as usize].push((number, x)));
            }
        }
        let mut design = Design::empty(parts.len());
        entries.into_iter().for_each(|entries| design.push(entries.into_iter()));
        (self.of_row, design)
    }

    /// Numbers the parts that have rows; returns these.
    fn number(&mut self) -> Vec<u32> {
        let mut names = vec![u32::MAX; self.sizes.len()];
        let mut parts = Vec::new();
        for part in &mut self.of_row {
            let name = &mut names[*part as usize];
            if *name == u32::MAX {
                *name = parts.len() as u32;
                parts.push(*part);
            }
            *part = *name;
        }
        parts
    }
}
