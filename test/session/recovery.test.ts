import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readJournal } from '../../src/session/journal.ts';
import { listJournalFiles } from '../../src/session/journal-file.ts';
import { applyStatePatch, diffStates } from '../../src/session/patch.ts';
import { openSession } from '../../src/session/session.ts';
import { getPreviousSessionFile, getSessionFile, readSession } from '../../src/session/session-file.ts';
import { addChecksum, freshState, type SessionState } from '../../src/session/state.ts';
import fc from '../support/property.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'recover-'));
  file = getSessionFile(dir);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const createState = (name: string): SessionState => ({ ...freshState, design: { cluster: { name } } });
const getJournalFile = (of: string) => listJournalFiles(of)[0];
const listFiles = () => readdirSync(dirname(file)).sort();

/** Saves three answers in one run. */
function saveThree(): void {
  const session = openSession(dir);
  for (const name of ['first', 'second', 'third']) session.save(createState(name));
}

const DAMAGES: readonly (readonly [string, () => void])[] = [
  ['empty', () => truncateSync(file, 0)],
  ['cut off', () => truncateSync(file, 40)],
  ['no object', () => writeFileSync(file, '[]')],
  ['another shape', () => writeFileSync(file, '{"schemaVersion":2}')],
  ['changed', () => writeFileSync(file, readFileSync(file, 'utf8').replace('third', 'thirt'))],
  ['gone', () => rmSync(file)],
  [
    'a directory',
    () => {
      rmSync(file);
      mkdirSync(file);
    },
  ],
  [
    'a named pipe',
    () => {
      rmSync(file);
      execFileSync('/usr/bin/env', ['mkfifo', file]);
    },
  ],
  [
    'a link',
    () => {
      rmSync(file);
      symlinkSync('/etc/passwd', file);
    },
  ],
  ['huge', () => truncateSync(file, 2 * 1024 ** 3)],
];

test.each(DAMAGES)('a session that is %s costs no answer: the journal has them', (what, damage) => {
  saveThree();
  damage();
  const session = openSession(dir);
  expect(session.load()).toEqual(createState('third'));
  const [notice] = session.getNotices();
  expect(notice?.code).toBe('session-recovered');
  expect(notice?.title).toContain(new Date().toISOString().slice(0, 10));
  if (what !== 'gone') {
    expect(notice?.cause).toContain(`It was saved as ${file}.bad-1.`);
    expect(listFiles()).toContain('session.json.bad-1');
  }
  expect(readSession(dir)).toEqual(createState('third'));
  session.save(createState('fourth'));
  expect(openSession(dir).load()).toEqual(createState('fourth'));
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ serial: 5 });
});

test.each(DAMAGES)('without a journal, a session that is %s costs the last answer', (_, damage) => {
  saveThree();
  rmSync(getJournalFile(dir));
  damage();
  const session = openSession(dir);
  expect(session.load()).toEqual(createState('second'));
  expect(session.getNotices()).toMatchObject([{ code: 'session-recovered' }]);
});

test.each(DAMAGES)(
  'with neither, a session that is %s is preserved and reported, and answers start empty',
  (what, damage) => {
    saveThree();
    rmSync(getJournalFile(dir));
    rmSync(getPreviousSessionFile(dir));
    damage();
    const session = openSession(dir);
    expect(session.load()).toEqual(freshState);
    expect(session.getNotices()).toMatchObject(what === 'gone' ? [] : [{ code: 'session-damaged' }]);
  },
);

test('a file that is damaged twice is preserved twice', () => {
  saveThree();
  writeFileSync(`${file}.bad-1`, 'older');
  writeFileSync(file, 'newer');
  openSession(dir).load();
  expect(readFileSync(`${file}.bad-1`, 'utf8')).toBe('older');
  expect(readFileSync(`${file}.bad-2`, 'utf8')).toBe('newer');
});

test('a file that is damaged while the wizard runs is preserved, and the next answer is still saved', () => {
  const session = openSession(dir);
  session.save(createState('first'));
  session.save(createState('second'));
  writeFileSync(file, '{');
  session.save(createState('third'));
  expect(readFileSync(`${file}.bad-1`, 'utf8')).toBe('{');
  expect(JSON.parse(readFileSync(getPreviousSessionFile(dir), 'utf8'))).toMatchObject({
    design: { cluster: { name: 'first' } },
  });
  expect(openSession(dir).load()).toEqual(createState('third'));
});

test('wherever the journal is cut or broken, it gives the last answer that is whole before that place', () => {
  saveThree();
  const content = readFileSync(getJournalFile(dir));
  const lineEnds = [...content.keys()].filter((index) => content[index] === 10).map((index) => index + 1);
  rmSync(getPreviousSessionFile(dir));
  writeFileSync(file, '');
  for (let length = 0; length <= content.length; length += 29) {
    writeFileSync(getJournalFile(dir), content.subarray(0, length));
    const count = lineEnds.filter((end) => end - 1 <= length).length;
    const expected = ['first', 'second', 'third'][count - 1];
    expect(openSession(dir).load()).toEqual(expected === undefined ? freshState : createState(expected));
    writeFileSync(file, '');
  }
  for (let position = 0; position < content.length; position += 29) {
    const broken = Buffer.from(content);
    broken[position] = (broken[position] ?? 0) ^ 0x01;
    writeFileSync(getJournalFile(dir), broken);
    const { design } = openSession(dir).load();
    expect(
      [null, 'first', 'second', 'third'].map((name) => JSON.stringify(name && createState(name).design)),
    ).toContain(JSON.stringify(design));
    writeFileSync(file, '');
  }
});

test('an answer that was altered in the journal does not change the one before it', () => {
  saveThree();
  rmSync(getPreviousSessionFile(dir));
  writeFileSync(file, '');
  writeFileSync(getJournalFile(dir), readFileSync(getJournalFile(dir), 'utf8').replace('third', 'thirt'));
  expect(openSession(dir).load()).toEqual(createState('second'));
});

test('a torn line is ended before the next one, and costs nothing', () => {
  saveThree();
  appendFileSync(getJournalFile(dir), '{"at":"2026-');
  const session = openSession(dir);
  session.save(createState('fourth'));
  session.save(createState('fifth'));
  rmSync(getPreviousSessionFile(dir));
  rmSync(file);
  expect(openSession(dir).load()).toEqual(createState('fifth'));
});

test('a first answer that is in the journal but not confirmed is restored without a notice', () => {
  openSession(dir).save(createState('first'));
  rmSync(file);
  const session = openSession(dir);
  expect(session.load()).toEqual(createState('first'));
  expect(session.getNotices()).toEqual([]);
});

test('a save records what changed, in lines of ASCII without invisible characters', () => {
  const session = openSession(dir);
  session.save(createState('first'));
  session.save(createState('zweite \u202e \u009b \u200b é'));
  const lines = readJournal(dir);
  expect(lines).toMatchObject([
    { type: 'snapshot', serial: 1 },
    { type: 'saved', serial: 2, patch: [{ op: 'replace', path: '/design/cluster/name' }] },
  ]);
  expect(readFileSync(getJournalFile(dir), 'utf8')).toMatch(/^[\n -~]*$/);
  expect(statSync(getJournalFile(dir)).mode & 0o777).toBe(0o600);
});

test('the journal is rotated when it is full, five old files remain, and the last state is in the newest', () => {
  const session = openSession(dir);
  const large = 'x'.repeat(140_000);
  for (let round = 0; round < 60; round += 1)
    session.save({ ...freshState, design: { a: `${round}${large}`, b: round } });
  expect(listJournalFiles(dir).filter((path) => existsSync(path))).toHaveLength(6);
  const sizes = listJournalFiles(dir).map((path) => statSync(path).size);
  expect(Math.max(...sizes)).toBeLessThan(2_000_000);
  rmSync(getPreviousSessionFile(dir));
  rmSync(file);
  expect(openSession(dir).load()).toMatchObject({ design: { b: 59 } });
  const old = Array.from({ length: 5 }, (_, index) => `journal.${index + 1}.ndjson`);
  expect(listFiles()).toEqual([...old, 'journal.ndjson', 'session.json']);
});

test.each([
  ['a directory', () => mkdirSync(getJournalFile(dir))],
  ['a link', () => symlinkSync('/etc/passwd', getJournalFile(dir))],
  ['a named pipe', () => void execFileSync('/usr/bin/env', ['mkfifo', getJournalFile(dir)])],
])('%s in place of the journal is renamed, not deleted', (_, make) => {
  saveThree();
  rmSync(getJournalFile(dir));
  make();
  openSession(dir).save(createState('fourth'));
  expect(listFiles()).toContain('journal.ndjson.bad-1');
  rmSync(file);
  expect(openSession(dir).load()).toEqual(createState('fourth'));
});

test('unfinished files of a killed run are removed by the next save', () => {
  saveThree();
  writeFileSync(`${file}.tmp-1234567890abcdef`, '{');
  linkSync(file, `${getPreviousSessionFile(dir)}.tmp-0123456789ab`);
  openSession(dir).save(createState('fourth'));
  expect(listFiles()).toEqual(['journal.ndjson', 'session.json', 'session.previous.json']);
});

test('a terminal from a snap does not make a save write into the file itself', () => {
  saveThree();
  const before = statSync(file).ino;
  process.env.SNAP = '/snap/code/1';
  try {
    openSession(dir).save(createState('fourth'));
    expect(process.env.SNAP).toBe('/snap/code/1');
  } finally {
    delete process.env.SNAP;
  }
  expect(statSync(getPreviousSessionFile(dir)).ino).toBe(before);
  expect(statSync(file).ino).not.toBe(before);
});

test.runIf(process.geteuid?.() === 0)('a session of another user is neither read nor moved', () => {
  saveThree();
  chownSync(file, 65_534, 65_534);
  const before = listFiles();
  expect(() => openSession(dir).load()).toThrow(
    expect.objectContaining({ userError: expect.objectContaining({ code: 'session-unreadable' }) }),
  );
  expect(listFiles()).toEqual(before);
});

test('the previous copy is the earlier content of the file, and a save without that file leaves it', () => {
  saveThree();
  expect(JSON.parse(readFileSync(getPreviousSessionFile(dir), 'utf8'))).toMatchObject({ serial: 2 });
  renameSync(file, `${file}.x`);
  const previous = readFileSync(getPreviousSessionFile(dir), 'utf8');
  openSession(dir).save(createState('fourth'));
  expect(readFileSync(getPreviousSessionFile(dir), 'utf8')).toBe(previous);
});

test('whatever changes, the patch leads from one state to the next, or there is none', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const rows = fc.array(fc.record({ name: fc.string(), ip: fc.array(fc.ipV4()) }), { maxLength: 12 });
  const design = fc.oneof(json, fc.record({ nodes: rows, a: json }), fc.dictionary(fc.string(), json));
  fc.assert(
    fc.property(design, design, (one, other) => {
      const before = addChecksum({ ...freshState, design: one }, 1);
      const after = addChecksum({ ...freshState, design: other }, 2);
      const patch = diffStates(before, after);
      if (patch === null) return;
      const { serial: _, checksum: __, ...from } = before;
      const { serial, checksum, ...to } = after;
      expect(applyStatePatch(structuredClone(from), patch)).toEqual(to);
    }),
    { numRuns: 200 },
  );
});
