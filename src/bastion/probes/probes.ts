import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as realSleep, setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';
import type { Reach } from '../../ports/reach.ts';
import { catalogue } from '../../text/catalogue.ts';
import { runPatience } from '../patience.ts';
import { keptHere } from './kept-here.ts';
import { type TcpResult, tcpFailure } from './tcp-failure.ts';

const words = () => catalogue().bastion;

// A balancer without a server accepts and closes within a round trip; what stays longer than this (real milliseconds) is a
// server that waits for us to speak, as TLS servers do.
const SETTLE = 120;

/**
 * Connects to a port of a host of the design and looks whether the connection stays.
 * @param timeoutMs milliseconds of the clock (and no fewer real ones, up to 3,000)
 */
export async function tcpProbe(
  reach: Reach,
  clock: Clock,
  host: string,
  port: number,
  timeoutMs: number,
): Promise<TcpResult> {
  const where = words().probe.place(host, port);
  const patience = runPatience(clock, timeoutMs);
  const socket = connect(reach(host, port));
  let hasConnected = false;
  try {
    await once(socket, 'connect', { signal: patience.signal });
    hasConnected = true;
    // Read, or the end of the other side stays unseen.
    socket.resume();
    const isClosed = await Promise.race([
      once(socket, 'end').then(() => true),
      once(socket, 'close').then(() => true),
      settled(),
    ]);
    const state = isClosed ? 'closed-at-once' : 'open';
    return { state, detail: isClosed ? words().probe.closedAtOnce(where) : words().probe.open(where) };
  } catch (error) {
    if (patience.signal.aborted) return await silence(where, reach(host, port).host);
    return tcpFailure(where, error, hasConnected);
  } finally {
    patience.end();
    socket.on('error', () => {});
    socket.destroy();
  }
}

/** Nobody answered: a firewall of this machine that drops what it sends looks the same. */
async function silence(where: string, address: string): Promise<TcpResult> {
  const why = await keptHere(address);
  if (why !== null) return { state: 'unsent', detail: words().probe.kept(where, why) };
  return { state: 'timeout', detail: words().probe.timeout(where) };
}

/** Ends with false; on a busy machine its time may be over before what came long ago was read, so that is read first. */
async function settled(): Promise<false> {
  await realSleep(SETTLE);
  for (let turns = 0; turns < 3; turns += 1) await turn();
  return false;
}

export { dnsProbe } from './dns-probe.ts';
export { httpProbe } from './http-probe.ts';
export type { TcpResult } from './tcp-failure.ts';
export { tlsProbe } from './tls-probe.ts';
