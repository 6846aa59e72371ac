// The screens of the infra moves and of Prepare: rows, keys and commands.
import { afterEach, expect, test } from 'vitest';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { judgeServices } from '../../src/diagnosis/hosts/services.ts';
import { MOVE } from '../../src/diagnosis/moves.ts';
import { gateFindings } from '../../src/diagnosis/prepare/items.ts';
import { judge } from '../../src/diagnosis/rule.ts';
import { briefOf } from '../../src/steps/infra/undo-lines.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { after, safePlan } from '../support/wizard-state.ts';
import { app, close, show } from './show.ts';
import { infraView, stepState } from './views.ts';

afterEach(close);

const line = (lines: readonly string[], text: string) => lines.find((candidate) => candidate.includes(text)) ?? '';

test('infra: moves in words, u on what can be undone, and the changes of the selected one', async () => {
  const moves = infraView.moves.map((move) => (move.name === 'router' ? { ...move, hasWritten: true } : move));
  const lines = await show(stepState('infra', 'needed', { view: { ...infraView, moves } }), [100, 40]);
  expect(line(lines, ' registry  ')).toContain('! blocked');
  expect(line(lines, ' taint ')).toContain('✖ failed');
  expect(line(lines, ' lb-final ')).toContain('- not needed');
  expect(lines.at(-1)).toContain('u undo this move');
  await app?.press('\u001b[B\u001b[B\u001b[B\u001b[B');
  // What is only partly there is still to do, and can go too.
  expect(app?.lines().at(-1)).toContain('u undo this move');
  const screen = app?.screen() ?? '';
  expect(screen).toContain('ingresscontroller openshift-ingress-operator/default');
  expect(screen).toContain('-   replicas: 2');
  expect(screen).toContain('+       node-role.kubernetes.io/infra: ""'.replace('+       ', '+         '));
  await app?.press('\u001b[B\u001b[B\u001b[B\u001b[B');
  expect(app?.lines().at(-1)).not.toContain('undo');
  // What never wrote anything has nothing to take back.
  await show(stepState('infra', 'needed'), [100, 40]);
  await app?.press('\u001b[B\u001b[B\u001b[B\u001b[B');
  expect(app?.lines().at(-1)).not.toContain('undo');
});

test('infra: the row of the move that runs says so at once, and what is done is done', async () => {
  const said = (name: string, state: 'begun' | 'done', why?: string) => {
    const part = { subject: name, state, ...(why === undefined ? {} : { said: why }) };
    return { type: 'step/reported', step: 'infra', line: name, part } as const;
  };
  const due = (object: string) => ({ object, what: '', before: null, after: null });
  const held = judge(MOVE, { name: 'registry', state: 'blocked', why: 'the pool is not at rest' });
  const begun = after(
    stepState('infra', 'needed', { plan: { ...safePlan, changes: [due('registry')] }, findings: held }),
    { type: 'step/ask', action: 'apply' },
    said('router', 'begun', 'it has to be healthy for 60 s'),
  );
  expect(line(await show(begun, [100, 40]), ' router ')).toMatch(/under way +it has to be healthy for 60 s/);
  expect(app?.screen()).not.toContain('not at rest');
  await show(after(begun, said('registry', 'begun')), [100, 40]);
  expect(app?.screen()).toContain('not at rest');
  await show(begun, [100, 40]);
  // What it has set in motion holds up those that come later, and is no news of them.
  expect(line(app?.lines() ?? [], ' registry  ')).toContain('◦ waits');
  const row = line(await show(after(begun, said('router', 'done', 'router-default: 2 of 2')), [100, 40]), ' router ');
  expect(row).toMatch(/✔ done +router-default: 2 of 2/);
  const back = after(
    stepState('infra', 'needed'),
    { type: 'step/ask', action: 'undo', subject: 'label' },
    { type: 'step/answer', isYes: true },
    said('label', 'begun'),
  );
  expect(line(await show(back, [100, 40]), ' label ')).toContain('going back');
  expect(line(await show(after(back, said('label', 'done')), [100, 40]), ' label ')).toContain('to do');
});

test('infra: why a move is not taken back is read until the next key, also where a look finds the step done', async () => {
  const trouble = { code: 'move-stays', title: 'move pool stays', cause: 'Undo first: taint.', whatToDo: 'Do that.' };
  const { probe } = stepState('infra', 'done').runs.infra;
  if (probe === null) throw new Error('nobody looked');
  const look = { type: 'step/looked', step: 'infra', probe, plan: null } as const;
  const stays = after(
    stepState('infra', 'done'),
    { type: 'step/ask', action: 'undo', subject: 'pool' },
    { type: 'step/answer', isYes: true },
    { type: 'step/failed', step: 'infra', during: 'run', trouble },
    look,
    look,
  );
  const lines = await show(stays);
  expect(lines.join(' ').replace(/\s+/g, ' ')).toContain('move pool stays: Undo first: taint. Do that.');
  expect(lines.at(-1)).toContain('Enter next');
  await app?.press('\u001b[B');
  expect(app?.screen()).not.toContain('move pool stays');
});

test('hosts: what waits for a service that stays silent is gone past with X and a reason', async () => {
  const [found] = judgeServices([{ kind: 'silent', server: '172.16.0.102', what: 'ns1', isOk: false, detail: '' }]);
  if (found === undefined) throw new Error('nothing is wrong');
  const run = stepState('hosts', 'waiting', { findings: [found] });
  const { probe } = run.runs.hosts;
  if (probe === null) throw new Error('nobody looked');
  const looked = { ...probe, overridable: [found] };
  const lines = await show(after(run, { type: 'step/looked', step: 'hosts', probe: looked, plan: null }));
  expect(lines.at(-1)).toContain('X override');
  await app?.press('X');
  expect(app?.store.getState().runs.hosts).toMatchObject({ phase: 'asking', question: { action: 'override' } });
});

test('prepare: a line is words alone; the command that asks it again is copied, and stands in its help', async () => {
  const items = [{ id: 'images', state: 'pending', detail: 'not here', checks: ['images-missing'] }] as const;
  const lines = await show(stepState('prepare', 'needed', { view: { items, phases: [], expiresAt: null } }));
  expect(lines.join('\n')).not.toContain('images-missing');
  expect(lines.at(-1)).toContain('y copy commands');
  await app?.press('?');
  expect(app?.screen()).toContain('upi-wizard check --only images-missing');
});

test('prepare: y copies the command that is shown, or that of the selected check, and says which', async () => {
  const found = (code: string, command: string): Finding => ({
    ...{
      code,
      state: 'failed',
      severity: 'fatal',
      subject: code,
      title: `${code} fails`,
      cause: 'seen',
      whatToDo: 'mend',
    },
    command,
  });
  const [dig, nc] = ['dig @172.16.0.102 api.ocp45.example.localdomain A', 'nc -vz 172.16.0.110 6443'];
  const failed = [found('dns-server', dig), found('lb-listens', nc)];
  const items = [{ id: 'installer', state: 'failed', detail: 'not here', checks: ['installer-missing'] }] as const;
  const phases = [{ phase: 'dns', ok: 0, pending: 0, unknown: 0, failed }] as const;
  const view = { items, phases, expiresAt: null };
  await show(stepState('prepare', 'blocked', { view, findings: gateFindings(failed) }));
  const copied = () => app?.effects.flatMap((effect) => (effect.type === 'copy' ? effect.text : [])).at(-1);
  expect(app?.screen()).toContain(dig);
  await app?.press('y');
  expect(copied()).toBe(`${dig}\n`);
  await app?.press('\u001b[F');
  await app?.press('y');
  expect(copied()).toBe(`${nc}\n`);
  expect(app?.lines().map((each) => each.trim())).toContain(nc);
});

test('infra: what undo gives back is read before the question is there, and y counts only then', async () => {
  await show(stepState('infra', 'needed'));
  await app?.press('u');
  expect(app?.screen()).not.toContain('Undo label?');
  await app?.press('y');
  expect(app?.store.getState().runs.infra.phase).toBe('asking');
  const instead = [{ key: 'overwrite', label: 'overwrite theirs too', subject: 'label overwrite' }] as const;
  const lines = ['Node i1: changed', '  ! metadata.labels.x:', '      before not set,', '      now "y"'];
  const brief = { question: 'Undo label?', lines, instead };
  app?.store.dispatch({ type: 'step/briefed', step: 'infra', action: 'undo', subject: 'label', brief });
  await app?.press('');
  expect(app?.screen()).toContain('Undo label?');
  expect(app?.screen()).toContain('  ! metadata.labels.x:');
  expect(app?.lines().at(-1)).toContain('O overwrite theirs too');
  await app?.press('O');
  expect(app?.store.getState().runs.infra).toMatchObject({
    phase: 'asking',
    question: { subject: 'label overwrite', brief: 'reading' },
  });
  // What others stand on is not offered to be taken back, and says which go first.
  const held = briefOf('label overwrite', null, ['lb-final', 'taint']);
  app?.store.dispatch({ type: 'step/briefed', step: 'infra', action: 'undo', subject: 'label overwrite', brief: held });
  await app?.press('y');
  expect(app?.store.getState().runs.infra.phase).toBe('asking');
  expect(app?.screen()).toContain('Undo first: lb-final, taint.');
});

test('infra: a reason that the table cuts is whole below it, with what a person has to type', async () => {
  const command = 'scp -r /srv/installations/ocp45/files/lb1 root@172.16.0.112:';
  const why = `lb1 still runs with other members: \`${command}\``;
  const moves = [{ name: 'lb-add' as const, state: 'blocked' as const, why, changes: [] }];
  const lines = await show(stepState('infra', 'blocked', { view: { moves, traffic: null } }));
  expect(lines.map((line) => line.trim())).toContain(command);
});

test('infra: what helps a pod that no node takes is a key: the answer to change, or the command to copy and to write', async () => {
  const waiting = (name: 'router' | 'registry', cause: 'ports' | 'claim') => ({
    ...{ name, state: 'moving' as const, why: 'it waits', changes: [] },
    pending: { namespace: 'openshift-x', name: `${name}-1`, cause, taint: null },
  });
  const remedies = { registry: 'oc describe pvc -n openshift-x' };
  const view = { moves: [waiting('router', 'ports'), waiting('registry', 'claim')], traffic: null, remedies };
  const lines = await show(stepState('infra', 'waiting', { view }), [120, 30]);
  expect(lines.at(-1)).toContain('e number of routers');
  expect(lines.at(-1)).not.toContain('y copy commands');
  await app?.press('\u001b[B');
  expect(app?.lines().at(-1)).toContain('y copy commands');
  expect(app?.lines().at(-1)).not.toContain('e number of routers');
  await app?.press('\u001b[A');
  await app?.press('e');
  expect(app?.store.getState().screen).toBe('services');
  expect(app?.screen()).toContain('▸ Router replicas');
});

test('infra: the design’s own taint in the way, and a label that is missing, have a key of their own', async () => {
  const waiting = (name: 'router' | 'registry', cause: 'own-taint' | 'unlabelled') => ({
    ...{ name, state: 'moving' as const, why: 'it waits', changes: [] },
    pending: { namespace: 'openshift-x', name: `${name}-1`, cause, taint: null },
  });
  const change = { object: 'Node i1', before: null, after: 'x' };
  const label = { name: 'label' as const, state: 'needed' as const, why: '', changes: [change] };
  const view = { moves: [waiting('router', 'own-taint'), waiting('registry', 'unlabelled'), label], traffic: null };
  const { keys, questions } = catalogue().screens.infra;
  expect((await show(stepState('infra', 'waiting', { view }), [120, 30])).at(-1)).toContain(`L ${keys.untaint}`);
  await app?.press('L');
  expect(app?.store.getState().runs.infra).toMatchObject({ question: { action: 'undo', subject: 'taint' } });
  await app?.press('n');
  await app?.press('\u001b[B');
  expect(app?.lines().at(-1)).toContain(`L ${keys.label}`);
  await app?.press('L');
  expect(app?.store.getState().runs.infra).toMatchObject({ question: { action: 'apply-one', subject: 'label' } });
  for (const text of [questions.make('label'), 'Node i1']) expect(app?.screen()).toContain(text);
});

test('infra: while moves are made, the newest of what happened is whole under the table', async () => {
  await show(stepState('infra', 'needed'));
  await app?.press('\r');
  await app?.press('y');
  const lines = [
    '12:04 openshift-x/a-1 left w1',
    ...['b', 'c', 'd', 'e', 'f', 'g'].map((x) => `12:05 openshift-x/${x}-1 is Ready on i1`),
  ];
  for (const line of lines) app?.store.dispatch({ type: 'step/reported', step: 'infra', line });
  await app?.press('');
  const shown = (app?.lines() ?? []).map((line) => line.trim());
  expect(shown).toContain('12:05 openshift-x/f-1 is Ready on i1');
  expect(shown).toContain(lines.at(-1));
  expect(shown).not.toContain(lines[0]);
});

test('infra: a move is blocked only when nothing before it is open', async () => {
  const moves = infraView.moves.filter(({ name }) => name === 'label' || name === 'registry');
  const lines = await show(stepState('infra', 'blocked', { view: { moves } }));
  expect(line(lines, ' registry  ')).toContain('! blocked');
  await app?.press('\r');
  expect(app?.store.getState().runs.infra.phase).toBe('ready');
});

test('the palette counts what goes on below it', async () => {
  await show(stepState('hosts', 'waiting'));
  await app?.press(':');
  expect(app?.screen()).toMatch(/\n +\|? *1-\d+ of \d+ *\n/);
});
