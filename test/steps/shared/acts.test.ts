import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { journaledActs } from '../../../src/session/acts.ts';
import { readJournal } from '../../../src/session/journal.ts';
import { journalFiles } from '../../../src/session/journal-file.ts';
import { type AnyStep, anyStep, type StepContext } from '../../../src/steps/contract.ts';
import { haveAct, logged } from '../../../src/steps/shared/acts.ts';
import { TroubleError } from '../../../src/text/trouble.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

let dir: string;
let world: StepWorld;
let context: StepContext;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'acts-'));
  world = stepWorld();
  context = { ...world.context, acts: journaledActs(dir) };
});
afterEach(async () => {
  await world.remove();
  rmSync(dir, { recursive: true, force: true });
});

const lines = () => readJournal(dir).map(({ at: _, ...line }) => line);

/** A step whose acts note what the journal holds when they run. */
function stepThat(act: (context: StepContext) => Promise<void>): AnyStep {
  const probe = async () => ({ state: 'needed' as const, summary: '', view: null, findings: [] });
  return anyStep({
    id: 'hosts',
    lookEvery: null,
    patience: 0,
    probe,
    verify: probe,
    plan: async () => ({ changes: [], isDangerous: false, instructions: [] }),
    apply: act,
    applyOne: act,
    undo: act,
  });
}

test('an act is written down before it begins and after it ended', async () => {
  let before: unknown[] = [];
  const step = stepThat(async () => {
    before = lines();
  });
  await haveAct(step, context, { action: 'apply-one', subject: 'ns1' }, () => undefined);
  const id = expect.stringMatching(/^[0-9a-f]{8}$/);
  const begun = { type: 'begun', id, step: 'hosts', action: 'apply-one', subject: 'ns1' };
  expect(before).toEqual([begun]);
  expect(lines()).toEqual([begun, { type: 'ended', id, outcome: 'done', code: null }]);
});

test('how it failed is noted by its code, and a person who stops it has cancelled it', async () => {
  const trouble = { code: 'host-refused', title: '', cause: 'the password was hunter2', whatToDo: '' };
  const failing = stepThat(() => Promise.reject(new TroubleError(trouble)));
  await expect(haveAct(failing, context, { action: 'apply', subject: null }, () => undefined)).rejects.toThrow();
  const stopping = new AbortController();
  const stopped = stepThat(async ({ signal }) => {
    stopping.abort();
    signal.throwIfAborted();
  });
  const cancelled = { ...context, signal: stopping.signal };
  await expect(haveAct(stopped, cancelled, { action: 'undo', subject: 'x' }, () => undefined)).rejects.toThrow();
  expect(lines()).toMatchObject([
    { type: 'begun', action: 'apply', subject: null },
    { type: 'ended', outcome: 'failed', code: 'host-refused' },
    { type: 'begun', action: 'undo', subject: 'x' },
    { type: 'ended', outcome: 'cancelled', code: null },
  ]);
  expect(JSON.stringify(lines())).not.toContain('hunter2');
});

test('what cannot be written down is not begun', async () => {
  mkdirSync(join(dir, '.upi-wizard'));
  mkdirSync(journalFiles(dir)[0]);
  let hasActed = false;
  const step = stepThat(async () => {
    hasActed = true;
  });
  await expect(haveAct(step, context, { action: 'apply', subject: null }, () => undefined)).rejects.toEqual(
    expect.objectContaining({ trouble: expect.objectContaining({ code: 'session-unwritable' }) }),
  );
  expect(hasActed).toBe(false);
});

test('an act stays done though its end cannot be written down', async () => {
  const result = await logged(context, { step: 'infra', action: 'apply-one', subject: 'label' }, async () => {
    rmSync(dir, { recursive: true });
    writeFileSync(dir, '');
    return 'done';
  });
  expect(result).toBe('done');
});

test('a result may be a failure', async () => {
  await logged(
    context,
    { step: 'infra', action: 'undo', subject: 'dns' },
    async () => 'still there',
    () => 'move-stays',
  );
  expect(lines().at(-1)).toMatchObject({ outcome: 'failed', code: 'move-stays' });
});
