"""The vendors on hosts: addresses of projects, settings, and the tokens that belong to a host.

In the tables of text, `-` is an empty value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.settings import TrackerSettings
from sdd_hooks.errors import SddError
from sdd_hooks.remote.client import Client, RateLimitRule
from sdd_hooks.remote.credentials import Secret, TokenLookup, TokenSources
from sdd_hooks.remote.urls import parse_remote
from sdd_hooks.trackers.detection import Declaration, detect
from sdd_hooks.trackers.protocol import (
    TrackedRepository,
    TrackerEnvironment,
    TrackerLocation,
    TrackerVendor,
)
from sdd_hooks.trackers.registry import find_vendor, registered_trackers


def vendor_of(name: str) -> TrackerVendor:
    return find_vendor(name, registered_trackers())[1]


def around(origin: str = "", environ: Mapping[str, str] | None = None) -> TrackedRepository:
    remote = parse_remote(origin) if origin else None
    assert remote is not None or not origin
    return TrackedRepository(Path("/nonexistent"), (), lambda: remote, environ or {})


def rows(table: str) -> list[list[str]]:
    """The cells of each line of a table."""
    return [["" if cell == "-" else cell for cell in line.split()] for line in table.split("\n")]


def variables(text: str) -> dict[str, str]:
    """The pairs of a text such as `A=1,B=2`."""
    return dict(pair.split("=", 1) for pair in text.split(",") if pair)


DETECTED = """\
github git://github.com/acme/shop.git/ https://github.com acme shop
github https://ada:s3cret@GitHub.com./acme/shop https://github.com acme shop
github https://github.com/acme/shop.git https://github.com acme shop
github git@github.com:acme/shop.git https://github.com acme shop
github ssh://git@ssh.github.com:443/acme/shop.git https://github.com acme shop
github http://GITHUB.com/Acme/shop.js https://github.com Acme shop.js
gitlab git@gitlab.com:acme/shop.git https://gitlab.com acme shop
gitlab https://gitlab.com/acme/tools/shop https://gitlab.com acme/tools shop
gitlab ssh://git@altssh.gitlab.com:443/acme/shop.git https://gitlab.com acme shop
gitlab git@gitlab.acme.example:a/b.git https://gitlab.acme.example a b
gitlab https://gitlab.example:8443/a/b https://gitlab.example:8443 a b
gitlab http://gitlab.lan/a/b http://gitlab.lan a b
gitea https://gitea.example/acme/shop.git https://gitea.example acme shop
gitea https://Gitea.Example./acme/shop/ https://gitea.example acme shop
gitea https://ana:secret@gitea.example/acme/shop https://gitea.example acme shop
gitea https://gitea.example:3000/acme/shop https://gitea.example:3000 acme shop
gitea http://gitea:3000/acme/shop.git http://gitea:3000 acme shop
gitea https://gitea.example/git/acme/shop https://gitea.example/git acme shop
gitea git@gitea.example:acme/shop.git https://gitea.example acme shop
gitea ssh://git@gitea.example:2222/acme/shop.git https://gitea.example acme shop
gitea ssh://git@gitea.example/~/acme/shop https://gitea.example acme shop
gitea git://gitea.example/acme/shop https://gitea.example acme shop
gitea https://codeberg.org/acme/shop https://codeberg.org acme shop
gitea git@codeberg.org:acme/shop.git https://codeberg.org acme shop
gitea https://gitea.com/acme/shop https://gitea.com acme shop"""


@pytest.mark.parametrize(("name", "origin", "url", "owner", "project"), rows(DETECTED))
def test_detection_by_the_origin(
    name: str, origin: str, url: str, owner: str, project: str
) -> None:
    """Only this vendor recognises it."""
    declaration = Declaration(TrackerSettings())
    found = detect(declaration, around(origin), registered_trackers()).tracker
    assert found is not None
    assert (found.name, found.location) == (name, TrackerLocation(url, owner, project))


@pytest.mark.parametrize(
    "origin",
    [
        "https://bitbucket.org/acme/shop",
        "https://acme.example/github.com/shop",
        "https://github.com@acme.example/acme/shop",
        "/srv/git/github.com/acme/shop.git",
        "file:///srv/git/shop.git",
        "C:\\git\\shop",
    ],
)
def test_origins_of_no_vendor(origin: str) -> None:
    repository = around()._replace(find_origin=lambda: parse_remote(origin))
    assert detect(Declaration(TrackerSettings()), repository, registered_trackers()).tracker is None


UNKNOWN = """\
github -
github https://github.com/acme
github https://github.com/acme/shop/wiki
github https://github.com/acme/..
github https://github.com.evil.example/acme/shop
github https://github.example/acme/shop
gitlab -
gitlab git@gitlab:a/b.git
gitlab git@notgitlab.example:a/b.git
gitlab https://example.com/gitlab/b
gitlab https://gitlab.com/alone
gitlab https://gitlab.com/a/../b
gitea -
gitea https://github.com/acme/shop
gitea https://git.example/acme/shop
gitea https://forgejo.example/acme/shop
gitea https://mygitea.example/acme/shop
gitea https://codeberg.org.evil.example/acme/shop
gitea https://notcodeberg.org/acme/shop
gitea https://gitea.example/shop
gitea https://gitea.example/acme/sh%20op
gitea https://gitea.example/acme/..
jira https://acme.atlassian.net/acme/shop
linear https://linear.app/acme/shop"""


@pytest.mark.parametrize(("name", "origin"), rows(UNKNOWN))
def test_origins_that_are_not_detected(name: str, origin: str) -> None:
    assert vendor_of(name).detect(around(origin)) is None


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({"GITEA_URL": "https://git.example"}, "https://git.example"),
        ({"GITEA_URL": "https://git.example:3000/git/"}, "https://git.example:3000/git"),
        ({"GITEA_URL": "git.example"}, "https://git.example"),
        ({"GITEA_SERVER_URL": "http://git.example:8080"}, "http://git.example:8080"),
        (
            {"GITEA_ACTIONS": "true", "GITHUB_SERVER_URL": "https://git.example"},
            "https://git.example",
        ),
        ({"GITHUB_SERVER_URL": "https://git.example"}, None),
        ({"GITEA_URL": "https://other.example"}, None),
        ({"GITEA_URL": "https://git.example/../x"}, None),
        ({"GITEA_URL": "\x00"}, None),
    ],
)
def test_detection_by_the_environment(environ: Mapping[str, str], url: str | None) -> None:
    found = vendor_of("gitea").detect(around("git@git.example:acme/shop.git", environ))
    assert found == (url and TrackerLocation(url, "acme", "shop"))


DECLARED = """\
github owner=acme,repo=shop https://gitlab.example/a/b https://github.com acme shop
github - git@github.com:acme/shop.git https://github.com acme shop
github repo=tools git@github.com:acme/shop.git https://github.com acme tools
github - ssh://git@ghe.example:2222/acme/shop.git https://ghe.example acme shop
github url=https://GHE.example/ git@ghe.example:acme/shop.git https://ghe.example acme shop
github url=https://ghe.example:8443/acme/shop - https://ghe.example:8443 acme shop
github url=https://api.github.com,owner=acme,repo=shop - https://github.com acme shop
gitlab - git@gitlab.com:acme/shop.git https://gitlab.com acme shop
gitlab - git@git.acme.example:a/b/c.git https://git.acme.example a/b c
gitlab owner=x/y git@gitlab.com:a/b.git https://gitlab.com x/y b
gitlab owner=x,repo=y - https://gitlab.com x y
gitlab owner=x,repo=y git@git.a.example:a/b https://gitlab.com x y
gitlab url=https://gitlab.com/a/b/c - https://gitlab.com a/b c
gitlab url=https://gitlab.com/a/b.git - https://gitlab.com a b
gitlab url=https://GITLAB.acme.example/ git@gitlab.acme.example:a/b https://gitlab.acme.example a b
gitlab url=https://acme.example/gitlab,owner=x,repo=y - https://acme.example/gitlab x y
gitlab url=https://gitlab.com/x/y,owner=x,repo=y - https://gitlab.com x y
gitea - git@git.example:acme/shop.git https://git.example acme shop
gitea owner=acme,repo=shop git@git.example:a/b https://git.example acme shop
gitea owner=acme,repo=shop,url=https://x.example/ - https://x.example acme shop
gitea owner=acme,repo=shop,url=x.example:3000 - https://x.example:3000 acme shop
gitea url=http://x.example/git git@y.example:acme/shop http://x.example/git acme shop
gitea owner=acme,repo=shop,url=https://x.example/acme/shop - https://x.example acme shop
gitea owner=acme,repo=shop,url=https://x.example/git/acme/shop/ - https://x.example/git acme shop
jira project_key=SHOP,url=https://acme.atlassian.net - https://acme.atlassian.net - SHOP
jira project_key=shop,url=acme.atlassian.net/ - https://acme.atlassian.net - SHOP
jira project_key=SHOP,url=https://a.atlassian.net/jira/software/projects/SHOP/boards/1?x=y - https://a.atlassian.net - SHOP
jira project_key=SHOP,url=https://A.example:84/jira/browse/SHOP-1 - https://a.example:84/jira - SHOP
jira project_key=SHOP,url=https://acme.example/a/b/ - https://acme.example/a/b - SHOP
jira project_key=SHOP,url=https://acme.example/issues - https://acme.example/issues - SHOP
linear team_id=ENG - https://linear.app - ENG
linear team_id=ENG,url=https://linear.app/acme/team/ENG - https://linear.app acme ENG
linear team_id=ENG,url=https://linear.app/acme/team/ENG,owner=b - https://linear.app b ENG
linear team_id=ENG,url=http://[::1 - https://linear.app - ENG"""  # noqa: E501


@pytest.mark.parametrize(("name", "settings", "origin", "url", "owner", "project"), rows(DECLARED))
def test_declared_project(
    name: str, settings: str, origin: str, url: str, owner: str, project: str
) -> None:
    declared = TrackerSettings(name, **variables(settings))
    found = vendor_of(name).locate(declared, around(origin))
    assert found == TrackerLocation(url, owner, project)


@pytest.mark.parametrize(
    "variable", ["JIRA_URL=https://acme.example", "JIRA_BASE_URL=acme.example"]
)
def test_the_address_of_jira_in_the_environment(variable: str) -> None:
    settings = TrackerSettings("jira", project_key="SHOP")
    found = vendor_of("jira").locate(settings, around(environ=variables(variable)))
    assert found == TrackerLocation("https://acme.example", "", "SHOP")


GITHUB, GITEA, JIRA = "https://ghe.example", "https://x.example", "https://acme.atlassian.net"


@pytest.mark.parametrize(
    ("name", "settings", "named"),
    [
        ("github", {}, "Owner"),
        ("github", {"owner": "acme"}, "Repo"),
        ("github", {"url": GITHUB}, "Owner"),
        ("github", {"owner": "../x", "repo": "shop"}, "Owner"),
        ("github", {"owner": "acme", "repo": ".."}, "Repo"),
        ("github", {"owner": "acme", "repo": "a/b"}, "Repo"),
        ("github", {"owner": "acme", "repo": "shop", "url": "ghe.example"}, "URL"),
        ("github", {"owner": "acme", "repo": "shop", "url": "https://u:p@ghe.example"}, "URL"),
        ("gitlab", {}, "Owner"),
        ("gitlab", {"owner": "a"}, "Repo"),
        ("gitlab", {"repo": "b"}, "Owner"),
        ("gitlab", {"owner": "../..", "repo": "b"}, "Owner"),
        ("gitlab", {"owner": "a", "repo": ".."}, "Repo"),
        ("gitlab", {"owner": "a", "repo": "b/c"}, "Repo"),
        ("gitlab", {"owner": "a?b", "repo": "c"}, "Owner"),
        ("gitlab", {"url": "ftp://x"}, "URL"),
        ("gitlab", {"url": "https://user:pass@gitlab.com/a/b"}, "URL"),
        ("gitlab", {"url": "https://gitlab.com/a/../b"}, "URL"),
        ("gitea", {}, "URL"),
        ("gitea", {"owner": "acme", "repo": "shop"}, "URL"),
        ("gitea", {"url": GITEA}, "Owner"),
        ("gitea", {"owner": "acme", "url": GITEA}, "Repo"),
        ("gitea", {"owner": "../x", "repo": "shop", "url": GITEA}, "Owner"),
        ("gitea", {"owner": "acme", "repo": "..", "url": GITEA}, "Repo"),
        ("gitea", {"owner": "acme", "repo": "a/b", "url": GITEA}, "Repo"),
        ("gitea", {"owner": "a\nb", "repo": "shop", "url": GITEA}, "Owner"),
        ("gitea", {"owner": "acme", "repo": "shop", "url": "https://u:pass@x.example"}, "URL"),
        ("gitea", {"owner": "acme", "repo": "shop", "url": "ftp://x.example"}, "URL"),
        ("gitea", {"owner": "acme", "repo": "shop", "url": f"{GITEA}/a b"}, "URL"),
        ("gitea", {"owner": "acme", "repo": "shop", "url": f"{GITEA}/?q=1"}, "URL"),
        ("gitea", {"owner": "acme", "repo": "shop", "url": f"{GITEA}/a/../b"}, "URL"),
        ("gitea", {"owner": "acme", "repo": "shop", "url": f"{GITEA}\nY: z"}, "URL"),
        ("jira", {"url": JIRA}, "Project Key"),
        ("jira", {}, "Project Key"),
        ("jira", {"project_key": 'SHOP" OR project = "HR', "url": JIRA}, "Project Key"),
        ("jira", {"project_key": "SHOP-1", "url": JIRA}, "Project Key"),
        ("jira", {"project_key": "Ａ", "url": JIRA}, "Project Key"),
        ("jira", {"project_key": "SHOP"}, "URL"),
        ("jira", {"project_key": "SHOP", "url": "https://u:pass@acme.example"}, "URL"),
        ("jira", {"project_key": "SHOP", "url": "file:///etc/passwd"}, "URL"),
        ("jira", {"project_key": "SHOP", "url": "https://acme.example/../x"}, "URL"),
        ("jira", {"project_key": "SHOP", "url": "https://acme.example/a b"}, "URL"),
        ("linear", {}, "Team ID"),
        ("linear", {"team_id": "a b"}, "Team ID"),
        ("linear", {"team_id": "../x"}, "Team ID"),
        ("linear", {"team_id": "ENG\n- **URL**: x"}, "Team ID"),
        ("linear", {"team_id": "x" * 65}, "Team ID"),
    ],
)
def test_invalid_settings(name: str, settings: dict[str, str], named: str) -> None:
    with pytest.raises(SddError, match=named) as caught:
        vendor_of(name).locate(TrackerSettings(name, **settings), around())
    assert "\n" not in str(caught.value)
    assert "pass" not in str(caught.value).replace("passwd", "")


def test_an_origin_on_another_host_completes_no_settings() -> None:
    with pytest.raises(SddError, match="Owner"):
        vendor_of("github").locate(
            TrackerSettings("github", url=GITHUB), around("git@github.com:a/b")
        )


@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_any_settings_give_an_address_or_a_one_line_error(url: str, owner: str, repo: str) -> None:
    for name in ("github", "gitlab", "gitea"):
        try:
            found = vendor_of(name).locate(TrackerSettings(name, owner, repo, url=url), around())
        except SddError as error:
            assert str(error).isprintable()
        else:
            assert found.url.startswith(("http://", "https://"))
            assert (found.owner, found.project) == (owner or found.owner, repo or found.project)


class Opened(NamedTuple):
    """The address of the API of an opened tracker, and with what its client was made."""

    api: str
    sources: TokenSources
    rule: RateLimitRule | None


def opened(name: str, url: str, environ: Mapping[str, str] | None = None) -> Opened:
    found: list[Opened] = []

    def connect(
        api: str, sources: TokenSources | None, rule: RateLimitRule | None = None
    ) -> Client:
        assert sources is not None
        found.append(Opened(api, sources, rule))
        return Client(api, label="any")

    vendor = vendor_of(name)
    project = "SHOP" if name == "jira" else "shop"
    environment = TrackerEnvironment(around(environ=environ), connect)
    vendor.open(TrackerLocation(url, "acme", project), environment).disconnect()
    return found[0]


APIS = """\
github https://github.com https://api.github.com
github https://ghe.example https://ghe.example/api/v3
github https://acme.ghe.com https://api.acme.ghe.com
gitlab https://gitlab.com https://gitlab.com/api/v4
gitea https://gitea.example/git https://gitea.example/git/api/v1
jira https://acme.example/jira https://acme.example/jira
linear https://evil.example/graphql https://api.linear.app/graphql"""


@pytest.mark.parametrize(("name", "url", "api"), rows(APIS))
def test_the_address_of_the_api(name: str, url: str, api: str) -> None:
    found = opened(name, url)
    assert found.api == api
    assert (found.rule is None) == (name == "gitea")


# The last column is the value of the token that the host gets.
TOKENS = """\
github https://github.com GITHUB_TOKEN=one one
github https://github.com GH_TOKEN=two two
github https://ghe.example GITHUB_TOKEN=one,GH_TOKEN=two -
github https://ghe.example GITHUB_TOKEN=one,GITHUB_SERVER_URL=https://ghe.example one
github https://github.com GITHUB_TOKEN=one,GITHUB_SERVER_URL=https://g.lan -
github https://github.com GITHUB_TOKEN=no,GH_TOKEN=two,GITEA_ACTIONS=true,GITHUB_SERVER_URL=https://g.lan two
github https://github.com GH_TOKEN=two,GITHUB_SERVER_URL=https://ghe.example -
github https://ghe.example GH_ENTERPRISE_TOKEN=three,GH_HOST=ghe.example three
github https://github.com GH_ENTERPRISE_TOKEN=three,GH_HOST=ghe.example -
gitlab https://gitlab.com GITLAB_TOKEN=t t
gitlab https://git.example GITLAB_TOKEN=t -
gitlab https://git.example GITLAB_TOKEN=t,GITLAB_HOST=git.example t
gitlab https://gitlab.com GITLAB_TOKEN=t,GITLAB_HOST=git.example -
gitlab https://git.example GITLAB_TOKEN=t,CI_SERVER_URL=https://git.example t
gitlab https://gitlab.com CI_JOB_TOKEN=t,CI_SERVER_URL=https://gitlab.com -
gitea https://g.lan GITEA_TOKEN=one,GITEA_URL=https://g.lan one
gitea https://g.lan GITEA_TOKEN=one,GITEA_URL=g.lan one
gitea https://g.lan GITEA_TOKEN=one,GITEA_SERVER_URL=https://g.lan/ one
gitea https://g.lan GITEA_TOKEN=one -
gitea https://gitea.com GITEA_TOKEN=one -
gitea https://codeberg.org GITEA_TOKEN=one -
gitea https://g.lan GITEA_TOKEN=one,GITEA_URL=https://other.example -
gitea https://g.lan GITEA_TOKEN=one,GITEA_URL=https://g.lan.evil.example -
gitea https://g.lan GITHUB_TOKEN=two,GITHUB_SERVER_URL=https://g.lan -
gitea https://g.lan GITEA_ACTIONS=true,GITHUB_TOKEN=two,GITHUB_SERVER_URL=https://g.lan two
gitea https://g.lan GITEA_ACTIONS=true,GITHUB_TOKEN=two,GITHUB_API_URL=https://g.lan/api/v1 two
gitea https://g.lan GITEA_ACTIONS=true,GITHUB_TOKEN=two,GITHUB_SERVER_URL=https://b.lan,GITEA_URL=https://g.lan -
jira https://acme.atlassian.net JIRA_EMAIL=a@b.example,JIRA_API_TOKEN=one one
jira https://acme.atlassian.net JIRA_API_TOKEN=one -
jira https://acme.atlassian.net JIRA_PAT=two -
jira https://j.example JIRA_EMAIL=a@b.example,JIRA_API_TOKEN=one -
jira https://j.example JIRA_EMAIL=a@b.example,JIRA_API_TOKEN=one,JIRA_URL=https://x.atlassian.net -
jira https://j.example JIRA_PAT=two,JIRA_URL=https://j.example/jira two
jira https://j.example JIRA_PAT=two,JIRA_BASE_URL=https://j.example two
jira https://j.example JIRA_PAT=two -
jira https://acme.atlassian.net.evil.example JIRA_EMAIL=a@b.example,JIRA_API_TOKEN=one -
jira https://atlassian.net.evil.example JIRA_EMAIL=a@b.example,JIRA_API_TOKEN=one,JIRA_PAT=two -
linear https://linear.app LINEAR_API_KEY=lin lin
linear https://linear.app LINEAR_API_KEY=lin,LINEAR_API_URL=http://127.0.0.1:8080/graphql lin"""  # noqa: E501


@pytest.mark.parametrize(("name", "url", "environ", "value"), rows(TOKENS))
def test_the_token_of_a_host(name: str, url: str, environ: str, value: str, tmp_path: Path) -> None:
    clean = {"PATH": "", "HOME": str(tmp_path), **variables(environ)}
    found = opened(name, url, clean)
    secret = TokenLookup(found.sources, lambda: None, tmp_path, clean).find(found.api)
    assert (secret.value if secret else "") == value


def test_an_api_of_linear_that_is_not_in_the_environment_gets_no_key() -> None:
    sources = opened("linear", "https://linear.app").sources
    for api, variable in (
        ("https://evil.example/graphql", ""),
        ("https://api.linear.app/graphql", "LINEAR_API_URL=http://127.0.0.1:8080/graphql"),
    ):
        environ = {"LINEAR_API_KEY": "lin", **variables(variable)}
        assert TokenLookup(sources, lambda: None, Path("/nonexistent"), environ).find(api) is None


ADVICE = """\
gitea https://gitea.com GITEA_TOKEN=one GITEA_URL=https://gitea.com
gitlab https://gitlab.com CI_JOB_TOKEN=t,CI_SERVER_URL=https://gitlab.com CI_JOB_TOKEN
gitlab https://gitlab.com - glab"""


@pytest.mark.parametrize(("name", "url", "environ", "said"), rows(ADVICE))
def test_the_advice_for_a_host_without_a_token(
    name: str, url: str, environ: str, said: str, tmp_path: Path
) -> None:
    given_variables = {"PATH": "", "HOME": str(tmp_path), **variables(environ)}
    found = opened(name, url, given_variables)
    advice = TokenLookup(found.sources, lambda: None, tmp_path, given_variables).advice(found.api)
    assert said in advice


BASIC = {"Authorization": "Basic w6Rubjpww6Rzcw=="}
"""The user `änn` and the password `päss`."""


@pytest.mark.parametrize(
    ("name", "url", "secret", "headers"),
    [
        ("github", "https://github.com", Secret("t", "X"), {"Authorization": "Bearer t"}),
        ("gitlab", "https://gitlab.com", Secret("t", "X"), {"PRIVATE-TOKEN": "t"}),
        ("gitlab", "https://gitlab.com", Secret("t", "git", "ana"), {"PRIVATE-TOKEN": "t"}),
        (
            "gitlab",
            "https://gitlab.com",
            Secret("t", "git", "oauth2"),
            {"Authorization": "Bearer t"},
        ),
        ("gitea", "https://gitea.example", Secret("t", "X"), {"Authorization": "token t"}),
        ("gitea", "https://gitea.example", Secret("päss", "git", "änn"), BASIC),
        ("jira", "https://acme.atlassian.net", Secret("päss", "X", "änn"), BASIC),
        ("jira", "https://jira.example", Secret("t", "X"), {"Authorization": "Bearer t"}),
        ("linear", "https://linear.app", Secret("lin_api_x", "X"), {"Authorization": "lin_api_x"}),
        ("linear", "https://linear.app", Secret("lin_x", "X"), {"Authorization": "Bearer lin_x"}),
    ],
)
def test_the_headers_of_a_token(
    name: str, url: str, secret: Secret, headers: Mapping[str, str]
) -> None:
    sources = opened(name, url).sources
    assert sources.headers(secret) == headers
    assert sources.git == (name in {"github", "gitlab", "gitea"})


def test_the_program_that_knows_the_token_of_github() -> None:
    sources = opened("github", "https://github.com").sources
    assert sources.commands("github.com") == (("gh", "auth", "token", "--hostname", "github.com"),)


STORES = {
    "gitea": """\
logins:
    - name: work
      url: https://gitea.example
      token: one
      user: ana
    - name: other
      url: https://other.example:3000/git
      token: two
    - name: broken
      url: 7
    - none
""",
    "gitlab": """\
git_protocol: ssh
hosts:
    gitea.example:
        token: !!null one
        user: ana
    other.example:3000:
        token: two
        is_oauth2: "true"
    empty.example:
        token:
""",
}
"""What tea and glab store."""


def stored(name: str, host: str, environ: Mapping[str, str]) -> Secret | None:
    sources = opened(name, "https://gitea.example").sources
    assert sources.stored is not None
    return sources.stored(host, environ)


def write_store(folder: Path, content: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yml").write_bytes(content)


FOLDERS = """\
gitea HOME .config/tea
gitea HOME Library/Application~Support/tea
gitea XDG_CONFIG_HOME tea
gitlab HOME .config/glab-cli
gitlab HOME Library/Application~Support/glab-cli
gitlab XDG_CONFIG_HOME glab-cli
gitlab GLAB_CONFIG_DIR ."""


@pytest.mark.parametrize(("name", "variable", "below"), rows(FOLDERS))
def test_the_token_that_a_program_stores(
    name: str, variable: str, below: str, tmp_path: Path
) -> None:
    write_store(tmp_path / below.replace("~", " "), STORES[name].encode())
    environ = {variable: str(tmp_path)}
    program, kind = ("tea", "") if name == "gitea" else ("glab", "oauth2")
    one = stored(name, "gitea.example", environ)
    assert one == Secret("one", program)
    assert "one" not in repr(one)
    assert stored(name, "other.example:3000", environ) == Secret("two", program, kind)
    assert stored(name, "other.example", environ) is None
    assert stored(name, "empty.example", environ) is None
    assert stored(name, "gitea.example", {variable: "relative"}) is None
    assert stored(name, "gitea.example", {}) is None


def invalid_stores() -> Iterator[tuple[str, bytes]]:
    """The name of a vendor, and a file from which it can read no token."""
    for name in STORES:
        yield name, b""
        yield name, b"\xff\xfe\x00"
        yield name, b"[" * 1000
        yield name, b"a: &a [*a]"
        yield name, b"!!python/object/apply:os.system [ls]"
        yield name, STORES[name].replace("one", '"  "').encode()
        yield name, STORES[name].replace("one", "[x]").encode()
    yield "gitea", b"logins: 7"
    yield "gitea", STORES["gitea"].replace("//gitea", "//u:p@gitea").encode()
    yield "gitlab", b"hosts: [gitea.example]"
    yield "gitlab", b"hosts: {gitea.example: glpat}"
    yield "gitlab", b"hosts: {gitea.example: {token: !!python/object/apply:os.getcwd []}}"
    yield "gitlab", b"#" * 1_000_001 + b"\n" + STORES["gitlab"].encode()


@pytest.mark.parametrize(("name", "content"), [*invalid_stores()])
def test_an_invalid_file_of_a_program(name: str, content: bytes, tmp_path: Path) -> None:
    for folder in ("tea", "glab-cli"):
        write_store(tmp_path / folder, content)
    assert stored(name, "gitea.example", {"XDG_CONFIG_HOME": str(tmp_path)}) is None


@pytest.mark.parametrize("name", STORES)
def test_a_directory_as_the_file_of_a_program(name: str, tmp_path: Path) -> None:
    for folder in ("tea", "glab-cli"):
        (tmp_path / folder / "config.yml").mkdir(parents=True)
    assert stored(name, "gitea.example", {"XDG_CONFIG_HOME": str(tmp_path)}) is None
