import { expect, test } from 'vitest';
import { convertErrorToFinding } from '../../../src/checks/check.ts';
import { UserErrorException } from '../../../src/i18n/user-error.ts';
import { type AnyStep, mapSteps, type Probe, type StepContext, type StepId } from '../../../src/steps/contract.ts';
import { type WizardEvent, withStepEvents } from '../../../src/steps/events.ts';

const userError = { code: 'x', title: 'No disk', cause: 'it is full', remedy: 'make room' };
const createProbe = (state: Probe<unknown>['state'], more: Partial<Probe<unknown>> = {}): Probe<unknown> => ({
  state,
  summary: `${state} now`,
  view: { requests: [] },
  findings: [],
  ...more,
});

/** Wraps a step whose probes the test provides one by one, and records the events that it raises. */
function createStep(id: StepId, apply: AnyStep['apply'] = async () => undefined) {
  const events: WizardEvent[] = [];
  let next = createProbe('needed');
  const step: AnyStep = {
    id,
    probe: async () => ({ probe: next, plan: () => Promise.reject(new Error('no plan')) }),
    apply,
    verify: async () => next,
    probeIntervalMs: null,
    timeoutMs: 0,
  };
  const steps = withStepEvents(
    mapSteps(() => step),
    { raise: (event) => void events.push(event) },
  );
  const context = (signal = new AbortController().signal) => ({ signal }) as StepContext;
  return {
    steps,
    takeTexts: () => events.splice(0).map(({ event, text }) => `${event}: ${text}`),
    keys: () => events.map(({ onceKey: key }) => key),
    async runProbe(result: Probe<unknown>) {
      next = result;
      await steps[id].probe(context());
    },
    apply: (signal?: AbortSignal) => steps[id].apply(context(signal), () => undefined),
  };
}

test('a step that was open before raises step-done once; one that was done from the start raises nothing', async () => {
  const boot = createStep('boot');
  await boot.runProbe(createProbe('done'));
  expect(boot.takeTexts()).toEqual([]);
  await boot.runProbe(createProbe('waiting'));
  await boot.runProbe(createProbe('done', { summary: 'all booted' }));
  await boot.runProbe(createProbe('done'));
  expect(boot.takeTexts()).toEqual(['step-done: Boot: done. all booted']);
});

test('a step that cannot continue reports the reason, once for each cause', async () => {
  const boot = createStep('boot');
  const blocked = createProbe('blocked', {
    findings: [convertErrorToFinding(userError), convertErrorToFinding(userError, 'warning')],
  });
  await boot.runProbe(blocked);
  await boot.runProbe(blocked);
  expect(boot.takeTexts()).toEqual(['step-blocked: Boot cannot continue: No disk: it is full']);
  await boot.runProbe(createProbe('blocked'));
  expect(boot.takeTexts()).toEqual([]);
});

test('a failed action raises an event, one that the user stopped does not', async () => {
  const failing = createStep('prepare', async () => {
    throw new UserErrorException(userError);
  });
  await expect(failing.apply()).rejects.toThrow();
  expect(failing.takeTexts()).toEqual(['step-failed: Prepare failed: No disk: it is full']);
  await expect(failing.apply(AbortSignal.abort())).rejects.toThrow();
  expect(failing.takeTexts()).toEqual([]);
});

test('the installation is complete when the operators are', async () => {
  const operators = createStep('operators');
  await operators.runProbe(createProbe('done'));
  expect(operators.keys()).toEqual(['']);
  expect(operators.takeTexts()).toEqual([
    'installation-complete: The installation is complete: all operators are available.',
  ]);
});

test('a refused request raises an event with its reason, a flood of them only one', async () => {
  const certificates = createStep('certificates');
  const request = (uid: string) => ({
    name: `csr-${uid}`,
    uid,
    node: null,
    requester: 'evil',
    reasonTexts: ['Bad name.'],
  });
  const createRefused = (count: number) =>
    createProbe('waiting', {
      view: {
        requests: [
          { ...request('ok'), verdict: 'expected' },
          ...Array.from({ length: count }, (_, index) => ({ ...request(String(index)), verdict: 'refused' })),
        ],
      },
    });
  await certificates.runProbe(createRefused(1));
  expect(certificates.keys()).toEqual(['0']);
  expect(certificates.takeTexts()).toEqual([
    'certificate-refused: The certificate request csr-0 of evil was not approved: Bad name.',
  ]);
  await certificates.runProbe(createRefused(900));
  expect(certificates.takeTexts()).toEqual(['certificate-refused: 900 certificate requests were not approved.']);
});

test('the step gets the plan that the user agreed to', async () => {
  const plans: unknown[] = [];
  const { steps } = createStep('infra', async (_context, _report, shown) => void plans.push(shown));
  const plan = { changes: [], isDangerous: true, instructions: [] };
  await steps.infra.apply({ signal: new AbortController().signal } as StepContext, () => undefined, plan);
  expect(plans).toEqual([plan]);
});
