import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, getErrorCode } from '../i18n/user-error.ts';
import { describeLocalError, isLocalError } from './neighbour-probe.ts';
import type { PortState } from './probe-types.ts';

const words = () => catalogue().bastion;

export interface TcpResult {
  readonly state: PortState;
  /** Localized text. */
  readonly detail: string;
}

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
  if (isLocalError(error))
    return { state: 'unsent', detail: words().probe.sendBlocked(endpointText, describeLocalError(error)) };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return { state: 'unreachable', detail: words().probe.nameUnknown(endpointText) };
  return { state: 'unreachable', detail: words().probe.unreachable(endpointText, describeSystemError(error)) };
}
