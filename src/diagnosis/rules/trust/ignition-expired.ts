import { canRemoveBootstrap, diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/** "current time … is after …": the certificate has expired; "is before": the clock is wrong, which is another rule. */
const EXPIRED = /certificate has expired(?!.*is before)/;

/** The certificates in ignition files are valid for 24 hours; machines that boot later never join. */
export const ignitionExpired = diagnosticRule('ignition-stale', 'ignition', (evidence) => {
  const { ignition, now } = evidence;
  if (canRemoveBootstrap(evidence)) return [];
  const command = 'openssl x509 -noout -enddate -in tls/kubelet-signer.crt; ls -l --time-style=full-iso *.ign';
  const lines = matchLogLines(evidence, EXPIRED);
  const end = ignition?.expiresAt ?? null;
  if (end === null || end > now)
    return symptomsFromLines(lines.slice(-1), 'likely', 'date -u; ls -l --time-style=full-iso *.ign');
  const symptom = `bootstrap.ign: notAfter ${new Date(end).toISOString()}`;
  return [{ likelihood: 'certain', subject: '', symptom, command }, ...symptomsFromLines(lines.slice(-1), 'certain')];
});
