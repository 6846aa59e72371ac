import { at } from '../objects/object.ts';
import { isRolledOut } from '../objects/rollout.ts';
import { MINUTE, SECOND } from '../ports/clock.ts';
import type { Move } from '../steps/infra/index.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import type { InfraOutcome } from './infra.ts';
import { type InfraMove, lookAtMove, lookAtMoves } from './infra-look.ts';
import type { Live } from './live.ts';
import type { LiveIo } from './live-io.ts';

const words = () => catalogue().live.infra;
const PATIENCE = 15 * MINUTE;

/** Takes the moves back, the last first. `isGood` when none of them is in place afterwards. */
export async function undoMoves(moves: readonly Move[], live: Live, io: LiveIo, isYes: boolean): Promise<InfraOutcome> {
  const report = (line: string) => io.stderr(`${sanitizeLine(line)}\n`);
  const seen = await lookAtMoves(moves);
  const steps = moves.filter((_, index) => isToUndo(seen[index])).toReversed();
  if (steps.length > 0 && !isYes) {
    const answer = (await io.ask?.(words().confirmUndo(steps.map(({ name }) => name).join(', ')))) ?? '';
    if (!/^y(?:es)?$/i.test(answer.trim())) {
      io.stderr(`${words().declined}\n`);
      return { moves: seen, isGood: false };
    }
  }
  for (const move of steps) {
    io.signal.throwIfAborted();
    // What was taken back before it may have changed how it stands.
    if (!isToUndo(await lookAtMove(move))) continue;
    report(words().undoing(move.name));
    await move.undo(report);
    if (move.name === 'router') await routersBack(live, io, report);
  }
  const after = await lookAtMoves(moves);
  const left = after.filter(isInPlace).map(({ name }) => name);
  if (left.length > 0) report(words().notUndone(left.join(', ')));
  return { moves: after, isGood: left.length === 0 };
}

/**
 * In the cluster, taking back what is not there writes nothing, and what is only partly there has to go too. The load
 * balancer's files only go back from a stage that they have reached.
 */
function isToUndo(move: InfraMove | undefined): boolean {
  if (move === undefined || move.state === 'absent') return false;
  return move.name === 'lb-add' || move.name === 'lb-final' ? isInPlace(move) : true;
}

function isInPlace({ state }: InfraMove): boolean {
  return state === 'done' || state === 'moving' || state === 'failed';
}

/** Waits until the routers have left the infra nodes, before the load balancer stops passing connections on to these. */
async function routersBack(live: Live, io: LiveIo, report: (line: string) => void): Promise<void> {
  const until = live.clock.now() + PATIENCE;
  report(words().routerBack);
  while (live.clock.now() < until) {
    const cluster = await live.connect();
    const deployment = await cluster.get('Deployment', 'router-default', 'openshift-ingress');
    if (deployment === null) return;
    const selector = at(deployment.spec, 'template', 'spec', 'nodeSelector', 'node-role.kubernetes.io/infra');
    if (selector === undefined && isRolledOut(deployment)) return;
    await live.clock.sleep(2 * SECOND, io.signal);
  }
  report(words().routerStays);
}
