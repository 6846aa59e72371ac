import { expect, test } from 'vitest';
import type { AnyStep, Probe, StepContext, StepId } from '../../src/steps/contract.ts';
import { anyStep, STEP_IDS } from '../../src/steps/contract.ts';
import { UNLOGGED } from '../../src/steps/shared/acts.ts';
import { TroubleError } from '../../src/text/trouble.ts';
import { getAt } from '../../src/wizard/design/document.ts';
import { createEffects } from '../../src/wizard/effects.ts';
import type { Effect, Event, Intent } from '../../src/wizard/intents.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { createWizardStore } from '../../src/wizard/store.ts';
import { manualClock, turn } from '../support/manual-clock.ts';
import { dangerousPlan, importingOf, probeOf, START, safePlan, told, wizardState } from '../support/wizard-state.ts';

interface FakeStep {
  looks: number;
  applied: string[];
  /** What the next looks find; the last stays. */
  finds: Probe<unknown>['state'][];
  /** Held looks and acts are answered by the test. */
  gate: (() => Promise<void>) | null;
  act: (report: (line: string) => void, signal: AbortSignal) => Promise<void>;
  /** What a save throws. */
  unsaveable: Error | null;
}

/** The person's time, which is not the site's. */
const WALL = START - 3_600_000;

function setUp(options: { readonly hasDesign?: boolean; readonly lookEvery?: number | null } = {}) {
  const { hasDesign = true, lookEvery = 3000 } = options;
  const clock = manualClock(START);
  const fake: FakeStep = {
    looks: 0,
    applied: [],
    finds: ['waiting'],
    gate: null,
    act: async () => undefined,
    unsaveable: null,
  };
  const steps = Object.fromEntries(STEP_IDS.map((id) => [id, stepOf(id)])) as Record<StepId, AnyStep>;
  function stepOf(id: StepId): AnyStep {
    const probe = async () => {
      fake.looks += 1;
      const found = fake.finds.length > 1 ? fake.finds.shift() : fake.finds[0];
      await fake.gate?.();
      return probeOf(found ?? 'waiting', { of: id });
    };
    const act = (what: string) => async (context: StepContext, report: (line: string) => void) => {
      fake.applied.push(what);
      await fake.act(report, context.signal);
    };
    return anyStep({
      id,
      lookEvery,
      patience: 0,
      probe,
      verify: probe,
      plan: async () => (id === 'infra' ? dangerousPlan : safePlan),
      apply: act(`apply ${id}`),
      applyOne: (context, subject, report) => act(`apply ${subject}`)(context, report),
      undo: (context, subject, report) => act(`undo ${subject}`)(context, report),
    });
  }
  /** Halfway, a pause is as long as it says. */
  const luck = { now: 0.5 };
  const saved: WizardState[] = [];
  const left: string[] = [];
  const signals: AbortSignal[] = [];
  const effects = createEffects({
    clock,
    steps,
    judgeCredentials: () => Promise.resolve([]),
    contextOf: (_state, signal) => {
      signals.push(signal);
      return hasDesign ? ({ signal, acts: UNLOGGED } as StepContext) : null;
    },
    wallClock: { now: () => WALL, sleep: (ms, signal) => clock.sleep(ms, signal) },
    save: (state) => {
      if (fake.unsaveable) throw fake.unsaveable;
      saved.push(state);
    },
    makeSshKey: () => Promise.resolve('~/.ssh/id_ecdsa.pub'),
    readImport: (path) => Promise.resolve(`${path} cannot be read`),
    keepPasted: async (_state, what, text) => {
      if (text.reveal().includes('wrong')) throw new Error('not that');
      return `./kept-${what}`;
    },
    keepImported: (path) => Promise.resolve(`kept what was in ${path}`),
    writeCommands: async (lines) => {
      if (lines.length === 0) throw new Error('nothing to write');
      return '/site/commands.sh';
    },
    copy: () => undefined,
    leave: (how) => left.push(how),
    random: () => luck.now,
  });
  const performed: Effect[] = [];
  const store = createWizardStore(wizardState(), (effect) => {
    performed.push(effect);
    effects.perform(effect);
  });
  effects.attach(store);
  const seen: Event['type'][] = [];
  return { clock, fake, effects, store, saved, left, signals, performed, seen, luck };
}

const go = (screen: WizardState['screen']): Intent => ({ type: 'screen/go', screen });

test('a step on the screen is looked at again and again until it is done', async () => {
  const { clock, fake, store } = setUp();
  fake.finds = ['waiting', 'waiting', 'done'];
  store.dispatch(go('boot'));
  await turn();
  expect([fake.looks, store.getState().runs.boot.phase]).toEqual([1, 'watching']);
  await clock.advance(2999);
  expect(fake.looks).toBe(1);
  await clock.advance(1);
  expect(fake.looks).toBe(2);
  await clock.advance(3000);
  expect([fake.looks, store.getState().runs.boot.phase]).toEqual([3, 'done']);
  await clock.advance(60_000);
  expect([fake.looks, clock.sleeping()]).toEqual([3, 0]);
});

test('a step that needs one look is looked at once', async () => {
  const { clock, fake, store } = setUp({ lookEvery: null });
  store.dispatch(go('report'));
  await clock.advance(60_000);
  expect([fake.looks, clock.sleeping()]).toEqual([1, 0]);
});

test('looks never overlap: asked for again while one runs, the next begins after it', async () => {
  const { clock, fake, store } = setUp();
  const open: (() => void)[] = [];
  fake.gate = () => new Promise((resolve) => open.push(resolve));
  store.dispatch(go('boot'));
  for (let n = 0; n < 5; n += 1) store.dispatch({ type: 'step/look' });
  await turn();
  expect(fake.looks).toBe(1);
  open.shift()?.();
  await turn();
  expect(fake.looks).toBe(2);
  open.shift()?.();
  await turn();
  expect([fake.looks, clock.sleeping()]).toEqual([2, 1]);
});

test('r looks at once, in place of the next look of the loop', async () => {
  const { clock, fake, store } = setUp();
  store.dispatch(go('boot'));
  await clock.advance(1000);
  store.dispatch({ type: 'step/look' });
  await turn();
  expect(fake.looks).toBe(2);
  await clock.advance(2999);
  expect(fake.looks).toBe(2);
  await clock.advance(1);
  expect([fake.looks, clock.sleeping()]).toEqual([3, 1]);
});

test('a screen that is left is not looked at, and entering it again and again leaves one loop', async () => {
  const { clock, fake, store } = setUp();
  fake.finds = ['needed'];
  for (let n = 0; n < 20; n += 1) {
    store.dispatch(go('boot'));
    store.dispatch(go('review'));
  }
  store.dispatch(go('boot'));
  await clock.advance(0);
  expect(clock.sleeping()).toBe(1);
  const before = fake.looks;
  await clock.advance(9000);
  expect(fake.looks).toBe(before + 3);
  store.dispatch(go('review'));
  await clock.advance(3000);
  const last = fake.looks;
  await clock.advance(60_000);
  expect([fake.looks, clock.sleeping()]).toEqual([last, 0]);
});

test('what waits for something is looked at every 10 s while another screen is there, until it is done', async () => {
  const { clock, fake, store } = setUp();
  store.dispatch(go('boot'));
  await clock.advance(3000);
  store.dispatch(go('review'));
  const before = fake.looks;
  await clock.advance(30_000);
  expect(fake.looks).toBe(before + 3);
  fake.finds = ['done'];
  await clock.advance(10_000);
  expect(store.getState().runs.boot.phase).toBe('done');
  const last = fake.looks;
  await clock.advance(60_000);
  expect([fake.looks, clock.sleeping()]).toEqual([last, 0]);
});

test('who comes back does not wait for the longer pause', async () => {
  const { clock, fake, store } = setUp();
  store.dispatch(go('boot'));
  await turn();
  store.dispatch(go('review'));
  await clock.advance(4000);
  const before = fake.looks;
  store.dispatch(go('boot'));
  await turn();
  expect(fake.looks).toBe(before + 1);
  await clock.advance(3000);
  expect([fake.looks, clock.sleeping()]).toEqual([before + 2, 1]);
});

test('pauses are a fifth shorter or longer, so that sessions do not fall into step', async () => {
  const { clock, fake, store, luck } = setUp();
  luck.now = 0;
  store.dispatch(go('boot'));
  await turn();
  luck.now = 1;
  await clock.advance(2400);
  expect(fake.looks).toBe(2);
  await clock.advance(3599);
  expect(fake.looks).toBe(2);
  await clock.advance(1);
  expect(fake.looks).toBe(3);
});

test('a look that takes long is followed by as long a rest', async () => {
  const { clock, fake, store } = setUp();
  fake.gate = () => clock.sleep(10_000);
  store.dispatch(go('boot'));
  await clock.advance(10_000);
  expect(fake.looks).toBe(1);
  await clock.advance(9_999);
  expect(fake.looks).toBe(1);
  await clock.advance(1);
  expect(fake.looks).toBe(2);
});

test('what is asked for runs once, reports, is saved and looked at', async () => {
  const { fake, store, performed, saved } = setUp();
  fake.finds = ['needed', 'waiting'];
  fake.act = async (report) => report('power on bs');
  store.dispatch(go('boot'));
  await turn();
  const before = saved.length;
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await turn();
  expect(fake.applied).toEqual(['apply boot']);
  expect(told(store.getState().runs.boot)).toMatchObject({ phase: 'watching', lines: ['power on bs'] });
  expect(performed.filter(({ type }) => type === 'run')).toHaveLength(1);
  expect(saved.length).toBe(before + 1);
  expect(store.getState().savedAt).toBe(WALL);
});

test('the world is looked at while something runs, and a second request for it is not begun', async () => {
  const { clock, fake, store, effects } = setUp();
  let finish = () => {};
  fake.finds = ['needed'];
  fake.act = () => new Promise<void>((resolve) => (finish = resolve));
  store.dispatch(go('boot'));
  await turn();
  store.dispatch({ type: 'step/ask', action: 'apply' });
  effects.perform({ type: 'run', step: 'boot', action: 'apply', subject: null });
  await clock.advance(9000);
  expect(fake.applied).toEqual(['apply boot']);
  expect(fake.looks).toBeGreaterThanOrEqual(4);
  expect(store.getState().runs.boot.phase).toBe('applying');
  finish();
  await turn();
  expect(store.getState().runs.boot.phase).toBe('ready');
});

test('a look from before the end of an act does not offer the act again', async () => {
  const { fake, store } = setUp();
  let endAct = () => {};
  let endLook = () => {};
  fake.finds = ['needed', 'needed', 'waiting'];
  fake.act = () => new Promise<void>((resolve) => (endAct = resolve));
  store.dispatch(go('boot'));
  await turn();
  fake.gate = () => new Promise<void>((resolve) => (endLook = resolve));
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await turn();
  endAct();
  await turn();
  fake.gate = null;
  const phases: string[] = [];
  store.subscribe(() => phases.push(store.getState().runs.boot.phase));
  endLook();
  await turn();
  expect(fake.looks).toBe(3);
  expect(new Set(phases)).toEqual(new Set(['looking', 'watching']));
});

test('one part and taking back reach their own functions after a yes', async () => {
  const { fake, store } = setUp();
  fake.finds = ['needed'];
  store.dispatch(go('infra'));
  await turn();
  store.dispatch({ type: 'step/ask', action: 'undo', subject: 'router' });
  expect(fake.applied).toEqual([]);
  store.dispatch({ type: 'step/answer', isYes: true });
  await turn();
  store.dispatch({ type: 'step/ask', action: 'apply-one', subject: 'csr-1' });
  store.dispatch({ type: 'step/answer', isYes: true });
  await turn();
  expect(fake.applied).toEqual(['undo router', 'apply csr-1']);
});

test('what throws becomes a trouble on the screen, and stays through the looks that follow', async () => {
  const { clock, fake, store } = setUp();
  fake.finds = ['needed'];
  const trouble = { code: 'x', title: 'No power', cause: 'the plug', whatToDo: 'plug it in' };
  fake.act = () => Promise.reject(new TroubleError(trouble));
  store.dispatch(go('boot'));
  await turn();
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await clock.advance(9000);
  expect(fake.looks).toBeGreaterThan(3);
  expect(told(store.getState().runs.boot)).toMatchObject({ phase: 'failed', trouble });
  fake.act = async () => undefined;
  fake.finds = ['done'];
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await turn();
  expect(told(store.getState().runs.boot)).toMatchObject({ phase: 'done', trouble: null });
});

test('a look that throws is told and repeated', async () => {
  const { clock, fake, store } = setUp();
  fake.gate = () => Promise.reject(new Error('disk full'));
  store.dispatch(go('boot'));
  await turn();
  expect(told(store.getState().runs.boot)).toMatchObject({ phase: 'failed', trouble: { cause: 'disk full' } });
  fake.gate = null;
  await clock.advance(3000);
  expect(told(store.getState().runs.boot)).toMatchObject({ phase: 'watching', trouble: null });
});

test('without a design a step says so and touches nothing', async () => {
  const { clock, fake, store } = setUp({ hasDesign: false });
  store.dispatch(go('boot'));
  await turn();
  expect(told(store.getState().runs.boot)).toMatchObject({ phase: 'failed', trouble: { code: 'design-errors' } });
  store.dispatch({ type: 'step/ask', action: 'apply' });
  store.dispatch({ type: 'step/answer', isYes: true });
  await clock.advance(10_000);
  expect([fake.looks, fake.applied, clock.sleeping()]).toEqual([0, [], 0]);
  expect(store.getState().runs.boot.phase).toBe('failed');
});

/** An act that ends when it is told to stop, the way programs do: with a failure of its own. */
const untilStopped = (_report: unknown, signal: AbortSignal) =>
  new Promise<void>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new Error('the installer was interrupted'))),
  );

test('what runs stops when a person wants it to: that is no failure, and the world is looked at', async () => {
  const { fake, store, performed } = setUp();
  fake.finds = ['needed'];
  fake.act = untilStopped;
  store.dispatch(go('boot'));
  await turn();
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await turn();
  const looks = fake.looks;
  store.dispatch({ type: 'step/cancel' });
  expect(told(store.getState().runs.boot)).toMatchObject({ phase: 'applying', stop: 'asked' });
  await turn();
  expect(told(store.getState().runs.boot)).toMatchObject({ phase: 'ready', stop: 'stopped', trouble: null });
  expect(fake.looks).toBeGreaterThan(looks);
  expect(performed.at(-1)).toEqual({ type: 'look', step: 'boot' });
  fake.act = async () => undefined;
  fake.finds = ['done'];
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await turn();
  expect(fake.applied).toEqual(['apply boot', 'apply boot']);
  expect(told(store.getState().runs.boot)).toMatchObject({ phase: 'done', stop: null });
});

test('what cannot stop any more comes to its end, and other steps are not stopped with it', async () => {
  const { fake, store, signals } = setUp();
  let finish = () => {};
  fake.finds = ['needed'];
  fake.act = () => new Promise<void>((resolve) => (finish = resolve));
  store.dispatch(go('boot'));
  await turn();
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await turn();
  store.dispatch({ type: 'step/cancel' });
  store.dispatch({ type: 'screen/back' });
  await turn();
  expect(store.getState().screen).toBe('prepare');
  expect(told(store.getState().runs.boot)).toMatchObject({ phase: 'applying', stop: 'asked' });
  expect(signals.filter(({ aborted }) => aborted)).toHaveLength(1);
  fake.finds = ['done'];
  finish();
  await turn();
  expect(told(store.getState().runs.boot)).toMatchObject({ phase: 'done', stop: null });
});

test('stop aborts what runs, ends the looking and tells the store nothing more', async () => {
  const { clock, fake, store, effects, signals } = setUp();
  fake.finds = ['needed'];
  fake.act = (_report, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  store.dispatch(go('boot'));
  await turn();
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await clock.advance(0);
  const before = store.getState();
  effects.stop();
  await clock.advance(60_000);
  expect(signals.every(({ aborted }) => aborted)).toBe(true);
  expect(clock.sleeping()).toBe(0);
  expect(store.getState()).toBe(before);
});

test('leaving saves first and then leaves, once', () => {
  const { store, left, saved } = setUp();
  store.dispatch({ type: 'session/quit' });
  expect(left).toEqual(['quit']);
  expect(saved.at(-1)?.isLeaving).toBe('quit');
});

const full = () =>
  new TroubleError({ code: 'session-unwritable', title: 'No', cause: 'the disk is full', whatToDo: '' });

test('a save that fails ends nothing: it is said, the answers stay, and the next save that works takes it back', () => {
  const { fake, store, saved } = setUp();
  store.dispatch(go('cluster'));
  fake.unsaveable = full();
  store.dispatch({ type: 'field/edit', event: { kind: 'key', name: 'ctrl-u' } });
  store.dispatch({ type: 'field/edit', event: { kind: 'char', text: '5' } });
  store.dispatch({ type: 'field/accept' });
  expect(store.getState().saveTrouble?.cause).toBe('the disk is full');
  expect(store.getState().notice).toMatchObject({ kind: 'error', text: expect.stringContaining('the disk is full') });
  expect(getAt(store.getState().document, 'openshift.version')).toBe('5');
  fake.unsaveable = null;
  store.dispatch({ type: 'field/edit', event: { kind: 'char', text: '.' } });
  store.dispatch({ type: 'field/move', by: 1 });
  expect(store.getState().saveTrouble).toBeNull();
  expect(getAt(saved.at(-1)?.document, 'openshift.version')).toBe('5.');
});

test('nobody leaves unsaved without having been asked', () => {
  const { fake, store, left } = setUp();
  fake.unsaveable = full();
  store.dispatch({ type: 'session/quit' });
  expect([left, store.getState().overlay?.kind, store.getState().isLeaving]).toEqual([[], 'unsaved', null]);
  store.dispatch({ type: 'session/quit' });
  expect([left, store.getState().overlay?.kind]).toEqual([[], 'unsaved']);
  store.dispatch({ type: 'session/abandon' });
  expect(left).toEqual(['unsaved']);

  const other = setUp();
  other.fake.unsaveable = full();
  other.store.dispatch({ type: 'session/quit' });
  other.fake.unsaveable = null;
  other.store.dispatch({ type: 'session/quit' });
  expect(other.left).toEqual(['quit']);
});

test('a file that cannot be imported is refused with its reason; what was kept of one is said', async () => {
  const { effects, store } = setUp();
  store.dispatch({ type: 'import/open', from: 'file' });
  for (const text of 'a.csv') store.dispatch({ type: 'import/edit', event: { kind: 'char', text } });
  store.dispatch({ type: 'import/enter' });
  expect(importingOf(store.getState())?.phase).toBe('reading');
  await expect.poll(() => importingOf(store.getState())).toMatchObject({ refusal: 'a.csv cannot be read' });
  effects.perform({ type: 'keep-imported', path: 'a.csv' });
  await expect.poll(() => store.getState().notice).toEqual({ kind: 'info', text: 'kept what was in a.csv' });
});

test('an SSH key that was made is named in the design, saved and judged', async () => {
  const { store, performed } = setUp();
  store.dispatch(go('credentials'));
  store.dispatch({ type: 'credentials/make-key' });
  await expect.poll(() => getAt(store.getState().document, 'credentials.sshKeyFile')).toBe('~/.ssh/id_ecdsa.pub');
  expect(store.getState().notice?.text).toContain('Made ~/.ssh/id_ecdsa.pub');
  expect(performed.slice(-2)).toEqual([{ type: 'save' }, { type: 'judge-credentials' }]);
});

test('where the cursor came to rest is saved, once for many keys', async () => {
  const { clock, store, saved } = setUp();
  store.dispatch(go('cluster'));
  const before = saved.length;
  for (let n = 0; n < 3; n += 1) store.dispatch({ type: 'field/move', by: 1 });
  expect(saved.length).toBe(before);
  await clock.advance(1000);
  expect(saved.length).toBe(before + 1);
  expect(saved.at(-1)?.forms.cluster.focus).toBe(store.getState().forms.cluster.focus);
  expect(clock.sleeping()).toBe(0);
});

test('where commands were written is said, and why they were not', async () => {
  const { store } = setUp();
  store.dispatch({ type: 'commands/write', lines: ['lb1:', '  scp a b'] });
  await expect.poll(() => store.getState().notice?.text).toContain('Written to /site/commands.sh.');
  store.dispatch({ type: 'commands/write', lines: [] });
  await expect.poll(() => store.getState().notice?.kind).toBe('error');
});
