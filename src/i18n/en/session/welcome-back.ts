import { plural } from '../plural.ts';

/** Text of the page that is shown when a user returns to a session. */
export const welcomeBack = {
  title: (place: string) => `Welcome back. Enter continues at ${place}.`,
  userFrom: (user: string, from: string | null) => `${user}${from === null ? '' : ` from ${from}`}`,
  exited: (when: string, user: string | null) => `${user === null ? 'You left' : `${user} left`} at ${when}.`,
  interrupted: (when: string, user: string | null) =>
    `${user === null ? 'Your last session' : `The last session, of ${user},`} was cut off; it last saved at ${when}.`,
  question: (step: string) => `A question waits for an answer: ${step}.`,
  since: 'Since then:',
  nothing: 'Nothing was applied, no job ran, and no generated file was changed.',
  line: (what: string) => `- ${what}`,
  action: (time: string, what: string, similar: number) =>
    `${time} ${what}${similar === 0 ? '' : `; ${similar} similar before it`}`,
  editedFile: (file: string) => `files/${file} was changed by hand.`,
  requests: (count: number, expected: number, refused: number) =>
    `${plural(count, 'new certificate request')} ${count === 1 ? 'waits' : 'wait'}: ${expected} expected, ${refused} for you to review.`,
  operators: (names: string, more: number) =>
    `Operators that changed: ${names}${more > 0 ? ` and ${plural(more, 'other')}` : ''}.`,
  operator: (name: string, state: string) => `${name} (${state})`,
  operatorStates: {
    degraded: 'degraded',
    unavailable: 'not available',
    progressing: 'progressing',
    fine: 'available',
  },
  earlier: (count: number) => `… and ${count} earlier`,
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
