import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jobFiles } from '../../../src/bastion/jobs/job-files.ts';
import { MINUTE, SECOND } from '../../../src/ports/clock.ts';
import { journalFiles } from '../../../src/session/journal-file.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { type Return, welcomeBack } from '../../../src/steps/welcome-back/index.ts';

const LEFT = Date.UTC(2026, 1, 1, 12);
const ALICE = { user: 'alice', from: '10.0.0.9', now: LEFT + 60 * MINUTE, place: 'Certificates', askedBy: null };
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'back-'));
  mkdirSync(workspace(dir).jobs, { recursive: true });
  mkdirSync(workspace(dir).files);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A sitting of alice's that she left, what happened then (after so many minutes), and the sitting of now. */
function journal(...since: readonly (readonly [minutes: number, line: object])[]): void {
  const opened = { type: 'opened', program: 'upi-wizard', user: 'alice', from: '10.0.0.9' };
  const lines = [[-9, opened], [0, { type: 'left', program: 'upi-wizard' }], ...since, [60, opened]] as const;
  const texts = lines.map(([minutes, line]) =>
    JSON.stringify({ at: new Date(LEFT + minutes * MINUTE).toISOString(), ...line }),
  );
  writeFileSync(journalFiles(dir)[0], `${texts.join('\n')}\n`);
}

const approval = (subject: string) => [
  [10, { type: 'begun', id: subject, step: 'certificates', action: 'approve', subject }] as const,
  [11, { type: 'ended', id: subject, outcome: 'done', code: null }] as const,
];

function job(name: string, exit: string, runs: readonly (readonly [minutes: number, what: string])[]): void {
  const files = jobFiles(workspace(dir).jobs, name);
  writeFileSync(files.intent, JSON.stringify({ name, argv: ['/bin/true'], startedAt: LEFT }));
  writeFileSync(files.exit, exit);
  writeFileSync(files.runs, runs.map(([minutes, what]) => `${(LEFT + minutes * MINUTE) / SECOND} ${what}\n`).join(''));
}

const textOf = async (who: Return = ALICE) => {
  const page = await welcomeBack(dir, who);
  return page === null ? null : [page.title, ...page.lines].join('\n');
};

test('who was away for moments sees none, another person sees it sooner', async () => {
  expect(await textOf()).toBeNull();
  journal();
  expect(await textOf({ ...ALICE, now: LEFT + 4 * MINUTE })).toBeNull();
  expect(await textOf({ ...ALICE, now: LEFT + 6 * MINUTE })).toMatch(
    /^Welcome back\. Enter continues at Certificates\.\nYou left at 2026-02-01 /,
  );
  expect(await textOf({ ...ALICE, user: 'bob', now: LEFT + MINUTE / 2 })).toBeNull();
  expect(await textOf({ ...ALICE, user: 'bob', now: LEFT + 2 * MINUTE })).toContain('alice from 10.0.0.9 left at ');
});

test('nothing is said to have happened where nothing has', async () => {
  journal();
  expect(await textOf()).toContain(
    'Since then:\n- Nothing was applied, no job ran, and no generated file was changed.',
  );
});

test('a question that waits is told before anything else', async () => {
  journal();
  expect(await textOf({ ...ALICE, askedBy: 'infra' })).toMatch(
    /\.\nA question waits for an answer: Infra nodes\.\n\nSince/,
  );
});

test('acts, commands of others, jobs and edited files are told', async () => {
  journal(...approval('csr-w1'), [20, { type: 'opened', program: 'upi-wizard infra', user: 'bob', from: null }]);
  job('install-complete', '4\n', [
    [-5, 'started 7'],
    [30, 'ended 4'],
  ]);
  job('bootstrap-complete', '0\n', [
    [-8, 'started 6'],
    [-7, 'ended 0'],
  ]);
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const files = ['as-it-was', 'edited', 'edited-before'].map((file) => ({ file, sha256: hash('as generated') }));
  writeFileSync(join(workspace(dir).files, 'files.json'), JSON.stringify({ files }));
  for (const { file } of files)
    writeFileSync(join(workspace(dir).files, file), file === 'as-it-was' ? 'as generated' : 'mine');
  utimesSync(join(workspace(dir).files, 'edited-before'), LEFT / SECOND - 60, LEFT / SECOND - 60);
  const text = await textOf();
  expect(text).toContain('Nodes and certificates: approve csr-w1: done in 60 s');
  expect(text).toContain('upi-wizard infra opened by bob');
  expect(text).toMatch(/openshift-install wait-for install-complete ended at .* with code 4\./);
  expect(text).not.toContain('bootstrap-complete');
  expect(text).toContain('files/edited was changed by hand.');
  expect(text).not.toMatch(/as-it-was|edited-before|Nothing was/);
});

test('a job without a record of its end is told, and acts of one kind are counted', async () => {
  journal(...Array.from({ length: 30 }, (_, index) => approval(`csr-${index}`)).flat());
  job('boot-server', '', [[-5, 'started 7']]);
  const text = await textOf();
  expect(text).toContain('approve csr-29: done in 60 s; 29 more like it before\n');
  expect(text).not.toContain('csr-28');
  expect(text).toContain('The boot server no longer runs, and how it ended was not recorded.');
});

test('of very much, the last is shown and the rest counted', async () => {
  const visit = { type: 'opened', program: 'upi-wizard infra', user: 'bob', from: null };
  journal(...Array.from({ length: 30 }, (_, index) => [index, visit] as const));
  expect((await textOf())?.match(/opened by bob/g)).toHaveLength(5);
  expect(await textOf()).toContain('- … and 25 more before these\n');
});

test('names from a damaged journal bring nothing invisible to the screen', async () => {
  journal([20, { type: 'opened', program: 'upi-wizard infra', user: 'b\u001b[31mob\u202e', from: '\u0007' }]);
  expect(await textOf()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
});
