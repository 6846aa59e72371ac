import { createCheckFactory, type Finding } from '../checks/check.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import type { MoveStatus } from './infra-move.ts';
import { findRemedyCommand } from './pending-pod.ts';

const words = () => catalogue().steps.infra;

/** The status of an infra move, with its reason. */
interface InfraMoveEvidence extends Pick<MoveStatus, 'state' | 'why' | 'pending'> {
  readonly name: string;
  readonly preflightFindings?: readonly Finding[];
}

/** Whether a finding of the preflight blocks its move. */
export const isObstacle = ({ state, severity }: Finding) => state === 'failed' && severity === 'fatal';

const check = createCheckFactory<InfraMoveEvidence>('infra');

/** Returns what to do about a stopped move. For a pod that no node accepts, that depends on the cause. */
export const getMoveRemedy = ({ pending }: Pick<MoveStatus, 'pending'>): string =>
  pending === undefined ? words().blockedRemedy : words().podRemedies[pending.cause];

const moveFailed = check('move-failed', 'fatal', ({ name, state, why, pending }) => {
  if (state !== 'failed') return [];
  const command = pending === undefined ? null : findRemedyCommand(pending);
  return [
    {
      ...({ state: 'failed', subject: name, title: words().failed(name), evidence: [why] } as const),
      remedy: getMoveRemedy({ pending }),
      ...(command === null ? {} : { command: sanitizeLine(command) }),
    },
  ];
});

/** A finding of the preflight that blocks the move has its own remedy, which the reason repeats. */
const moveBlocked = check('move-blocked', 'warning', ({ name, state, why, preflightFindings = [] }) => {
  if (state !== 'blocked') return [];
  const obstacle = preflightFindings.find(isObstacle);
  const reason = obstacle === undefined ? why : [obstacle.title, obstacle.cause].filter(Boolean).join(': ');
  const remedy = obstacle?.remedy || words().blockedRemedy;
  return [{ state: 'failed', subject: name, title: words().blocked(name), evidence: [reason], remedy }];
});

/**
 * A pod of the move is not scheduled yet, or may not leave its node yet. This may resolve on its own, as with routers
 * that replace each other on the ports of a host.
 */
const movePodWaits = check('move-pod-waits', 'warning', ({ name, state, pending }) => {
  if ((state !== 'moving' && state !== 'needed') || pending === undefined) return [];
  const command = findRemedyCommand(pending);
  const { podPending, podBlocked, podRemedies } = words();
  const title = pending.cause === 'budget' ? podBlocked : podPending;
  return [
    {
      state: 'pending',
      subject: name,
      title: title(name, sanitizeLine(pending.name)),
      remedy: podRemedies[pending.cause],
      ...(command === null ? {} : { command: sanitizeLine(command) }),
    },
  ];
});

/** Checks of the status of an infra move. */
export const MOVE_STATUS_CHECKS = [moveFailed, moveBlocked, movePodWaits];
