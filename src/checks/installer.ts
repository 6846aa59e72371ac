import { catalogue } from '../i18n/catalogue.ts';
import { explainExit, type InstallerLine } from '../installer/exit.ts';
import { createCheckFactory, type Finding, runChecks } from './check.ts';

const waitWords = () => catalogue().diagnosis.bootstrap['wait-gave-up'];

/** The exit status of the installer's own wait, and its output. */
interface WaitEvidence {
  readonly code: number;
  readonly signal: string | null;
  /** Lines of its last run, newest last. */
  readonly lines: readonly InstallerLine[];
}

/** The installer stopped waiting before its condition was met. A timeout does not end the installation. */
const waitGaveUp = createCheckFactory<WaitEvidence>('bootstrap')(
  'wait-gave-up',
  'warning',
  ({ code, signal, lines }) => {
    const { exit, again, api, bootstrap } = waitWords();
    const userError = explainExit(code, signal, lines);
    const exitStatus = exit(code, signal);
    // Its last wait and its last failure explain more than the exit code.
    const lastWait = lines.findLast(({ text }) => text.startsWith('Waiting up to '))?.text ?? '';
    const failureLine = lines.findLast(({ text }) =>
      /^(?:Bootstrap failed to complete|failed to initialize|These cluster operators were not stable)/.test(text),
    );
    if (userError === null) return [];
    const { title, remedy } = userError;
    const cause = failureLine?.text ?? userError.cause;
    if (userError.code !== 'installer-bootstrap')
      return [{ state: 'failed', title: `${title} (${exitStatus})`, evidence: [cause], remedy: `${remedy} ${again}` }];
    if (lastWait.includes('for the Kubernetes API'))
      return [{ state: 'failed', title: api.title(exitStatus), evidence: [cause], remedy: api.remedy }];
    const duration = /^Waiting up to (?:(\d+)h)?(\d+)m/.exec(lastWait);
    const waitMinutes = duration === null ? null : Number(duration[1] ?? 0) * 60 + Number(duration[2]);
    return [
      { state: 'failed', title: bootstrap.title(waitMinutes, exitStatus), evidence: [cause], remedy: bootstrap.remedy },
    ];
  },
);

/** Whether a finding says that the installer gave up waiting. */
export const isWaitEnd = ({ code }: Pick<Finding, 'code'>) => code === waitGaveUp.id;

/**
 * Explains the end of the installer's wait.
 * @param log the installer's log, newest last; lines of earlier runs are ignored
 */
export function explainWaitEnd(
  { code, signal }: Pick<WaitEvidence, 'code' | 'signal'>,
  log: readonly InstallerLine[],
): Finding[] {
  const runStart = log.findLastIndex(({ text }) => /^(?:OpenShift Installer |openshift-install )/.test(text));
  return runChecks([waitGaveUp], { code, signal, lines: log.slice(Math.max(0, runStart)) });
}
