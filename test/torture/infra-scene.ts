import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '../../src/cluster/api.ts';
import { connectCluster } from '../../src/cluster/client.ts';
import type { MoveName } from '../../src/moves/table.ts';
import type { Kind } from '../../src/openshift/kinds.ts';
import { findSite } from '../../src/rehearsal/site-client.ts';
import { createSandbox, type Sandbox, startRehearsal } from '../support/rehearsal-run.ts';
import { PROGRAM } from './place.ts';
import type { Torture } from './row.ts';
import { type Call, isChangeBelow, readCalls, run, type TracedRun } from './strace.ts';

/** Simulated seconds in one: a move waits for what it moved. */
const SPEED = 600;

/** A rehearsal at its infra moves, whose wizard is gone. */
export interface InfraScene {
  readonly sandbox: Sandbox;
  readonly dir: string;
}

let lastScene: Promise<InfraScene> | null = null;

/** A cluster at its infra moves: one for each row, and in a short run the same for all of them. */
export function infraScene({ isShort, atEnd }: Torture): Promise<InfraScene> {
  if (isShort && lastScene !== null) return lastScene;
  const sandbox = createSandbox();
  atEnd(sandbox.remove);
  lastScene = playToInfra(sandbox);
  return lastScene;
}

/** Plays a rehearsal up to its infra moves, and kills its wizard there. */
async function playToInfra(sandbox: Sandbox): Promise<InfraScene> {
  const dir = sandbox.dir('moves');
  const rehearsal = startRehearsal(dir, { sandbox, speed: SPEED });
  await rehearsal.waitForOutput(/^\[16\/17\]/m);
  await rehearsal.kill9();
  return { sandbox, dir };
}

/** The command about one move, which asks nobody. */
export const infraArgv = (dir: string, action: string, move: MoveName): readonly string[] => [
  ...[...PROGRAM, 'infra', action, '--only', move, '--dir', dir],
  ...(action === 'apply' || action === 'undo' ? ['--yes'] : []),
];

/** Runs it to its end. */
export function infra({ sandbox, dir }: InfraScene, action: string, move: MoveName): Promise<TracedRun> {
  const [file = '', ...args] = infraArgv(dir, action, move);
  return run(file, args, { cwd: sandbox.path, env: sandbox.env });
}

/** The calls of a traced run that write to its session, its files or its API. */
export function writingCalls(log: string, dir: string): readonly Call[] {
  const calls = readCalls(log);
  const main = calls[0]?.pid;
  return calls.filter(
    (call) => call.pid === main && (isChangeBelow(call, dir) || (/^writev?$/.test(call.name) && isToApi(call))),
  );
}

/** Whether a call writes to the API. */
export const isToApi = ({ args }: Call) => /<(?:TCP|socket)/.test(args);

/** The API of the scene's cluster. */
export async function apiOf({ dir }: InfraScene): Promise<Cluster> {
  const site = await findSite(`${dir}/.upi-wizard/site`);
  if (site === null) throw new Error('the site is gone');
  return connectCluster({
    kubeconfig: `${dir}/auth/kubeconfig`,
    resolveEndpoint: site.resolveEndpoint,
    clock: site.clock,
  });
}

const KINDS = ['Node', 'DNS', 'IngressController', 'ImageRegistry', 'ImagePruner', 'MachineConfigPool'] as const;

/** The specifications, labels and settings that moves write to, by object. */
export async function contentsOf(cluster: Cluster): Promise<ReadonlyMap<string, unknown>> {
  const lists = await Promise.all(KINDS.map(async (kind: Kind) => await cluster.list(kind)));
  const config = await cluster.get('ConfigMap', 'cluster-monitoring-config', 'openshift-monitoring');
  const all = [...lists.flat(), ...(config === null ? [] : [config])];
  return new Map(
    all.map(({ kind, metadata, spec, data }) => [
      `${kind} ${metadata.name}`,
      { uid: metadata.uid, labels: metadata.labels, spec, data },
    ]),
  );
}

/** The objects that are not the same in both. */
export function differences(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): string[] {
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => !isDeepStrictEqual(one.get(name), other.get(name)));
}
