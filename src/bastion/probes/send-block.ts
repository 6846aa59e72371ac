import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { catalogue } from '../../i18n/catalogue.ts';
import { describeSystemError } from '../../i18n/system-error.ts';
import { findEntry } from '../../platform/find-entry.ts';
import { errorCode } from '../deadline.ts';

/** Nothing listens on the discard port (RFC 863): the packet only makes the kernel look up a route. */
export const DISCARD_PORT = 9;

/**
 * Errors with which this machine itself refuses to send a packet (connect(2), ip-route(8)): it has no such network, a
 * route forbids or drops it, its firewall blocks it, it lacks an address, files or memory.
 */
const LOCAL_ERRORS = new Set(
  'ENETUNREACH ENETDOWN EACCES EPERM EINVAL EADDRNOTAVAIL EAFNOSUPPORT ENODEV EMFILE ENFILE ENOBUFS ENOMEM'.split(' '),
);

/** Whether an error comes from this machine, not from the host that was to be reached. */
export function isLocalError(error: unknown): boolean {
  return LOCAL_ERRORS.has(errorCode(error));
}

/** Describes why this machine sends nothing. */
export function describeLocalError(error: unknown): string {
  return findEntry(catalogue().bastion.probe.sendBlockReasons, errorCode(error)) ?? describeSystemError(error);
}

/**
 * Finds why this machine sends nothing to an address; null: it sends, or this cannot be determined. An empty packet
 * goes to the discard port, so a host that did not respond gets no further request.
 * @param host an address; null is returned for a name
 */
export async function findSendBlock(host: string): Promise<string | null> {
  const family = isIP(host);
  if (family === 0) return null;
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
  try {
    return await new Promise<string | null>((resolve) => {
      const fail = (error: Error) => resolve(describeLocalError(error));
      socket.on('error', fail);
      // An `unreachable` route is reported here, too; the answer of a router arrives later.
      socket.on('connect', () =>
        socket.send(Buffer.alloc(0), (error) => (error && isLocalError(error) ? fail(error) : resolve(null))),
      );
      socket.connect(DISCARD_PORT, host);
    });
  } finally {
    socket.close();
  }
}
