import { plural } from '../plural.ts';

/** Event messages for the command of `--on-event`, and messages about that command. */
export const events = {
  rehearsal: (text: string) => `Rehearsal: ${text}`,
  question: (title: string, question: string) => `${title}: ${question} It waits for an answer.`,
  done: (title: string, summary: string) => `${title}: done. ${summary}`,
  failedStep: (title: string, error: string, cause: string) => `${title} failed: ${error}: ${cause}`,
  blocked: (title: string, finding: string, cause: string) => `${title} cannot continue: ${finding}: ${cause}`,
  jobEnded: (job: string, code: number) => `${job} ended${code === 0 ? ', successfully' : ` with code ${code}`}.`,
  jobRestarted: (job: string, code: number) => `${job} ended with code ${code} and is restarted.`,
  refused: (name: string, owner: string, why: string) =>
    `The certificate request ${name} of ${owner} was not approved: ${why}`,
  refusedMany: (count: number) => `${plural(count, 'certificate request')} were not approved.`,
  complete: 'The installation is complete: all operators are available.',
  installed: 'openshift-install reports: the installation is complete.',
  test: (event: string) => `This is a test of the command for events (${event}).`,
  failed: (event: string, how: string) => `The command for events failed (event ${event}): it ${how}.`,
  ends: {
    done: 'ended successfully',
    code: (code: number) => `ended with code ${code}`,
    signal: (signal: string) => `was ended by ${signal}`,
    timeout: (seconds: number) => `was ended after ${seconds} seconds`,
    notStarted: (why: string) => `could not be started: ${why}`,
  },
  configured: (command: string, help: string) => `On events this runs: ${command}. More: "${help}".`,
  off: 'No command runs on events any more.',
  none: (command: string) => `No command is set for events. To set one: ${command}`,
  unknown: (name: string, known: string) => `There is no event or step "${name}". Known: ${known}.`,
  noCommand: '--on-event requires a command, or: wall, write, off.',
};
