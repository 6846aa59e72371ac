import type { Design, Problem } from '../model.ts';
import type { Path } from '../paths.ts';

/**
 * Reports a problem at a path of the design file. Returns false when the value there could not be read: the problem is
 * then not reported.
 */
export type ReportProblem = (at: Path, problem: ProblemText) => boolean;

/** The message of a problem, and what to do about it. */
export interface ProblemText {
  readonly message: string;
  readonly fix: string;
}

/** One requirement for a design: mandatory (error) or recommended (warning). */
export interface Rule {
  /** Stable, kebab-case; `upi-wizard help rules` lists them. */
  readonly id: string;
  /** `error`: the installation cannot work. `warning`: it can work, but at a risk. */
  readonly severity: Problem['severity'];
  /** Origin of the rule: a document, or a repository and path. */
  readonly source: string;
  /** The requirement, in one line. */
  readonly title: () => string;
  /**
   * Paths that the result depends on, besides the reported one. The rule reports nothing when a value there could not
   * be read.
   */
  readonly dependsOn?: readonly Path[];
  /** Must not throw for any design of the right shape: text in it may be anything. */
  readonly check: (design: Design, report: ReportProblem) => void;
}
