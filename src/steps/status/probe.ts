import type { OperatorWait } from '../../checks/operator-waits.ts';
import { deriveOperatorStates } from '../../checks/operators.ts';
import { type UserError, UserErrorException } from '../../i18n/user-error.ts';
import { type ApiHealth, checkClockSkew } from '../../kube/outage.ts';
import { type Snapshot, STATUS_PARTS, takeSnapshot } from '../../kube/snapshot.ts';
import { buildStatus, type StatusDocument, type StatusTarget } from './document.ts';

/** One probe: the document, and the messages for the user beside it. */
export interface StatusProbe {
  readonly status: StatusDocument;
  /** The conditions that operators wait for, by their names. */
  readonly waits: ReadonlyMap<string, OperatorWait>;
  /** Errors of the parts that did not answer; empty: the status is complete. */
  readonly userErrors: readonly UserError[];
  /** The warning about clocks that differ. */
  readonly skew: UserError | null;
  /** For the next probe. */
  readonly health: ApiHealth | undefined;
}

/**
 * Probes the cluster once. An API that does not answer is part of the result.
 * @param health that of the previous probe
 */
export async function probeStatus(target: StatusTarget, health?: StatusProbe['health']): Promise<StatusProbe> {
  const { design, clock } = target;
  let snapshot: Snapshot | null = null;
  const userErrors: UserError[] = [];
  try {
    snapshot = await takeSnapshot(await target.connect(), STATUS_PARTS, clock.now(), health);
    const { userError } = snapshot.api;
    userErrors.push(...(userError ? [userError] : []), ...Object.values(snapshot.userErrors));
  } catch (error) {
    if (!(error instanceof UserErrorException)) throw error;
    userErrors.push(error.userError);
  }
  const states = deriveOperatorStates(design, snapshot?.operators ?? [], snapshot?.nodes ?? [], [], clock.now());
  return {
    status: buildStatus(target, snapshot),
    waits: new Map(states.flatMap(({ name, wait }) => (wait ? [[name, wait]] : []))),
    userErrors: [...new Map(userErrors.map((error) => [error.code, error])).values()],
    skew: checkClockSkew(snapshot?.api.clockSkew ?? null),
    health: snapshot?.api.health ?? health,
  };
}
