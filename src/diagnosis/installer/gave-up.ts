import { catalogue } from '../../text/catalogue.ts';
import type { Finding } from '../finding.ts';
import { judge, type Rule } from '../rule.ts';
import { explainExit, type SaidLine } from './exit.ts';

const words = () => catalogue().diagnosis.bootstrap['wait-gave-up'];

/** How the installer's own wait ended, and its output. */
interface WaitEvidence {
  readonly code: number;
  readonly signal: string | null;
  /** Its last run, newest last. */
  readonly lines: readonly SaidLine[];
}

/** The installer stopped waiting before its condition was met: a time-out is not the end of the installation. */
const gaveUp: Rule<WaitEvidence> = {
  code: 'wait-gave-up',
  severity: 'warning',
  judge({ code, signal, lines }) {
    const { exit, again, api, bootstrap } = words();
    const trouble = explainExit(code, signal, lines);
    const ended = exit(code, signal);
    // Its last wait and its last failure explain more than the exit code.
    const waited = lines.findLast(({ text }) => text.startsWith('Waiting up to '))?.text ?? '';
    const failed = lines.findLast(({ text }) =>
      /^(?:Bootstrap failed to complete|failed to initialize|These cluster operators were not stable)/.test(text),
    );
    if (trouble === null) return [];
    const { title, whatToDo } = trouble;
    const cause = failed?.text ?? trouble.cause;
    if (trouble.code !== 'installer-bootstrap')
      return [{ title: `${title} (${ended})`, cause, whatToDo: `${whatToDo} ${again}` }];
    if (waited.includes('for the Kubernetes API')) return [{ title: api.title(ended), cause, whatToDo: api.whatToDo }];
    const minutes = /^Waiting up to (?:(\d+)h)?(\d+)m/.exec(waited);
    const waitedFor = minutes === null ? null : Number(minutes[1] ?? 0) * 60 + Number(minutes[2]);
    return [{ title: bootstrap.title(waitedFor, ended), cause, whatToDo: bootstrap.whatToDo }];
  },
};

/**
 * How the installer's wait ended.
 * @param log the installer's log, newest last; this drops the lines of earlier runs
 */
export function judgeGaveUp(
  { code, signal }: Pick<WaitEvidence, 'code' | 'signal'>,
  log: readonly SaidLine[],
): Finding[] {
  const began = log.findLastIndex(({ text }) => /^(?:OpenShift Installer |openshift-install )/.test(text));
  return judge([gaveUp], { code, signal, lines: log.slice(Math.max(0, began)) });
}
