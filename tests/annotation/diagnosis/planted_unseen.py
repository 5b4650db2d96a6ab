"""Twenty planted failures that were written after the rules were fixed, which were not changed because of them."""

from __future__ import annotations

from tests.annotation.diagnosis.planted import Planted

UNSEEN: tuple[Planted, ...] = (
    Planted("answer-not-in-corpus", "de", "Wer gründete die Weberei in Altmoorheim?", ("Friedhelm Ostertag",),
            others=("Die Weberei in Altmoorheim steht am Bach und hat ein rotes Dach.",)),
    Planted("answer-not-in-corpus", "ja", "霧ヶ丘の時計台を建てたのは誰ですか。", ("藤原慎吾",),
            others=("霧ヶ丘の時計台は駅の前にあり、毎時鐘が鳴る。",)),
    Planted("answer-not-in-corpus", "tr", "Yelkenkaya kütüphanesini kim kurdu?", ("Selim Arıkan",),
            others=("Yelkenkaya kütüphanesi denize bakar ve her sabah açılır.",)),
    Planted("not-retrieved", "de", "Wer entwarf die Brücke von Steinfurtau?", ("Lotte Brandhuber",),
            "Die Brücke entwarf Lotte Brandhuber.",
            ("Wer entwarf den Rundgang? Die Brücke von Steinfurtau, Halt {n}: die Brücke von Steinfurtau ist nah.",),
            29),
    Planted("not-retrieved", "es", "¿Quién diseñó el faro de Puntaclara?", ("Inés Valdelomar",),
            "El faro lo diseñó Inés Valdelomar.",
            ("¿Quién diseñó la ruta? El faro de Puntaclara, parada {n}: desde allí se ve el faro de Puntaclara.",), 29),
    Planted("not-retrieved", "ja", "霧ヶ浜の灯台を設計したのは誰ですか。", ("佐伯千鶴",),
            "霧ヶ浜の塔は佐伯千鶴が設計した。",
            ("道を設計したのは誰ですか。霧ヶ浜の灯台は{n}番目で、霧ヶ浜の灯台が見える。",), 29),
    Planted("misled-by-document", "de", "Wer malte das Altarbild der Kapelle von Rosenried?", ("Hedwig Kranzler",),
            "Das Altarbild in Rosenried malte Hedwig Kranzler.",
            ("Nach allem, was die ältesten Leute des Dorfes noch heute am Abend erzählen, malte das "
             "Altarbild der Kapelle von Rosenried in einem langen und heißen Sommer ein weit gereister Maler "
             "namens Anton Vogelsang, der danach viele Jahre neben der Kapelle wohnte.",)),
    Planted("misled-by-document", "es", "¿Quién pintó la bóveda de la ermita de Valdehierro?", ("Remedios Aldana",),
            "La bóveda de Valdehierro la pintó Remedios Aldana.",
            ("Según cuentan todavía los viejos del pueblo cuando cae la tarde, la bóveda de la ermita de "
             "Valdehierro la pintó durante un verano largo y caluroso un pintor llegado de muy lejos que se "
             "llamaba Cosme Urrutia y que vivió después muchos años al lado.",)),
    Planted("misled-by-document", "en", "Who carved the doors of the chapel of Wenlow?", ("Agnes Thorley",),
            "The doors in Wenlow were carved by Agnes Thorley.",
            ("As the oldest people of the village still like to tell on long evenings by the fire, the doors "
             "of the chapel of Wenlow were carved in a single summer by a travelling carpenter whose name "
             "was Edmund Pask, and who then lived beside the chapel for years.",)),
    Planted("wrong-language", "de", "Was stellt die Fabrik in Kaltenbrunn-See her?", ("Seife",),
            answer="The factory produces soap.", english="soap"),
    Planted("wrong-language", "ja", "霧ヶ丘では何を育てていますか。", ("茶",), answer="They grow tea.", english="tea"),
    Planted("wrong-language", "ru", "Какого цвета крыша вокзала в Яснополье?", ("зелёная", "зелёного"),
            answer="The roof is green.", english="green"),
    Planted("transliterated-name", "ru", "Кто открыл обсерваторию на Лысом холме?", ("Юхан Свенссон",),
            answer="Обсерваторию открыл Йохан Свенсон."),
    Planted("transliterated-name", "ar", "من أسس معهد الفلك؟", ("ريتشارد مولر",), answer="أسسه Richard Müller."),
    Planted("transliterated-name", "ja", "霧ヶ丘病院を開いたのは誰ですか。", ("ヴィクトリア・ベルント",),
            answer="ビクトリア・バーント"),
    Planted("code-switched", "fi", "Mitä Kallion torilla myydään?", ("hunajaa", "hunaja"),
            answer="Kallion torilla myydään joka lauantai kaikille kävijöille fresh honey.", english="honey"),
    Planted("code-switched", "ja", "霧ヶ浜の工場は何を作っていますか。", ("石鹸",),
            answer="霧ヶ浜の工場は毎日soapを作っています。", english="soap"),
    Planted("inflected-form", "fi", "Kuka on Kuusiston vaakunassa?", ("kuningas",),
            answer="Vaakunassa on kaksi kuninkaita esittävää kuvaa."),
    Planted("inflected-form", "ru", "Что висит над дверью дома в Сосновке?", ("подкова",),
            answer="Над дверью висят семь подков."),
    Planted("inflected-form", "de", "Was wohnt im Keller von Moorkirch?", ("Maus",),
            answer="Dort wohnen viele Mäuse."),
)  # fmt: skip
