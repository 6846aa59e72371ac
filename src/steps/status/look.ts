import { type ApiPast, skewTrouble } from '../../cluster/outage.ts';
import { type Snapshot, STATUS_PARTS, takeSnapshot } from '../../cluster/snapshot.ts';
import { operatorStates } from '../../diagnosis/operators/states.ts';
import type { OperatorWait } from '../../diagnosis/operators/waits.ts';
import { type Trouble, TroubleError } from '../../text/trouble.ts';
import { type Status, type StatusTarget, statusOf } from './document.ts';

/** One look: the document, and the messages for a person beside it. */
export interface StatusLook {
  readonly status: Status;
  /** What operators wait for, by name. */
  readonly waits: ReadonlyMap<string, OperatorWait>;
  /** What did not answer; empty: the status is complete. */
  readonly troubles: readonly Trouble[];
  /** The warning about clocks that differ. */
  readonly skew: Trouble | null;
  /** For the next look. */
  readonly past: ApiPast | undefined;
}

/** Looks at the cluster once. An API that does not answer is part of the result. @param past that of the look before */
export async function lookAtStatus(target: StatusTarget, past?: StatusLook['past']): Promise<StatusLook> {
  const { design, clock } = target;
  let snapshot: Snapshot | null = null;
  const troubles: Trouble[] = [];
  try {
    snapshot = await takeSnapshot(await target.connect(), STATUS_PARTS, clock.now(), past);
    const { trouble } = snapshot.api;
    troubles.push(...(trouble ? [trouble] : []), ...Object.values(snapshot.troubles));
  } catch (error) {
    if (!(error instanceof TroubleError)) throw error;
    troubles.push(error.trouble);
  }
  const states = operatorStates(design, snapshot?.operators ?? [], snapshot?.nodes ?? [], [], clock.now());
  return {
    status: statusOf(target, snapshot),
    waits: new Map(states.flatMap(({ name, wait }) => (wait ? [[name, wait]] : []))),
    troubles: [...new Map(troubles.map((trouble) => [trouble.code, trouble])).values()],
    skew: skewTrouble(snapshot?.api.clockSkew ?? null),
    past: snapshot?.api.past ?? past,
  };
}
