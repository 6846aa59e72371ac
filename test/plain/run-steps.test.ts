import { expect, test } from 'vitest';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { runSteps } from '../../src/plain/run-steps.ts';
import { MINUTE } from '../../src/ports/clock.ts';
import type { AnyStep, Plan, Probe, StepContext, StepId } from '../../src/steps/contract.ts';
import { anyStep, STEP_IDS } from '../../src/steps/contract.ts';
import { UNLOGGED } from '../../src/steps/shared/acts.ts';
import { TroubleError } from '../../src/text/trouble.ts';
import { manualClock } from '../support/manual-clock.ts';
import { dangerousPlan, probeOf, safePlan } from '../support/wizard-state.ts';

const finding = (severity: Finding['severity'], title: string): Finding => ({
  code: 'f',
  state: 'failed',
  severity,
  subject: null,
  title,
  cause: `cause of ${title}`,
  whatToDo: `mend ${title}`,
});

interface Fake {
  /** What each look finds, in order; the last stays. An Error is thrown. */
  readonly looks: readonly (Probe<unknown> | Error)[];
  readonly plan?: Plan | Error;
  readonly apply?: Error;
  readonly patience?: number;
  /** Of the clock, ms. */
  readonly lookTakes?: number;
  /** Takes reasons. */
  readonly override?: (reason: string) => void;
}

const done = probeOf('done', {});
const needed = probeOf('needed', {});
const waiting = probeOf('waiting', {});

/** Runs steps that are all done but for the given ones, and lets time pass until it ends. */
async function play(fakes: Partial<Record<StepId, Fake>>, confirm = true, reasons: string[] = [], word = '') {
  const clock = manualClock();
  const happened: string[] = [];
  const stepOf = (id: StepId): AnyStep => {
    const {
      looks,
      plan = safePlan,
      apply,
      patience = 10 * MINUTE,
      lookTakes = 0,
      override,
    } = fakes[id] ?? { looks: [done] };
    let index = 0;
    const look = async (): Promise<Probe<unknown>> => {
      const found = looks[Math.min(index, looks.length - 1)] ?? done;
      index += 1;
      happened.push(`look ${id}`);
      if (lookTakes > 0) await clock.sleep(lookTakes);
      if (found instanceof Error) throw found;
      return found;
    };
    return anyStep({
      id,
      lookEvery: MINUTE,
      patience,
      probe: look,
      verify: look,
      plan: async () => {
        if (plan instanceof Error) throw plan;
        return plan;
      },
      apply: async (_context, report) => {
        happened.push(`apply ${id}`);
        report(`working on ${id}`);
        if (apply) throw apply;
      },
      override: async (_context, reason) => override?.(reason),
    });
  };
  const steps = Object.fromEntries(STEP_IDS.map((id) => [id, stepOf(id)])) as Record<StepId, AnyStep>;
  const lines: string[] = [];
  const places: StepId[] = [];
  let asked = 0;
  const context: Partial<StepContext> = { clock, acts: UNLOGGED, signal: new AbortController().signal };
  const running = runSteps(
    context as StepContext,
    {
      print: (line) => lines.push(line),
      confirm: async () => {
        asked += 1;
        return confirm;
      },
      reason: async () => reasons.shift() ?? null,
      typeWord: async (wanted) => wanted === word,
      at: (step) => places.push(step),
    },
    steps,
  );
  let isOver = false;
  void running.finally(() => {
    isOver = true;
  });
  for (let minute = 0; minute < 300 && !isOver; minute += 1) await clock.advance(MINUTE);
  return { outcome: await running, lines, text: lines.join('\n'), happened, asked, places, clock };
}

test('steps are taken in their order, and what is done already is passed', async () => {
  const { outcome, lines, happened, places } = await play({ boot: { looks: [needed, waiting, done] } });
  // Whoever opens the screens later goes on there, not at the beginning.
  expect(places).toEqual(['boot', 'report']);
  expect(outcome).toEqual({ isVerified: true, isDeclined: false, findings: [] });
  expect(happened.filter((what) => what.startsWith('apply'))).toEqual(['apply boot']);
  expect(happened.filter((what) => what.startsWith('look')).map((what) => what.slice(5))).toEqual([
    ...['generate', 'hosts', 'prepare', 'boot', 'boot', 'boot', 'bootstrap', 'bootstrap-removal'],
    ...['certificates', 'operators', 'infra', 'report'],
  ]);
  expect(lines[0]).toBe('[8/17] Generate files');
  expect(lines[1]).toBe('  already done: it is done');
  expect(lines).toContain('  working on boot');
  expect(lines).toContain('  done in 1 min: it is done');
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
  expect(lines).toContain('  by hand      copy it');
  expect(asked).toBe(0);
});

test('what can hurt is asked about; no changes nothing and ends there', async () => {
  const fakes = { boot: { looks: [needed, done], plan: dangerousPlan } };
  expect((await play(fakes)).asked).toBe(1);
  const { outcome, lines, happened } = await play(fakes, false);
  expect(outcome).toMatchObject({ isVerified: false, isDeclined: true });
  expect(happened).not.toContain('apply boot');
  expect(happened).not.toContain('look bootstrap');
  expect(lines.at(-1)).toContain('Nothing was changed.');
  // For what may be lost yes is not enough.
  const losing = { ...dangerousPlan, typed: { word: 'emptyDir', why: 'The images are lost.' } };
  const loses = { boot: { looks: [needed, done], plan: losing } };
  const refused = await play(loses, true, [], 'no');
  expect([refused.outcome.isDeclined, refused.happened.includes('apply boot')]).toEqual([true, false]);
  expect(refused.lines).toContain('  The images are lost.');
  expect((await play(loses, true, [], 'emptyDir')).happened).toContain('apply boot');
});

test('a step that is blocked for a fatal reason stops the run before anything is done', async () => {
  const looks = [probeOf('blocked', {}, { findings: [finding('fatal', 'no pull secret')] })];
  const { outcome, text, happened } = await play({ generate: { looks } });
  expect(outcome).toMatchObject({ isVerified: false, isDeclined: false });
  expect(outcome.findings.map(({ title }) => title)).toEqual(['no pull secret']);
  expect(text).toContain(
    'fatal: no pull secret\n    because: cause of no pull secret\n    do this: mend no pull secret',
  );
  expect(happened).toEqual(['look generate']);
});

test('failed checks are gone past with a reason, each time that others fail, and without one the run stops there', async () => {
  const found = finding('fatal', 'no name');
  const blocked = { ...probeOf('blocked', {}, { findings: [found] }), overridable: [found] };
  const taken: string[] = [];
  const prepare = { looks: [blocked, needed, blocked, done], override: (reason: string) => taken.push(reason) };
  const { outcome, text, happened } = await play({ prepare }, true, ['the first', 'the second']);
  expect(outcome.isVerified).toBe(true);
  expect(taken).toEqual(['the first', 'the second']);
  expect(text).toContain('blocks: no name: cause of no name');
  expect(happened).toContain('look boot');
  const stopped = await play({ prepare: { ...prepare, looks: [blocked] } }, true, ['once']);
  expect(stopped.outcome).toMatchObject({ isVerified: false, isDeclined: false });
  expect(stopped.happened).not.toContain('apply prepare');
});

test('a fatal finding on the way stops the run', async () => {
  const looks = [needed, waiting, probeOf('waiting', {}, { findings: [finding('fatal', 'typing error')] })];
  const { outcome, happened } = await play({ boot: { looks } });
  expect(outcome.findings.map(({ title }) => title)).toEqual(['typing error']);
  expect(happened.at(-1)).toBe('look boot');
});

test('patience ends: it is said what is missing', async () => {
  const { outcome, text, clock } = await play({ boot: { looks: [needed, waiting], patience: 30 * MINUTE } });
  expect(outcome.isVerified).toBe(false);
  expect(outcome.findings).toMatchObject([{ code: 'not-finished', subject: 'boot', cause: 'it is waiting' }]);
  expect(text).toContain('not done after 31 min: it is waiting');
  expect(clock.sleeping()).toBe(0);
});

test('what is to be done again is planned, asked about and done again, and not for ever', async () => {
  const undone = { looks: [needed, waiting, needed, needed, needed, needed, done], plan: dangerousPlan };
  const again = await play({ hosts: undone });
  expect(again.outcome.isVerified).toBe(true);
  expect(again.happened.filter((what) => what === 'apply hosts')).toHaveLength(2);
  expect(again.asked).toBe(2);
  const never = await play({ hosts: { looks: [needed] } });
  expect(never.happened.filter((what) => what === 'apply hosts')).toHaveLength(3);
  expect(never.outcome.findings).toMatchObject([{ code: 'not-finished', subject: 'hosts' }]);
});

test('what stays the same is printed once, and every finding once', async () => {
  const slow = probeOf('waiting', {}, { findings: [finding('warning', 'slow disk')] });
  const { text } = await play({ boot: { looks: [needed, slow, slow, slow, done] } });
  expect(text.match(/it is waiting/g)).toHaveLength(1);
  expect(text.match(/warning: slow disk/g)).toHaveLength(1);
});

test('a warning that is still there at the end leaves the run unverified, a note does not', async () => {
  const ends = (severity: Finding['severity']) =>
    play({ infra: { looks: [probeOf('done', {}, { findings: [finding(severity, 'request refused')] })] } });
  expect((await ends('warning')).outcome.isVerified).toBe(false);
  expect((await ends('warning')).text).toContain('warning: request refused');
  expect((await ends('note')).outcome.isVerified).toBe(true);
  const gone = await play({
    hosts: { looks: [needed, probeOf('waiting', {}, { findings: [finding('warning', 'dns')] }), done] },
  });
  expect(gone.outcome.isVerified).toBe(true);
});

test('a look that throws is told and repeated, at first and later', async () => {
  const { outcome, text, happened } = await play({
    boot: { looks: [new Error('EIO one'), new Error('EIO one'), needed, new Error('EIO two'), done] },
  });
  expect(outcome.isVerified).toBe(true);
  expect(text.match(/EIO one/g)).toHaveLength(1);
  expect(text).toContain('EIO two');
  expect(happened.filter((what) => what === 'apply boot')).toHaveLength(1);
});

test('where time runs so fast that a look takes longer than the patience, there are ten looks all the same', async () => {
  const away = Array.from({ length: 9 }, () => new Error('EAGAIN'));
  const slow = { lookTakes: 4 * MINUTE, patience: 3 * MINUTE };
  expect((await play({ boot: { looks: [...away, done], ...slow } })).outcome.isVerified).toBe(true);
  const late = Array.from({ length: 9 }, () => waiting);
  expect((await play({ boot: { looks: [needed, ...late, done], ...slow } })).outcome.isVerified).toBe(true);
});

test('a look that never stops throwing ends the run when patience does', async () => {
  const { outcome, happened } = await play({ boot: { looks: [new Error('EIO')], patience: 3 * MINUTE } });
  expect(outcome.findings).toMatchObject([{ severity: 'fatal', cause: 'EIO' }]);
  expect(happened).not.toContain('apply boot');
});

const trouble = {
  code: 'installer-failed',
  title: 'the installer failed',
  cause: 'exit code 1',
  whatToDo: 'read its log',
};

test.each([
  ['apply', { apply: new TroubleError(trouble) }],
  ['plan', { plan: new TroubleError(trouble) }],
])('what %s throws is told as a finding, and stops the run', async (_name, fake) => {
  const { outcome, text } = await play({ prepare: { looks: [needed], ...fake } });
  expect(outcome.findings).toMatchObject([{ code: 'installer-failed', severity: 'fatal' }]);
  expect(text).toContain('fatal: the installer failed\n    because: exit code 1\n    do this: read its log');
});
