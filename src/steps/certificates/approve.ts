import { createHash, createPublicKey } from 'node:crypto';
import { formatShortReasons } from '../../checks/certificates.ts';
import { type ApprovalResult, type ApprovalTarget, approveRequests } from '../../csr/approve.ts';
import { createReviewer } from '../../csr/fresh-lists.ts';
import { type FloodEvidence, updateFlood } from '../../csr/review-requests.ts';
import { type CsrVerdict, canApproveByName } from '../../csr/verdict.ts';
import type { DesignNode } from '../../design/model.ts';
import { runOverSsh } from '../../host/ssh.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { toUserError } from '../../i18n/user-error.ts';
import { formatOutage } from '../../kube/outage.ts';
import { formatTimeOfDay, SECOND, systemClock } from '../../platform/clock.ts';
import { startDeadline } from '../../probes/deadline.ts';
import type { StepContext } from '../contract.ts';
import type { LiveCluster } from '../shared/cluster-access.ts';
import { getHostKeyFile, resolveCoreLogin } from '../shared/installer/bootstrap-node.ts';
import { getFirstPowerOn } from '../shared/machines/node-facts.ts';
import { NO_AUDIT_LOG, toAuditResult } from '../shared/run-step-action.ts';
import type { FollowEvent } from './follow-event.ts';
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

/**
 * Records the flood of requests after this probe; null if there was none.
 * @param requests all reviewed requests; null: not available, which ends no flood
 */
export function recordFlood(
  { design, clock, probeCache }: Pick<StepContext, 'design' | 'clock' | 'probeCache'>,
  requests: readonly CsrVerdict[] | null,
): FloodEvidence | null {
  if (requests !== null) probeCache.flood = updateFlood(probeCache.flood, requests, { design, now: clock.now() });
  return probeCache.flood;
}

const words = () => catalogue().steps.certificates.proof;
/** Real time: the duration of an SSH call does not depend on the speed of the clock. */
const SSH_TIMEOUT = 20 * SECOND;
/**
 * A kubelet sends its request immediately after it starts to rotate; the API records whole seconds, and clocks differ a
 * little.
 */
const CLOCK_TOLERANCE = 10 * SECOND;

/**
 * Checks whether the machine at the planned address holds the key of a request, over SSH as core. Only public keys
 * leave it.
 * A kubelet that rotates its certificates (OpenShift's does) keeps the key of a pending request in memory. It writes
 * `kubelet-client-DATE.pem` or `kubelet-server-DATE.pem` once it has the certificate (kubernetes, client-go
 * util/certificate). A kubelet that does not rotate keeps the key in `kubelet-client.key.tmp`
 * (pkg/kubelet/certificate/bootstrap). So its log is read too: it shows when the kubelet started to request.
 * @param request the SHA-256 of the request's key, hexadecimal, and its creation time (ms)
 * @returns the findings, in sentences
 */
export async function proveKey(
  context: StepContext,
  node: DesignNode,
  request: { readonly fingerprint: string; readonly requestedAt: number | null },
): Promise<readonly string[]> {
  const address = node.ip[0] ?? '';
  const knownHosts = `known_hosts.${node.name}`;
  const login = await resolveCoreLogin(context, address, knownHosts);
  if (typeof login === 'string') return [words().notPossible, login];
  const timeout = startDeadline(systemClock, SSH_TIMEOUT);
  try {
    const signal = AbortSignal.any([context.signal, timeout.signal]);
    const { stdout } = await runOverSsh({ ...login, command: COMMAND, signal });
    await login.pin();
    const { keys, times } = parseOutput(stdout);
    const match = keys.find(({ fingerprint }) => fingerprint === request.fingerprint);
    if (match) return [words().keyMatches(address), words().keyFile(match.file)];
    const { requestedAt } = request;
    const startTime = times.find((time) => requestedAt !== null && Math.abs(time - requestedAt) <= CLOCK_TOLERANCE);
    if (startTime !== undefined) return [words().timeMatches(address, formatTimeOfDay(startTime)), words().inMemory];
    return [words().noMatch(address), words().inMemory, words().noMatchFix];
  } catch (error) {
    context.signal.throwIfAborted();
    if (timeout.signal.aborted) return [words().notPossible, words().timeout(address)];
    const { code, title, cause, remedy } = toUserError(error);
    const more = code === 'ssh-host-key-changed' ? words().otherHostKey(getHostKeyFile(context, knownHosts)) : remedy;
    return [words().notPossible, `${title}: ${cause}`, more];
  } finally {
    timeout.end();
  }
}

const KEY_FILES = '/var/lib/kubelet/pki/*.pem /var/lib/kubelet/pki/*.key.tmp';

/** One short program for any shell on the machine. openssl reads the private keys there; they never leave it. */
const COMMAND = [
  "s=; sudo -n true 2>/dev/null && s='sudo -n'",
  `$s sh -c 'for f in ${KEY_FILES}; do [ -f "$f" ] || continue; echo "@@ $f"; openssl pkey -in "$f" -pubout 2>/dev/null; done'`,
  "echo '@@ journal'",
  "$s journalctl -b -u kubelet --no-pager -q -o short-unix 2>/dev/null | grep 'Rotating certificates' | tail -n 100 | cut -c 1-40",
].join('; ');

/**
 * Parses the public keys by file, and the times at which the kubelet started to request certificates (ms). Omits
 * incomplete keys.
 */
function parseOutput(stdout: string) {
  const [keys, journal = ''] = stdout.split(/^@@ journal$/m);
  const found = (keys ?? '').split(/^@@ /m).flatMap((part) => {
    const end = part.indexOf('\n');
    const fingerprint = computeFingerprint(part.slice(end + 1));
    return fingerprint === null ? [] : [{ file: part.slice(0, end), fingerprint }];
  });
  const times = journal.split('\n').flatMap((line) => {
    const seconds = Number.parseFloat(line);
    return Number.isFinite(seconds) ? [seconds * SECOND] : [];
  });
  return { keys: found, times };
}

function computeFingerprint(pem: string): string | null {
  try {
    const spki = createPublicKey(pem).export({ format: 'der', type: 'spki' });
    return createHash('sha256').update(spki).digest('hex');
  } catch {
    return null;
  }
}

const reportLineWords = () => catalogue().steps.certificates;

/** Formats an event as a line of the step's log. */
export function formatReportLine(event: FollowEvent): string {
  switch (event.type) {
    case 'request/issued':
    case 'request/approved':
      return reportLineWords().approved(event.result.name, event.result.review?.node ?? '');
    case 'request/failed':
    case 'request/skipped':
      return reportLineWords().notIssued(event.result.name, event.result.detail);
    case 'request/refused': {
      const { name, node, requester, reasons } = event.request;
      return catalogue().diagnosis.certificates['request-refused'].title(
        name,
        node ?? requester,
        formatShortReasons(reasons),
      );
    }
    case 'boot/unseen':
      return reportLineWords().noBootObserved(event.name, event.node);
    case 'flood/began':
      return reportLineWords().flood;
    case 'flood/ended':
      return reportLineWords().floodOver;
    case 'api/lost':
      return formatOutage(event);
    case 'api/answered':
      return catalogue().live.follow.answersAgain;
    case 'kubelets/foreign':
      return event.findings.map(({ title }) => title).join('; ');
    case 'nodes/joined': {
      const { joined, missing } = event;
      return missing.length === 0
        ? reportLineWords().done(joined.length, 0)
        : reportLineWords().waiting(joined.length, joined.length + missing.length);
    }
  }
}
