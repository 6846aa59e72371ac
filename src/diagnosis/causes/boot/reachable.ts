import type { Evidence } from '../evidence.ts';

/** The open ports of a machine, by its short name; empty: it answers at none. */
export function openPorts({ ports }: Evidence, machine: string): number[] {
  const own = ports.filter(({ host, kind }) => host === machine && kind !== 'api' && kind !== 'api-int');
  return own.filter(({ state }) => state === 'open').map(({ port }) => port);
}

export function reachable(evidence: Evidence, machine: string): boolean {
  return openPorts(evidence, machine).length > 0;
}
