import { mkdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { buildCheckDocument, type CheckPhase, type Finding } from '../../../src/checks/check.ts';
import { PREPARE_CHECKS } from '../../../src/checks/prepare/checks.ts';
import { groupFindingsByPhase } from '../../../src/checks/prepare/items.ts';
import { isValidReason, listUnoverriddenFailures } from '../../../src/checks/prepare/overrides.ts';
import { parseOverride, parseTypedReason, resolveOverride } from '../../../src/cli/wizard/override-option.ts';
import { openAuditLog } from '../../../src/session/audit-log.ts';
import { readJournal } from '../../../src/session/journal.ts';
import { listCheckIds } from '../../../src/steps/check/index.ts';
import { type StepContext, toAnyStep } from '../../../src/steps/contract.ts';
import { runPrepareChecks } from '../../../src/steps/prepare/checks.ts';
import { prepareStep } from '../../../src/steps/prepare/index.ts';
import { reportStep } from '../../../src/steps/report.ts';
import { runStepAction } from '../../../src/steps/shared/run-step-action.ts';
import { parseFacts } from '../../../src/steps/step-state.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

const REASON = 'the office DNS answers only inside the machine network';
let world: StepFixture | null = null;
afterEach(async () => await world?.remove());

function createFailure(phase: CheckPhase, code: string, subject: string, severity: Finding['severity'] = 'fatal') {
  const [title, cause, remedy] = [`${subject} is wrong`, 'seen', 'mend it'];
  const finding: Finding = { code, state: 'failed', severity, subject, title, cause, remedy };
  return { phase, finding };
}

/** Returns a session of a user whose site checks have just returned these results. */
function contextWith(...results: ReturnType<typeof createFailure>[]): StepContext {
  world ??= createStepFixture({ isManual: true });
  const context = {
    ...world.context,
    auditLog: openAuditLog(world.dir),
    programDirectories: [join(world.dir, 'none')],
  };
  mkdirSync(join(world.dir, '.upi-wizard'), { recursive: true, mode: 0o700 });
  context.probeCache.siteChecks = { at: context.clock.now(), design: context.design, results };
  return context;
}

test('a failed blocking check blocks Prepare until the user types a reason; another one blocks it again', async () => {
  const api = createFailure('dns', 'dns-api', 'api.ocp45');
  // The files that Prepare creates do not exist yet, and a warning blocks nothing.
  const context = contextWith(
    api,
    createFailure('boot-files', 'boot-server', 'url'),
    createFailure('dns', 'dns-hosts', 'x', 'warning'),
  );
  const blocked = await prepareStep.probe(context);
  expect(blocked).toMatchObject({ state: 'blocked', overridableChecks: [{ code: 'dns-api', subject: 'api.ocp45' }] });
  // The blocking finding comes first, whatever else is missing.
  expect(blocked.findings[0]).toMatchObject({ code: 'site-checks', severity: 'fatal' });
  expect(blocked.findings).toContainEqual(expect.objectContaining({ code: 'site-checks', severity: 'fatal' }));
  await expect(prepareStep.apply(context, () => undefined)).rejects.toMatchObject({
    userError: { code: 'site-checks' },
  });

  const runOverride = (reason: string) =>
    runStepAction(toAnyStep(prepareStep), context, { action: { type: 'override', reason } }, (line) =>
      lines.push(line),
    );
  const lines: string[] = [];
  await expect(runOverride('asdf')).rejects.toMatchObject({ userError: { code: 'override-reason' } });
  expect((await prepareStep.probe(context)).state).toBe('blocked');
  await runOverride(REASON);
  expect(lines).toEqual(['overridden: dns-api api.ocp45']);
  const overridden = await prepareStep.probe(context);
  expect(overridden.state).toBe('needed');
  expect(overridden.findings).toContainEqual(expect.objectContaining({ code: 'site-checks', severity: 'warning' }));

  const savedOverride = {
    checks: ['dns-api api.ocp45'],
    reason: REASON,
    by: userInfo().username,
    at: '2024-03-01T12:00:00.000Z',
  };
  expect(parseFacts(JSON.parse(JSON.stringify(world?.facts)))).toEqual({
    facts: { 'check-overrides': [savedOverride] },
    droppedKeys: [],
  });
  expect(readJournal(context.dir)).toContainEqual(
    expect.objectContaining({ type: 'begun', step: 'prepare', action: 'override', subject: REASON }),
  );
  await reportStep.apply(context, () => undefined);
  const line = `- dns-api api.ocp45: "${REASON}" (${savedOverride.by}, ${savedOverride.at})`;
  expect(readFileSync(join(context.dir, 'report.md'), 'utf8')).toContain(line);
  const { view } = await reportStep.probe(context);
  expect(view.sections.find(({ id }) => id === 'overrides')?.lines).toEqual([line]);

  const nextContext = contextWith(api, createFailure('dns', 'dns-api-int', 'api-int.ocp45'));
  expect(await prepareStep.probe(nextContext)).toMatchObject({
    state: 'blocked',
    overridableChecks: [{ code: 'dns-api-int' }],
  });
  // After the first power-on, the findings of Prepare no longer block.
  world?.context.stepState.set('powered-on', { bs: 1 });
  expect((await prepareStep.probe(nextContext)).state).toBe('needed');
});

test('each finding of Prepare is repeated by the check with its id, with the same texts', async () => {
  const context = contextWith(createFailure('dns', 'dns-api', 'api.ocp45'));
  const { findings, view } = await prepareStep.probe(context);
  const checks = await runPrepareChecks(context, undefined);
  expect([...new Set(checks.map(({ code }) => code))]).toEqual(PREPARE_CHECKS.map(({ id }) => id));
  const prepareFindings = findings.filter(({ code }) => PREPARE_CHECKS.some(({ id }) => id === code));
  expect(prepareFindings.map(({ code }) => code)).toContain('installer-missing');
  expect(checks.filter(({ state }) => state === 'failed')).toEqual(prepareFindings);
  // Checks of missing files are pending, and every check has a different title.
  expect(checks.flatMap(({ code, state }) => (state === 'pending' ? [code] : []))).toEqual([
    'installer-version',
    'installer-architecture',
    'installer-architecture-unknown',
    'images-wrong',
    'images-unchecked',
    'install-config-changed',
    'install-dir-alive',
    'install-dir-used',
    'ignition-expired',
    'ignition-expires',
    'boot-files-missing',
  ]);
  expect(new Set(checks.map(({ title }) => title)).size).toBe(checks.length);
  for (const { title, code } of checks) expect(title).not.toBe(code);
  for (const { result, remedy } of buildCheckDocument(checks, 'ignition').checks)
    expect(remedy).toEqual(result === 'failed' ? expect.stringMatching(/\S/) : null);
  const ids = view.items.flatMap((item) => item.checks);
  expect(ids.filter((id) => !listCheckIds().includes(id))).toEqual([]);
  expect(new Set(ids)).toEqual(new Set([...PREPARE_CHECKS.map(({ id }) => id), 'oc', 'boot-server']));
  const [one, ...others] = await runPrepareChecks(context, ['images-missing']);
  expect(one?.code).toBe('images-missing');
  expect(others).toEqual([]);
  expect(await runPrepareChecks(context, ['dns-api'])).toEqual([]);
});

test('checks of served files count once Prepare serves them, and overridden checks do not', () => {
  const phases = groupFindingsByPhase([
    createFailure('boot-files', 'tftp', 'undionly.kpxe'),
    createFailure('before-boot', 'ip-conflict', 'm1 172.16.0.21'),
  ]);
  const listBlockingCodes = (...checks: string[]) =>
    listUnoverriddenFailures(phases, [{ checks, reason: REASON, by: 'eva', at: '' }], true).map(({ code }) => code);
  expect(listBlockingCodes()).toEqual(['tftp', 'ip-conflict']);
  expect(listBlockingCodes('tftp undionly.kpxe')).toEqual(['ip-conflict']);
  expect(listBlockingCodes('tftp', 'ip-conflict m2 172.16.0.22')).toEqual(['tftp', 'ip-conflict']);
  expect(listUnoverriddenFailures(phases, [], false).map(({ code }) => code)).toEqual(['ip-conflict']);
});

test('an override on Hosts needs no second reason for the same failures', () => {
  const server = createFailure('dns', 'dns-server', '172.16.0.102');
  const others = [
    createFailure('dns', 'dns-api', 'api.ocp45 @172.16.0.102'),
    createFailure('dns', 'dns-apps-wildcard', 'nobody.apps.ocp45'),
    createFailure('dns', 'dns-reverse', '172.16.0.21'),
    createFailure('load-balancer', 'lb-listens', '172.16.0.110:6443'),
    createFailure('load-balancer', 'lb-members', 'lb1 api'),
  ];
  const listBlocking = (...checks: string[]) =>
    listUnoverriddenFailures(
      groupFindingsByPhase([server, ...others]),
      [{ checks, reason: REASON, by: 'eva', at: '' }],
      true,
    ).map(({ code }) => code);
  // An override of a silent server does not cover a server that answers wrongly now.
  expect(listBlocking('service-silent 172.16.0.102')).toEqual(others.map(({ finding }) => finding.code));
  expect(listBlocking('service-silent 172.16.0.103')).toContain('dns-server');
  const wrong = ['service-dns api.ocp45', 'service-dns test.apps.ocp45', 'service-reverse 172.16.0.21'];
  expect(listBlocking('service-silent 172.16.0.102', ...wrong, 'service-port 172.16.0.110:6443')).toEqual([
    'lb-members',
  ]);
});

test.each([
  [REASON, true],
  ['la résolution inverse viendra demain', true],
  ['逆引きは明日追加しますので大丈夫です', true],
  ['', false],
  ['yes', false],
  ['because because because', false],
  ['aaaaaaaaaaaaaaaaaaaaaaaa', false],
  ['a b c d', false],
  ['word '.repeat(100), false],
])('%j is a reason: %s', (text, expected) => {
  expect(isValidReason(text)).toBe(expected);
});

test('--override names the checks and the reason, and overrides no other check', () => {
  const option = parseOverride(`dns-api, dns-reverse: ${REASON}: truly`);
  expect(option).toEqual({ ids: ['dns-api', 'dns-reverse'], reason: `${REASON}: truly` });
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const [api, other] = [createFailure('dns', 'dns-api', 'a').finding, createFailure('dns', 'lb-listens', 'b').finding];
  expect(resolveOverride(option, [api], print)).toBe(`${REASON}: truly`);
  expect(resolveOverride(option, [api, other], print)).toBeNull();
  expect(lines).toEqual([
    `overrides dns-api: ${REASON}: truly`,
    'Not included in --override, and still blocking: lb-listens.',
  ]);
  for (const wrong of ['dns-api', `dns-api: ok`, `: ${REASON}`, `nothing: ${REASON}`])
    expect(() => parseOverride(wrong)).toThrow(/--override takes|no check/);
  expect(parseTypedReason(` ${REASON} `, print)).toBe(REASON);
  expect(parseTypedReason('no', print)).toBeNull();
  expect(parseTypedReason(null, print)).toBeNull();
});
