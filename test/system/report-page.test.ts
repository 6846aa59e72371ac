import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Report, renderReportHtml } from '../../src/artifacts/report.ts';
import type { Design } from '../../src/design/model.ts';
import { createReport } from '../../src/steps/report/create-report.ts';
import { createClusterContext } from '../../src/steps/shared/cluster-access.ts';
import { type Browser, type PageView, startBrowser } from '../support/browser.ts';
import { exampleSite } from '../support/example-design.ts';
import { MARKUP_INJECTIONS } from '../support/markup.ts';
import { findProgram, testWith } from '../support/programs.ts';
import { createStepFixture, type StepFixture } from '../support/step-fixture.ts';
import { POISON } from '../torture/hostile.ts';

// Real Chromium opens report.html from disk with the network off. Set REPORT_PICTURES to a directory to look at it.
const test = testWith('chromium');
const PICTURES = process.env.REPORT_PICTURES;

const VIEWS: Readonly<Record<string, PageView>> = {
  light: { scheme: 'light', media: 'screen', width: 1200 },
  dark: { scheme: 'dark', media: 'screen', width: 1200 },
  narrow: { scheme: 'light', media: 'screen', width: 390 },
  // A4 without its margins, at 96 pixels per inch.
  print: { scheme: 'dark', media: 'print', width: 680 },
};

let browser: Browser;
const fixtures: StepFixture[] = [];
beforeAll(async () => {
  if (findProgram('chromium') !== null) browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  for (const fixture of fixtures) await fixture.remove();
});

/** Creates the report of an installation in which something ran. */
async function createSampleReport(design: Design): Promise<Report> {
  const fixture = createStepFixture({ design });
  fixtures.push(fixture);
  const start = Date.parse('2024-03-01T10:00:00Z');
  fixture.facts['powered-on'] = Object.fromEntries(
    design.nodes.map(({ name }, index) => [name, start + index * 60_000]),
  );
  fixture.facts['ready-at'] = Object.fromEntries(design.nodes.map(({ name }) => [name, start + 3_600_000]));
  fixture.facts['unknown-checks'] = [{ title: 'Registry', why: 'it was not observable' }];
  fixture.facts['check-overrides'] = [
    { checks: ['lb-member-silent'], reason: 'is mended by noon', by: 'alice', at: 'now' },
  ];
  fixture.write('bootstrap.ign', 'x');
  const report = await createReport({ ...createClusterContext(fixture.context), hasUserDesign: true }, null);
  return { ...report, parts: [...report.parts, UPDATE_PART] };
}

/** Results about the next update, as a cluster that runs has them. */
const UPDATE_PART: Report['parts'][number] = {
  id: 'update',
  heading: 'What would block your next update',
  kind: 'checks',
  intro: 'One thing blocks an update of 4.22.3 to the next minor version.',
  results: [
    {
      id: 'update-acks',
      state: 'blocked',
      title: 'ack-4.22-kube-1.36-api-removals-in-4.23: the administrator has to acknowledge a change',
      text: 'Kubernetes 1.36 removes APIs.',
      commands: [
        `oc -n openshift-config patch configmap admin-acks --type merge -p '{"data":{"ack-4.22-kube":"true"}}'`,
      ],
    },
    { id: 'update-runc', state: 'unknown', title: 'no node uses the runtime runc', text: 'Not allowed.', commands: [] },
    { id: 'update-pools', state: 'ok', title: 'the MachineConfigPools are updated', text: '', commands: [] },
  ],
};

/** Replaces each text of a report. */
function poison(report: Report, text: string): Report {
  const replace = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((each) => replace(each, key));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replace(each, name)]));
    const isText = typeof value === 'string' && !/^(?:id|kind|group|state|outcome|startedAt|endedAt)$/.test(key);
    return isText ? `${value} ${text}` : value;
  };
  return replace(report, '') as Report;
}

async function expectGoodPage(name: string, html: string): Promise<void> {
  const [fixture] = fixtures;
  const dir = PICTURES ?? fixture?.dir ?? '';
  mkdirSync(dir, { recursive: true });
  const file = join(dir, `${name}.html`);
  writeFileSync(file, html);
  for (const [view, options] of Object.entries(VIEWS)) {
    const { requests, messages, violations, overflow, picture } = await browser.open(file, options);
    if (PICTURES !== undefined) writeFileSync(join(dir, `${name}-${view}.png`), picture);
    expect({ view, requests, messages, violations, overflow }).toEqual({
      view,
      requests: [],
      messages: [],
      violations: [],
      overflow: 0,
    });
    expect(picture.length).toBeGreaterThan(10_000);
  }
}

/** A site with this many nodes, in two machine networks. */
function createLargeSite(count: number): Design {
  const site = exampleSite();
  const [worker] = site.nodes.filter(({ role }) => role === 'compute');
  if (!worker) throw new Error('the example has no compute node');
  const more = Array.from({ length: count - site.nodes.length }, (_, index) => ({
    ...worker,
    name: `worker${index}`,
    ip: [`172.16.${1 + Math.floor(index / 200)}.${(index % 200) + 10}`],
    mac: `00:50:56:97:00:${index.toString(16).padStart(2, '0')}`,
  }));
  return { ...site, nodes: [...site.nodes, ...more] };
}

describe('report.html in a real browser', () => {
  test('has no request, no message, no violation of axe-core and no overflow, in light, dark, narrow and print', async () => {
    const design = exampleSite();
    await expectGoodPage('example', renderReportHtml(await createSampleReport(design), design));
  });

  test('the same for 100 nodes', async () => {
    const design = createLargeSite(100);
    const html = renderReportHtml(await createSampleReport(design), design);
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(300_000);
    await expectGoodPage('large', html);
  });

  test('the same with hostile text in each place: nothing of it runs or is requested', async () => {
    const design = exampleSite();
    const report = await createSampleReport(design);
    const text = [...MARKUP_INJECTIONS, ...POISON].join(' ');
    await expectGoodPage('hostile', renderReportHtml(poison(report, text), design));
  });
});
