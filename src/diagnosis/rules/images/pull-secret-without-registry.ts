import type { Design } from '../../../design/model.ts';
import { diagnosticRule, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';
import { findRefusedPulls, parseRegistry } from './pull-lines.ts';

/** The pull secret has no login for a registry that images come from. */
export const pullSecretWithoutRegistry = diagnosticRule('pull-secret-without-registry', 'installation', (evidence) => {
  const { registries, design } = evidence;
  if (registries === null) return [];
  const command = "jq -r '.auths | keys[]' pull-secret.txt";
  const missing = listRequiredRegistries(design).filter((name) => !registries.includes(name));
  const files = missing.map((name): Symptom => {
    return { likelihood: 'certain', subject: name, symptom: `.auths: ${registries.join(', ')}`, command };
  });
  const lines = findRefusedPulls(evidence).filter(({ text }) => {
    const registry = parseRegistry(text);
    return registry !== null && !registries.includes(registry);
  });
  return [...files, ...symptomsFromLines(lines.slice(-1), 'certain', command)];
});

/** Mirrors usually require a login; without mirrors the release comes from quay.io. */
function listRequiredRegistries(design: Design | null): string[] {
  if (design === null) return [];
  const mirrors = design.imageDigestSources.flatMap(({ mirrors: all }) =>
    all.map((mirror) => mirror.split('/')[0] ?? ''),
  );
  return mirrors.length > 0 ? [...new Set(mirrors)] : ['quay.io'];
}
