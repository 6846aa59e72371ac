import { catalogue } from '../../i18n/catalogue.ts';
import type { Finding } from '../check.ts';

/** Whether machines need the boot server: after Prepare has started it, and until all nodes have joined. */
export type BootServerNeed = 'later' | 'now' | 'over';

/**
 * Returns the result of a check with regard to the need of the boot server: while nothing needs it, its silence is no
 * failure. Null: the check is over.
 */
export function deferBootServerCheck(finding: Finding, need: BootServerNeed): Finding | null {
  const isSilentServer = finding.code === 'boot-server' && finding.state === 'failed';
  const { causedBy, ...rest } = finding;
  if (need === 'now' || (isSilentServer ? causedBy !== undefined : causedBy?.id !== 'boot-server')) return finding;
  if (need === 'over') return null;
  const { checks } = catalogue().diagnosis.site;
  const title = isSilentServer ? `${finding.subject}: ${checks['boot-server'].title}` : finding.title;
  return { ...rest, state: 'pending', title, cause: catalogue().check.bootServer.later, remedy: '' };
}
