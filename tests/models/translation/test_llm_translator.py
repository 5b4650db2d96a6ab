"""Translation by any language model."""

import pytest

from workbench.core.errors import GenerationFailed, TranslationFailed
from workbench.core.records import Generation
from workbench.models.translation.model_translators import Completer, LlmTranslator


class Model(Completer):
    """Answers with the document backwards, or with `answer`; records its prompts."""

    def __init__(self, answer: str | None = None) -> None:
        self.prompts: list[tuple[str, str]] = []
        self.answer = answer

    def complete(self, system: str, user: str) -> Generation:
        self.prompts.append((system, user))
        return Generation(document_of(user)[::-1] if self.answer is None else self.answer, finish="stop")


class ShortModel(Model):
    """A model that writes at most `most` characters."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def complete(self, system: str, user: str) -> Generation:
        whole = super().complete(system, user).text
        return Generation(whole[: self.most], finish="length" if len(whole) > self.most else "stop")


def document_of(user: str) -> str:
    """The document in a prompt."""
    return user.split("#Document:\n")[1].removesuffix("\n#Translation:")


def test_the_prompt_names_both_languages_and_holds_the_document() -> None:
    model = Model()
    translation = LlmTranslator(model, "fake").translate(["Der See"], "de", "en")[0]
    system, user = model.prompts[0]
    assert "from German to English" in system
    assert "#Document:\nDer See\n" in user
    assert (translation.text, translation.kind) == ("eeS reD", "model")


def test_braces_in_a_document_stay_as_they_are() -> None:
    model = Model()
    LlmTranslator(model, "fake").translate(["{target} {source} {text} ist ein Satz"], "de", "en")
    assert "#Document:\n{target} {source} {text} ist ein Satz\n" in model.prompts[0][1]


def test_a_long_text_is_sent_in_chunks_that_end_with_sentences() -> None:
    model = Model()
    LlmTranslator(model, "fake", limit=30).translate(["Erster Satz. Zweiter Satz. Dritter Satz."], "de", "en")
    documents = [user.split("#Document:\n")[1].split("\n#")[0] for _, user in model.prompts]
    assert documents == ["Erster Satz. Zweiter Satz.", "Dritter Satz."]


@pytest.mark.parametrize("answer", ["", "  \n", "Der See ist sehr tief und die Boote sind alt."])
def test_nothing_or_the_text_itself_is_a_failure(answer: str) -> None:
    with pytest.raises(TranslationFailed, match=r"The language model gave .* translation .*to English"):
        LlmTranslator(Model(answer), "fake").translate(["Der See ist sehr tief und die Boote sind alt."], "de", "en")


def test_a_failing_model_is_a_failed_translation() -> None:
    class Broken(Model):
        def complete(self, system: str, user: str) -> Generation:
            raise GenerationFailed("The endpoint answered nothing; try again.")

    with pytest.raises(TranslationFailed, match="The endpoint answered nothing"):
        LlmTranslator(Broken(), "fake").translate(["Der See"], "de", "en")


def test_a_translation_that_is_cut_is_asked_for_again_in_smaller_pieces() -> None:
    sentences = [f"Satz Nummer {number} steht hier für sich allein und ist lang." for number in range(8)]
    model = ShortModel(most=150)
    (translation,) = LlmTranslator(model, "fake").translate([" ".join(sentences)], "de", "en")
    assert sorted(translation.text.replace(" ", "")) == sorted("".join(sentences).replace(" ", ""))
    assert all(sentence[::-1] in translation.text for sentence in sentences)
    assert len(document_of(model.prompts[0][1])) > 150  # the first call was cut


def test_a_translation_that_stays_cut_is_a_failure() -> None:
    with pytest.raises(TranslationFailed, match=r"reached its token limit before it had translated “.+”; choose"):
        LlmTranslator(ShortModel(most=3), "fake").translate(["Der See ist tief. " * 40], "de", "en")


def test_the_identity_follows_model_and_limit() -> None:
    identities = {LlmTranslator(Model(), name, limit=limit).identity for name in ("a", "b") for limit in (10, 20)}
    assert len(identities) == 4


def test_nothing_is_asked_where_there_is_nothing_to_translate() -> None:
    model = Model()
    translator = LlmTranslator(model, "fake")
    assert [one.text for one in translator.translate(["Der See"], "de", "de")] == ["Der See"]
    assert [one.text for one in translator.translate(["1895 – 1901"], "de", "en")] == ["1895 – 1901"]
    assert model.prompts == []
