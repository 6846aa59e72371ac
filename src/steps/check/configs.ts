import type { RhcosImages } from '../../artifacts/boot/images.ts';
import { GENERATORS } from '../../artifacts/kinds.ts';
import { CONFIG_KINDS, type ExpectedSite } from '../../checks/site/expected-site.ts';
import { type Design, STAGES } from '../../design/model.ts';

type PlannedConfig = ExpectedSite['hosts'][number]['configs'][number];

/** The service configurations contain no credentials. */
const CREDENTIALS = { pullSecret: null, sshKey: null, trustBundle: null };

/**
 * Generates the configuration files of each host's services, by the host's name; a file that differs between stages has
 * several texts.
 */
export function generateConfigs(
  design: Design,
  images: RhcosImages,
): Readonly<Partial<Record<string, readonly PlannedConfig[]>>> {
  const found = new Map<string, Map<string, { kind: PlannedConfig['kind']; texts: Set<string> }>>();
  for (const stage of STAGES)
    for (const { kind, files } of GENERATORS) {
      const configKind = CONFIG_KINDS.find((each) => each === kind);
      if (configKind === undefined) continue;
      for (const { host, path, content } of files({
        design,
        stage,
        credentials: CREDENTIALS,
        images,
        previous: null,
      })) {
        if (host === null) continue;
        const hostConfigs =
          found.get(host.name) ?? new Map<string, { kind: PlannedConfig['kind']; texts: Set<string> }>();
        const { texts } = hostConfigs.get(path) ?? { texts: new Set<string>() };
        found.set(host.name, hostConfigs.set(path, { kind: configKind, texts: texts.add(content) }));
      }
    }
  const configs = [...found].map(([host, hostConfigs]): [string, readonly PlannedConfig[]] => [
    host,
    [...hostConfigs].map(([path, { kind, texts }]) => ({ kind, path, planned: [...texts] })),
  ]);
  return Object.fromEntries(configs);
}
