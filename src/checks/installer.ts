import { isReleaseOfVersion } from '../design/versions.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { type InstallerLine, toExitError } from '../installer/exit.ts';
import { createCheckFactory, type Finding, runChecks } from './check.ts';

const waitWords = () => catalogue().diagnosis.bootstrap['wait-gave-up'];

/** The exit status of the installer's own wait, and its output. */
interface WaitEvidence {
  readonly code: number;
  readonly signal: string | null;
  /** Lines of its last run, newest last. */
  readonly lines: readonly InstallerLine[];
  /** The step that can start the wait again. */
  readonly step: 'bootstrap' | 'operators';
}

/** The installer stopped waiting before its condition was met. A timeout does not end the installation. */
const waitGaveUp = createCheckFactory<WaitEvidence>('bootstrap')(
  'wait-gave-up',
  'warning',
  ({ code, signal, lines, step }) => {
    const { exit, again: formatAgain, api, bootstrap } = waitWords();
    const retryHint = formatAgain(catalogue().steps.titles[step]);
    const userError = toExitError(code, signal, lines);
    const exitStatus = exit(code, signal);
    // The installer's last wait and its last failure explain more than the exit code.
    const lastWait = lines.findLast(({ text }) => text.startsWith('Waiting up to '))?.text ?? '';
    const failureLine = lines.findLast(({ text }) =>
      /^(?:Bootstrap failed to complete|failed to initialize|These cluster operators were not stable)/.test(text),
    );
    if (userError === null) return [];
    const { title, remedy } = userError;
    const cause = failureLine?.text ?? userError.cause;
    if (userError.code !== 'installer-bootstrap')
      return [
        { state: 'failed', title: `${title} (${exitStatus})`, evidence: [cause], remedy: `${remedy} ${retryHint}` },
      ];
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
export const isWaitFailure = ({ code }: Pick<Finding, 'code'>) => code === waitGaveUp.id;

type WaitExit = Pick<WaitEvidence, 'code' | 'signal'>;

/**
 * Explains the end of the installer's wait.
 * @param log the installer's log, newest last; lines of earlier runs are ignored
 * @param step the step that waited
 */
export function explainWaitExit(
  { code, signal }: WaitExit,
  log: readonly InstallerLine[],
  step: WaitEvidence['step'] = 'bootstrap',
): Finding[] {
  return runChecks([waitGaveUp], { code, signal, lines: getLastRunLines(log), step });
}

/** Whether the wait timed out or was interrupted, so that it can succeed once nothing in the cluster is wrong. */
export function canWaitSucceedLater({ code, signal }: WaitExit, log: readonly InstallerLine[]): boolean {
  const userError = toExitError(code, signal, getLastRunLines(log));
  return userError !== null && RETRYABLE_ERROR_CODES.includes(userError.code);
}

const RETRYABLE_ERROR_CODES = [
  'installer-bootstrap',
  'installer-install',
  'installer-operators',
  'installer-interrupted',
];

function getLastRunLines(log: readonly InstallerLine[]): readonly InstallerLine[] {
  const runStart = log.findLastIndex(({ text }) => /^(?:OpenShift Installer |openshift-install )/.test(text));
  return log.slice(Math.max(0, runStart));
}

/** The reason that an openshift-install does not fit a design. */
export type InstallerFault = 'missing' | 'version' | 'architecture' | 'architecture-unknown';

/** The architecture that an installer without an embedded release reports (OKD, custom builds). */
const UNKNOWN_ARCHITECTURE = 'unknown';

/**
 * Finds why openshift-install does not fit a design; null: it fits, or does not report its version and architecture.
 * @param installer null: not installed, or it does not run
 * @param requirements `version` "4.18" or "4.18.11"; `goArchitecture` as releases call it
 */
export function findInstallerFault(
  installer: { readonly version: string | null; readonly architecture: string | null } | null,
  requirements: { readonly version: string; readonly goArchitecture: string },
): InstallerFault | null {
  if (installer === null) return 'missing';
  const { version, architecture } = installer;
  // 4.18 and 4.18.11 match; 4.18.3 and 4.18.11 do not, nor 4.20 and OKD's 4.20.0-okd-scos.3.
  const isSameVersion = version === null || isReleaseOfVersion(version, requirements.version);
  if (!isSameVersion) return 'version';
  if (architecture === UNKNOWN_ARCHITECTURE) return 'architecture-unknown';
  const isOtherArchitecture = architecture !== null && ![requirements.goArchitecture, 'multi'].includes(architecture);
  return isOtherArchitecture ? 'architecture' : null;
}
