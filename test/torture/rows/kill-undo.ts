import { join } from 'node:path';
import { MOVES, type MoveName } from '../../../src/infra/moves.ts';
import type { Cluster } from '../../../src/kube/api.ts';
import {
  connectToApi,
  diffObjects,
  findWriteCalls,
  getInfraScene,
  type InfraScene,
  infraArgv,
  readMoveTargets,
  runInfra,
} from '../infra-scene.ts';
import { createTally, type Row, sampleEvenly, type Tally, type Torture } from '../row.ts';
import { type Call, runTraced } from '../strace.ts';

/** Kill points per move, for apply and for undo. */
const POINTS_PER_MOVE = 5;
const NAMES = MOVES.flatMap(({ name, where }) => (where === 'cluster' ? [name] : []));
const MONITORING_CONFIG = '# of the team\nenableUserWorkload: true\n\nprometheusK8s:\n    retention: 7d   # long\n';

/** A killed apply is undone, and a killed undo is repeated: the objects get the settings of their owner back. */
export const killUndo: Row = {
  description:
    'Kill apply and undo of each infra move with SIGKILL before system calls that write, in a cluster with settings of its owner. Then undo the move.',
  target: '>= 50 kill points; undo exits with 0, and every object is exactly as it was before the move',
  minCases: 50,
  needs: ['strace'],
  async run(torture) {
    const tally = createTally(torture.report);
    const scene = await getInfraScene(torture);
    const cluster = await connectToApi(scene);
    await applyOwnerSettings(cluster);
    if (torture.isShort) await runInfra(scene, 'apply', 'label');
    const moves = torture.isShort ? (['monitoring'] as const) : NAMES;
    for (const move of moves) await killMove({ ...scene, torture, tally, cluster }, move);
    return {
      cases: tally.cases(),
      failures: tally.failures,
      figure: `${tally.cases()} kill points in ${moves.length} moves`,
    };
  },
};

interface Scene extends InfraScene {
  readonly torture: Torture;
  readonly tally: Tally;
  readonly cluster: Cluster;
}

async function applyOwnerSettings(cluster: Cluster): Promise<void> {
  const matchLabels = { 'node-role.kubernetes.io/worker': '' };
  const tolerations = [{ key: 'own', operator: 'Exists' }];
  await cluster.patch('IngressController', 'default', 'openshift-ingress-operator', {
    spec: { replicas: 2, nodePlacement: { nodeSelector: { matchLabels }, tolerations } },
  });
  await cluster.patch('ImagePruner', 'cluster', null, { spec: { nodeSelector: matchLabels } });
  const metadata = { name: 'cluster-monitoring-config', namespace: 'openshift-monitoring' };
  await cluster.create('ConfigMap', { metadata, data: { 'config.yaml': MONITORING_CONFIG } });
}

async function killMove(scene: Scene, move: MoveName): Promise<void> {
  const { torture, tally, cluster } = scene;
  const start = await readMoveTargets(cluster);
  const compareToStart = async () =>
    diffObjects(start, await readMoveTargets(cluster)).map((object) => `${object} is not as before`);
  const undoAndCompare = async () => {
    const { code, stderr } = await runInfra(scene, 'undo', move);
    return [...(code === 0 ? [] : [`undo ended with ${code}: ${stderr.slice(-400)}`]), ...(await compareToStart())];
  };
  const applyPoints = await traceWritingCalls(scene, 'apply', move);
  const undoPoints = await traceWritingCalls(scene, 'undo', move);
  for (const why of await compareToStart()) tally.fail(move, `uninterrupted, ${why}`);
  const limit = torture.isShort ? 1 : POINTS_PER_MOVE;
  for (const call of sampleEvenly(applyPoints, limit)) {
    await tally.try(`${move} apply, before ${call.name} ${call.nth}`, async () => {
      await runKilled(scene, 'apply', move, call);
      return await undoAndCompare();
    });
  }
  for (const call of sampleEvenly(undoPoints, limit)) {
    await tally.try(`${move} undo, before ${call.name} ${call.nth}`, async () => {
      const applyRun = await runInfra(scene, 'apply', move);
      if (applyRun.code !== 0) return [`apply ended with ${applyRun.code}: ${applyRun.stderr.slice(-400)}`];
      await runKilled(scene, 'undo', move, call);
      return await undoAndCompare();
    });
  }
  // Later moves depend on this one. A short run has none.
  if (torture.isShort) return;
  const last = await runInfra(scene, 'apply', move);
  if (last.code !== 0) tally.fail(move, `cannot be applied at the end: ${last.stderr.slice(-400)}`);
}

const traceOptions = ({ torture, sandbox }: Scene) => ({
  cwd: sandbox.path,
  env: sandbox.env,
  log: join(torture.dir, 'undo.log'),
});

/**
 * Runs an action undisturbed.
 * @returns its calls that write to its session, its files or its API
 */
async function traceWritingCalls(scene: Scene, action: 'apply' | 'undo', move: MoveName): Promise<readonly Call[]> {
  const { torture, tally, dir } = scene;
  const trace = traceOptions(scene);
  const { code, stderr } = await runTraced({ argv: infraArgv(dir, action, move), ...trace });
  if (code !== 0) tally.fail(move, `uninterrupted ${action} exits with ${code}: ${stderr.slice(-400)}`);
  const points = findWriteCalls(trace.log, dir);
  torture.report(`${action} ${move}: ${points.length} calls that write`);
  return points;
}

async function runKilled(scene: Scene, action: 'apply' | 'undo', move: MoveName, { name, nth }: Call): Promise<void> {
  const inject = `${name}:signal=SIGKILL:when=${nth}`;
  await runTraced({ argv: infraArgv(scene.dir, action, move), ...traceOptions(scene), inject });
}
