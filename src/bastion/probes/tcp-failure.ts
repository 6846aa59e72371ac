import type { PortState } from '../../diagnosis/bootstrap/evidence.ts';
import { catalogue } from '../../text/catalogue.ts';
import { systemReason } from '../../text/system-reason.ts';
import { errorCode } from '../patience.ts';
import { isOwnError, ownReason } from './kept-here.ts';

const words = () => catalogue().bastion;

export interface TcpResult {
  readonly state: PortState;
  /** In words. */
  readonly detail: string;
}

/** What a failed connection means. */
export function tcpFailure(where: string, error: unknown, hasConnected = false): TcpResult {
  const code = errorCode(error);
  if (hasConnected || code === 'ECONNRESET' || code === 'EPIPE')
    return { state: 'closed-at-once', detail: words().probe.closedAtOnce(where) };
  if (code === 'ECONNREFUSED') return { state: 'refused', detail: words().probe.refused(where) };
  if (code === 'ETIMEDOUT') return { state: 'timeout', detail: words().probe.timeout(where) };
  if (isOwnError(error)) return { state: 'unsent', detail: words().probe.kept(where, ownReason(error)) };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return { state: 'unreachable', detail: words().probe.nameUnknown(where) };
  return { state: 'unreachable', detail: words().probe.unreachable(where, systemReason(error)) };
}
