import { cause, clueOfLines } from '../cause.ts';
import { refusedPulls, registryOf } from './lines.ts';

/** The pull secret has a login, and the registry does not accept it (any more). */
export const pullSecretRejected = cause('pull-secret-rejected', 'installation', (evidence) => {
  const { registries } = evidence;
  const lines = refusedPulls(evidence).filter(({ text }) => {
    const registry = registryOf(text);
    return registries === null || registry === null || registries.includes(registry);
  });
  const registry = lines.map(({ text }) => registryOf(text)).find((each) => each !== null) ?? 'quay.io';
  return clueOfLines(
    lines.slice(-1),
    'likely',
    `podman login --authfile pull-secret.txt --get-login ${registry}; podman pull --authfile pull-secret.txt IMAGE`,
  );
});
