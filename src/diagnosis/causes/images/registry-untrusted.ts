import { cause, clueOfLines, told } from '../cause.ts';
import { registryOf } from './lines.ts';

const UNTRUSTED =
  /x509: (?:certificate signed by unknown authority|certificate relies on legacy Common Name|certificate is (?:valid for|not valid for)|cannot validate certificate)/;

/** A registry, or a proxy that breaks TLS open on the way to it, shows a certificate that nodes do not trust. */
export const registryUntrusted = cause('registry-untrusted', 'installation', (evidence) => {
  const lines = told(evidence, UNTRUSTED).filter(({ text }) => {
    const registry = registryOf(text);
    const isOfCluster = registry === null || /^api(?:-int)?\.|:(?:6443|22623)$/.test(registry);
    return !isOfCluster || /proxyconnect/.test(text);
  });
  const registry = lines.map(({ text }) => registryOf(text)).find((each) => each !== null) ?? 'quay.io';
  const address = registry.includes(':') ? registry : `${registry}:443`;
  return clueOfLines(
    lines.slice(-1),
    'certain',
    `openssl s_client -connect ${address} -showcerts </dev/null | openssl x509 -noout -issuer -ext subjectAltName`,
  );
});
