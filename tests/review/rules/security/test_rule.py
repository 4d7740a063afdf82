"""Patterns that often end in a vulnerability: hazardous code and harmless code.

Each table is one commit of a real repository, with a file for each row.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.drift.whole_tree import Scope, whole_tree_subject
from sdd_hooks.review.rules.security.rule import HAZARDS, RULE
from sdd_hooks.review.subject import Subject
from tests.review.repositories import Files, subject_of
from tests.support.cpu_time import assert_linear
from tests.support.repos import Repo

GO = "package x\n\nfunc h(w http.ResponseWriter, r *http.Request) {{\n\t{}\n}}\n"
MAIN = "package main\n\nfunc main() {{\n\tmux := http.NewServeMux()\n\t{}\n}}\n"

FOUND: list[tuple[str, str, str]] = [
    # (name of the file, its text, the expected line and rule)
    ("body.go", GO.format("b, _ := io.ReadAll(r.Body)"), "4 request-body"),
    ("old.go", GO.format("b, _ := ioutil.ReadAll( r.Body )"), "4 request-body"),
    ("gin.go", "b, _ := io.ReadAll(c.Request.Body)\n", "1 request-body"),
    ("json.js", "app.use(express.json())\n", "1 request-body"),
    ("form.ts", "app.use(\n  bodyParser.urlencoded({ extended: true }),\n)\n", "2 request-body"),
    ("multer.js", "const upload = multer({ dest: 'x' })\n", "1 request-body"),
    ("on.js", "req.on('data', (chunk) => { text += chunk })\n", "1 request-body"),
    ("rfile.py", "data = self.rfile.read()\n", "1 request-body"),
    ("star.py", "data = await request.body()\n", "1 request-body"),
    ("html.go", "x := template.HTML(input)\n", "1 unescaped-html"),
    ("a.tsx", "<p dangerouslySetInnerHTML={{ __html: post.body }} />\n", "1 unescaped-html"),
    ("b.jsx", "<p\n  dangerouslySetInnerHTML={{\n __html: body,\n}}\n/>\n", "2 unescaped-html"),
    ("safe.html", "<p>{{ name|safe }}</p>\n", "1 unescaped-html"),
    ("safe.jinja", "<p>{{ name | upper | safe }}</p>\n", "1 unescaped-html"),
    ("or.html", "{% with value=a.name|default:'<b>none</b>'|safe %}\n", "1 unescaped-html"),
    ("auto.html", "{% autoescape false %}\n", "1 unescaped-html"),
    ("off.html", "{% autoescape off %}\n", "1 unescaped-html"),
    ("env.py", "env = Environment(autoescape=False)\nenv.get('a.html')\n", "1 unescaped-html"),
    ("mark.py", 'x = mark_safe(f"<b>{name}</b>")\n', "1 unescaped-html"),
    ("a.vue", '<p v-html="text"></p>\n', "1 unescaped-html"),
    ("a.svelte", "<p>{@html text}</p>\n", "1 unescaped-html"),
    ("raw.erb", "<%== text %>\n", "1 unescaped-html"),
    ("raw2.erb", "<%= raw text %>\n", "1 unescaped-html"),
    ("safe.rb", 'x = "<b>#{name}</b>".html_safe\n', "1 unescaped-html"),
    ("raw.cshtml", "@Html.Raw(Model.Text)\n", "1 unescaped-html"),
    ("r1.go", GO.format('http.Redirect(w, r, r.URL.Query().Get("next"), 302)'), "4 redirect"),
    ("r2.go", GO.format('http.Redirect(w, r, r.FormValue("next"), 302)'), "4 redirect"),
    ("r3.go", GO.format('to := r.FormValue("to")\n\thttp.Redirect(w, r, to, 302)'), "5 redirect"),
    ("r1.js", "res.redirect(req.query.url)\n", "1 redirect"),
    ("r2.js", "res.redirect(302, req.body.url)\n", "1 redirect"),
    ("r1.py", "return redirect(request.GET['next'])\n", "1 redirect"),
    ("r2.py", "return redirect(request.args.get('next') or '/')\n", "1 redirect"),
    ("r3.py", "def f():\n    to = request.args['to']\n    return redirect(to)\n", "3 redirect"),
    ("r4.py", "HttpResponseRedirect(request.POST['next'])\n", "1 redirect"),
    ("r1.rb", "redirect_to params[:return_to] || root_path\n", "1 redirect"),
    ("R.java", 'response.sendRedirect(request.getParameter("to"));\n', "1 redirect"),
    ("e1.js", "element.innerHTML = data.name;\n", "1 inner-html"),
    ("e2.js", "element.innerHTML += `<b>${name}</b>`;\n", "1 inner-html"),
    ("e3.js", "element.innerHTML =\n  '<b>' + name;\n", "1 inner-html"),
    ("e6.js", "a.innerHTML = `<b>${escHtml(x)}</b><i>${y}</i>`\n", "1 inner-html"),
    ("e7.js", "a.innerHTML = `${on ? `<b>${name}</b>` : ''}`\n", "1 inner-html"),
    ("e8.js", "a.innerHTML = `<b>${on ? name : ''}</b>`\n", "1 inner-html"),
    ("e9.js", "a.innerHTML = `<b>${name\n", "1 inner-html"),
    ("e10.js", "a.innerHTML = escapeHtml(x) +\n  name\n", "1 inner-html"),
    ("e11.js", "let html = '<b>'\nhtml += name\na.innerHTML = html\n", "3 inner-html"),
    ("e12.js", "a.insertAdjacentHTML('end', `<b>${name}</b>`)\n", "1 inner-html"),
    ("mark2.py", "def f(x):\n    y = markdown(x)\n    return mark_safe(y)\n", "3 unescaped-html"),
    ("html2.go", GO.format("y := r.URL.Path\n\tx := template.HTML(y)"), "5 unescaped-html"),
    ("e4.html", '<a onclick="x.innerHTML=y">\n', "1 inner-html"),
    ("e5.js", "element.insertAdjacentHTML('beforeend', row)\n", "1 inner-html"),
    ("c1.html", '<script src="https://cdn.jsdelivr.net/x.js"></script>\n', "1 cdn-integrity"),
    ("c2.html", '<link rel="stylesheet" href="//unpkg.com/a.css">\n', "1 cdn-integrity"),
    ("c3.html", '<script\n  src="https://unpkg.com/htmx"\n></script>\n', "2 cdn-integrity"),
    ("c4.tsx", '<script src="https://cdn.x.com/a.js" />\n', "1 cdn-integrity"),
    ("c5.js", "page = '<script src=\"https://cdn.x.com/a.js\"></script>'\n", "1 cdn-integrity"),
    ("s1.go", MAIN.format('mux.HandleFunc("POST /items", items)'), "5 route"),
    ("s1.js", "const app = express()\napp.post('/users', create)\n", "2 route"),
    ("s1.py", "app = FastAPI()\n\n@app.post('/items')\ndef create(item):\n    pass\n", "3 route"),
    (
        "s2.js",
        "router.get('/a', requireAuth, a)\nrouter.get('/b', requireAuth, b)\nrouter.get('/c', c)\n",
        "3 route",
    ),
    (
        "s2.go",
        'func Routes(r chi.Router) {\n\tr.With(RequireAuth).Get("/a", a)\n\tr.Get("/b", b)\n}\n',
        "3 route",
    ),
    (
        "s2.py",
        "@bp.route('/a')\n@login_required\ndef a():\n    pass\n\n"
        "@bp.route('/b')\ndef b():\n    pass\n",
        "6 route",
    ),
]

QUIET: list[tuple[str, str]] = [
    ("limit.go", GO.format("r.Body = http.MaxBytesReader(w, r.Body, 9)\n\tio.ReadAll(r.Body)")),
    ("client.go", "resp, _ := http.Get(url)\nb, _ := io.ReadAll(resp.Body)\n"),
    ("limit.js", "app.use(express.json({\n  limit: '1mb',\n}))\n"),
    ("on.js", "req.on('data', (chunk) => { size += chunk.length; if (size > 9) req.destroy() })\n"),
    ("constant.go", 'x := template.HTML("<br>")\n'),
    ("escaped.go", "escaped := html.EscapeString(x)\ny := template.HTML(escaped)\n"),
    ("known.go", "x := template.HTML(y) //nolint:gosec\n"),
    ("pure.tsx", "<p dangerouslySetInnerHTML={{ __html: DOMPurify.sanitize(x) }} />\n"),
    ("type.ts", "interface P { dangerouslySetInnerHTML?: { __html: string } }\n"),
    ("json.html", "<script>x = {{ x|tojson|safe }}</script>\n{{ safe_name }} a | safe\n"),
    ("constant.py", "x = mark_safe('<br>')\n"),
    ("constant.rb", "x = '<br>'.html_safe\n"),
    ("include.ejs", "<%== include('x') %>\n"),
    ("comment.html", "<!-- {{ x|safe }} -->\n{# {{ x|safe }} #}\n"),
    ("r1.py", "redirect(url_for('x', id=request.args['id']))\n"),
    (
        "r2.py",
        "def f():\n    to = request.GET['to']\n    if not is_safe(to):\n        to = '/'\n"
        "    return redirect(to)\n",
    ),
    ("r3.py", "def f():\n    to = compute()\n    return redirect(to)\n"),
    ("r1.js", "res.redirect(`/login?next=${req.query.next}`)\n"),
    ("r1.rb", "redirect_to article_path(params[:id])\n"),
    ("r2.rb", "redirect_to params[:to], allow_other_host: false\n"),
    ("r1.go", GO.format('http.Redirect(w, r, "/x?"+r.URL.RawQuery, 302)')),
    ("e1.js", "a.innerHTML = '';\nb.innerHTML = `<b>x</b>`;\nc.innerHTML = on ? '+' : '-'\n"),
    ("e2.js", "a.innerHTML = ICON_OPEN;\nif (a.innerHTML == b) {}\nx = a.innerHTML\n"),
    ("e3.js", "a.innerHTML =\n  '<b></b>' +\n  '<i></i>'\n"),
    ("e4.html", "<a onclick=\"document.getElementById('x').innerHTML=''\">close</a>\n"),
    ("e5.js", "// a.innerHTML = x\n/*\n a.innerHTML = x\n*/\ns = 'a.innerHTML = x'\n"),
    ("e6.js", "a.innerHTML = escapeHtml(x)\nconst t = sanitize(x)\na.innerHTML = t\n"),
    ("e7.js", "x;" * 300 + "a.innerHTML = b\n"),
    ("e9.js", "a.innerHTML = `<b>${esc(x)} ${n.length} ${n.toFixed(1)} ${rowsHtml}</b>`\n"),
    ("e10.js", "const c = COLORS[x] || ''\na.innerHTML = `<b class=${c}>${on ? 'a' : 'b'}</b>`\n"),
    ("e11.js", "a.innerHTML = `\n${x.map((y) => `<b>${esc({ y })}</b>`)} \\` {\n`;\n"),
    ("e12.js", "a.innerHTML = b.innerHTML;\nc.innerHTML = '(' + d.length + ')'\n"),
    ("e13.js", "const p = Number(x) | 0\na.innerHTML =\n  '<b>' + p + // pid\n  '</b>'\n"),
    ("e14.js", "let html = ''\nhtml += '<b>' + esc(x)\nhtml += '</b>'\na.innerHTML = html\n"),
    ("e15.js", "a.innerHTML = '<i>' + (x > 0 ? '<b>' + esc(x) : '<s>') + '</i>'\n"),
    ("e16.js", "const s = toHtml(sheet)\na.insertAdjacentHTML('end', `<b>${s}</b>`)\n"),
    ("e17.js", "a.innerHTML = S.escapeHTML`&nbsp`\nb.innerHTML = b.innerHTML.replace(/x/, 'y')\n"),
    ("e18.js", " x = raw\n const x = esc(y)\n a.innerHTML = x\n"),
    ("rendered.tsx", "const svg = renderSVG(x)\n<p dangerouslySetInnerHTML={{ __html: svg }} />\n"),
    ("page.go", GO.format("t.ExecuteTemplate(&b, n, d)\n\tx := template.HTML(b.String())")),
    (
        "mark.go",
        GO.format(
            "g := goldmark.New()\n\tg.Convert(x, &b)\n\tc := b.String()\n\ty := template.HTML(c)"
        ),
    ),
    (
        "log.go",
        GO.format("row := asHTML(x)\n\tall = append(all, row)\n\ty := template.HTML(all)"),
    ),
    ("literal.html", '{% with value="<b>none</b>"|safe %}\n<p>{{ field.help_text|safe }}\n'),
    ("rule.ts", "const patterns = [/dangerouslySetInnerHTML/]\n"),
    ("lines.py", "x = mark_safe(\n    'a <b>b</b> '\n    \"c\"\n)\n"),
    ("plist.py", "env = Environment(autoescape=False)\nenv.get('a.plist')\n"),
    ("e8.js", "// @generated by a tool\na.innerHTML = b\n"),
    ("c1.html", '<script src="https://cdn.x.com/a.js" integrity="sha384-x"></script>\n'),
    ("c2.html", '<script\n src="https://unpkg.com/x"\n integrity="sha384-x"></script>\n'),
    ("c3.html", '<link rel="preconnect" href="https://cdn.jsdelivr.net/">\n'),
    ("c4.html", '<a href="https://cdn.x.com/a.js">x</a>\n<img src="https://cdn.x.com/a.png">\n'),
    ("c5.html", '<script src="https://js.payments.example/v3"></script>\n<script src="/a.js">\n'),
    ("s1.go", MAIN.format('mux.HandleFunc("/healthz", ok)\n\tmux.HandleFunc("/login", login)')),
    ("s2.go", MAIN.format('// Public: a shop window\n\tmux.HandleFunc("/items", items)')),
    ("s3.go", MAIN.format('mux.HandleFunc("/items", requireUser(items))')),
    ("s4.go", 'func Routes(r chi.Router) {\n\tr.Get("/a", a)\n\tr.Get("/b", b)\n}\n'),
    ("s5.go", 'func f() {\n\tresp := api.Get("/items", nil)\n}\n'),
    ("s1.js", "const app = express()\napp.use(requireAuth)\napp.post('/users', create)\n"),
    ("s2.js", "const found = await api.get('/users')\nconst x = app.get('/x')\n"),
    (
        "s1.py",
        "app = FastAPI()\n\n@app.post('/x')\n"
        "def x(user: User = Depends(current_user)):\n    pass\n",
    ),
]


def findings_of(tmp_path: Path, before: Files, after: Files) -> dict[str, list[str]]:
    written = {path: text for path, text in before.items() if text is not None}
    places: dict[str, list[str]] = {}
    for finding in sorted(RULE.check(subject_of(tmp_path, written, after))):
        assert finding.severity == "warning"
        assert finding.rule.startswith("security/")
        assert ":" in finding.message
        places.setdefault(finding.path, []).append(
            f"{finding.line} {finding.rule.removeprefix('security/')}"
        )
    return places


def test_hazards_are_found(tmp_path: Path) -> None:
    files = {f"src/{name}": text for name, text, _ in FOUND}
    expected = {f"src/{name}": [place] for name, _, place in FOUND}
    assert findings_of(tmp_path, {}, files) == expected
    names = {place.split(" ")[1] for _, _, place in FOUND}
    assert names == {hazard.name for hazard in HAZARDS}


def test_harmless_code_has_no_findings(tmp_path: Path) -> None:
    assert len(QUIET) == len(dict(QUIET))
    assert findings_of(tmp_path, {}, {f"src/{name}": text for name, text in QUIET}) == {}


@pytest.mark.parametrize(
    "folder",
    [
        "tests",
        "src/__tests__",
        "vendor/x",
        "node_modules/x",
        "examples",
        "views/admin_examples",
        "docs",
        "dist",
        "testdata",
    ],
)
def test_tests_examples_and_vendored_files_are_ignored(tmp_path: Path, folder: str) -> None:
    text = "element.innerHTML = data.name;\n"
    files = {f"{folder}/a.js": text, "a.md": text, "a.test.js": text, "a.min.js": text}
    assert findings_of(tmp_path, {}, files) == {}


@pytest.mark.parametrize("folder", ["scripts", "experiments/a", "packages/qa", ".agents/hooks"])
def test_what_developers_run_serves_no_requests(tmp_path: Path, folder: str) -> None:
    body = "req.on('data', (chunk) => { text += chunk })\n"
    page = "element.innerHTML = data.name;\n"
    files = {f"{folder}/a.js": body, f"{folder}/b.js": page}
    assert findings_of(tmp_path, {}, files) == {f"{folder}/b.js": ["1 inner-html"]}


LOADED = "item = await (await fetch('/item')).json()\n"
CERTAIN: list[tuple[str, str, bool]] = [
    # (name of the file, its text, whether a whole tree has a finding in it)
    ("s.js", "const app = express()\napp.post('/users', create)\n", False),
    ("t.js", "router.get('/a', requireAuth, a)\nrouter.get('/b', b)\n", False),
    ("json.js", "app.use(express.json())\n", False),
    ("multer1.js", "upload = multer(options)\n", False),
    ("multer2.js", "upload = multer({ dest: 'x' })\n", True),
    ("multer3.js", "const upload = multer({ dest: 'x' })\napp.post('/', upload.any())\n", True),
    ("multer4.js", "const upload = multer({ dest: 'x' })\n", False),
    ("on.js", "req.on('data', (chunk) => { text += chunk })\n", True),
    ("cut.js", "req.on('data', (c) => {\n  text += c\n  if (text.length > 1024) end()\n", False),
    ("fake-on.js", "req.on('data', (chunk) => { text += chunk })\n", False),
    ("body.go", GO.format("b, _ := io.ReadAll(r.Body)"), True),
    ("trip.go", "func f(r *http.Request) {\n\tb, _ := io.ReadAll(r.Body)\n}\n", False),
    ("r1.rb", "redirect_to params[:to]\n", False),
    ("r2.rb", "redirect_to params[:to], allow_other_host: true\n", True),
    ("c1.html", '<script src="https://unpkg.com/x@1/a.js"></script>\n', False),
    ("c5.html", '<script src="https://unpkg.com/x@1.2.3/a.js"></script>\n', True),
    ("c6.html", '<script src="https://code.jquery.com/jquery-3.6.0.min.js"></script>\n', True),
    (
        "c7.html",
        '<script src="https://ajax.googleapis.com/ajax/libs/a/2.6/a.min.js"></script>\n',
        True,
    ),
    (
        "c9.hbs",
        '{{#if a}}\n<script src="https://unpkg.com/x@1.2.3/a.js"></script>\n{{/if}}\n',
        True,
    ),
    (
        "c10.html",
        '{# a\n<script src="https://unpkg.com/x@1.2.3/a.js"></script>\n#}\n',
        False,
    ),
    ("c8.html", '<script src="https://cdn.jsdelivr.net/npm/a@latest/a.js"></script>\n', False),
    ("c2.html", '<script src="https://cdn.vendor.example/all.js"></script>\n', False),
    ("u1.py", "def f(x):\n    return mark_safe(markdown(x))\n", True),
    ("u2.py", "def f(x):\n    return mark_safe(render(x))\n", False),
    ("u3.py", "def f(x):\n    return mark_safe(\n        f'<b>{x.title}</b>'\n    )\n", True),
    (
        "u8.py",
        "def f(x):\n    return Markup(\n        f'<b>{x.name!s}</b>'\n    )  # nosec\n",
        False,
    ),
    ("u9.py", "def f(n):\n    return Markup(f'<b>{noun(n)}</b> {n} {{x.title}}')\n", False),
    ("u12.html", "{% autoescape off %}\n{{ a }}\n{% endautoescape %}\n<p>\n", False),
    ("u13.html", "{% autoescape off %}\n<p>{{ a }}</p>\n{% endautoescape %}\n", True),
    ("u14.html", "{% autoescape off %}\n<p>{{ _('a %s', b) }}</p>\n{% endautoescape %}\n", False),
    ("u15.html", "{% autoescape off %}\n<p>{{ a|escape }}</p>\n{% endautoescape %}\n", False),
    ("u10.rb", "a = Render.new(params[:a]).to_html\nb = a.html_safe\n", False),
    ("u11.rb", "a = params[:a]\nb = a.html_safe\n", True),
    ("u16.erb", "<%=h params[:a] %> <%= raw translation('b') %>\n", False),
    ("u17.erb", "<%= raw translation('b', a: params[:a]) %>\n", True),
    ("u18.erb", "<%= raw translation('b', a: strip_tags(params[:a])) %>\n", False),
    ("u19.erb", "<% a = params[:a] %>\nlet a = <%= raw(a.to_json) %>\n", False),
    ("u20.erb", "<% a = params[:a] %>\n<%= link('More'.html_safe, a) %>\n", False),
    ("u21.erb", "<%= link(text('x', params[:a]).html_safe, a) %>\n", True),
    ("u22.py", "def f(a):\n    e = Environment(autoescape=False)\n    e.get('a.html')\n", False),
    ("u23.vue", '<p v-html="markdown(a)" :b="c" />\n', True),
    ("u24.vue", '<p v-html="a" :b="markdown(c)" />\n', False),
    ("u4.html", "<p>{{ field.contents|safe }}</p>\n", False),
    ("u5.html", "<p>{{ a.name|default:'<b>none</b>'|safe }}</p>\n", True),
    ("u6.tsx", "<p dangerouslySetInnerHTML={{ __html: icon }} />\n", False),
    ("u7.go", GO.format("x := r.FormValue(n)\n\ty := template.HTML(x)"), True),
    ("e1.js", "a.innerHTML = html\nb.innerHTML = await response.text()\n", False),
    ("e2.js", "a.innerHTML = `<b>${item.title}</b>`\n", False),
    ("e22.js", f"{LOADED}a.innerHTML = `<b>${{item.title}}</b>`\n", True),
    ("e23.js", f"{LOADED}a.insertAdjacentHTML('end', `<b>${{item.title}}</b>`)\n", True),
    ("e16.js", f"/*!\n * Player.js\n */\n{LOADED}a.innerHTML = '<b>' + item.title\n", False),
    ("e18.js", f"/* @preserve\n * Map 1.2 */\n{LOADED}a.innerHTML = '<b>' + item.title\n", False),
    (
        "e8.js",
        f"{LOADED}let t = item.title\nt = t.replace(/</g, '&lt;')\na.innerHTML = `<b>${{t}}</b>`\n",
        False,
    ),
    (
        "e9.js",
        f"{LOADED}let t = escape(item.title)\nt = item.title\na.innerHTML = `<b>${{t}}</b>`\n",
        True,
    ),
    ("d1.py", "def f(request):\n    a = request.GET['a']\n    return redirect('item', a)\n", False),
    ("d2.py", "def f(request):\n    return redirect(request.GET['a'])\n", True),
    (
        "d3.py",
        "def f(request):\n    if is_safe(\n        request.GET['a']\n    ):\n"
        "        return redirect(request.GET['a'])\n",
        False,
    ),
    ("d4.js", "function f(req, res) {\n  res.redirect(302, req.query.a)\n}\n", True),
    ("c3.html", '<script src="https://cdn.jsdelivr.net/npm/a@1.2.3/a.js"></script>\n', True),
    ("c4.html", '<script src="https://cdn.jsdelivr.net/npm/a@${A}/a.js"></script>\n', False),
    ("test-server.js", "req.on('data', (c) => { text += c })\n", False),
]


def test_in_a_whole_tree_only_what_is_shown_is_found(repo: Repo) -> None:
    assert len({name for name, _, _ in CERTAIN}) == len(CERTAIN)
    for name, text, _ in CERTAIN:
        repo.write(f"src/{name}", text)
    repo.write("src/names.py", "".join(f"show('{name}')\n" for name, _, _ in CERTAIN))
    repo.write("src/api.py", "@app.post('/item')\n")
    found = {one.path for one in RULE.check(whole_tree_subject(repo.project(), Scope()))}
    assert found == {f"src/{name}" for name, _, expected in CERTAIN if expected}


def test_in_a_whole_tree_html_is_safe_where_texts_are_stored_escaped(repo: Repo) -> None:
    repo.write("src/a.js", f"{LOADED}a.innerHTML = `<b>${{item.title}}</b>`\n")
    repo.write("src/api.py", "@app.post('/item')\n")
    assert len(list(RULE.check(whole_tree_subject(repo.project(), Scope())))) == 1
    repo.write("model.php", "$this->title = htmlspecialchars(strip_tags($this->title));\n")
    assert list(RULE.check(whole_tree_subject(repo.project(), Scope()))) == []


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("web/a.html", 1),
        ("web/sketches/a.html", 0),
        ("design-demos/a.html", 0),
        ("load/reports/a.html", 0),
        ("web/static/codemirror/mode/a.html", 0),
        ("web/static/box/example1/a.html", 0),
        ("web/static/box/demo.html", 0),
        ("web/a.backup.html", 0),
        ("web/New Folder/a.html", 0),
        ("web/charts-lines.html", 0),
        ("cli/templates/minimal/index.html", 0),
        ("templates/user/index.html", 1),
    ],
)
def test_in_a_whole_tree_pages_beside_the_product_are_left_out(
    repo: Repo, path: str, count: int
) -> None:
    repo.write(path, '<script src="https://unpkg.com/a@1.2.3/a.js"></script>\n')
    repo.write("app.py", f"render('{path}')\n")
    assert len(list(RULE.check(whole_tree_subject(repo.project(), Scope())))) == count


@pytest.mark.parametrize(
    ("path", "text", "limit"),
    [
        ("src/a.go", GO.format("b, _ := io.ReadAll(r.Body)"), "http.MaxBytesHandler(h, 1<<20)\n"),
        (
            "src/a.go",
            GO.format("b, _ := io.ReadAll(r.Body)"),
            "r.With(middleware.RequestSize(n)).Post(p, h)\n",
        ),
        (
            "src/a.py",
            "def f(request):\n    return request.get_data()\n",
            "MAX_CONTENT_LENGTH = 9\n",
        ),
        ("src/a.js", "req.on('data', (c) => { text += c })\n", "serve({ bodyLimit: 9 })\n"),
    ],
)
def test_a_limit_of_the_application_is_one_of_each_body(
    repo: Repo, path: str, text: str, limit: str
) -> None:
    def found() -> list[str]:
        return [one.rule for one in RULE.check(whole_tree_subject(repo.project(), Scope()))]

    repo.write(path, text)
    repo.write(f"tests/{Path(path).name}", limit)
    assert found() == ["security/request-body"]
    repo.write(path.replace("a.", "b."), limit)
    assert found() == []


def test_only_added_lines_count(tmp_path: Path) -> None:
    before = {"a.js": "a.innerHTML = x\n\n\n\n\n1\n"}
    after = {"a.js": "a.innerHTML = x\n\n\n\n\n2\nb.innerHTML = y\n"}
    assert findings_of(tmp_path, before, after) == {"a.js": ["7 inner-html"]}


def test_a_route_beside_others_without_authentication_is_ignored(tmp_path: Path) -> None:
    app = "const app = express()\napp.get('/a', a)\n"
    assert findings_of(tmp_path, {"a.js": app}, {"a.js": f"{app}app.get('/b', b)\n"}) == {}


def test_a_new_application_is_one_finding(tmp_path: Path) -> None:
    app = "const app = express()\napp.get('/healthz', h)\napp.get('/a', a)\napp.get('/b', b)\n"
    assert findings_of(tmp_path, {}, {"a.js": app}) == {"a.js": ["3 route"]}


def test_files_among_the_records_are_ignored(tmp_path: Path) -> None:
    assert findings_of(tmp_path, {}, {"docs/adrs/a.js": "a.innerHTML = x\n"}) == {}


def test_hostile_code_is_searched_in_linear_time(tmp_path: Path) -> None:
    lines = [
        "a.innerHTML = " + "(" * 200,
        "x.innerHTML = " + "'" * 300,
        'res.redirect(req.query.a ? "' + "\\" * 300,
        "a.innerHTML = " + "a ? " * 100,
        "app.get('/" + "(" * 200 + "', x",
        "<p>{{ " + "|" * 200 + "safe }}",
        "const app = express()",
    ]

    def make(count: int) -> Subject:
        text = "\n".join(lines * count)
        return subject_of(tmp_path / str(count), {}, {"src/a.js": text, "src/b.html": text})

    def search(subject: Subject) -> None:
        assert list(RULE.check(subject))

    assert_linear(search, make, 64)


def test_in_a_whole_tree_another_file_calls_a_function_and_sends_an_event(repo: Repo) -> None:
    repo.write("src/a.js", "socket.on('item.new', item => { a.innerHTML = `<b>${item.title}` })\n")
    repo.write(
        "src/b.js", f"async function show() {{\n{LOADED}a.innerHTML = `<b>${{item.title}}`\n}}\n"
    )
    repo.write("src/api.py", "@app.post('/item')\n")

    def found() -> set[str]:
        return {one.path for one in RULE.check(whole_tree_subject(repo.project(), Scope()))}

    assert found() == set()
    repo.write("tests/test_api.py", "emit('item.new')\nshow()\n")
    assert found() == set()
    repo.write("src/api.py", "@app.post('/item')\nemit('item.new')\nrun('show()')\n")
    assert found() == {"src/a.js", "src/b.js"}


@pytest.mark.parametrize(
    ("path", "file", "is_found"),
    [
        ("api/upload.js", "vercel.json", False),
        ("web/api/upload.js", "web/vercel.json", False),
        ("netlify/functions/upload.js", "netlify.toml", False),
        ("functions/upload.js", "netlify.toml", False),
        ("web/api/upload.js", "vercel.json", True),
        ("server/upload.js", "vercel.json", True),
    ],
)
def test_in_a_whole_tree_a_platform_limits_the_bodies_of_its_functions(
    repo: Repo, path: str, file: str, is_found: bool
) -> None:
    repo.write(path, "let body = ''\nreq.on('data', part => { body += part })\n")
    repo.write(file, "{}\n")
    findings = RULE.check(whole_tree_subject(repo.project(), Scope()))
    assert [one.path for one in findings] == [path] * is_found


def test_in_a_whole_tree_a_page_with_a_function_of_its_own_calls_no_other(repo: Repo) -> None:
    page = f"<script>\nasync function show() {{\n{LOADED}a.innerHTML = `<b>${{item.title}}`\n}}\n"
    repo.write("templates/a.html", page)
    repo.write("templates/b.html", f"<body onload='show()'>{page}")
    repo.write("app.py", "@app.post('/item')\nrender('a.html')\nrender('b.html')\n")
    findings = RULE.check(whole_tree_subject(repo.project(), Scope()))
    assert {one.path for one in findings} == {"templates/b.html"}
