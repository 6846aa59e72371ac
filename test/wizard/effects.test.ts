import { expect, test } from 'vitest';
import { getAt } from '../../src/design/paths.ts';
import { UserErrorException } from '../../src/i18n/user-error.ts';
import { NO_AUDIT_LOG } from '../../src/session/audit-log.ts';
import type { AnyStep, Probe, StepContext, StepId } from '../../src/steps/contract.ts';
import { STEP_IDS, toAnyStep } from '../../src/steps/contract.ts';
import { formatTarget } from '../../src/steps/step-action.ts';
import { createEffects } from '../../src/wizard/effects.ts';
import type { Effect, Event, Intent } from '../../src/wizard/intents.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { createWizardStore } from '../../src/wizard/store.ts';
import { manualClock, nextTurn } from '../support/manual-clock.ts';
import {
  buildProbe,
  dangerousPlan,
  flattenRun,
  getImport,
  START,
  safePlan,
  wizardState,
} from '../support/wizard-state.ts';

interface FakeStep {
  probeCount: number;
  applied: string[];
  /** Results of the next probes. The last one is repeated. */
  results: Probe<unknown>['state'][];
  /** Every probe reports a lost node. */
  isNodeLost: boolean;
  /** A test holds back probes with it. */
  gate: (() => Promise<void>) | null;
  action: (report: (line: string) => void, signal: AbortSignal) => Promise<void>;
  /** Error of the next save, if any. */
  saveError: Error | null;
}

/** The user's clock, which differs from the clock of the site. */
const USER_TIME = START - 3_600_000;

function setUp(options: { readonly hasDesign?: boolean; readonly probeIntervalMs?: number | null } = {}) {
  const { hasDesign = true, probeIntervalMs: lookEvery = 3000 } = options;
  const clock = manualClock(START);
  const fake: FakeStep = {
    probeCount: 0,
    applied: [],
    results: ['waiting'],
    isNodeLost: false,
    gate: null,
    action: async () => undefined,
    saveError: null,
  };
  const steps = Object.fromEntries(STEP_IDS.map((id) => [id, createStep(id)])) as Record<StepId, AnyStep>;
  function createStep(id: StepId): AnyStep {
    const probe = async () => {
      fake.probeCount += 1;
      const found = fake.results.length > 1 ? fake.results.shift() : fake.results[0];
      await fake.gate?.();
      return buildProbe(found ?? 'waiting', { of: id }, { awaitsRepair: fake.isNodeLost });
    };
    const createAction = (what: string) => async (context: StepContext, report: (line: string) => void) => {
      fake.applied.push(what);
      await fake.action(report, context.signal);
    };
    return toAnyStep({
      id,
      probeIntervalMs: lookEvery,
      timeoutMs: 0,
      probe,
      verify: probe,
      plan: async () => (id === 'infra' ? dangerousPlan : safePlan),
      apply: createAction(`apply ${id}`),
      applyOne: (context, target, report) => createAction(`apply ${formatTarget(target)}`)(context, report),
      undo: (context, target, report) => createAction(`undo ${target && formatTarget(target)}`)(context, report),
    });
  }
  /** At 0.5, a pause has exactly its nominal length. */
  const luck = { now: 0.5 };
  const saved: WizardState[] = [];
  const left: string[] = [];
  const signals: AbortSignal[] = [];
  const effects = createEffects({
    clock,
    steps,
    checkCredentials: () => Promise.resolve([]),
    createContext: (_state, signal) => {
      signals.push(signal);
      return hasDesign ? ({ signal, auditLog: NO_AUDIT_LOG } as StepContext) : null;
    },
    wallClock: { now: () => USER_TIME, sleep: (ms, signal) => clock.sleep(ms, signal) },
    save: (state) => {
      if (fake.saveError) throw fake.saveError;
      saved.push(state);
    },
    createSshKey: () => Promise.resolve('~/.ssh/id_ecdsa.pub'),
    readImport: (path) => Promise.resolve(`${path} cannot be read`),
    savePastedCredential: async (_state, what, text) => {
      if (text.reveal().includes('wrong')) throw new Error('not that');
      return `./kept-${what}`;
    },
    saveImportedSecrets: (path) => Promise.resolve(`kept what was in ${path}`),
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

test('a step on the screen is probed repeatedly until it is done', async () => {
  const { clock, fake, store } = setUp();
  fake.results = ['waiting', 'waiting', 'done'];
  store.dispatch(go('boot'));
  await nextTurn();
  expect([fake.probeCount, store.getState().runs.boot.phase]).toEqual([1, 'watching']);
  await clock.advance(2999);
  expect(fake.probeCount).toBe(1);
  await clock.advance(1);
  expect(fake.probeCount).toBe(2);
  await clock.advance(3000);
  expect([fake.probeCount, store.getState().runs.boot.phase]).toEqual([3, 'done']);
  await clock.advance(60_000);
  expect([fake.probeCount, clock.countSleepers()]).toEqual([3, 0]);
});

test('a step that is done and has lost a node is probed until the node is back', async () => {
  const { clock, fake, store } = setUp();
  fake.results = ['done'];
  fake.isNodeLost = true;
  store.dispatch(go('boot'));
  await clock.advance(3000);
  expect([fake.probeCount, store.getState().runs.boot.phase]).toEqual([2, 'done']);
  fake.isNodeLost = false;
  await clock.advance(60_000);
  expect([fake.probeCount, clock.countSleepers()]).toEqual([3, 0]);
});

test('a step without a probe interval is probed once', async () => {
  const { clock, fake, store } = setUp({ probeIntervalMs: null });
  store.dispatch(go('report'));
  await clock.advance(60_000);
  expect([fake.probeCount, clock.countSleepers()]).toEqual([1, 0]);
});

test('probes never overlap: one that is requested while another runs begins after it', async () => {
  const { clock, fake, store } = setUp();
  const open: (() => void)[] = [];
  fake.gate = () => new Promise((resolve) => open.push(resolve));
  store.dispatch(go('boot'));
  for (let n = 0; n < 5; n += 1) store.dispatch({ type: 'step/probe' });
  await nextTurn();
  expect(fake.probeCount).toBe(1);
  open.shift()?.();
  await nextTurn();
  expect(fake.probeCount).toBe(2);
  open.shift()?.();
  await nextTurn();
  expect([fake.probeCount, clock.countSleepers()]).toEqual([2, 1]);
});

test('r probes at once, in place of the next probe of the loop', async () => {
  const { clock, fake, store } = setUp();
  store.dispatch(go('boot'));
  await clock.advance(1000);
  store.dispatch({ type: 'step/probe' });
  await nextTurn();
  expect(fake.probeCount).toBe(2);
  await clock.advance(2999);
  expect(fake.probeCount).toBe(2);
  await clock.advance(1);
  expect([fake.probeCount, clock.countSleepers()]).toEqual([3, 1]);
});

test('a step is not probed after its screen is left, and entering it repeatedly leaves one loop', async () => {
  const { clock, fake, store } = setUp();
  fake.results = ['needed'];
  for (let n = 0; n < 20; n += 1) {
    store.dispatch(go('boot'));
    store.dispatch(go('review'));
  }
  store.dispatch(go('boot'));
  await clock.advance(0);
  expect(clock.countSleepers()).toBe(1);
  const before = fake.probeCount;
  await clock.advance(9000);
  expect(fake.probeCount).toBe(before + 3);
  store.dispatch(go('review'));
  await clock.advance(3000);
  const last = fake.probeCount;
  await clock.advance(60_000);
  expect([fake.probeCount, clock.countSleepers()]).toEqual([last, 0]);
});

test('a waiting step is probed every 10 s while another screen is shown, until it is done', async () => {
  const { clock, fake, store } = setUp();
  store.dispatch(go('boot'));
  await clock.advance(3000);
  store.dispatch(go('review'));
  const before = fake.probeCount;
  await clock.advance(30_000);
  expect(fake.probeCount).toBe(before + 3);
  fake.results = ['done'];
  await clock.advance(10_000);
  expect(store.getState().runs.boot.phase).toBe('done');
  const last = fake.probeCount;
  await clock.advance(60_000);
  expect([fake.probeCount, clock.countSleepers()]).toEqual([last, 0]);
});

test('returning to a screen does not wait for the longer pause', async () => {
  const { clock, fake, store } = setUp();
  store.dispatch(go('boot'));
  await nextTurn();
  store.dispatch(go('review'));
  await clock.advance(4000);
  const before = fake.probeCount;
  store.dispatch(go('boot'));
  await nextTurn();
  expect(fake.probeCount).toBe(before + 1);
  await clock.advance(3000);
  expect([fake.probeCount, clock.countSleepers()]).toEqual([before + 2, 1]);
});

test('pauses are a fifth shorter or longer, so that sessions do not fall into step', async () => {
  const { clock, fake, store, luck } = setUp();
  luck.now = 0;
  store.dispatch(go('boot'));
  await nextTurn();
  luck.now = 1;
  await clock.advance(2400);
  expect(fake.probeCount).toBe(2);
  await clock.advance(3599);
  expect(fake.probeCount).toBe(2);
  await clock.advance(1);
  expect(fake.probeCount).toBe(3);
});

test('a long probe is followed by an equally long pause', async () => {
  const { clock, fake, store } = setUp();
  fake.gate = () => clock.sleep(10_000);
  store.dispatch(go('boot'));
  await clock.advance(10_000);
  expect(fake.probeCount).toBe(1);
  await clock.advance(9_999);
  expect(fake.probeCount).toBe(1);
  await clock.advance(1);
  expect(fake.probeCount).toBe(2);
});

test('a requested action runs once, reports, is saved and followed by a probe', async () => {
  const { fake, store, performed, saved, clock } = setUp();
  fake.results = ['needed', 'waiting'];
  fake.action = async (report) => report('power on bs');
  store.dispatch(go('boot'));
  await nextTurn();
  const before = saved.length;
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await nextTurn();
  expect(fake.applied).toEqual(['apply boot']);
  expect(flattenRun(store.getState().runs.boot)).toMatchObject({ phase: 'watching', lines: ['power on bs'] });
  expect(performed.filter(({ type }) => type === 'run')).toHaveLength(1);
  expect(saved.length).toBe(before + 1);
  // The clock of the site, as all times on the page.
  expect(store.getState().savedAt).toBe(clock.now());
});

test('probes continue while an action runs, and a second request for it is not started', async () => {
  const { clock, fake, store, effects } = setUp();
  let finish = () => {};
  fake.results = ['needed'];
  fake.action = () => new Promise<void>((resolve) => (finish = resolve));
  store.dispatch(go('boot'));
  await nextTurn();
  store.dispatch({ type: 'step/ask', action: 'apply' });
  effects.perform({ type: 'run', step: 'boot', action: 'apply', subject: null });
  await clock.advance(9000);
  expect(fake.applied).toEqual(['apply boot']);
  expect(fake.probeCount).toBeGreaterThanOrEqual(4);
  expect(store.getState().runs.boot.phase).toBe('applying');
  finish();
  await nextTurn();
  expect(store.getState().runs.boot.phase).toBe('ready');
});

test('a probe that began before the end of an action does not offer the action again', async () => {
  const { fake, store } = setUp();
  let endAct = () => {};
  let endLook = () => {};
  fake.results = ['needed', 'needed', 'waiting'];
  fake.action = () => new Promise<void>((resolve) => (endAct = resolve));
  store.dispatch(go('boot'));
  await nextTurn();
  fake.gate = () => new Promise<void>((resolve) => (endLook = resolve));
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await nextTurn();
  endAct();
  await nextTurn();
  fake.gate = null;
  const phases: string[] = [];
  store.subscribe(() => phases.push(store.getState().runs.boot.phase));
  endLook();
  await nextTurn();
  expect(fake.probeCount).toBe(3);
  expect(new Set(phases)).toEqual(new Set(['probing', 'watching']));
});

test('apply-one and undo call their own functions after a yes', async () => {
  const { fake, store } = setUp();
  fake.results = ['needed'];
  store.dispatch(go('infra'));
  await nextTurn();
  store.dispatch({ type: 'step/ask', action: 'undo', subject: 'router' });
  expect(fake.applied).toEqual([]);
  store.dispatch({ type: 'step/answer', isYes: true });
  await nextTurn();
  store.dispatch({ type: 'step/ask', action: 'apply-one', subject: 'csr-1' });
  store.dispatch({ type: 'step/answer', isYes: true });
  await nextTurn();
  expect(fake.applied).toEqual(['undo router', 'apply csr-1']);
});

test('a thrown error is shown on the screen and stays through the probes that follow', async () => {
  const { clock, fake, store } = setUp();
  fake.results = ['needed'];
  const userError = { code: 'x', title: 'No power', cause: 'the plug', remedy: 'plug it in' };
  fake.action = () => Promise.reject(new UserErrorException(userError));
  store.dispatch(go('boot'));
  await nextTurn();
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await clock.advance(9000);
  expect(fake.probeCount).toBeGreaterThan(3);
  expect(flattenRun(store.getState().runs.boot)).toMatchObject({ phase: 'failed', userError });
  fake.action = async () => undefined;
  fake.results = ['done'];
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await nextTurn();
  expect(flattenRun(store.getState().runs.boot)).toMatchObject({ phase: 'done', userError: null });
});

test('a probe that throws is reported and repeated', async () => {
  const { clock, fake, store } = setUp();
  fake.gate = () => Promise.reject(new Error('disk full'));
  store.dispatch(go('boot'));
  await nextTurn();
  expect(flattenRun(store.getState().runs.boot)).toMatchObject({ phase: 'failed', userError: { cause: 'disk full' } });
  fake.gate = null;
  await clock.advance(3000);
  expect(flattenRun(store.getState().runs.boot)).toMatchObject({ phase: 'watching', userError: null });
});

test('without a design a step reports that and changes nothing', async () => {
  const { clock, fake, store } = setUp({ hasDesign: false });
  store.dispatch(go('boot'));
  await nextTurn();
  expect(flattenRun(store.getState().runs.boot)).toMatchObject({
    phase: 'failed',
    userError: { code: 'design-errors' },
  });
  store.dispatch({ type: 'step/ask', action: 'apply' });
  store.dispatch({ type: 'step/answer', isYes: true });
  await clock.advance(10_000);
  expect([fake.probeCount, fake.applied, clock.countSleepers()]).toEqual([0, [], 0]);
  expect(store.getState().runs.boot.phase).toBe('failed');
});

/** Returns an action that ends as programs do when it is stopped: with its own failure. */
const untilStopped = (_report: unknown, signal: AbortSignal) =>
  new Promise<void>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new Error('the installer was interrupted'))),
  );

test('the user can stop a running action: that is no failure, and a probe follows', async () => {
  const { fake, store, performed } = setUp();
  fake.results = ['needed'];
  fake.action = untilStopped;
  store.dispatch(go('boot'));
  await nextTurn();
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await nextTurn();
  const probesBefore = fake.probeCount;
  store.dispatch({ type: 'step/cancel' });
  expect(flattenRun(store.getState().runs.boot)).toMatchObject({ phase: 'applying', stop: 'requested' });
  await nextTurn();
  expect(flattenRun(store.getState().runs.boot)).toMatchObject({ phase: 'ready', stop: 'stopped', userError: null });
  expect(fake.probeCount).toBeGreaterThan(probesBefore);
  expect(performed.at(-1)).toEqual({ type: 'probe', step: 'boot' });
  fake.action = async () => undefined;
  fake.results = ['done'];
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await nextTurn();
  expect(fake.applied).toEqual(['apply boot', 'apply boot']);
  expect(flattenRun(store.getState().runs.boot)).toMatchObject({ phase: 'done', stop: null });
});

test('an action that cannot stop any more runs to its end, and other steps are not stopped', async () => {
  const { fake, store, signals } = setUp();
  let finish = () => {};
  fake.results = ['needed'];
  fake.action = () => new Promise<void>((resolve) => (finish = resolve));
  store.dispatch(go('boot'));
  await nextTurn();
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await nextTurn();
  store.dispatch({ type: 'step/cancel' });
  store.dispatch({ type: 'screen/back' });
  await nextTurn();
  expect(store.getState().screen).toBe('prepare');
  expect(flattenRun(store.getState().runs.boot)).toMatchObject({ phase: 'applying', stop: 'requested' });
  expect(signals.filter(({ aborted }) => aborted)).toHaveLength(1);
  fake.results = ['done'];
  finish();
  await nextTurn();
  expect(flattenRun(store.getState().runs.boot)).toMatchObject({ phase: 'done', stop: null });
});

test('stop aborts running actions, ends probing and sends nothing more to the store', async () => {
  const { clock, fake, store, effects, signals } = setUp();
  fake.results = ['needed'];
  fake.action = (_report, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  store.dispatch(go('boot'));
  await nextTurn();
  store.dispatch({ type: 'step/ask', action: 'apply' });
  await clock.advance(0);
  const before = store.getState();
  effects.stop();
  await clock.advance(60_000);
  expect(signals.every(({ aborted }) => aborted)).toBe(true);
  expect(clock.countSleepers()).toBe(0);
  expect(store.getState()).toBe(before);
});

test('leaving saves first and then leaves, once', () => {
  const { store, left, saved } = setUp();
  store.dispatch({ type: 'session/quit' });
  expect(left).toEqual(['quit']);
  expect(saved.at(-1)?.leaveReason).toBe('quit');
});

const createSaveError = () =>
  new UserErrorException({ code: 'session-unwritable', title: 'No', cause: 'the disk is full', remedy: '' });

test('a failed save ends nothing: it is reported, the answers stay, and the next successful save clears it', () => {
  const { fake, store, saved } = setUp();
  store.dispatch(go('cluster'));
  fake.saveError = createSaveError();
  store.dispatch({ type: 'field/edit', event: { kind: 'key', name: 'ctrl-u' } });
  store.dispatch({ type: 'field/edit', event: { kind: 'char', text: '5' } });
  store.dispatch({ type: 'field/accept' });
  expect(store.getState().saveError?.cause).toBe('the disk is full');
  expect(store.getState().notice).toMatchObject({ kind: 'error', text: expect.stringContaining('the disk is full') });
  expect(getAt(store.getState().document, 'openshift.version')).toBe('5');
  fake.saveError = null;
  store.dispatch({ type: 'field/edit', event: { kind: 'char', text: '.' } });
  store.dispatch({ type: 'field/move', by: 1 });
  expect(store.getState().saveError).toBeNull();
  expect(getAt(saved.at(-1)?.document, 'openshift.version')).toBe('5.');
});

test('quitting without a save needs a confirmation', () => {
  const { fake, store, left } = setUp();
  fake.saveError = createSaveError();
  store.dispatch({ type: 'session/quit' });
  expect([left, store.getState().overlay?.kind, store.getState().leaveReason]).toEqual([[], 'unsaved', null]);
  store.dispatch({ type: 'session/quit' });
  expect([left, store.getState().overlay?.kind]).toEqual([[], 'unsaved']);
  store.dispatch({ type: 'session/abandon' });
  expect(left).toEqual(['unsaved']);

  const other = setUp();
  other.fake.saveError = createSaveError();
  other.store.dispatch({ type: 'session/quit' });
  other.fake.saveError = null;
  other.store.dispatch({ type: 'session/quit' });
  expect(other.left).toEqual(['quit']);
});

test('a file that cannot be imported is refused with its reason; saved parts of one are reported', async () => {
  const { effects, store } = setUp();
  store.dispatch({ type: 'import/open', from: 'file' });
  for (const text of 'a.csv') store.dispatch({ type: 'import/edit', event: { kind: 'char', text } });
  store.dispatch({ type: 'import/enter' });
  expect(getImport(store.getState())?.phase).toBe('reading');
  await expect.poll(() => getImport(store.getState())).toMatchObject({ refusal: 'a.csv cannot be read' });
  effects.perform({ type: 'save-imported', path: 'a.csv' });
  await expect.poll(() => store.getState().notice).toEqual({ kind: 'info', text: 'kept what was in a.csv' });
});

test('a new SSH key is named in the design, saved and checked', async () => {
  const { store, performed } = setUp();
  store.dispatch(go('credentials'));
  store.dispatch({ type: 'credentials/make-key' });
  await expect.poll(() => getAt(store.getState().document, 'credentials.sshKeyFile')).toBe('~/.ssh/id_ecdsa.pub');
  expect(store.getState().notice?.text).toContain('Created ~/.ssh/id_ecdsa.pub');
  expect(performed.slice(-2)).toEqual([{ type: 'save' }, { type: 'review-credentials' }]);
});

test('the last position of the cursor is saved, once for many keys', async () => {
  const { clock, store, saved } = setUp();
  store.dispatch(go('cluster'));
  const before = saved.length;
  for (let n = 0; n < 3; n += 1) store.dispatch({ type: 'field/move', by: 1 });
  expect(saved.length).toBe(before);
  await clock.advance(1000);
  expect(saved.length).toBe(before + 1);
  expect(saved.at(-1)?.forms.cluster.focus).toBe(store.getState().forms.cluster.focus);
  expect(clock.countSleepers()).toBe(0);
});

test('the path of written commands is reported, and the reason if they were not', async () => {
  const { store } = setUp();
  store.dispatch({ type: 'commands/write', lines: ['lb1:', '  scp a b'] });
  await expect.poll(() => store.getState().notice?.text).toContain('Written to /site/commands.sh.');
  store.dispatch({ type: 'commands/write', lines: [] });
  await expect.poll(() => store.getState().notice?.kind).toBe('error');
});
