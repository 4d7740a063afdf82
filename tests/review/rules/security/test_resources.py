"""What addresses are about, and what people write through a program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.drift.whole_tree import Scope, whole_tree_subject
from sdd_hooks.review.rules.security.resources import find_resource, find_written
from tests.support.cpu_time import assert_linear
from tests.support.repos import Repo


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("'/api/rooms'", "room"),
        ("'/api/rooms/' + id", "room"),
        ("BASE + '/rooms/' + id + \"/guests?x=\" + y", "guest"),
        ("`/rooms/${room.id}/reviews#top`", "review"),
        ("'https://example.org/v1/purchase-notifications'", "notific"),
        ("'get_products.php'", "product"),
        ("'/devices/all'", "devic"),
        ("API.listRooms", "room"),
        ("supabase.from('rooms').select('id, name')", "room"),
        ("collection(db, 'rooms')", "room"),
        ("{ url: '/rooms', method: 'GET', headers: { Accept: 'text/plain' } }", "room"),
        ("roomsUrl", "room"),
        ("'/комнаты'", "комнаты"),
        ("fetch", ""),
        ("'/api/v1/' + id", ""),
        ("", ""),
    ],
)
def test_what_an_address_is_about(address: str, expected: str) -> None:
    assert find_resource(address) == expected


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("web/a.js", "fetch('/api/rooms', { method: 'POST', body })"),
        ("web/a.js", "fetch(`${base}/rooms/${id}`, {\n  headers: h(),\n  method: 'put',\n})"),
        ("web/a.js", "fetch('/x'); $.ajax({ type: 'POST', url: '/rooms/add', data: { a: 1 } })"),
        ("web/a.js", "axios.post('/rooms', room)"),
        ("web/a.js", "api.createRoom(room)"),
        ("web/a.js", "supabase.from('rooms').update({ name })"),
        ("web/a.js", "addDoc(collection(db, 'rooms'), room)"),
        ("server/a.js", "app.put('/api/rooms/:id', save)"),
        ("server/rooms.js", "router.post('/', save)"),
        ("server/a.ts", "this.http.patch<Room>(`${this.url}/rooms/1`, room)"),
        ("a.py", "@app.route('/rooms', methods=['GET', 'POST'])"),
        ("a.py", "router.register(r'rooms', views.RoomViewSet)"),
        ("a.go", 'r.POST("/rooms", save)'),
        ("a.go", 'mux.HandleFunc("PUT /rooms/{id}", save)'),
        ("a.go", 'r.HandleFunc("/rooms", save).Methods("GET", "POST")'),
        ("a.java", '@PostMapping(value = "/rooms")'),
        ("RoomController.java", "@PostMapping\nRoom save() {}"),
        ("a.cs", '[HttpPost("rooms")]'),
        ("a.rb", "resources :rooms"),
        ("a.php", "Route::post('/rooms', save);"),
        ("save_room.php", "<?php $name = $_POST['name'];"),
        ("a.html", "<form class='x' action='/rooms/new' method='post'>"),
        ("a.html", "<form method=post action=\"{% url 'add_room' %}\">"),
        ("rooms/new.html", "<form method='post'>"),
    ],
)
def test_what_people_write(repo: Repo, path: str, text: str) -> None:
    repo.write(path, f"{text}\n")
    assert "room" in find_written(whole_tree_subject(repo.project(), Scope()))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("web/a.js", "fetch('/api/rooms')"),
        ("web/a.js", "fetch('/guests', { method: 'POST' }); fetch('/rooms')"),
        ("web/a.js", "fetch('/rooms'); fetch('/guests', { method: 'POST' })"),
        ("server/a.js", "app.get('/rooms', list); app.post('/guests', save)"),
        ("a.html", "<form action='/rooms'>"),
        ("tests/test_a.py", "client.post('/rooms')"),
        ("node_modules/a/a.js", "axios.post('/rooms')"),
        ("README.md", "`POST /rooms`"),
    ],
)
def test_what_people_only_read(repo: Repo, path: str, text: str) -> None:
    repo.write(path, f"{text}\n")
    assert "room" not in find_written(whole_tree_subject(repo.project(), Scope()))


def test_what_people_choose_is_not_written(repo: Repo) -> None:
    repo.write("a.js", "axios.post('/carts/items', { id })\n")
    assert find_written(whole_tree_subject(repo.project(), Scope())) == {"item"}


@given(st.text(alphabet="abc/'\"`${}?#().: \n", max_size=200))
def test_any_address_is_read(address: str) -> None:
    find_resource(address)


@pytest.mark.parametrize(
    "piece",
    ["<form method='post' ", "method: 'post' ", "'/a' ", ".post('", "'/a'.Methods(", "url: "],
)
def test_hostile_files_are_read_in_linear_time(repo: Repo, piece: str) -> None:
    def make(count: int) -> str:
        return piece * count

    def read(text: str) -> None:
        repo.write("a.js", text)
        find_written(whole_tree_subject(repo.project(), Scope()))

    assert_linear(read, make, 1_000)
