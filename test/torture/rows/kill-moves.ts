import { join } from 'node:path';
import { MOVE_NAMES, type MoveName } from '../../../src/infra/moves.ts';
import { findWriteCalls, getInfraScene, type InfraScene, infraArgv, isToApi, runInfra } from '../infra-scene.ts';
import { createTally, type Row, sampleEvenly, type Tally, type Torture } from '../row.ts';
import { runTraced, type TracedRun } from '../strace.ts';

/** Kill points per move. */
const POINTS_PER_MOVE = 6;

/** Each infra move is killed before calls that write to the session, its files or the API. The next run finishes it. */
export const killMoves: Row = {
  description:
    'Kill each infra move of a rehearsal with SIGKILL before system calls that write to the session, its files or the API. Then apply it again, verify it and undo it.',
  target:
    '>= 50 kill points; the next run exits with 0 and does not repeat a change that the killed run reported; the move is then verified',
  minCases: 50,
  needs: ['strace'],
  async run(torture) {
    const tally = createTally(torture.report);
    const moves = torture.isShort ? MOVE_NAMES.slice(0, 1) : MOVE_NAMES;
    const scene: Scene = { ...(await getInfraScene(torture)), torture, tally };
    for (const move of moves) await killMove(scene, move);
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
}

/** Lists the objects that a run reports as changed, created or deleted. */
const listChangedObjects = ({ stdout, stderr }: TracedRun) =>
  [...(stdout + stderr).matchAll(/^ *(.*): (?:changed|created|deleted)$/gm)].map(([, object = '']) => object);

async function killMove(scene: Scene, move: MoveName): Promise<void> {
  const { torture, tally, sandbox, dir } = scene;
  const log = join(torture.dir, 'move.log');
  const trace = { cwd: sandbox.path, env: sandbox.env, log };
  const reference = await runTraced({ argv: infraArgv(dir, 'apply', move), ...trace });
  if (reference.code !== 0) {
    tally.fail(move, `an uninterrupted run exits with ${reference.code}: ${reference.stderr.slice(-400)}`);
    return;
  }
  const points = findWriteCalls(log, dir);
  torture.report(`${move}: ${points.length} calls that write`);
  for (const call of sampleEvenly(points, torture.isShort ? 1 : POINTS_PER_MOVE)) {
    const undoRun = await runInfra(scene, 'undo', move);
    if (undoRun.code !== 0) {
      torture.report(`undo of ${move} exits with ${undoRun.code}: no more kills of this move`);
      break;
    }
    const { name, nth, args } = call;
    const target = isToApi(call) ? 'the API' : (/[^/"<>]+(?=["<>])/.exec(args)?.[0] ?? '');
    await tally.try(`${move} before ${name} ${nth} to ${target}`, async () => {
      const killedRun = await runTraced({
        argv: infraArgv(dir, 'apply', move),
        ...trace,
        inject: `${name}:signal=SIGKILL:when=${nth}`,
      });
      const again = await runInfra(scene, 'apply', move);
      const verified = await runInfra(scene, 'verify', move);
      const changedTwice = listChangedObjects(again).filter((object) => listChangedObjects(killedRun).includes(object));
      return [
        ...(again.code === 0 ? [] : [`the next run ended with ${again.code}: ${again.stderr.slice(-400)}`]),
        ...(verified.code === 0
          ? []
          : [`it is not verified: ${verified.stdout.slice(-300)}${verified.stderr.slice(-200)}`]),
        ...changedTwice.map((object) => `${object} was changed twice`),
      ];
    });
  }
  const last = await runInfra(scene, 'apply', move);
  if (last.code !== 0) tally.fail(move, `cannot be finished: ${last.stderr.slice(-400)}`);
}
