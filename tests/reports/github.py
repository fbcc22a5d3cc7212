"""Checks what GitHub's code scanning demands of a SARIF file (its documentation, "SARIF support for
code scanning"): github.py FILE. GitHub refuses files that lack one of these, or does not show
them."""
import json, re, sys
from urllib.parse import urlparse

log = json.load(open(sys.argv[1]))
assert log["$schema"] and log["version"] == "2.1.0"
assert 1 <= len(log["runs"]) <= 20
# GitHub refuses two runs of one category in one file.
kinds = [run["automationDetails"]["id"] for run in log["runs"] if "automationDetails" in run]
assert len(set(kinds)) == len(kinds) and all(kind.endswith("/") for kind in kinds)
for run in log["runs"]:
    assert run["columnKind"] == "unicodeCodePoints"
    driver = run["tool"]["driver"]
    assert driver["name"] and driver["version"] and driver["semanticVersion"]
    # Links on the page of code scanning must lead to the web.
    assert urlparse(driver.get("informationUri", "https:")).scheme == "https"
    rules = driver["rules"]
    assert 1 <= len(rules) <= 25000 and len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        for text in rule["shortDescription"], rule["fullDescription"], rule["help"]:
            assert 0 < len(text["text"]) <= 1024, rule
        assert rule["name"].lower() != rule["id"]  # GitHub shows the name; SARIF 3.49.7
        assert len(rule["name"]) <= 255 and len(rule["properties"]["tags"]) <= 20
        assert urlparse(rule.get("helpUri", "https:")).scheme == "https"
        assert rule["help"]["markdown"].startswith(rule["help"]["text"]) and rule["id"] in (
            rule["help"]["markdown"]
        )
        assert rule["properties"]["precision"] in ("very-high", "high", "medium", "low")
    base = run["originalUriBaseIds"]["SRCROOT"]["uri"]
    assert base.startswith("file:///") and base.endswith("/")
    assert len(run["results"]) <= 25000
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] and result["message"]["text"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert len(result["locations"]) == 1 and len(result["relatedLocations"]) < 1000
        for place in result["locations"] + [
            p for p in result["relatedLocations"] if "physicalLocation" in p
        ]:
            file = place["physicalLocation"]["artifactLocation"]
            assert file["uri"] and (
                urlparse(file["uri"]).scheme == "file" or file["uriBaseId"] == "SRCROOT"
            ), file
            assert "\\" not in file["uri"] and " " not in file["uri"]
            assert place["physicalLocation"]["region"]["startLine"] >= 1
        for place in result["locations"] + result["relatedLocations"]:
            region = place.get("physicalLocation", {}).get("region", {})
            assert region.get("endColumn", 2) > region.get("startColumn", 1) >= 1
        # GitHub shows related places only if the message links them.
        links = re.findall(
            r"(?<!\\)\[((?:[^\[\]]|\\[\[\]])+)\]\((\d+)\)", result["message"]["text"]
        )
        places = [p["id"] for p in result["relatedLocations"] if "physicalLocation" in p]
        assert [int(number) for _, number in links] == [p for p in places if p <= 20], links
        assert result["partialFingerprints"]["primaryLocationLineHash"]
    marks = [result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]]
    assert len(set(marks)) == len(marks)
    print(
        len(run["results"]),
        *sorted(
            {
                place["physicalLocation"]["artifactLocation"]["uri"]
                for result in run["results"]
                for place in result["locations"]
            }
        )
    )
