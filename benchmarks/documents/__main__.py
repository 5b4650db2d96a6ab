"""Documents, measured: `python -m benchmarks.documents [--no-ocr] [--large MB]`.

1. Own texts in 13 languages, printed to PDF by headless Chromium, LibreOffice and fpdf2: the share of words (characters
   for th, zh, ja) that come back in order. The goal is .98 in each language for Chromium.
2. Text layers broken in 19 ways: how many are noticed; and how many pages as printed are taken for broken.
3. Where Tesseract is installed: the same texts as images, recognised.
4. With --large: a text file of so many megabytes is streamed, with the most memory that its reader took.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from html import escape
from pathlib import Path

from benchmarks.documents.breaking_layers import LAYERS, broken_layer
from benchmarks.documents.printing import CALLIGRAPHIC, PRINTERS, print_by_chromium, texts, web_page
from benchmarks.documents.recovering import OFF, read, recovered
from workbench.data.documents.isolated_reading import (
    DocumentStart,
    FileRequest,
    IsolatedReader,
    OcrRequest,
    PageMark,
    ReadingWarning,
)
from workbench.data.documents.pdf import pdf_file
from workbench.data.documents.pdf.pdf_pages import PageFacts, page_fault

GOAL = 0.98
LINE = b"The harbour office keeps a list of every boat that enters the bay, with the name of its owner.\n"


def printed(reader: IsolatedReader, folder: Path) -> int:
    """Prints the table of shares; returns how many languages miss the goal by Chromium."""
    missed = alarms = pages = 0
    print("| printed by | " + " | ".join(texts()) + " |\n| --- |" + " --- |" * len(texts()))
    for name, printer in PRINTERS.items():
        place = folder / name
        place.mkdir()
        files = printer(place)
        shares = {}
        for code, path in files.items():
            text, warnings = read(reader, path)
            shares[code] = recovered(texts()[code], text)
            pages += 1
            alarms += bool(warnings) and shares[code] >= GOAL
        if not files:
            print(f"| {name}: not on this machine |")
            continue
        print(f"| {name} | " + " | ".join(f"{shares[code]:.3f}" if code in shares else "–" for code in texts()) + " |")
        if name == "Chromium":
            missed = sum(share < GOAL for share in shares.values())
    files = print_by_chromium({"nastaliq": web_page("ur", font=CALLIGRAPHIC)}, folder)
    if files:
        text, warnings = read(reader, files["nastaliq"])
        noticed = "noticed" if warnings else "not noticed"
        print(f"Urdu in Nastaliq, by Chromium: {recovered(texts()['ur'], text):.3f} ({noticed})")
    print(f"Sound pages taken for broken: {alarms} of {pages}.")
    return missed


def layers(reader: IsolatedReader, folder: Path) -> int:
    """Prints which broken layers are noticed in files that Chromium printed; returns how many are not."""
    places = {f"layer-{number}": name for number, name in enumerate(LAYERS)}
    pages = {place: web_page(LAYERS[name][1], f"<p>{escape(broken_layer(name))}</p>") for place, name in places.items()}
    files = print_by_chromium(pages, folder)
    unnoticed = []
    for place, path in files.items():
        name = places[place]
        if name.startswith("font"):
            # No such font is free: the page is judged by its name.
            fault = page_fault(PageFacts(broken_layer(name), ("KrutiDev010",)))
            message = fault.message if fault else ""
        else:
            _, warnings = read(reader, path)
            message = warnings[0].message.partition("page 1 ")[2] if warnings else ""
        print(f"  {name}: {message or 'NOT NOTICED'}")
        unnoticed += [] if message else [name]
    print(f"Broken text layers noticed: {len(files) - len(unnoticed)} of {len(files)}.")
    return len(unnoticed)


def recognition(reader: IsolatedReader, folder: Path) -> None:
    """Prints what Tesseract makes of the same texts as images."""
    if missing := pdf_file.missing_for(()):
        print(missing)
        return
    files = print_by_chromium({f"scan-{code}": web_page(code) for code in texts()}, folder)
    shares = []
    for code in texts():
        if f"scan-{code}" not in files:
            continue
        if missing := pdf_file.missing_for((code,)):
            shares.append(f"{code} – ")
            continue
        path = as_images(files[f"scan-{code}"])
        by_layer = recovered(texts()[code], read(reader, path, OFF)[0])
        by_image = recovered(texts()[code], read(reader, path, OcrRequest("missing", (code,)))[0])
        by_script = recovered(texts()[code], read(reader, path, OcrRequest("missing"))[0])
        shares.append(f"{code} {by_layer:.2f} → {by_image:.2f} ({by_script:.2f})")
    print("Scans, without OCR → with the language given (language by the script that is seen):\n  " + ", ".join(shares))


def as_images(path: Path) -> Path:
    """The file with its pages as images: a scan without dust."""
    import pypdfium2

    images = [page.render(scale=pdf_file.RESOLUTION / 72).to_pil() for page in pypdfium2.PdfDocument(path)]
    scan = path.with_name(f"{path.stem}-image.pdf")
    images[0].save(scan, "PDF", save_all=True, append_images=images[1:], resolution=pdf_file.RESOLUTION)
    return scan


def large(folder: Path, megabytes: int) -> None:
    """Prints how a large text file is read."""
    path = folder / "large.txt"
    with path.open("wb") as file:
        for _ in range(megabytes):
            file.write(LINE * ((1 << 20) // len(LINE)))
    began, characters, most = time.monotonic(), 0, 0
    with IsolatedReader() as reader:
        for count, part in enumerate(reader.read(FileRequest(path, path.name, OFF))):
            characters += 0 if isinstance(part, DocumentStart | ReadingWarning | PageMark) else len(part.text)
            if count % 1_000 == 0 and reader.process_id:
                status = Path(f"/proc/{reader.process_id}/status").read_text()
                most = max(most, int(status.partition("VmHWM:")[2].split()[0]))
    seconds = time.monotonic() - began
    print(f"{megabytes} MB of text: {characters:,} characters in {seconds:.1f} s; its reader took {most >> 10} MB.")


def main() -> int:
    """Runs the parts; returns 1 where a goal is missed."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--no-ocr", action="store_true")
    options.add_argument("--large", type=int, default=0, metavar="MB")
    arguments = options.parse_args()
    with tempfile.TemporaryDirectory() as name, IsolatedReader() as reader:
        folder = Path(name)
        missed = printed(reader, folder)
        unnoticed = layers(reader, folder)
        if not arguments.no_ocr:
            recognition(reader, folder)
        if arguments.large:
            large(folder, arguments.large)
    return int(missed > 0 or unnoticed > len(LAYERS) // 10)


if __name__ == "__main__":
    raise SystemExit(main())
