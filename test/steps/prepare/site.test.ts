import { afterEach, expect, test } from 'vitest';
import type { Finding, Phase } from '../../../src/diagnosis/finding.ts';
import { byPhase, siteFindings } from '../../../src/diagnosis/prepare/items.ts';
import { forgetSite, sitePhases } from '../../../src/steps/prepare/site.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

let world: StepWorld | null = null;
afterEach(async () => await world?.remove());

function found(phase: Phase, state: Finding['state'], severity: Finding['severity'] = 'fatal', title = 'it') {
  const finding: Finding = { code: 'x', state, severity, subject: null, title, cause: 'seen', whatToDo: 'mend it' };
  return { phase, finding };
}

test('checks are counted by phase in the order of the work, those that block are told first, and unknown is no failure', () => {
  const phases = byPhase([
    found('dhcp', 'unknown'),
    found('dns', 'ok'),
    found('dns', 'failed', 'warning', 'a host has no name'),
    found('dns', 'failed', 'fatal', 'the API has no name'),
    found('dns', 'pending'),
  ]);
  expect(phases).toMatchObject([
    {
      phase: 'dns',
      ok: 1,
      pending: 1,
      unknown: 0,
      failed: [{ title: 'the API has no name' }, { severity: 'warning' }],
    },
    { phase: 'dhcp', ok: 0, unknown: 1, failed: [] },
  ]);
  expect(siteFindings(phases)).toMatchObject([
    { code: 'site-checks', severity: 'warning', cause: 'first: the API has no name (seen)', whatToDo: 'mend it' },
  ]);
  expect(siteFindings(byPhase([found('dhcp', 'unknown'), found('dns', 'ok')]))).toEqual([]);
  expect(siteFindings(byPhase([found('dns', 'failed', 'note')]))).toMatchObject([{ severity: 'note' }]);
});

test('a look just after another one does not ask the site again, and a rehearsed site is not asked at all', async () => {
  world = stepWorld({ isPerson: true });
  const { context } = world;
  context.recollection.siteChecks = { at: context.clock.now(), design: context.design, checked: [found('dns', 'ok')] };
  expect(await sitePhases(context)).toMatchObject([{ phase: 'dns', ok: 1 }]);
  expect(await sitePhases({ ...context, hands: { ...context.hands, isPerson: false } })).toEqual([]);
  forgetSite(context);
  expect(context.recollection.siteChecks).toBeNull();
});
