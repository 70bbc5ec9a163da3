"""Files are found or the error says which command gets them; what is damaged is not used."""

import shutil

import pytest

from engine.errors import ModelDamaged, ModelMissing, UnknownVoice
from engine.families.embedded import assets, prepare, voices
from engine.families.embedded.assets import EmbeddedConfig


def test_a_model_path_that_is_not_there_names_the_key(tmp_path):
    with pytest.raises(ModelMissing, match=r"embedded\.model: there is no file"):
        assets.model_bytes(EmbeddedConfig(model=tmp_path / "none.onnx"))


def test_missing_voices_name_the_command(tmp_path):
    with pytest.raises(ModelMissing, match="voice-server models get"):
        assets.voices_folder(EmbeddedConfig(cache=tmp_path))
    with pytest.raises(ModelMissing, match="voice-server models get"):
        voices.Voices(tmp_path).style("af_heart", 10)


def test_a_damaged_voice_is_refused(tmp_path):
    (tmp_path / "af_heart.bin").write_bytes(b"1234")
    with pytest.raises(ModelDamaged, match="rows of 256"):
        voices.Voices(tmp_path).style("af_heart", 10)
    with pytest.raises(UnknownVoice):
        voices.Voices(tmp_path).style("nobody", 10)


def test_all_english_voices_are_listed_with_their_files(prepared):
    folder = prepared("int8").voices
    table = voices.table()
    assert len(table) == 28
    assert next(iter(table)) == "af_heart"
    for key, entry in table.items():
        assert assets.file_sha256(folder / f"{key}.bin") == entry.sha256
        assert entry.voice.language == ("en-GB" if key.startswith("b") else "en-US")


def test_a_style_row_is_chosen_by_token_count(prepared):
    styles = voices.Voices(prepared("int8").voices)
    assert styles.style("af_heart", 12).shape == (1, 256)
    assert not (styles.style("af_heart", 12) == styles.style("af_heart", 13)).all()
    assert (styles.style("af_heart", 9999) == styles.style("af_heart", 510)).all()


def test_a_damaged_prepared_file_is_noticed_and_whole_ones_are_kept(prepared, tmp_path):
    ready = prepared("int8")
    copy = tmp_path / "copy"
    shutil.copytree(ready.folder, copy)
    assert prepare._is_whole(copy)
    (copy / "prosody.onnx").write_bytes(b"short")
    assert not prepare._is_whole(copy)
    (copy / "manifest.json").unlink()
    assert not prepare._is_whole(copy)


def test_a_file_that_is_no_model_is_refused_by_the_process_that_prepares_it(tmp_path):
    junk = tmp_path / "junk.onnx"
    junk.write_bytes(b"this is not a model")
    config = EmbeddedConfig(model=junk, voices=EmbeddedConfig().cache / "voices", cache=tmp_path)
    told = []
    with pytest.raises(ModelDamaged, match="could not be prepared"):
        prepare.prepare(config, lambda what, done: told.append(what))
    assert "reading the model" in told
    assert list((tmp_path / "embedded").iterdir()) == []
