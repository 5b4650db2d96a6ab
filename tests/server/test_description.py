"""The API's description, its page and the figures."""

from __future__ import annotations

from typing import Any

import regex

from tests.server.running import NAME, RunningService
from workbench.server.worker_pool import ServeMetrics

LINE = regex.compile(r'(?:# (?:HELP|TYPE) mrag_\w+ .+|mrag_\w+(?:\{\w+="[^"]*"(?:,\w+="[^"]*")*\})? -?[\d.e+]+)')


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        here = {value["$ref"]} if "$ref" in value else set()
        return here.union(*map(references, value.values()))
    return set().union(*map(references, value)) if isinstance(value, list) else set()


def test_the_description_names_every_route_and_every_schema_it_uses(service: RunningService) -> None:
    description = service.get("/openapi.json").json()
    assert description["openapi"].startswith("3.1")
    assert set(description["paths"]) == {
        *("/v1/ask", "/v1/retrieve", "/v1/stream", "/v1/chat/completions", "/v1/models", "/health", "/metrics")
    }
    for path in ("/v1/ask", "/v1/retrieve", "/v1/stream", "/v1/chat/completions"):
        operation = description["paths"][path]["post"]
        assert references(operation["requestBody"]) <= {
            f"#/components/schemas/{name}Body" for name in ("Question", "Chat")
        }
        for status in ("400", "401", "413", "429", "502", "503", "504", "default"):
            assert references(operation["responses"][status]["content"]["application/json"]) == {
                "#/components/schemas/ErrorReply"
            }
        assert operation["security"] == [{"key": []}] and "422" not in operation["responses"]
    assert description["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    assert "security" not in description["paths"]["/health"]["get"]
    names = {reference.rpartition("/")[2] for reference in references(description)}
    assert names <= set(description["components"]["schemas"])
    assert description["components"]["schemas"]["ErrorReply"]["properties"].keys() == {"error"}
    assert (
        description["components"]["schemas"]["AskReply"]["properties"].keys()
        == service.post("/v1/ask", {"question": "Who invented radio?"}).json().keys()
    )


def test_the_page_of_the_description_loads_nothing_from_elsewhere(service: RunningService) -> None:
    response = service.get("/docs")
    assert response.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert "/v1/chat/completions" in response.text and NAME in response.text
    assert not regex.search(r"(?:src|href)=\"(?:https?:)?//", response.text)
    assert "<script" not in response.text


def test_the_models_are_the_recipe(service: RunningService) -> None:
    (model,) = service.get("/v1/models").json()["data"]
    assert (model["id"], model["object"]) == (NAME, "model")


def test_the_figures_are_in_prometheus_form_and_count_each_route(service: RunningService) -> None:
    name = 'mrag_requests_total{route="/v1/retrieve",status="200"}'
    before = service.figure(name)
    service.post("/v1/retrieve", {"question": "Who invented radio?"})
    response = service.get("/metrics")
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert [line for line in response.text.splitlines() if not LINE.fullmatch(line)] == []
    assert service.figure(name) == before + 1


def test_a_client_cannot_add_a_route_to_the_figures(service: RunningService) -> None:
    service.get('/made-up"} 1')
    assert "made-up" not in service.get("/metrics").text


def test_a_histogram_counts_each_request_in_every_class_that_holds_it() -> None:
    metrics = ServeMetrics()
    for seconds in (0.01, 0.3, 500.0):
        metrics.count("/v1/ask", 200, seconds)
    text = metrics.text()
    assert 'mrag_request_seconds_bucket{le="0.05",route="/v1/ask",status="200"} 1.0\n' in text
    assert '_bucket{le="0.5",route="/v1/ask",status="200"} 2.0\n' in text
    assert '_bucket{le="120.0",route="/v1/ask",status="200"} 2.0\n' in text
    assert '_bucket{le="+Inf",route="/v1/ask",status="200"} 3.0\n' in text
    assert 'mrag_request_seconds_count{route="/v1/ask",status="200"} 3.0\n' in text


def test_what_is_turned_away_does_not_make_answers_look_quicker() -> None:
    metrics = ServeMetrics()
    metrics.count("/v1/ask", 429, 0.001)
    metrics.count("/v1/ask", 200, 4.0)
    text = metrics.text()
    assert 'mrag_request_seconds_bucket{le="0.05",route="/v1/ask",status="200"} 0.0\n' in text
    assert 'mrag_request_seconds_sum{route="/v1/ask",status="200"} 4.0\n' in text
    assert 'mrag_request_seconds_count{route="/v1/ask",status="429"} 1.0\n' in text
