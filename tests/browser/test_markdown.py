"""The text of an exercise: a subset of Markdown without executable HTML."""

from __future__ import annotations

TEXT = """\
# Follow *the* line

Two **laps**, with `ground` only; see [the
manual](https://example.org/a_b_c).
A name_with_underscores, 2 * 3 * 4 and \\*stars\\* stay. <b onclick="evil()">bold?</b>

1. within 60 s
2. no contact
   - a graze counts
   - so does a push

   ```python
   print("# <script>")
   ```
3. steady

| seed | public |
|---|:-:|
| 1 | `yes` |

> begin slowly

---
![a picture](javascript:evil())
[click](javascript:evil())
"""
HTML = (
    "<h3>Follow <em>the</em> line</h3>"
    "<p>Two <strong>laps</strong>, with <code>ground</code> only; see the manual (https://example.org/a_b_c). "
    'A name_with_underscores, 2 * 3 * 4 and *stars* stay. &lt;b onclick="evil()"&gt;bold?&lt;/b&gt;</p>'
    "<ol><li>within 60 s</li><li>no contact<ul><li>a graze counts</li><li>so does a push</li></ul>"
    '<pre><code>print("# &lt;script&gt;")</code></pre></li><li>steady</li></ol>'
    "<table><thead><tr><th>seed</th><th>public</th></tr></thead>"
    "<tbody><tr><td>1</td><td><code>yes</code></td></tr></tbody></table>"
    "<blockquote><p>begin slowly</p></blockquote><hr>"
    "<p>a picture click (javascript:evil())</p>"
)
RENDER = """async (text) => {
    const { renderMarkdown } = await import("/markdown.js");
    const holder = document.createElement("div");
    holder.append(renderMarkdown(text));
    for (const part of holder.querySelectorAll("*")) {
        for (const name of ["dir", "start", "tabindex"]) part.removeAttribute(name);
    }
    return holder.innerHTML;
}"""


def test_markdown_is_rendered_and_foreign_html_stays_text(clutter, visit):
    server, _ = clutter
    page = visit(server.url)
    assert page.page.evaluate(RENDER, TEXT) == HTML
