//! A partition of the rows, refined column by column: rows of one cell agree in all columns so far.

use std::collections::HashMap;

use super::design::Design;

/// Rows in cells.
pub(super) struct Partition {
    cell_of_row: Vec<u32>,
    cells: Vec<Cell>,
}

/// Rows that had `parent` in common and hold `x` in `column`.
struct Cell {
    parent: u32,
    column: u32,
    x: f64,
    n_rows: u32,
}

impl Partition {
    /// All rows in one cell.
    pub(super) fn new(n_rows: usize) -> Self {
        let all = Cell { parent: 0, column: 0, x: 0.0, n_rows: n_rows as u32 };
        Self { cell_of_row: vec![0; n_rows], cells: vec![all] }
    }

    /// Parts rows that differ in a column, unless there would be more than `max_cells` cells; returns
    /// whether it did. Rows without an entry stay in their cell.
    pub(super) fn refine(&mut self, column: u32, (rows, x): (&[u32], &[f64]), max_cells: usize) -> bool {
        let before = self.cells.len();
        let mut children: HashMap<(u32, u64), u32> = HashMap::new();
        // The child that a cell's rows went to last: mostly the next row goes there too.
        let mut last: Vec<Option<(u64, u32)>> = vec![None; before];
        for (&row, &x) in rows.iter().zip(x) {
            let (parent, bits) = (self.cell_of_row[row as usize], x.to_bits());
            let child = match last[parent as usize] {
                Some((known, child)) if known == bits => child,
                _ => *children.entry((parent, bits)).or_insert_with(|| {
                    self.cells.push(Cell { parent, column, x, n_rows: 0 });
                    (self.cells.len() - 1) as u32
                }),
            };
            last[parent as usize] = Some((bits, child));
            self.relabel(row, child);
            if self.cells.len() - before > max_cells {
                break;
            }
        }
        let is_refined = self.cells.iter().filter(|cell| cell.n_rows > 0).count() <= max_cells;
        if !is_refined {
            for &row in rows {
                let cell = self.cell_of_row[row as usize] as usize;
                if cell >= before {
                    self.relabel(row, self.cells[cell].parent);
                }
            }
            self.cells.truncate(before);
        }
        is_refined
    }

    fn relabel(&mut self, row: u32, cell: u32) {
        let old = std::mem::replace(&mut self.cell_of_row[row as usize], cell);
        self.cells[old as usize].n_rows -= 1;
        self.cells[cell as usize].n_rows += 1;
    }

    /// The cells that have rows, numbered by their first row: the number of each row's, and a design with
    /// one row a cell and `width` columns that holds what the rows of the cells hold.
    pub(super) fn finish(self, width: usize) -> (Vec<u32>, Design) {
        let mut number_of = vec![u32::MAX; self.cells.len()];
        let (mut cell_of_row, mut entries, mut n_cells) = (self.cell_of_row, vec![Vec::new(); width], 0);
        for label in &mut cell_of_row {
            let mut cell = *label as usize;
            if number_of[cell] == u32::MAX {
                number_of[cell] = n_cells;
                n_cells += 1;
                while cell != 0 {
                    let Cell { parent, column, x, .. } = self.cells[cell];
                    entries[column as usize].push((number_of[*label as usize], x));
                    cell = parent as usize;
                }
            }
            *label = number_of[*label as usize];
        }
        let mut contents = Design::empty(n_cells as usize);
        entries.into_iter().for_each(|column| contents.push(column.into_iter()));
        (cell_of_row, contents)
    }
}
