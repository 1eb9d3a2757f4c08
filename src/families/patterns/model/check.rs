//! What must hold of a pattern document before it is a model.

use super::wire::{Document, OutputDoc, PatternDoc, PointDoc, VERSION};
use crate::document::check;
use crate::families::patterns::Family;

/// A complaint without the place.
type Check = Result<(), String>;

/// The whole document.
pub(super) fn document<F: Family>(document: &Document<F>) -> Check {
    let version = Some(u64::from(document.version));
    if let Some(complaint) = check::header(Some(&document.format), version, F::FORMAT, VERSION) {
        return Err(complaint);
    }
    check::provenance(&document.n_candidates, &document.library, document.task, document.loss)?;
    check::classes(document.task, document.classes.as_deref(), document.outputs.len())?;
    F::check_alphabet(&document.alphabet).map_err(|complaint| format!("alphabet: {complaint}"))?;
    F::check_language(&document.language).map_err(|complaint| format!("language: {complaint}"))?;
    for (place, output) in document.outputs.iter().enumerate() {
        check_output(output, document).map_err(|complaint| format!("outputs[{place}]{complaint}"))?;
    }
    Ok(())
}

fn check_output<F: Family>(output: &OutputDoc<F>, document: &Document<F>) -> Check {
    for (place, pattern) in output.patterns.iter().enumerate() {
        check_pattern(pattern, document).map_err(|complaint| format!(".patterns[{place}]{complaint}"))?;
    }
    for (place, point) in output.points.iter().enumerate() {
        check_point(point, output.patterns.len())
            .map_err(|complaint| format!(".points[{place}]{complaint}"))?;
    }
    check::selection(output.selected, output.points.len(), output.cv.as_deref(), output.criterion.as_deref())
}

fn check_pattern<F: Family>(entry: &PatternDoc<F>, document: &Document<F>) -> Check {
    // Shares are sums of weights: rounding may carry them a little past 1.
    if !(0.0..=1.0 + 1e-9).contains(&entry.weight) {
        return Err(format!(".weight is {}; it must be a share, 0 to 1", entry.weight));
    }
    let classes = entry.support_per_class.len();
    let known = document.classes.as_ref().map(Vec::len);
    if classes > 0 && known.is_some_and(|n| n != classes) {
        return Err(format!(".support_per_class has {classes} entries, one a class is needed"));
    }
    let one = |name: &str, pattern: &F::Pattern| {
        F::check_pattern(pattern, &document.alphabet, &document.language)
            .map_err(|complaint| format!(".{name}: {complaint}"))
    };
    one("pattern", &entry.pattern)?;
    entry.equivalents.iter().try_for_each(|pattern| one("equivalents", pattern))?;
    entry.closure.iter().try_for_each(|pattern| one("closure", pattern))
}

fn check_point(point: &PointDoc, n_patterns: usize) -> Check {
    check::finite("", &[point.alpha, point.intercept, point.primal, point.dual, point.gap])?;
    check::finite("", &[point.relative_gap, point.tol, point.seconds])?;
    if point.alpha < 0.0 {
        return Err(format!(".alpha is {}; it must be at least 0", point.alpha));
    }
    check::terms("pattern", &point.patterns, n_patterns)
}
