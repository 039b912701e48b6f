# SPDX-License-Identifier: Apache-2.0
"""What notebooks show: tables of rows as HTML, and a page inside of a page."""
import html
from typing import Any, Iterable, List, Sequence

SHOWN = 50


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return '<td style="text-align:right">%s</td>' % html.escape(str(value))
    if isinstance(value, (tuple, list)):
        return '<td style="text-align:right">%s</td>' % html.escape(", ".join(map(str, value)))
    # Bytes that are no UTF-8 are surrogates in texts, which no notebook can store.
    shown = str(value).encode("utf-8", "replace").decode()
    return '<td style="text-align:left">%s</td>' % html.escape(shown)


def table_of(names: Sequence[str], rows: Iterable[Sequence[Any]], more: str = "") -> str:
    """A table of HTML; `more` is a line below it."""
    head = "".join("<th>%s</th>" % html.escape(name) for name in names)
    body = "".join("<tr>%s</tr>" % "".join(_cell(value) for value in row) for row in rows)
    below = "<p>%s</p>" % html.escape(more) if more else ""
    return "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>%s" % (head, body, below)


class Rows(List[Any]):
    """A list of named tuples that a notebook shows as a table of its first rows."""

    def _repr_html_(self) -> str:
        names = self[0]._fields if self else ()
        more = "%d rows, of which %d are shown" % (len(self), SHOWN) if len(self) > SHOWN else ""
        return table_of(names, self[:SHOWN], more)


def first_of(rows: Iterable[Any]) -> str:
    """The first rows of an iterator of named tuples as a table, which says whether there are more."""
    shown, more = Rows(), ""
    for row in rows:
        if len(shown) == SHOWN:
            more = "there are more rows than these %d" % SHOWN
            break
        shown.append(row)
    return table_of(shown[0]._fields if shown else (), shown, more)


def frame_of(page: str) -> str:
    """A whole page, with its scripts, inside of another one."""
    return '<iframe srcdoc="%s" width="100%%" height="600" sandbox="allow-scripts"></iframe>' % html.escape(page)
