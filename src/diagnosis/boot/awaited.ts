/**
 * Since when each machine ought to have been heard of, in the order of the machines. One that is powered on from here at once;
 * a person says of all together that they are on, and then goes from console to console: whose turn it is has time from when
 * the machine before it was heard of, and who comes later is not waited for yet.
 * @param machines in boot order; `heardOf`: it has shown some sign, `heardAt` its first with a time (ms), or null
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
