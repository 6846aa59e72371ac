import { type ApprovalResult, type ApprovalTarget, approveRequests } from '../../csr/approve.ts';
import { createReviewer } from '../../csr/fresh-lists.ts';
import { type CsrVerdict, canApproveByName } from '../../csr/verdict.ts';

import { catalogue } from '../../i18n/catalogue.ts';
import { toUserError } from '../../i18n/user-error.ts';

import type { LiveCluster } from '../shared/live-cluster.ts';
import { getFirstPowerOn } from '../shared/machines/node-facts.ts';
import { NO_AUDIT_LOG, toAuditResult } from '../shared/run-step-action.ts';
import { listRequests } from './requests.ts';

/** Selects the requests to approve without the user naming them. */
export function selectExpectedTargets(requests: readonly CsrVerdict[]): ApprovalTarget[] {
  return requests
    .filter(({ verdict }) => verdict === 'expected')
    .map(({ name, uid }) => ({ name, uid, isByName: false }));
}

/**
 * Approves these requests, each reviewed again. Reports what it approved even if the signal stops it.
 * @throws ClusterError
 */
export async function approveTargets(
  live: LiveCluster,
  targets: readonly ApprovalTarget[],
  signal: AbortSignal,
): Promise<ApprovalResult[]> {
  if (targets.length === 0) return [];
  const { design, clock } = live;
  const reviewNow = createReviewer({ design, bootedSince: getFirstPowerOn(live) }, clock);
  const auditLog = live.session?.context.auditLog ?? NO_AUDIT_LOG;
  const finish = auditLog.begin(
    targets.map(({ name }) => ({ step: 'certificates', action: 'approve', subject: name })),
  );
  try {
    const results = await approveRequests(await live.connect(), targets, reviewNow, { clock, signal });
    finish(results.map(({ outcome }) => toAuditResult(outcome === 'failed' || outcome === 'skipped' ? outcome : null)));
    return results;
  } catch (error) {
    finish(targets.map(() => toAuditResult(toUserError(error).code)));
    throw error;
  }
}

/**
 * Approves the named requests and, with `isAllExpected`, all expected ones.
 * @param selection.confirm asks the user about a request that the design cannot decide; null approves it, a text is the
 * reason why not
 * @returns the result of each, named ones first, in the order of the names
 * @throws ClusterError when the API does not answer
 */
export async function approveSelected(
  live: LiveCluster,
  selection: {
    readonly names: readonly string[];
    readonly isAllExpected: boolean;
    readonly confirm: (request: CsrVerdict) => Promise<string | null>;
    readonly signal: AbortSignal;
  },
): Promise<ApprovalResult[]> {
  const { names, isAllExpected, confirm, signal } = selection;
  const { requests } = await listRequests(live);
  const targets: ApprovalTarget[] = [];
  const declined: ApprovalResult[] = [];
  for (const name of names) {
    const reviewed = requests.find((request) => request.name === name);
    if (reviewed === undefined) {
      declined.push({ review: null, name, outcome: 'skipped', detail: catalogue().live.csr.noRequest });
      continue;
    }
    const isByName = canApproveByName(reviewed);
    const detail = isByName ? await confirm(reviewed) : null;
    if (detail === null) targets.push({ name, uid: reviewed.uid, isByName });
    else declined.push({ review: reviewed, name, outcome: 'skipped', detail });
  }
  if (isAllExpected) targets.push(...selectExpectedTargets(requests).filter(({ name }) => !names.includes(name)));
  const results = [...declined, ...(await approveTargets(live, targets, signal))];
  const rank = ({ name }: ApprovalResult) => (names.includes(name) ? names.indexOf(name) : names.length);
  return results.toSorted((a, b) => rank(a) - rank(b));
}
