import { urlHost } from '../../../text/url-host.ts';
import { type Clue, cause, cluesOf } from '../cause.ts';
import type { CheckAnswer, Evidence } from '../evidence.ts';

/** A file that machines boot with is not served, is empty, or leads nowhere. */
export const bootFileMissing = cause('boot-file-missing', 'boot', (evidence) => {
  const lacking = failedFiles(evidence).filter(({ status }) => status !== 403);
  return [...cluesOf(lacking, 'certain'), ...refused(evidence, 404)];
});

const FILES: readonly CheckAnswer['code'][] = ['http-artifacts', 'ipxe-script', 'ipxe-nodes'];

/** The failed answers of the checks of files that machines boot with. */
export function failedFiles({ checks }: Evidence): CheckAnswer[] {
  return FILES.flatMap((code) => checks.filter((each) => each.code === code && each.state === 'failed'));
}

/** Machines whose last request was answered with this status. */
export function refused({ machines, design }: Evidence, status: number): Clue[] {
  const { bastion, boot } = design?.services ?? {};
  return machines.flatMap(({ name, lastRequest, hasJoined }) => {
    if (lastRequest?.status !== status || hasJoined) return [];
    const command = `curl -sI http://${urlHost(bastion?.ip[0] ?? '')}:${boot?.httpPort ?? 8080}${lastRequest.path}`;
    return [{ likelihood: 'certain' as const, subject: name, symptom: `${lastRequest.path} ${status}`, command }];
  });
}
