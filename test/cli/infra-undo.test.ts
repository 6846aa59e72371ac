import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { infraCommand } from '../../src/cli/infra.ts';
import { live } from '../../src/text/en/commands/live.ts';
import { moves } from '../../src/text/en/moves/index.ts';
import { infraWords } from '../../src/text/en/steps/infra.ts';
import { DOMAIN, type LiveCluster, runLive, startLiveCluster } from '../support/live-cluster.ts';

const words = live.infra;
const steps = infraWords.infra;
const LABEL = 'node-role.kubernetes.io/infra';
let cluster: LiveCluster;
let journal: string;
beforeEach(async () => {
  cluster = await startLiveCluster();
  for (const [index, name] of ['i1', 'i2', 'i3'].entries()) cluster.addNode(name, `172.16.0.4${index + 1}`);
  const design = cluster.files.find((file) => file.endsWith('.yaml')) ?? '';
  journal = join(cluster.cwd, design.replace(/\.yaml$/, '.infra-before.ndjson'));
});
afterEach(() => cluster.close());

const infra = (argv: readonly string[], ask?: (question: string) => Promise<string>) =>
  runLive(infraCommand, [...argv, '--only', 'label', ...cluster.files], {
    cwd: cluster.cwd,
    ...(ask ? { ask } : {}),
  });
const labelOf = (name: string) => cluster.store.get('nodes', null, `${name}.${DOMAIN}`)?.metadata.labels?.[LABEL];
const relabel = (name: string, value: string) =>
  cluster.store.mutate('nodes', null, `${name}.${DOMAIN}`, (node) => {
    node.metadata.labels = { ...node.metadata.labels, [LABEL]: value };
  });

test('without an install directory it is written down beside the design, or where --journal says', async () => {
  expect(await infra(['apply', '--yes'])).toMatchObject({ code: 0 });
  expect(readFileSync(journal, 'utf8').trim().split('\n')).toHaveLength(3);
  const other = join(cluster.cwd, 'other.ndjson');
  expect(await infra(['undo', '--yes', '--journal', other])).toMatchObject({ code: 4 });
  expect(existsSync(other)).toBe(false);
  expect(labelOf('i1')).toBe('');
  expect(await infra(['undo', '--yes', '--journal', journal])).toMatchObject({ code: 0 });
  expect(labelOf('i1')).toBeUndefined();
});

test('what others changed since stays, and --overwrite gives back what was there', async () => {
  relabel('i1', 'old');
  expect(await infra(['apply', '--yes'])).toMatchObject({ code: 0 });
  relabel('i1', 'theirs');
  const kept = await infra(['undo', '--yes']);
  expect(kept.code).toBe(4);
  expect(kept.stderr).toContain(words.kept('label', steps.changedSince(`Node i1.${DOMAIN}`)));
  expect(['i1', 'i2', 'i3'].map(labelOf)).toEqual(['theirs', undefined, undefined]);
  expect(await infra(['undo', '--yes', '--overwrite', 'label'])).toMatchObject({ code: 0 });
  expect(labelOf('i1')).toBe('old');
});

test('on a terminal it is shown field by field and asked about, each object that others changed by itself', async () => {
  await infra(['apply', '--yes']);
  relabel('i2', 'theirs');
  const asked: string[] = [];
  const ask = (answers: readonly string[]) => async (question: string) => {
    asked.push(question);
    return answers[asked.length - 1] ?? '';
  };
  const kept = await infra(['undo'], ask(['yes', 'no']));
  expect(asked).toEqual([words.confirmUndo('label'), words.confirmOverwrite(`Node i2.${DOMAIN}`)]);
  const path = `metadata.labels.${LABEL}`;
  expect(kept.stderr).toContain(`Node i1.${DOMAIN}: ${words.undo.states.back}\n  ~ ${path}: "" -> not set\n`);
  expect(kept.stderr).toContain(`  ! ${path}:\n      before not set,\n      we wrote "",\n      now "theirs"\n`);
  expect(kept.code).toBe(4);
  expect(['i1', 'i2', 'i3'].map(labelOf)).toEqual([undefined, 'theirs', undefined]);
  asked.length = 0;
  expect(await infra(['undo'], ask(['yes', 'yes']))).toMatchObject({ code: 0 });
  expect(labelOf('i2')).toBeUndefined();
});

test('without a record it can only go to the defaults, which takes a yes of its own', async () => {
  await infra(['apply', '--yes']);
  rmSync(journal);
  const refused = await infra(['undo', '--yes']);
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain(words.kept('label', steps.unrecorded));
  expect(labelOf('i1')).toBe('');
  const asked = await infra(['undo'], async () => 'no');
  expect(asked.stderr).toContain(words.undo.unrecorded);
  expect(labelOf('i1')).toBe('');
  expect(await infra(['undo', '--yes', '--to-defaults'])).toMatchObject({ code: 0 });
  expect(labelOf('i1')).toBeUndefined();
});

test('what was so before the first write is not ours to undo', async () => {
  // One node has the label of ours.
  for (const name of ['i1', 'i2']) relabel(name, '');
  await infra(['apply', '--yes']);
  expect(await infra(['undo', '--yes'])).toMatchObject({ code: 0 });
  expect(['i1', 'i2', 'i3'].map(labelOf)).toEqual(['', '', undefined]);
  relabel('i3', '');
  const undone = await infra(['undo', '--yes']);
  expect(undone).toMatchObject({ code: 0 });
  expect(undone.stderr).toContain(steps.foreign('label'));
  expect(labelOf('i1')).toBe('');
});

test('an emptyDir for the registry takes its own word on a terminal, and undo says what is not taken back', async () => {
  await infra(['apply', '--yes']);
  const file = join(cluster.cwd, cluster.files.find((each) => each.endsWith('.yaml')) ?? '');
  const design = readFileSync(file, 'utf8').replace('storage: pvc', 'storage: emptyDir');
  writeFileSync(file, design);
  cluster.add('configs.imageregistry.operator.openshift.io', {
    metadata: { name: 'cluster' },
    spec: { managementState: 'Removed', replicas: 1, storage: {} },
  });
  const run = async (action: string, ...answers: readonly string[]) => {
    const left = [...answers];
    const only = action === 'undo' ? 'registry-storage,registry' : 'registry-storage';
    const argv = [action, '--only', only, ...cluster.files];
    return await runLive(infraCommand, argv, { cwd: cluster.cwd, ask: async () => left.shift() ?? '' });
  };
  const specOf = () => cluster.store.get('configs.imageregistry.operator.openshift.io', null, 'cluster')?.spec;
  const { emptyDir } = moves.each['registry-storage'];
  const refused = await run('plan');
  expect(refused.stdout).toContain(words.says(emptyDir));
  expect(await run('apply', 'yes', 'yes')).toMatchObject({ code: 4 });
  expect(specOf()).toMatchObject({ managementState: 'Removed' });
  expect(await run('apply', 'yes', 'emptyDir')).toMatchObject({ code: 0 });
  expect(specOf()).toMatchObject({ managementState: 'Managed', storage: { emptyDir: {} } });
  expect((await run('undo', 'yes')).stderr).toContain(moves.each['registry-storage'].notBack);
  expect(specOf()).toEqual({ managementState: 'Removed', replicas: 1, storage: {} });
});
