"""Reports: fitted models as one self-contained page of HTML.

A page holds its data as JSON, one style sheet and a few small scripts. It loads nothing: its security
policy forbids the network, and admits by their hashes alone its own scripts.

The charts are drawn as SVG by our own scripts. A plotting library would weigh one to four megabytes in each
page, would bring code that has to be reviewed with every model that is filed, and its charts follow neither
the colours of the page (light, dark, print) nor the keyboard; the few kinds of charts here take some hundred
lines.

=================== ====================================================================================
``_page.py``        what the page says, collected from the files below; the function :func:`report`
``_data.py``        the rows on which the models are shown: checks, samples, groups
``_sets.py``        several data sets in one report
``_scored.py``      the answers of a model to rows, beside the truth
``_overview.py``    the head: what a model is, its parameters, its columns, its fingerprint
``_terms.py``       the table of terms
``_shapes.py``      what single columns add: score cards, one-column rules, lines; densities of the data
``_card.py``        points by bin and bands of the score, of a score card in points
``_plain_words.py`` what the certificate proves, in plain words
``_paths.py``       the models along the regularisation path
``_metrics.py``     metrics of predictions, also group by group
``_curves.py``      ROC, lift, calibration and distribution of scores; errors of a regression
``_histograms.py``  the bars of these distributions
``_cutoffs.py``     what becomes of the rows at each cutoff of the score
``_reasons.py``     the contributions to sampled rows against their mean over the data
``_drawings.py``    molecules: patterns, and records with the atoms that they cover
``_form.py``        the fields of the what-if form, and the function that scores in the browser
``_comparison.py``  several models side by side
``_render.py``      the template, escaping, and the security policy
=================== ====================================================================================
"""

from ._page import report

__all__ = ["report"]
