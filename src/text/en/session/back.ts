import { plural } from '../plural.ts';

/** The page that a person sees who comes back to a session. */
export const back = {
  title: (place: string) => `Welcome back. Enter continues at ${place}.`,
  who: (user: string, from: string | null) => `${user}${from === null ? '' : ` from ${from}`}`,
  left: (when: string, who: string | null) => `${who === null ? 'You left' : `${who} left`} at ${when}.`,
  cut: (when: string, who: string | null) =>
    `${who === null ? 'Your last session' : `The last session, of ${who},`} was cut off; it last saved at ${when}.`,
  question: (step: string) => `A question waits for an answer: ${step}.`,
  since: 'Since then:',
  nothing: 'Nothing was applied, no job ran, and no generated file was changed.',
  line: (what: string) => `- ${what}`,
  act: (at: string, what: string, alike: number) =>
    `${at} ${what}${alike === 0 ? '' : `; ${alike} more like it before`}`,
  edited: (file: string) => `files/${file} was changed by hand.`,
  requests: (count: number, expected: number, refused: number) =>
    `${plural(count, 'new certificate request')} ${count === 1 ? 'waits' : 'wait'}: ${expected} expected, ${refused} for you to look at.`,
  operators: (names: string, more: number) =>
    `Operators that changed: ${names}${more > 0 ? ` and ${plural(more, 'other')}` : ''}.`,
  operator: (name: string, standing: string) => `${name} (${standing})`,
  standings: {
    degraded: 'degraded',
    unavailable: 'not available',
    progressing: 'progressing',
    fine: 'available',
  },
  earlier: (count: number) => `… and ${count} more before these`,
  jobs: {
    names: {
      'boot-server': 'The boot server',
      'csr-follow': 'The job that approves certificate requests',
      'bootstrap-complete': 'openshift-install wait-for bootstrap-complete',
      'install-complete': 'openshift-install wait-for install-complete',
    },
    running: (job: string) => `${job} kept running.`,
    restarted: (job: string, count: number, when: string) =>
      `${job} ended ${plural(count, 'time')}, last at ${when}, and was restarted.`,
    ended: (job: string, code: number, when: string) =>
      `${job} ended at ${when}${code === 0 ? ', successfully' : ` with code ${code}`}.`,
    lost: (job: string) => `${job} no longer runs, and how it ended was not recorded.`,
  },
};
