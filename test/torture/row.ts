/** One row of the torture table. */
export interface Row {
  readonly description: string;
  /** The condition that every case has to meet, in words. */
  readonly target: string;
  /** Minimum number of cases for the target; a short run has no minimum. */
  readonly minCases: number;
  /** System programs that it needs; `root` means that it needs root. */
  readonly needs: readonly string[];
  run(torture: Torture): Promise<Outcome>;
}

/** The environment of a running row. */
export interface Torture {
  /** A separate directory. It is removed at the end, together with every process that names it. */
  readonly dir: string;
  readonly isShort: boolean;
  readonly seed: number;
  /** Returns numbers from 0 to below 1, the same for the same seed. */
  readonly random: () => number;
  /** Prints one line of progress for the user. */
  readonly report: (line: string) => void;
  /**
   * Registers an action for the end of the row. A short run executes it after the last row, so that rows can share its
   * resources.
   */
  readonly atEnd: (remove: () => Promise<void>) => void;
}

export interface Outcome {
  /** Number of cases that were run. */
  readonly cases: number;
  /** One line each: the case, the expected result and the observed result. */
  readonly failures: readonly string[];
  /** Summary of the run for the table, without the count of failures. */
  readonly figure: string;
}

/** Counts cases and collects failures. */
export interface Tally {
  /** Runs one case. `check` returns its problems, an empty list means success. An exception is a failure as well. */
  readonly try: (name: string, check: () => Promise<readonly string[]> | readonly string[]) => Promise<void>;
  readonly fail: (name: string, reason: string) => void;
  readonly cases: () => number;
  readonly failures: readonly string[];
}

export function createTally(report: (line: string) => void): Tally {
  const failures: string[] = [];
  let cases = 0;
  const fail = (name: string, reason: string) => {
    failures.push(`${name}: ${reason}`);
    report(`FAILED ${name}: ${reason}`);
  };
  return {
    async try(name, check) {
      cases += 1;
      try {
        for (const reason of await check()) fail(name, reason);
      } catch (error) {
        fail(name, error instanceof Error ? error.message : String(error));
      }
    },
    fail,
    cases: () => cases,
    failures,
  };
}

/** Creates a random number generator: Mulberry32, which is small and gives the same numbers everywhere. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns at most `limit` members, spread evenly over the list; a single one is the middle member. */
export function sampleEvenly<T>(list: readonly T[], limit: number): readonly T[] {
  if (list.length <= limit) return list;
  return Array.from({ length: limit }, (_, index) => list[Math.floor(((index + 0.5) * list.length) / limit)] as T);
}
