import { catalogue } from '../../i18n/catalogue.ts';
import { formatUrlHost } from '../../platform/text.ts';
import type { ProbeAnswer, ServedCertificate } from '../../probes/probe-types.ts';
import { createSiteCheckFactory, querySite, type SiteBmc, type Verdict } from './site.ts';

const words = () => catalogue().diagnosis.site.details.bmc;
const check = createSiteCheckFactory('before-boot');

/**
 * The check of the BMCs through which the nodes of a two-node cluster with fencing power off each other. It sends no
 * BMC credentials.
 */
export const BMC_CHECKS = [
  /**
   * Each BMC answers, and presents a certificate that nodes trust, unless the user turned certificate verification off.
   * Only an untrusted certificate is fatal; an unreachable BMC is a warning, because nodes may reach it.
   */
  check('bmc', 'fatal', (site) =>
    site.bmcs.map((bmc) => {
      const { node, host, port, isCertificateVerified } = bmc;
      const url = `https://${formatUrlHost(host)}:${port}/redfish/v1/`;
      const querySubject = {
        subject: `${node} ${host}:${port}`,
        command: `curl -sSI${isCertificateVerified ? '' : 'k'} ${url}`,
      };
      const query = { host, port, name: host, authority: 'bundle' } as const;
      return querySite(site, 'certificate', query, querySubject, (answer) => evaluateBmc(bmc, answer));
    }),
  ),
];

function evaluateBmc({ node, isCertificateVerified }: SiteBmc, answer: ProbeAnswer<'certificate'>): Verdict {
  if (answer.state !== 'tls')
    return { state: 'failed', severity: 'warning', detail: answer.detail, remedy: words().unreachable(node) };
  const { certificate, now } = answer;
  if (!isCertificateVerified) return { state: 'ok', detail: words().unverified(certificate.subject) };
  const problem = findCertificateProblem(certificate, now);
  if (problem === null) return { state: 'ok', detail: words().trusted(certificate.subject) };
  return { state: 'failed', detail: problem, remedy: words().untrusted };
}

function findCertificateProblem(
  { subject, issuer, isValidForName, names, trust, validFrom, validUntil }: ServedCertificate,
  now: number,
): string | null {
  if (trust !== 'trusted') return words().foreign(subject, issuer);
  if (validUntil < now || validFrom > now) return words().outOfTime(subject);
  return isValidForName ? null : words().otherName(names);
}
