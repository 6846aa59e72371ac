/**
 * Since when we expect a request from each machine, in the order of the machines. A machine that the wizard powers on: at
 * once. A person confirms power-on for all machines together, and then goes from console to console: the next machine counts
 * from the first sign of the one before it; those after it are not due yet (null).
 * @param machines in boot order; `heardOf`: it has shown some sign; `heardAt`: its first sign with a time (ms), or null
 */
export function awaitedSince(
  machines: readonly {
    readonly poweredOnAt: number | null;
    readonly heardOf: boolean;
    readonly heardAt: number | null;
  }[],
  isPerson: boolean,
): (number | null)[] {
  if (!isPerson) return machines.map(({ poweredOnAt }) => poweredOnAt);
  const turn = machines.findLastIndex(({ heardOf }) => heardOf) + 1;
  const lastNews = Math.max(0, ...machines.map(({ heardAt }) => heardAt ?? 0));
  return machines.map(({ poweredOnAt }, index) =>
    poweredOnAt === null || index > turn ? null : Math.max(poweredOnAt, lastNews),
  );
}
