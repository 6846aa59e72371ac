import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UserErrorException } from '../../../src/i18n/user-error.ts';
import { openAuditLog, runWithAuditLog } from '../../../src/session/audit-log.ts';
import { readJournal } from '../../../src/session/journal.ts';
import { listJournalFiles } from '../../../src/session/journal-file.ts';
import { type AnyStep, type StepContext, toAnyStep } from '../../../src/steps/contract.ts';
import { runStepAction } from '../../../src/steps/shared/run-step-action.ts';
import { parseAction } from '../../../src/steps/step-action.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

let dir: string;
let fixture: StepFixture;
let context: StepContext;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'acts-'));
  fixture = createStepFixture();
  context = { ...fixture.context, auditLog: openAuditLog(dir) };
});
afterEach(async () => {
  await fixture.remove();
  rmSync(dir, { recursive: true, force: true });
});

const readLines = () => readJournal(dir).map(({ at: _, ...line }) => line);

/** Creates a step whose actions all run `action`. */
function createStep(action: (context: StepContext) => Promise<void>): AnyStep {
  const probe = async () => ({ state: 'needed' as const, summary: '', view: null, findings: [] });
  return toAnyStep({
    id: 'hosts',
    probeIntervalMs: null,
    timeoutMs: 0,
    probe,
    verify: probe,
    plan: async () => ({ changes: [], isDangerous: false, instructions: [] }),
    apply: action,
    applyOne: action,
    undo: action,
  });
}

test('an action is recorded before it begins and after it ended', async () => {
  let before: unknown[] = [];
  const step = createStep(async () => {
    before = readLines();
  });
  await runStepAction(step, context, { action: parseAction('hosts', 'apply-one', 'ns1') }, () => undefined);
  const id = expect.stringMatching(/^[0-9a-f]{8}$/);
  const startRecord = { type: 'begun', id, step: 'hosts', action: 'apply-one', subject: 'ns1' };
  expect(before).toEqual([startRecord]);
  expect(readLines()).toEqual([startRecord, { type: 'ended', id, outcome: 'done', code: null }]);
});

test('a failure is recorded with its code, and an action that the user stops as cancelled', async () => {
  const userError = { code: 'host-refused', title: '', cause: 'the password was hunter2', remedy: '' };
  const failingStep = createStep(() => Promise.reject(new UserErrorException(userError)));
  await expect(
    runStepAction(failingStep, context, { action: parseAction('hosts', 'apply', null) }, () => undefined),
  ).rejects.toThrow();
  const controller = new AbortController();
  const abortingStep = createStep(async ({ signal }) => {
    controller.abort();
    signal.throwIfAborted();
  });
  const abortableContext = { ...context, signal: controller.signal };
  await expect(
    runStepAction(abortingStep, abortableContext, { action: parseAction('hosts', 'undo', 'x') }, () => undefined),
  ).rejects.toThrow();
  expect(readLines()).toMatchObject([
    { type: 'begun', action: 'apply', subject: null },
    { type: 'ended', outcome: 'failed', code: 'host-refused' },
    { type: 'begun', action: 'undo', subject: 'x' },
    { type: 'ended', outcome: 'cancelled', code: null },
  ]);
  expect(JSON.stringify(readLines())).not.toContain('hunter2');
});

test('an action that cannot be recorded does not begin', async () => {
  mkdirSync(join(dir, '.upi-wizard'));
  mkdirSync(listJournalFiles(dir)[0]);
  let hasRun = false;
  const step = createStep(async () => {
    hasRun = true;
  });
  await expect(
    runStepAction(step, context, { action: parseAction('hosts', 'apply', null) }, () => undefined),
  ).rejects.toEqual(expect.objectContaining({ userError: expect.objectContaining({ code: 'session-unwritable' }) }));
  expect(hasRun).toBe(false);
});

test('an action stays done although its end cannot be recorded', async () => {
  const result = await runWithAuditLog(context, { step: 'infra', action: 'apply-one', subject: 'label' }, async () => {
    rmSync(dir, { recursive: true });
    writeFileSync(dir, '');
    return 'done';
  });
  expect(result).toBe('done');
});

test('a result may be a failure', async () => {
  await runWithAuditLog(
    context,
    { step: 'infra', action: 'undo', subject: 'dns' },
    async () => 'still there',
    () => 'move-stays',
  );
  expect(readLines().at(-1)).toMatchObject({ outcome: 'failed', code: 'move-stays' });
});
