import { createHash, createPublicKey } from 'node:crypto';
import type { DesignNode } from '../../design/model.ts';
import { runOverSsh } from '../../host/ssh.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { toUserError } from '../../i18n/user-error.ts';
import { formatTimeOfDay, SECOND, systemClock } from '../../platform/clock.ts';
import { startDeadline } from '../../platform/concurrency.ts';
import type { StepContext } from '../contract.ts';
import { getHostKeyFile, resolveCoreLogin } from '../shared/installer/bootstrap-node.ts';

const words = () => catalogue().steps.certificates.proof;
/** Real time: the duration of an SSH call does not depend on the speed of the clock. */
const SSH_TIMEOUT_MS = 20 * SECOND;
/**
 * A kubelet sends its CSR immediately after it starts to rotate; the API records whole seconds, and clocks differ a
 * little.
 */
const CLOCK_TOLERANCE_MS = 10 * SECOND;

/**
 * Checks whether the machine at the planned address holds the key of a CSR, over SSH as core. Only public keys leave
 * the machine. A kubelet that rotates its certificates (OpenShift's does) keeps the key of a pending CSR in memory. It
 * writes `kubelet-client-DATE.pem` or `kubelet-server-DATE.pem` once it has the certificate (kubernetes, client-go
 * util/certificate). A kubelet that does not rotate keeps the key in `kubelet-client.key.tmp`
 * (pkg/kubelet/certificate/bootstrap). A key in memory cannot be read, so the kubelet's log is read too: it shows when
 * the kubelet started to request.
 * @param request the SHA-256 of the CSR's key, hexadecimal, and its creation time (ms)
 * @returns the findings, in sentences
 */
export async function checkRequestKey(
  context: StepContext,
  node: DesignNode,
  request: { readonly fingerprint: string; readonly requestedAt: number | null },
): Promise<readonly string[]> {
  const address = node.ip[0] ?? '';
  const knownHosts = `known_hosts.${node.name}`;
  const login = await resolveCoreLogin(context, address, knownHosts);
  if (typeof login === 'string') return [words().notPossible, login];
  const deadline = startDeadline(systemClock, SSH_TIMEOUT_MS);
  try {
    const signal = AbortSignal.any([context.signal, deadline.signal]);
    const { stdout } = await runOverSsh({ ...login, command: READ_KEYS_COMMAND, signal });
    await login.pinHostKey();
    const { keys, times } = parseKeyOutput(stdout);
    const matchingKey = keys.find(({ fingerprint }) => fingerprint === request.fingerprint);
    if (matchingKey) return [words().keyMatches(address), words().keyFile(matchingKey.file)];
    const { requestedAt } = request;
    const startTime = times.find((time) => requestedAt !== null && Math.abs(time - requestedAt) <= CLOCK_TOLERANCE_MS);
    if (startTime !== undefined) return [words().timeMatches(address, formatTimeOfDay(startTime)), words().inMemory];
    return [words().noMatch(address), words().inMemory, words().noMatchFix];
  } catch (error) {
    context.signal.throwIfAborted();
    if (deadline.signal.aborted) return [words().notPossible, words().timeout(address)];
    const { code, title, cause, remedy } = toUserError(error);
    const detail = code === 'ssh-host-key-changed' ? words().otherHostKey(getHostKeyFile(context, knownHosts)) : remedy;
    return [words().notPossible, `${title}: ${cause}`, detail];
  } finally {
    deadline.end();
  }
}

const KEY_FILES = '/var/lib/kubelet/pki/*.pem /var/lib/kubelet/pki/*.key.tmp';

/**
 * One short program for any shell on the machine. openssl reads the private keys there, and they never leave the
 * machine.
 */
const READ_KEYS_COMMAND = [
  "s=; sudo -n true 2>/dev/null && s='sudo -n'",
  `$s sh -c 'for f in ${KEY_FILES}; do [ -f "$f" ] || continue; echo "@@ $f"; openssl pkey -in "$f" -pubout 2>/dev/null; done'`,
  "echo '@@ journal'",
  "$s journalctl -b -u kubelet --no-pager -q -o short-unix 2>/dev/null | grep 'Rotating certificates' | tail -n 100 | cut -c 1-40",
].join('; ');

/**
 * Parses the public keys by file, and the times at which the kubelet started to request certificates (ms). Omits
 * incomplete keys.
 */
function parseKeyOutput(stdout: string) {
  const [keyText, journal = ''] = stdout.split(/^@@ journal$/m);
  const keyFiles = (keyText ?? '').split(/^@@ /m).flatMap((part) => {
    const lineEnd = part.indexOf('\n');
    const fingerprint = computeFingerprint(part.slice(lineEnd + 1));
    return fingerprint === null ? [] : [{ file: part.slice(0, lineEnd), fingerprint }];
  });
  const times = journal.split('\n').flatMap((line) => {
    const seconds = Number.parseFloat(line);
    return Number.isFinite(seconds) ? [seconds * SECOND] : [];
  });
  return { keys: keyFiles, times };
}

function computeFingerprint(pem: string): string | null {
  try {
    const spki = createPublicKey(pem).export({ format: 'der', type: 'spki' });
    return createHash('sha256').update(spki).digest('hex');
  } catch {
    return null;
  }
}
