import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { catalogue } from '../../text/catalogue.ts';
import { entryOf } from '../../text/entry.ts';
import { systemReason } from '../../text/system-reason.ts';
import { errorCode } from '../patience.ts';

/** Nobody listens there (RFC 863): the packet only makes the kernel look for a way. */
export const DISCARD = 9;

/**
 * What this machine itself says of a packet that it does not send (connect(2), ip-route(8)): it has no such network, a route
 * forbids or drops it, its firewall keeps it in, it lacks an address, files or memory for it.
 */
const OWN = new Set(
  'ENETUNREACH ENETDOWN EACCES EPERM EINVAL EADDRNOTAVAIL EAFNOSUPPORT ENODEV EMFILE ENFILE ENOBUFS ENOMEM'.split(' '),
);

/** Whether an error speaks of this machine, and not of the one that was to be reached. */
export function isOwnError(error: unknown): boolean {
  return OWN.has(errorCode(error));
}

/** Why this machine sends nothing, in words. */
export function ownReason(error: unknown): string {
  return entryOf(catalogue().bastion.probe.keptBy, errorCode(error)) ?? systemReason(error);
}

/**
 * Why nothing leaves this machine for an address, in words; null: something does, or nobody can tell. Sends an empty packet to the
 * discard port: whoever was silent is asked no more than that.
 * @param host an address; of a name nothing is known
 */
export async function keptHere(host: string): Promise<string | null> {
  const family = isIP(host);
  if (family === 0) return null;
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
  try {
    return await new Promise<string | null>((resolve) => {
      const refused = (error: Error) => resolve(ownReason(error));
      socket.on('error', refused);
      // An `unreachable` route is told here too, where the answer of a router comes later.
      socket.on('connect', () =>
        socket.send(Buffer.alloc(0), (error) => (error && isOwnError(error) ? refused(error) : resolve(null))),
      );
      socket.connect(DISCARD, host);
    });
  } finally {
    socket.close();
  }
}
