import { diagnosticRule, matchLogLines, symptomsFromFailedChecks, symptomsFromLines } from '../diagnostic-rule.ts';

/** Registries on the public internet. */
const LOOKUP =
  /lookup (?:\S+\.)?(?:quay\.io|redhat\.(?:io|com)|openshift\.com|amazonaws\.com|cloudfront\.net)\.? .*(?:no such host|server misbehaving)/i;

/** Nodes also resolve the names of registries and time servers at our name servers. */
export const externalNamesUnresolved = diagnosticRule('outside-names-missing', 'dns', (evidence) => {
  if (evidence.cluster?.version?.available === true) return [];
  const lines = matchLogLines(evidence, LOOKUP).filter(({ source }) => source !== 'openshift-install');
  const command = 'cat /etc/resolv.conf; dig quay.io';
  return [
    ...symptomsFromFailedChecks(evidence, 'dns-upstream', 'likely'),
    ...symptomsFromLines(lines.slice(-1), 'likely', command),
  ];
});
