import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatChanges } from '../../../../src/cli/infra/output.ts';
import { openWorkingSession } from '../../../../src/cli/session/working-session.ts';
import { findJob } from '../../../../src/host/jobs/job-status.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { directEndpoints } from '../../../../src/platform/manual-actions.ts';
import { openAuditLog } from '../../../../src/session/audit-log.ts';
import { readJournal } from '../../../../src/session/journal.ts';
import { openSession } from '../../../../src/session/session.ts';
import { type ItemProgress, type StepContext, StopRequest } from '../../../../src/steps/contract.ts';
import { infraStep } from '../../../../src/steps/infra.ts';
import { findMoveJob, stopMoveJob } from '../../../../src/steps/shared/moves/move-job.ts';
import { MOVES_JOB } from '../../../../src/steps/shared/moves/move-run.ts';
import { workspace } from '../../../../src/steps/shared/workspace.ts';
import { parseTarget } from '../../../../src/steps/step-action.ts';
import { eventually } from '../../../support/eventually.ts';
import { captureCommand } from '../../../support/run-command.ts';
import { type SimulatedCluster, startSimulatedCluster } from '../../../support/simulated-cluster.ts';
import { createStepFixture, type StepFixture } from '../../../support/step-fixture.ts';

// The job that carries out infra moves: a program of its own, against the API of the rehearsal.

const EXECUTABLE = fileURLToPath(new URL('../../../../bin/upi-wizard.js', import.meta.url));
const LABEL = 'node-role.kubernetes.io/infra';
const INFRA = ['i1', 'i2', 'i3'];

let cluster: SimulatedCluster;
let fixture: StepFixture;
/** Requests that write wait until they are released. */
let held: (() => void)[] | null;
beforeEach(async () => {
  cluster = await startSimulatedCluster();
  fixture = createStepFixture();
  held = null;
  cluster.add('clusterversions.config.openshift.io', {
    metadata: { name: 'version' },
    spec: { clusterID: 'c1' },
    status: { desired: { version: '4.18.9' } },
  });
  for (const [index, name] of INFRA.entries()) cluster.addNode(name, `172.16.0.${index + 40}`);
});
afterEach(async () => {
  for (const release of held ?? []) release();
  await stopMoveJob({ dir: cluster.dir });
  await cluster.close();
  await fixture.remove();
});

/** Holds back every request that writes, as an API that is slow. */
function holdWrites(): void {
  held = [];
  cluster.intercept = (request, response) => {
    if (held === null || request.method === 'GET' || request.url?.includes('dryRun')) return false;
    held.push(() => {
      held = null;
      response.statusCode = 503;
      response.end();
    });
    return true;
  };
}

/** A session of the wizard, as each start opens it. */
function openContext(signal = new AbortController().signal): StepContext {
  const { dir } = cluster;
  const { stepState } = openWorkingSession(openSession(dir));
  return {
    ...fixture.context,
    dir,
    clock: systemClock,
    resolveEndpoint: directEndpoints,
    programs: { bootServer: '', executable: EXECUTABLE },
    stepState,
    auditLog: openAuditLog(dir),
    signal,
  };
}

function collect() {
  const lines: string[] = [];
  const items: ItemProgress[] = [];
  const report = (line: string, item?: ItemProgress) => {
    lines.push(line);
    if (item) items.push(item);
  };
  return { lines, items, report };
}

const LABEL_TARGET = parseTarget('infra', 'label');
const listLabelled = () =>
  cluster.store
    .list('nodes')
    .filter(({ metadata }) => metadata.labels?.[LABEL] !== undefined)
    .map(({ metadata }) => metadata.name.split('.')[0]);
const waitForWrite = () => eventually(() => expect(held).not.toEqual([]));
const run = (...argv: readonly string[]) => captureCommand([...argv, '--dir', cluster.dir], { cwd: cluster.cwd });

test('a move runs in a job with its own log, and reports as it did in the wizard', async () => {
  const { items, report } = collect();
  await infraStep.applyOne?.(openContext(), LABEL_TARGET, report);
  expect(listLabelled()).toEqual(INFRA);
  expect(items.map(({ subject, state }) => `${subject} ${state}`)).toEqual(['label begun', 'label done']);
  await eventually(async () =>
    expect(await findJob(workspace(cluster.dir).jobsDir, MOVES_JOB)).toMatchObject({ state: 'ended', exitCode: 0 }),
  );
  expect(readFileSync(findMoveJob(openContext())?.logFile ?? '', 'utf8')).toMatch(
    /^\d{4}-\S+Z move label$[\s\S]*^\S+Z ended: all its moves are done$/m,
  );
  // The journal has the action once, as before.
  const begun = readJournal(cluster.dir).filter(({ type }) => type === 'begun');
  expect(begun).toMatchObject([
    { step: 'infra', action: 'apply-one', subject: 'label' },
    { step: 'infra', action: 'apply-one', subject: 'label' },
  ]);
  expect((await infraStep.probe(openContext())).job).toBeUndefined();
  await infraStep.undo?.(openContext(), LABEL_TARGET, report);
  expect(listLabelled()).toEqual([]);
});

test('a job that another version started is named while it works, and goes on', async () => {
  holdWrites();
  const leaving = new AbortController();
  const older = openContext(leaving.signal);
  const first = infraStep.applyOne?.(
    { ...older, programs: { ...older.programs, version: '0.1.0' } },
    LABEL_TARGET,
    () => undefined,
  );
  const ended = expect(first).rejects.toThrow('the terminal is gone');
  await waitForWrite();
  leaving.abort(new Error('the terminal is gone'));
  await ended;
  const context = openContext();
  const newer = { ...context, programs: { ...context.programs, version: '0.2.0' } };
  const { findings } = await infraStep.probe(newer);
  expect(findings.filter(({ code }) => code === 'job-other-version')).toMatchObject([
    {
      severity: 'note',
      title: 'The job that applies infra moves was started by another version of upi-wizard',
      cause: 'version 0.1.0 started it; this is version 0.2.0',
    },
  ]);
  for (const release of held ?? []) release();
  await infraStep.job?.follow(newer, () => undefined);
  expect(listLabelled()).toEqual(INFRA);
  expect((await infraStep.probe(newer)).findings.filter(({ code }) => code === 'job-other-version')).toEqual([]);
});

test('a wizard that ends leaves the move running; the next one follows it from its beginning', async () => {
  holdWrites();
  const leaving = new AbortController();
  const first = infraStep.applyOne?.(openContext(leaving.signal), LABEL_TARGET, () => undefined);
  const ended = expect(first).rejects.toThrow('the terminal is gone');
  await waitForWrite();
  leaving.abort(new Error('the terminal is gone'));
  await ended;
  expect(infraStep.job?.describe(openContext())).toMatch(
    /^The infra moves continue without this terminal: a job is applying label\. Its log: \//,
  );
  const context = openContext();
  expect((await infraStep.probe(context)).job).toMatchObject({
    action: 'apply-one',
    subject: 'label',
    isAsking: false,
  });
  // Other programs must not write the same moves.
  const other = await run('infra', 'apply', '--only', 'label', '--yes');
  expect(other.code).toBe(4);
  expect(other.stderr).toContain('A job is carrying out infra moves: it is applying label.');
  expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({
    infraJob: { state: 'running', action: 'apply-one', moves: ['label'], move: 'label', question: null },
  });
  expect((await run('infra', 'job')).stdout).toContain('a job is applying label');
  await expect(infraStep.undo?.(context, LABEL_TARGET, () => undefined)).rejects.toMatchObject({
    userError: { code: 'moves-running' },
  });
  for (const release of held ?? []) release();
  const { items, report } = collect();
  await infraStep.job?.follow(context, report);
  expect(items.map(({ subject, state }) => `${subject} ${state}`)).toEqual(
    expect.arrayContaining(['label begun', 'label done']),
  );
  expect(listLabelled()).toEqual(INFRA);
  expect((await infraStep.probe(openContext())).job).toBeUndefined();
});

test('a job that is killed says so in the next wizard, and the move is finished from there', async () => {
  holdWrites();
  const leaving = new AbortController();
  const first = infraStep.applyOne?.(openContext(leaving.signal), LABEL_TARGET, () => undefined);
  const ended = expect(first).rejects.toThrow();
  await waitForWrite();
  leaving.abort(new Error('the terminal is gone'));
  await ended;
  const job = await findJob(workspace(cluster.dir).jobsDir, MOVES_JOB);
  if (!job?.pid) throw new Error('the job has no process');
  process.kill(job.pid, 'SIGKILL');
  await eventually(() =>
    expect(findMoveJob({ dir: cluster.dir })).toMatchObject({ state: 'died', exit: { code: 137 } }),
  );
  held = null;
  const context = openContext();
  expect((await infraStep.probe(context)).job).toMatchObject({ subject: 'label', isAsking: false });
  expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({
    infraJob: { state: 'died', exitCode: 137 },
  });
  await expect(infraStep.job?.follow(context, () => undefined)).rejects.toMatchObject({
    userError: {
      code: 'moves-job-died',
      cause: expect.stringMatching(/^it was killed \(SIGKILL\)\. It was applying label\./),
      remedy: expect.stringContaining('Its changes stay. Press Enter'),
    },
  });
  // Seen once, it is not said again.
  expect((await infraStep.probe(context)).job).toBeUndefined();
  await infraStep.applyOne?.(context, LABEL_TARGET, () => undefined);
  expect(listLabelled()).toEqual(INFRA);
});

test('a plan names a killed job until a command acts on moves: that command and later plans do not', async () => {
  holdWrites();
  const leaving = new AbortController();
  const first = infraStep.applyOne?.(openContext(leaving.signal), LABEL_TARGET, () => undefined);
  const ended = expect(first).rejects.toThrow();
  await waitForWrite();
  leaving.abort(new Error('the terminal is gone'));
  await ended;
  const job = await findJob(workspace(cluster.dir).jobsDir, MOVES_JOB);
  if (!job?.pid) throw new Error('the job has no process');
  process.kill(job.pid, 'SIGKILL');
  await eventually(() => expect(findMoveJob({ dir: cluster.dir })).toMatchObject({ state: 'died' }));
  held = null;
  const message = 'ended without a result';
  expect((await run('infra', 'plan')).stderr).toContain(message);
  expect((await run('infra', 'apply', '--only', 'label', '--yes')).stderr).not.toContain(message);
  expect((await run('infra', 'plan')).stderr).not.toContain(message);
});

test('a user who stops a move stops the job', async () => {
  holdWrites();
  const stopping = new AbortController();
  const first = infraStep.applyOne?.(openContext(stopping.signal), LABEL_TARGET, () => undefined);
  const ended = expect(first).rejects.toBeInstanceOf(StopRequest);
  await waitForWrite();
  stopping.abort(new StopRequest());
  await ended;
  expect(findMoveJob({ dir: cluster.dir })).toMatchObject({ state: 'ended', run: { end: { end: 'cancelled' } } });
  expect((await infraStep.probe(openContext())).job).toBeUndefined();
});

test('changes that were not confirmed are a question, which waits until it is answered from anywhere', async () => {
  const shown = [{ object: 'other', what: '', before: null, after: null }];
  const plan = { changes: shown, isDangerous: true, instructions: [] };
  const context = openContext();
  await infraStep.apply(context, () => undefined, plan);
  const probe = await infraStep.probe(context);
  expect(probe).toMatchObject({
    state: 'needed',
    summary: 'label waits for your answer: its changes differ from those that you confirmed.',
    job: { action: 'apply', isAsking: true },
  });
  expect(listLabelled()).toEqual([]);
  const asked = await infraStep.plan(context, probe);
  expect(asked.question).toMatch(/^Apply label with these changes\?/);
  expect(asked.changes).toHaveLength(INFRA.length);
  expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({
    infraJob: { state: 'asking', question: { move: 'label' } },
  });
  const { stdout } = await run('answer');
  expect(stdout).toContain('Apply label with these changes?');
  expect(stdout).toContain(formatChanges(asked.changes, Number.POSITIVE_INFINITY));
  // A yes to other changes is none.
  await expect(infraStep.apply(context, () => undefined, plan)).rejects.toMatchObject({
    userError: { code: 'plan-differs' },
  });
  const answer = await run('answer', 'yes');
  expect(answer).toMatchObject({ code: 0, stderr: expect.stringContaining('infra job --follow') });
  await eventually(() => expect(listLabelled()).toEqual(INFRA));
  expect((await run('answer')).stdout).toBe('No question waits for an answer.\n');
});

test('a no to that question ends the job, and changes nothing', async () => {
  const context = openContext();
  const plan = { changes: [], isDangerous: true, instructions: [] };
  await infraStep.apply(context, () => undefined, plan);
  infraStep.job?.decline(context);
  await infraStep.job?.follow(context, () => undefined);
  expect(findMoveJob({ dir: cluster.dir })?.run.end).toEqual({ type: 'end', end: 'declined' });
  expect(listLabelled()).toEqual([]);
});
