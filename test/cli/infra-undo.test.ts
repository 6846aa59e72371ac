import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clusterCommands } from '../../src/i18n/en/cluster-commands.ts';
import { moves } from '../../src/i18n/en/moves/index.ts';
import { infraWords } from '../../src/i18n/en/steps/infra.ts';
import { captureCommand } from '../support/run-command.ts';
import { DOMAIN, type SimulatedCluster, startSimulatedCluster } from '../support/simulated-cluster.ts';

const words = clusterCommands.infra;
const steps = infraWords.infra;
const LABEL = 'node-role.kubernetes.io/infra';
let cluster: SimulatedCluster;
let journal: string;
beforeEach(async () => {
  cluster = await startSimulatedCluster();
  for (const [index, name] of ['i1', 'i2', 'i3'].entries()) cluster.addNode(name, `172.16.0.4${index + 1}`);
  const design = cluster.fileOptions.find((file) => file.endsWith('.yaml')) ?? '';
  journal = join(cluster.cwd, design.replace(/\.yaml$/, '.infra-before.ndjson'));
});
afterEach(() => cluster.close());

const runInfra = (argv: readonly string[], ask?: (question: string) => Promise<string>) =>
  captureCommand(['infra', ...argv, '--only', 'label', ...cluster.fileOptions], {
    cwd: cluster.cwd,
    ...(ask ? { ask } : {}),
  });
const getInfraLabel = (name: string) => cluster.store.get('nodes', null, `${name}.${DOMAIN}`)?.metadata.labels?.[LABEL];
const relabel = (name: string, value: string) =>
  cluster.store.mutate('nodes', null, `${name}.${DOMAIN}`, (node) => {
    node.metadata.labels = { ...node.metadata.labels, [LABEL]: value };
  });

test('without an install directory the undo record is beside the design, or at the path of --journal', async () => {
  expect(await runInfra(['apply', '--yes'])).toMatchObject({ code: 0 });
  expect(readFileSync(journal, 'utf8').trim().split('\n')).toHaveLength(3);
  const other = join(cluster.cwd, 'other.ndjson');
  expect(await runInfra(['undo', '--yes', '--journal', other])).toMatchObject({ code: 4 });
  expect(existsSync(other)).toBe(false);
  expect(getInfraLabel('i1')).toBe('');
  expect(await runInfra(['undo', '--yes', '--journal', journal])).toMatchObject({ code: 0 });
  expect(getInfraLabel('i1')).toBeUndefined();
});

test('undo of a move that was not applied says that there is nothing to undo', async () => {
  expect(await runInfra(['undo', '--yes'])).toMatchObject({ code: 0, stderr: `${words.nothingToUndo}\n` });
});

test('in a pipe the reason of a move is not truncated', async () => {
  const { stdout } = await captureCommand(['infra', 'plan', ...cluster.fileOptions], { cwd: cluster.cwd });
  const { moves: documents } = JSON.parse(
    (await captureCommand(['infra', 'plan', '--json', ...cluster.fileOptions], { cwd: cluster.cwd })).stdout,
  ) as { readonly moves: readonly { readonly name: string; readonly why: string }[] };
  const longest = documents.toSorted((a, b) => b.why.length - a.why.length)[0];
  expect(longest?.why.length).toBeGreaterThan(120);
  expect(stdout).toContain(longest?.why.split('`')[0]);
  expect(stdout).not.toContain('…');
});

test('the command that undoes a move with those that depend on it acts on the same cluster', async () => {
  await runInfra(['apply', '--yes']);
  for (const name of ['i1', 'i2', 'i3'])
    cluster.store.mutate('nodes', null, `${name}.${DOMAIN}`, (node) => {
      node.spec = { taints: [{ key: LABEL, value: 'reserved', effect: 'NoSchedule' }] };
    });
  const { code, stderr } = await runInfra(['undo', '--yes']);
  expect(code).toBe(4);
  expect(stderr).toContain(`infra undo --only label,taint ${cluster.fileOptions.join(' ')}`);
});

test('a value that others changed since stays, and --overwrite restores the original', async () => {
  relabel('i1', 'old');
  expect(await runInfra(['apply', '--yes'])).toMatchObject({ code: 0 });
  relabel('i1', 'theirs');
  const result = await runInfra(['undo', '--yes']);
  expect(result.code).toBe(4);
  expect(result.stderr).toContain(words.undoBlocked('label', steps.changedSince(`Node i1.${DOMAIN}`)));
  expect(['i1', 'i2', 'i3'].map(getInfraLabel)).toEqual(['theirs', undefined, undefined]);
  expect(await runInfra(['undo', '--yes', '--overwrite', 'label'])).toMatchObject({ code: 0 });
  expect(getInfraLabel('i1')).toBe('old');
});

test('on a terminal undo is shown field by field and confirmed, separately for each object that others changed', async () => {
  await runInfra(['apply', '--yes']);
  relabel('i2', 'theirs');
  const prompts: string[] = [];
  const ask = (answers: readonly string[]) => async (question: string) => {
    prompts.push(question);
    return answers[prompts.length - 1] ?? '';
  };
  const result = await runInfra(['undo'], ask(['yes', 'no']));
  expect(prompts).toEqual([words.confirmUndo('label'), words.confirmOverwrite(`Node i2.${DOMAIN}`)]);
  const path = `metadata.labels.${LABEL}`;
  expect(result.stderr).toContain(`Node i1.${DOMAIN}: ${words.undo.states.restore}\n  ~ ${path}: "" -> not set\n`);
  expect(result.stderr).toContain(
    `  ! ${path}:\n      before not set,\n      upi-wizard wrote "",\n      now "theirs"\n`,
  );
  // The summary that the screen has comes last, above the question.
  expect(result.stderr).toContain('\n\nRestarts  nothing\nOutage    none expected\nHow long  usually up to 1 min\n');
  expect(result.code).toBe(4);
  expect(['i1', 'i2', 'i3'].map(getInfraLabel)).toEqual([undefined, 'theirs', undefined]);
  prompts.length = 0;
  expect(await runInfra(['undo'], ask(['yes', 'yes']))).toMatchObject({ code: 0 });
  expect(getInfraLabel('i2')).toBeUndefined();
});

test('without a record undo can only set the defaults, which needs its own confirmation', async () => {
  await runInfra(['apply', '--yes']);
  rmSync(journal);
  const refused = await runInfra(['undo', '--yes']);
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain(words.undoBlocked('label', steps.unrecorded));
  expect(getInfraLabel('i1')).toBe('');
  const declined = await runInfra(['undo'], async () => 'no');
  expect(declined.stderr).toContain(words.undo.notRecorded);
  expect(getInfraLabel('i1')).toBe('');
  expect(await runInfra(['undo', '--yes', '--to-defaults'])).toMatchObject({ code: 0 });
  expect(getInfraLabel('i1')).toBeUndefined();
});

test('a value that existed before the first write is not undone', async () => {
  // Only i3 gets the label from us.
  for (const name of ['i1', 'i2']) relabel(name, '');
  await runInfra(['apply', '--yes']);
  expect(await runInfra(['undo', '--yes'])).toMatchObject({ code: 0 });
  expect(['i1', 'i2', 'i3'].map(getInfraLabel)).toEqual(['', '', undefined]);
  relabel('i3', '');
  const undone = await runInfra(['undo', '--yes']);
  expect(undone).toMatchObject({ code: 0 });
  expect(undone.stderr).toContain(steps.foreign('label'));
  expect(getInfraLabel('i1')).toBe('');
});

test('an emptyDir for the registry needs its own typed word on a terminal, and undo reports what it does not restore', async () => {
  await runInfra(['apply', '--yes']);
  const file = join(cluster.cwd, cluster.fileOptions.find((each) => each.endsWith('.yaml')) ?? '');
  const design = readFileSync(file, 'utf8').replace('storage: pvc', 'storage: emptyDir');
  writeFileSync(file, design);
  cluster.add('configs.imageregistry.operator.openshift.io', {
    metadata: { name: 'cluster' },
    spec: { managementState: 'Removed', replicas: 1, storage: {} },
  });
  const run = async (action: string, ...answers: readonly string[]) => {
    const remaining = [...answers];
    const only = action === 'undo' ? 'registry-storage,registry' : 'registry-storage';
    const argv = [action, '--only', only, ...cluster.fileOptions];
    return await captureCommand(['infra', ...argv], { cwd: cluster.cwd, ask: async () => remaining.shift() ?? '' });
  };
  const getRegistrySpec = () => cluster.store.get('configs.imageregistry.operator.openshift.io', null, 'cluster')?.spec;
  const { emptyDir } = moves.byName['registry-storage'];
  const refused = await run('plan');
  expect(refused.stdout).toContain(words.warning(emptyDir));
  expect(await run('apply', 'yes', 'yes')).toMatchObject({ code: 4 });
  expect(getRegistrySpec()).toMatchObject({ managementState: 'Removed' });
  expect(await run('apply', 'yes', 'emptyDir')).toMatchObject({ code: 0 });
  expect(getRegistrySpec()).toMatchObject({ managementState: 'Managed', storage: { emptyDir: {} } });
  expect((await run('undo', 'yes')).stderr).toContain(moves.byName['registry-storage'].undoLimits);
  expect(getRegistrySpec()).toEqual({ managementState: 'Removed', replicas: 1, storage: {} });
});

test('apply names the nearest move for a misspelt one, with or without --yes', async () => {
  for (const yes of [[], ['--yes']]) {
    const argv = ['infra', 'apply', 'rooter', ...yes, ...cluster.fileOptions];
    const { code, stderr } = await captureCommand(argv, { cwd: cluster.cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('router');
    expect(stderr).not.toContain('needs a confirmation');
  }
});
