import { isDeepStrictEqual } from 'node:util';
import type { MoveName } from '../../src/infra/moves.ts';
import type { Cluster } from '../../src/kube/api.ts';
import { connectCluster } from '../../src/kube/connect-cluster.ts';
import type { Kind } from '../../src/openshift/kinds.ts';
import { findSite } from '../../src/rehearsal/site-client.ts';
import { createSandbox, type Sandbox, startRehearsal } from '../support/rehearsal-run.ts';
import type { Torture } from './row.ts';
import { PROGRAM } from './run-files.ts';
import { type Call, isChangeBelow, readCalls, run, type TracedRun } from './strace.ts';

/** Simulated seconds in a real second: a move waits for the pods that it relocates. */
const SPEED = 600;

/** A rehearsal at its infra moves, whose wizard has been killed. */
export interface InfraScene {
  readonly sandbox: Sandbox;
  readonly dir: string;
}

let lastScene: Promise<InfraScene> | null = null;

/** Returns a cluster at its infra moves: one for each row, or the same for all rows in a short run. */
export function getInfraScene({ isShort, atEnd }: Torture): Promise<InfraScene> {
  if (isShort && lastScene !== null) return lastScene;
  const sandbox = createSandbox();
  atEnd(sandbox.remove);
  lastScene = playToInfra(sandbox);
  return lastScene;
}

/** Plays a rehearsal to its infra moves, and kills its wizard there. */
async function playToInfra(sandbox: Sandbox): Promise<InfraScene> {
  const dir = sandbox.dir('moves');
  const rehearsal = startRehearsal(dir, { sandbox, speed: SPEED });
  await rehearsal.waitForOutput(/^\[16\/17\]/m);
  await rehearsal.kill9();
  return { sandbox, dir };
}

/** Returns the command for one move; it does not prompt. */
export const infraArgv = (dir: string, action: string, move: MoveName): readonly string[] => [
  ...[...PROGRAM, 'infra', action, '--only', move, '--dir', dir],
  ...(action === 'apply' || action === 'undo' ? ['--yes'] : []),
];

/** Runs the command for one move to its end. */
export function runInfra({ sandbox, dir }: InfraScene, action: string, move: MoveName): Promise<TracedRun> {
  const [file = '', ...args] = infraArgv(dir, action, move);
  return run(file, args, { cwd: sandbox.path, env: sandbox.env });
}

/** Finds the calls of a traced run that write to its session, its files or its API. */
export function findWriteCalls(log: string, dir: string): readonly Call[] {
  const calls = readCalls(log);
  const main = calls[0]?.pid;
  return calls.filter(
    (call) => call.pid === main && (isChangeBelow(call, dir) || (/^writev?$/.test(call.name) && isToApi(call))),
  );
}

/** Whether a call writes to the API. */
export const isToApi = ({ args }: Call) => /<(?:TCP|socket)/.test(args);

/** Connects to the API of the scene's cluster. */
export async function connectToApi({ dir }: InfraScene): Promise<Cluster> {
  const site = await findSite(`${dir}/.upi-wizard/site`);
  if (site === null) throw new Error('the site is gone');
  return connectCluster({
    kubeconfig: `${dir}/auth/kubeconfig`,
    resolveEndpoint: site.resolveEndpoint,
    clock: site.clock,
  });
}

const KINDS = ['Node', 'DNS', 'IngressController', 'ImageRegistry', 'ImagePruner', 'MachineConfigPool'] as const;

/** Reads the specifications, labels and settings that moves write, by object. */
export async function readMoveTargets(cluster: Cluster): Promise<ReadonlyMap<string, unknown>> {
  const lists = await Promise.all(KINDS.map(async (kind: Kind) => await cluster.list(kind)));
  const config = await cluster.get('ConfigMap', 'cluster-monitoring-config', 'openshift-monitoring');
  const objects = [...lists.flat(), ...(config === null ? [] : [config])];
  return new Map(
    objects.map(({ kind, metadata, spec, data }) => [
      `${kind} ${metadata.name}`,
      { uid: metadata.uid, labels: metadata.labels, spec, data },
    ]),
  );
}

/** Lists the objects that differ. */
export function diffObjects(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): string[] {
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => !isDeepStrictEqual(one.get(name), other.get(name)));
}
