import { formatUrlHost } from '../../../platform/url-host.ts';
import { diagnosticRule, type Symptom, symptomsFromChecks } from '../diagnostic-rule.ts';
import type { Evidence, SiteCheckResult } from '../evidence.ts';

/** A file that machines boot with is not served, is empty, or points nowhere. */
export const bootFileMissing = diagnosticRule('boot-file-missing', 'boot', (evidence) => {
  const missing = listFailedFileChecks(evidence).filter(({ status }) => status !== 403);
  return [...symptomsFromChecks(missing, 'certain'), ...findRefusedRequests(evidence, 404)];
});

const FILE_CHECKS: readonly SiteCheckResult['code'][] = ['http-artifacts', 'ipxe-script', 'ipxe-nodes'];

/** Lists the failed checks of the files that machines boot with. */
export function listFailedFileChecks({ checks }: Evidence): SiteCheckResult[] {
  return FILE_CHECKS.flatMap((code) => checks.filter((each) => each.code === code && each.state === 'failed'));
}

/** Finds machines whose last request was answered with this HTTP status. */
export function findRefusedRequests({ machines, design }: Evidence, status: number): Symptom[] {
  const { bastion, boot } = design?.services ?? {};
  return machines.flatMap(({ name, lastRequest, hasJoined }) => {
    if (lastRequest?.status !== status || hasJoined) return [];
    const command = `curl -sI http://${formatUrlHost(bastion?.ip[0] ?? '')}:${boot?.httpPort ?? 8080}${lastRequest.path}`;
    return [{ likelihood: 'certain' as const, subject: name, symptom: `${lastRequest.path} ${status}`, command }];
  });
}
