"""Files as people have them, written for a test: a PDF file printed by Chromium, a DOCX file, a text file."""

from __future__ import annotations

import html
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FERRY = (
    "The ferry Aallotar crosses the strait of Kivisalmi four times a day between May and October. The crossing takes "
    "thirty-five minutes. Tickets are sold on board only, and bicycles travel free of charge. In strong wind from the "
    "north the captain may cancel a crossing, which is then announced on a board at the quay. Dogs are welcome on the "
    "upper deck. In winter a road over the ice replaces the ferry as soon as the ice is forty centimetres thick.",
    "The harbour of Kivisalmi was built in 1911 from the granite of a quarry nearby. Its breakwater is two hundred "
    "metres long. Coal was unloaded here until the railway came, and later timber for the paper mills on the other "
    "shore. Today most of the boats belong to people who come for the summer. A small museum in the old customs house "
    "shows nets, anchors and the logbooks of pilots. It is open on Sundays, and the guide speaks four languages. "
    "The lighthouse on the breakwater was designed by the engineer Hilda Rautavaara. Its light can be seen from "
    "eleven nautical miles away. A keeper lived in it until 1974, when the lamp became electric.",
)
"""One paragraph for each page."""
LIGHTHOUSE = "The lighthouse on the breakwater was designed by the engineer Hilda Rautavaara."
OBSERVATORY = (
    "L'observatoire de Montclair se trouve à mille huit cents mètres d'altitude. Il a été fondé par l'astronome Odile "
    "Ferrand. On y mesure la lumière des étoiles variables depuis quarante ans."
)
LIBRARY = (
    "Die Bücherei von Tannenbrück besitzt neuntausend Bände über den Bergbau. Sie wurde von dem Arzt Konrad Weißbach "
    "gestiftet. Geöffnet ist sie jeden Mittwoch und Samstag."
)
RIVER = (
    "يجري نهر الوادي الأخضر من الجبل إلى البحر. بنى المهندس سليم الحداد الجسر الحجري فوق النهر. "
    "يعبر المزارعون الجسر كل صباح إلى السوق القديم في المدينة."
)

CONTENT_TYPES = """<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
RELATIONS = """<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
 Target="word/document.xml"/></Relationships>"""
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def docx(path: Path, *paragraphs: str) -> Path:
    """Writes the smallest DOCX file with these paragraphs."""
    body = "".join(f"<w:p><w:r><w:t>{html.escape(text)}</w:t></w:r></w:p>" for text in paragraphs)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("[Content_Types].xml", CONTENT_TYPES)
        file.writestr("_rels/.rels", RELATIONS)
        file.writestr(
            "word/document.xml",
            f'<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
        )
    return path


def printed_pdf(browser: Browser, path: Path, *pages: str, lang: str = "en", direction: str = "ltr") -> Path:
    """Prints one page for each text."""
    body = '<div style="break-after: page"></div>'.join(f"<p>{html.escape(text)}</p>" for text in pages)
    page = browser.new_page()
    page.set_content(
        f'<html lang="{lang}" dir="{direction}"><head><meta charset="utf-8"><title>untitled</title></head>'
        f"<body style=\"font: 15pt 'Noto Naskh Arabic', 'Noto Serif', serif\">{body}</body></html>"
    )
    page.pdf(path=str(path))
    page.close()
    return path
