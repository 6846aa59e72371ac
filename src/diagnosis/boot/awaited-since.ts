/**
 * Derives since when a request is expected from each machine, in the order of the machines. A machine that the wizard
 * powers on: at once. The user confirms power-on for all machines together, and then goes from console to console: the
 * next machine counts from the first sign of the one before it; later ones are not due yet (null).
 * @param machines in boot order; `hasSign`: it has shown some sign; `firstSignAt`: its first sign with a time (ms), or
 * null
 * @param isManual the user powers the machines on
 */
export function deriveAwaitedSince(
  machines: readonly {
    readonly poweredOnAt: number | null;
    readonly hasSign: boolean;
    readonly firstSignAt: number | null;
  }[],
  isManual: boolean,
): (number | null)[] {
  if (!isManual) return machines.map(({ poweredOnAt }) => poweredOnAt);
  const nextIndex = machines.findLastIndex(({ hasSign }) => hasSign) + 1;
  const lastSignAt = Math.max(0, ...machines.map(({ firstSignAt }) => firstSignAt ?? 0));
  return machines.map(({ poweredOnAt }, index) =>
    poweredOnAt === null || index > nextIndex ? null : Math.max(poweredOnAt, lastSignAt),
  );
}
