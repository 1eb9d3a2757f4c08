//! Factorization machines: finite, the same for any number of threads, the same when read back.

use arbitrary::{Result, Unstructured};
use thresher::Control;
use thresher::data::dataset::Dataset;
use thresher::data::one_hot::OneHot;
use thresher::families::factorization::{FitLower, FmModel, Params, Penalty, Solver, Strength, fit};

use crate::draw::{self, POOLS};
use crate::tables;

/// A small problem with any solver, penalty and order.
pub fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let (d, n) = (draw::size(u, 1..=4)?, draw::size(u, 1..=8)?);
    let column = |u: &mut Unstructured<'_>| {
        if u.ratio(1, 3)? { tables::categories(u, n) } else { tables::numeric(u, n, 4, false) }
    };
    let table = tables::table(draw::list(u, d, column)?, n);
    let Ok(data) = OneHot::of_table(&table) else { return Ok(()) };
    let (loss, y) = tables::target(u, n)?;
    let y = [y];
    let weights = tables::weights(u, n)?;
    let penalties = [
        Penalty::None,
        Penalty::L1,
        Penalty::L21,
        Penalty::Ti,
        Penalty::Cs,
        Penalty::OmegaTi,
        Penalty::OmegaCs,
    ];
    let params = Params {
        loss,
        order: *u.choose(&[Some(2), Some(3), None])?,
        rank: Some(draw::size(u, 1..=3)?),
        fit_lower: *u.choose(&[FitLower::Explicit, FitLower::Augment, FitLower::None])?,
        fit_linear: u.arbitrary()?,
        fit_intercept: u.arbitrary()?,
        standardize: u.arbitrary()?,
        penalty: *u.choose(&penalties)?,
        alpha: Strength::Values { values: vec![*u.choose(&[0.0, 1e-3, 0.1, 10.0])?] },
        solver: *u.choose(&[Solver::Pcd, Solver::Pbcd, Solver::Adagrad])?,
        max_iter: 10,
        seed: u.arbitrary()?,
        ..Params::default()
    };
    let dataset = Dataset::new(&data, &y).with_weights(&weights);
    let fits = [0, 1].map(|k| POOLS[k].install(|| fit(&dataset, params.clone(), &Control::default())));
    let [Ok(fitted), Ok(again)] = fits else { return Ok(()) };
    let bits = |model: &FmModel| -> Vec<u64> {
        model.predict(&table).expect("predictions")[0].iter().map(|f| f.to_bits()).collect()
    };
    let predictions = bits(&fitted.model);
    assert!(predictions.iter().all(|&f| f64::from_bits(f).is_finite()), "predictions are not finite");
    assert_eq!(predictions, bits(&again.model), "threads change the machine");
    let read = FmModel::from_json(&fitted.model.to_json(false)).expect("a document written by the library");
    assert_eq!(predictions, bits(&read), "a machine read back predicts otherwise");
    Ok(())
}
