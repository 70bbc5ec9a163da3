"""Takes and scenes as files: sound, stems, captions. Blocks in, blocks out; memory stays flat."""
