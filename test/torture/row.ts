/** What one row of the table does and finds. */
export interface Row {
  /** What is done, for the table. */
  readonly what: string;
  /** The target, for the table. */
  readonly target: string;
  /** How many cases the target asks for at least; a short run needs none of them. */
  readonly least: number;
  /** Programs of the system it needs; `root` for what only root may do. */
  readonly needs: readonly string[];
  run(torture: Torture): Promise<Outcome>;
}

/** What a row gets to work with. */
export interface Torture {
  /** A directory of its own, removed at the end together with every process that names it. */
  readonly dir: string;
  readonly isShort: boolean;
  readonly seed: number;
  /** Numbers from 0 to below 1, the same for the same seed. */
  readonly random: () => number;
  /** One line about how it goes, for the person who waits. */
  readonly say: (line: string) => void;
  /** Has something done after the row; in a short run after the last one, so that rows can share what it removes. */
  readonly atEnd: (remove: () => Promise<void>) => void;
}

export interface Outcome {
  /** How many cases were tried. */
  readonly cases: number;
  /** One line each: which case, what was expected, what was found. */
  readonly failures: readonly string[];
  /** What the table shows of the run, without the count of failures. */
  readonly figure: string;
}

/** Counts cases and keeps what went wrong. */
export interface Tally {
  /** One case: `look` returns what is wrong with it, nothing when all is right. What it throws is wrong as well. */
  readonly try: (name: string, look: () => Promise<readonly string[]> | readonly string[]) => Promise<void>;
  readonly fail: (name: string, why: string) => void;
  readonly cases: () => number;
  readonly failures: readonly string[];
}

export function newTally(say: (line: string) => void): Tally {
  const failures: string[] = [];
  let cases = 0;
  const fail = (name: string, why: string) => {
    failures.push(`${name}: ${why}`);
    say(`FAILED ${name}: ${why}`);
  };
  return {
    async try(name, look) {
      cases += 1;
      try {
        for (const why of await look()) fail(name, why);
      } catch (error) {
        fail(name, error instanceof Error ? error.message : String(error));
      }
    },
    fail,
    cases: () => cases,
    failures,
  };
}

/** Mulberry32: small, and the same everywhere. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** At most `most` members, spread evenly over the list: one alone is that in its middle. */
export function spread<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, index) => list[Math.floor(((index + 0.5) * list.length) / most)] as T);
}
