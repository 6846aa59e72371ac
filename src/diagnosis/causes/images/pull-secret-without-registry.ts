import type { Design } from '../../../design/model.ts';
import { type Clue, cause, clueOfLines } from '../cause.ts';
import { refusedPulls, registryOf } from './lines.ts';

/** The pull secret has no login for a registry that images come from. */
export const pullSecretWithoutRegistry = cause('pull-secret-without-registry', 'installation', (evidence) => {
  const { registries, design } = evidence;
  if (registries === null) return [];
  const command = "jq -r '.auths | keys[]' pull-secret.txt";
  const missing = neededOf(design).filter((name) => !registries.includes(name));
  const files = missing.map((name): Clue => {
    return { likelihood: 'certain', subject: name, symptom: `.auths: ${registries.join(', ')}`, command };
  });
  const lines = refusedPulls(evidence).filter(({ text }) => {
    const registry = registryOf(text);
    return registry !== null && !registries.includes(registry);
  });
  return [...files, ...clueOfLines(lines.slice(-1), 'certain', command)];
});

/** Mirrors want a login as a rule; without mirrors the release comes from quay.io. */
function neededOf(design: Design | null): string[] {
  if (design === null) return [];
  const mirrors = design.imageDigestSources.flatMap(({ mirrors: all }) =>
    all.map((mirror) => mirror.split('/')[0] ?? ''),
  );
  return mirrors.length > 0 ? [...new Set(mirrors)] : ['quay.io'];
}
