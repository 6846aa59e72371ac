import { urlHost } from '../../../text/url-host.ts';
import { type Clue, cause, failed } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

/** A file that machines boot with is not served, is empty, or leads nowhere. */
export const bootFileMissing = cause('boot-file-missing', 'boot', (evidence) => {
  const codes = ['http-artifacts', 'ipxe-script', 'ipxe-nodes'] as const;
  const checks = codes.flatMap((code) => failed(evidence, code));
  return [...checks.filter(({ symptom }) => !/\b403\b/.test(symptom)), ...refused(evidence, 404)];
});

/** Machines whose last request was answered with this status. */
export function refused({ machines, design }: Evidence, status: number): Clue[] {
  const { bastion, boot } = design?.services ?? {};
  return machines.flatMap(({ name, lastRequest, hasJoined }) => {
    if (lastRequest?.status !== status || hasJoined) return [];
    const command = `curl -sI http://${urlHost(bastion?.ip[0] ?? '')}:${boot?.httpPort ?? 8080}${lastRequest.path}`;
    return [{ likelihood: 'certain' as const, subject: name, symptom: `${lastRequest.path} ${status}`, command }];
  });
}
