import json

from sdd_hooks.text.json_document import json_document


def test_json_document_is_one_object_with_its_schema_version_first():
    text = json_document({"name": "é\udce9", "list": [1]})
    assert list(json.loads(text)) == ["schema_version", "name", "list"]
    assert json.loads(text)["schema_version"] == 1
    assert text.isascii()
    assert text.endswith("}\n")
