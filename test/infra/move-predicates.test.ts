import { expect, test } from 'vitest';
import { type Finding, runChecks } from '../../src/checks/check.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import type { MoveName } from '../../src/infra/moves.ts';
import {
  canUndo,
  describeEffects,
  describeInShort,
  listMissingDependencies,
  listMoveLines,
  listMovesNotStarted,
  MOVE_NAMES,
  type ObservedMove,
  selectMovesToRun,
  selectStartableMoves,
  summarizePlan,
  summarizeUndo,
  USUAL_MINUTES,
} from '../../src/infra/moves.ts';
import { MOVE_STATUS_CHECKS } from '../../src/infra/status-checks.ts';
import type { StepContext } from '../../src/steps/contract.ts';
import { infraStep, summarizeMoves } from '../../src/steps/infra.ts';
import { exampleSite } from '../support/example-design.ts';

const createMove = (name: MoveName, state: ObservedMove['state']): ObservedMove => ({
  name,
  state,
  why: '',
  changes: [],
});
const STATES = ['done', 'needed', 'blocked', 'absent', 'failed', 'moving'] as const;

test('one confirmation starts the moves up to the first that is blocked or failed', () => {
  for (const state of STATES) {
    const { startableMoves, stoppingMove } = selectStartableMoves([
      createMove('dns', 'needed'),
      createMove('router', state),
      createMove('taint', 'needed'),
    ]);
    const isStopped = state === 'blocked' || state === 'failed';
    expect([state, stoppingMove?.name]).toEqual([state, isStopped ? 'router' : undefined]);
    const after = isStopped ? [] : state === 'needed' ? ['router', 'taint'] : ['taint'];
    expect([state, startableMoves.map(({ name }) => name)]).toEqual([state, ['dns', ...after]]);
  }
});

test('a run waits only for moves in progress that it needs, and the plan names the others', () => {
  const moves = [
    createMove('label', 'needed'),
    { ...createMove('lb-add', 'moving'), why: 'port 443 is closed' },
    createMove('dns', 'needed'),
    { ...createMove('router', 'blocked'), why: 'the operator is degraded' },
    createMove('taint', 'needed'),
  ];
  const listNames = (...args: Parameters<typeof selectMovesToRun>) => selectMovesToRun(...args).map(({ name }) => name);
  expect(listNames(moves)).toEqual(['label', 'dns']);
  expect(listMovesNotStarted(moves).map(({ text }) => text)).toEqual([
    'lb-add: in progress: port 443 is closed',
    'router: blocked: the operator is degraded',
    'taint: comes after router',
  ]);
  const router = createMove('router', 'needed');
  expect(listNames([...moves.slice(0, 3), router])).toEqual(['label', 'lb-add', 'dns', 'router']);
  // The taint needs what must precede it. Without a move to start, a run waits for all in progress.
  expect(listNames([createMove('router', 'moving'), createMove('taint', 'needed')])).toEqual(['router', 'taint']);
  expect(listNames([createMove('lb-add', 'moving'), createMove('router', 'blocked')])).toEqual(['lb-add']);
});

test('a move that was stopped in progress is named before those to do', () => {
  const moves = [createMove('dns', 'done'), createMove('router', 'moving'), createMove('taint', 'needed')];
  expect(summarizeMoves(moves, exampleSite()).summary).toBe('in progress: router; to do: taint');
  expect(summarizeMoves(moves.slice(2), exampleSite()).summary).toBe('to do: taint');
});

test('the state of the step follows from the states of its moves', () => {
  const summarize = (...moves: ObservedMove[]) => {
    const { state, findings } = summarizeMoves(moves, exampleSite());
    return [state, ...findings.map(({ code, subject }) => `${code} ${subject}`)];
  };
  expect(summarize(createMove('dns', 'moving'), createMove('registry', 'blocked'))).toEqual([
    'waiting',
    'move-blocked registry',
  ]);
  expect(summarize(createMove('router', 'needed'), createMove('registry', 'blocked'))).toEqual([
    'needed',
    'move-blocked registry',
  ]);
  expect(
    summarize(createMove('router', 'done'), createMove('registry', 'blocked'), createMove('monitoring', 'needed')),
  ).toEqual(['blocked', 'move-blocked registry']);
  expect(summarize(createMove('dns', 'failed'), createMove('router', 'needed'))).toEqual([
    'blocked',
    'move-failed dns',
  ]);
  expect(summarize(createMove('dns', 'failed'), createMove('router', 'moving'))).toEqual([
    'blocked',
    'move-failed dns',
  ]);
  expect(summarize(createMove('dns', 'done'), createMove('lb-final', 'absent'))).toEqual(['done']);
});

test('a move that the preflight blocks has its remedy, and its reason once', async () => {
  const obstacle: Finding = {
    ...{ code: 'move-pool', state: 'failed', severity: 'fatal', subject: null, title: 'A pool is not at rest' },
    ...{ cause: 'worker is degraded', remedy: 'Find the config: `oc get machineconfig`' },
  };
  const why = 'A pool is not at rest: worker is degraded. Find the config: `oc get machineconfig`';
  const blockedMove = { name: 'pool', state: 'blocked', why, changes: [], preflightFindings: [obstacle] } as const;
  const [finding] = summarizeMoves([blockedMove], exampleSite()).findings;
  expect(finding).toMatchObject({
    code: 'move-blocked',
    cause: 'A pool is not at rest: worker is degraded',
    remedy: obstacle.remedy,
  });
  // The question about other moves has only its title.
  const { summary, states } = catalogue().moves;
  expect(listMovesNotStarted([blockedMove]).map(({ text }) => text)).toEqual([
    summary.stopped('pool', states.blocked, obstacle.title),
  ]);
});

test('a run without a move to apply asks for no yes: it only waits', async () => {
  const failedMove = { name: 'lb-add', state: 'failed', why: 'closed', changes: [] } as const;
  const view = { moves: [failedMove], traffic: null };
  const context = { design: exampleSite() } as Partial<StepContext> as StepContext;
  const probe = { ...summarizeMoves([failedMove], exampleSite()), view };
  expect(await infraStep.plan(context, probe)).toMatchObject({ changes: [], isDangerous: false });
});

test('cluster moves can be undone unless they are absent, file moves once they were applied', () => {
  expect(STATES.filter((state) => canUndo(createMove('router', state)))).toEqual(
    STATES.filter((one) => one !== 'absent'),
  );
  expect(STATES.filter((state) => canUndo(createMove('lb-add', state)))).toEqual(['done', 'failed', 'moving']);
});

test('a move can be applied alone when those that it comes after are done or do not apply', () => {
  const observed = [
    { name: 'label', state: 'done' },
    { name: 'lb-add', state: 'needed' },
    { name: 'router', state: 'needed' },
    { name: 'storage', state: 'absent' },
  ] as const;
  expect(listMissingDependencies('router', observed)).toEqual(['lb-add']);
  expect(listMissingDependencies('dns', observed)).toEqual([]);
  expect(listMissingDependencies('taint', observed)).toEqual(['router']);
});

test('the page names the longest usual duration of a move', () => {
  const longest = Math.max(...Object.values(USUAL_MINUTES).map(([, most]) => most));
  expect(catalogue().steps.usualDurations.infra).toContain(`up to ${longest} min for each move`);
});

test('the summary of a plan has five lines, and one for each move that undo does not revert whole', () => {
  const create = (name: MoveName) => ({
    name,
    state: 'needed' as const,
    why: '',
    changes: [{ object: 'Node i1', before: null, after: 'x' }],
  });
  const design = exampleSite();
  const summarize = (...names: MoveName[]) =>
    summarizePlan(names.map(create), design, 'u').map(({ label, text }) => `${label}: ${text}`);
  expect(summarize('label')).toEqual([
    'Changes: 1 object',
    'Restarts: nothing',
    'Outage: none expected',
    'How long: usually up to 1 min',
    'Undo: with u: the old settings are recorded first',
  ]);
  expect(summarize('router', 'registry')).toEqual([
    'Changes: 1 object of router, registry, in this order',
    'Restarts: with router, registry',
    expect.stringMatching(/^Outage: /),
    'How long: usually 3–10 min',
    expect.stringMatching(/^Undo: each move/),
  ]);
  // A single move says what restarts, and which objects change; a move may have nothing to change.
  const createEditedChange = (kind: 'Node' | 'MachineConfigPool', name: string) => ({
    ...{ object: `${kind} ${name}`, before: null, after: 'x', editTarget: { kind, name, namespace: null } },
  });
  const changes = [
    createEditedChange('Node', 'i1'),
    createEditedChange('Node', 'i2'),
    createEditedChange('MachineConfigPool', 'infra'),
  ];
  expect(summarizePlan([{ ...create('router'), changes }], design, 'u').slice(0, 2)).toEqual([
    { label: 'Changes', text: '2 Nodes, 1 MachineConfigPool' },
    { label: 'Restarts', text: 'Deployment openshift-ingress/router-default: one router at a time' },
  ]);
  expect(summarizePlan([{ ...create('lb-final'), changes: [] }], design, 'u')[0]?.text).toBe('nothing');
  expect(describeInShort(create('router'), design)).toBe('restarts; usually 2–6 min');
  // No name is left out: what restarts, and what stays after undo, decides about a yes.
  const all = summarize(...MOVE_NAMES);
  expect(all[0]).toContain(MOVE_NAMES.join(', '));
  expect(all.slice(5)).toEqual(
    MOVE_NAMES.flatMap((name) => {
      const limits = catalogue().moves.byName[name].undoLimits;
      return limits === null ? [] : `: ${name}: ${limits}`;
    }),
  );
  const emptyDir = {
    ...design,
    infra: { ...design.infra, registry: { ...design.infra.registry, storage: 'emptyDir' as const } },
  };
  expect(summarizePlan([create('registry')], emptyDir, 'u')[2]?.text).toBe(
    'registry: Images in an emptyDir are lost when the pod moves.',
  );
  // Undo restarts the same workloads; its changes are the lines below.
  const summarizeMovesToUndo = (...names: MoveName[]) =>
    summarizeUndo(names.map(create), emptyDir).map(({ label, text }) => `${label}: ${text}`);
  expect(summarizeMovesToUndo('taint', 'registry')).toEqual([
    'Restarts: with registry',
    'Outage: possible with registry',
    'How long: usually 1–6 min',
  ]);
});

test('only what the changes of a move touch restarts, in its plan and in its undo', () => {
  const design = exampleSite();
  const createPlannedMove = (name: MoveName, ...objects: string[]) => ({
    name,
    state: 'needed' as const,
    why: '',
    changes: objects.map((object) => ({ object, before: '', after: 'x' })),
  });
  const pruner = createPlannedMove('registry', 'ImagePruner cluster');
  expect(summarizePlan([pruner], design, 'u').slice(1, 3)).toEqual([
    { label: 'Restarts', text: 'nothing' },
    { label: 'Outage', text: 'none expected' },
  ]);
  expect(describeInShort(pruner, design)).toBe('no restart; usually 1–4 min');
  expect(listMoveLines([createPlannedMove('label', 'Node i1'), pruner], design).map(({ end }) => end)).toEqual([
    'no restart',
    'no restart',
  ]);
  expect(summarizeUndo([pruner], design).slice(0, 2)).toEqual([
    { label: 'Restarts', text: 'nothing' },
    { label: 'Outage', text: 'none expected' },
  ]);
  const listRestarts = (...move: Parameters<typeof createPlannedMove>) =>
    describeEffects(createPlannedMove(...move), design).restarts.join(', ');
  expect(listRestarts('registry', 'Config cluster', 'ImagePruner cluster')).toContain('image-registry, CronJob');
  expect(
    listRestarts('registry-storage', 'PersistentVolumeClaim openshift-image-registry/image-registry-storage'),
  ).toBe('');
  expect(listRestarts('registry-storage', 'Config cluster')).toContain('image-registry');
  expect(listRestarts('storage', 'Node s1')).toBe('');
  expect(listRestarts('storage', 'Node s1', 'ConfigMap openshift-storage/rook-ceph-operator-config')).toContain('Ceph');
  expect(listRestarts('logging', 'LokiStack openshift-logging/a')).not.toContain('collectors');
  expect(listRestarts('logging', 'ClusterLogForwarder openshift-logging/a')).not.toContain('log store');
});

test('a failed move with a pod that no node accepts has the remedy of its cause, with the command', () => {
  const pending = { namespace: 'openshift-x', name: 'registry-1', cause: 'claim', taint: null } as const;
  const { podRemedies, blockedRemedy } = catalogue().steps.infra;
  const check = (move: object) =>
    runChecks(MOVE_STATUS_CHECKS, { name: 'registry', state: 'failed', why: 'not finished', ...move });
  expect(check({ pending })).toMatchObject([
    { code: 'move-failed', remedy: podRemedies.claim, command: expect.stringContaining('openshift-x') },
  ]);
  expect(check({})).toMatchObject([{ remedy: blockedRemedy }]);
});
