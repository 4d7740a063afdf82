"""Whether a script shows that a text in the HTML of its last assignment comes from outside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.review.rules.security.origins import MAX_STEPS, Origins
from sdd_hooks.review.rules.security.site import OtherFiles
from tests.support.cpu_time import assert_linear

LOAD = "const data = await (await fetch('/items')).json()\n"
SHOW = "a.innerHTML = `<b>${row.title}</b>`\n"

SHOWN = {
    # Where it enters
    "response": LOAD + "a.innerHTML = `<b>${data.user.name}</b>`",
    "result of axios": "const r = await axios.get('/a')\na.innerHTML = '<b>' + r.data.title",
    "client of another file": "const all = await API.list()\na.innerHTML = `<b>${all[0].name}`",
    "client with a query": "const u = await api.from('u').select()\na.innerHTML = `${u[0].name}!`",
    "response by callback": "$.get('/a', function (d) { a.innerHTML = '<b>' + d.user.name })",
    "option of a request": (
        "$.ajax({ url: '/a', success: function (d) {\n"
        "  $.each(d.items, function (i, row) { a.innerHTML += '<b>' + row.title + '</b>' })\n} })"
    ),
    "responseText": (
        "x.onload = function () { const d = JSON.parse(x.responseText)\n"
        "  a.innerHTML = `<b>${d.user.name}</b>` }"
    ),
    "message": "s.onmessage = e => { const m = JSON.parse(e.data); a.innerHTML = `<b>${m.title}` }",
    "listener": "addEventListener('message', (e) => { a.innerHTML = `<b>${e.data.title}</b>` })",
    "socket": "socket.on('chat', m => { a.innerHTML += `<p>${m.author}</p>` })",
    "address": "const q = new URLSearchParams(location.search).get('q')\na.innerHTML = `<b>${q}`",
    "hash": "a.innerHTML = '<b>' + decodeURIComponent(location.hash.slice(1)) + '</b>'",
    # How it flows
    "operands": LOAD + "a.innerHTML = '<b>' + (data.user.name || 'none') + '</b>'",
    "choice": LOAD + "a.innerHTML = on > 1 ? `<b>${data.user.name}</b>` : ''",
    "loop": LOAD + f"for (const row of data.rows) {{ {SHOW} }}",
    "loop of one statement": LOAD + f"for (const row of data.rows) {SHOW}",
    "callback": LOAD + f"data.rows.forEach((row, i) => {{ {SHOW} }})",
    "asynchronous callback": LOAD + f"data.rows.forEach(async (row) => {{ {SHOW} }})",
    "function": LOAD + f"draw(data.row)\nfunction draw(row) {{ {SHOW} }}",
    "function by name": LOAD + f"data.rows.forEach(draw)\nfunction draw(row) {{ {SHOW} }}",
    "method": (
        f"const app = {{ draw(row) {{ {SHOW} }},\n"
        "  async load() { const d = await (await fetch('/a')).json(); this.draw(d.row) } }"
    ),
    "promise": (
        f"fetch('/a').then(r => r.json()).then(d => draw(d.row))\nfunction draw(row) {{ {SHOW} }}"
    ),
    "result": (
        "async function load(id) { const r = await fetch(`/a/${id}`); return r.json() }\n"
        f"const row = (await load(1)).row\n{SHOW}"
    ),
    "callback of a function": (
        f"function load(done) {{ fetch('/a').then(r => r.json()).then(d => done(d.row)) }}\n"
        f"load(row => {{ {SHOW} }})"
    ),
    "argument in HTML": (
        "const card = html => `<div>${html}</div>`\n"
        + LOAD
        + "a.innerHTML = data.rows.map(row => card(`<b>${row.title}</b>`)).join('')"
    ),
    "map by name": (
        "const card = (row) => `<h2>${row.title}</h2>`\n"
        + LOAD
        + "a.innerHTML = data.rows.slice(0, 5).map(card).join('')"
    ),
    "text in steps": LOAD + "let html = ''\nhtml += `<b>${data.user.name}</b>`\na.innerHTML = html",
    "list of HTML": (
        LOAD + "const l = []\nl.push(`<b>${data.user.name}</b>`)\na.innerHTML = l.join('')"
    ),
    "pattern": LOAD + "const { user: { name } } = data\na.innerHTML = `<b>${name}</b>`",
    "pattern of a parameter": (
        LOAD + "a.innerHTML = data.rows.map(({ title = '', id }) => `<b>${title}</b>`).join('')"
    ),
    "member": (
        "class A { constructor() { this.rows = [] }\n"
        "  async load() { this.rows = await (await fetch('/a')).json() }\n"
        "  show() { this.rows.forEach(row => { a.innerHTML = `<b>${row.title}</b>` }) } }"
    ),
    "state": (
        "const state = { rows: [] }\n"
        "fetch('/a').then(r => r.json()).then(d => { state.rows = d.rows; show() })\n"
        "function show() { const row = state.rows.find(f); a.innerHTML = `<b>${row.title}` }"
    ),
    "object": (
        LOAD + "const rows = data.rows.map(r => ({ title: r.name, on: true }))\n"
        "rows.forEach(row => { a.innerHTML = `<b>${row.title}</b>` })"
    ),
    "copy": LOAD + "const row = { ...data.row, on: true }\n" + SHOW,
    "storage": (
        LOAD + "localStorage.setItem('rows', JSON.stringify(data.rows))\n"
        "const rows = JSON.parse(localStorage.getItem('rows')) || []\n"
        f"rows.forEach(row => {{ {SHOW} }})"
    ),
    "values": LOAD + f"Object.values(data.rows).forEach(row => {{ {SHOW} }})",
    "several requests": (
        "const [x, y] = await Promise.all([fetch('/a'), fetch('/b')])\n"
        "const row = (await x.json()).row\n" + SHOW
    ),
    "regular expression": LOAD
    + "const x = 'a'.replace(/[`\"]/g, '')\nconst row = data.row\n"
    + SHOW,
    "part of a text": LOAD + "a.innerHTML = '<b>' + data.user.name.substring(0, 30) + '</b>'",
    "cast": LOAD + "const row = data.row as Row\n" + SHOW,
    "non-null": LOAD + "a.innerHTML = `<b>${data.user!.name}</b>`",
    "type of a parameter": LOAD + f"draw(data.row)\nfunction draw(row: Row) {{ {SHOW} }}",
}

NOT_SHOWN = {
    # Others do not see what a user types or chooses, until a server sends it.
    "typed": "a.innerHTML = `<b>${document.getElementById('taskInput').value.trim()}</b>`",
    "typed, by selector": (
        "const note = document.querySelector('textarea[name=\"note\"]')\n"
        "a.innerHTML = `<b>${note.value}</b>`"
    ),
    "typed, by jQuery": "a.innerHTML = '<b>' + $('#comment').val() + '</b>'",
    "form": "const f = new FormData(form)\na.innerHTML = `<b>${f.get('title')}</b>`",
    "prompt": "a.innerHTML = `<b>${prompt('Who?')}</b>`",
    "file": "const file = input.files[0]\na.innerHTML = `<b>${file.name}</b>`",
    "unknown": SHOW,
    "table": "const rows = [{ title: 'a' }]\n" + f"for (const row of rows) {{ {SHOW} }}",
    "table by argument": (
        f"draw([{{ title: 'a' }}])\nfunction draw(rows) {{ rows.forEach(row => {{ {SHOW} }}) }}"
    ),
    "table of the object": (
        "const app = { rows: [{ title: 'a' }],\n"
        "  show() { a.innerHTML = this.rows.map(r => `<b>${r.title}</b>`).join('') } }"
    ),
    "filtered table": (
        "const rows = [{ title: 'a' }]\nconst row = rows.filter(r => r.on).sort()[0]\n" + SHOW
    ),
    "imported": f"import {{ rows }} from './rows.js'\nrows.forEach(row => {{ {SHOW} }})",
    "labels of numbers": (
        LOAD + "const cards = [{ title: 'Count', value: format(data.count) }]\n"
        "a.innerHTML = cards.map(c => `<b>${c.title}</b> ${c.value}`).join('')"
    ),
    "looked up by a key": (
        "const TITLES = { a: 'A' }\n" + LOAD + "a.innerHTML = `<b>${TITLES[data.row.title]}</b>`"
    ),
    "file of the site": (
        "fetch('data/rows.json').then(r => r.json())\n"
        f"  .then(rows => rows.forEach(row => {{ {SHOW} }}))"
    ),
    "file of the site, by argument": (
        "const load = async (url) => (await fetch(url)).json()\n"
        f"const row = (await load('./row.json?v=1')).row\n{SHOW}"
    ),
    "file of the site, by constant": (
        f"const ROWS = '/rows.json'\n$.getJSON(ROWS, (d) => {{ const row = d.row; {SHOW} }})"
    ),
    "list of reference": (
        "fetch(`/address.php?action=get_provinces&region=${r}`).then(r => r.json())\n"
        f"  .then(rows => rows.forEach(row => {{ {SHOW} }}))"
    ),
    "list of reference, joined": (
        f"$.getJSON('/cities/' + id, (d) => {{ const row = d.row; {SHOW} }})"
    ),
    "list of reference in data": LOAD + "a.innerHTML = `<b>${data.countries[0].name}</b>`",
    "only read from the storage": (f"const row = JSON.parse(localStorage.getItem('row'))\n{SHOW}"),
    "another key of the storage": (
        "const row = JSON.parse(localStorage.getItem('row'))\n"
        "localStorage.setItem('draft', document.getElementById('title').value)\n" + SHOW
    ),
    "escaped": LOAD + "a.innerHTML = `<b>${esc(data.user.name)}</b>`",
    "escaped by a function of the file": (
        "function clean(s) { return String(s).replace(/&/g, '&amp;').replace(/</g, '&lt;') }\n"
        + LOAD
        + "a.innerHTML = `<b>${clean(data.user.name)}</b>`"
    ),
    "escaped by an element": (
        "function clean(s) { const d = make('div'); d.textContent = s; return d.innerHTML }\n"
        + LOAD
        + "a.innerHTML = `<b>${clean(data.user.name)}</b>`"
    ),
    "escaped in its member": (
        LOAD + "const row = data.row\nrow.title = escapeHtml(row.title)\n" + SHOW
    ),
    "escaped item by item": LOAD + f"data.rows.map(sanitize).forEach(row => {{ {SHOW} }})",
    "markup removed": LOAD + "a.innerHTML = `<b>${data.user.name.replace(/[^a-z]/g, '')}</b>`",
    "HTML of a server": LOAD + "a.innerHTML = data.html\nb.innerHTML = data.row.title",
    "no text": LOAD
    + "a.innerHTML = `<b>${data.rows.length} ${data.row.id} ${data.user.name.length}`",
    "number": LOAD + "a.innerHTML = `<b>${parseInt(data.user.name)}</b>`",
    "comparison": LOAD + "a.innerHTML = '<b>' + (data.user.name === 'x' ? 'on' : 'off')",
    "only a condition": LOAD + "a.innerHTML = data.user.name ? '<b>on</b>' : ''",
    "how the request went": LOAD + "a.innerHTML = `<b>${data.message}</b>`",
    "error": "f().catch(e => { a.innerHTML = `<b>${e.message}</b>` })",
    "name of a host": LOAD + "a.innerHTML = `<b>${data.system.hostname}</b>`",
    "name of a class": LOAD + "a.innerHTML = `<b class=${data.row.className}></b>`",
    "choice of a list": "a.innerHTML = `<b>${document.getElementById('type-select').value}</b>`",
    "value of an object": "const card = { value: 1 }\na.innerHTML = `<b>${card.value}</b>`",
    "index": LOAD + "data.rows.forEach((row, title) => { a.innerHTML = `<b>${title}</b>` })",
    "other variable of the name": (
        LOAD + "const row = data.row\n" + f"function f() {{ const row = {{ title: 'a' }}\n{SHOW} }}"
    ),
    "other function of the name": (
        "function one() { function draw(row) { b.append(row) }\n"
        "  fetch('/a').then(r => r.json()).then(d => draw(d.row)) }\n"
        f"function two() {{ draw({{}})\n  function draw(row) {{ {SHOW} }} }}"
    ),
    "text and comment": "// const row = await fetch('/a')\nconst s = 'row = fetch(`/a`)'\n" + SHOW,
    "text of the page": "a.innerHTML = `<i></i> ${b.textContent}`",
}


def origins_of(
    text: str, path: str = "a.js", written: str | None = None, named: str | None = None
) -> Origins:
    """The origins where people write one thing, or all, and other files have one name, or all."""
    others = OtherFiles(
        lambda resource: written in (None, resource), lambda name, _: named in (None, name)
    )
    return Origins(path, text, others)


def is_shown(
    text: str, path: str = "a.js", written: str | None = None, named: str | None = None
) -> bool:
    start = text.rindex("innerHTML ")
    return origins_of(text, path, written, named).joins_text(text.index("=", start) + 1)


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN)
def test_a_text_from_outside_is_shown(text: str) -> None:
    assert is_shown(text)


@pytest.mark.parametrize("text", NOT_SHOWN.values(), ids=NOT_SHOWN)
def test_what_is_not_followed_to_the_outside_is_not_shown(text: str) -> None:
    assert not is_shown(text)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (LOAD + "a.innerHTML = `<b>${data.user.name}</b>`", True),
        ("const row = {{ row|tojson }}\n" + SHOW, True),
        ("const row = JSON.parse('{{ row|escapejs }}')\n" + SHOW, True),
        ("const row = <?= json_encode($row) ?>;\n" + SHOW, True),
        ("const row = JSON.parse(document.getElementById('row').textContent)\n" + SHOW, True),
        # A template escapes it, and the browser reads text.
        ("const row = { title: '{{ title }}' }\n" + SHOW, False),
        ("const row = button.dataset\n" + SHOW, False),
        ("a.innerHTML = `<b>${button.dataset.title}</b>`", True),
        ("a.innerHTML = `<b>${button.dataset.label}</b>`", False),
    ],
)
def test_scripts_of_a_page(script: str, expected: bool) -> None:
    page = "<p>it's `data-x`\n<button data-title='{{ title }}' data-label='x'>\n<script>\n"
    assert is_shown(f"{page}{script}\n</script>\n", "a.html") is expected


def test_what_is_no_script_of_a_page_is_not_read() -> None:
    page = f"<pre>{LOAD}</pre>\n<script type='text/template'>{LOAD}</script>\n<script>{{}}</script>"
    assert not is_shown(page.replace("{}", "a.innerHTML = `<b>${data.user.name}</b>`"), "a.html")


def test_the_second_argument_is_inserted() -> None:
    text = LOAD + "a.insertAdjacentHTML('end', `<b>${data.user.name}</b>`)"
    assert origins_of(text).inserts_text(text.index("('end'"))
    assert not origins_of(text.replace(", `", ", html, `")).inserts_text(text.index("('end'"))


def test_steps_have_a_limit() -> None:
    steps = [f"const x{n} = x{n - 1}" for n in range(1, MAX_STEPS)]
    text = "\n".join([f"{LOAD}const x0 = data.user", *steps[:20], "a.innerHTML = `<b>${x20.name}`"])
    assert is_shown(text)
    text = "\n".join(
        [f"{LOAD}const x0 = data.user", *steps, f"a.innerHTML = `${{x{MAX_STEPS - 1}.name}} `"]
    )
    assert not is_shown(text)


@pytest.mark.parametrize(
    "text",
    [
        "x = x\na.innerHTML = `<b>${x.name}`",
        "function f(a) { return f(a) }\na.innerHTML = `<b>${f(f).name}`",
        "const [a, b] = [b, a]\nc.innerHTML = `<b>${a.name}${b.name}`",
        "a.innerHTML = `<b>${",
        "function (",
        "=> => (a.innerHTML = ",
        "for (const a of",
    ],
)
def test_circles_and_broken_scripts_end(text: str) -> None:
    assert not origins_of(text).joins_text(text.find("= ") + 1)


MARKS = "(){}[]`'\"/,;:?.=+<>&|! \n"
WORDS = ["${", "=>", "x", "name", "const ", "for (", " of ", "function ", ".map(", ".then(", "//"]
CALLS = ["fetch(", "await ", "return ", "innerHTML = ", "/*", "*/", "<script>"]
PIECES = st.sampled_from([*MARKS, *WORDS, *CALLS])


@given(st.lists(PIECES, max_size=60).map("".join), st.sampled_from(["a.js", "a.html", "a.vue"]))
def test_any_text_can_be_read(text: str, path: str) -> None:
    origins = origins_of(text, path)
    for offset in range(0, len(text), 7):
        origins.joins_text(offset)


@pytest.mark.parametrize(
    "piece",
    [
        "function f(x) { return f(x) }\n",
        "const x = y\nx.push(x)\n",
        "x.forEach(x => { y = x.map(z => `${z.name}`) })\n",
        "fetch('/a').then(x => x.json()).then(f)\n",
        "((((",
        "`${`",
        "=> x ",
        "a.b = c.d\n",
        "/* ' \" ` */ /x/ ",
    ],
)
def test_hostile_scripts_are_read_in_linear_time(piece: str) -> None:
    def read(text: str) -> None:
        origins = origins_of(text)
        for _ in range(5):
            origins.joins_text(text.rindex("innerHTML = ") + 12)

    def make(count: int) -> str:
        return piece * count + "\na.innerHTML = `<b>${x.name}</b>${f(x).name}`"

    assert_linear(read, make, 1_000)


@pytest.mark.parametrize(
    ("requested", "resource"),
    [
        ("await (await fetch('/api/rooms')).json()", "room"),
        ("await (await fetch(`${base}/rooms/${id}?page=2`)).json()", "room"),
        ("await API.listRooms()", "room"),
        ("await client.from('rooms').select('*')", "room"),
        ("await getDocs(collection(db, 'rooms'))", "room"),
        ("await (await fetch(url)).json()", ""),
    ],
)
def test_what_a_response_has_is_theirs_who_write_it(requested: str, resource: str) -> None:
    text = f"const data = {requested}\na.innerHTML = `<b>${{data.room.name}}</b>`"
    assert is_shown(text, written=resource)
    assert not is_shown(text, written="guest")


def test_an_address_is_followed_to_a_constant_and_an_argument() -> None:
    show = "a.innerHTML = `<b>${data.room.name}</b>`"
    text = f"const ROOMS = '/api/rooms'\nconst data = await (await fetch(ROOMS)).json()\n{show}"
    assert is_shown(text, written="room")
    text = (
        "async function load(url) { const r = await fetch(url); return r.json() }\n"
        f"const data = await load('/api/rooms')\n{show}"
    )
    assert is_shown(text, written="room")
    assert not is_shown(text, written="guest")


def test_the_address_is_an_option_beside_the_function_that_gets_the_response() -> None:
    text = (
        "$.ajax({ type: 'GET', url: '/api/rooms', success: function (data) {\n"
        "  a.innerHTML = `<b>${data.room.name}</b>` } })"
    )
    assert is_shown(text, written="room")
    assert not is_shown(text, written="guest")


def test_a_function_that_a_later_one_replaces_is_not_reached() -> None:
    show = "function show(row) { a.innerHTML = `<b>${row.title}</b>` }\n"
    call = LOAD + "show(data.row)\n"
    other = "function show(row) { a.append(row.title) }\n"
    assert is_shown(call + other + show)
    assert not is_shown(call + show + other)
    load = "async function load() {\n" + LOAD + "show(data.row) }\n"
    assert is_shown(load + show)
    assert not is_shown(load + show + "function load() { return 1 }\n")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"async function show() {{\n{LOAD}const row = data.row\n{SHOW}}}", "show"),
        (f"const show = async () => {{\n{LOAD}const row = data.row\n{SHOW}}}", "show"),
        (f"socket.on('row.new', row => {{ {SHOW} }})", "row.new"),
    ],
)
def test_a_function_and_an_event_that_no_file_names_do_not_run(text: str, name: str) -> None:
    assert is_shown(text, named=name)
    assert not is_shown(text, named="other")


def test_a_function_that_its_file_or_page_names_runs() -> None:
    text = f"async function show() {{\n{LOAD}const row = data.row\n{SHOW}}}\n"
    assert is_shown(text + "show()", named="other")
    page = f"<body onload='show()'><script>{text}</script>"
    assert is_shown(page, "a.html", named="other")


@pytest.mark.parametrize(
    ("assigned", "expected"),
    [
        ("html = `<b>${data.row.title}</b>`\n", True),
        ("html = `<b>${data.row.title}</b>`\nhtml = '<b>none</b>'\n", False),
        ("html = '<b>none</b>'\nhtml += `<b>${data.row.title}</b>`\n", True),
        ("html = `<b>${data.row.title}</b>`\nhtml = '<i>' + html\n", True),
        ("html = `<b>${data.row.title}</b>`\nif (x) html = ''\n", True),
        ("html = `<b>${data.row.title}</b>`\nif (x) {\nhtml = ''\n}\n", True),
        ("if (x) {\nhtml = `<b>${data.row.title}</b>`\n}\nhtml = ''\n", False),
    ],
)
def test_a_value_replaces_those_that_are_assigned_before(assigned: str, expected: bool) -> None:
    text = f"{LOAD}let html = ''\n{assigned}a.innerHTML = html"
    assert is_shown(text) is expected


@pytest.mark.parametrize(
    "request_",
    [
        "await (await fetch('/rooms', { method: 'POST', body })).json()",
        "(await axios.post('/rooms', room)).data",
        "await (await fetch('/rooms', {\n  headers: h(),\n  method: \"put\" })).json()",
    ],
)
def test_the_answer_to_what_is_sent_is_not_what_others_write(request_: str) -> None:
    assert not is_shown(f"const data = {request_}\na.innerHTML = `<b>${{data.room.name}}</b>`")
