import { mkdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { overrideOption, reasonFor, reasonIn } from '../../../src/cli/wizard/override.ts';
import { checkDocument, type Finding, type Phase } from '../../../src/diagnosis/finding.ts';
import { closedBy, isReason } from '../../../src/diagnosis/prepare/gate.ts';
import { PREPARE } from '../../../src/diagnosis/prepare/index.ts';
import { byPhase } from '../../../src/diagnosis/prepare/items.ts';
import { journaledActs } from '../../../src/session/acts.ts';
import { readJournal } from '../../../src/session/journal.ts';
import { checkIds } from '../../../src/steps/check/index.ts';
import { anyStep, type StepContext } from '../../../src/steps/contract.ts';
import { parseFacts } from '../../../src/steps/facts.ts';
import { prepareChecks } from '../../../src/steps/prepare/checks.ts';
import { prepareStep } from '../../../src/steps/prepare/index.ts';
import { reportStep } from '../../../src/steps/report/index.ts';
import { haveAct } from '../../../src/steps/shared/acts.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

const REASON = 'the office DNS answers only inside the machine network';
let world: StepWorld | null = null;
afterEach(async () => await world?.remove());

function failed(phase: Phase, code: string, subject: string, severity: Finding['severity'] = 'fatal') {
  const [title, cause, whatToDo] = [`${subject} is wrong`, 'seen', 'mend it'];
  const finding: Finding = { code, state: 'failed', severity, subject, title, cause, whatToDo };
  return { phase, finding };
}

/** A site of a person whose checks have just found this. */
function siteWith(...checked: ReturnType<typeof failed>[]): StepContext {
  world ??= stepWorld({ isPerson: true });
  const context = { ...world.context, acts: journaledActs(world.dir), programPath: [join(world.dir, 'none')] };
  mkdirSync(join(world.dir, '.upi-wizard'), { recursive: true, mode: 0o700 });
  context.recollection.siteChecks = { at: context.clock.now(), design: context.design, checked };
  return context;
}

test('a failed blocking check closes Prepare until somebody types why it may fail; another one closes it again', async () => {
  const api = failed('dns', 'dns-api', 'api.ocp45');
  // What Prepare makes itself is not there yet, and a warning blocks nothing.
  const context = siteWith(api, failed('boot-files', 'boot-server', 'url'), failed('dns', 'dns-hosts', 'x', 'warning'));
  const closed = await prepareStep.probe(context);
  expect(closed).toMatchObject({ state: 'blocked', overridable: [{ code: 'dns-api', subject: 'api.ocp45' }] });
  // What keeps it closed is read first, whatever else is missing.
  expect(closed.findings[0]).toMatchObject({ code: 'site-checks', severity: 'fatal' });
  expect(closed.findings).toContainEqual(expect.objectContaining({ code: 'site-checks', severity: 'fatal' }));
  await expect(prepareStep.apply(context, () => undefined)).rejects.toMatchObject({ trouble: { code: 'site-checks' } });

  const act = (subject: string) =>
    haveAct(anyStep(prepareStep), context, { action: 'override', subject }, (line) => said.push(line));
  const said: string[] = [];
  await expect(act('asdf')).rejects.toMatchObject({ trouble: { code: 'override-reason' } });
  expect((await prepareStep.probe(context)).state).toBe('blocked');
  await act(REASON);
  expect(said).toEqual(['went past: dns-api api.ocp45']);
  const open = await prepareStep.probe(context);
  expect(open.state).toBe('needed');
  expect(open.findings).toContainEqual(expect.objectContaining({ code: 'site-checks', severity: 'warning' }));

  const kept = {
    checks: ['dns-api api.ocp45'],
    reason: REASON,
    by: userInfo().username,
    at: '2024-03-01T12:00:00.000Z',
  };
  expect(parseFacts(JSON.parse(JSON.stringify(world?.facts)))).toEqual({
    facts: { 'check-overrides': [kept] },
    dropped: [],
  });
  expect(readJournal(context.dir)).toContainEqual(
    expect.objectContaining({ type: 'begun', step: 'prepare', action: 'override', subject: REASON }),
  );
  await reportStep.apply(context, () => undefined);
  const line = `- dns-api api.ocp45: "${REASON}" (${kept.by}, ${kept.at})`;
  expect(readFileSync(join(context.dir, 'report.md'), 'utf8')).toContain(line);
  const { view } = await reportStep.probe(context);
  expect(view.sections.find(({ id }) => id === 'overrides')?.lines).toEqual([line]);

  const again = siteWith(api, failed('dns', 'dns-api-int', 'api-int.ocp45'));
  expect(await prepareStep.probe(again)).toMatchObject({ state: 'blocked', overridable: [{ code: 'dns-api-int' }] });
  // Once a machine was powered on, what Prepare finds is of the past.
  world?.context.memory.set('powered-on', { bs: 1 });
  expect((await prepareStep.probe(again)).state).toBe('needed');
});

test('each line of Prepare is repeated by the check of its id, with the same words', async () => {
  const context = siteWith(failed('dns', 'dns-api', 'api.ocp45'));
  const { findings, view } = await prepareStep.probe(context);
  const checks = await prepareChecks(context, undefined);
  expect([...new Set(checks.map(({ code }) => code))]).toEqual(PREPARE.map(({ code }) => code));
  const own = findings.filter(({ code }) => PREPARE.some((rule) => rule.code === code));
  expect(own.map(({ code }) => code)).toContain('installer-missing');
  expect(checks.filter(({ state }) => state === 'failed')).toEqual(own);
  // What is not there yet was not looked at, and each check says something else.
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
  for (const { result, remedy } of checkDocument(checks, 'ignition').checks)
    expect(remedy).toEqual(result === 'failed' ? expect.stringMatching(/\S/) : null);
  const ids = view.items.flatMap((item) => item.checks);
  expect(ids.filter((id) => !checkIds().includes(id))).toEqual([]);
  expect(new Set(ids)).toEqual(new Set([...PREPARE.map(({ code }) => code), 'oc', 'boot-server']));
  const [one, ...others] = await prepareChecks(context, ['images-missing']);
  expect(one?.code).toBe('images-missing');
  expect(others).toEqual([]);
  expect(await prepareChecks(context, ['dns-api'])).toEqual([]);
});

test('checks of what Prepare serves count once it serves, and what is overridden does not', () => {
  const phases = byPhase([
    failed('boot-files', 'tftp', 'undionly.kpxe'),
    failed('before-boot', 'ip-conflict', 'm1 172.16.0.21'),
  ]);
  const codes = (...checks: string[]) =>
    closedBy(phases, [{ checks, reason: REASON, by: 'eva', at: '' }], true).map(({ code }) => code);
  expect(codes()).toEqual(['tftp', 'ip-conflict']);
  expect(codes('tftp undionly.kpxe')).toEqual(['ip-conflict']);
  expect(codes('tftp', 'ip-conflict m2 172.16.0.22')).toEqual(['tftp', 'ip-conflict']);
  expect(closedBy(phases, [], false).map(({ code }) => code)).toEqual(['ip-conflict']);
});

test('what somebody went past on Hosts needs no second reason, as far as it went', () => {
  const server = failed('dns', 'dns-server', '172.16.0.102');
  const others = [
    failed('dns', 'dns-api', 'api.ocp45 @172.16.0.102'),
    failed('dns', 'dns-apps-wildcard', 'nobody.apps.ocp45'),
    failed('dns', 'dns-reverse', '172.16.0.21'),
    failed('load-balancer', 'lb-listens', '172.16.0.110:6443'),
    failed('load-balancer', 'lb-members', 'lb1 api'),
  ];
  const closed = (...checks: string[]) =>
    closedBy(byPhase([server, ...others]), [{ checks, reason: REASON, by: 'eva', at: '' }], true).map(
      ({ code }) => code,
    );
  // A server that answers wrongly now is not the silent one of then.
  expect(closed('service-silent 172.16.0.102')).toEqual(others.map(({ finding }) => finding.code));
  expect(closed('service-silent 172.16.0.103')).toContain('dns-server');
  const wrong = ['service-dns api.ocp45', 'service-dns test.apps.ocp45', 'service-reverse 172.16.0.21'];
  expect(closed('service-silent 172.16.0.102', ...wrong, 'service-port 172.16.0.110:6443')).toEqual(['lb-members']);
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
  expect(isReason(text)).toBe(expected);
});

test('--override names the checks and the reason, and goes past no other check', () => {
  const option = overrideOption(`dns-api, dns-reverse: ${REASON}: truly`);
  expect(option).toEqual({ ids: ['dns-api', 'dns-reverse'], reason: `${REASON}: truly` });
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const [api, other] = [failed('dns', 'dns-api', 'a').finding, failed('dns', 'lb-listens', 'b').finding];
  expect(reasonFor(option, [api], print)).toBe(`${REASON}: truly`);
  expect(reasonFor(option, [api, other], print)).toBeNull();
  expect(lines).toEqual([
    `goes past dns-api: ${REASON}: truly`,
    '--override does not name lb-listens: nothing goes past that.',
  ]);
  for (const wrong of ['dns-api', `dns-api: ok`, `: ${REASON}`, `nothing: ${REASON}`])
    expect(() => overrideOption(wrong)).toThrow(/--override takes|no check/);
  expect(reasonIn(` ${REASON} `, print)).toBe(REASON);
  expect(reasonIn('no', print)).toBeNull();
  expect(reasonIn(null, print)).toBeNull();
});
