import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as realSleep, setImmediate as waitForImmediate } from 'node:timers/promises';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, getErrorCode } from '../i18n/user-error.ts';
import type { Clock } from '../platform/clock.ts';
import { startDeadline } from '../platform/concurrency.ts';
import type { ResolveEndpoint } from '../platform/manual-actions.ts';
import { describeLocalError, findLocalSendError, isLocalError } from './neighbour-probe.ts';
import type { PortState } from './probe-types.ts';

const words = () => catalogue().bastion;

// A load balancer without a server accepts and closes within a round trip. A connection that stays open longer than
// this (real milliseconds) has a server that waits for the client, as TLS servers do.
const SETTLE_TIME_MS = 120;
/** Turns of the event loop after that time in which an earlier close is still read. */
const SETTLE_ROUNDS = 12;

/**
 * Connects to a port of a host of the design and checks whether the connection stays open.
 * @param timeoutMs limit in ms of the clock; at least min(timeoutMs, 3,000) ms of real time
 */
export async function probeTcp(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  host: string,
  port: number,
  timeoutMs: number,
): Promise<TcpResult> {
  const endpointText = words().probe.hostAndPort(host, port);
  const deadline = startDeadline(clock, timeoutMs);
  const socket = connect(resolveEndpoint(host, port));
  let hasConnected = false;
  try {
    await once(socket, 'connect', { signal: deadline.signal });
    hasConnected = true;
    // Without reading, the end of the connection would not be noticed.
    socket.resume();
    const isClosed = await Promise.race([
      once(socket, 'end').then(() => true),
      once(socket, 'close').then(() => true),
      waitUntilSettled(),
    ]);
    const state = isClosed ? 'closed-at-once' : 'open';
    return { state, detail: isClosed ? words().probe.closedAtOnce(endpointText) : words().probe.open(endpointText) };
  } catch (error) {
    if (deadline.signal.aborted) return await classifyTimeout(endpointText, resolveEndpoint(host, port).host);
    return toTcpFailure(endpointText, error, hasConnected);
  } finally {
    deadline.end();
    socket.on('error', () => {});
    socket.destroy();
  }
}

/** Classifies a timeout: a firewall of this machine that drops outgoing packets looks like a silent host. */
async function classifyTimeout(endpointText: string, address: string): Promise<TcpResult> {
  const reason = await findLocalSendError(address);
  if (reason !== null) return toSendBlocked(endpointText, reason);
  return { state: 'timeout', detail: words().probe.timeout(endpointText) };
}

/**
 * Resolves with false. On a busy machine the time may be over before an earlier close was read, so pending events are
 * handled first.
 */
async function waitUntilSettled(): Promise<false> {
  await realSleep(SETTLE_TIME_MS);
  for (let round = 0; round < SETTLE_ROUNDS; round += 1) await waitForImmediate();
  return false;
}

interface TcpResult {
  readonly state: PortState;
  /** Localized text. */
  readonly detail: string;
  /** Why nothing could leave this machine; missing: it could. */
  readonly sendBlockReason?: string;
}

const toSendBlocked = (endpointText: string, sendBlockReason: string): TcpResult => ({
  state: 'unsent',
  detail: words().probe.sendBlocked(endpointText, sendBlockReason),
  sendBlockReason,
});

/**
 * Classifies the error of a failed connection.
 * @param hasConnected whether the connection was open before the error: then the other end closed it
 */
export function toTcpFailure(endpointText: string, error: unknown, hasConnected = false): TcpResult {
  const code = getErrorCode(error);
  if (hasConnected || code === 'ECONNRESET' || code === 'EPIPE')
    return { state: 'closed-at-once', detail: words().probe.closedAtOnce(endpointText) };
  if (code === 'ECONNREFUSED') return { state: 'refused', detail: words().probe.refused(endpointText) };
  if (code === 'ETIMEDOUT') return { state: 'timeout', detail: words().probe.timeout(endpointText) };
  if (isLocalError(error)) return toSendBlocked(endpointText, describeLocalError(error));
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return { state: 'unreachable', detail: words().probe.nameUnknown(endpointText) };
  return { state: 'unreachable', detail: words().probe.unreachable(endpointText, describeSystemError(error)) };
}
