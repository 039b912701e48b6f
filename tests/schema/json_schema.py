# SPDX-License-Identifier: Apache-2.0
"""JSON Schema (draft 2020-12), as much of it as docs/schema has use for; any other keyword is an error."""
import re

KEYWORDS = {"$schema", "$id", "$ref", "$defs", "title", "description", "type", "properties", "required", "additionalProperties",
            "items", "enum", "anyOf", "pattern"}
TYPES = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def of_members(value, schema, root, path):
    for key in schema.get("required", ()):
        if key not in value:
            yield "%s has no %s" % (path, key)
    others = schema.get("additionalProperties", True)
    for key, member in value.items():
        rule = schema.get("properties", {}).get(key, others)
        if rule is False:
            yield "%s has %s, which the schema does not know" % (path, key)
        elif rule is not True:
            yield from faults(member, rule, root, "%s.%s" % (path, key))


def of_choices(value, choices, root, path):
    """The faults of the choice that is nearest, if none of them fits."""
    tried = [list(faults(value, choice, root, path)) for choice in choices]
    if all(tried):
        yield from min(tried, key=len)


def faults(value, schema, root, path="$"):
    """What is wrong with a value, a text each."""
    unknown = set(schema) - KEYWORDS
    if unknown:
        raise ValueError("keywords that are not checked: %s" % ", ".join(sorted(unknown)))
    if "$ref" in schema:
        yield from faults(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, path)
    if "anyOf" in schema:
        yield from of_choices(value, schema["anyOf"], root, path)
    if "enum" in schema and value not in schema["enum"]:
        yield "%s is %r, none of %r" % (path, value, schema["enum"])
    types = schema.get("type", list(TYPES))
    if not any(TYPES[name](value) for name in ([types] if isinstance(types, str) else types)):
        yield "%s is %r, not of type %s" % (path, value, types)
        return
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        yield "%s is %r, not of the form %s" % (path, value, schema["pattern"])
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from faults(item, schema["items"], root, "%s[%d]" % (path, number))
    if isinstance(value, dict):
        yield from of_members(value, schema, root, path)
