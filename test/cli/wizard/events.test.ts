import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventCommand } from '../../../src/cli/event.ts';
import { UsageError } from '../../../src/cli/shared/usage.ts';
import { keepOnEvent, raiseQuestions } from '../../../src/cli/wizard/events.ts';
import { MINUTE } from '../../../src/ports/clock.ts';
import { readOnEvent } from '../../../src/session/on-event.ts';
import type { WizardEvent } from '../../../src/steps/events/index.ts';
import { createWizardStore } from '../../../src/wizard/store.ts';
import { runLive } from '../../support/live-cluster.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { after, dangerousPlan, probeOf, wizardState } from '../../support/wizard-state.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-event-'));
  mkdirSync(join(dir, '.upi-wizard'), { mode: 0o700 });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const event = (...argv: readonly string[]) => runLive(eventCommand, [...argv, '--dir', dir], { cwd: dir });
const out = () => readFileSync(join(dir, 'out'), 'utf8');

test('a question is raised when nobody has answered it for a minute, and not when somebody has', async () => {
  const clock = manualClock();
  const raised: WizardEvent[] = [];
  const boot = wizardState({}, { screen: 'boot' });
  const probe = probeOf('needed', { nodes: [], refusedMacs: [] });
  const looked = after(boot, { type: 'step/looked', step: 'boot', probe, plan: dangerousPlan });
  const store = createWizardStore(looked, () => undefined);
  raiseQuestions(store, { raise: (one) => void raised.push(one) }, clock);
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
      text: expect.stringMatching(/^\[11\/17\] Boot: .*\? It waits for an answer\.$/),
    },
  ]);
});

test('the command is kept with the directory until it is off', () => {
  expect(keepOnEvent(dir, undefined)).toBeNull();
  expect(keepOnEvent(dir, ' notify-send x ')).toContain('On events this runs: notify-send x.');
  expect(readOnEvent(dir)).toBe('notify-send x');
  expect(keepOnEvent(dir, undefined)).toBeNull();
  expect(readOnEvent(dir)).toBe('notify-send x');
  expect(() => keepOnEvent(dir, '')).toThrow(UsageError);
  expect(keepOnEvent(dir, 'off')).toBe('No command runs on events any more.');
  expect(readOnEvent(dir)).toBeNull();
});

test('event tries the command, and says when there is none or it does not work', async () => {
  expect(await event('step-done')).toMatchObject({ code: 4, stderr: expect.stringContaining('--on-event CMD') });
  keepOnEvent(dir, 'echo "$UPI_WIZARD_EVENT $UPI_WIZARD_STEP $UPI_WIZARD_TEXT" >>out');
  expect(await event('step-done', '--step', 'boot', '--text', 'hello')).toMatchObject({ code: 0, stderr: '' });
  expect(await event('question')).toMatchObject({ code: 0 });
  expect(out()).toBe('step-done boot hello\nquestion report This is a trial of the command for events (question).\n');
  keepOnEvent(dir, 'false');
  expect(await event('question')).toMatchObject({ code: 4, stderr: expect.stringContaining('ended with code 1') });
  expect(await event('nothing')).toMatchObject({ code: 2, stderr: expect.stringContaining('Known: question,') });
});

test('a job tells how its program ended; openshift-install, that the installation is complete, once', async () => {
  keepOnEvent(dir, 'echo "$UPI_WIZARD_EVENT $UPI_WIZARD_STEP $UPI_WIZARD_TEXT" >>out');
  await event('job-restarted', '--job', 'boot-server', '--code', '137');
  await event('job-ended', '--job', 'bootstrap-complete', '--code', '1');
  await event('job-ended', '--job', 'install-complete', '--code', '0');
  await event('job-ended', '--job', 'install-complete', '--code', '0');
  expect(out().trim().split('\n').sort()).toEqual([
    'installation-complete operators The installation is complete, says openshift-install.',
    'job-ended bootstrap openshift-install wait-for bootstrap-complete ended with code 1.',
    'job-ended operators openshift-install wait-for install-complete ended, successfully.',
    'job-ended operators openshift-install wait-for install-complete ended, successfully.',
    'job-restarted boot The boot server ended with code 137 and is restarted.',
  ]);
});
