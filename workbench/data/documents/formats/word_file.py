"""Word files (.docx) by mammoth: paragraphs, tables and notes under their headings; macros are never run.

Where pages begin is up to the printer, so passages are cited by their heading.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core import shorten
from workbench.data.documents.document_parts import DocumentStart, FileRequest, Part, ReadingWarning
from workbench.data.documents.formats.markup_blocks import markup_tree, sections
from workbench.data.documents.formats.office_facts import has_macros, title_of
from workbench.data.documents.formats.zip_limits import check_parts, open_zip

STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => h2:fresh
"""


def read_word(request: FileRequest) -> Iterator[Part]:
    """Yields a .docx file's text under its headings. Raises DataError for a damaged file or one with a password."""
    import mammoth

    with open_zip(request) as archive:
        check_parts(request, archive)
        title = title_of(request, archive)
        macros = has_macros(archive)
    with request.path.open("rb") as file:
        try:
            html = mammoth.convert_to_html(
                file,
                style_map=STYLES,
                convert_image=mammoth.images.img_element(lambda _image: {}),
                ignore_empty_paragraphs=True,
            ).value
        except Exception as error:  # mammoth raises what its XML and zip readers raise, and KeyErrors of its own
            raise request.error(f"is not a complete Word file ({shorten(error)})", "save it again") from error
    yield DocumentStart(request.name, title)
    if macros:
        yield ReadingWarning(request.name, "macros", f"{request.name} contains macros, which are not run.")
    tree = markup_tree(html.encode("utf-8")) if html else None
    if tree is not None:
        yield from sections(tree)
