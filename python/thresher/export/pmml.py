"""A model as a PMML document."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from ..model_io.envelope import library_version
from .formula import Formula, Output
from .pmml_link import Decision, classes_of, label_field, number_of, probability_of_score
from .pmml_terms import Reasons, model_of
from .pmml_verification import Verification, add_verification
from .pmml_xml import Names, data_field, element, field, mining_field

NAMESPACE = "http://www.dmg.org/PMML-4_4"


def pmml_of(
    formula: Formula,
    target: str | None = None,
    reasons: Reasons | None = None,
    verification: Verification | None = None,
) -> str:
    """Write a model as a PMML document.

    Parameters
    ----------
    formula : Formula
        The model.
    target : str, optional
        The name of the target.
    reasons : Reasons, optional
        Of a score card the reason codes.
    verification : Verification, optional
        Rows with the predictions of the model.

    Returns
    -------
    str
        The document, of PMML 4.4.

    Raises
    ------
    ValueError
        If a name or category holds a character that XML cannot hold.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0Regressor
    >>> from thresher.export.build import formula_of
    >>> X = np.arange(20.0)[:, None]
    >>> text = pmml_of(formula_of(L0Regressor(lambda0=1.0).fit(X, X[:, 0])))
    >>> [line.strip() for line in text.splitlines() if "Predictor" in line]
    ['<NumericPredictor name="x0" coefficient="1.0" />']
    """
    return _Document(formula, target, reasons).text(verification)


class _Document:
    """The parts of a document."""

    def __init__(self, formula: Formula, target: str | None, reasons: Reasons | None) -> None:
        self.formula = formula
        self.reasons = reasons
        self.names = Names(column.name for column in formula.columns)
        wanted = formula.targets or (target or "target",)
        self.targets = [self.names.new(name) for name in wanted]
        self.decisions = [
            self.names.new(f"decision value of {text}" if text else "decision value")
            for text in formula.output_texts
        ]

    def text(self, verification: Verification | None) -> str:
        """Write the document."""
        model = self._model()
        if verification is not None:
            add_verification(model, verification)
        fields = [*map(data_field, self.formula.columns), *map(self._target_field, self.targets)]
        document = element(
            "PMML",
            element("Header", element("Application", name="Thresher", version=library_version())),
            element("DataDictionary", *fields, numberOfFields=len(fields)),
            model,
            xmlns=NAMESPACE,
            version="4.4",
        )
        ET.indent(document)
        text = ET.tostring(document, encoding="unicode").replace("\r", "&#13;")  # else read as line feeds
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'

    def _target_field(self, name: str) -> ET.Element:
        classes = self.formula.classes
        if classes is None:
            return element("DataField", name=name, optype="continuous", dataType="double")
        return label_field(name, classes)

    def _model(self) -> ET.Element:
        outputs, classes = self.formula.outputs, self.formula.classes
        if classes is None and len(outputs) == 1:
            return self._single(outputs[0])
        if classes is None:
            return self._several()
        parts = list(map(self._decision, outputs, self.decisions))
        decision = Decision(self.formula, self.decisions, self.targets[0], self.names)
        return self._chain("classification", [*parts, *classes_of(decision)])

    def _single(self, output: Output) -> ET.Element:
        """Write a regression of one target, or a score."""
        found = [_predicted(self.names.new(self.formula.result))]
        if self.formula.log_odds is not None:
            name = found[0].attrib["name"]
            found.append(probability_of_score(self.names.new("probability"), name, self.formula.log_odds))
        if self.reasons is not None:
            found.extend(map(self._reason, range(1, self.reasons.n + 1)))
        model = model_of(
            output,
            self.formula.columns,
            self.names,
            _target(self.targets[0]),
            result=element("Output", *found),
            reasons=self.reasons,
        )
        model.set("modelName", self.formula.model)
        return model

    def _reason(self, rank: int) -> ET.Element:
        return element(
            "OutputField",
            name=self.names.new(f"reason_{rank}"),
            optype="categorical",
            dataType="string",
            feature="reasonCode",
            rank=rank,
        )

    def _decision(self, output: Output, name: str) -> ET.Element:
        """Write a decision value as a model of its own, which the models after it read."""
        result = element("Output", _predicted(name))
        # A mining schema has a field, also of a model that reads none.
        field = element("MiningField", name=self.targets[0], usageType="supplementary")
        further = () if output.terms else (field,)
        return model_of(output, self.formula.columns, self.names, *further, result=result)

    def _several(self) -> ET.Element:
        """Write a regression of several targets: a model for each; the last one gives out all results."""
        names = [self.names.new(f"prediction of {text}") for text in self.formula.output_texts]
        *others, last = zip(self.formula.outputs, self.decisions, self.targets, strict=True)
        parts = [
            model_of(output, self.formula.columns, self.names, _target(target),
                     result=element("Output", _predicted(name)))
            for output, name, target in others
        ]  # fmt: skip
        inner = self.decisions[:-1]
        results = [number_of(name, field(own)) for name, own in zip(names, inner, strict=False)]
        fields = [_target(last[2]), *(element("MiningField", name=name) for name in inner)]
        result = element("Output", *results, _predicted(names[-1]))
        parts.append(model_of(last[0], self.formula.columns, self.names, *fields, result=result))
        return self._chain("regression", parts)

    def _chain(self, function: str, models: Sequence[ET.Element]) -> ET.Element:
        """Join models, each of which reads the results of those before it."""
        schema = map(_target, self.targets)
        segments = [
            element("Segment", element("True"), model, id=place + 1) for place, model in enumerate(models)
        ]
        return element(
            "MiningModel",
            element("MiningSchema", *schema, *map(mining_field, self.formula.columns)),
            element("Segmentation", *segments, multipleModelMethod="modelChain"),
            modelName=self.formula.model,
            functionName=function,
        )


def _target(name: str) -> ET.Element:
    return element("MiningField", name=name, usageType="target")


def _predicted(name: str) -> ET.Element:
    return element("OutputField", name=name, optype="continuous", dataType="double", feature="predictedValue")
