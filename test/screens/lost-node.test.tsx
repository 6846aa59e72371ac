// The live pages while a control plane node, and with it a member of etcd, is lost.
import { afterEach, expect, test } from 'vitest';
import { fitNotes, wrapNotes } from '../../screens/shared/step/step-lines.ts';
import type { Finding } from '../../src/checks/check.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import { startAction } from '../../src/wizard/live/step-run.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { applyInputs, START, safePlan, wizardState } from '../support/wizard-state.ts';
import { closeWizard, showState } from './show-state.ts';
import { bootView, certificatesView, stepState } from './views.ts';

afterEach(closeWizard);

const { title, cause, remedy } = catalogue().diagnosis.causes['etcd-member-lost'];
const memberLost: Finding = {
  code: 'etcd-member-lost',
  state: 'failed',
  severity: 'fatal',
  subject: 'etcd',
  title: `${title} (certain)`,
  cause: `${cause} Seen: EtcdMembersDegraded: 2 of 3 members are available, m2.ocp45.example.localdomain is unhealthy`,
  remedy,
  likelihood: 'certain',
};

/** Adds the cause that the diagnosis of a step found. */
const withCause = (state: WizardState, step: 'certificates' | 'operators'): WizardState => ({
  ...state,
  likelyCause: { step, request: { subject: { kind: 'shown-cause' }, period: 'requested' }, finding: memberLost },
});

const flatten = (lines: readonly string[]) => lines.map((line) => line.trim()).join(' ');

test('a finding below a short list gets the rows that the list leaves empty', async () => {
  const view = {
    ...certificatesView,
    requests: [],
    missingNodes: [],
    nodes: certificatesView.nodes.map((node) => ({
      ...node,
      hasJoined: node.name !== 'm2',
      isReady: node.name !== 'm2',
    })),
  };
  const state = withCause(stepState('certificates', 'waiting', { view, findings: [] }), 'certificates');
  const lines = await showState(state, [80, 24]);
  const text = flatten(lines);
  expect(text).toContain(`Do this: ${remedy.slice(0, 60)}`);
  expect(text).toContain(remedy.slice(-40));
  const first = lines.findIndex((line) => line.includes(title));
  expect(first).toBeGreaterThan(0);
});

test('the help of a page has the cause that the diagnosis found, and what happened in the meantime, whole', async () => {
  const absence = `Since you left (42 min): ${'lb-final was applied; '.repeat(8)}the end`;
  const state = applyInputs(withCause(stepState('operators', 'waiting'), 'operators'), {
    type: 'session/absence',
    text: absence,
  });
  const help = flatten(await showState(applyInputs(state, { type: 'overlay/open', overlay: 'help' }), [80, 90]));
  expect(help).toContain(absence);
  expect(help).toContain(remedy.slice(-40));
});

test('nothing to do is never said beside a row that is marked', async () => {
  const [request] = certificatesView.requests;
  if (request === undefined) throw new Error('the view has no requests');
  const showRequests = async (requests: (typeof certificatesView)['requests']) => {
    const view = { ...certificatesView, requests };
    return flatten(await showState(stepState('certificates', 'waiting', { view, findings: [] }), [80, 24]));
  };
  const { waiting } = catalogue().screens.step;
  expect(await showRequests([])).toContain(waiting);
  const denied = await showRequests([{ ...request, verdict: 'decided', reasons: ['TERMINAL'] }]);
  expect(denied).toContain('! denied');
  expect(denied).not.toContain(waiting);
});

test('while the diagnosis runs, its page shows what the page of the step has reported', async () => {
  const state = withCause(stepState('certificates', 'waiting', { findings: [] }), 'certificates');
  const lines = await showState(applyInputs(state, { type: 'diagnosis/open' }), [80, 24]);
  const { progress, fromPage } = catalogue().diagnose;
  expect(flatten(lines)).toContain(progress.slice(0, 40));
  expect(flatten(lines)).toContain(fromPage);
  // Nothing is ranked before everything is checked.
  expect(lines.join('\n')).toContain(`- ${title} (certain)`);
  const page = { title: 'Found', lines: ['1. the result'] };
  const ready = applyInputs(state, { type: 'diagnosis/open' }, { type: 'diagnosis/ready', page });
  const result = flatten(await showState(ready, [80, 24]));
  expect(result).toContain('the result');
  expect(result).not.toContain(fromPage);
});

test('a finding that is cut keeps its remedy before its cause, and no command without its sentence', () => {
  const part = (text: string, name: 'cause' | 'remedy' | 'evidence') => ({ text, part: name });
  const notes = wrapNotes(
    [{ text: 'title' }, part('  why', 'cause'), part('  do this', 'remedy'), part('`oc get nodes`', 'evidence')].map(
      (note) => ({ ...note, mustBeVisible: true }),
    ),
    80,
  );
  const fitTexts = (most: number) => fitNotes(notes, most).map(({ text }) => text.trim());
  const more = catalogue().screens.step.moreNotes;
  expect(fitTexts(4)).toEqual(['title', 'why', 'do this', 'oc get nodes']);
  expect(fitTexts(3)).toEqual(['title', 'do this', more]);
});

test('a finding that is cut ends with a whole sentence, before its command too', () => {
  const remedy = 'Free space on its node, or attach a larger disk. To see which node: `oc get pods -A`';
  const lines = wrapNotes([{ text: 'title' }, { text: remedy, part: 'remedy', mustBeVisible: true }], 40);
  const fitTexts = (notes: typeof lines, most: number) => fitNotes(notes, most).map(({ text }) => text.trim());
  const more = catalogue().screens.step.moreNotes;
  const wholeSentence = ['Free space on its node, or attach a', 'larger disk.'];
  expect(fitTexts(lines, 5)).toEqual(['title', wholeSentence[0], 'larger disk. To see which node:', 'oc get pods -A']);
  const longLines = wrapNotes(
    [{ text: 'title' }, { text: remedy.replace('node:', 'node of the cluster it is:'), mustBeVisible: true }],
    40,
  );
  expect(fitTexts(longLines, 5)).toEqual(longLines.map(({ text }) => text.trim()));
  expect(fitTexts([...longLines, ...wrapNotes([{ text: 'other' }], 40)], 5)).toEqual([
    'title',
    'To see which node of the',
    'cluster it is:',
    'oc get pods -A',
    more,
  ]);
  // The instruction comes first; the command follows only with the sentence that introduces it.
  const otherLines = wrapNotes([{ text: 'other' }], 40);
  const longRemedy = wrapNotes(
    [{ text: 'title' }, { text: remedy.replace('node:', 'node of it:'), part: 'remedy', mustBeVisible: true }],
    40,
  );
  expect(fitTexts([...longRemedy, ...otherLines], 4)).toEqual(['title', ...wholeSentence, more]);
  const middle = 'Then wait until the operator has seen that, which takes a few minutes. ';
  const longMiddle = wrapNotes(
    [{ text: 'title' }, { text: remedy.replace('To see', `${middle}To see`), part: 'remedy', mustBeVisible: true }],
    40,
  );
  expect(fitTexts([...longMiddle, ...otherLines], 6)).toEqual([
    'title',
    ...wholeSentence,
    'To see which node:',
    'oc get pods -A',
    more,
  ]);
  // Nothing is repeated, and no sentence stays that introduces a command which is left out.
  const twoTitles = [...wrapNotes([{ text: 'notice' }], 40), ...longMiddle, ...otherLines];
  expect(fitTexts(twoTitles, 5)).toEqual(['notice', 'title', ...wholeSentence, more]);
  const lateCommand = wrapNotes([{ text: 'title' }, { text: remedy, part: 'remedy' }], 40);
  expect(fitTexts([...lateCommand, ...otherLines], 4)).toEqual(['title', ...wholeSentence, more]);
  // A sentence whose middle is left out has a mark there.
  const words = 'One two three four five six seven eight nine ten';
  const oneNote = wrapNotes([{ text: `${words}. Look: \`oc get nodes\``, mustBeVisible: true }], 20);
  expect(fitTexts([...oneNote, ...wrapNotes([{ text: 'other' }], 20)], 4)).toEqual([
    'One two three …',
    'Look:',
    'oc get nodes',
    more,
  ]);
  // No sentence fits: the mark of what is left out stands below the beginning.
  const oneSentence = wrapNotes([{ text: 'word '.repeat(30) }], 40);
  expect(fitTexts(oneSentence, 3)).toEqual([oneSentence[0]?.text, oneSentence[1]?.text, more]);
});

test('a lost node gets no estimate and no advice to wait, and the key of the diagnosis is in view', async () => {
  const view = {
    ...certificatesView,
    requests: [],
    nodes: certificatesView.nodes.map((node) => ({ ...node, hasJoined: node.name !== 'm2' })),
  };
  const probe = {
    state: 'waiting' as const,
    summary: catalogue().steps.certificates.lost(8, 9, ['m2'], false),
    awaitsRepair: true,
    progress: [{ usualMinutes: [10, 25] as const, share: 0.99, startedAt: START }],
    view,
    findings: [],
  };
  const state = applyInputs(wizardState({}, { screen: 'certificates' }), {
    type: 'step/probed',
    step: 'certificates',
    probe,
    plan: safePlan,
  });
  const text = flatten(await showState(state, [60, 15]));
  expect(text).toContain('8 of 9 nodes joined; m2 is lost');
  expect(text).toContain(catalogue().ui.progress.needsRepair);
  expect(text).not.toMatch(/min left|nothing to do/);
  expect(text).toMatch(/! \w/);
});

test('a lost node is named beside those still to join, and no estimate is shown while requests are approved', async () => {
  const nodes = certificatesView.nodes.map((node) =>
    node.name === 'm2' ? { ...node, hasJoined: false, isReady: false, isLost: true } : node,
  );
  const view = { ...certificatesView, requests: [], nodes };
  const progress = [{ usualMinutes: [10, 25] as const, share: 0.7, startedAt: START }];
  const waiting = stepState('certificates', 'waiting', { view, findings: [], progress });
  const { probe } = waiting.runs.certificates;
  if (probe === null) throw new Error('no probe');
  const attempt = { action: 'apply', subject: null, input: null } as const;
  const applying = startAction(
    'certificates',
    { ...waiting.runs.certificates, probe: { ...probe, awaitsRepair: true } },
    attempt,
    START,
  );
  const state = { ...waiting, runs: { ...waiting.runs, certificates: applying } };
  const text = flatten(await showState(state));
  expect(text).toContain('Not Ready any more: m2');
  expect(text).toContain(catalogue().ui.progress.needsRepair);
  expect(text).not.toMatch(/min left/);
});

test('nodes that have both certificates are not among those still to join', async () => {
  const nodes = certificatesView.nodes.map((node) =>
    node.name === 'w1' ? { ...node, certificateProgress: ['done', 'done'] as const } : node,
  );
  const text = flatten(await showState(stepState('certificates', 'waiting', { view: { ...certificatesView, nodes } })));
  expect(text).toContain('Not finished: w2 w3 i1 i2 i3 (ignition)');
});

test('the Boot page shows no age of the last request beside a node that is Ready or lost', async () => {
  const nodes = bootView.nodes.map((node, index) => ({
    ...node,
    lastSeenAt: START - 180 * MINUTE,
    stage: index === 1 ? ('ready' as const) : ('kernel' as const),
    isLost: false,
  }));
  const lines = await showState(stepState('boot', 'waiting', { view: { ...bootView, nodes }, findings: [] }));
  const find = (name: string) => lines.find((line) => line.includes(` ${name} `)) ?? '';
  expect(find(nodes[0]?.name ?? '')).toContain('3 h');
  expect(find(nodes[1]?.name ?? '')).toContain('Ready');
  expect(find(nodes[1]?.name ?? '')).not.toContain('3 h');
});

test('the Boot page shows no likely cause beside a node that is lost: it has booted before', async () => {
  const nodes = bootView.nodes.map((node) => ({ ...node, isLost: true, likelyCause: 'network-not-ready' as const }));
  const lines = await showState(stepState('boot', 'waiting', { view: { ...bootView, nodes }, findings: [] }));
  expect(flatten(lines)).not.toContain('network-not-ready');
});

test.each(['control-plane', 'compute'] as const)('the row of a lost %s node offers what it needs', async (role) => {
  const [node] = bootView.nodes;
  const nodes = [{ ...node, role, stage: 'ignition' as const, isLost: true, wasReady: true }];
  const lines = await showState(stepState('boot', 'done', { view: { ...bootView, nodes }, findings: [] }), [120, 40]);
  const { replaceMember, markReinstalled } = catalogue().screens.keys;
  expect(lines.at(-1)).toContain(role === 'compute' ? markReinstalled : replaceMember);
});
