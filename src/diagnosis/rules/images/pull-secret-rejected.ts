import { diagnosticRule, symptomsFromLines } from '../diagnostic-rule.ts';
import { findRefusedPulls, parseRegistry } from './pull-lines.ts';

/** The pull secret has a login that the registry does not accept, or no longer accepts. */
export const pullSecretRejected = diagnosticRule('pull-secret-rejected', 'installation', (evidence) => {
  const { registries } = evidence;
  const lines = findRefusedPulls(evidence).filter(({ text }) => {
    const registry = parseRegistry(text);
    return registries === null || registry === null || registries.includes(registry);
  });
  const registry = lines.map(({ text }) => parseRegistry(text)).find((each) => each !== null) ?? 'quay.io';
  return symptomsFromLines(
    lines.slice(-1),
    'likely',
    `podman login --authfile pull-secret.txt --get-login ${registry}; podman pull --authfile pull-secret.txt IMAGE`,
  );
});
