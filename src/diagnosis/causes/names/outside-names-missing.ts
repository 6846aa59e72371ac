import { cause, clueOfLines, failed, told } from '../cause.ts';

/** Registries that are on the internet for everybody. */
const LOOKUP =
  /lookup (?:\S+\.)?(?:quay\.io|redhat\.(?:io|com)|openshift\.com|amazonaws\.com|cloudfront\.net)\.? .*(?:no such host|server misbehaving)/i;

/** Nodes ask our servers for the names of registries and time servers too. */
export const outsideNamesMissing = cause('outside-names-missing', 'dns', (evidence) => {
  if (evidence.cluster?.version?.available === true) return [];
  const lines = told(evidence, LOOKUP).filter(({ source }) => source !== 'openshift-install');
  const command = 'cat /etc/resolv.conf; dig quay.io';
  return [...failed(evidence, 'dns-upstream', 'likely'), ...clueOfLines(lines.slice(-1), 'likely', command)];
});
