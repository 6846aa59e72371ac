import type { Finding, Phase } from '../finding.ts';
import { type Answer, isUnmeasured, type Kind, type Question, type Unmeasured } from './exchange.ts';
import type { Site } from './site.ts';

/** What an answer proves. `unknown` where it proves nothing. */
export interface Verdict {
  readonly state: Finding['state'];
  /** What was seen. */
  readonly detail: string;
  /** Where this case weighs more, or less, than the check's own severity. */
  readonly severity?: Finding['severity'];
  /** Of HTTP, where a server answered with another one than 200. */
  readonly status?: number;
  /** What to do in this case, where it is not what the check says. */
  readonly remedy?: string;
}

/** How each kind of question is asked. A failure is an answer: none of them throws. */
export type Askers = { readonly [K in Kind]: (question: Question<K>) => Promise<Answer<K> | Unmeasured> };

/** One question of a check. */
export interface Ask {
  /** What it is about: a name, an address, a file. */
  readonly subject: string;
  /** The same by hand: a whole command. */
  readonly command: string;
  /** Asks it, and judges the answer. */
  readonly put: (askers: Askers) => Promise<Verdict>;
}

/** A question of a check, with how to judge the answer. One that did not reach the site proves nothing. */
export function ask<K extends Kind>(
  kind: K,
  question: Question<K>,
  about: Pick<Ask, 'subject' | 'command'>,
  judge: (answer: Answer<K>) => Verdict,
): Ask {
  return {
    ...about,
    put: async (askers) => {
      const answer: Answer<K> | Unmeasured = await askers[kind](question);
      return isUnmeasured(answer) ? { state: 'unknown', detail: answer.detail } : judge(answer);
    },
  };
}

/** What needs no asking: the design itself shows it. */
export function told(about: Pick<Ask, 'subject' | 'command'>, verdict: Verdict): Ask {
  return { ...about, put: async () => verdict };
}

/** A preflight check: what it asks of the site of a design, in its words. Pure: asking is the caller's. */
export interface SiteCheck<Code extends string = string> {
  readonly code: Code;
  readonly phase: Exclude<Phase, 'start'>;
  readonly severity: Finding['severity'];
  /** Empty where it does not apply. */
  readonly asks: (site: Site) => readonly Ask[];
}
