/** What can be made to go wrong in a rehearsal. */
export const FAULTS = ['node-never-boots', 'wrong-mac', 'hostile-csr', 'operator-degraded', 'machine-fails'] as const;
export type FaultId = (typeof FAULTS)[number];

export function isFaultId(text: string): text is FaultId {
  return (FAULTS as readonly string[]).includes(text);
}
