import { expect, test } from 'vitest';
import type { Finding } from '../../src/checks/check.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { UserErrorException } from '../../src/i18n/user-error.ts';
import { mergeFindings } from '../../src/plain/output.ts';
import { type PlainIo, printFindings, runSteps } from '../../src/plain/run-steps.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import { NO_AUDIT_LOG } from '../../src/session/audit-log.ts';
import type { AnyStep, Plan, Probe, StepContext, StepId } from '../../src/steps/contract.ts';
import { STEP_IDS, toAnyStep } from '../../src/steps/contract.ts';
import { manualClock } from '../support/manual-clock.ts';
import { buildProbe, dangerousPlan, safePlan } from '../support/wizard-state.ts';

const finding = (severity: Finding['severity'], title: string): Finding => ({
  code: 'f',
  state: 'failed',
  severity,
  subject: null,
  title,
  cause: `cause of ${title}`,
  remedy: `mend ${title}`,
});

interface FakeStep {
  /** Results of the probes, in order; the last one repeats. An Error is thrown. */
  readonly looks: readonly (Probe<unknown> | Error)[];
  readonly plan?: Plan | Error;
  readonly apply?: Error;
  readonly patience?: number;
  /** Duration of each probe on the clock, in ms. */
  readonly lookTakes?: number;
  /** Missing: a minute. */
  readonly probeIntervalMs?: number | null;
  /** Receives the reasons for overriding failed checks. */
  readonly override?: (reason: string) => void;
  /** Its actions run in a job. */
  readonly hasJob?: boolean;
}

const done = buildProbe('done', {});
const needed = buildProbe('needed', {});
const waiting = buildProbe('waiting', {});

/** Runs all steps, done already except for the given ones, and advances the clock until the run ends. */
async function play(
  fakes: Partial<Record<StepId, FakeStep>>,
  confirm = true,
  reasons: string[] = [],
  word = '',
  diagnose?: PlainIo['diagnose'],
) {
  const clock = manualClock();
  const happened: string[] = [];
  const createFakeStep = (id: StepId): AnyStep => {
    const {
      looks,
      plan = safePlan,
      apply,
      patience: timeoutMs = 10 * MINUTE,
      lookTakes = 0,
      override,
      hasJob = false,
      probeIntervalMs = MINUTE,
    } = fakes[id] ?? { looks: [done] };
    let index = 0;
    const probeStep = async (): Promise<Probe<unknown>> => {
      const found = looks[Math.min(index, looks.length - 1)] ?? done;
      index += 1;
      happened.push(`look ${id}`);
      if (lookTakes > 0) await clock.sleep(lookTakes);
      if (found instanceof Error) throw found;
      return found;
    };
    return toAnyStep({
      id,
      probeIntervalMs,
      timeoutMs,
      probe: probeStep,
      verify: probeStep,
      plan: async () => {
        if (plan instanceof Error) throw plan;
        return plan;
      },
      apply: async (_context, report) => {
        happened.push(`apply ${id}`);
        report(`working on ${id}`);
        report('');
        if (apply) throw apply;
      },
      override: async (_context, reason) => override?.(reason),
      ...(hasJob ? { job: { follow: async () => undefined, decline: () => undefined, describe: () => null } } : {}),
    });
  };
  const steps = Object.fromEntries(STEP_IDS.map((id) => [id, createFakeStep(id)])) as Record<StepId, AnyStep>;
  const lines: string[] = [];
  const places: StepId[] = [];
  let asked = 0;
  const context: Partial<StepContext> = { clock, auditLog: NO_AUDIT_LOG, signal: new AbortController().signal };
  const result = runSteps(
    context as StepContext,
    {
      print: (line) => lines.push(line),
      confirm: async () => {
        asked += 1;
        return confirm;
      },
      requestOverrideReason: async () => reasons.shift() ?? null,
      confirmWord: async (wanted) => wanted === word,
      onCurrentStep: (step) => places.push(step),
      ...(diagnose && { diagnose }),
    },
    steps,
  );
  let isOver = false;
  void result.finally(() => {
    isOver = true;
  });
  for (let minute = 0; minute < 300 && !isOver; minute += 1) await clock.advance(MINUTE);
  return { outcome: await result, lines, text: lines.join('\n'), happened, asked, places, clock };
}

test('steps run in their order, and finished ones are skipped', async () => {
  const { outcome, lines, happened, places } = await play({ boot: { looks: [needed, waiting, done] } });
  // Screens that are opened later continue at this step, not at the first.
  expect(places).toEqual(['boot', 'report']);
  expect(outcome).toEqual({ isVerified: true, isDeclined: false, findings: [] });
  expect(happened.filter((what) => what.startsWith('apply'))).toEqual(['apply boot']);
  expect(happened.filter((what) => what.startsWith('look')).map((what) => what.slice(5))).toEqual([
    ...['generate', 'hosts', 'prepare', 'boot', 'boot', 'boot', 'bootstrap', 'bootstrap-removal'],
    ...['certificates', 'operators', 'infra', 'report'],
  ]);
  expect(lines[0]).toBe('[8/17] Generate');
  expect(lines[1]).toBe('  already done: it is done');
  expect(lines).toContain('  working on boot');
  // An empty line only updates the item on the screens.
  expect(lines.filter((line) => line.trim() === '')).toEqual([]);
  expect(lines).toContain('  done in 60 s: it is done');
});

test('a step that only writes files has no duration', async () => {
  const { lines } = await play({ report: { looks: [needed, done], probeIntervalMs: null } });
  expect(lines.slice(-2)).toEqual(['  working on report', '  done: it is done']);
});

test('the explanation of a part of a plan is not printed as a change', async () => {
  const explain = (object: string) => ({ object, what: 'It saves memory.', before: null, after: null });
  const edit = { object: 'Node i1', what: 'label', before: 'a', after: 'b' };
  const changes = [explain('label'), edit, explain('taint'), edit, edit];
  const part = { text: '', end: '' };
  const parts = [
    { ...part, label: 'label', changeCount: 2 },
    { ...part, label: 'taint', changeCount: 3 },
  ];
  const plan = { changes, parts, summary: [], isDangerous: true, instructions: [] };
  const { lines } = await play({ infra: { looks: [needed, done], plan } });
  const start = lines.indexOf('  label: It saves memory.');
  expect(lines.slice(start, start + 5)).toEqual([
    '  label: It saves memory.',
    '  will change  Node i1: label',
    '  taint: It saves memory.',
    '  will change  Node i1: label',
    '  will change  Node i1: label',
  ]);
  const single = await play({
    infra: { looks: [needed, done], plan: { ...plan, changes: changes.slice(0, 2), parts: [] } },
  });
  expect(single.lines).toContain('  label: It saves memory.');
});

test('a plan is printed before it is done, long ones shortened, with what is to be done by hand', async () => {
  const changes = Array.from({ length: 15 }, (_, n) => ({
    object: `file${n}`,
    what: 'new',
    before: null,
    after: null,
  }));
  const { lines, asked } = await play({
    generate: { looks: [needed, done], plan: { changes, isDangerous: false, instructions: ['copy it'] } },
  });
  expect(lines.filter((line) => line.includes('will change'))).toHaveLength(12);
  expect(lines).toContain('  ... and 3 more');
  expect(lines).toContain('  to do        copy it');
  expect(asked).toBe(0);
});

test('a dangerous plan needs a yes; no changes nothing and ends the run', async () => {
  const fakes = { boot: { looks: [needed, done], plan: dangerousPlan } };
  expect((await play(fakes)).asked).toBe(1);
  const { outcome, lines, happened } = await play(fakes, false);
  expect(outcome).toMatchObject({ isVerified: false, isDeclined: true });
  expect(happened).not.toContain('apply boot');
  expect(happened).not.toContain('look bootstrap');
  expect(lines.at(-1)).toContain('Nothing was changed.');
  // A plan that can lose data needs the typed word: yes is not enough.
  const destructivePlan = { ...dangerousPlan, typedConfirmation: { word: 'emptyDir', reason: 'The images are lost.' } };
  const destructive = { boot: { looks: [needed, done], plan: destructivePlan } };
  const refused = await play(destructive, true, [], 'no');
  expect([refused.outcome.isDeclined, refused.happened.includes('apply boot')]).toEqual([true, false]);
  expect(refused.lines).toContain('  The images are lost.');
  expect((await play(destructive, true, [], 'emptyDir')).happened).toContain('apply boot');
});

test('a step that is blocked for a fatal reason stops the run before anything is done', async () => {
  const looks = [buildProbe('blocked', {}, { findings: [finding('fatal', 'no pull secret')] })];
  const { outcome, text, happened } = await play({ generate: { looks } });
  expect(outcome).toMatchObject({ isVerified: false, isDeclined: false });
  expect(outcome.findings.map(({ title }) => title)).toEqual(['no pull secret']);
  expect(text).toContain(
    'fatal: no pull secret\n    because: cause of no pull secret\n    do this: mend no pull secret',
  );
  expect(happened).toEqual(['look generate']);
});

test('failed checks are overridden with a reason, once per set of failures; without a reason the run stops there', async () => {
  const found = finding('fatal', 'no name');
  const blocked = { ...buildProbe('blocked', {}, { findings: [found] }), overridableChecks: [found] };
  const givenReasons: string[] = [];
  const prepare = { looks: [blocked, needed, blocked, done], override: (reason: string) => givenReasons.push(reason) };
  const { outcome, text, happened } = await play({ prepare }, true, ['the first', 'the second']);
  expect(outcome.isVerified).toBe(true);
  expect(givenReasons).toEqual(['the first', 'the second']);
  expect(text).toContain('blocks: no name: cause of no name');
  expect(happened).toContain('look boot');
  const stopped = await play({ prepare: { ...prepare, looks: [blocked] } }, true, ['once']);
  expect(stopped.outcome).toMatchObject({ isVerified: false, isDeclined: false });
  expect(stopped.happened).not.toContain('apply prepare');
});

test('a fatal finding on the way stops the run', async () => {
  const looks = [needed, waiting, buildProbe('waiting', {}, { findings: [finding('fatal', 'typing error')] })];
  const { outcome, happened } = await play({ boot: { looks } });
  expect(outcome.findings.map(({ title }) => title)).toEqual(['typing error']);
  expect(happened.at(-1)).toBe('look boot');
});

test('a step whose job has ended, and that is blocked, stops the run without a wait', async () => {
  const looks = [needed, buildProbe('blocked', {}, { findings: [finding('warning', 'no storage')] })];
  const { outcome, text, happened } = await play({ infra: { looks, hasJob: true, patience: 60 * MINUTE } });
  expect(outcome).toMatchObject({ isVerified: false, findings: [{ title: 'no storage' }] });
  expect(happened.filter((event) => event.endsWith(' infra'))).toEqual(['look infra', 'apply infra', 'look infra']);
  expect(text).not.toContain('not done after');
});

test('the timeout reports what is missing', async () => {
  const { outcome, text, clock } = await play({ boot: { looks: [needed, waiting], patience: 30 * MINUTE } });
  expect(outcome.isVerified).toBe(false);
  expect(outcome.findings).toMatchObject([
    { code: 'not-finished', subject: 'boot', title: 'Boot did not finish', cause: 'it is waiting' },
  ]);
  expect(text).toContain('not done after 31 min: it is waiting');
  expect(clock.countSleepers()).toBe(0);
});

test('a step that is given up ends with the diagnosis, unless its own finding is the cause', async () => {
  const diagnose = (code: string) => async () => ({
    cause: { ...finding('fatal', 'The gateway is wrong (certain)'), code },
    lines: ['1. The gateway is wrong (certain)', '   Do this: correct it'],
    repairText: 'In this rehearsal: `repair`',
  });
  const lateStep = { looks: [needed, waiting], patience: 30 * MINUTE };
  const late = await play({ boot: lateStep }, true, [], '', diagnose('gateway-wrong'));
  expect(late.lines.slice(-3)).toEqual([
    '  not done after 31 min: it is waiting',
    '1. The gateway is wrong (certain)',
    '   Do this: correct it',
  ]);
  expect(late.outcome.findings.map(({ code }) => code)).toEqual(['gateway-wrong', 'not-finished']);
  const failedStep = { looks: [needed, buildProbe('waiting', {}, { findings: [finding('fatal', 'typing error')] })] };
  const failed = await play({ boot: failedStep }, true, [], '', diagnose('f'));
  expect(failed.outcome.findings.map(({ title }) => title)).toEqual(['typing error']);
  expect(failed.text).not.toContain('gateway');
  expect(failed.lines.at(-1)).toBe('      repair');
  expect(late.text).not.toContain('In this rehearsal');
  const unclear = await play({ boot: lateStep }, true, [], '', async () => ({ cause: null, lines: ['nothing'] }));
  expect(unclear.text).not.toContain('nothing');
  const unreachable = await play({ boot: lateStep }, true, [], '', () =>
    Promise.reject(new UserErrorException(userError)),
  );
  expect(unreachable.text).toContain(userError.title);
});

test('a step that is needed again is planned, confirmed and applied again, but not forever', async () => {
  const recurring = { looks: [needed, waiting, needed, needed, needed, needed, done], plan: dangerousPlan };
  const again = await play({ hosts: recurring });
  expect(again.outcome.isVerified).toBe(true);
  expect(again.happened.filter((what) => what === 'apply hosts')).toHaveLength(2);
  expect(again.asked).toBe(2);
  const never = await play({ hosts: { looks: [needed] } });
  expect(never.happened.filter((what) => what === 'apply hosts')).toHaveLength(3);
  expect(never.outcome.findings).toMatchObject([{ code: 'not-finished', subject: 'hosts' }]);
});

test('an unchanged state is printed once, and every finding once', async () => {
  const slow = buildProbe('waiting', {}, { findings: [finding('warning', 'slow disk')] });
  const { text } = await play({ boot: { looks: [needed, slow, slow, slow, done] } });
  expect(text.match(/it is waiting/g)).toHaveLength(1);
  expect(text.match(/warning: slow disk/g)).toHaveLength(1);
});

test('a finding that only counts minutes is printed once in an unattended run', async () => {
  const looks = [6, 7, 61].map((minutes) => {
    const slow = {
      ...finding('warning', `No change for ${minutes} min`),
      cause: `since 10:0${minutes % 10}, ${minutes} refused`,
    };
    return buildProbe('waiting', {}, { findings: [slow] });
  });
  const { text } = await play({ boot: { looks: [needed, ...looks, done] } });
  expect(text.match(/warning: No change for/g)).toHaveLength(1);
});

test('a warning that is still there at the end leaves the run unverified, a note does not', async () => {
  const ends = (severity: Finding['severity']) =>
    play({ infra: { looks: [buildProbe('done', {}, { findings: [finding(severity, 'request refused')] })] } });
  expect((await ends('warning')).outcome.isVerified).toBe(false);
  expect((await ends('warning')).text).toContain('warning: request refused');
  expect((await ends('note')).outcome.isVerified).toBe(true);
  const afterRecovery = await play({
    hosts: { looks: [needed, buildProbe('waiting', {}, { findings: [finding('warning', 'dns')] }), done] },
  });
  expect(afterRecovery.outcome.isVerified).toBe(true);
});

test('a probe that throws is reported and repeated, at first and later', async () => {
  const { outcome, text, happened } = await play({
    boot: { looks: [new Error('EIO one'), new Error('EIO one'), needed, new Error('EIO two'), done] },
  });
  expect(outcome.isVerified).toBe(true);
  expect(text.match(/EIO one/g)).toHaveLength(1);
  expect(text).toContain('EIO two');
  expect(happened.filter((what) => what === 'apply boot')).toHaveLength(1);
});

test('at least ten probes run, even if one probe takes longer than the timeout', async () => {
  const failures = Array.from({ length: 9 }, () => new Error('EAGAIN'));
  const slow = { lookTakes: 4 * MINUTE, patience: 3 * MINUTE };
  expect((await play({ boot: { looks: [...failures, done], ...slow } })).outcome.isVerified).toBe(true);
  const late = Array.from({ length: 9 }, () => waiting);
  expect((await play({ boot: { looks: [needed, ...late, done], ...slow } })).outcome.isVerified).toBe(true);
});

test('a probe that never stops throwing ends the run at the timeout', async () => {
  const { outcome, happened } = await play({ boot: { looks: [new Error('EIO')], patience: 3 * MINUTE } });
  expect(outcome.findings).toMatchObject([{ severity: 'fatal', cause: 'EIO' }]);
  expect(happened).not.toContain('apply boot');
});

const userError = {
  code: 'installer-failed',
  title: 'the installer failed',
  cause: 'exit code 1',
  remedy: 'read its log',
};

test.each([
  ['apply', { apply: new UserErrorException(userError) }],
  ['plan', { plan: new UserErrorException(userError) }],
])('an error thrown by %s becomes a finding and stops the run', async (_name, fake) => {
  const { outcome, text } = await play({ prepare: { looks: [needed], ...fake } });
  expect(outcome.findings).toMatchObject([{ code: 'installer-failed', severity: 'fatal' }]);
  expect(text).toContain('fatal: the installer failed\n    because: exit code 1\n    do this: read its log');
});

test('the summary of a finished step names no key of a screen', async () => {
  const changed = buildProbe('done', {}, { summary: 'set it up (H), which shows the difference' });
  const { text } = await play({ hosts: { looks: [needed, changed] }, prepare: { looks: [changed] } });
  expect(text).toContain('  done in 0 s: set it up, which shows the difference\n');
  expect(text).toContain('  already done: set it up, which shows the difference\n');
});

test('a finding in plain output names no key of a screen', () => {
  const lines: string[] = [];
  const wrongMac = { ...finding('fatal', 'wrong MAC'), remedy: 'correct the design (e), generate; then port (22623)' };
  printFindings([wrongMac], { confirm: () => Promise.resolve(false), print: (line) => lines.push(line) });
  expect(lines.join('\n')).toContain('correct the design, generate; then port (22623)');
});

test('equal findings of several machines are one finding that names them all', () => {
  const { title, cause, remedy } = catalogue().diagnosis.boot['boot-halted'];
  const findings = ['m1', 'm2'].map((name, index) => ({
    ...finding('warning', title(name, 'lease')),
    subject: name,
    cause: cause('lease', 15 + index, 1),
    remedy: remedy.lease(name),
  }));
  const [merged, ...others] = mergeFindings([...findings, finding('warning', 'slow disk')]);
  expect(merged?.title).toBe('m1, m2 stopped before fetching its boot script');
  expect(merged?.remedy).toContain('look at the console of m1, m2.');
  expect(others.map(({ title: otherTitle }) => otherTitle)).toEqual(['slow disk']);
  // A name within another name is not replaced.
  const similar = ['m1', 'm2'].map((name) => ({ ...finding('warning', `${name}.example waits`), subject: name }));
  expect(mergeFindings(similar)).toHaveLength(2);
});
