import { quoteShellArg } from '../../../platform/shell-quoting.ts';
import { plural } from '../plural.ts';

/** Findings about jobs that end and are started again. */
export const jobs = {
  names: { 'boot-server': 'The boot server', 'csr-follow': 'The job that approves certificate requests' },
  withCode: (code: number) => `ended with code ${code}`,
  bySignal: (signal: string) => `was ended by ${signal}`,
  lastLine: (line: string) => `last line of its log: ${line}`,
  noOutput: 'it printed nothing',
  restarted: {
    title: (job: string, how: string, time: string, count: number) =>
      `${job} ${how} at ${time} and was restarted, ${plural(count, 'time')} so far`,
    remedy: (log: string) => `Nothing, if it does not happen again. Its log is ${log}.`,
  },
  failing: {
    title: (job: string, how: string, time: string, count: number) =>
      `${job} does not keep running: it ${how} at ${time}, ${plural(count, 'time')} in a row`,
    remedy: (seconds: number, log: string) =>
      `It is started again ${plural(seconds, 'second')} after it ended; the wait grows to 60 seconds and no further. Its log is ${log}.`,
  },
  unsupervised: {
    title: (job: string) => `${job} runs, but nothing restarts it if it ends`,
    cause: 'the process that supervised it was killed',
  },
  lost: {
    title: (job: string) => `${job} no longer runs`,
    cause: 'it was killed together with the process that supervised it, or this machine restarted',
  },
  logout: {
    title: (job: string) => `${job} ends when you log out`,
    causes: {
      killed: (user: string) =>
        `systemd-logind kills the processes of a session at logout (KillUserProcesses), and lingering is off for ${user}`,
      early: (user: string) => `it was started before lingering was enabled for ${user}`,
      unit: (user: string) => `it is a unit of the systemd of ${user}, and lingering is off now`,
    },
    enable: (user: string) => `Run this: \`loginctl enable-linger ${quoteShellArg(user)}\``,
    restart: (pid: number) => `Then end it: \`kill ${pid}\``,
  },
  restartHints: {
    'boot-server': () => 'Prepare starts it again.',
    'csr-follow': (command: string) => `Start it again: \`${command}\``,
  },
};
