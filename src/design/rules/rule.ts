import type { Design, Problem } from '../model.ts';
import type { Path } from '../paths.ts';

/** Reports a problem at a path of the design file; false: not reported, because the value there could not be read. */
export type Report = (at: Path, said: Said) => boolean;

export interface Said {
  readonly message: string;
  readonly fix: string;
}

/** One demand on a design: a must (error) or a should (warning). */
export interface Rule {
  /** Stable, kebab-case; `upi-wizard help rules` lists them. */
  readonly id: string;
  /** `error`: the installation cannot work like this. `warning`: it can, and will hurt. */
  readonly severity: Problem['severity'];
  /** Where the rule comes from: a document, or a repository and path. */
  readonly source: string;
  /** What the rule demands, in one line. */
  readonly title: () => string;
  /**
   * What the verdict rests on besides the place it is reported at: when something there could not be read, the rule has
   * nothing to say.
   */
  readonly restsOn?: readonly Path[];
  /** Must not throw for any design of the right shape: text in it may be anything. */
  readonly check: (design: Design, report: Report) => void;
}
