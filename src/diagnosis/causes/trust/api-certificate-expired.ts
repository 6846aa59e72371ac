import { cause } from '../cause.ts';

/** The API shows a certificate that has run out: the cluster was off while it should have been renewed, or this machine's clock is ahead. */
export const apiCertificateExpired = cause('api-certificate-expired', 'installation', ({ api, ignition, now }) => {
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
});
