#!/usr/bin/env python3
"""Draws the pictures of docs/negative-sampling.md with the release build, or one of a page that is there.

  tools/doc_pictures.py                    all of the list below
  tools/doc_pictures.py PAGE TITLE NAME    the plot of PAGE whose title begins with TITLE, as NAME.svg

Each is a plot of a page that mcns writes, with the page's style sheet inside, so that it stands alone
and follows light and dark.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
EXPLAIN = ["explain", "apache2", "--task", "recommend", "--data", "debian", "--sampler"]
# command, its file names by the beginning of the plot's title
PAGES = [
    (["theory"], {"Theorem 1: rns, 32 dimensions": "theorem1",
                  "Theorem 1: rns, 4 dimensions": "theorem1-4-dimensions",
                  "Theorem 2": "theorem2"}),
    (EXPLAIN + ["rns"], {"How hard": "hardness-rns"}),
    (EXPLAIN + ["mcns"], {"How hard": "hardness-mcns"}),
]


def page_of(command):
    with tempfile.TemporaryDirectory() as scratch:
        page = pathlib.Path(scratch) / "page.html"
        subprocess.run([ROOT / "build" / "release" / "mcns", *command, "--html", page, "--quiet"],
                       check=True, stdout=subprocess.DEVNULL)
        return page.read_text()


def standing_alone(svg, page):
    """The plot with the rules of the page's style sheet that speak of plots."""
    sheet = re.search(r"<style>(.*?)</style>", page, re.S).group(1)
    colours = sheet[sheet.index(":root"):sheet.index("* {")]
    marks = sheet[sheet.index("svg text"):]  # the rest of the sheet
    style = f"<style>{colours}{marks}</style><rect width='100%' height='100%' fill='var(--card)'/>"
    return re.sub(r"<svg ([^>]*)>", rf'<svg xmlns="http://www.w3.org/2000/svg" \1>{style}', svg, count=1)


def store(page, names):
    """The plots of a page whose titles begin with one of the names."""
    for svg in re.findall(r"<svg.*?</svg>", page, re.S):
        title = re.search(r'aria-label="([^"]*)"', svg).group(1)
        for beginning, name in names.items():
            if title.startswith(beginning):
                (PICTURES / f"{name}.svg").write_text(standing_alone(svg, page) + "\n")
                print(f"docs/pictures/{name}.svg: {title}")


def main():
    PICTURES.mkdir(exist_ok=True)
    if len(sys.argv) == 4:
        page, title, name = sys.argv[1:]
        return store(pathlib.Path(page).read_text(), {title: name})
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    for command, names in PAGES:
        store(page_of(command), names)


main()
