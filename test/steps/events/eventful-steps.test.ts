import { expect, test } from 'vitest';
import { findingOf } from '../../../src/diagnosis/finding.ts';
import { type AnyStep, eachStep, type Probe, type StepContext, type StepId } from '../../../src/steps/contract.ts';
import { eventfulSteps } from '../../../src/steps/events/eventful-steps.ts';
import type { WizardEvent } from '../../../src/steps/events/index.ts';
import { TroubleError } from '../../../src/text/trouble.ts';

const trouble = { code: 'x', title: 'No disk', cause: 'it is full', whatToDo: 'make room' };
const probe = (state: Probe<unknown>['state'], more: Partial<Probe<unknown>> = {}): Probe<unknown> => ({
  state,
  summary: `${state} now`,
  view: { requests: [] },
  findings: [],
  ...more,
});

/** The steps over looks that a test hands in one by one, and what they raise. */
function played(id: StepId, apply: AnyStep['apply'] = async () => undefined) {
  const raised: WizardEvent[] = [];
  let next = probe('needed');
  const step: AnyStep = {
    id,
    look: async () => ({ probe: next, plan: () => Promise.reject(new Error('no plan')) }),
    apply,
    verify: async () => next,
    lookEvery: null,
    patience: 0,
  };
  const steps = eventfulSteps(
    eachStep(() => step),
    { raise: (event) => void raised.push(event) },
  );
  const context = (signal = new AbortController().signal) => ({ signal }) as StepContext;
  return {
    raised: () => raised.splice(0).map(({ event, text }) => `${event}: ${text}`),
    keys: () => raised.map(({ key }) => key),
    async looks(seen: Probe<unknown>) {
      next = seen;
      await steps[id].look(context());
    },
    apply: (signal?: AbortSignal) => steps[id].apply(context(signal), () => undefined),
  };
}

test('a step that was seen open is done once; one that was done before is no news', async () => {
  const boot = played('boot');
  await boot.looks(probe('done'));
  expect(boot.raised()).toEqual([]);
  await boot.looks(probe('waiting'));
  await boot.looks(probe('done', { summary: 'all booted' }));
  await boot.looks(probe('done'));
  expect(boot.raised()).toEqual(['step-done: Boot: done. all booted']);
});

test('a step that cannot continue says why, once for each cause', async () => {
  const boot = played('boot');
  const blocked = probe('blocked', { findings: [findingOf(trouble), findingOf(trouble, 'warning')] });
  await boot.looks(blocked);
  await boot.looks(blocked);
  expect(boot.raised()).toEqual(['step-blocked: Boot cannot continue: No disk: it is full']);
  await boot.looks(probe('blocked'));
  expect(boot.raised()).toEqual([]);
});

test('an act that fails is told, and one that a person stopped is not', async () => {
  const failing = played('prepare', async () => {
    throw new TroubleError(trouble);
  });
  await expect(failing.apply()).rejects.toThrow();
  expect(failing.raised()).toEqual(['step-failed: Prepare failed: No disk: it is full']);
  await expect(failing.apply(AbortSignal.abort())).rejects.toThrow();
  expect(failing.raised()).toEqual([]);
});

test('the installation is complete when the operators are', async () => {
  const operators = played('operators');
  await operators.looks(probe('done'));
  expect(operators.keys()).toEqual(['']);
  expect(operators.raised()).toEqual([
    'installation-complete: The installation is complete: all operators are available.',
  ]);
});

test('a request that is not approved is told with its reason, and a flood of them as one', async () => {
  const certificates = played('certificates');
  const request = (uid: string) => ({ name: `csr-${uid}`, uid, node: null, requester: 'evil', why: ['Bad name.'] });
  const refused = (count: number) =>
    probe('waiting', {
      view: {
        requests: [
          { ...request('ok'), verdict: 'expected' },
          ...Array.from({ length: count }, (_, index) => ({ ...request(String(index)), verdict: 'refused' })),
        ],
      },
    });
  await certificates.looks(refused(1));
  expect(certificates.keys()).toEqual(['0']);
  expect(certificates.raised()).toEqual([
    'certificate-refused: The certificate request csr-0 of evil was not approved: Bad name.',
  ]);
  await certificates.looks(refused(900));
  expect(certificates.raised()).toEqual(['certificate-refused: 900 certificate requests were not approved.']);
});
