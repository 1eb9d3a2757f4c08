//! The products against the definition.

use proptest::prelude::*;

use super::*;

const ROWS: usize = 9;

fn dense(column: &Column<usize>) -> Vec<f64> {
    match column.pattern {
        None => column.values.to_vec(),
        Some(_) => (0..ROWS).map(|i| f64::from(u8::from(column.rows.contains(&(i as u32))))).collect(),
    }
}

fn references(columns: &[Column<usize>]) -> Vec<&Column<usize>> {
    columns.iter().collect()
}

/// From the definition.
fn twin(columns: &[Column<usize>], h: &[f64], k: usize, l: usize) -> f64 {
    let total: f64 = h.iter().sum();
    let (a, b) = (dense(&columns[k]), dense(&columns[l]));
    let mean = |x: &[f64]| x.iter().zip(h).map(|(x, h)| x * h).sum::<f64>() / total;
    let product: f64 = (0..ROWS).map(|i| h[i] * a[i] * b[i]).sum();
    product - total * mean(&a) * mean(&b)
}

/// The columns by their rows.
fn agree_by_rows(products: &Products<'_, usize>, h: &[f64]) -> Result<(), TestCaseError> {
    let columns: Vec<usize> = (0..products.columns.len()).rev().collect();
    let total: f64 = h.iter().sum();
    let centred = |&k: &usize| -> Vec<f64> {
        let a = dense(products.columns[k]);
        let mean = a.iter().zip(h).map(|(x, h)| x * h).sum::<f64>() / total;
        a.iter().zip(h).map(|(x, h)| (x - mean) * h.sqrt()).collect()
    };
    let design: Vec<Vec<f64>> = columns.iter().map(centred).collect();
    let x: Vec<f64> = (0..columns.len()).map(|k| 0.5 * k as f64 - 1.0).collect();
    let v: Vec<f64> = (0..ROWS).map(|i| 1.5 - 0.4 * i as f64).collect();
    for (i, sum) in products.combine(&columns, &x).into_iter().enumerate() {
        let expected: f64 = design.iter().zip(&x).map(|(a, x)| a[i] * x).sum();
        prop_assert!((sum - expected).abs() < 1e-9);
    }
    for (product, a) in products.correlate(&columns, &v).into_iter().zip(&design) {
        prop_assert!((product - dot(a, &v)).abs() < 1e-9);
    }
    let outer = products.outer(&columns, &x);
    for (i, j) in (0..ROWS).flat_map(|i| (0..=i).map(move |j| (i, j))) {
        let expected: f64 = design.iter().zip(&x).map(|(a, x)| a[i] * x * a[j]).sum();
        prop_assert!((outer[i * ROWS + j] - expected).abs() < 1e-9);
    }
    Ok(())
}

proptest! {
    #[test]
    fn products_computed_on_demand_agree_with_the_definition(
        rows in prop::collection::vec(prop::collection::vec(any::<bool>(), ROWS), 1..9),
        sides in prop::collection::vec(prop::collection::vec(-2.0..2.0f64, ROWS), 0..4),
        h in prop::collection::vec(prop_oneof![Just(1.0), 0.1..2.0f64], ROWS),
        asked in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..9),
    ) {
        let dense = |(j, x): (usize, &Vec<f64>)| Column::dense(j, x.clone().into());
        let mut columns: Vec<Column<usize>> = sides.iter().enumerate().map(dense).collect();
        let mut gram = Gram::new(h.clone());
        gram.extend(&references(&columns));
        for (k, row) in rows.iter().enumerate() {
            let list = (0..ROWS as u32).filter(|&i| row[i as usize]).collect();
            columns.push(Column::of_pattern(k, list, ROWS));
            if k % 3 == 2 {
                gram.extend(&references(&columns));
                for (at, several) in &asked {
                    let k = at.index(columns.len());
                    if *several {
                        gram.of(&references(&columns)).prepare(&(0..=k).collect::<Vec<_>>());
                    } else {
                        gram.of(&references(&columns)).column(k);
                    }
                }
            }
        }
        gram.extend(&references(&columns));
        let all = references(&columns);
        let products = gram.of(&all);
        agree_by_rows(&products, &h)?;
        for k in 0..columns.len() {
            prop_assert_eq!(products.column(k).len(), columns.len());
            for (l, g) in products.column(k).iter().enumerate() {
                prop_assert!((g - twin(&columns, &h, k, l)).abs() < 1e-9);
            }
        }
    }

    /// Rows of positive and of zero curvature, a few or most of them changed at a time.
    #[test]
    fn updated_products_agree_with_the_definition(
        rows in prop::collection::vec(prop::collection::vec(any::<bool>(), ROWS), 1..9),
        sides in prop::collection::vec(prop::collection::vec(-2.0..2.0f64, ROWS), 0..4),
        h in prop::collection::vec(prop_oneof![Just(1.0), 0.1..2.0f64], ROWS),
        changes in prop::collection::vec((prop::collection::vec(0..ROWS, 0..3), 0.001..1.0f64), 1..9),
        many in prop::collection::vec(any::<bool>(), ROWS),
    ) {
        let dense = |(j, x): (usize, &Vec<f64>)| Column::dense(j, x.clone().into());
        let mut columns: Vec<Column<usize>> = sides.iter().enumerate().map(dense).collect();
        let mut gram = Gram::new(h.clone());
        gram.extend(&references(&columns));
        let mut is_positive = many;
        let mut more = rows.iter().enumerate();
        for (changed, floor) in &changes {
            changed.iter().for_each(|&i| is_positive[i] = !is_positive[i]);
            gram.update_curvature(&references(&columns), &h, |i| is_positive[i], *floor);
            for (k, row) in more.by_ref().take(2) {
                let list = (0..ROWS as u32).filter(|&i| row[i as usize]).collect();
                columns.push(Column::of_pattern(k, list, ROWS));
            }
            gram.extend(&references(&columns));
            let now: Vec<f64> = (0..ROWS).map(|i| if is_positive[i] { h[i] } else { floor * h[i] }).collect();
            let all = references(&columns);
            let products = gram.of(&all);
            // Every other column is computed now, and updated the next time.
            for k in (0..columns.len()).step_by(2) {
                for (l, g) in products.column(k).iter().enumerate() {
                    prop_assert!((g - twin(&columns, &now, k, l)).abs() < 1e-9);
                    prop_assert_eq!(products.gram.rows[l].get().map_or(*g, |row| row.g[k]), *g);
                }
            }
        }
    }
}
