import { cause, clueOfLines, hasBootstrapped, told } from '../cause.ts';

/** "current time … is after …": the certificate is too old; "is before": the clock is wrong, which is another rule. */
const EXPIRED = /certificate has expired(?!.*is before)/;

/** The certificates in ignition files live for 24 hours; machines that boot later never join. */
export const ignitionStale = cause('ignition-stale', 'ignition', (evidence) => {
  const { ignition, now } = evidence;
  if (hasBootstrapped(evidence)) return [];
  const command = 'openssl x509 -noout -enddate -in tls/kubelet-signer.crt; ls -l --time-style=full-iso *.ign';
  const lines = told(evidence, EXPIRED);
  const end = ignition?.expiresAt ?? null;
  if (end === null || end > now)
    return clueOfLines(lines.slice(-1), 'likely', 'date -u; ls -l --time-style=full-iso *.ign');
  const symptom = `bootstrap.ign: notAfter ${new Date(end).toISOString()}`;
  return [{ likelihood: 'certain', subject: '', symptom, command }, ...clueOfLines(lines.slice(-1), 'certain')];
});
