import { createHash, createPublicKey } from 'node:crypto';
import { runPatience } from '../../bastion/patience.ts';
import { runOverSsh } from '../../bastion/ssh/ssh-run.ts';
import type { DesignNode } from '../../design/model.ts';
import { SECOND, systemClock } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { timeOfDay } from '../../text/time-of-day.ts';
import { asTrouble } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import { coreLogin, pinnedFile } from '../shared/installer/core-login.ts';

const words = () => catalogue().steps.certificates.proof;
/** Real time: an ssh is as fast as it is, however fast the clock runs. */
const PATIENCE = 20 * SECOND;
/** A kubelet sends its request as soon as it begins; the API notes whole seconds, and clocks differ a little. */
const SAME_TIME = 10 * SECOND;

/**
 * Whether the machine at the planned address holds the key of a request; asks the machine itself over SSH as core. Only
 * public keys leave it. A kubelet that rotates its certificates (OpenShift's does) keeps the key of a pending request
 * in memory, and writes `kubelet-client-DATE.pem` or `kubelet-server-DATE.pem` once it has the certificate (kubernetes,
 * client-go util/certificate); one that does not keeps it in `kubelet-client.key.tmp`
 * (pkg/kubelet/certificate/bootstrap). So we read its log too: it says when the kubelet began to ask.
 * @param asked the SHA-256 of the request's key, hexadecimal, and when it was made (ms)
 * @returns what was found, in sentences
 */
export async function proveKey(
  context: StepContext,
  node: DesignNode,
  asked: { readonly fingerprint: string; readonly requestedAt: number | null },
): Promise<readonly string[]> {
  const address = node.ip[0] ?? '';
  const knownHosts = `known_hosts.${node.name}`;
  const login = await coreLogin(context, address, knownHosts);
  if (typeof login === 'string') return [words().notPossible, login];
  const patience = runPatience(systemClock, PATIENCE);
  try {
    const signal = AbortSignal.any([context.signal, patience.signal]);
    const { stdout } = await runOverSsh({ ...login, command: COMMAND, signal });
    await login.pin();
    const { keys, times } = foundIn(stdout);
    const same = keys.find(({ fingerprint }) => fingerprint === asked.fingerprint);
    if (same) return [words().same(address), words().file(same.file)];
    const { requestedAt } = asked;
    const began = times.find((time) => requestedAt !== null && Math.abs(time - requestedAt) <= SAME_TIME);
    if (began !== undefined) return [words().sameTime(address, timeOfDay(began)), words().inMemory];
    return [words().notFound(address), words().inMemory, words().notFoundFix];
  } catch (error) {
    context.signal.throwIfAborted();
    if (patience.signal.aborted) return [words().notPossible, words().late(address)];
    const { code, title, cause, whatToDo } = asTrouble(error);
    const more = code === 'ssh-host-key-changed' ? words().pinned(pinnedFile(context, knownHosts)) : whatToDo;
    return [words().notPossible, `${title}: ${cause}`, more];
  } finally {
    patience.end();
  }
}

const FILES = '/var/lib/kubelet/pki/*.pem /var/lib/kubelet/pki/*.key.tmp';

/** One short program for any shell there. openssl reads the private keys there, and they stay there. */
const COMMAND = [
  "s=; sudo -n true 2>/dev/null && s='sudo -n'",
  `$s sh -c 'for f in ${FILES}; do [ -f "$f" ] || continue; echo "@@ $f"; openssl pkey -in "$f" -pubout 2>/dev/null; done'`,
  "echo '@@ journal'",
  "$s journalctl -b -u kubelet --no-pager -q -o short-unix 2>/dev/null | grep 'Rotating certificates' | tail -n 100 | cut -c 1-40",
].join('; ');

/** The public keys by file, and when the kubelet began to ask for certificates (ms). Leaves out incomplete ones. */
function foundIn(stdout: string) {
  const [keys, journal = ''] = stdout.split(/^@@ journal$/m);
  const found = (keys ?? '').split(/^@@ /m).flatMap((part) => {
    const end = part.indexOf('\n');
    const fingerprint = fingerprintOf(part.slice(end + 1));
    return fingerprint === null ? [] : [{ file: part.slice(0, end), fingerprint }];
  });
  const times = journal.split('\n').flatMap((line) => {
    const seconds = Number.parseFloat(line);
    return Number.isFinite(seconds) ? [seconds * SECOND] : [];
  });
  return { keys: found, times };
}

function fingerprintOf(pem: string): string | null {
  try {
    const spki = createPublicKey(pem).export({ format: 'der', type: 'spki' });
    return createHash('sha256').update(spki).digest('hex');
  } catch {
    return null;
  }
}
