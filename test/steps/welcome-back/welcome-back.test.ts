import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getJobFiles } from '../../../src/host/jobs/job-files.ts';
import { MINUTE, SECOND } from '../../../src/platform/clock.ts';
import { listJournalFiles } from '../../../src/session/journal-file.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { buildWelcomeBackPage, type ReturnContext } from '../../../src/steps/welcome-back/page.ts';

const LEFT_AT = Date.UTC(2026, 1, 1, 12);
const ALICE = {
  user: 'alice',
  from: '10.0.0.9',
  now: LEFT_AT + 60 * MINUTE,
  screenName: 'Certificates',
  pendingStep: null,
};
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'back-'));
  mkdirSync(workspace(dir).jobsDir, { recursive: true });
  mkdirSync(workspace(dir).filesDir);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Writes a journal: the previous run of alice, later lines with their minutes after it ended, and the current run. */
function writeJournal(...since: readonly (readonly [minutes: number, line: object])[]): void {
  const openedLine = { type: 'opened', program: 'upi-wizard', user: 'alice', from: '10.0.0.9' };
  const lines = [[-9, openedLine], [0, { type: 'left', program: 'upi-wizard' }], ...since, [60, openedLine]] as const;
  const texts = lines.map(([minutes, line]) =>
    JSON.stringify({ at: new Date(LEFT_AT + minutes * MINUTE).toISOString(), ...line }),
  );
  writeFileSync(listJournalFiles(dir)[0], `${texts.join('\n')}\n`);
}

const createApproval = (subject: string) => [
  [10, { type: 'begun', id: subject, step: 'certificates', action: 'approve', subject }] as const,
  [11, { type: 'ended', id: subject, outcome: 'done', code: null }] as const,
];

function writeJob(name: string, exit: string, runs: readonly (readonly [minutes: number, what: string])[]): void {
  const files = getJobFiles(workspace(dir).jobsDir, name);
  writeFileSync(files.startRecord, JSON.stringify({ name, argv: ['/bin/true'], startedAt: LEFT_AT }));
  writeFileSync(files.exit, exit);
  writeFileSync(
    files.runEvents,
    runs.map(([minutes, what]) => `${(LEFT_AT + minutes * MINUTE) / SECOND} ${what}\n`).join(''),
  );
}

const readText = async (returnContext: ReturnContext = ALICE) => {
  const page = await buildWelcomeBackPage(dir, returnContext);
  return page === null ? null : [page.title, ...page.lines].join('\n');
};

test('a short absence shows no page; another user gets it sooner', async () => {
  expect(await readText()).toBeNull();
  writeJournal();
  expect(await readText({ ...ALICE, now: LEFT_AT + 4 * MINUTE })).toBeNull();
  expect(await readText({ ...ALICE, now: LEFT_AT + 6 * MINUTE })).toMatch(
    /^Welcome back\. Enter continues at Certificates\.\nYou left at 2026-02-01 /,
  );
  expect(await readText({ ...ALICE, user: 'bob', now: LEFT_AT + MINUTE / 2 })).toBeNull();
  expect(await readText({ ...ALICE, user: 'bob', now: LEFT_AT + 2 * MINUTE })).toContain(
    'alice from 10.0.0.9 left at ',
  );
});

test('no events are listed if nothing happened', async () => {
  writeJournal();
  expect(await readText()).toContain(
    'Since then:\n- Nothing was applied, no job ran, and no generated file was changed.',
  );
});

test('a pending question comes before anything else', async () => {
  writeJournal();
  expect(await readText({ ...ALICE, pendingStep: 'infra' })).toMatch(
    /\.\nA question is waiting for your answer: Infra nodes\.\n\nSince/,
  );
});

test('actions, commands of others, jobs and edited files are listed', async () => {
  writeJournal(...createApproval('csr-w1'), [
    20,
    { type: 'opened', program: 'upi-wizard infra', user: 'bob', from: null },
  ]);
  writeJob('install-complete', '4\n', [
    [-5, 'started 7'],
    [30, 'ended 4'],
  ]);
  writeJob('bootstrap-complete', '0\n', [
    [-8, 'started 6'],
    [-7, 'ended 0'],
  ]);
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const files = ['as-it-was', 'edited', 'edited-before'].map((file) => ({ file, sha256: hash('as generated') }));
  writeFileSync(join(workspace(dir).filesDir, 'files.json'), JSON.stringify({ files }));
  for (const { file } of files)
    writeFileSync(join(workspace(dir).filesDir, file), file === 'as-it-was' ? 'as generated' : 'mine');
  utimesSync(join(workspace(dir).filesDir, 'edited-before'), LEFT_AT / SECOND - 60, LEFT_AT / SECOND - 60);
  const text = await readText();
  expect(text).toContain('Certificates: approve csr-w1: done in 60 s');
  expect(text).toContain('upi-wizard infra opened by bob');
  expect(text).toMatch(/openshift-install wait-for install-complete exited at .* with code 4\./);
  expect(text).not.toContain('bootstrap-complete');
  expect(text).toContain('files/edited was changed by hand.');
  expect(text).not.toMatch(/as-it-was|edited-before|Nothing was/);
});

test('a job without a record of its end is listed, and actions of one kind are counted', async () => {
  writeJournal(...Array.from({ length: 30 }, (_, index) => createApproval(`csr-${index}`)).flat());
  writeJob('boot-server', '', [[-5, 'started 7']]);
  const text = await readText();
  expect(text).toContain('approve csr-29: done in 60 s; 29 similar before it\n');
  expect(text).not.toContain('csr-28');
  expect(text).toContain('The boot server no longer runs, and how it ended was not recorded.');
});

test('of a long list, the last entries are shown and the rest is counted', async () => {
  const openedLine = { type: 'opened', program: 'upi-wizard infra', user: 'bob', from: null };
  writeJournal(...Array.from({ length: 30 }, (_, index) => [index, openedLine] as const));
  expect((await readText())?.match(/opened by bob/g)).toHaveLength(5);
  expect(await readText()).toContain('- … and 25 earlier\n');
});

test('names from a damaged journal put nothing invisible on the screen', async () => {
  writeJournal([20, { type: 'opened', program: 'upi-wizard infra', user: 'b\u001b[31mob\u202e', from: '\u0007' }]);
  expect(await readText()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
});
