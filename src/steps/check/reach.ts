import { encode, RECURSION_DESIRED } from 'dns-packet';
import { runOverSsh } from '../../host/ssh.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { findProgram } from '../../installer/programs.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import { formatUrlHost } from '../../platform/text.ts';
import type { ProbeAnswer, ProbeQuery, ReachResult, ReachTarget } from '../../probes/probe-types.ts';
import type { StepContext } from '../contract.ts';
import { resolveSshTarget } from '../shared/hosts/host-command.ts';

const words = () => catalogue().diagnosis.site.details;

/** Seconds after which a target counts as silent; all targets are queried at the same time. */
const TIMEOUT_SECONDS = 3;

/**
 * Checks over SSH to which targets a service host can connect, and which answers it gets. Needs bash and coreutils on
 * the host, but no root, and changes nothing there.
 */
export async function probeReach(
  context: Pick<StepContext, 'resolveEndpoint' | 'programDirectories' | 'manualActions' | 'signal'>,
  { address, targets }: ProbeQuery<'reach'>,
): Promise<ProbeAnswer<'reach'>> {
  const { programDirectories, manualActions, signal } = context;
  if (!manualActions.canLogIn) return { state: 'unknown', detail: words().hasNoLogin };
  const program = await findProgram('ssh', programDirectories);
  if (program === null) return { state: 'unknown', detail: words().noSsh };
  const requestScripts = targets.map(
    (target, index) =>
      `{ answer=$(timeout ${TIMEOUT_SECONDS} bash -c ${quoteShellArg(createRequestScript(target))} 2>/dev/null); echo "reach ${index} $? $answer"; } &`,
  );
  const script = [...requestScripts, 'wait'].join('\n');
  try {
    const target = resolveSshTarget(context, address);
    const { stdout } = await runOverSsh({ program, target, command: `bash -c ${quoteShellArg(script)}`, signal });
    const linesByIndex = new Map(
      [...stdout.matchAll(/^reach (\d+) (\d+) ?(.*)$/gm)].map(([, index, code, answer]) => [
        Number(index),
        { code: Number(code), answer: answer ?? '' },
      ]),
    );
    const results = targets.map((reachTarget, index) => {
      const line = linesByIndex.get(index);
      return line === undefined ? null : parseResult(reachTarget, line.code, line.answer);
    });
    return { state: 'known', results };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UserErrorException)) throw error;
    return { state: 'unknown', detail: error.userError.cause };
  }
}

/**
 * Creates the bash script of one request. Redirections of /dev/tcp and /dev/udp need no other program for the
 * connection.
 */
function createRequestScript({ host, port, request }: ReachTarget): string {
  if (request === undefined) return `exec 3<>/dev/tcp/${host}/${port}`;
  if ('httpPath' in request)
    return `exec 3<>/dev/tcp/${host}/${port} && printf 'HEAD %s HTTP/1.0\\r\\nHost: %s\\r\\n\\r\\n' ${quoteShellArg(request.httpPath)} ${quoteShellArg(formatUrlHost(host))} >&3 && IFS= read -r line <&3 && echo "$line"`;
  const packet = encode({
    type: 'query',
    id: 1,
    flags: RECURSION_DESIRED,
    questions: [{ type: 'A', name: request.dnsName }],
  });
  const bytes = [...packet].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  // A second process, for which the enclosing substitution does not wait, repeats the datagram after a second in case
  // it is lost. The low bits of the fourth byte of the answer are the response code. `env printf` instead of the
  // builtin of bash: the builtin would start a new datagram after each byte 0x0a, such as the length byte of a
  // ten-letter label.
  const sendCommand = `env printf '${bytes}' >&3`;
  return `exec 3<>/dev/udp/${host}/${port} && { { sleep 1; ${sendCommand}; } >/dev/null 2>&1 & ${sendCommand}; head -c 4 <&3 | od -An -tx1 | grep .; }`;
}

/** Codes of DNS answers by number (RFC 1035 4.1.1). */
const DNS_CODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];

/** Parses a result: `timeout` exits with 124; bash with 1 if refused or without a route. */
function parseResult({ request }: ReachTarget, code: number, answer: string): ReachResult {
  if (code === 124) return { state: 'silent' };
  if (code !== 0) return { state: 'refused' };
  if (request === undefined) return { state: 'open' };
  if ('httpPath' in request) {
    const status = /^HTTP\/1\.\d (\d{3})/.exec(answer)?.[1];
    if (status?.startsWith('2')) return { state: 'open' };
    return { state: 'denied', answer: status === undefined ? sanitizeLine(answer, 80) : `HTTP ${status}` };
  }
  const flags = Number.parseInt(answer.trim().split(/\s+/)[3] ?? '', 16);
  const name = Number.isNaN(flags) ? sanitizeLine(answer, 80) : (DNS_CODES[flags & 15] ?? `code ${flags & 15}`);
  return name === 'NOERROR' ? { state: 'open' } : { state: 'denied', answer: name };
}
