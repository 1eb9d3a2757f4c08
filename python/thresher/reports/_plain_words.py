"""What the certificate of a model proves, in plain words."""

from __future__ import annotations

from ..formatting.numbers import format_count, format_gap
from ..results.certificate import Certificate
from ..results.l0_certificate import L0Certificate
from ..results.subset_certificate import SubsetCertificate

_OBJECTIVE = "the objective (errors on the training rows plus the penalty for size)"
_OTHER_ROWS = "This says nothing about other rows: held-out rows do."
_OPTIMAL = 1e-6  # relative gap that is said in words


def plain_words(certificate: Certificate | SubsetCertificate | L0Certificate | None) -> str:
    """Say in plain words what a certificate proves, with its numbers.

    Parameters
    ----------
    certificate : Certificate, SubsetCertificate, L0Certificate or None
        The certificate; None of a model without one.

    Returns
    -------
    str
        Two or three sentences.

    Examples
    --------
    >>> print(plain_words(Certificate(1.0, 0.99, 0.01, 0.01, 1e-6, 1326, 812, 7, 0.21, False)))
    There are 1,326 possible rules about these columns, and whichever of them one takes, with whatever \
effects, the objective (errors on the training rows plus the penalty for size) is at most about 1 % lower \
than here. This says nothing about other rows: held-out rows do.
    """
    if isinstance(certificate, SubsetCertificate):
        return f"{_exchanges(certificate)} {_OTHER_ROWS}"
    if isinstance(certificate, Certificate):
        count, noun = format_count(certificate.n_candidates), certificate.candidate_noun
        about = f"{noun} about these columns" if noun == "rules" else noun
        told = f"There are {count} possible {about}, and whichever of them one takes, with whatever effects, "
        told += f"{_OBJECTIVE} is at most {_gap(certificate.relative_gap)} lower than here."
        if certificate.is_relaxed:
            told += " Here is the L1 solution that selected the terms; their effects were relaxed."
        return f"{told} {_OTHER_ROWS}"
    if certificate is None or not certificate.has_bound or certificate.relative_gap >= 1.0:
        return (
            "Nothing is proved about other models: one with a lower objective may exist. Held-out rows say "
            "how well this one predicts."
        )
    choice = "bins of these columns one takes, with whatever values"
    if certificate.term_noun == "coefficient":
        choice = "of these columns one takes, with whatever coefficients"
    told = f"Whichever {choice}, {_OBJECTIVE} is at most {_gap(certificate.relative_gap)} lower than here"
    unknown = "" if certificate.is_optimal else ", if at all"
    return f"{told}{unknown}. {_OTHER_ROWS}"


def _exchanges(certificate: SubsetCertificate) -> str:
    noun, told = certificate.candidate_noun, ""
    one = noun.removesuffix("s")
    if certificate.is_swap_optimal and certificate.n_terms:
        told = (
            f"Whichever {one} of the model one replaces by another of the "
            f"{format_count(certificate.n_candidates)} possible {noun} that costs no more, with the best "
            "effects for all, the objective (errors on the training rows plus a ridge penalty) is not lower. "
        )
    elif certificate.n_terms:
        told = f"Another {one} in the place of one of the model may lower the objective. "
    if certificate.relative_gap < 1.0:
        gap = _gap(certificate.relative_gap)
        return f"{told}No model that costs as much has an objective lower by more than {gap}."
    return f"{told}How much lower it is for other models that cost as much is not known."


def _gap(relative_gap: float) -> str:
    return "a millionth" if relative_gap <= _OPTIMAL else f"about {format_gap(relative_gap)}"
