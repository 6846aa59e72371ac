import { expect, test } from 'vitest';
import { compareWithDisk } from '../../src/artifacts/generate.ts';
import { computeSha256 } from '../../src/platform/text.ts';

test('reports what is new, changed, edited and obsolete', () => {
  const disk: Record<string, string> = {
    same: 'a',
    ours: 'old',
    edited: 'mine',
    foreign: 'mine',
    gone: 'old',
    goneEdited: 'mine',
  };
  const before = ['same', 'ours', 'edited', 'gone', 'goneEdited', 'goneAlready'];
  const previous = { files: before.map((file) => ({ file, sha256: computeSha256(file === 'same' ? 'a' : 'old') })) };
  const files = ['same', 'ours', 'edited', 'foreign', 'fresh'].map((file) => ({
    file,
    content: file === 'same' ? 'a' : 'new',
  }));
  expect(compareWithDisk(files, previous, (file) => disk[file] ?? null)).toEqual([
    { file: 'same', state: 'unchanged' },
    { file: 'ours', state: 'changed' },
    { file: 'edited', state: 'edited' },
    { file: 'foreign', state: 'edited' },
    { file: 'fresh', state: 'new' },
    { file: 'gone', state: 'obsolete' },
    { file: 'goneEdited', state: 'obsolete-edited' },
  ]);
});

test('a file with the expected content is unchanged, even without a record of it', () => {
  expect(compareWithDisk([{ file: 'a', content: 'x' }], null, () => 'x')).toEqual([{ file: 'a', state: 'unchanged' }]);
});
