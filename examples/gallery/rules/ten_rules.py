"""
Ten rules for breast cancer
===========================

A model that fits on a slide: the best ten rules, of 85,000, that tell malignant tumours from benign
ones.
"""
# sphinx_gallery_thumbnail_number = -1

from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from thresher import RuleClassifier

data = load_breast_cancer(as_frame=True)
diagnosis = data.target.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(
    data.data, diagnosis, test_size=0.4, random_state=0, stratify=diagnosis
)

model = RuleClassifier(
    max_rules=10,
    max_features=2,
    min_support=0.05,
    linear=False,
    bins=5,
    pos_label="malignant",
).fit(X_train, y_train)
model.summary()

# %%
# Each rule adds its effect to the log-odds of ``pos_label``, here of a malignant tumour.
# ``min_support=0.05`` asks for rules that hold for at least one patient in twenty, so that no rule is about
# a handful of people. The table ends with what is proved: whether any exchange of a rule for another would
# improve the model.
#
# On patients that the model has not seen:

probability = model.predict_proba(X_test)[:, list(model.classes_).index("malignant")]
print(
    f"accuracy {model.score(X_test, y_test):.3f}, area under the ROC curve "
    f"{roc_auc_score(y_test == 'malignant', probability):.3f}"
)

# %%
# A prediction is a sum that anybody can check. This is the first patient of the test set:

model.explain(X_test.head(1))[0]

# %%
# The rules as a picture: effect, and the fraction of the patients for whom a rule holds.

model.plot_rules()
