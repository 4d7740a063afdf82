"""The small model that stands in where the shared one is missing does what a real one does."""

from sdd_hooks.engines.qmd.output import parse_embed, parse_results
from sdd_hooks.engines.qmd.process import run
from tests.support.gguf_model import make_gguf

RECORDS = {
    "a.md": "# Sessions\n\nA session ends with the last token of its user.\n",
    "b.md": "# Pages\n\nA page of the database goes through the cache.\n",
}


def test_the_made_model_embeds_and_finds(real_qmd, tmp_path):
    model = make_gguf(tmp_path / "tiny.gguf")
    for name, text in RECORDS.items():
        (tmp_path / name).write_text(text)
    place = real_qmd.place(tmp_path)
    real_qmd.declare(place, model, shop_adrs=".")

    def qmd(*args):
        done = run(real_qmd.installation, place, *args, deadline=60, environ=real_qmd.environ)
        assert done.code == 0, done
        return done

    qmd("update")
    done = qmd("embed")
    outcome = parse_embed(done.out, done.err)
    assert (outcome.embedded, outcome.failed) == (2, 0)
    for word, path in (("database", "b.md"), ("users", "a.md"), ("cache", "b.md")):
        done = qmd("query", f"vec: {word}", "--format", "json", "--explain", "--no-rerank")
        first, second = parse_results(done.out)
        assert first.path == path
        assert first.contributions[0].score > 0.3 > second.contributions[0].score
