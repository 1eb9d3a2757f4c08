use proptest::prelude::*;

use super::quantiles::QuantileSketch;
use super::*;
use crate::control::Control;
use crate::data::dataset::Dataset;
use crate::data::rows::Fold;
use crate::data::table::{Column, Table};
use crate::families::rules::{Alpha, Params, fit};

fn coded_in_batches(values: &[f64], sizes: &[usize], cuts: &[f64], n_uniform: Option<usize>) -> CodedNumbers {
    let mut coder = NumberCoder::new(cuts, n_uniform);
    batches(values, sizes).for_each(|batch| coder.observe(batch).unwrap());
    let mut encoder = coder.encoder(values.len());
    batches(values, sizes).for_each(|batch| encoder.encode(batch).unwrap());
    encoder.finish().unwrap()
}

fn batches<'a>(values: &'a [f64], sizes: &'a [usize]) -> impl Iterator<Item = &'a [f64]> {
    let mut rest = values;
    sizes.iter().cycle().map_while(move |&size| {
        let (batch, others) = rest.split_at(size.min(rest.len()));
        let is_over = rest.is_empty();
        rest = others;
        (!is_over).then_some(batch)
    })
}

/// Numbers that do not repeat, in an order without pattern.
fn scattered(n: u64) -> Vec<f64> {
    (0..n).map(|k| ((k * 48_271) % 2_147_483_647) as f64 / 7.0).collect()
}

#[test]
fn codes_are_ranks_of_distinct_numbers() {
    let column = coded_in_batches(&[3.0, f64::NAN, -0.0, 0.0, 3.0, -7.5], &[4], &[], None);
    assert_eq!(
        column.dictionary().numbers().iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
        [(-7.5_f64).to_bits(), (-0.0_f64).to_bits(), 0.0_f64.to_bits(), 3.0_f64.to_bits()]
    );
    assert!(column.codes().eq([3, 4, 1, 2, 3, 0]));
    assert!(column.number(1).is_nan());
}

#[test]
fn an_empty_column_and_one_of_missing_numbers_have_no_codes() {
    assert_eq!(coded_in_batches(&[], &[1], &[], None).n_rows(), 0);
    assert!(coded_in_batches(&[f64::NAN; 3], &[2], &[], None).codes().eq([0; 3]));
}

#[test]
fn infinite_and_changed_numbers_are_refused() {
    assert!(NumberCoder::new(&[], None).observe(&[1.0, f64::INFINITY]).is_err());
    let mut coder = NumberCoder::new(&[], None);
    coder.observe(&[1.0]).unwrap();
    assert!(coder.encoder(1).encode(&[2.0]).is_err());
}

#[test]
fn ranges_have_every_number_on_their_side_and_cut_points_between_them() {
    let values = scattered(200_000);
    let cuts = [1e7, 1.5e8, 1e12, -4.0];
    let column = coded_in_batches(&values, &[777, 1], &cuts, Some(3));
    let dictionary = column.dictionary();
    assert!(!dictionary.is_exact() && dictionary.numbers().len() <= MAX_NUMBERS);
    for (&x, code) in values.iter().zip(column.codes()) {
        let code = usize::from(code);
        assert!(dictionary.low(code) <= x && x <= dictionary.high(code));
    }
    assert!(cuts.iter().all(|&cut| dictionary.separates(cut)));
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
    assert_eq!([dictionary.low(0), dictionary.high(dictionary.numbers().len() - 1)], [low, high]);
    assert!(
        (1..3).all(|k| dictionary.separates(low * (1.0 - f64::from(k) / 3.0) + high * (f64::from(k) / 3.0)))
    );
    let mut counts = vec![0; dictionary.numbers().len()];
    column.codes().for_each(|code| counts[usize::from(code)] += 1);
    // 200,000 numbers in 32,500 ranges: 6 in each on average.
    assert!(counts.iter().all(|&count| 0 < count && count <= 24), "{:?}", counts.iter().max());
}

#[test]
fn a_number_of_many_rows_has_a_range_of_its_own() {
    let mut values = scattered(150_000);
    values.iter_mut().step_by(3).for_each(|x| *x = 1e8);
    let column = coded_in_batches(&values, &[1000], &[], None);
    let dictionary = column.dictionary();
    let code = usize::from(column.code(0));
    assert_eq!(dictionary.high(code), 1e8);
    assert!(dictionary.low(code) >= 1e8 - 1e6);
}

#[test]
fn cut_points_between_ranges_change_nothing() {
    let values = scattered(120_000);
    let column = coded_in_batches(&values, &[1000], &[], None);
    let within = column.dictionary();
    let cuts: Vec<f64> = (1..20).map(|k| within.high(1000 * k).midpoint(within.low(1000 * k + 1))).collect();
    assert_eq!(coded_in_batches(&values, &[1000], &cuts, None), column);
}

#[test]
fn batches_do_not_matter() {
    let values = scattered(140_000);
    let one = coded_in_batches(&values, &[140_000], &[], None);
    assert_eq!(one, coded_in_batches(&values, &[1, 65_536, 0, 3], &[], None));
}

#[test]
fn quantiles_are_near_their_ranks() {
    let n = 1_000_000_u64;
    let mut sketch = QuantileSketch::default();
    // A permutation of 0..n: 7919 has no common divisor with n.
    (0..n).for_each(|k| sketch.add(((k * 7919) % n) as f64, 1));
    let found = sketch.quantiles(1000);
    assert_eq!(found.len(), 999);
    for (q, x) in (1..).zip(found) {
        let error = (x + 1.0 - f64::from(q) * 1000.0).abs();
        // Four halvings deep, each may move a rank by n / 65536.
        assert!(error <= 4.0 * 1e6 / 65_536.0 + 16.0, "{q}: {error}");
    }
}

#[test]
fn repeated_numbers_count_as_often() {
    let mut sketch = QuantileSketch::default();
    sketch.add(1.0, 30);
    sketch.add(2.0, 10);
    assert_eq!(sketch.quantiles(4), [1.0]);
    assert_eq!(sketch.quantiles(8), [1.0, 2.0]);
}

#[test]
fn bins_that_codes_cannot_separate_are_refused() {
    let values = scattered(100_000);
    let column = coded_in_batches(&values, &[50_000], &[], None);
    let table = Table::new(vec!["x".into()], vec![Column::Coded(column.clone())], 100_000).unwrap();
    let y = [values];
    let within = column.dictionary();
    let wide = (0..within.numbers().len()).find(|&k| within.low(k) < within.high(k)).unwrap();
    for bins in [
        crate::data::bins::BinRule::Midpoints,
        crate::data::bins::BinRule::Given { cuts: vec![Some(vec![within.low(wide)])] },
    ] {
        let params = Params { alpha: Alpha::Value { value: 1.0 }, bins, ..Params::default() };
        assert!(fit(&Dataset::new(&table, &y), params, &Control::default()).is_err());
    }
}

#[test]
fn rows_of_a_table_share_the_codes_and_one_index() {
    let values = scattered(600);
    let column = |values: &[f64]| Column::Coded(coded_in_batches(values, &[100], &[], None));
    let few: Vec<f64> = values.iter().map(|x| (x % 5.0).floor()).collect();
    let names = vec!["many".into(), "few".into()];
    let table = Table::new(names, vec![column(&values), column(&few)], 600).unwrap();
    let half: Vec<u32> = (0..400).rev().collect();
    let again: Vec<u32> = (0..350).collect();
    let parts = |table: &Table| -> Vec<CodedNumbers> {
        let coded = |column: &Column| match column {
            Column::Coded(numbers) => numbers.clone(),
            _ => unreachable!(),
        };
        table.columns().iter().map(coded).collect()
    };
    let whole = parts(&table);
    assert!(matches!([&*whole[0].codes, &*whole[1].codes], [RowCodes::Two(_), RowCodes::One(_)]));
    for (selected, first_row) in [(table.take(&half), 399), (table.take(&half).take(&again), 399)] {
        let selected = parts(&selected);
        for (own, all) in selected.iter().zip(&whole) {
            assert!(Arc::ptr_eq(&own.codes, &all.codes));
            assert!(Arc::ptr_eq(own.rows.as_ref().unwrap(), selected[0].rows.as_ref().unwrap()));
            assert_eq!(own.number(0), all.number(first_row));
        }
    }
    let copied = parts(&table.take(&again[..299]));
    assert!(
        copied.iter().zip(&whole).all(|(own, all)| own.rows.is_none() && own.codes.len() < all.codes.len())
    );
}

proptest! {
    #[test]
    fn rows_of_rows_are_those_of_the_numbers(
        cells in prop::collection::vec(prop::sample::select(vec![0.0, 1.0, -3.5, f64::NAN]), 1..30),
        picks in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 1..40), 0..4),
    ) {
        let n = cells.len();
        let names = || vec!["a".to_owned()];
        let coded = Column::Coded(coded_in_batches(&cells, &[4], &[], None));
        let mut coded = Table::new(names(), vec![coded], n).unwrap();
        let mut numbers = Table::new(names(), vec![Column::Numeric(cells)], n).unwrap();
        for pick in picks {
            let rows: Vec<u32> = pick.iter().map(|index| index.index(coded.n_rows()) as u32).collect();
            (coded, numbers) = (coded.take(&rows), numbers.take(&rows));
        }
        let bits = |table: &Table| -> Vec<u64> {
            table.columns()[0].numbers().unwrap().iter().map(|x| x.to_bits()).collect()
        };
        prop_assert_eq!(bits(&coded), bits(&numbers));
        let Column::Coded(column) = &coded.columns()[0] else { unreachable!() };
        let mapped: Vec<f64> = column.map(f64::NAN, |x| x);
        prop_assert_eq!(mapped.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), bits(&numbers));
        let without = column.without(&[1.0]);
        let is_without = |(a, b): (f64, f64)| if b == 1.0 { a.is_nan() } else { a.to_bits() == b.to_bits() };
        prop_assert!(without.iter().zip(column.iter()).all(is_without), "numbers that are not left out stay");
        prop_assert_eq!(column.seen().1, bits(&numbers).contains(&f64::NAN.to_bits()));
    }

    /// Codes of single numbers lose nothing: the whole model is the same.
    #[test]
    fn a_fit_of_codes_is_that_of_numbers(
        cells in prop::collection::vec(prop::sample::select(vec![0.0, -0.0, 1.0, -3.5, 1e300, 2.0, f64::NAN]), 40),
        y in prop::collection::vec(-3..3, 20),
        weights in prop::collection::vec(prop::sample::select(vec![0.0, 1.0, 0.3, 2.0, 0.7]), 20),
        with_weights in any::<bool>(),
        linear in any::<bool>(),
        with_folds in any::<bool>(),
    ) {
        let part = |k: u32| (0..20).filter(|row| row % 3 == k).collect::<Vec<u32>>();
        let rest = |k: u32| (0..20).filter(|row| row % 3 != k).collect::<Vec<u32>>();
        let folds: Vec<Fold> = (0..3).map(|k| Fold { train: rest(k), test: part(k) }).collect();
        let columns: Vec<Vec<f64>> = cells.chunks(20).map(<[f64]>::to_vec).collect();
        let coded = columns.iter().map(|x| Column::Coded(coded_in_batches(x, &[3, 0, 7], &[], None))).collect();
        let names = || vec!["a".to_owned(), "b".to_owned()];
        let coded = Table::new(names(), coded, 20).unwrap();
        let numbers = Table::new(names(), columns.into_iter().map(Column::Numeric).collect(), 20).unwrap();
        let y = [y.into_iter().map(f64::from).collect::<Vec<f64>>()];
        let model = |table: &Table| {
            let data = Dataset::new(table, &y);
            let data = if with_weights { data.with_weights(&weights) } else { data };
            let data = if with_folds { data.with_folds(&folds) } else { data };
            let value = Alpha::Value { value: 0.01 };
            let alpha = if with_folds { Alpha::Cv { one_standard_error: false } } else { value };
            let params = Params { alpha, linear, ..Params::default() };
            fit(&data, params, &Control::default()).map(|fitted| {
                let mut document = fitted.model.document().clone();
                document.outputs[0].points.iter_mut().for_each(|point| point.seconds = 0.0);
                format!("{document:?}")
            }).map_err(|error| error.to_string())
        };
        prop_assert_eq!(model(&coded), model(&numbers));
    }
}
