import type { Evidence } from './evidence.ts';

/** Lists the open ports of a machine, by its short name; empty if it answers on none. */
export function listOpenPorts({ ports }: Evidence, machine: string): number[] {
  const own = ports.filter(({ host, kind }) => host === machine && kind !== 'api' && kind !== 'api-int');
  return own.filter(({ state }) => state === 'open').map(({ port }) => port);
}

/** Whether the machine answers on any of its ports. */
export function isReachable(evidence: Evidence, machine: string): boolean {
  return listOpenPorts(evidence, machine).length > 0;
}
