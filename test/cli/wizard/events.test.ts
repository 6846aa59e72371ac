import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/shared/io.ts';
import { raiseQuestionEvents, saveOnEventCommand } from '../../../src/cli/wizard/events.ts';
import { MINUTE } from '../../../src/platform/clock.ts';
import { readOnEventCommand } from '../../../src/session/on-event.ts';
import type { WizardEvent } from '../../../src/steps/events.ts';
import { createWizardStore } from '../../../src/wizard/store.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { captureCommand } from '../../support/run-command.ts';
import { applyInputs, buildProbe, dangerousPlan, wizardState } from '../../support/wizard-state.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-event-'));
  mkdirSync(join(dir, '.upi-wizard'), { mode: 0o700 });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const runEvent = (...argv: readonly string[]) => captureCommand(['event', ...argv, '--dir', dir], { cwd: dir });
const readOutput = () => readFileSync(join(dir, 'out'), 'utf8');

test('a question event is raised after a minute without an answer, and not for an answered question', async () => {
  const clock = manualClock();
  const raised: WizardEvent[] = [];
  const boot = wizardState({}, { screen: 'boot' });
  const probe = buildProbe('needed', { nodes: [], refusedMacs: [] });
  const probedState = applyInputs(boot, { type: 'step/probed', step: 'boot', probe, plan: dangerousPlan });
  const store = createWizardStore(probedState, () => undefined);
  raiseQuestionEvents(store, { raise: (one) => void raised.push(one) }, clock);
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await clock.advance(MINUTE - 1);
  store.dispatch({ type: 'step/answer', isYes: false });
  await clock.advance(MINUTE);
  expect(raised).toEqual([]);
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await clock.advance(MINUTE);
  await clock.advance(MINUTE);
  expect(raised).toEqual([
    {
      event: 'question',
      step: 'boot',
      text: expect.stringMatching(/^\[11\/17\] Boot: .*\? upi-wizard waits for your answer\.$/),
    },
  ]);
});

test('the command is saved with the directory until it is turned off', () => {
  expect(saveOnEventCommand(dir, undefined)).toBeNull();
  expect(saveOnEventCommand(dir, ' notify-send x ')).toContain('On events this runs: notify-send x.');
  expect(readOnEventCommand(dir)).toBe('notify-send x');
  expect(saveOnEventCommand(dir, undefined)).toBeNull();
  expect(readOnEventCommand(dir)).toBe('notify-send x');
  expect(() => saveOnEventCommand(dir, '')).toThrow(UsageError);
  expect(saveOnEventCommand(dir, 'off')).toBe('Events no longer run a command.');
  expect(readOnEventCommand(dir)).toBeNull();
});

test('event tests the command, and reports if there is none or it does not work', async () => {
  expect(await runEvent('step-done')).toMatchObject({ code: 4, stderr: expect.stringContaining('--on-event CMD') });
  saveOnEventCommand(dir, 'echo "$UPI_WIZARD_EVENT $UPI_WIZARD_STEP $UPI_WIZARD_TEXT" >>out');
  expect(await runEvent('step-done', '--step', 'boot', '--text', 'hello')).toMatchObject({ code: 0, stderr: '' });
  expect(await runEvent('question')).toMatchObject({ code: 0 });
  expect(readOutput()).toBe(
    'step-done boot hello\nquestion report This is a test of the command for events (question).\n',
  );
  saveOnEventCommand(dir, 'false');
  expect(await runEvent('question')).toMatchObject({ code: 4, stderr: expect.stringContaining('exited with code 1') });
  expect(await runEvent('nothing')).toMatchObject({ code: 2, stderr: expect.stringContaining('Possible: question,') });
});

test('a job reports how its program ended; openshift-install reports a complete installation once', async () => {
  saveOnEventCommand(dir, 'echo "$UPI_WIZARD_EVENT $UPI_WIZARD_STEP $UPI_WIZARD_TEXT" >>out');
  await runEvent('job-restarted', '--job', 'boot-server', '--code', '137');
  await runEvent('job-ended', '--job', 'bootstrap-complete', '--code', '1');
  await runEvent('job-ended', '--job', 'install-complete', '--code', '0');
  await runEvent('job-ended', '--job', 'install-complete', '--code', '0');
  expect(readOutput().trim().split('\n').sort()).toEqual([
    'installation-complete operators openshift-install reports: the installation is complete.',
    'job-ended bootstrap openshift-install wait-for bootstrap-complete exited with code 1.',
    'job-ended operators openshift-install wait-for install-complete exited successfully.',
    'job-ended operators openshift-install wait-for install-complete exited successfully.',
    'job-restarted boot The boot server exited with code 137 and is restarted.',
  ]);
});
