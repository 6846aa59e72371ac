import { diagnosticRule } from '../diagnostic-rule.ts';

/**
 * The API presents an expired certificate: the cluster was off when it was due for renewal, or the clock of this
 * machine is ahead.
 */
export const apiCertificateExpired = diagnosticRule(
  'api-certificate-expired',
  'installation',
  ({ api, ignition, now }) => {
    const isOfIgnition = ignition?.expiresAt != null && ignition.expiresAt <= now;
    if (api?.code !== 'cluster-certificate-expired' || isOfIgnition) return [];
    return [
      {
        likelihood: 'likely',
        subject: '',
        symptom: api.line,
        command: 'date -u; openssl s_client -connect API:6443 </dev/null 2>/dev/null | openssl x509 -noout -dates',
      },
    ];
  },
);
