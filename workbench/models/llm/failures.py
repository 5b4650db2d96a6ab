"""What went wrong with a call to a model, in one sentence that names the cause and the remedy.

Errors are distinguished by what they carry (an HTTP status, a refused connection, a bad certificate), not by which
library raised them, so every LlamaIndex LLM gets the same sentences.  No part of a key ever appears in one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

import regex

from workbench.core import shorten
from workbench.models.llm.endpoint import NO_CREDIT, NO_MODEL, RETRYABLE, is_host_failure, retry_after
from workbench.models.llm.retrying import CallError, TimedOutError

REPLY_LIMIT = 160
"""Characters of the server's own message that a sentence repeats."""
KEYLIKE = regex.compile(r"(?i)\bbearer\s+\S+|\b(?:sk|pk|gsk|hf|xai|key|AIza)[-_][\w.*-]{6,}|\b\w{40,}\b")
TOO_LONG = regex.compile(
    r"(?i)context[_ ](?:length|window|size)|maximum context|too many (?:input )?tokens|(?:prompt|input) is too long"
    r"|(?:longer|more) than the (?:model|maximum)|exceeds? (?:the )?(?:model|max|available|context)"
)


@dataclass(frozen=True, slots=True)
class CallTarget:
    """The model that was called and where it is, as a sentence names them.

    `key` is the name of the environment variable with the key, "" where none is sent; `hidden` are texts that must not
    be repeated; `compatible`: it speaks OpenAI's protocol.
    """

    model: str
    where: str
    key: str = ""
    hidden: tuple[str, ...] = field(default=(), repr=False)
    compatible: bool = True

    @property
    def name(self) -> str:
        """“MODEL” at WHERE, both shortened."""
        return f"“{shorten(self.model)}” at {shorten(self.where, 100)}"

    def clean(self, text: str) -> str:
        """`text` on one short line without anything that is or looks like a key."""
        return shorten(KEYLIKE.sub("…", self.without_keys(text)), REPLY_LIMIT).rstrip(".")

    def without_keys(self, text: str) -> str:
        """`text`, such as an answer that is stored, without the key that was sent, should a model repeat it."""
        for secret in self.hidden:
            if secret:
                text = text.replace(secret, "…")
        return text


def explain(error: BaseException, target: CallTarget) -> CallError:
    """The failure that `error` means, for a call to `target`."""
    chain = tuple(_chain(error))
    for one in chain:
        if isinstance(one, CallError):
            return one
    status = status_of(error)
    if status is not None:
        return _refusal(status, _clean_reply(error, target), _wait_seconds(chain), target)
    return (
        _connection_failure(chain, target)
        or _malformed_reply(chain, target)
        or CallError(f"{target.name} failed: {target.clean(_message(error))}; test the model on the Settings screen.")
    )


def reply_text(error: BaseException) -> str:
    """Everything that the server replied, to search for what it refuses. Never show it: it may repeat a key."""
    return f"{_message(error)} {getattr(error, 'body', '')}"


def status_of(error: BaseException) -> int | None:
    """The HTTP status behind `error`, None where there is none."""
    return next((code for code in map(_status, _chain(error)) if code is not None), None)


def _refusal(status: int, reply: str, wait_seconds: float | None, target: CallTarget) -> CallError:
    """The sentence for an HTTP status that is not a success."""
    words = f" It said: {reply}." if reply else ""
    host_failed = is_host_failure(status, reply)
    if status in (401, 403):
        if target.key:
            remedy = f"refused the key ({status}); set the environment variable {target.key} to a valid one"
        else:
            remedy = f"needs a key ({status}); name the environment variable that holds it"
        return CallError(f"{target.name} {remedy}.")
    if status in (400, 413, 422) and TOO_LONG.search(reply):
        return CallError(
            f"The prompt is longer than {target.name} can read; give fewer passages (a smaller k), "
            f"or a model with a longer context.{words}"
        )
    if NO_MODEL.search(reply):
        sentence = f"There is no model {target.name}; type the name as that server lists it.{words}"
        return CallError(sentence, host_failed=host_failed)
    if status == HTTPStatus.NOT_FOUND:
        return CallError(
            f"There is nothing at {target.where} that answers chats (404), or no model “{shorten(target.model)}”; "
            f"check the address, which often ends in /v1, and the model's name.{words}",
            host_failed=host_failed,
        )
    if status == HTTPStatus.TOO_MANY_REQUESTS and NO_CREDIT.search(reply):
        return CallError(f"The account has no credit left for {target.name}; add some at the provider.{words}")
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        sentence = f"{target.name} takes no more requests for now (429); wait, or lower the concurrency.{words}"
        return CallError(sentence, retryable=True, wait_seconds=wait_seconds, host_failed=host_failed)
    if status in RETRYABLE:
        return CallError(
            f"{target.name} has an internal error ({status}); try later, or check that server's log.{words}",
            retryable=True,
            wait_seconds=wait_seconds,
            host_failed=host_failed,
        )
    return CallError(f"{target.name} refused the request ({status}); check the model's parameters.{words}")


def _connection_failure(chain: tuple[BaseException, ...], target: CallTarget) -> CallError | None:
    """The sentence where the connection gave no complete answer, None where it did."""
    for one in chain:
        if isinstance(one, TimedOutError):
            return _timeout(one, target)
    kinds = {kind.__name__ for one in chain for kind in type(one).__mro__}
    text = " ".join(map(str, chain)).lower()
    for names, words, sentence, may_pass in BROKEN:
        if kinds & names or (words and words in text):
            return CallError(
                sentence.format(where=target.where, name=target.name), retryable=may_pass, host_failed=True
            )
    return None


CUT_OFF = "The connection to {name} broke off within the answer; try again."
BROKEN: tuple[tuple[frozenset[str], str, str, bool], ...] = (
    (frozenset(("SSLCertVerificationError",)), "certificate verify failed",
     "The certificate of {where} is not trusted; if it is your own, set SSL_CERT_FILE to the file of the authority "
     "that signed it.", False),
    (frozenset(("SSLError",)), "",
     "{where} does not speak TLS; check whether it begins with http:// or https://.", False),
    (frozenset(("gaierror",)), "name or service not known",
     "The host of {where} is not known on this network; check the address and the connection.", False),
    (frozenset(("ConnectionRefusedError",)), "connection refused",
     "Nothing listens at {where}; start the server there, or correct the address.", False),
    (frozenset(("ConnectTimeout",)), "",
     "{where} cannot be reached in time; check the address and the network.", False),
    (frozenset(("TimeoutException", "TimeoutError", "APITimeoutError")), "",
     "{name} gave no answer in time; try a smaller model or a longer timeout.", False),
    (frozenset(("RemoteProtocolError", "ReadError", "ConnectionError", "IncompleteRead", "ChunkedEncodingError")), "",
     CUT_OFF, True),
    (frozenset(("ConnectError", "NetworkError", "APIConnectionError")), "",
     "{where} cannot be reached; check the address and the network.", True),
)  # fmt: skip
"""By the names of the errors' classes, or words in them: the sentence, and whether another attempt may succeed."""


def _timeout(error: TimedOutError, target: CallTarget) -> CallError:
    if error.in_total:
        return CallError(
            f"{target.name} did not finish within {error.seconds:g} s; ask for fewer tokens, or allow more time."
        )
    return CallError(
        f"{target.name} was silent for {error.seconds:g} s; "
        "check whether the server is overloaded, or allow more time.",
        host_failed=True,
    )


def cut_off(target: CallTarget) -> CallError:
    """The failure of a connection that broke off within an answer."""
    return CallError(CUT_OFF.format(name=target.name), retryable=True, host_failed=True)


def _malformed_reply(chain: tuple[BaseException, ...], target: CallTarget) -> CallError | None:
    """The sentence where the reply does not have the agreed form, None where that is not the cause."""
    if any(isinstance(one, json.JSONDecodeError | UnicodeDecodeError) for one in chain):
        return CallError(
            f"{target.name} sent no JSON; check that it is an OpenAI-compatible server, and read its log.",
            retryable=True,
        )
    if any(isinstance(one, IndexError) for one in chain):
        return empty_answer(target)
    if target.compatible and any(isinstance(one, AttributeError | TypeError | KeyError) for one in chain):
        return CallError(
            f"{target.where} is not an OpenAI-compatible server; check the address, which often ends in /v1."
        )
    return None


def empty_answer(target: CallTarget) -> CallError:
    """The failure of a reply without text."""
    return CallError(
        f"{target.name} gave an empty answer; try again, or use another model.", retryable=True, empty=True
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """`error` and what caused it, outermost first."""
    visited: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in visited:
        visited.add(id(one))
        yield one
        one = one.__cause__ or one.__context__


def _status(error: BaseException) -> int | None:
    code = getattr(error, "status_code", None)
    if not isinstance(code, int):
        code = getattr(getattr(error, "response", None), "status_code", None)
    return code if isinstance(code, int) and code >= HTTPStatus.BAD_REQUEST else None


def _clean_reply(error: BaseException, target: CallTarget) -> str:
    """The server's own message without keys, on one short line; "" where it is a web page."""
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        message = body.get("message") or body.get("detail") or body.get("error") or ""
        code = body.get("code")
        joined = f"{message} ({code})" if message and isinstance(code, str) else str(message or code or "")
        return target.clean(joined)
    text = _message(error)
    return "" if "<html" in text.lower() else target.clean(text)


def _message(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _wait_seconds(chain: tuple[BaseException, ...]) -> float | None:
    """Seconds that the server asks to wait, None where it does not state any."""
    for one in chain:
        headers = getattr(getattr(one, "response", None), "headers", None)
        if headers is not None:
            return retry_after(headers)
    return None
