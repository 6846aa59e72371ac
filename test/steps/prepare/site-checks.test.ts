import { afterEach, expect, test } from 'vitest';
import type { CheckPhase, Finding } from '../../../src/checks/check.ts';
import { groupFindingsByPhase, summarizeSiteChecks } from '../../../src/checks/prepare/items.ts';
import { clearSiteChecks, readSitePhases } from '../../../src/steps/prepare/site-checks.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

let fixture: StepFixture | null = null;
afterEach(async () => await fixture?.remove());

function createResult(
  phase: CheckPhase,
  state: Finding['state'],
  severity: Finding['severity'] = 'fatal',
  title = 'it',
) {
  const finding: Finding = { code: 'x', state, severity, subject: null, title, cause: 'seen', remedy: 'mend it' };
  return { phase, finding };
}

test('checks are counted by phase in the order of the work, blocking ones come first, and unknown is no failure', () => {
  const phases = groupFindingsByPhase([
    createResult('dhcp', 'unknown'),
    createResult('dns', 'ok'),
    createResult('dns', 'failed', 'warning', 'a host has no name'),
    createResult('dns', 'failed', 'fatal', 'the API has no name'),
    createResult('dns', 'pending'),
  ]);
  expect(phases).toMatchObject([
    {
      phase: 'dns',
      okCount: 1,
      pendingCount: 1,
      unknownCount: 0,
      failedFindings: [{ title: 'the API has no name' }, { severity: 'warning' }],
    },
    { phase: 'dhcp', okCount: 0, unknownCount: 1, failedFindings: [] },
  ]);
  expect(summarizeSiteChecks(phases)).toMatchObject([
    { code: 'site-checks', severity: 'warning', cause: 'first: the API has no name (seen)', remedy: 'mend it' },
  ]);
  expect(
    summarizeSiteChecks(groupFindingsByPhase([createResult('dhcp', 'unknown'), createResult('dns', 'ok')])),
  ).toEqual([]);
  expect(summarizeSiteChecks(groupFindingsByPhase([createResult('dns', 'failed', 'note')]))).toMatchObject([
    { severity: 'note' },
  ]);
});

test('a second probe reuses the results of the site checks, and a rehearsed site is not checked at all', async () => {
  fixture = createStepFixture({ isManual: true });
  const { context } = fixture;
  context.probeCache.siteChecks = {
    at: context.clock.now(),
    design: context.design,
    results: [createResult('dns', 'ok')],
  };
  expect(await readSitePhases(context)).toMatchObject([{ phase: 'dns', okCount: 1 }]);
  expect(
    await readSitePhases({ ...context, manualActions: { ...context.manualActions, canCheckSite: false } }),
  ).toEqual([]);
  clearSiteChecks(context);
  expect(context.probeCache.siteChecks).toBeNull();
});
