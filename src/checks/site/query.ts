import {
  isUnmeasurable,
  type ProbeAnswer,
  type ProbeKind,
  type ProbeQuestion,
  type Unmeasurable,
} from '../../probes/probe-types.ts';
import type { CheckPhase, Finding } from '../check.ts';
import type { ExpectedSite } from './expected-site.ts';

/** The verdict on an answer; `unknown` if it proves nothing. */
export interface QueryVerdict {
  readonly state: Finding['state'];
  /** The observation. */
  readonly detail: string;
  /** Replaces the check's own severity in this case. */
  readonly severity?: Finding['severity'];
  /** The HTTP status, if it is not 200. */
  readonly status?: number;
  /** Replaces the check's remedy in this case. */
  readonly remedy?: string;
}

/** The functions that send each kind of question. A failure is an answer: none of them throws. */
export type Probes = {
  readonly [K in ProbeKind]: (question: ProbeQuestion<K>) => Promise<ProbeAnswer<K> | Unmeasurable>;
};

/** One query of a check. */
export interface Query {
  /** The object of the query: a name, an address, a file. */
  readonly subject: string;
  /** The equivalent command to run by hand. */
  readonly command: string;
  /** Sends the question and evaluates the answer. */
  readonly run: (askers: Probes) => Promise<QueryVerdict>;
}

/** Creates a query with the evaluation of its answer. A question that did not reach the site proves nothing. */
export function query<K extends ProbeKind>(
  kind: K,
  question: ProbeQuestion<K>,
  about: Pick<Query, 'subject' | 'command'>,
  evaluate: (answer: ProbeAnswer<K>) => QueryVerdict,
): Query {
  return {
    ...about,
    run: async (probes) => {
      const answer: ProbeAnswer<K> | Unmeasurable = await probes[kind](question);
      return isUnmeasurable(answer) ? { state: 'unknown', detail: answer.detail } : evaluate(answer);
    },
  };
}

/** Creates a query that needs no probe: the design itself gives the verdict. */
export function staticResult(about: Pick<Query, 'subject' | 'command'>, verdict: QueryVerdict): Query {
  return { ...about, run: async () => verdict };
}

/** A preflight check: its queries to the site of a design. Pure: the caller runs the queries. */
export interface SiteCheck<Code extends string = string> {
  readonly code: Code;
  readonly phase: Exclude<CheckPhase, 'start'>;
  readonly severity: Finding['severity'];
  /** Lists the queries; empty if the check does not apply. */
  readonly listQueries: (site: ExpectedSite) => readonly Query[];
}
