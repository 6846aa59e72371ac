import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';
import { parseRegistry } from './pull-lines.ts';

const UNTRUSTED =
  /x509: (?:certificate signed by unknown authority|certificate relies on legacy Common Name|certificate is (?:valid for|not valid for)|cannot validate certificate)/;

/** A registry, or a proxy that intercepts TLS on the way to it, presents a certificate that nodes do not trust. */
export const registryUntrusted = diagnosticRule('registry-untrusted', 'installation', (evidence) => {
  const lines = matchLogLines(evidence, UNTRUSTED).filter(({ text }) => {
    const registry = parseRegistry(text);
    const isOfCluster = registry === null || /^api(?:-int)?\.|:(?:6443|22623)$/.test(registry);
    return !isOfCluster || /proxyconnect/.test(text);
  });
  const registry = lines.map(({ text }) => parseRegistry(text)).find((each) => each !== null) ?? 'quay.io';
  const address = registry.includes(':') ? registry : `${registry}:443`;
  return symptomsFromLines(
    lines.slice(-1),
    'certain',
    `openssl s_client -connect ${address} -showcerts </dev/null | openssl x509 -noout -issuer -ext subjectAltName`,
  );
});
